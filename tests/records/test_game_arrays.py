"""Games as arrays: what kernels read is what the readers of trees read, damaged files included."""

import bz2
import gzip
import io
import json
import lzma
import math
import random
import re
import subprocess
import sys
import tarfile
import zipfile

import numpy as np
import pytest

from shogi_engine import records
from shogi_engine.games.shogi.records.scanners import QuickMoves
from shogi_engine.jit import JIT_DISABLED
from shogi_engine.records import ENDINGS, RecordError, all_formats, dumps, load_format
from tests.records.random_records import random_record
from tests.records.test_damage import damaged
from tests.support.processes import ROOT
from tests.support.sizes import sized

SCANNED = ("csa", "kif")
QUICK = ("csa", "kif")  # whose trees have their moves from a kernel
RESULTS = {"1-0": 1, "0-1": -1}
ENDING_NAMES = list(ENDINGS)
FLOODGATE = """V2
N+black_engine
N-white_engine
'Max_Moves:256
'Increment:10
$EVENT:wdoor+floodgate-300-10F+black_engine+white_engine+20240101000000
$START_TIME:2024/01/01 00:00:00
P1-KY-KE-GI-KI-OU-KI-GI-KE-KY
P2 * -HI *  *  *  *  * -KA *
P3-FU-FU-FU-FU-FU-FU-FU-FU-FU
P4 *  *  *  *  *  *  *  *  *
P5 *  *  *  *  *  *  *  *  *
P6 *  *  *  *  *  *  *  *  *
P7+FU+FU+FU+FU+FU+FU+FU+FU+FU
P8 * +KA *  *  *  *  * +HI *
P9+KY+KE+GI+KI+OU+KI+GI+KE+KY
+
'rating:black_engine+0123:white_engine+4567
'black_rate:black_engine+0123:2345.0
'white_rate:white_engine+4567:3456.5
+7776FU,T1
'** 78 -8384FU +2726FU
-8384FU
T2
'** -123
+2726FU
T0
-8485FU
T3
'** -31111 +2625FU
'** 5
%TORYO
T4
'summary:toryo:black_engine lose:white_engine win
"""


@pytest.fixture(autouse=True)
def by_hand(monkeypatch):
    """No tree has its moves from a kernel: trees are what those are compared with."""
    monkeypatch.setattr(QuickMoves, "_ready", lambda self: False)


def evaluation_of(node):
    """Return a node's evaluation as arrays have it, None if it has none."""
    score = node.evaluation
    if score is None or not score.mate:
        return score and round(score.value)
    return 32000 if score.value > 0 else -32000


def as_arrays(format, found):
    """Return what `games` says of trees: a row for each, in lists."""
    rows = []
    for record in found:
        values = [evaluation_of(node) for node in record.main_line[1:]]
        moves = [int(move) for move in record.board().move_stack]
        ending = ENDING_NAMES.index(record.ending) if record.ending else -1
        ratings = tuple(None if math.isnan(rate) else rate for rate in format.ratings(record))
        rows.append((moves, values, RESULTS.get(record.result, 0), ending, record.start, tuple(record.names), ratings))
    return rows


def as_rows(parts):
    """Return the same of arrays."""
    rows = []
    for part in parts:
        assert part.moves.dtype == np.int32 and part.values.dtype == np.int16 and len(part) == len(part.starts)
        for row, length in enumerate(part.lengths.tolist()):
            assert (part.moves[row, length:] == -1).all() and (part.values[row, length:] == 32002).all()
            values = [None if value == 32002 else value for value in part.values[row, :length].tolist()]
            ratings = tuple(None if math.isnan(rate) else rate for rate in part.ratings[row].tolist())
            moves, ending = part.moves[row, :length].tolist(), int(part.endings[row])
            result = int(part.results[row])
            rows.append((moves, values, result, ending, part.starts[row], part.names[row], ratings))
    return rows


