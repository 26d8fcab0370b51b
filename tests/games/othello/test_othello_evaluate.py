"""The evaluation by features, stable discs, final scores and the order of moves."""

import random

import numpy as np
from hypothesis import given

from shogi_engine.games.othello import GAME
from shogi_engine.games.othello.bitboard import (
    full_diagonals,
    full_files,
    full_ranks,
    odd_quadrants,
    stable_discs,
    transform_square,
)
from shogi_engine.games.othello.evaluation import patterns as weights
from shogi_engine.games.othello.evaluation.patterns import PATTERN_SQUARES, STARTS, pattern_squares
from shogi_engine.games.othello.movegen import flips
from shogi_engine.games.othello.notation import format_obf, legal_moves, parse_obf
from shogi_engine.games.othello.types import PASS, move_square
from shogi_engine.interface.game import (
    VALUE_MATE_IN_MAX,
    do_move,
    evaluate,
    generate_moves,
    history_slot,
    score_moves,
    terminal_value,
    undo_move,
)
from shogi_engine.jit import new_record
from shogi_engine.search.context import new_context
from tests.support.othello_cases import POSITIONS, random_game, random_positions
from tests.support.twins.naive_othello import State, change_sides, left_to_right, transpose

LINES = {
    "rank": [[8 * rank + file for file in range(8)] for rank in range(8)],
    "file": [[8 * rank + file for rank in range(8)] for file in range(8)],
    "falling": [[s for s in range(64) if s % 8 - s // 8 == offset] for offset in range(-7, 8)],
    "rising": [[s for s in range(64) if s % 8 + s // 8 == offset] for offset in range(15)],
}


def context_at(text):
    """Return a context with the position of `text`, to evaluate by features instead of patterns."""
    ctx = new_context(GAME, evaluator=GAME.evaluation("features").load())
    ctx.pos = parse_obf(text)
    return ctx


def value(text):
    """Return the evaluation of a position's text."""
    return int(evaluate(context_at(text)))


def full(lines, occupied):
    """Return the squares of those of `lines` whose squares are all in `occupied`."""
    return sum(1 << s for line in lines if all(occupied >> s & 1 for s in line) for s in line)


@given(POSITIONS)
def test_full_lines(text):
    pos = parse_obf(text)
    occupied = np.uint64(pos.own | pos.opponent)
    falling, rising = full_diagonals(occupied)
    found = {"rank": full_ranks(occupied), "file": full_files(occupied), "falling": falling, "rising": rising}
    assert {name: int(squares) for name, squares in found.items()} == {
        name: full(lines, int(occupied)) for name, lines in LINES.items()
    }


def test_one_full_line_at_a_time():
    for name, lines in LINES.items():
        for line in lines:
            for missing in [None, *line]:
                occupied = np.uint64(sum(1 << square for square in line if square != missing))
                falling, rising = full_diagonals(occupied)
                squares = {"rank": full_ranks(occupied), "file": full_files(occupied)}
                squares |= {"falling": falling, "rising": rising}
                assert int(squares[name]) == full(lines, int(occupied)), (name, line, missing)


def test_stable_discs_never_turn():
    """In random games no disc called stable is flipped later, and many are called so."""
    claimed = 0
    for number in range(150):
        stable = [0, 0]  # by colour
        for pos, move in random_game(random.Random(f"stable {number}")):
            side = int(pos.side)
            now = [int(stable_discs(pos.own, pos.opponent)), int(stable_discs(pos.opponent, pos.own))]
            assert now[0] & ~int(pos.own) == now[1] & ~int(pos.opponent) == 0
            assert stable[side] & ~now[0] == stable[1 - side] & ~now[1] == 0, "what was stable stays so"
            stable[side], stable[1 - side] = now
            claimed += sum(discs.bit_count() for discs in now)
            if move != PASS:
                assert int(flips(pos.own, pos.opponent, move_square(move))) & now[1] == 0
    assert claimed > 20_000


def test_stable_discs_by_hand():
    pos = parse_obf("XXX-----XX------X-----------------------------------------------" + " X")
    assert stable_discs(pos.own, pos.opponent) == pos.own
    pos = parse_obf("-XX-----XX------X-----------------------------------------------" + " X")
    assert stable_discs(pos.own, pos.opponent) == 0
    full_board = parse_obf("XO" * 32 + " X")
    assert stable_discs(full_board.own, full_board.opponent) == full_board.own
    assert stable_discs(parse_obf(GAME.start).own, parse_obf(GAME.start).opponent) == 0


@given(POSITIONS)
def test_value_of_images(text):
    assert value(text) == value(transpose(text)) == value(left_to_right(text)) == value(change_sides(text))
    assert abs(value(text)) < VALUE_MATE_IN_MAX


def test_value_for_the_other_side():
    """With the parity's term taken away the value is the same for both sides but for the sign."""
    for pos in random_positions(5, "antisymmetry"):
        here = context_at(format_obf(pos))
        here.evaluation.parity[:] = 0
        there = context_at(format_obf(pos))
        there.evaluation.parity[:] = 0
        there.pos.own, there.pos.opponent = pos.opponent, pos.own
        assert evaluate(here) == -evaluate(there)


@given(POSITIONS)
def test_final_scores(text):
    assert terminal_value(context_at(text)) == 100 * State.from_text(text).score()


def test_order_of_moves():
    """Corners come first; scores stay within the search's bounds."""
    ctx = context_at("---------O----O---XOOX-----OX------XO---------------------------" + " X")
    count = generate_moves(ctx, 0)
    score_moves(ctx, 0, count)
    ranked = [GAME.format_move(ctx.pos, ctx.moves[i]) for i in sorted(range(count), key=lambda i: -ctx.scores[i])]
    assert set(ranked[:2]) == {"a1", "h1"}
    for pos in random_positions(10, "order"):
        ctx.pos = pos
        count = generate_moves(ctx, 0)
        score_moves(ctx, 0, count)
        assert all(abs(score) < 1 << 19 for score in ctx.scores[:count])


@given(POSITIONS)
def test_odd_quadrants(text):
    wanted = 0
    for corner in (0, 4, 32, 36):
        squares = [corner + 8 * rank + file for rank in range(4) for file in range(4)]
        if sum(text[square] == "-" for square in squares) % 2:
            wanted |= sum(1 << square for square in squares)
    pos = parse_obf(text)
    assert odd_quadrants(~np.uint64(pos.own | pos.opponent)) == wanted


def test_history_slots_are_distinct():
    pos, slots = parse_obf(GAME.start), set()
    for side in (0, 1):
        pos.side = side
        slots |= {int(history_slot(pos, np.uint32(move))) for move in [*range(64, 128), PASS]}
    assert len(slots) == 130 and max(slots) < 1 << 14


def test_one_ply_of_evaluation_beats_random_play():
    """The move after which the other side's value is lowest wins nearly all games against random moves."""
    rng, games, wins = random.Random(11), 60, 0
    undo = new_record(GAME.undo)
    for number in range(games):
        ctx = context_at(GAME.start)
        while moves := legal_moves(ctx.pos):
            if int(ctx.pos.side) == number % 2:
                values = {}
                for move in moves:
                    do_move(ctx.pos, move, undo)
                    values[move] = -int(evaluate(ctx))
                    undo_move(ctx.pos, move, undo)
                move = max(moves, key=values.__getitem__)
            else:
                move = rng.choice(moves)
            do_move(ctx.pos, move, undo)
        score = State.from_text(format_obf(ctx.pos)).score()
        wins += score > 0 if int(ctx.pos.side) == number % 2 else score < 0
    assert wins > 0.9 * games


# ---- weights -----------------------------------------------------------------------------------------------------


def test_equal_configurations_share_a_weight():
    """A configuration and its image under a symmetry of the pattern are one weight of the file."""
    places = weights.file_places()
    for name in PATTERN_SQUARES:
        squares = pattern_squares(name)
        images = [[transform_square(square, symmetry) for square in squares] for symmetry in range(8)]
        orders = [[image.index(s) for s in squares] for image in images if set(image) == set(squares)]
        rng = np.random.default_rng(len(squares))
        for digits in rng.integers(0, 3, (50, len(squares))):
            numbers = {sum(3**n * int(digits[m]) for n, m in enumerate(order)) for order in orders}
            assert len({int(places[STARTS[name] + number]) for number in numbers}) == 1
    assert len(np.unique(places)) == weights.file_weights()


def test_phases_between_knots():
    knots = np.zeros((weights.KNOTS, weights.file_weights()), dtype=np.int16)
    knots[0], knots[1] = 30, 90
    table = weights.by_phase(knots)
    assert [int(table[phase, 0]) for phase in range(5)] == [30, 50, 70, 90, 60]
    assert (table == table[:, :1]).all()
