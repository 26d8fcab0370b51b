"""The evaluation by the network: int16 sums of each side's features, updated move by move, and a layer on top.

A move changes one or two rows of each side's sum. A king that crosses the middle file changes all
features of its side, whose sum is then recomputed when it is needed. The sums of a ply lie in the context's
evaluation cache, side by side and aligned for vectors.
"""

import functools
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.games import weights
from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.bitboard import occupied
from shogi_engine.games.shogi.position import side_at
from shogi_engine.games.shogi.rules import VALUE_LIMIT
from shogi_engine.games.shogi.types import KINDS, KING, NO_SQUARE, SET_SIZE, SQUARES, hand_count, relative_square
from shogi_engine.games.weights import PackagedWeights, Shapes, layout_of
from shogi_engine.interface.game import MAX_PLY, provides_evaluation, update_line, value_after
from shogi_engine.interface.stubs import Evaluation
from shogi_engine.jit import load_u64, njit, record_dtype, vectors
from shogi_engine.jit.vectors import LANES, SQUARE_WEIGHT_LIMIT, aligned_zeros

# ---- The network's input: the numbered features of a position, from either side's point of view
#
# A side sees all pieces, both kings included, from its own end of the board: for white, squares are counted from the
# other end. While its own king stands beyond the middle file, the side sees the board's mirror image. A feature is
#
# * a piece on the board, owner * SIDE + (kind - 1) * 81 + square, where owner is 0 for its own and 1 for the enemy's;
# * the n-th piece of a kind in a hand, owner * SIDE + HAND_BASE + HAND_OFFSETS[kind] + n - 1: of three pawns in hand
#   three features are active.
#
# A full set of pieces thus has 40 active features, and a move changes at most four for each side. Only a king that
# crosses the middle file changes all features of its side.
#
# The network has OUTPUT_BUCKETS sets of output weights. The number of pieces in hand selects one, as the number of
# pieces on the board does in Stockfish's networks.


FEATURE_SET = "mirrored-2344"  # what the file calls this set
HAND_BASE = (KINDS - 1) * SQUARES
HAND_OFFSETS = (0, *np.cumsum([0, *SET_SIZE[1 : KING - 1]]).tolist())  # by kind: P L N S G B R
SIDE = HAND_BASE + sum(SET_SIZE[1:KING])
FEATURES = 2 * SIDE
ACTIVE = sum(SET_SIZE)  # the maximum number of active features

OUTPUT_BUCKETS = 8
BUCKET_STARTS = (
    0,
    1,
    2,
    3,
    4,
    6,
    8,
    11,
)  # minimum number of pieces in both hands, chosen for buckets of about equal size
HELD_BUCKETS = (np.searchsorted(BUCKET_STARTS, np.arange(ACTIVE), side="right") - 1).astype(np.uint8)
EVERY_BYTE = np.uint64(0x0101010101010101)

# By view, colour * 2 + mirrored: each square as the view sees it. By owner * 16 + kind: the first feature of a piece on
# the board, and of one in hand.
VIEWS = 4
SEEN = np.zeros((VIEWS, SQUARES), dtype=np.uint8)
for _view in range(VIEWS):
    for _square in range(SQUARES):
        _seen = _square if _view < 2 else SQUARES - 1 - _square
        SEEN[_view, _square] = _seen + 8 - 2 * (_seen % 9) if _view & 1 else _seen
PIECE_FEATURES = np.zeros(32, dtype=np.uint16)
HAND_FEATURES = np.zeros(32, dtype=np.uint16)
for _owner in range(2):
    for _kind in range(1, KINDS):
        PIECE_FEATURES[_owner << 4 | _kind] = _owner * SIDE + (_kind - 1) * SQUARES
    for _kind in range(1, KING):
        HAND_FEATURES[_owner << 4 | _kind] = _owner * SIDE + HAND_BASE + HAND_OFFSETS[_kind]

