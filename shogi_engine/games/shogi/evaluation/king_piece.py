"""The king-piece evaluation: every piece by its place relative to each king, and the safety of the kings.

One weight for each piece and king is summed for each king's perspective, and the sums are kept
up to date move by move. A king's own move changes its whole perspective, which is recomputed when it is needed.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.games import weights
from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.bitboard import NEAR_KING, STEP_ATTACKS, occupied, pieces
from shogi_engine.games.shogi.position import side_at
from shogi_engine.games.shogi.rules import VALUE_LIMIT
from shogi_engine.games.shogi.types import GOLD_MOVERS, KING, NO_SQUARE, SILVER, SQUARES
from shogi_engine.games.weights import PackagedWeights, Shapes, layout_of
from shogi_engine.interface.game import do_move, provides_evaluation, undo_move, update_line
from shogi_engine.interface.stubs import Evaluation
from shogi_engine.jit import load_i16, njit, record_dtype

# ---- The weights of the king-piece evaluation: their layout, their file, and the table that the kernels read
#
# Each king has a perspective: all pieces as its owner sees them from their side of the board. `table[king, feature]` is
# the value of a feature for the owner of the king on that square, in 1/UNIT centipawns. A position's value is the sum
# of the features in the perspective of the side to move, less the sum of those in the other perspective. A feature is
#
# * a piece on the board, piece * 81 + square, where piece is (0 own, 1 the enemy's) << 4 | kind, both kings included;
# * the n-th piece of a kind in a hand, HAND_BASE + ((0 own, 1 the enemy's) << 3 | kind) * HAND_COUNTS + n.
#
# For white, squares are counted from the other end (80 - square). Row NO_KING is for a side that has no king. The
# mirror image of a position has the same value, so the file contains only the kings on files 9 to 5.
#
# Row SAFETY contains what a sum over pieces cannot express: the safety of a king, at index (attackers * GUARDS +
# guards)
#     *
# HAND_PRESSURES + pressure. Attackers are enemy pieces near the king (bitboard.NEAR_KING); guards are its own silvers
# and gold-like pieces next to it; pressure is the enemy's hand, with its pieces weighted by HAND_PRESSURE_WEIGHTS.


HAND_BASE = 32 * SQUARES
HAND_COUNTS = 19  # 0 to 18 pieces of a kind
FEATURES = HAND_BASE + 16 * HAND_COUNTS
NO_KING = NO_SQUARE
SAFETY = NO_KING + 1
ROWS = SAFETY + 1
UNIT = 8

ATTACKERS, GUARDS, HAND_PRESSURES = 8, 4, 12  # the number of values of each; larger values count as the largest
SAFETIES = ATTACKERS * GUARDS * HAND_PRESSURES
HAND_PRESSURE_WEIGHTS = (0, 0, 1, 1, 2, 2, 2, 3)  # by kind: none, P L N S G B R

FORMAT = "shogi-king-piece-1"
FILE = Path(__file__).with_name("king_piece.bin")
MIRROR = np.arange(SQUARES).reshape(9, 9)[:, ::-1].ravel()  # by square, its mirror image
STORED_ROWS = np.array([square for square in range(SQUARES) if square % 9 <= 4] + [NO_KING, SAFETY])


def mirror_features() -> np.ndarray:
    """Return int64[FEATURES]: by feature, the same one on the mirrored board."""
    mirrored = np.arange(FEATURES)
    mirrored[:HAND_BASE] = (np.arange(32)[:, None] * SQUARES + MIRROR).ravel()
    return mirrored


@dataclass(frozen=True)
class Weights:
    """The weights of the evaluation king-piece.

    Attributes:
        table: int16[ROWS, FEATURES], 1/UNIT centipawns, row by row
        tempo: centipawns for the side to move
        source: a description of their origin
    """

    table: np.ndarray
    tempo: int
    source: str = "not from a file"

    @property
    def address(self) -> int:
        """The address of the table, for kernels; it is valid as long as this object exists."""
        return self.table.ctypes.data

    def fill(self, params: Any) -> None:
        """Write the address of the table to `params`, and the tempo if they have one."""
        params.table = self.address
        if "tempo" in params.dtype.names:
            params.tempo = self.tempo

    def describe(self) -> str:
        """Return the size of the table and its source."""
        return f"{ROWS} x {FEATURES} weights, {self.source}"


def _layout() -> str:
    return layout_of(FEATURES, HAND_COUNTS, UNIT, ATTACKERS, GUARDS, HAND_PRESSURES, HAND_PRESSURE_WEIGHTS)


def encode(of: Weights) -> bytes:
    """Return the file of weights that are the same for mirrored boards."""
    rows = of.table[STORED_ROWS]
    steps = np.diff(rows, axis=0, prepend=np.int16(0))  # neighbouring rows are similar, so differences compress better
    return weights.encode(FORMAT, _layout(), {}, {"steps": steps, "tempo": np.int32(of.tempo)})


def decode(content: bytes, file: Path) -> Weights:
    """Return the weights of a file's content. Raises ValueError with one line saying what is wrong with it."""
    shapes: Shapes = {"steps": (np.int16, (len(STORED_ROWS), FEATURES)), "tempo": (np.int32, ())}
    found = weights.decode(content, file, FORMAT, _layout(), shapes)
    table = np.zeros((ROWS, FEATURES), dtype=np.int16)
    table[STORED_ROWS] = np.cumsum(found.arrays["steps"], axis=0, dtype=np.int16)
    right = np.array([square for square in range(SQUARES) if square % 9 > 4])
    table[right] = table[MIRROR[right]][:, mirror_features()]
    return Weights(table, int(found.arrays["tempo"]), file.name)


