"""Facts that others have published: positions up to symmetry, the shortest draws, discs that a move turns."""

import random

import numpy as np
import pytest
from othello_cases import FACTS, random_game

from shogi_engine.game import do_move
from shogi_engine.games.othello import GAME
from shogi_engine.games.othello.board import BLACK, Board
from shogi_engine.games.othello.notation import can_only_pass, flipped, legal_moves, parse_obf
from shogi_engine.games.othello.position import make_canonical
from shogi_engine.games.othello.types import PASS
from shogi_engine.jit import new_record


def unique_after_each_move(last):
    """Return how many positions there are after 0, 1 ... `last` moves, the eight symmetries as one."""
    undo = new_record(GAME.undo)
    level = {parse_obf(GAME.start).tobytes()}
    counts = [1]
    for _ in range(last):
        following = set()
        for packed in level:
            pos = np.frombuffer(packed, dtype=GAME.position).view(np.recarray)[0].copy()
            if can_only_pass(pos):  # a pass is no move
                do_move(pos, np.uint32(PASS), undo)
            for move in legal_moves(pos):
                child = pos.copy()
                do_move(child, move, undo)
                make_canonical(child)
                following.add(child.tobytes())
        level = following
        counts.append(len(level))
    return counts


@pytest.mark.parametrize("last", [7, pytest.param(9, marks=pytest.mark.slow)])
def test_unique_positions(last):
    assert unique_after_each_move(last) == FACTS["unique_openings"][: last + 1]


@pytest.mark.parametrize("transcript", FACTS["shortest_draws"])
def test_shortest_draws(transcript):
    board = Board.from_transcript(transcript)
    outcome = board.outcome()
    assert len(transcript) == 40 and board.transcript() == transcript
    assert outcome is not None and outcome.winner is None and outcome.black == outcome.white
    assert outcome.score == 0 and outcome.result() == "1/2-1/2" and board.empties == 40
    board.pop()
    assert not board.is_game_over()


def test_shortest_stoner():
    """The line is legal and ends with black's disc on b7, the X square next to the empty corner a8."""
    board = Board.from_transcript(FACTS["shortest_stoner"])
    assert len(board.move_stack) == 13 and str(board.peek()) == "b7" and board.turn != BLACK
    assert not board.is_game_over()


def test_mean_flips_of_random_play():
    rng = random.Random(2244)
    turned = [len(flipped(pos, move)) for _ in range(1200) for pos, move in random_game(rng) if move != PASS]
    assert sum(turned) / len(turned) == pytest.approx(FACTS["mean_flips"], abs=0.03)
