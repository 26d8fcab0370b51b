"""dlshogi's hcpe3, written here with the fields that its own scripts declare, and replayed by cshogi."""

import random

import numpy as np
import pytest

from shogi_engine.batch import Batch, read_hcpe3
from tests.support.processes import ROOT

START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
LATER = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Return a file of five games, and what each searched position should be: (game, ply, hcp, move, ...)."""
    cshogi = pytest.importorskip("cshogi")
    label_of = pytest.importorskip("cshogi.dlshogi").make_move_label
    header = np.dtype([("hcp", cshogi.dtypeHcp), ("moveNum", "u2"), ("result", "u1"), ("opponent", "u1")])
    info = np.dtype([("move", cshogi.dtypeMove16), ("eval", cshogi.dtypeEval), ("candidateNum", "u2")])
    visits = np.dtype([("move16", cshogi.dtypeMove16), ("visitNum", "u2")])
    rng, content, expected = random.Random(3), b"", []
    for game, (start, result) in enumerate([(START, 1), (LATER, 2 | 8), (START, 0 | 4), (LATER, 1), (START, 2)]):
        board, moves, hcp = cshogi.Board(start), b"", np.zeros(1, header)
        board.to_hcp(hcp["hcp"])
        hcp["result"] = result
        while hcp["moveNum"][0] < 12 * game and (legal := list(board.legal_moves)):  # the first game has no moves
            chosen = rng.sample(legal, rng.randrange(0, min(len(legal), 5)))
            shown = [(move, rng.randrange(1, 900)) for move in chosen]
            move, value = rng.choice(legal), rng.randrange(-2000, 2000)
            packed = np.zeros(1, cshogi.HuffmanCodedPos)
            board.to_hcp(packed["hcp"])
            black = {1: 1, 2: -1, 0: 0}[result & 3]
            own = black if board.turn == cshogi.BLACK else -black
            usi = {cshogi.move_to_usi(each): count for each, count in shown}
            labels = {label_of(each, board.turn): count for each, count in shown}
            ply = int(hcp["moveNum"][0])
            expected.append((game, ply, packed["hcp"][0].tolist(), cshogi.move16(move), value, own, usi, labels))
            moves += np.array([(cshogi.move16(move), value, len(shown))], info).tobytes()
            moves += np.array([(cshogi.move16(each), count) for each, count in shown], visits).tobytes()
            board.push(move)
            hcp["moveNum"] += 1
        content += hcp.tobytes() + moves
    path = tmp_path_factory.mktemp("hcpe3") / "games.hcpe3"
    path.write_bytes(content)
    return path, expected


@pytest.mark.parametrize("unsearched", [False, True])
@pytest.mark.parametrize("games", [1, 2, 256])
def test_the_positions_are_those_of_cshogi(written, games, unsearched):
    path, expected = written
    expected = [row for row in expected if row[6] or unsearched]
    batch, at = Batch("shogi"), 0
    for found in read_hcpe3(batch, path, games=games, unsearched=unsearched):
        moves = batch.relabel(found.labelled.positions, found.labelled.moves, "ids", "cshogi")
        policy, candidate = found.policy(batch), 0
        for row, count in enumerate(found.counts):
            game, ply, hcp, move, value, result, shown, labels = expected[at]
            labelled = found.labelled
            assert (found.game[row], labelled.plies[row], labelled.positions[row].tolist()) == (game, ply, hcp)
            assert (moves[row], labelled.values[row], labelled.results[row]) == (move, value, result)
            assert found.visits["visitNum"][candidate : candidate + count].tolist() == list(shown.values())
            shares = {label: float(policy[row, label]) for label in np.flatnonzero(policy[row]).tolist()}
            total = sum(labels.values())
            assert shares == pytest.approx({label: visits / total for label, visits in labels.items()})
            at, candidate = at + 1, candidate + count
        assert candidate == len(found.visits)
    assert at == len(expected) > 40


def test_every_file_that_ends_too_soon_is_refused(written, tmp_path):
    whole = written[0].read_bytes()
    batch, path = Batch("shogi"), tmp_path / "cut.hcpe3"
    ends = []
    for end in range(200):
        path.write_bytes(whole[:end])
        try:
            list(read_hcpe3(batch, path))
            ends.append(end)
        except ValueError as fault:
            assert "begins at byte" in str(fault)  # noqa: PT017
    assert ends == [0, 36]  # nothing, and the game without moves


def test_an_illegal_move_is_refused(written, tmp_path):
    content = bytearray(written[0].read_bytes())
    content[72:74] = bytes(2)  # the first move of the second game
    (tmp_path / "bad.hcpe3").write_bytes(content)
    with pytest.raises(ValueError, match="is not legal in"):
        list(read_hcpe3(Batch("shogi"), tmp_path / "bad.hcpe3"))


def test_the_example_in_the_docs(written, monkeypatch):
    page = (ROOT / "docs" / "batch-files.md").read_text(encoding="utf-8")
    block = next(part.split("```")[0] for part in page.split("```python\n") if 'read_hcpe3(batch, "games' in part)
    monkeypatch.chdir(written[0].parent)
    names = {}
    exec(compile(block, "batch-files.md", "exec"), names)  # noqa: S102
    assert len(names["values"]) == len(names["policy"]) == sum(bool(row[6]) for row in written[1])
