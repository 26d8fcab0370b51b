"""The network of Othello: a plain twin, symmetry, its file, and that it corrects the pattern weights."""

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from shogi_engine.games.othello import GAME
from shogi_engine.games.othello.endgame.solver import Solver
from shogi_engine.games.othello.evaluation import network as weights
from shogi_engine.games.othello.evaluation.patterns import INSTANCE_SQUARES, MOST, PHASE_OF_DISCS, PHASES
from shogi_engine.games.othello.notation import format_obf, legal_moves, parse_obf
from shogi_engine.interface.game import evaluate, probcut, refresh_line
from shogi_engine.interface.stubs import Evaluator
from shogi_engine.jit.vectors import SQUARE_WEIGHT_LIMIT
from shogi_engine.search.context import make_move, new_context, unmake_move
from tests.support.othello_cases import POSITIONS, random_game, random_positions
from tests.support.twins.naive_othello import left_to_right, transpose


def random_network(seed=1, limit=weights.ROW_LIMIT):
    """Return a network of random numbers up to the limits of the file."""
    rng = np.random.default_rng(seed)
    shapes = (weights.stored_rows(), weights.WIDTH), (PHASES, weights.WIDTH)
    rows, bias = (rng.integers(-limit, limit + 1, shape, dtype=np.int16) for shape in shapes)
    output = rng.integers(-SQUARE_WEIGHT_LIMIT, SQUARE_WEIGHT_LIMIT + 1, shapes[1], dtype=np.int16)
    return replace(weights.WEIGHTS.shipped, rows=rows, bias=bias, output=output, unit=3.0, made={"seed": seed})


RANDOM, LARGEST = random_network(limit=60), random_network()
PATTERNS = GAME.evaluation("patterns").load()
MIDDLE = format_obf(list(random_positions(1, 2))[25])
KEPT = []  # evaluators, whose weights contexts use


def context_at(text, network):
    """Return a context at a position, ready to evaluate."""
    evaluator = Evaluator(GAME.evaluation("network"), network)
    KEPT.append(evaluator)
    ctx = new_context(GAME, evaluator=evaluator)
    ctx.pos = parse_obf(text)
    refresh_line(ctx)
    return ctx


def by_patterns(text):
    """Return the value by patterns alone."""
    ctx = new_context(GAME, evaluator=PATTERNS)
    ctx.pos = parse_obf(text)
    refresh_line(ctx)
    return int(evaluate(ctx))


def expected(text, network):
    """Return the value by the definition, from the squares of each instance."""
    pos = parse_obf(text)
    own, opponent = int(pos.own), int(pos.opponent)
    worth = [(own >> square & 1) + 2 * (opponent >> square & 1) for square in range(64)]
    numbers = np.array([sum(3**n * worth[each] for n, each in enumerate(squares)) for _, squares in INSTANCE_SQUARES])
    phase = int(PHASE_OF_DISCS[(own | opponent).bit_count()])
    return min(max(by_patterns(text) + network.correction(numbers, phase), -MOST), MOST)


@pytest.mark.parametrize("network", [weights.WEIGHTS.shipped, RANDOM, LARGEST], ids=["shipped", "random", "largest"])
def test_values_are_those_of_the_definition(network):
    texts = [format_obf(pos) for pos in random_positions(3, 1) if legal_moves(pos)]
    found = [int(evaluate(context_at(text, network))) for text in texts]
    assert found == [expected(text, network) for text in texts]
    assert len(set(found)) > len(found) // 2


@given(POSITIONS)
def test_all_images_have_the_same_value(text):
    images = (text, left_to_right(text), transpose(text), left_to_right(transpose(text)))
    assert len({int(evaluate(context_at(image, RANDOM))) for image in images}) == 1


def test_values_kept_by_difference_are_those_from_scratch():
    moves = [move for _, move in random_game(random.Random(5))]
    ctx = context_at(GAME.start, RANDOM)
    for move in moves:
        make_move(ctx, move)
        assert int(evaluate(ctx)) == int(evaluate(context_at(format_obf(ctx.pos), RANDOM)))
    for move in reversed(moves):
        unmake_move(ctx, move)
    assert int(evaluate(ctx)) == int(evaluate(context_at(GAME.start, RANDOM)))


def test_without_a_network_the_values_are_those_of_the_patterns():
    texts = [format_obf(pos) for pos in random_positions(2, 4) if legal_moves(pos)]
    found = [int(evaluate(context_at(text, weights.PatternsAlone()))) for text in texts]
    assert found == [by_patterns(text) for text in texts] != [int(evaluate(context_at(text, RANDOM))) for text in texts]


def test_the_solver_orders_moves_by_the_patterns():
    solver = Solver(GAME, hash_mb=1)
    assert all(ctx.evaluation.rows == 0 and ctx.evaluation.weights for ctx in solver._contexts)


def test_probcut_has_the_spreads_of_the_network():
    spread = np.full_like(weights.WEIGHTS.shipped.spread, 77)
    assert tuple(map(int, probcut(context_at(MIDDLE, replace(RANDOM, spread=spread)), 9))) == (5, 77)