def scanned(path, format, keep=True, **options):
    """Return (rows, faults) of `games`, in pieces of three games."""
    parts = list(records.games(path, format=format, keep=keep, rows=3, **options))
    return as_rows(parts), [str(fault) for part in parts for fault in part.faults]


@pytest.mark.parametrize("name", SCANNED)
def test_the_same_games_as_trees(tmp_path, name):
    path, format = tmp_path / f"a.{name}", load_format(name)
    for seed in range(2 if JIT_DISABLED else sized(6, 40)):
        written = [random_record(10 * seed + n, plies=8 if JIT_DISABLED else 80) for n in range(7)]
        encoding = "utf-8" if seed % 2 else "cp932"
        try:
            path.write_bytes(dumps(written, name, encoding))
        except UnicodeEncodeError:
            continue
        rows, faults = scanned(path, name)
        assert rows == as_arrays(format, records.load(path, format=name)) and not faults


@pytest.mark.skipif(JIT_DISABLED, reason="only kernels are quick")
@pytest.mark.parametrize("name", QUICK)
def test_quick_trees_are_the_same(name, monkeypatch):
    rng, quick, faults = random.Random(7), load_format(name)._quick, 0
    accepted = []
    monkeypatch.setattr(QuickMoves, "moves", watched(QuickMoves.moves, accepted))
    files = [
        dumps([random_record(3 * number + n, plies=30, variations=0, start="") for n in range(3)], name, "utf-8")
        for number in range(20)
    ]
    files += [FLOODGATE.encode()] * 5 if name == "csa" else []
    for _ in range(sized(120, 400)):
        data = rng.choice(files)
        data = data if rng.random() < 0.3 else damaged(rng, data, False)
        found = []
        for ready in (False, True):
            monkeypatch.setattr(QuickMoves, "_ready", lambda self, ready=ready: ready)
            try:
                trees = records.loads(data, format=name, keep=True)
                found.append([(tree, str(tree.fault), tree.root, tree.names, tree.headers) for tree in trees])
            except RecordError as fault:
                found.append(str(fault))
        assert found[0] == found[1]
        faults += isinstance(found[0], str) or any(tree[1] != "None" for tree in found[0])
    assert quick is load_format(name)._quick and faults and len(accepted) > sized(60, 200)


def watched(moves, accepted):
    """Return QuickMoves.moves, noting what it returns."""

    def watching(self, block):
        found = moves(self, block)
        if found is not None:
            accepted.append(len(found))
        return found

    return watching


@pytest.mark.parametrize("name", SCANNED)
def test_damaged_files_are_read_as_trees_are(tmp_path, name):
    path, format, rng = tmp_path / f"a.{name}", load_format(name), random.Random(4)
    files = [dumps([random_record(number, plies=12) for number in range(3)], name, "utf-8") for _ in range(3)]
    files.append(FLOODGATE.encode() + b"/\n" + FLOODGATE.encode())
    refused = 0
    for _ in range(10 if JIT_DISABLED else sized(200, 1500)):
        data = damaged(rng, rng.choice(files), False)
        path.write_bytes(data)
        try:
            data.decode()
        except UnicodeDecodeError:
            continue  # a tree's names are in the encoding of the whole file, a row's in its own
        try:
            found = list(records.iterate(path, format=name, keep=True))
        except RecordError:
            with pytest.raises(RecordError):
                list(records.games(path, format=name))
            continue
        rows, faults = scanned(path, name)
        assert rows == as_arrays(format, [record for record in found if record.fault is None])
        assert [f"{path}: {record.fault}" for record in found if record.fault] == faults
        refused += bool(faults)
    assert refused or JIT_DISABLED


def test_floodgate(tmp_path):
    path = tmp_path / "wdoor.csa"
    path.write_text(FLOODGATE, encoding="utf-8")
    (found,) = records.games(path)
    assert found.moves.tolist() == [[int(move) for move in records.load(path)[0].board().move_stack]]
    assert found.values.tolist() == [[78, 123, 32002, 31111]] and found.lengths.tolist() == [4]
    assert found.results.tolist() == [-1] and ENDING_NAMES[found.endings[0]] == "resignation"
    assert found.ratings.tolist() == [[2345.0, 3456.5]] and found.names == [("black_engine", "white_engine")]
    assert found.starts == [records.load(path)[0].start] and not found.faults


