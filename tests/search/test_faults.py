"""Faults that programs of others had, each shown to do harm, and ours shown to be right in the same position.

Sources: Optimind's articles on Othello AI with minimax, alpha-beta and NegaScout (2023), whose searches take a pass for
a leaf, sign NegaScout's leaves for the root's player, and never keep the minimizing side's move; TIM Labs' series on a
JavaScript Othello (2013), which mixes the limits up and starts from `Number.MIN_VALUE`.
"""

import json
import subprocess
import sys

import pytest

from shogi_engine.jit import JIT_DISABLED
from shogi_engine.search.context import EXACT, USE_TT, new_context
from shogi_engine.search.root import Searcher
from shogi_engine.search.timeman import Limits
from tests.support.faulty import (
    INFINITE,
    SMALLEST_POSITIVE,
    children,
    first_best,
    limits_mixed_up,
    limits_of_two_players,
    minimax,
    minimax_pass_is_leaf,
    move_never_kept,
    move_values,
    negascout_signed_for_the_root,
    random_states,
)
from tests.support.games.othello4 import DISC, GAME
from tests.support.processes import ROOT, environment, needs_workshop
from tests.support.searching import place, pvs_value, textbook_visits
from tests.support.twins.naive_othello import State


def find_a_pass_is_a_leaf(state, depth):
    return first_best({move: -minimax_pass_is_leaf(child, depth - cost) for move, child, cost in children(state)})


def find_signed_for_the_root(state, depth):
    root, window = state.side, (-INFINITE, INFINITE)
    return first_best(
        {
            move: -negascout_signed_for_the_root(child, *window, depth - cost, root)
            for move, child, cost in children(state)
        }
    )


def find_limits_mixed_up(state, depth, lowest=-INFINITE, search=limits_mixed_up):
    me = state.side
    return first_best(
        {move: search(child, lowest, INFINITE, depth - cost, me) for move, child, cost in children(state)}
    )


def find_lowest_is_positive(state, depth):
    return find_limits_mixed_up(state, depth, SMALLEST_POSITIVE, limits_of_two_players)


def find_move_never_kept(state, depth):
    """The side to move is the minimizing one, as white is where black maximizes."""
    me = "O" if state.side == "X" else "X"
    value, move = move_never_kept(state, -INFINITE, INFINITE, depth, me)
    return -value, move


# The faulty search, a position, the depth; the value and move it finds; the value there is and the moves that have it.
CASES = [
    (find_a_pass_is_a_leaf, "OXX--XXOXXXX-O-- O", 3, 4, "d4", 12, {"d1"}),
    (find_a_pass_is_a_leaf, "--X-OOOOXXO-XOOO X", 3, 1, "b1", 9, {"d1", "d3"}),
    (find_signed_for_the_root, "OXX-OOXOOXOOX-X- O", 4, -12, "d1", 14, {"b4"}),
    (find_signed_for_the_root, "OOO-XXX--XXX---- O", 3, 4, "b4", 14, {"a3"}),
    (find_limits_mixed_up, "-----OOO-XXO--XO X", 4, -4, "b1", -6, {"d1", "c1"}),
    (find_lowest_is_positive, "O---XOX--XO----- X", 4, SMALLEST_POSITIVE, "b1", -2, {"d3", "c4"}),
    (find_move_never_kept, "--X--OXO-OOX-OOO X", 2, 6, None, 6, {"d1"}),
]


def ids(value):
    return value.__name__.removeprefix("find_") if callable(value) else ""


def searcher_without_mobility():
    searcher = Searcher(GAME, hash_mb=1)
    searcher.params.mobility = 0  # the value of a position is then its difference of discs
    return searcher


@pytest.mark.parametrize(("find", "text", "depth", "wrong", "wrong_move", "right", "right_moves"), CASES, ids=ids)
def test_the_fault_does_harm_and_is_not_ours(find, text, depth, wrong, wrong_move, right, right_moves):
    state = State.from_text(text)
    assert find(state, depth) == (wrong, wrong_move)
    values = move_values(state, depth)
    assert minimax(state, depth) == right == max(values.values())
    assert {move for move, value in values.items() if value == right} == right_moves
    assert wrong_move not in right_moves

    searcher, position = searcher_without_mobility(), GAME.parse_position(text)
    for flags in (0, USE_TT, EXACT):
        searcher.search_flags = flags
        searcher.new_game()
        result = searcher.search(position, (), Limits(depth=depth))
        assert result.score == DISC * right
        assert GAME.format_move(position, result.bestmove) in right_moves


def test_ours_finds_what_minimax_told_plainly_finds():
    ctx = new_context(GAME)
    ctx.params.mobility = 0
    passes = 0
    for state in random_states(GAME.start, 120, 12):
        position = GAME.parse_position(state.text())
        for depth in range(1, 4):
            value = minimax(state, depth)
            place(ctx, position)
            assert {found for found, _ in textbook_visits(ctx, depth).values()} == {DISC * value}, state.text()
            place(ctx, position)
            assert pvs_value(ctx, depth) == DISC * value
            passes += minimax_pass_is_leaf(state, depth) != value
    assert passes > 10  # positions in which it matters that a pass is no leaf


# ---- literals ----------------------------------------------------------------------------------------------------


KERNEL = """
from shogi_engine.jit import njit

@njit
def fibonacci(n, first):
    if n < 2:
        return n + first
    return fibonacci(n - 1, {again}) + fibonacci(n - 2, first)
"""
CALL = """
import json
from recursive import fibonacci
try:
    found = fibonacci(20, 0)
except Exception as fault:
    found = type(fault).__name__
print(json.dumps([found, len(fibonacci.dispatcher.signatures)]))
"""


@needs_workshop
@pytest.mark.skipif(JIT_DISABLED, reason="with JIT off nothing is compiled")
@pytest.mark.parametrize(("again", "expected"), [("first", [6765, 1]), ("0", ["NumbaRuntimeError", 0])])
def test_literals_in_recursive_calls(tmp_path, again, expected):
    (tmp_path / "recursive.py").write_text(KERNEL.format(again=again))
    env = environment(tmp_path / "cache", ROOT, tmp_path)
    for _ in range(2):  # the second process meets what the first has cached
        result = subprocess.run([sys.executable, "-c", CALL], env=env, capture_output=True, text=True, timeout=300)
        assert result.returncode == 0, result.stderr
        assert json.loads(result.stdout) == expected