# `write_features`'s table of the pieces on the board.
PIECES = np.array(
    [[PIECE_FEATURES[_piece ^ _view >> 1 << 4] + SEEN[_view] for _piece in range(32)] for _view in range(VIEWS)]
)


@njit
def view_of(colour, king):
    """Return the view, colour * 2 + mirrored, of `colour` with its king on `king` (NO_SQUARE if it has none)."""
    mirrored = king != NO_SQUARE and relative_square(colour, king) % 9 > 4
    return colour * 2 + (1 if mirrored else 0)


@njit
def piece_feature(view, owner, kind, square):
    """Return the feature of a piece on `square`.

    Args:
        owner: 0 for the side whose view it is, 1 for the enemy
    """
    return int(PIECE_FEATURES[owner << 4 | kind]) + int(SEEN[view, square])


@njit
def output_bucket(pos):
    """Return the output bucket of a position, by the number of pieces in both hands."""
    return int(HELD_BUCKETS[int((pos.hand[0] + pos.hand[1]) * EVERY_BYTE >> np.uint64(56))])


def held_pieces(active: np.ndarray) -> np.ndarray:
    """Return how many of the features in the last axis of `active` are pieces in hands."""
    return np.asarray(((active < FEATURES) & (active % SIDE >= HAND_BASE)).sum(axis=-1))


@njit
def hand_feature(owner, kind, number):
    """Return the feature of the `number`-th piece of `kind` (from 1) in a hand."""
    return int(HAND_FEATURES[owner << 4 | kind]) + number - 1


@njit
def write_features(pos, colour, pieces, hands, nothing, features):
    """Write the features of `pos` that are active for `colour` to `features`, uint16[ACTIVE], and fill up the rest.

    Args:
        pieces: uint16[VIEWS, 32, SQUARES], in, by view, piece on the board and square, the feature
        hands: uint16[32], in, by owner << 4 | kind, the feature of the first such piece in hand; others follow
        nothing: the number that means no feature
    """
    view, count = view_of(colour, int(pos.king[colour])), 0
    for square in occupied(pos):
        features[count] = pieces[view, pos.board[square], square]
        count += 1
    for owner in range(2):
        hand = pos.hand[colour ^ owner]
        if hand != ZERO:
            for kind in range(1, KING):
                for number in range(hand_count(hand, kind)):
                    features[count] = hands[owner << 4 | kind] + number
                    count += 1
    for rest in range(count, ACTIVE):
        features[rest] = nothing


# ---- The weights of the network: their sizes, their file, the computation, and their place in memory for the kernels
#
# accumulator of a side = bias + the sum of the rows of its active features                 int16[width], unit 1/qa
#     output = output_bias + sum of square(accumulator) * output_weights, the side to move's first
#     square(x) = (clip(x, 0, qa) << shift)^2 >> 16                                   squared clipped ReLU, below 2^14
#     value in centipawns = output * multiplier / 2^SHIFT, rounded down
#
# The output's weights and bias are those of the position's output bucket; the multiplier undoes the units. Each network
# has its own units, as large as its weights allow: qa, one less than a power of two, and qb for the output weights.
# The functions before number features and output buckets. `shogi-engine train` makes the file; the package has FILE.


FORMAT = "shogi-network-3"
FILE = Path(__file__).with_name("network.bin")
QAS = (2047, 1023, 511, 255)
QB_RANGE = 64, 4096
SHIFT = 32
WIDTH = 256  # the constant length of the kernels' loops; narrower networks are padded with zeros
SCALE_LIMIT = 1 << 16