def test_a_fault_is_named_by_file_and_line(tmp_path):
    path = tmp_path / "a.csa"
    path.write_text(
        "PI\n+\n+7776FU\n/\n\nPI\n+\n+7776FU\n-3334FU\n+7776FU\n/\nPI\n+\n+2726FU\n%TORYO\n", encoding="utf-8"
    )
    with pytest.raises(RecordError, match=r"a\.csa: line 10: .*7g"):
        list(records.games(path))
    (found,) = records.games(path, keep=True)
    assert found.lengths.tolist() == [1, 1] and found.results.tolist() == [0, 1]
    assert len(found.faults) == 1 and found.faults[0].line == 10
    for content in (b"", b" \n", b"hello\n", b"'only a comment\n"):
        path.write_bytes(content)
        with pytest.raises(RecordError, match=r"a\.csa"):
            list(records.games(path))


def test_folders_archives_and_other_formats(tmp_path):
    games = [records.GameRecord.from_moves("shogi", ["7g7f", "3c3d"][:n]) for n in (1, 2)]
    csa, kif = (dumps(games[0], "csa"), dumps(games[1], "kif"))
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    (folder / "a.csa").write_bytes(csa)
    (folder / "inner" / "b.kif").write_bytes(kif)
    for name, pack in (("a.csa.gz", gzip.compress), ("a.csa.bz2", bz2.compress), ("a.csa.xz", lzma.compress)):
        (tmp_path / name).write_bytes(pack(csa))
        assert [len(part.moves[0]) for part in records.games(tmp_path / name)] == [1]
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.csa", csa)
        archive.writestr("b.kif", kif)
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as tape:
        for name, data in (("a.csa", csa), ("b.kif", kif)):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tape.addfile(entry, io.BytesIO(data))
    for path in (folder, tmp_path / "a.zip", tmp_path / "a.tar.gz"):
        (found,) = records.games(path)
        assert found.lengths.tolist() == [1, 2]
    othello = tmp_path / "folder" / "inner" / "c.txt"
    othello.write_text("f5d6c3\n", encoding="utf-8")
    (found,) = records.games(othello)
    assert found.moves.tolist() == [[64 + 37, 64 + 43, 64 + 18]]
    with pytest.raises(RecordError, match="a game of othello after games of shogi"):
        list(records.games(folder))
    with pytest.raises(OSError, match="none"):
        list(records.games(tmp_path / "none"))
    with pytest.raises(ValueError, match="at least one row"):
        list(records.games(folder, rows=0))


def test_games_of_another_game_are_refused_or_left_out(tmp_path):
    for first, second in (("a.csa", "b.txt"), ("b.csa", "a.txt")):
        folder = tmp_path / first
        folder.mkdir()
        records.save(records.GameRecord.from_moves("shogi", ["7g7f"]), folder / first)
        (folder / second).write_text("f5d6\n", encoding="utf-8")
        with pytest.raises(RecordError, match="a game of .* after games of"):
            list(records.games(folder))
        (found,) = records.games(folder, keep=True)
        assert len(found) == len(found.faults) == 1


