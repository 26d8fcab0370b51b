"""Damaged files: what is said, what is kept, and what does not end a folder. tests/soak tries very many of them."""

import bz2
import gzip
import lzma
import os
import tarfile
import zipfile

import pytest

from shogi_engine.__main__ import main
from shogi_engine.records import RecordError, dumps, files, formats, games, iterate, loads
from tests.records.random_records import random_record

LETTERS = "*#&!?$=<+-%P9\uff11\u6b69\u540c\n,(T []{}\";:/'\\0ax\u25b2|\uff1a\u624b\x00\x0c\u2003"


def damaged(rng, data, binary):
    """Return the contents of a file with one to three faults: bytes changed, lines or pieces lost, doubled, moved."""
    for _ in range(rng.randrange(1, 4)):
        if not data:
            break
        at = rng.randrange(len(data))
        if binary or rng.random() < 0.1:
            data = data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
            continue
        text = data.decode("utf-8", "replace")
        lines = text.splitlines(keepends=True)
        row, place = rng.randrange(len(lines)), rng.randrange(len(text))
        kind = rng.randrange(5)
        if kind == 0:
            text = text[:place] + rng.choice(LETTERS) + text[place + 1 :]
        elif kind == 1:
            text = text[:place] + rng.choice(LETTERS) + text[place:]
        elif kind == 2:
            text = "".join(lines[:row] + lines[row + 1 :])
        elif kind == 3:
            other = rng.randrange(len(lines))
            text = "".join([*lines[:row], lines[other], *lines[row:]])
        else:
            text = text[:place] + text[place + rng.randrange(1, 6) :]
        data = text.encode()
    return data


def test_a_file_that_is_no_record_says_what_was_expected(tmp_path):
    for name, content in (
        ("a.kif", "Dear Sir,\nhow are you?\n"), ("log.txt", "2024-01-01 12:00 started\n"), ("x", "<html></html>"),
        ("a.csa", "hello"), ("y.png", "\x89PNG"), ("table.csv", "a,b,c\n1,2,3\n"),
    ):  # fmt: skip
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        with pytest.raises(RecordError) as caught:
            list(iterate(path))
        assert str(path) in str(caught.value) and "\n" not in str(caught.value)
        assert "expected" in str(caught.value) or caught.value.line == 1
    for content in (b"", b" \n\n", b"\x00" * 100):
        with pytest.raises(RecordError):
            loads(content)


def test_what_came_before_a_fault_is_kept_on_request():
    csa = "PI\n+\n+7776FU\n-3334FU\n+7776FU\n/\nPI\n+\n+2726FU\n%TORYO\n"
    with pytest.raises(RecordError, match="^line 5: .*7g") as caught:
        loads(csa)
    assert caught.value.record.moves == ["7g7f", "3c3d"] and (caught.value.line, caught.value.number) == (5, 1)
    first, second = loads(csa, keep=True)
    assert first.moves == ["7g7f", "3c3d"] and first.fault.line == 5
    assert second.moves == ["2g2f"] and second.fault is None
    (transcript, ggf) = ("f5d6\nf5a1\n", "(;GM[Othello]BO[8 " + "-" * 27 + "O*------*O" + "-" * 27 + " *]B[F5]W[A1];)")
    assert [record.moves for record in loads(transcript, keep=True)] == [["f5", "d6"], ["f5"]]
    assert [record.moves for record in loads(ggf, keep=True)] == [["f5"]]


@pytest.mark.parametrize("format", ["wthor", "jsonl", "jkf"])
def test_a_game_of_which_nothing_can_be_read_is_not_lost(format):
    whole = dumps(random_record(1, "shogi" if format == "jkf" else "othello", 20, start=""), format)
    data = {
        "wthor": whole[:4] + b"\x02\0\0\0" + whole[8:] + whole[16:24] + b"\x09" * 60,
        "jsonl": whole + b"{}\n",
        "jkf": b"[" + whole + b",0]",
    }[format]
    first, second = loads(data, format=format, keep=True)
    assert first.fault is None and not second.moves and second.fault.number == 2


@pytest.mark.parametrize(
    ("format", "whole", "bad"), [("jsonl", '{"game":"othello","nodes":[{}]}\n', "0\n"), ("transcript", "f5\n", "f4\n")]
)
def test_reading_ends_where_most_of_very_many_games_are_damaged(format, whole, bad, tmp_path):
    path = tmp_path / "a"
    assert len(loads(bad * formats.FAULTS_MAX, format=format, keep=True)) == formats.FAULTS_MAX
    path.write_text((whole + bad) * (formats.FAULTS_MAX + 10))
    assert len(list(iterate(path, format=format, keep=True))) == 2 * (formats.FAULTS_MAX + 10)
    path.write_text(whole * 10 + bad * (formats.FAULTS_MAX + 10))
    with pytest.raises(RecordError, match=f"{formats.FAULTS_MAX + 1} of {formats.FAULTS_MAX + 11} games are damaged"):
        list(iterate(path, format=format, keep=True))
    found = list(games(path, format=format, keep=True))
    assert sum(map(len, found)) == 10 and len(found[-1].faults) == formats.FAULTS_MAX + 1