WEIGHTS = PackagedWeights(FILE, decode)


# ---- The safety of a king: its guards, the enemy pieces near it, and the pieces that the enemy has in hand


# A hand times this number has the weighted sum of its counts in the highest byte, if that sum is below 256.
HAND_PRESSURE_FACTOR = np.uint64(sum(weight << 56 - 8 * kind for kind, weight in enumerate(HAND_PRESSURE_WEIGHTS)))
S56 = np.uint64(56)


@njit
def safety_index(pos, colour):
    """Return the index in row SAFETY of the weights for the safety of `colour`'s king; the king must exist."""
    king = int(pos.king[colour])
    attackers = len(pieces(pos, 1 - colour) & NEAR_KING[colour, king])
    guards = len((pieces(pos, colour, SILVER) | pieces(pos, colour, GOLD_MOVERS)) & STEP_ATTACKS[colour, KING, king])
    # int() alone would leave it unsigned, and min() then makes a float
    pressure = int(np.int64(pos.hand[1 - colour] * HAND_PRESSURE_FACTOR >> S56))
    place = min(attackers, ATTACKERS - 1) * GUARDS + min(guards, GUARDS - 1)
    return place * HAND_PRESSURES + min(pressure, HAND_PRESSURES - 1)


@njit
def king_safety(table, pos, colour):
    """Return the safety of `colour`'s king, 0 if there is none.

    Args:
        table: uint64, the address of king_piece.Weights.table
    """
    if pos.king[colour] == NO_SQUARE:
        return np.int64(0)
    return load_i16(table + np.uint64(2 * (FEATURES * SAFETY + safety_index(pos, colour))))


@njit
def king_safety_difference(table, pos, colour):
    """Return the safety of `colour`'s king minus that of the other king."""
    return king_safety(table, pos, colour) - king_safety(table, pos, 1 - colour)


# By colour: the sum of its king's perspective in 1/UNIT centipawns, or STALE, and the address of its king's row.
ACCUMULATOR = record_dtype([("rows", np.uint64, (2,)), ("sums", np.int64, (2,))])
STALE = 1 << 40

EVALUATION = Evaluation(
    "king-piece",
    t.POSITION,
    accumulator=ACCUMULATOR,
    fields=(
        ("table", np.uint64),  # the address of king_piece.Weights.table
        ("tempo", np.int32),  # centipawns for the side to move
    ),
    load_weights=WEIGHTS.of,
)


@njit
def weight(row, feature):
    """Return a king's weight of `feature`.

    Args:
        row: uint64, the address of the king's row of the weights' table
    """
    return load_i16(row + np.uint64(2 * feature))


@njit
def king_row(ctx, colour):
    """Return the address of the row for `colour`'s king in ctx.pos."""
    king = int(ctx.pos.king[colour])
    if king != t.NO_SQUARE:
        king = t.relative_square(colour, king)
    return ctx.evaluation.table + np.uint64(2 * FEATURES * king)


@njit
def hand_feature(owner, kind, number):
    """Return the feature of the `number`-th piece of `kind` in a hand.

    Args:
        owner: 0 for the king's own side, 1 for the enemy
    """
    return HAND_BASE + (owner << 3 | kind) * HAND_COUNTS + number


