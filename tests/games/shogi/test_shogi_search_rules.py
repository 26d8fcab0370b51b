"""What the search makes of repetition, declarations and having no move."""

import numpy as np
import pytest

from shogi_engine.games.shogi.game import GAME
from shogi_engine.games.shogi.names import ENTERING_KING_RULES, entering_king_rule
from shogi_engine.games.shogi.rules import (
    VALUE_PERPETUAL,
    VALUE_SUPERIOR,
    declaration_value,
    repetition_value,
    terminal_value,
)
from shogi_engine.games.shogi.sfen import parse_sfen, parse_usi
from shogi_engine.games.shogi.types import HAND_GUARDS, hand_covers
from shogi_engine.interface.game import VALUE_MATE, VALUE_MATE_IN_MAX, VALUE_NONE, do_move, do_null
from shogi_engine.jit import JIT_DISABLED
from shogi_engine.search.context import new_context, set_root
from tests.support.processes import needs_workshop
from tests.support.shogi_cases import rule_cases

CYCLE = ["2h3h", "8b7b", "3h2h", "7b8b"]
CHECKS = "lnsg1gsnl/1r5b1/ppppppppp/4k4/9/5R3/PPPPPPPPP/1B7/LNSGKGSNL b - 1"  # black's rook on 4f, white's king on 5d
CHECK_CYCLE = ["4f5f", "5d4d", "5f4f", "4d5d"]
QUIET_CYCLE = ["4f3f", "5d6d", "3f4f", "6d5d"]
CONTEXT = new_context(GAME)


def line(sfen, game, tree):
    """Return a context after the moves `game` and, from the search's root on, `tree`; '-' is a null move."""
    ctx = CONTEXT
    ctx.params = GAME.default_params()
    set_root(ctx, parse_sfen(sfen))
    for number, usi in enumerate([*game, *tree]):
        if usi == "-":
            do_null(ctx.pos, ctx.undo[ctx.game_ply])
        else:
            do_move(ctx.pos, np.uint32(parse_usi(ctx.pos, usi)), ctx.undo[ctx.game_ply])
        ctx.game_ply += 1
        ctx.ply += number >= len(game)
    return ctx


def test_nothing_repeated():
    assert repetition_value(line("startpos", [], ["7g7f", "3c3d", "2g2f", "8c8d"])) == VALUE_NONE


def test_first_repetition_in_the_line_is_a_draw():
    assert repetition_value(line("startpos", [], CYCLE)) == 0
    assert repetition_value(line("startpos", ["9g9f", "9c9d"], CYCLE)) == 0
    for length in range(1, 4):
        assert repetition_value(line("startpos", [], CYCLE[:length])) == VALUE_NONE


def test_one_occurrence_in_the_game_does_not_count_yet():
    assert repetition_value(line("startpos", CYCLE[:1], CYCLE[1:])) == VALUE_NONE
    assert repetition_value(line("startpos", CYCLE + CYCLE[:1], CYCLE[1:])) == 0  # two do


def test_draw_value():
    ctx = line("startpos", [], CYCLE)
    ctx.params.draw_value[0] = -150
    assert repetition_value(ctx) == -150


def test_no_limit_to_how_far_back():
    case = next(case for case in rule_cases()["repetition"] if case["id"] == "R9")
    period = case["moves"][:20]
    assert repetition_value(line(case["sfen"], [], period)) == 0
    assert repetition_value(line(case["sfen"], [], period[:18])) == VALUE_NONE
    assert repetition_value(line(case["sfen"], period * 2, period)) == 0


def test_perpetual_check_in_the_line():
    ctx = line(CHECKS, [], CHECK_CYCLE)
    assert repetition_value(ctx) == -(VALUE_PERPETUAL - 4)  # black, to move, has been giving check
    ctx = line(CHECKS, CHECK_CYCLE[:1], CHECK_CYCLE[1:] + CHECK_CYCLE[:1])
    assert repetition_value(ctx) == VALUE_PERPETUAL - 4  # white, to move, has been checked
    assert VALUE_PERPETUAL < VALUE_MATE_IN_MAX
    assert repetition_value(line(CHECKS, [], QUIET_CYCLE)) == 0


def test_fourth_occurrence_is_the_exact_rule():
    assert repetition_value(line(CHECKS, CHECK_CYCLE * 2, CHECK_CYCLE)) == -(VALUE_MATE - 4)
    assert repetition_value(line(CHECKS, CHECK_CYCLE + QUIET_CYCLE, CHECK_CYCLE)) == 0
    assert repetition_value(line(CHECKS, QUIET_CYCLE + CHECK_CYCLE, CHECK_CYCLE)) == 0
    assert repetition_value(line(CHECKS, CHECK_CYCLE * 2 + CHECK_CYCLE[:2], CHECK_CYCLE[2:])) == -(VALUE_MATE - 2)


