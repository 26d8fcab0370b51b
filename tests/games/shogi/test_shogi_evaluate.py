"""Shogi's evaluation: compared with a sum over the board, along lines, without kings, and the file of its weights."""

import random

import numpy as np
import pytest

from shogi_engine.games.shogi.evaluation import king_piece
from shogi_engine.games.shogi.evaluation.king_piece import FEATURES, MIRROR, NO_KING, ROWS, UNIT, Weights
from shogi_engine.games.shogi.game import GAME
from shogi_engine.games.shogi.params import VALUES
from shogi_engine.games.shogi.sfen import START, parse_sfen
from shogi_engine.games.shogi.types import KING, move_kind
from shogi_engine.games.shogi.usi_moves import parse_usi
from shogi_engine.interface.game import (
    VALUE_MAX,
    do_move,
    do_null,
    evaluate,
    is_in_check,
    refresh_line,
    undo_move,
    undo_null,
)
from shogi_engine.jit import new_record
from shogi_engine.search.context import new_context, set_root
from tests.support.shogi_moves import legal_moves

SFENS = (
    START,
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
    "4k4/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P 1",  # black has no king
    "9/9/9/9/4+R4/9/9/9/4K4 w r2b4g4s4n4l18p 1",  # white has none
    "9/9/4p4/9/4+R4/9/9/9/9 w rb 1",
)


def context(evaluation="king-piece"):
    """Return a context that evaluates in one of the two ways."""
    return new_context(GAME, evaluator=GAME.evaluation(evaluation).load())


def fresh(ctx, pos):
    """Return the value of `pos` as the root of a search."""
    set_root(ctx, pos)
    refresh_line(ctx)
    return int(evaluate(ctx))


def perspective_sum(pos, colour):
    """Return what `colour`'s king sees by the layout in king_piece's docstring, square by square and piece by piece."""
    table = king_piece.WEIGHTS.shipped.table
    king = int(pos.king[colour])
    row = table[NO_KING if king == 81 else king if colour == 0 else 80 - king]
    total = 0
    for square, piece in enumerate(pos.board.tolist()):
        if piece:
            enemy = (piece >> 4) != colour
            total += int(row[(enemy << 4 | piece & 15) * 81 + (square if colour == 0 else 80 - square)])
    for owner in (0, 1):
        for kind in range(1, 8):
            for number in range(1, (int(pos.hand[owner]) >> 8 * kind & 255) + 1):
                total += int(row[32 * 81 + ((owner != colour) << 3 | kind) * 19 + number])
    return total


def safety(pos, colour):
    """Return the safety of `colour`'s king, counted square by square."""
    king = int(pos.king[colour])
    if king == 81:
        return 0
    forward = -1 if colour == 0 else 1
    attackers = guards = 0
    for square, piece in enumerate(pos.board.tolist()):
        down, right = square // 9 - king // 9, abs(square % 9 - king % 9)
        if piece and piece >> 4 != colour:
            attackers += right <= 2 and -3 <= down * -forward <= 2
        elif piece and piece & 15 in (4, 5, 9, 10, 11, 12):
            guards += max(abs(down), right) == 1
    hand = int(pos.hand[1 - colour])
    hand_pressure = sum(
        (hand >> 8 * kind & 255) * weight for kind, weight in enumerate(king_piece.HAND_PRESSURE_WEIGHTS)
    )
    index = (min(attackers, 7) * 4 + min(guards, 3)) * 12 + min(hand_pressure, 11)
    return int(king_piece.WEIGHTS.shipped.table[king_piece.SAFETY, index])


def naive_value(pos):
    """Return the value by `perspective_sum` and `safety`."""
    us = int(pos.side)
    value = perspective_sum(pos, us) - perspective_sum(pos, 1 - us) + safety(pos, us) - safety(pos, 1 - us)
    return value // UNIT + king_piece.WEIGHTS.shipped.tempo


def plain_material(pos):
    """Return the material of the side to move less the other's."""
    value = sum(VALUES[piece & 15] * (-1 if piece >> 4 else 1) for piece in pos.board.tolist())
    for kind in range(1, KING):
        black, white = (int(hand) >> 8 * kind & 255 for hand in pos.hand)
        value += VALUES[kind] * (black - white)
    return -value if pos.side else value


def random_games(count, plies):
    """Yield the positions of random games."""
    undo = new_record(GAME.undo)
    for number in range(count):
        rng = random.Random(number)
        pos = parse_sfen(SFENS[number % len(SFENS)])
        for _ in range(plies):
            yield pos
            moves = legal_moves(pos).tolist()
            if not moves:
                break
            do_move(pos, np.uint32(rng.choice(moves)), undo)


