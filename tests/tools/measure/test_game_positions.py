"""tools/measure/game_positions.py: legal positions of games, without checks, the same for the same seed."""

import pytest

from shogi_engine.games.shogi.board import Board
from shogi_engine.jit import JIT_DISABLED
from tools.measure import game_positions


@pytest.mark.skipif(JIT_DISABLED, reason="takes long without JIT")
def test_positions_of_a_game(capsys):
    runs = []
    for _ in range(2):
        assert game_positions.main(["--count", "3"]) == 0
        runs.append(capsys.readouterr().out.splitlines())
    assert runs[0] == runs[1]
    plies = [Board(sfen).move_number for sfen in runs[0]]
    assert len(plies) == 3 and all(
        first < ply <= last + 1 for ply, (first, last) in zip(plies, game_positions.STRETCHES, strict=False)
    )


def test_the_list_that_ships_holds_two_hundred_quiet_positions():
    sfens = game_positions.FILE.read_text().splitlines()
    assert len(sfens) == len(set(sfens)) == 200
    for sfen in sfens:
        board = Board(sfen)
        assert board.is_valid() and not board.is_check() and not board.is_game_over(), sfen
