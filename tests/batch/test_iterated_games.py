"""Games yielded while they are played, written as hcpe3, and counted by their openings."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from shogi_engine import othello, records
from shogi_engine.batch import (
    Batch,
    iterate_random_games,
    iterate_self_play,
    opening_moves,
    random_games,
    read_hcpe3,
    self_play,
    write_hcpe3,
)
from shogi_engine.games.shogi.board import Board
from shogi_engine.interface.game import VALUE_NONE
from shogi_engine.records import GameRecord, from_arrays, to_arrays

HANDICAP = "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"


def same(left, right):
    assert (left.starts, right.starts) == (None, None)
    pairs = zip(left[:-1], right[:-1], strict=True)
    return all(np.array_equal(one, other) and one.dtype == other.dtype for one, other in pairs)


@pytest.mark.parametrize("rows", [1, 7, 256])
@pytest.mark.parametrize("threads", [1, 2])
def test_the_parts_are_the_whole(rows, threads):
    batch = Batch("othello", threads=threads)
    whole, parts = random_games(batch, 40, seed=2), list(iterate_random_games(batch, 40, rows=rows, seed=2))
    assert [len(part.lengths) for part in parts] == [min(rows, 40 - first) for first in range(0, 40, rows)]
    first = 0
    for part in parts:
        for row in range(len(part.lengths)):
            length = whole.lengths[first]
            assert part.moves[row, :length].tolist() == whole.moves[first, :length].tolist()
            assert (part.lengths[row], part.results[row]) == (length, whole.results[first])
            first += 1
    assert first == 40 and same(whole, random_games(Batch("othello"), 40, seed=2))


def test_self_play_can_be_left():
    batch = Batch("othello")
    whole = self_play(batch, 3, nodes=1, seed=5)
    endless = iterate_self_play(batch, 1_000_000, nodes=1, rows=1, seed=5)
    for row, part in zip(range(3), endless, strict=False):
        assert part.moves[0].tolist() == whole.moves[row, : whole.lengths[row]].tolist()
        assert part.values[0].tolist() == whole.values[row, : whole.lengths[row]].tolist()
    endless.close()
    assert next(endless, None) is None


def test_no_games_and_no_rows():
    batch = Batch("othello")
    assert list(iterate_random_games(batch, 0)) == []
    assert random_games(batch, 0).moves.shape == (0, 0) and random_games(batch, 0).values.dtype == np.int16
    with pytest.raises(ValueError, match="at least one game must be yielded at a time, not 0"):
        next(iterate_random_games(batch, 1, rows=0))


@pytest.fixture(scope="module")
def made():
    """Return games from two starts, in which every third move was not searched, with all results."""
    games = random_games(Batch("shogi"), 5, seed=8, longest=30)
    lines = list(from_arrays(games))
    board = Board(HANDICAP)
    for _ in range(9):
        board.push(next(iter(board.legal_moves)))
    lines.append(board.record("resignation"))
    arrays = to_arrays(lines)
    values = np.random.default_rng(1).integers(-2000, 2000, arrays.values.shape).astype(np.int16)
    values[:, ::3] = VALUE_NONE
    values[arrays.moves < 0] = VALUE_NONE
    results = np.array([1, -1, 0, 1, -1, 0], np.int8)
    return records.GameArrays(**arrays._asdict() | {"values": values, "results": results})


def test_hcpe3_there_and_back(made, tmp_path):
    batch, path = Batch("shogi"), tmp_path / "games.hcpe3"
    write_hcpe3(batch, path, [made, made])
    (found,) = read_hcpe3(batch, path, unsearched=True)
    rows = [(game, ply) for _ in range(2) for game in range(6) for ply in range(made.lengths[game])]
    assert len(found.game) == len(rows)
    for row, (game, ply) in enumerate(rows):
        value, labelled = made.values[game, ply], found.labelled
        assert labelled.moves[row] == made.moves[game, ply] and labelled.plies[row] == ply
        assert found.counts[row] == (value != VALUE_NONE)
        assert labelled.values[row] == (0 if value == VALUE_NONE else value)
        turn = (ply + (game == 5)) % 2
        assert labelled.results[row] == made.results[game] * (1 - 2 * turn)
    assert (found.visits["visitNum"] == 1).all() and set(found.game.tolist()) == set(range(12))
    searched = list(read_hcpe3(batch, path))[0]
    assert (searched.counts == 1).all() and len(searched.counts) == found.counts.sum()


def test_cshogi_reads_what_was_written(made, tmp_path):
    cshogi, path = pytest.importorskip("cshogi"), tmp_path / "games.hcpe3"
    write_hcpe3(Batch("shogi"), path, [made])
    data, at = path.read_bytes(), 0
    for game in range(6):
        board = cshogi.Board()
        board.set_hcp(np.frombuffer(data, np.uint8, 32, at).copy().view(cshogi.HuffmanCodedPos)["hcp"][0])
        assert board.sfen() == made.starts[game]
        count, result = np.frombuffer(data, "<u2", 1, at + 32)[0], data[at + 34]
        assert count == made.lengths[game] and result == {1: 1, -1: 2, 0: 0}[int(made.results[game])]
        at += 36
        for move in (record := list(from_arrays(made))[game].moves):
            move16, value, candidates = np.frombuffer(data, "<u2, <i2, <u2", 1, at)[0]
            assert cshogi.move16(board.move_from_usi(move)) == move16
            at += 6 + 4 * candidates
            board.push_usi(move)
        assert len(record) == count
    assert at == len(data)


def test_openings_are_counted_as_a_loop_over_boards_counts_them():
    batch = Batch("othello")
    games = random_games(batch, 200, seed=3)
    counted, plies = defaultdict(Counter), {}
    for row in range(200):
        board = othello.Board()
        for ply in range(6):
            move = int(games.moves[row, ply])
            result = int(games.results[row]) * (1 if board.turn == 0 else -1)
            counted[board.to_packed(), move][result] += 1
            plies[board.to_packed(), move] = min(ply, plies.get((board.to_packed(), move), ply))
            board.push(move)
    found = opening_moves(batch, games, plies=6)
    assert len(found.moves) == len(counted) and (np.diff(found.counts) <= 0).all()
    for row, move in enumerate(found.moves.tolist()):
        key = found.positions[row].tobytes(), move
        assert found.plies[row] == plies[key] and found.counts[row] == sum(counted[key].values())
        assert (found.wins[row], found.draws[row], found.losses[row]) == tuple(counted[key][n] for n in (1, 0, -1))
    start = batch.pack([batch.game.start])[0]
    assert found.at(start).counts.sum() == 200 and len(found.at(start).moves) == 4
    assert (opening_moves(batch, games, plies=6, least=9).counts >= 9).all()
    assert len(opening_moves(batch, games, plies=0).moves) == 0


def test_openings_of_games_without_a_result():
    lines = [GameRecord.from_moves("shogi", ["7g7f"], ending=ending) for ending in ("", "draw", "resignation")]
    found = opening_moves(Batch("shogi"), records.to_arrays(lines))
    assert (found.counts[0], found.wins[0], found.draws[0], found.losses[0]) == (3, 1, 1, 0)