@pytest.mark.parametrize(("evaluation", "plain"), [("king-piece", naive_value), ("material", plain_material)])
def test_the_value_is_the_plain_sum(evaluation, plain):
    ctx, values = context(evaluation), set()
    for pos in random_games(12, 60):
        values.add(fresh(ctx, pos.copy()))
        assert fresh(ctx, pos.copy()) == plain(pos)
    assert len(values) > 50


@pytest.mark.parametrize("evaluation", ["king-piece", "material"])
def test_along_a_line_the_value_stays_the_sum(evaluation):
    """Moves, null moves and their taking back, evaluated now and then, as in a search."""
    ctx, other = context(evaluation), context(evaluation)
    kings = nulls = 0
    for number, sfen in enumerate(SFENS):
        rng = random.Random(number)
        fresh(ctx, parse_sfen(sfen))
        line = []
        for _ in range(300):
            moves = legal_moves(ctx.pos).tolist()
            if line and (not moves or len(line) > 100 or rng.random() < 0.4):
                move = line.pop()
                ctx.game_ply, ctx.ply = ctx.game_ply - 1, ctx.ply - 1
                undo = ctx.undo[ctx.game_ply]
                undo_move(ctx.pos, move, undo) if move else undo_null(ctx.pos, undo)
                ctx.computed_ply = min(ctx.computed_ply, ctx.ply)
            elif moves:
                royal = [move for move in moves if move_kind(move) == KING]
                move = np.uint32(rng.choice(royal if royal and rng.random() < 0.3 else moves))
                if not is_in_check(ctx.pos) and rng.random() < 0.1:
                    move = np.uint32(0)
                    do_null(ctx.pos, ctx.undo[ctx.game_ply])
                else:
                    do_move(ctx.pos, move, ctx.undo[ctx.game_ply])
                kings += bool(royal) and move in royal
                nulls += move == 0
                line.append(move)
                ctx.game_ply, ctx.ply = ctx.game_ply + 1, ctx.ply + 1
            if rng.random() < 0.5:
                assert evaluate(ctx) == fresh(other, ctx.pos.copy())
    assert kings > 50 and nulls > 50


def test_the_game_before_the_root_does_not_matter():
    ctx = context()
    ctx.pos = parse_sfen(START)
    for usi in ("7g7f", "3c3d", "8h2b+", "3a2b", "B*4e", "5a6b"):
        do_move(ctx.pos, np.uint32(parse_usi(ctx.pos, usi)), ctx.undo[ctx.game_ply])
        ctx.game_ply += 1
    refresh_line(ctx)
    assert evaluate(ctx) == naive_value(ctx.pos)


def test_mirrored_boards_have_mirrored_weights():
    table = king_piece.WEIGHTS.shipped.table
    assert table.shape == (ROWS, FEATURES) and table.any()
    mirrored = table[[*MIRROR, NO_KING]][:, king_piece.mirror_features()]
    assert np.array_equal(table[: NO_KING + 1], mirrored)


def test_no_sum_leaves_the_range_of_values():
    """Even 38 times the largest weight for one king, and the smallest for the other, fits a sum; then it is cut."""
    table = king_piece.WEIGHTS.shipped.table.astype(np.int64)
    assert 2 * 40 * np.abs(table).max() < 1 << 31
    ctx = context()
    heavy = np.full((ROWS, FEATURES), np.iinfo(np.int16).max, dtype=np.int16)
    heavy[:, 16 * 81 : 32 * 81] = heavy[:, 32 * 81 + 8 * 19 :] = -np.iinfo(np.int16).max
    ctx.evaluation.table = heavy.ctypes.data
    value = fresh(ctx, parse_sfen("4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1"))
    assert 20000 < value < VALUE_MAX
    assert fresh(ctx, parse_sfen("4k4/9/9/9/9/9/9/9/4K4 w 2R2B4G4S4N4L18P 1")) == -value


def test_weights_of_the_file_reach_the_search(tmp_path):
    """A pawn's weight that is changed changes the values of positions."""
    shipped = king_piece.WEIGHTS.shipped
    table = shipped.table.copy()
    table[:, 81:162] += 10 * UNIT
    other = king_piece.decode(king_piece.encode(Weights(table, shipped.tempo)), tmp_path / "w.bin")
    ctx = context()
    pos = parse_sfen("4k4/9/9/9/4P4/9/9/9/4K4 b - 1")
    before = fresh(ctx, pos.copy())
    ctx.evaluation.table = other.address
    assert fresh(ctx, pos.copy()) == before + 10
