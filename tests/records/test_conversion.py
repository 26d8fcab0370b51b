"""Arrays of games to records and files, and back."""

import re

import numpy as np
import pytest

from shogi_engine import records
from shogi_engine.batch import Batch, random_games
from shogi_engine.interface.game import VALUE_NONE
from shogi_engine.records import GameRecord, dumps, from_arrays, loads, save, to_arrays
from shogi_engine.types.outcomes import Termination
from shogi_engine.types.results import Score
from tests.records.random_records import random_record

HANDICAP = "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
FIELDS = ("moves", "lengths", "results", "values", "endings", "ratings")


def same(left, right):
    assert left.starts == right.starts and left.names == right.names
    for name in FIELDS:
        assert np.array_equal(getattr(left, name), getattr(right, name), equal_nan=name == "ratings"), name


@pytest.mark.parametrize("game", ["shogi", "othello"])
def test_there_and_back(game):
    made = [random_record(seed, game) for seed in range(300)]  # more than the table has at first
    arrays = to_arrays(made)
    again = list(from_arrays(arrays, game))
    same(to_arrays(again), arrays)
    for one, other in zip(made, again, strict=True):
        assert (one.moves, one.start, one.result) == (other.moves, other.start, other.result)
        assert not one.ending or one.ending == other.ending


def test_through_a_file(tmp_path):
    record = GameRecord.from_moves("shogi", ["3c3d", "7g7f"], start=HANDICAP, ending="resignation")
    record.names = ["black", "white"]
    record.main_line[1].evaluation, record.main_line[2].evaluation = Score(-120), Score.mate_in(None)
    arrays = to_arrays([record])
    assert arrays.values.tolist() == [[-120, 32000]] and arrays.results.tolist() == [1]
    records.save(from_arrays(arrays), tmp_path / "game.csa")
    (found,) = records.games(tmp_path / "game.csa")
    assert found.moves.tolist() == arrays.moves.tolist() and found.results.tolist() == [1]
    assert found.values.tolist() == arrays.values.tolist()
    assert found.starts == [HANDICAP] and found.names == [("black", "white")]


@pytest.mark.parametrize("game", ["shogi", "othello"])
def test_games_that_were_played_at_random(game):
    games = random_games(Batch(game), 6, seed=4, longest=60)
    made = list(from_arrays(games, game))
    assert {"1-0": 1, "0-1": -1, "1/2-1/2": 0}[made[0].result] == games.results[0]
    for row, record in enumerate(made):
        board = record.board()
        assert [int(move) for move in board.move_stack] == games.moves[row, : games.lengths[row]].tolist()
        outcome = board.outcome()
        assert record.ending == (outcome.termination if outcome else Termination.UNKNOWN)
    arrays = to_arrays(made)
    assert (arrays.results == games.results).all() and (arrays.moves == games.moves).all()


def test_othello_s_values_are_hundredths_of_a_disc():
    record = GameRecord.from_moves("othello", ["f5", "d6"])
    assert GameRecord.from_moves("othello", record.board().move_stack) == record
    with pytest.raises(TypeError, match="expected a list of moves, not 'f5'"):
        GameRecord.from_moves("othello", "f5")
    record.main_line[1].evaluation = Score.discs(2.5)
    arrays = to_arrays([record])
    assert arrays.values.tolist() == [[250, VALUE_NONE]]
    (again,) = from_arrays(arrays, "othello")
    assert again.main_line[1].evaluation == Score.discs(2.5)


def test_an_illegal_move_is_named():
    arrays = to_arrays([GameRecord.from_moves("shogi", ["7g7f", "3c3d"])] * 2)
    arrays.moves[1, 1] = arrays.moves[1, 0]
    with pytest.raises(ValueError, match="row 1: move 2: "):
        list(from_arrays(arrays))


def test_no_games():
    arrays = to_arrays([])
    assert len(arrays) == 0 and list(from_arrays(arrays)) == []


def test_a_folder_is_read_file_by_file(tmp_path):
    record = GameRecord.from_moves("shogi", ["7g7f"])
    (tmp_path / "b").mkdir()
    for name, moves in (("b/c.csa", 3), ("a.kif", 1), ("d.csa", 2)):
        one = GameRecord.from_moves("shogi", ["7g7f", "3c3d", "2g2f"][:moves])
        records.save([one, record], tmp_path / name)
    lengths = [len(found.moves) for found in records.iterate(tmp_path)]
    assert lengths == [1, 1, 2, 1, 3, 1]
    assert np.concatenate([found.lengths for found in records.games(tmp_path)]).tolist() == lengths
    (tmp_path / "b" / "bad.csa").write_text("V2.2\nnonsense\n")
    with pytest.raises(records.RecordError, match="bad.csa"):
        list(records.iterate(tmp_path))


@pytest.mark.parametrize("content", [None, 3, ["1 \uff17\u516d\u6b69(77)"]])
def test_contents_that_are_neither_text_nor_bytes_are_refused(content):
    with pytest.raises(TypeError, match=re.escape(f"expected a file's text or bytes, not {content!r}")):
        loads(content)


def test_what_is_no_record_is_not_written(tmp_path):
    games = to_arrays([GameRecord.from_moves("othello", ["f5"])])
    for wrong in (3, None, [3], games):
        with pytest.raises(TypeError, match="expected GameRecords"):
            save(wrong, tmp_path / "a.sgf")
        with pytest.raises(TypeError, match="expected GameRecords"):
            dumps(wrong, "sgf")
    assert not list(tmp_path.iterdir())


def test_names_are_given_with_the_moves():
    record = GameRecord.from_moves("shogi", ["7g7f"], names=("A", "B"))
    assert loads(dumps(record, "csa"))[0].names == record.names == ["A", "B"]