def test_superior_and_inferior_hands():
    """A pawn given away for nothing: the board is back, black has one less in hand."""
    sfen = "4k3r/9/9/9/9/9/9/9/K8 b 6P 1"
    gift = ["P*1b", "1a1b", "9i9h", "1b1a", "P*1b", "1a1b", "9h9i", "1b1a"]
    assert repetition_value(line(sfen, [], gift)) == 8 - VALUE_SUPERIOR
    # seen from white: from the move after the first drop on
    assert repetition_value(line(sfen, [], gift + gift[:1])) == VALUE_SUPERIOR - 9
    assert repetition_value(line(sfen, gift[:3], gift[3:])) == VALUE_NONE  # not wholly in the line searched
    assert VALUE_SUPERIOR < VALUE_PERPETUAL


def test_null_moves_repeat_nothing():
    """Black's king goes round three squares while white passes once: the board is back, but no one repeated."""
    sfen = "4k4/9/9/9/9/9/9/9/4K4 b - 1"
    there = ["5i4i", "5a4a", "4i4h", "4a5a", "4h5i", "-"]
    assert repetition_value(line(sfen, [], there)) == VALUE_NONE


@pytest.mark.parametrize(
    ("hand", "other", "expected"),
    [((2, 1), (2, 1), True), ((2, 1), (1, 1), True), ((2, 0), (1, 1), False), ((0, 0), (18, 0), False)],
)
def test_covers(hand, other, expected):
    def packed(counts):
        return np.uint64(counts[0] << 8 | counts[1] << 56)

    assert hand_covers(packed(hand), packed(other), HAND_GUARDS) == expected


@pytest.mark.parametrize("rule", ENTERING_KING_RULES)
def test_claims(rule):
    wins = {name: sfen for name, sfen, _, _ in rule_cases()["declaration"]}
    ctx = line(wins["J1"], [], [])
    ctx.params.entering_king_rule = entering_king_rule(rule)
    ctx.ply = 3
    expected = {"CSARule27": VALUE_MATE - 4, "CSARule27H": VALUE_MATE - 4, "TryRule": -VALUE_MATE + 3}  # white is on 5i
    assert declaration_value(ctx) == expected.get(rule, VALUE_NONE)
    ctx = line(wins["J11"], [], [])
    ctx.params.entering_king_rule = entering_king_rule(rule)
    assert declaration_value(ctx) == (VALUE_MATE - 1 if rule == "CSARule27H" else VALUE_NONE)


def test_try():
    ctx = line("9/4K4/9/9/9/9/9/9/k8 b - 1", [], [])
    ctx.params.entering_king_rule = entering_king_rule("TryRule")
    assert declaration_value(ctx) == VALUE_NONE
    do_move(ctx.pos, np.uint32(parse_usi(ctx.pos, "5b5a")), ctx.undo[0])
    ctx.ply = 1
    assert declaration_value(ctx) == -VALUE_MATE + 1


def test_no_legal_move_loses():
    """In check or not (there is no stalemate)."""
    for sfen in ("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", "k8/4R4/9/9/9/9/9/9/1R2K4 w - 1"):
        ctx = line(sfen, [], [])
        ctx.ply = 5
        assert terminal_value(ctx) == -VALUE_MATE + 5


@needs_workshop
@pytest.mark.skipif(JIT_DISABLED, reason="plain Python has no types to infer")
def test_values_are_integers():
    """The kernels return integers, no floats."""
    numba = pytest.importorskip("numba")
    for kernel in (repetition_value, declaration_value, terminal_value):
        kernel.dispatcher.compile((numba.typeof(CONTEXT),))
        for signature in kernel.dispatcher.signatures:
            result = kernel.dispatcher.overloads[signature].signature.return_type
            assert str(result).startswith(("int", "Literal")), result


def test_the_move_limit_draws_but_for_one_in_check_or_a_declaration():
    def value(sfen, limit, rule="CSARule27"):
        ctx = CONTEXT
        ctx.params = GAME.default_params()
        ctx.params.max_moves, ctx.params.entering_king_rule = limit, entering_king_rule(rule)
        ctx.params.draw_value = (7, -7)
        set_root(ctx, parse_sfen(sfen))
        return declaration_value(ctx)

    quiet = "4k4/9/9/9/9/9/9/9/4K4 b - 11"  # ten moves were made
    for rule in ENTERING_KING_RULES:
        assert [value(quiet, limit, rule) for limit in (0, 9, 10, 11)] == [VALUE_NONE, 7, 7, VALUE_NONE]
    assert value(quiet.replace(" b ", " w "), 10) == -7
    assert value("4k4/9/9/9/9/9/9/4r4/4K4 b - 11", 10) == VALUE_NONE  # in check: it may be mate
    assert value("+R+R2K2+B+B/+P+P+P3+P+P+P/9/9/9/9/9/9/4k4 b 2P 11", 10) == VALUE_MATE - 1
