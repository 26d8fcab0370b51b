"""`shogi-engine convert`, and records by their names, encodings and registry."""

# ruff: noqa: E501

import io
import json
import re
import sys
import types

import pytest

from shogi_engine import records
from shogi_engine.__main__ import main
from shogi_engine.cli import common
from shogi_engine.records import GameRecord, RecordError, arrays, files


def game():
    """Return a game with a variation, a comment and a name in Japanese."""
    record = GameRecord.from_moves("shogi", ["7g7f", "3c3d"], seconds=[3, 4.5], ending="resignation")
    record.root.add("2g2f", comment="variation")
    record.names = ["\u7532\u91ce", "B"]
    return record


def convert(*arguments):
    """Run the command; return its status."""
    return main(["convert", *map(str, arguments)])


def test_by_the_names_of_files(tmp_path, capsys):
    records.save(game(), tmp_path / "a.kif")
    assert (tmp_path / "a.kif").read_bytes().decode("cp932").startswith("\u624b\u5408\u5272")
    assert convert(tmp_path / "a.kif", tmp_path / "a.jkf") == 0
    assert "1 game in" in capsys.readouterr().out
    assert convert(tmp_path / "a.jkf", tmp_path / "b.kifu") == 0
    assert records.load(tmp_path / "b.kifu") == records.load(tmp_path / "a.kif")
    assert "\u7532\u91ce" in (tmp_path / "b.kifu").read_text(encoding="utf-8")
    capsys.readouterr()
    assert convert(tmp_path / "a.kif", tmp_path / "a.csa", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {"games": 1, "format": "csa", "lost": ["variations"], "damaged": []}
    assert convert(tmp_path / "a.kif", tmp_path / "c.csa", "--strict") == 2
    assert "csa cannot hold variations (of 1)" in capsys.readouterr().err and not (tmp_path / "c.csa").exists()
    assert convert(tmp_path / "a.kif", tmp_path / "a.ki2", "--encoding", "utf-8") == 0
    assert "\u25b2\uff17\u516d\u6b69" in (tmp_path / "a.ki2").read_text(encoding="utf-8")


def test_names_and_notes_cannot_steer_a_terminal(tmp_path, capsys):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "\x1b[31m.kif").write_text("nothing", encoding="utf-8")
    (tmp_path / "in" / "b\x9b.kifu").write_text(
        "1 \uff17\u516d\u6b69(77)\n# \x1b]0;x\x07\n2 \u6295\u4e86\n", encoding="utf-8"
    )
    assert convert(tmp_path / "in", tmp_path / "out", "--to", "csa") != 0
    told = capsys.readouterr().err
    assert "\\x1b[31m.kif" in told and "b\\x9b.kifu: line 2" in told and not {*"\x1b\x9b\x07"} & {*told}