def packed(kind, content):
    """Return an archive with three files."""
    out = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for number in range(3):
                archive.writestr(f"{number}.csa", content)
    elif kind.startswith("tar"):
        with tarfile.open(fileobj=out, mode=f"w:{kind[4:]}") as tape:
            for number in range(3):
                entry = tarfile.TarInfo(f"{number}.csa")
                entry.size = len(content)
                tape.addfile(entry, io.BytesIO(content))
    else:
        return {"gz": gzip, "bz2": bz2, "xz": lzma}[kind].compress(content)
    return out.getvalue()


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz", "tar.bz2", "tar.xz", "gz", "bz2", "xz"])
def test_damaged_archives(tmp_path, kind):
    """Each raises RecordError; with `keep`, whole files in it are read, and the fault names the archive."""
    rng, faults, whole = random.Random(kind), 0, 0
    record = records.GameRecord.from_moves("shogi", ["2h3h", "8b7b", "3h2h", "7b8b"] * 99)
    content = packed(kind, dumps(record, "csa"))
    path = tmp_path / f"games.{'csa.' * (len(kind) < 4 and kind != 'zip' and kind != 'tar')}{kind}"
    for number in range(sized(45, 150)):
        data = bytearray(content)
        if number % 3 == 0:
            del data[rng.randrange(len(data)) :]
        else:
            for _ in range(rng.randrange(1, 5)):
                data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data)
        parts = list(records.games(path, keep=True))
        found = [fault for part in parts for fault in part.faults]
        whole += sum(map(len, parts))
        faults += len(found)
        assert all(str(path) in str(fault) for fault in found)
        if found:
            with pytest.raises(RecordError, match=re.escape(str(path))):
                list(records.games(path))
        else:
            list(records.games(path))
    assert faults > 6 and whole >= 6 * (kind in ("zip", "tar"))


@pytest.mark.parametrize("format", ["csa", "kif", "jsonl"])  # read by kernels, by kernels of wide characters, as trees
@pytest.mark.parametrize("kind", ["gz", "bz2", "xz"])
def test_of_a_compressed_file_that_is_cut_the_games_before_the_cut_are_kept(tmp_path, kind, format):
    played = [["7g7f", "3c3d", *["2h3h", "8b7b", "3h2h", "7b8b"] * number] for number in range(40)]
    made = [records.GameRecord.from_moves("shogi", moves, ending="resignation") for moves in played]
    content = packed(kind, dumps(made[:30], format)) + packed(kind, dumps(made[30:], format))
    path = tmp_path / f"games.{format}.{kind}"
    path.write_bytes(content[:-30])
    found = records.load(path, keep=True)
    assert len(found) >= 30 and [each.moves for each in found[:-1]] == played[: len(found) - 1]
    assert not any(each.fault for each in found[:-1])
    parts = list(records.games(path, keep=True))
    assert sum(map(len, parts)) == len(found) - 1
    (fault,) = [fault for part in parts for fault in part.faults]
    assert str(fault) == f"{path}: {found[-1].fault}" and "the archive cannot be read" in str(fault)
    with pytest.raises(RecordError, match="the archive cannot be read"):
        records.load(path)
    path.write_bytes(content)
    assert [each.moves for each in records.load(path, keep=True)] == played
    path.write_bytes(content[:12])
    with pytest.raises(RecordError, match="the archive cannot be read"):
        records.load(path, keep=True)


