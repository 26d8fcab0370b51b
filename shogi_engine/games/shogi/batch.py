"""Shogi's part of `shogi_engine.batch`: positions in 32 bytes, the usual move numbers, planes and feature indices.

Sources: dlshogi (github.com/TadaoYamaoka/DeepLearningShogi) and cshogi, which makes the same planes and labels; D.
Silver et al., "A general reinforcement learning algorithm that masters chess, shogi and Go through self-play", 2018,
table S1 and the text on the representation; YaneuraOu's PackedSfenValue (github.com/yaneurao/YaneuraOu).
"""

from collections.abc import Callable

import numpy as np

from shogi_engine.games.batch import IDS, BatchRules, Features, Layout, Packing
from shogi_engine.games.shogi import batch_kernels, packed
from shogi_engine.games.shogi.evaluation.network import ACTIVE
from shogi_engine.games.shogi.movegen import CODES, MOVE_BITS
from shogi_engine.games.shogi.names import NO_ENTERING_KING
from shogi_engine.games.shogi.packed_kernels import SCRATCH_BYTES, apply_legal, apply_rows
from shogi_engine.games.shogi.texts import SFEN_BYTES
from shogi_engine.games.shogi.types import DROP_BASE, KING, PAWN, PROMOTION, SQUARES

# By kind, pawn first: its number in hand in Apery, cshogi and dlshogi.
APERY_DROPS = (0, 1, 2, 3, 6, 4, 5)
DIRECTIONS = ((-1, 0), (-1, -1), (-1, 1), (0, -1), (0, 1), (1, 0), (1, -1), (1, 1))  # (down, right), dlshogi's order
JUMPS = ((-2, -1), (-2, 1))  # the knight's
COMPASS = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))  # clockwise from straight ahead
FARTHEST = 8  # steps
DLSHOGI_MOVES = len(DIRECTIONS) + len(JUMPS)
ALPHAZERO_MOVES = len(COMPASS) * FARTHEST + len(JUMPS)

Label = Callable[
    [int, int, int], int
]  # label(source or DROP_BASE + kind, target, promotion), with squares as the mover sees them


def _step(source: int, target: int) -> tuple[tuple[int, int], int]:
    """Return a move's direction as one step (down, right), and the number of steps; a knight's jump is one step."""
    down, right = target // 9 - source // 9, target % 9 - source % 9
    if (down, right) in JUMPS:
        return (down, right), 1
    steps = max(abs(down), abs(right))
    straight = abs(down) in (0, steps) and abs(right) in (0, steps)
    return (int(np.sign(down)), int(np.sign(right))), steps if straight else 0


def _dlshogi(source: int, target: int, promotion: int) -> int:
    """Return dlshogi's label, 81 * plane + target.

    There is a plane for each direction, with promotion or not, and for each dropped kind.
    """
    place = int(batch_kernels.DOWN_FILES[0][target])
    if source > DROP_BASE:
        return SQUARES * (2 * DLSHOGI_MOVES + APERY_DROPS[source - DROP_BASE - 1]) + place
    way, steps = _step(source, target)
    return SQUARES * ((*DIRECTIONS, *JUMPS).index(way) + promotion * DLSHOGI_MOVES) + place if steps else -1


def _alphazero(source: int, target: int, promotion: int) -> int:
    """Return AlphaZero's label, 81 * plane + source, or 81 * plane + target for a drop.

    There is a plane for each direction and distance, with promotion or not, and for each dropped kind.
    """
    if source > DROP_BASE:
        return SQUARES * (2 * ALPHAZERO_MOVES + source - DROP_BASE - 1) + target
    way, steps = _step(source, target)
    if not steps:
        return -1
    plane = len(COMPASS) * FARTHEST + JUMPS.index(way) if way in JUMPS else COMPASS.index(way) * FARTHEST + steps - 1
    return SQUARES * (plane + promotion * ALPHAZERO_MOVES) + source


def _table(label: Label, turned: bool = True) -> np.ndarray:
    """Return the table of `label`, for squares as the mover sees them, or as black does if it is not `turned`."""
    squares = batch_kernels.ALONG_RANKS.tolist()
    table = np.full((2, 1 << MOVE_BITS), -1, dtype=np.int32)
    for target in range(SQUARES):
        for source in (*range(SQUARES), *range(DROP_BASE + PAWN, DROP_BASE + KING)):
            for promotion in range(2 if source < DROP_BASE else 1):
                number = label(source, target, promotion)
                for colour in range(2):
                    eye = squares[colour if turned else 0]
                    origin = eye[source] if source < DROP_BASE else source
                    table[colour, eye[target] | origin << 7 | promotion * PROMOTION] = number
    return table


def _cshogi(source: int, target: int, promotion: int) -> int:
    """Return cshogi's move16 (Apery's)."""
    squares = batch_kernels.DOWN_FILES[0]
    origin = DROP_BASE + APERY_DROPS[source - DROP_BASE - 1] if source > DROP_BASE else int(squares[source])
    return int(squares[target]) | origin << 7 | promotion << 14


def _yaneuraou(source: int, target: int, promotion: int) -> int:
    """Return YaneuraOu's 16 bits."""
    squares = batch_kernels.DOWN_FILES[0]
    drop = source > DROP_BASE
    origin = APERY_DROPS[source - DROP_BASE - 1] + 1 if drop else int(squares[source])
    return int(squares[target]) | origin << 7 | drop << 14 | promotion << 15


def _packing(packing: packed.Packing) -> Packing:
    """Return one of the packed forms."""
    return Packing(packed.PACKINGS.index(packing), packed.BYTES, lambda data: packed.unpack(packing, data))


RULES = BatchRules(
    code_bits=MOVE_BITS,
    read_rows=batch_kernels.read_rows,
    write_rows=batch_kernels.write_rows,
    read_texts=batch_kernels.read_texts,
    write_texts=batch_kernels.write_texts,
    text_bytes=SFEN_BYTES,
    params={"entering_king_rule": NO_ENTERING_KING},  # a declaration is a claim; it does not end the game
    packings={"hcp": _packing(packed.HCP), "psfen": _packing(packed.PSFEN)},
    apply_rows=apply_rows,
    apply_legal=apply_legal,
    scratch=SCRATCH_BYTES,
    layouts={
        IDS: Layout(CODES + 1, lambda: np.tile(np.arange(CODES + 1, dtype=np.int32), (2, 1))),
        "dlshogi": Layout(SQUARES * (2 * DLSHOGI_MOVES + KING - 1), lambda: _table(_dlshogi)),
        "alphazero": Layout(SQUARES * (2 * ALPHAZERO_MOVES + KING - 1), lambda: _table(_alphazero)),
        "cshogi": Layout(1 << 15, lambda: _table(_cshogi, turned=False)),
        "yaneuraou": Layout(1 << 16, lambda: _table(_yaneuraou, turned=False)),
    },
    features={
        "dlshogi1": Features((batch_kernels.DLSHOGI_1, 9, 9), np.uint8, batch_kernels.write_dlshogi_1),
        "dlshogi2": Features((batch_kernels.DLSHOGI_2, 9, 9), np.uint8, batch_kernels.write_dlshogi_2),
        "alphazero": Features((batch_kernels.ALPHAZERO_PLANES, 9, 9), np.uint8, batch_kernels.write_alphazero),
        "halfkp": Features((2, batch_kernels.HALFKP_LISTED), np.int32, batch_kernels.write_halfkp),
        "network": Features((2, ACTIVE), np.uint16, batch_kernels.write_network_features),
    },
)