def test_from_and_to_the_standard_streams(monkeypatch, capsysbinary):
    monkeypatch.setattr(
        sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(b"startpos moves 7g7f\nstartpos moves 2g2f\n"))
    )
    assert convert("-", "-", "--to", "csa") == 0
    text = capsysbinary.readouterr().out.decode()
    assert [record.moves for record in records.loads(text)] == [["7g7f"], ["2g2f"]] and "\n/\n" in text


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["a.usi", "-"], "with --to"), (["a.usi", "b.xyz"], "none of the formats of shogi"), (["none", "b.kif"], "none"),
        (["a.usi", "b.ggf", "--to", "ggf"], "ggf is a format of othello"), (["bad.txt", "b.kif"], "bad.txt: line 1: .*expected one of.*kif: numbered moves"),
        (["broken.usi", "b.kif"], "broken.usi: line 2: move 1 of 1: .*reach"), (["a.usi", "b.kif", "--encoding", "latin-1"], "cannot be written"),
        (["a.usi", "b.kif", "--encoding", "nothing"], "no encoding"), (["a.usi", "b.kif", "--from", "csa"], "line 1"),
        (["a.usi", "b.kif", "--from-encoding", "nothing"], "no encoding"), (["a.usi", "./a.usi"], "OUT would overwrite"),
        (["a.usi", "b.kif", "--from-encoding", "utf-16"], "a.usi: this is not utf-16"),
    ],
)  # fmt: skip
def test_what_can_not_be_converted(arguments, fault, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.usi").write_text("startpos moves 7g7f\n")
    (tmp_path / "bad.txt").write_text("hello\n")
    (tmp_path / "broken.usi").write_text("startpos\nstartpos moves 7g7d\nstartpos moves 2g2f\n")
    assert convert(*arguments) == 2
    output = capsys.readouterr()
    assert output.out == "" and output.err.count("\n") == 1
    assert re.search(fault, output.err)
    assert not (tmp_path / "b.kif").exists()


def test_damaged_games_are_kept_on_request(tmp_path, capsys):
    (tmp_path / "broken.usi").write_text("startpos moves 7g7f 7g7d\nstartpos moves 2g2f\n")
    assert convert(tmp_path / "broken.usi", tmp_path / "b.csa", "--keep") == 1
    assert "line 1: move 2 of 2" in capsys.readouterr().err
    assert [record.moves for record in records.load(tmp_path / "b.csa")] == [["7g7f"], ["2g2f"]]


def test_encodings(tmp_path):
    for encoding in ("utf-8", "utf-8-sig", "cp932", "utf-16", "euc_jp", "iso2022_jp"):
        data = records.dumps(game(), "kif", encoding)
        assert records.loads(data)[0].names[0] == "\u7532\u91ce"
    rare = game()
    rare.names[1] = "\u9ad9\U0001f600"
    assert (
        records.dumps(rare, "kif").startswith(b"\xef\xbb\xbf")
        and records.loads(records.dumps(rare, "kif"))[0].names == rare.names
    )
    with pytest.raises(ValueError, match="cannot be written in cp932"):
        records.dumps(rare, "kif", "cp932")
    with pytest.raises(RecordError, match="must be in UTF-8, UTF-16, Shift JIS, EUC-JP or ISO-2022-JP"):
        records.loads(b"\x81\x01\xff\xff\xff kif")


@pytest.mark.parametrize("format", ["kif", "csa"])
@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("羽生善治", "euc_jp"),
        ("ひふみ", "euc_jp"),
        ("ケン", "euc_jp"),
        ("齋藤", "euc_jp"),
        ("ﾔﾏﾀﾞ･ﾀﾛｳ", "cp932"),
        ("ｱｲ", "cp932"),
        ("ﾂｱ", "cp932"),  # valid UTF-8 by itself
    ],
)
@pytest.mark.parametrize(("games", "unnamed"), [(1, 0), (120, 0), (1, 300)])
def test_names_in_the_encodings_of_old_programs(tmp_path, monkeypatch, format, name, encoding, games, unnamed):
    """Half-width kana in Shift JIS are valid EUC-JP, and what is EUC-JP can be read as Shift JIS."""
    for module, constant, size in ((files, "HEAD", 1 << 11), (arrays, "HEAD", 1 << 11), (arrays, "FIRST", 1 << 10)):
        monkeypatch.setattr(module, constant, size)  # a file of many pieces, as larger ones are
    record, plain = game(), GameRecord.from_moves("shogi", ["7g7f"])
    record.names = [name, "山田"]
    data = records.dumps([plain] * unnamed + [record] * games, format, encoding)
    assert name in records.decode(data)
    (tmp_path / f"a.{format}").write_bytes(data)
    assert {read.names[0] for read in records.load(tmp_path / f"a.{format}")[unnamed:]} == {name}
    (found,) = records.games(tmp_path / f"a.{format}", rows=unnamed + games)
    assert found.names[unnamed:] == [(name, "山田")] * games


def test_a_name_breaks_no_header():
    record = game()
    record.names = ["two\nlines", "tab\tand\x00nul"]
    record.headers = {"event": "a\r\nb"}
    for name in ("kif", "ki2", "csa", "jkf"):
        (again,) = records.loads(records.dumps(record, name))
        assert again.moves == record.moves
        if name != "jkf":
            assert again.names == ["two lines", "tab and nul"] and again.headers["event"].split() == ["a", "b"]


def test_times_of_csa():
    text = records.dumps(game(), "csa").decode()
    assert text.startswith("'CSA encoding=UTF-8\nV3.0\n") and "\nT3\n" in text and "\nT4.5\n" in text
    record = game()
    for node in record.nodes():
        node.seconds = None if node.seconds is None else 1234567.0
    assert records.dumps(record, "csa").startswith(b"V2.2\n") and b"\nT1234567\n" in records.dumps(record, "csa")