@njit
def perspective_sum(pos, row, colour):
    """Return the sum of the weights of `colour`'s perspective of `pos`.

    Args:
        row: as `king_row` returns it
    """
    enemy = t.make_piece(colour, 0)  # turns black's pieces and white's into the king's own and the enemy's
    value = np.int64(0)
    for square in occupied(pos):
        value += weight(row, (int(pos.board[square]) ^ enemy) * t.SQUARES + t.relative_square(colour, square))
    for owner in range(2):
        hand = pos.hand[colour ^ owner]
        if hand != ZERO:
            for kind in range(1, t.KING):
                for number in range(t.hand_count(hand, kind)):
                    value += weight(row, hand_feature(owner, kind, number + 1))
    return value


@njit
def perspective_change(row, colour, mover, move, hand):
    """Return the change of the sum of `colour`'s perspective by `move` of `mover`, whose hand (uint64) was `hand`.

    It cannot be used for a move of that king, which changes the row.
    """
    owner = mover ^ colour
    kind, target = t.move_kind(move), t.relative_square(colour, t.move_to(move))
    value = weight(row, t.make_piece(owner, t.arriving_kind(move)) * t.SQUARES + target)
    if t.is_drop(move):
        return value - weight(row, hand_feature(owner, kind, t.hand_count(hand, kind)))
    value -= weight(row, t.make_piece(owner, kind) * t.SQUARES + t.relative_square(colour, t.move_from(move)))
    captured = t.move_captured(move)
    if captured != 0:
        value -= weight(row, t.make_piece(owner ^ 1, captured) * t.SQUARES + target)
        gained = int(t.UNPROMOTED[captured])
        value += weight(row, hand_feature(owner, gained, t.hand_count(hand, gained) + 1))
    return value


@njit
def refresh_perspective(ctx, ply, colour):
    """Write the row and the sum of `colour`'s perspective of ctx.pos to ctx.accumulators[ply]."""
    row = king_row(ctx, colour)
    ctx.accumulators[ply].rows[colour] = row
    ctx.accumulators[ply].sums[colour] = perspective_sum(ctx.pos, row, colour)


@provides_evaluation(EVALUATION)
def refresh_accumulator(ctx, ply):
    for colour in range(2):
        refresh_perspective(ctx, ply, colour)


@provides_evaluation(EVALUATION)
def update_accumulator(ctx, ply):
    """After a king's own move, its perspective is STALE until it is needed."""
    before, after = ctx.accumulators[ply - 1], ctx.accumulators[ply]
    undo = ctx.undo[ctx.game_ply - ctx.ply + ply - 1]
    move, mover = undo.move, side_at(ctx, ply - 1)
    for colour in range(2):
        after.rows[colour] = before.rows[colour]
        if before.sums[colour] == STALE or t.move_kind(move) == t.KING and colour == mover:
            after.sums[colour] = STALE
        elif move == 0:
            after.sums[colour] = before.sums[colour]
        else:
            change = perspective_change(before.rows[colour], colour, mover, move, undo.hand[mover])
            after.sums[colour] = before.sums[colour] + change


@provides_evaluation(EVALUATION)
def evaluate(ctx):
    update_line(ctx)
    us = int(ctx.pos.side)
    sums = ctx.accumulators[ctx.ply].sums
    for colour in range(2):
        if sums[colour] == STALE:
            refresh_perspective(ctx, ctx.ply, colour)
    value = sums[us] - sums[1 - us] + king_safety_difference(ctx.evaluation.table, ctx.pos, us)
    value = value // UNIT + ctx.evaluation.tempo
    return min(max(value, -VALUE_LIMIT), VALUE_LIMIT)


@njit
def order_by_king_piece(ctx, move):
    """Return the mover's value after `move` by ctx.evaluation.table, in 1/UNIT centipawns."""
    pos = ctx.pos
    us, undo = int(pos.side), ctx.undo[ctx.game_ply]
    do_move(pos, move, undo)
    value = perspective_sum(pos, king_row(ctx, us), us) - perspective_sum(pos, king_row(ctx, 1 - us), 1 - us)
    value += king_safety_difference(ctx.evaluation.table, pos, us)
    undo_move(pos, move, undo)
    return value


@provides_evaluation(EVALUATION)
def root_order_score(ctx, move):
    return order_by_king_piece(ctx, move)  # finer than `evaluate`
