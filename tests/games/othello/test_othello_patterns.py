"""The evaluation by patterns: numbers kept by difference, symmetry, and a plain twin of the whole sum."""

import random

import numpy as np
import pytest
from hypothesis import given

from shogi_engine.games.othello import GAME
from shogi_engine.games.othello.evaluation import patterns as weights
from shogi_engine.games.othello.evaluation.patterns import (
    ACCUMULATOR,
    COUNT_SIZE,
    INSTANCE_SQUARES,
    INSTANCES,
    PATTERN_SQUARES,
    PHASES,
    SLOTS,
    STARTS,
    refresh_numbers,
    shallow_depth,
)
from shogi_engine.games.othello.notation import format_obf, legal_moves, parse_obf
from shogi_engine.games.othello.types import PASS
from shogi_engine.interface.game import evaluate, probcut, refresh_line, update_line
from shogi_engine.jit import new_record
from shogi_engine.search.context import make_move, new_context, unmake_move
from tests.support.othello_cases import POSITIONS, random_game, random_positions
from tests.support.processes import ARE_PLAIN
from tests.support.twins.naive_othello import State, change_sides, left_to_right, transpose

PATTERNS = GAME.evaluation("patterns").load()
LINES = 3 if ARE_PLAIN else 30
RANDOM = np.random.default_rng(3).integers(-60, 61, (PHASES, STARTS[""]), dtype=np.int16)


def context_at(text):
    """Return a context at a position, ready to evaluate."""
    ctx = new_context(GAME, evaluator=PATTERNS)
    ctx.pos = parse_obf(text)
    refresh_line(ctx)
    return ctx


def value(text):
    """Return the evaluation of a position's text."""
    return int(evaluate(context_at(text)))


def naive_numbers(pos):
    """Return the number of each instance by its definition."""
    own, opponent = int(pos.own), int(pos.opponent)
    worth = [(own >> square & 1) + 2 * (opponent >> square & 1) for square in range(64)]
    return [sum(3**place * worth[square] for place, square in enumerate(squares)) for _, squares in INSTANCE_SQUARES]


def test_patterns_cover_the_board():
    sizes = {name: sum(each == name for each, _ in INSTANCE_SQUARES) for name in PATTERN_SQUARES}
    assert sizes.pop("corner_2x5") == 8 and sizes.pop("diagonal_8") == 2 and set(sizes.values()) == {4}
    assert len({(name, frozenset(squares)) for name, squares in INSTANCE_SQUARES}) == INSTANCES <= SLOTS
    covered = [sum(square in squares for _, squares in INSTANCE_SQUARES) for square in range(64)]
    assert min(covered) >= 4, "every square is in several patterns"


def test_numbers_kept_by_difference():
    """Down and up random lines, evaluated at some plies only, the numbers equal those computed from scratch."""
    rng, passes = random.Random(4), 0
    fresh = new_record(ACCUMULATOR)
    for number in range(LINES):
        ctx = context_at(GAME.start)
        made = []
        for _ in range(300):
            moves = legal_moves(ctx.pos)
            if made and (not moves or rng.random() < 0.35):
                unmake_move(ctx, made.pop())
            elif moves:
                made.append(np.uint32(rng.choice(moves)))
                passes += made[-1] == PASS
                make_move(ctx, made[-1])
            if rng.random() < 0.6:
                update_line(ctx)
                refresh_numbers(ctx.pos.own, ctx.pos.opponent, fresh)
                kept = ctx.accumulators[ctx.ply]
                assert kept.numbers.tolist() == fresh.numbers.tolist()
                assert kept.occupied.tolist() == fresh.occupied.tolist()
                assert ctx.computed_ply == ctx.ply
        assert number or kept.numbers[:INSTANCES].tolist() == naive_numbers(ctx.pos)
    assert passes > 5 or ARE_PLAIN


@given(POSITIONS)
def test_numbers_of_odd_boards(text):
    pos, fresh = parse_obf(text), new_record(ACCUMULATOR)
    refresh_numbers(pos.own, pos.opponent, fresh)
    assert fresh.numbers[:INSTANCES].tolist() == naive_numbers(pos)


def naive_value(pos, table):
    """Return the sum of the weights int16[PHASES, n] of a position, or the final score, by the plain rules."""
    state = State.from_text(format_obf(pos))
    own, opponent = int(pos.own), int(pos.opponent)
    other = pos.copy()
    other.own, other.opponent = pos.opponent, pos.own
    moves = [sum(move != PASS for move in legal_moves(each)) for each in (pos, other)]
    if moves == [0, 0]:
        return 100 * state.score()
    row = table[(max((own | opponent).bit_count(), 4) - 4) // 2].astype(int)
    total = sum(row[STARTS[name] + n] for (name, _), n in zip(INSTANCE_SQUARES, naive_numbers(pos), strict=True))
    empty = [square for square in range(64) if not (own | opponent) >> square & 1]

    def beside(discs):
        at = [(square % 8, square // 8) for square in range(64) if discs >> square & 1]
        return sum(any(max(abs(s % 8 - file), abs(s // 8 - rank)) == 1 for file, rank in at) for s in empty)

    quadrants = [sum(s // 8 // 4 == r and s % 8 // 4 == f for s in empty) % 2 for r in (0, 1) for f in (0, 1)]
    counts = [*moves, beside(own), beside(opponent), sum(quadrants)]
    total += sum(row[STARTS["own_moves"] + n * COUNT_SIZE + count] for n, count in enumerate(counts))
    return min(max(total, -6400), 6400)


@pytest.mark.parametrize("which", ["random", "shipped"])
def test_value_is_the_sum_of_weights(which):
    table = RANDOM if which == "random" else weights.WEIGHTS.shipped.table
    for pos in random_positions(6, "sum"):
        ctx = context_at(format_obf(pos))
        ctx.evaluation.weights = table.ctypes.data
        assert int(evaluate(ctx)) == naive_value(pos, table)


@given(POSITIONS)
def test_value_of_images(text):
    """The eight images of a position have one value, and so has the one with colours and sides exchanged."""
    assert value(text) == value(transpose(text)) == value(left_to_right(text)) == value(change_sides(text))
    assert value(text) == value(transpose(left_to_right(text)))
    assert abs(value(text)) <= 6400


def test_value_along_games():
    """Positions reached by moves have the value of the same position set up, whatever was evaluated on the way."""
    for number in range(6):
        ctx = context_at(GAME.start)
        for index, (pos, move) in enumerate(random_game(random.Random(number))):
            if index % (number + 1) == 0:
                assert int(evaluate(ctx)) == value(format_obf(pos))
            make_move(ctx, np.uint32(move))
        assert int(evaluate(ctx)) == value(format_obf(ctx.pos))


def test_probcut_looks_half_as_deep():
    ctx = context_at(GAME.start)
    assert probcut(ctx, 8) == (0, 0), "two discs could soon be wiped out"
    ctx = context_at("--OOO-----XOXX----XXOX-----XXO---OOXXXXX--OX-XX---XXO----------- X")
    for depth in range(3, 40):
        shallow, spread = probcut(ctx, depth)
        assert shallow == shallow_depth(depth) and 1 <= shallow < depth and (depth - shallow) % 2 == 0
        assert spread > 0