def test_a_format_is_one_file(monkeypatch):
    assert {"kif", "ki2", "csa", "usi", "jkf", "bod", "transcript", "ggf", "sgf", "wthor", "obf"} <= set(
        records.format_names()
    )
    module = types.ModuleType("moves_only")

    class MovesOnly(records.RecordFormat):
        name, game, extensions, expected = "moves-only", "shogi", (".moves",), "moves"

        def recognises(self, head):
            return head.startswith("MOVES")

        def write(self, listed, encoding=""):
            yield from (f"MOVES {' '.join(record.moves)}\n" for record in listed)

        def split(self, source):
            yield from source

        def parse(self, block):
            return GameRecord.from_moves("shogi", block.split()[1:])

    module.FORMAT = MovesOnly()
    monkeypatch.setitem(sys.modules, "moves_only", module)
    records.register("moves-only", "moves_only")
    try:
        data = records.dumps(game(), "moves-only")
        assert data == b"MOVES 7g7f 3c3d\n" and records.loads(data)[0].moves == ["7g7f", "3c3d"]
        with pytest.raises(ValueError, match="already"):
            records.register("kif", "elsewhere")
    finally:
        records.formats._added.clear()
    with pytest.raises(ValueError, match="there are .*kif"):
        records.load_format("pgn")


def test_files_are_read_one_game_at_a_time(tmp_path):
    path = tmp_path / "games.usi"
    path.write_text("startpos moves 7g7f\n" * 3 + "startpos moves 7g7d\n")
    games = records.iterate(path)
    assert [next(games).moves for _ in range(3)] == [["7g7f"]] * 3
    with pytest.raises(RecordError, match="games.usi: line 4: move 1 of 1") as caught:
        next(games)
    assert (caught.value.line, caught.value.number) == (4, 4)


def test_what_standard_output_cannot_hold_is_said(tmp_path, capsysbinary):
    """The same sentence as for a file."""
    records.save([game(), records.GameRecord.from_moves("shogi", ["7g7f"]), game()], tmp_path / "a.kif")
    assert convert(tmp_path / "a.kif", tmp_path / "a.csa") == 0
    said = capsysbinary.readouterr().out.partition(b"; ")[2]
    assert said == b"it cannot hold variations (of 2)\n"
    assert convert(tmp_path / "a.kif", "-", "--to", "csa") == 0
    out, err = capsysbinary.readouterr()
    assert out.startswith(b"V2.2\n") and err.endswith(said) and err.count(b"\n") == 1
    assert convert(tmp_path / "a.kif", "-", "--to", "kif") == 0 and capsysbinary.readouterr().err == b""


def test_folders_go_on_after_any_fault_of_a_file(tmp_path, capsys, monkeypatch):
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("a", "b", "c"):
        records.save(game(), folder / f"{name}.kif")
    (folder / "d.kif").write_bytes("手合割：平手\n   1 ７六歩(77)\n2 *x\n".encode())
    dumps = records.dumps

    def failing(games, format, encoding):
        monkeypatch.setattr(records, "dumps", dumps)
        raise KeyError("x")  # a fault of a writer

    monkeypatch.setattr(records, "dumps", failing)
    assert convert(folder, tmp_path / "out", "--to", "csa") == 1
    assert sorted(each.name for each in (tmp_path / "out").iterdir()) == ["b.csa", "c.csa"]
    told = capsys.readouterr()
    assert told.out.count("1 game in") == 2 and "d.kif: line 3: there is a number without a move" in told.err


def test_games_of_a_folder_are_loaded_past_files_that_cannot_be_read(tmp_path, capsys):
    records.save(game(), tmp_path / "a.kif")
    (tmp_path / "b.kif").write_text("rubbish")
    records.save(game(), tmp_path / "c.csa")
    assert len(common.loaded(str(tmp_path))) == 2
    assert f"{tmp_path / 'b.kif'}: line 1" in capsys.readouterr().err
    with pytest.raises(RecordError):
        common.loaded(str(tmp_path / "b.kif"))
    (tmp_path / "a.kif").unlink()
    (tmp_path / "c.csa").unlink()
    with pytest.raises(ValueError, match="there is no game that can be read"):
        common.loaded(str(tmp_path))