def test_a_reader_that_fails_is_a_damaged_game(monkeypatch):
    """Whatever a reader raises, the other games are read."""
    format = formats.load_format("usi")
    parse = type(format).parse

    def failing(self, block):
        if "2g2f" in block[0][1]:
            raise AttributeError("'NoneType' object has no attribute 'end'")
        return parse(self, block)

    monkeypatch.setattr(type(format), "parse", failing)
    text = "startpos moves 7g7f\nstartpos moves 2g2f\nstartpos moves 3g3f\n"
    with pytest.raises(RecordError, match="the game cannot be read: AttributeError: 'NoneType'"):
        loads(text)
    found = loads(text, keep=True)
    assert [record.moves for record in found] == [["7g7f"], [], ["3g3f"]] and found[1].fault.__traceback__ is None


def test_a_folder_is_read_past_what_is_no_file(tmp_path):
    """A pipe would never end; a link may lead nowhere."""
    (tmp_path / "a.usi").write_text("startpos moves 7g7f\n")
    os.mkfifo(tmp_path / "b.usi")
    (tmp_path / "c.usi").symlink_to(tmp_path / "gone")
    assert len(list(iterate(tmp_path))) == 1
    assert sum(len(part) for part in games(tmp_path)) == 1


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="pipes have no names here")
@pytest.mark.parametrize("words", [["convert", "{}", "-", "--to", "usi"], ["solve", "{}"]])
def test_a_pipe_that_is_named_is_read_as_a_file(capsys, words):
    """As that of a shell's <(...)."""
    ours, theirs = os.pipe()
    os.write(theirs, b"sfen 4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1 moves G*5b\n")
    os.close(theirs)
    assert main([word.format(f"/dev/fd/{ours}") for word in words]) == 0 and "G*5b" in capsys.readouterr().out
    os.close(ours)


def test_arrays_of_a_folder_go_on_after_a_file_that_the_system_refuses(tmp_path, monkeypatch):
    for name in ("a.usi", "b.usi", "c.usi"):
        (tmp_path / name).write_text("startpos moves 7g7f\n")
    sources = files.sources

    def refusing(path, keep):
        if path.endswith("b.usi"):
            raise PermissionError(13, "Permission denied", path)
        return sources(path, keep)

    monkeypatch.setattr(files, "sources", refusing)
    (found,) = games(tmp_path, keep=True)
    assert len(found) == 2 and [str(fault) for fault in found.faults] == [f"{tmp_path / 'b.usi'}: Permission denied"]
    with pytest.raises(PermissionError):
        list(games(tmp_path))
    with pytest.raises(PermissionError):
        list(games(tmp_path / "b.usi", keep=True))


@pytest.mark.parametrize("data", [b"\x01\x00\x7f\x80\xff" * 16, bytes(range(40))], ids=["psv", "bytes"])
def test_binary_files_of_other_kinds_are_called_so(data):
    with pytest.raises(RecordError, match="this is a binary file, and no record; shogi_engine.batch reads packed"):
        loads(data)


def test_a_wthor_file_of_another_board_says_so():
    header = (
        bytes([20, 24, 2, 29])
        + (1).to_bytes(4, "little")
        + bytes(2)
        + (2023).to_bytes(2, "little")
        + bytes([10, 0, 22, 0])
    )
    with pytest.raises(RecordError, match="the board must have 8 by 8 squares, not 10"):
        loads(header + bytes(108))


KIF = "先手：A\n1 ７六歩(77)\n2 ３四歩(33)\n".encode("cp932")


@pytest.mark.parametrize(("ending", "pack"), [("gz", gzip.compress), ("BZ2", bz2.compress), ("xz", lzma.compress)])
def test_a_packed_file_is_read_and_a_damaged_one_is_named(tmp_path, ending, pack, capsys):
    path, out = tmp_path / f"a.kif.{ending}", tmp_path / "a.csa"
    path.write_bytes(pack(KIF))
    assert [game.moves for game in iterate(path)] == [["7g7f", "3c3d"]] == [game.moves for game in iterate(tmp_path)]
    assert main(["convert", str(path), str(out)]) == 0 and "+7776FU" in out.read_text()
    path.write_bytes(pack(KIF)[:-9])
    with pytest.raises(RecordError, match=rf"a\.kif\.{ending}: the archive cannot be read"):
        list(iterate(path))
    assert main(["convert", str(path), str(out)]) == 2
    assert f"{path}: the archive cannot be read" in capsys.readouterr().err


def test_an_archive_without_files_is_no_file_of_games(tmp_path, capsys):
    zipfile.ZipFile(tmp_path / "none.zip", "w").close()
    tarfile.open(tmp_path / "none.tar.gz", "w:gz").close()
    with zipfile.ZipFile(tmp_path / "folders.zip", "w") as archive:
        archive.writestr("games/", "")
    for name in ("none.zip", "none.tar.gz", "folders.zip"):
        with pytest.raises(RecordError, match=rf"{name}: the archive is empty"):
            list(iterate(tmp_path / name))
        assert main(["convert", str(tmp_path / name), str(tmp_path / "a.csa")]) == 2
        assert capsys.readouterr().err.endswith(f"{name}: the archive is empty\n")


def test_an_archive_is_read_file_by_file(tmp_path):
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("one.kif", KIF)
        archive.writestr("two.csa", "PI\n+\n+2726FU\n")
    assert [game.moves for game in iterate(tmp_path / "two.zip")] == [["7g7f", "3c3d"], ["2g2f"]]
    with zipfile.ZipFile(tmp_path / "two.zip", "a") as archive:
        archive.writestr("three.kif", "x")
    with pytest.raises(RecordError, match=r"two\.zip: three\.kif: "):
        list(iterate(tmp_path / "two.zip"))
