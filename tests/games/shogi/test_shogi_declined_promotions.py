"""Promotions that the search never declines: nothing is lost by that at once, and the mate solver declines them."""

import random

import numpy as np
import pytest

from shogi_engine.games.shogi.bitboard import in_check
from shogi_engine.games.shogi.game import GAME
from shogi_engine.games.shogi.mate.solver import MateSolver
from shogi_engine.games.shogi.movegen import is_searched
from shogi_engine.games.shogi.types import PROMOTION
from shogi_engine.interface.game import do_move
from shogi_engine.jit import JIT_DISABLED, new_record
from tests.support.shogi_moves import legal_moves
from tests.support.sizes import sized
from tests.support.text_engine import TextEngine
from tests.support.twins.naive_shogi import State

# The only mate by checks begins with a pawn that does not promote: after promoting, P*1b would be a pawn-drop mate.
BY_DECLINING = {"7l1/8k/9/6P1+P/5B3/9/9/9/9 b P 1": "3d3c", "9/9/9/9/3b5/+p1p6/9/K8/1L7 w p 1": "7f7g"}


def random_boards(count):
    """Yield positions of a few pieces near a king, Black to move: many checks and mates."""
    rng = random.Random(5)
    while count:
        places = rng.sample([(file, rank) for file in range(1, 5) for rank in range(1, 5)], 7)
        pieces = [("w", "K"), ("w", rng.choice("LNSG")), ("w", rng.choice("LNSGP")), ("b", rng.choice("GS"))]
        pieces += [("b", rng.choice("PLBR")) for _ in range(3)]
        try:
            yield GAME.parse_position(State(board=dict(zip(places, pieces, strict=True))).sfen())
        except ValueError:  # two pawns on a file, or a piece that could not move
            continue
        count -= 1


def test_declining_gains_nothing_at_once():
    """The promotion is legal too, gives check where declining does, and mates where declining does."""
    undo, seen = new_record(GAME.undo), {"declined": 0, "check": 0, "mate": 0}
    for position in random_boards(50 if JIT_DISABLED else sized(1500, 4000)):
        legal = set(legal_moves(position).tolist())
        for move in legal:
            if is_searched(0, np.uint32(move)):
                continue
            outcomes = []
            assert move | PROMOTION in legal
            for each in (move, move | PROMOTION):
                after = position.copy()
                do_move(after, np.uint32(each), undo)
                check = bool(in_check(after))
                outcomes.append((check, check and not len(legal_moves(after))))
            (check, mate), (promoted_check, promoted_mate) = outcomes
            assert (promoted_check, promoted_mate) >= (check, mate), (GAME.format_position(position), move)
            assert promoted_check >= check and promoted_mate >= mate
            seen["declined"] += 1
            seen["check"] += check
            seen["mate"] += mate
    assert all(seen.values()), seen


@pytest.mark.parametrize(("sfen", "first"), BY_DECLINING.items())
def test_the_mate_solver_declines(sfen, first):
    position, solver = GAME.parse_position(sfen), MateSolver(hash_mb=4)
    found = solver.solve(position, shortest=True, every=True)
    assert found.length == 7
    assert [GAME.format_move(position, line[0]) for line in found.solutions] == [first]


@pytest.mark.parametrize(("sfen", "first"), BY_DECLINING.items())
def test_the_engine_plays_a_mate_by_declining(sfen, first):
    """The promotion mates too, by quiet moves: the engine plays what search or solver proves first."""
    engine = TextEngine("shogi", hash_mb=1)
    engine.set_position(sfen)
    engine.load_solver()
    found = engine.search(movetime=20_000)  # ends with a proof
    assert found.bestmove in {first, f"{first}+"}
    assert found.score.mate and found.score.value > 0
    assert engine.search(depth=2, searchmoves=[first]).bestmove == first
