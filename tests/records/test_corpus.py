"""Records as other programs write them: the tables of tests/data/records, read by trees and by kernels alike."""

import re
import tomllib
from pathlib import Path

import pytest

from shogi_engine import records
from shogi_engine.jit import JIT_DISABLED
from shogi_engine.records import RecordError, load_format, loads
from shogi_engine.records.formats import LineFormat

TABLES = sorted((Path(__file__).parents[1] / "data" / "records").glob("*.toml"))
CASES = [
    pytest.param(case, id=f"{table.stem}: {case['name']}")
    for table in TABLES
    for case in tomllib.loads(table.read_text(encoding="utf-8"))["case"]
]
POINTS = {"1-0": 1, "0-1": -1, "1/2-1/2": 0, "*": 0}


def contents(case):
    """Return the file's bytes, with both kinds of line ends."""
    if "hex" in case:
        return [bytes.fromhex(case["hex"])]
    encoding = case.get("encoding", "utf-8")
    return [case["text"].replace("\n", end).encode(encoding) for end in ("\n", "\r\n")]


def found(record, wanted):
    """Return what a record has of the things that `wanted` gives."""
    line = record.main_line
    seconds = [-1 if each is None else each for each in record.seconds]
    has = {
        "moves": " ".join(record.moves), "start": record.start, "ending": str(record.ending), "result": record.result,
        "names": record.names, "seconds": seconds,
        "comments": {str(ply): text for ply, text in record.comments.items()},
        "headers": {name: record.headers.get(name) for name in wanted.get("headers", ())},
        "variations": [
            f"{ply}: {' '.join(node.move for node in line)}".strip() for ply, line in list(record.lines())[1:]
        ],
        "scores": {node.move: node.evaluation and node.evaluation.value for node in line[0].children},
    }  # fmt: skip
    return {what: has[what] for what in wanted if what != "notes"}


def expected(game, record):
    """Return what a game must be, with the defaults."""
    usual = type(record)(record.game).start
    return {"moves": "", "start": usual, "ending": "", "result": "*"} | {
        what: value for what, value in game.items() if what != "notes"
    }


def check(case, read):
    """Compare games with a case; `read` returns them, or raises RecordError."""
    if "error" in case:
        with pytest.raises(RecordError, match=case["error"]):
            read()
        return
    games = read()
    assert len(games) == len(case["games"])
    for record, game in zip(games, case["games"], strict=True):
        wanted = expected(game, record)
        assert found(record, wanted) == wanted
        notes = game.get("notes", [])
        assert len(record.notes) == len(notes), record.notes
        assert all(re.search(pattern, note) for pattern, note in zip(notes, record.notes, strict=True)), record.notes


@pytest.mark.parametrize("case", CASES)
def test_trees(case):
    for data in contents(case):
        for format in {"", case.get("format", "")}:
            check(case, lambda data=data, format=format: loads(data, format=format))


@pytest.mark.parametrize("case", CASES)
def test_readers_in_python(case, monkeypatch):
    """Kernels are not used: this is how games are read that kernels decline."""
    for name in ("kif", "csa"):
        monkeypatch.setattr(type(load_format(name)), "parse", LineFormat.parse)
    for data in contents(case):
        check(case, lambda data=data: loads(data))


@pytest.mark.skipif(JIT_DISABLED, reason="kernels are not used")
@pytest.mark.parametrize("case", CASES)
def test_readers_by_kernels(case, monkeypatch):
    for name in ("kif", "csa"):
        monkeypatch.setattr(load_format(name)._quick, "_games", 1000)
    for data in contents(case):
        check(case, lambda data=data: loads(data))


@pytest.mark.parametrize("case", CASES)
def test_arrays(case, tmp_path):
    """`records.games` returns the same moves, results, endings, starts and names."""
    for number, data in enumerate(contents(case)):
        path = tmp_path / f"{number}.record"
        path.write_bytes(data)
        if "error" in case:
            with pytest.raises(RecordError, match=case["error"]):
                list(records.games(path))
            continue
        trees = loads(data)
        rows = []
        for games in records.games(path):
            board = type(trees[0].board(0))
            for row in range(len(games)):
                played = board(games.starts[row])
                for move in games.moves[row, : games.lengths[row]].tolist():
                    played.push(move)
                rows.append((games, row, [str(move) for move in played.move_stack]))
        assert len(rows) == len(case["games"])
        for (games, row, moves), game, record in zip(rows, case["games"], trees, strict=True):
            wanted = expected(game, record)
            assert " ".join(moves) == wanted["moves"]
            assert games.starts[row] == wanted["start"]
            assert games.results[row] == POINTS[wanted["result"]]
            number = games.endings[row]
            ending = wanted["ending"]
            if not ending and record.score is not None:  # arrays of games with a score alone say that they are over
                ending = str(record.outcome().termination)
            assert (str(records.ENDINGS[number]) if number >= 0 else "") == ending
            assert list(games.names[row]) == record.names


def test_each_case_has_games_or_an_error():
    for case in (each.values[0] for each in CASES):
        assert ("games" in case) != ("error" in case), case["name"]
