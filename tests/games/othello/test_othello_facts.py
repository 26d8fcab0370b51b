"""Facts that others have published: positions up to symmetry, the shortest draws, discs that a move turns."""

import random

import numpy as np
import pytest

from shogi_engine.common.bits import ONE, ZERO
from shogi_engine.games.othello import GAME
from shogi_engine.games.othello.bitboard import canonical
from shogi_engine.games.othello.board import Board
from shogi_engine.games.othello.movegen import flips, mobility
from shogi_engine.games.othello.notation import flipped, parse_obf
from shogi_engine.games.othello.types import BLACK, PASS
from shogi_engine.jit import ctz, njit
from tests.support.othello_cases import FACTS, random_game
from tests.support.sizes import sized


@njit
def children(boards, found):
    """Write the canonical positions after each disc move from `boards` (uint64[n, 3]) to `found`; return how many."""
    count = 0
    for number in range(len(boards)):
        own, opponent, side = boards[number, 0], boards[number, 1], boards[number, 2]
        places = mobility(own, opponent)
        if places == ZERO:  # a pass is no move
            own, opponent, side = opponent, own, ONE - side
            places = mobility(own, opponent)
        while places != ZERO:
            square = ctz(places)
            places &= places - ONE
            turned = flips(own, opponent, square)
            found[count, 0], found[count, 1] = canonical(opponent ^ turned, own ^ turned ^ ONE << np.uint64(square))
            found[count, 2] = ONE - side
            count += 1
    return count


def unique_after_each_move(last):
    """Return how many positions there are after 0, 1 ... `last` moves, the eight symmetries as one."""
    start = parse_obf(GAME.start)
    level = np.array([canonical(start.own, start.opponent) + (int(start.side),)], dtype=np.uint64)
    counts = [1]
    for _ in range(last):
        found = np.empty((16 * len(level), 3), dtype=np.uint64)  # an opening has fewer than 16 moves on average
        found = found[: children(level, found)]
        order = np.lexsort(found.T)
        new = np.ones(len(found), dtype=bool)
        new[1:] = (found[order[1:]] != found[order[:-1]]).any(axis=1)
        level = found[order[new]]
        counts.append(len(level))
    return counts


@pytest.mark.parametrize("last", [8, pytest.param(10, marks=pytest.mark.slow)])
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
    turned = [
        len(flipped(pos, move)) for _ in range(sized(400, 1200)) for pos, move in random_game(rng) if move != PASS
    ]
    assert sum(turned) / len(turned) == pytest.approx(FACTS["mean_flips"], abs=0.03)
