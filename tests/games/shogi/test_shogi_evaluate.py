"""Shogi's evaluation: compared with a sum over the board, along lines, without kings, and the file of its weights."""

import random
import re

import numpy as np
import pytest

from shogi_engine.games.shogi.evaluation import king_piece
from shogi_engine.games.shogi.evaluation.king_piece import FEATURES, MIRROR, NO_KING, ROWS, UNIT, Weights
from shogi_engine.games.shogi.game import GAME
from shogi_engine.games.shogi.names import piece_worths, worth_table
from shogi_engine.games.shogi.params import VALUES
from shogi_engine.games.shogi.sfen import START, parse_sfen, parse_usi
from shogi_engine.games.shogi.types import KING
from shogi_engine.interface.game import VALUE_MAX, do_move, evaluate, refresh_line
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


# ---- worths of pieces --------------------------------------------------------------------------------------------


WORTHS = {"p": 90, "+p": 420, "r": 990, "b": 855, "g": 540}
SFEN = "4k4/9/9/4p4/9/4+P4/9/4R4/4K4 w 2Bg3p 7"


def value_of(sfen):
    """Return the material for the side to move, pieces in hand at 10 more. Raises ValueError without a rook."""
    board, side, hands, number = sfen.split()
    rows = [re.findall(r"\+?[A-Za-z]|\d", row) for row in board.split("/")]
    assert number == "7" and all(sum(int(each) if each.isdigit() else 1 for each in row) == 9 for row in rows)
    if "R" not in board:
        raise ValueError("no rook")
    total = 0
    for piece in re.findall(r"\+?[A-Za-z]", board):
        total += WORTHS.get(piece.lower(), 0) * (1 if piece.isupper() else -1)
    for count, piece in re.findall(r"(\d*)([A-Za-z])", hands):
        total += int(count or 1) * (WORTHS[piece.lower()] + 10) * (1 if piece.isupper() else -1)
    return total if side == "b" else -total


def test_each_piece_is_left_out_in_turn():
    found = list(piece_worths(SFEN, value_of))
    assert found == [
        ("5d", "p", 90), ("5f", "+P", 420), ("5h", "R", None), ("hand", "B", 865), ("hand", "g", 550),
        ("hand", "p", 100),
    ]  # fmt: skip


def test_the_last_piece_of_a_hand():
    assert list(piece_worths("4k4/9/9/9/9/9/9/4R4/4K4 b 2p 7", value_of))[1:] == [("hand", "p", 100)]
    assert list(piece_worths("4k4/9/9/9/9/9/9/4R4/4K4 b p 7", value_of))[1:] == [("hand", "p", 100)]


def test_the_table():
    lines = worth_table(SFEN, value_of)
    assert len(lines) == 11 and lines[0].split() == list("987654321") and lines[-1] == "in hand: B 865, g 550, p 100"
    assert [line[-1] for line in lines[1:10]] == list("abcdefghi")
    assert lines[4].split() == [".", ".", ".", ".", "p", "90", ".", ".", ".", ".", "d"]
    assert lines[6].split()[4:6] == ["+P", "420"] and lines[8].split()[4:6] == ["R", "?"]
    assert not any("hand" in line for line in worth_table("4k4/9/9/9/9/9/9/4R4/4K4 b - 7", value_of))