@pytest.mark.parametrize("content", [b"", b"\r\n\x1a", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n", b"\xff\xfe", b"\xfe\xff"])
def test_a_file_without_contents_is_empty_whatever_marks_it_has(tmp_path, content):
    path = tmp_path / "a.csa"
    path.write_bytes(content)
    for read in (records.load, lambda path: list(records.games(path))):
        with pytest.raises(RecordError, match="the file is empty"):
            read(path)


def test_a_file_in_an_archive_that_cannot_be_opened_does_not_hide_the_others(tmp_path):
    content = bytearray(packed("zip", dumps(records.GameRecord.from_moves("shogi", ["7g7f"]), "csa")))
    for mark, flags in ((b"PK\1\2", 8), (b"PK\3\4", 6)):  # the first file says that it is encrypted
        content[content.index(mark) + flags] |= 1
    path = tmp_path / "a.zip"
    path.write_bytes(content)
    (found,) = records.games(path, keep=True)
    (fault,) = found.faults
    assert len(found) == 2 and "encrypted" in str(fault) and str(fault).startswith(f"{path}: 0.csa")
    with pytest.raises(RecordError, match="encrypted"):
        list(records.games(path))


def test_fields_of_arrays_are_replaced(tmp_path):
    games = records.to_arrays([records.GameRecord.from_moves("shogi", ["7g7f", "3c3d"])] * 3)
    assert games._replace(names=[("a", "b")] * 3).names[2] == ("a", "b")
    assert type(games._replace(game="x")) is type(games) and len(games._replace(game="x")) == 3


def test_long_games_and_many_rows(tmp_path):
    path = tmp_path / "a.csa"
    there = ["2h3h", "8b7b", "3h2h", "7b8b"] * 20
    records.save([records.GameRecord.from_moves("shogi", there[:n]) for n in (5, 80, 3, 41)], path)
    for rows in (1, 2, 1024):
        parts = list(records.games(path, rows=rows, longest=40))
        assert [n for part in parts for n in part.lengths.tolist()] == [5, 80, 3, 41]
        assert max(len(part) for part in parts) <= rows


def test_a_very_long_game_is_alone_and_needs_no_space_in_other_rows(tmp_path):
    there = ["2h3h", "8b7b", "3h2h", "7b8b"]
    lengths = (3, 20_000, 5, 17_000, 17_001, 2)
    path, games = tmp_path / "a.usi", ((there * (n // 4 + 1))[:n] for n in lengths)
    records.save([records.GameRecord.from_moves("shogi", moves) for moves in games], path)
    parts = list(records.games(path))
    assert [part.lengths.tolist() for part in parts] == [[3], [20_000], [5], [17_000], [17_001], [2]]
    assert [part.moves.shape for part in parts] == [(1, n) for n in lengths]
    assert all((part.moves == parts[1].moves[:, :n]).all() for part, n in zip(parts, lengths, strict=True))


@pytest.mark.parametrize("format", [each for each in all_formats() if each.name != "bod"], ids=lambda each: each.name)
def test_arrays_of_trees_are_those_of_boards(format, tmp_path):
    """`to_arrays` plays the moves on a Board; games of files are not played again. Rows have nothing after a game."""
    game, path = format.game or "shogi", tmp_path / "a"
    games = [random_record(seed, game, plies, start="") for seed, plies in enumerate((30, 8, 50, 12, 9))]
    path.write_bytes(dumps(games if format.many else games[:1], format.name))
    (found,), again = records.games(path, format=format.name), records.to_arrays(records.load(path, format=format.name))
    for name in ("moves", "lengths", "values", "results", "endings"):
        assert np.array_equal(getattr(found, name), getattr(again, name)), name


STREAM = """
import json, sys
from shogi_engine import records

def megabytes():
    with open("/proc/self/status") as status:
        fields = (line.split(":") for line in status if line.startswith(("VmRSS", "VmHWM")))
        return {name: int(text.split()[0]) >> 10 for name, text in fields}

one = open(sys.argv[1], "rb").read()
for found in records.games(sys.argv[1]):
    pass
with open(sys.argv[2], "wb") as stream:
    for _ in range(int(sys.argv[3]) // len(one)):
        stream.write(one + b"/\\n")
before, count = megabytes()["VmRSS"], 0
for found in records.games(sys.argv[2]):
    count += len(found)
print(json.dumps([count, int(sys.argv[3]) // len(one), megabytes()["VmHWM"] - before]))
"""


@pytest.mark.skipif(sys.platform != "linux" or JIT_DISABLED, reason="memory is read from /proc")
def test_a_large_file_is_read_in_little_memory(tmp_path):
    (tmp_path / "one.csa").write_text(FLOODGATE, encoding="utf-8")
    command = [sys.executable, "-c", STREAM, str(tmp_path / "one.csa"), str(tmp_path / "all.csa"), str(60 << 20)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=600)
    assert done.returncode == 0, done.stderr
    count, written, grown = json.loads(done.stdout)
    assert count == written and grown < 60