@dataclass(frozen=True)
class Network:
    """Quantised weights; the module describes them.

    Attributes:
        made: how the network was made, as JSON values
        source: a description of its origin
    """

    rows: np.ndarray
    bias: np.ndarray
    output_weights: np.ndarray
    output_bias: np.ndarray
    qa: int
    qb: int
    scale: int
    made: dict[str, Any] = field(default_factory=dict)
    source: str = "not from a file"

    def enlarged(self, factor: float) -> "Network":
        """Return the network with its values multiplied by `factor`."""
        return replace(self, scale=round(self.scale * factor))

    @property
    def width(self) -> int:
        """The number of neurons of each side."""
        return len(self.bias)

    @property
    def shift(self) -> int:
        """15 minus the number of bits of qa."""
        return 15 - self.qa.bit_length()

    @property
    def unit(self) -> int:
        """The integer that represents an output of 1, times 2^16."""
        return (self.qa << self.shift) ** 2 * self.qb

    @property
    def multiplier(self) -> int:
        """The factor that turns an output into centipawns, times 2^SHIFT."""
        return ((self.scale << SHIFT + 16) + self.unit // 2) // self.unit

    @functools.cached_property
    def memory(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Rows, bias, output weights and output bias, WIDTH wide and aligned; valid as long as this object exists."""
        rows, bias, output_weights = (
            aligned_zeros((*array.shape[:-1], WIDTH), np.int16) for array in (self.rows, self.bias, self.output_weights)
        )
        for array, given in ((rows, self.rows), (bias, self.bias), (output_weights, self.output_weights)):
            array[..., : self.width] = given
        return rows, bias, output_weights, np.ascontiguousarray(self.output_bias, dtype=np.int64)

    def fill(self, params: Any) -> None:
        """Write the addresses and the numbers to `params`."""
        params.rows, params.bias, params.output_weights, params.output_bias = (
            array.ctypes.data for array in self.memory
        )
        params.qa, params.shift, params.multiplier = self.qa, self.shift, self.multiplier

    def describe(self) -> str:
        """Return the size and the source."""
        made = "".join(f", {name} {self.made[name]}" for name in ("command", "seed", "generation") if name in self.made)
        return f"({FEATURES} -> {self.width})x2 -> {OUTPUT_BUCKETS}, {self.source}{made}"

    def output(self, active: tuple[np.ndarray, np.ndarray]) -> int:
        """Return the value in centipawns, computed with numpy.

        Args:
            active: the active features of the side to move, and of the other side
        """
        bucket = HELD_BUCKETS[held_pieces(active[0])]
        total = int(self.output_bias[bucket])
        for features, layer in zip(active, self.output_weights[bucket], strict=True):
            accumulator = self.bias.astype(np.int64) + self.rows[features].astype(np.int64).sum(axis=0)
            squares = (accumulator.clip(0, self.qa) << self.shift) ** 2 >> 16
            total += int((squares * layer.astype(np.int64)).sum())
        return total * self.multiplier >> SHIFT


def quantise(rows: np.ndarray, bias: np.ndarray, output: np.ndarray, output_bias: np.ndarray, scale: float) -> Network:
    """Return the network of float weights, quantised in the finest units in which no sum overflows.

    Args:
        scale: centipawns for an output of 1
        rows: float[FEATURES, width]
        bias: float[width]
        output: float[OUTPUT_BUCKETS, 2, width]
        output_bias: float[OUTPUT_BUCKETS]
    """
    largest = np.sort(np.abs(rows), axis=0)[-ACTIVE:].sum(axis=0) + np.abs(bias)
    fitting = [qa for qa in QAS if (largest.max() * qa) + ACTIVE < np.iinfo(np.int16).max]
    qa = fitting[0] if fitting else QAS[-1]
    qb = int(np.clip(SQUARE_WEIGHT_LIMIT / max(float(np.abs(output).max()), 1e-6), *QB_RANGE))
    whole = [np.rint(array).astype(np.int16) for array in (rows * qa, bias * qa, output * qb)]
    network = Network(whole[0], whole[1], whole[2], np.zeros(OUTPUT_BUCKETS, np.int64), qa, qb, max(round(scale), 1))
    return replace(network, output_bias=np.rint(output_bias * (network.unit / (1 << 16))).astype(np.int64))


def _layout() -> str:
    return layout_of(FEATURE_SET, FEATURES, OUTPUT_BUCKETS)


def encode(network: Network) -> bytes:
    """Return the file of a network."""
    arrays = {name: getattr(network, name) for name in ("rows", "bias", "output_weights", "output_bias")}
    arrays["units"] = np.array([network.qa, network.qb, network.scale], np.int64)
    return weights.encode(FORMAT, _layout(), {"made": network.made}, arrays)


def decode(content: bytes, file: Path) -> Network:
    """Return the network of a file's content. Raises ValueError with one line saying what is wrong with it."""
    shapes: Shapes = {
        "rows": (np.int16, (FEATURES, None)),
        "bias": (np.int16, (None,)),
        "output_weights": (np.int16, (OUTPUT_BUCKETS, 2, None)),
        "output_bias": (np.int64, (OUTPUT_BUCKETS,)),
        "units": (np.int64, (3,)),
    }
    found = weights.decode(content, file, FORMAT, _layout(), shapes)
    rows, bias, output, output_bias, units = (found.arrays[name] for name in shapes)
    width, (qa, qb, scale) = len(bias), map(int, units)
    if {width} != {array.shape[-1] for array in (rows, output)} or width > WIDTH or width % LANES:
        raise weights.refusal(file, f"has width {width}; it must be a multiple of {LANES} up to {WIDTH}")
    if not (qa in QAS and QB_RANGE[0] <= qb <= QB_RANGE[1] and 0 < scale < SCALE_LIMIT):
        raise weights.refusal(file, f"has units {qa} and {qb} and scale {scale}, beyond the range of the kernels")
    if np.abs(output.astype(np.int64)).max() > SQUARE_WEIGHT_LIMIT:
        raise weights.refusal(file, "has output weights beyond the range of the kernels")
    return Network(rows, bias, output, output_bias, qa, qb, scale, found.header["made"], found.source)


WEIGHTS = PackagedWeights(FILE, decode)


PLIES = MAX_PLY + 2
SUMS_BYTES = 2 * WIDTH
ACCUMULATOR = record_dtype([("views", np.uint64, (2,))])  # by colour: the view (view_of) summed, or STALE
CACHE = record_dtype([("memory", np.uint8, (PLIES * 2 * SUMS_BYTES + vectors.ALIGNMENT,))])
STALE = 8

EVALUATION = Evaluation(
    "network",
    t.POSITION,
    accumulator=ACCUMULATOR,
    cache=CACHE,
    fields=(
        ("rows", np.uint64),  # the addresses of Network.memory
        ("bias", np.uint64),
        ("output_weights", np.uint64),
        ("output_bias", np.uint64),
        ("qa", np.uint64),
        ("shift", np.uint64),
        ("multiplier", np.uint64),
    ),
    load_weights=WEIGHTS.of,
)


@njit
def sums_address(ctx, ply, colour):
    """Return the address of the sums of `colour` at `ply`, int16[WIDTH]."""
    begin = vectors.align_up(np.uint64(ctx.evaluation_cache.memory.ctypes.data))
    return begin + np.uint64((ply * 2 + colour) * SUMS_BYTES)


@njit
def row_address(ctx, feature):
    """Return the address of a feature's row, int16[WIDTH]."""
    return ctx.evaluation.rows + np.uint64(feature * SUMS_BYTES)


@njit
def refresh_view(ctx, ply, colour):
    """Compute the sums of `colour` for ctx.pos from scratch and write them to `ply`."""
    pos = ctx.pos
    sums, view = sums_address(ctx, ply, colour), view_of(colour, int(pos.king[colour]))
    vectors.copy_i16(sums, ctx.evaluation.bias, WIDTH)
    for square in occupied(pos):
        piece = int(pos.board[square]) ^ colour << 4
        vectors.add_i16(sums, sums, row_address(ctx, piece_feature(view, piece >> 4, piece & 15, square)), WIDTH)
    for owner in range(2):
        hand = pos.hand[colour ^ owner]
        if hand != ZERO:
            for kind in range(1, t.KING):
                for number in range(1, t.hand_count(hand, kind) + 1):
                    vectors.add_i16(sums, sums, row_address(ctx, hand_feature(owner, kind, number)), WIDTH)
    ctx.accumulators[ply].views[colour] = view


@njit
def update_view(ctx, ply, colour, view, mover, move, hand):
    """Derive the sums of `colour` at `ply` from those of the ply before, after which `mover` made `move`.

    Args:
        view: the view of `colour`, which the move does not change
        hand: uint64, the mover's hand before the move
    """
    before, after = sums_address(ctx, ply - 1, colour), sums_address(ctx, ply, colour)
    owner, kind, target = mover ^ colour, t.move_kind(move), t.move_to(move)
    arrives = row_address(ctx, piece_feature(view, owner, t.arriving_kind(move), target))
    if t.is_drop(move):
        leaves = row_address(ctx, hand_feature(owner, kind, t.hand_count(hand, kind)))
    else:
        leaves = row_address(ctx, piece_feature(view, owner, kind, t.move_from(move)))
    captured = t.move_captured(move)
    if captured == 0:
        vectors.add_sub_i16(after, before, arrives, leaves, WIDTH)
    else:
        gained = int(t.UNPROMOTED[captured])
        lost = row_address(ctx, piece_feature(view, owner ^ 1, captured, target))
        won = row_address(ctx, hand_feature(owner, gained, t.hand_count(hand, gained) + 1))
        vectors.add_add_sub_sub_i16(after, before, arrives, won, leaves, lost, WIDTH)


@provides_evaluation(EVALUATION)
def refresh_accumulator(ctx, ply):
    for colour in range(2):
        refresh_view(ctx, ply, colour)


@provides_evaluation(EVALUATION)
def update_accumulator(ctx, ply):
    """After a king crosses the middle file, its view is STALE until it is needed."""
    before, after = ctx.accumulators[ply - 1], ctx.accumulators[ply]
    undo = ctx.undo[ctx.game_ply - ctx.ply + ply - 1]
    move, mover = undo.move, side_at(ctx, ply - 1)
    for colour in range(2):
        view = int(before.views[colour])
        after.views[colour] = view
        if view == STALE:
            continue
        if move == 0:
            vectors.copy_i16(sums_address(ctx, ply, colour), sums_address(ctx, ply - 1, colour), WIDTH)
        elif colour == mover and t.move_kind(move) == t.KING and view_of(colour, t.move_to(move)) != view:
            after.views[colour] = STALE
        else:
            update_view(ctx, ply, colour, view, mover, move, undo.hand[mover])


@provides_evaluation(EVALUATION)
def evaluate(ctx):
    update_line(ctx)
    us = int(ctx.pos.side)
    for colour in range(2):
        if ctx.accumulators[ctx.ply].views[colour] == STALE:
            refresh_view(ctx, ctx.ply, colour)
    bucket = output_bucket(ctx.pos)
    ours = ctx.evaluation.output_weights + np.uint64(bucket * 2 * SUMS_BYTES)
    theirs = ours + np.uint64(SUMS_BYTES)
    qa, shift = np.int64(ctx.evaluation.qa), np.int64(ctx.evaluation.shift)
    total = np.int64(load_u64(ctx.evaluation.output_bias + np.uint64(8 * bucket)))
    total += vectors.screlu_dot_i16(sums_address(ctx, ctx.ply, us), ours, qa, shift, WIDTH)
    total += vectors.screlu_dot_i16(sums_address(ctx, ctx.ply, 1 - us), theirs, qa, shift, WIDTH)
    return min(max(total * np.int64(ctx.evaluation.multiplier) >> SHIFT, -VALUE_LIMIT), VALUE_LIMIT)


@provides_evaluation(EVALUATION)
def root_order_score(ctx, move):
    return value_after(ctx, move)
