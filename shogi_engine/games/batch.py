"""The `BatchRules` of a game that has none of its own, made from its rules and its notation.

Rows are the fields of POSITION records. A row from elsewhere could break a kernel, so each is checked by its notation.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shogi_engine.games.game_board import board_of, packed_dtype
from shogi_engine.interface.extras import Drawing
from shogi_engine.interface.game import Game, write_cells
from shogi_engine.interface.stubs import is_provided
from shogi_engine.jit import njit
from shogi_engine.language import InputError

# ---- A game's part of `shogi_engine.batch`: packed forms, policy layouts, planes and indices of its positions


IDS = "ids"  # the layout whose labels are the Board's moves themselves


@dataclass(frozen=True)
class Packing:
    """A packed form.

    Attributes:
        number: its number in kernels
        size: the number of bytes
        unpack: `unpack(data)` raises ValueError with the reason for data that the kernels refuse
    """

    number: int
    size: int
    unpack: Callable[[bytes], Any]


@dataclass(frozen=True)
class Layout:
    """A labelling of moves. The legal moves of a position all have different labels.

    Attributes:
        size: the number of labels
        table: `table()` returns int32[2, codes], the label by side to move and Board's move, -1 for none
    """

    size: int
    table: Callable[[], np.ndarray]


@dataclass(frozen=True)
class Features:
    """A learner's input.

    Attributes:
        shape: the shape of one position's array
        dtype: its dtype
        write: `write(nodes, count, rows)`, a kernel that writes rows[:count], an array of `dtype` with a row for
            each position
    """

    shape: tuple[int, ...]
    dtype: Any
    write: Callable[[np.ndarray, int, np.ndarray], None]


@dataclass(frozen=True)
class BatchRules:
    """A game's part of a batch. `nodes` are records with the fields `pos` (a position, which has a `side`) and `moves`.

    Attributes:
        code_bits: the number of lowest bits of a kernel's move that are the Board's move
        read_rows: `read_rows(packed, packing, nodes, count)` returns the first row that is refused, -1 if none
        write_rows: `write_rows(nodes, count, packing, packed)` returns the first row that cannot be written, -1 if none
        read_texts: `read_texts(text, starts, nodes, count, taken)` reads positions in the game's notation, each
            followed by a line end, text[starts[row] : starts[row + 1] - 1]; taken[row] is 0 for a position that
            Python has to read
        write_texts: `write_texts(nodes, count, text)` writes at most text_bytes for each position, with its line end,
            and returns the end
        packings, layouts, features: by name; the first packing is the default
        apply_rows: `apply_rows(packed, packing, codes, scratch, out)` makes moves without checking that they are legal
            and returns the first row that is refused, -1 if none; scratch is uint8[scratch]
        apply_legal: `apply_legal(packed, packing, codes, pos, out)` does the same, but refuses illegal moves; pos is a
            position, overwritten
        params: the game's parameters that differ from their defaults in a batch
    """

    code_bits: int
    read_rows: Callable[..., int]
    write_rows: Callable[..., int]
    read_texts: Callable[..., None]
    write_texts: Callable[..., int]
    text_bytes: int
    packings: dict[str, Packing]
    layouts: dict[str, Layout]
    features: dict[str, Features]
    apply_rows: Callable[..., int] | None = None
    apply_legal: Callable[..., int] | None = None
    scratch: int = 0
    params: dict[str, int] = field(default_factory=dict)


CODES_MAX = 1 << 20  # of moves, as tables have an entry for each
KNOWN_MAX = 1 << 17  # packed positions that are known to be valid


@njit
def write_planes(nodes: Any, count: int, kinds: int, cells: np.ndarray, out: np.ndarray) -> None:
    """Write the planes of nodes[:count]: each kind of piece, each kind in hand (its number), ones if white is to move.

    Args:
        kinds: the number of symbols, the empty square's included
        cells: uint8[squares + kinds in hand], overwritten
        out: uint8[>= count, planes, squares], out
    """
    squares = out.shape[2]
    for row in range(count):
        write_cells(nodes[row].pos, cells)
        out[row, :, :] = 0
        for square in range(squares):
            if cells[square] > 0:
                out[row, np.int64(cells[square]) - 1, square] = 1
        for held in range(cells.shape[0] - squares):
            out[row, kinds - 1 + held, :] = cells[squares + held]
        out[row, out.shape[1] - 1, :] = nodes[row].pos.side


def _planes(drawing: Drawing) -> Features:
    """Return the planes of a game that can be drawn."""
    kinds, squares = len(drawing.symbols), drawing.squares
    shape = (kinds + len(drawing.hand), len(drawing.ranks), len(drawing.files))

    def write(nodes: np.ndarray, count: int, rows: np.ndarray) -> None:
        cells = np.zeros(squares + len(drawing.hand), dtype=np.uint8)
        write_planes(nodes, count, kinds, cells, rows.reshape(len(rows), shape[0], squares))

    return Features(shape, np.uint8, write)


@functools.cache
def rules_of(game: Game) -> BatchRules:
    """Return a game's part of `shogi_engine.batch`. Raises ValueError naming what the game lacks."""
    packed_as, codes = packed_dtype(game.position), game.extras.move_codes
    size = packed_as.itemsize
    if "side" not in (game.position.names or ()):
        raise ValueError(f"{game.name} has no batch: its positions need a field `side`, the side to move")
    if not 0 < codes <= CODES_MAX:
        raise ValueError(f"{game.name} has no batch: extras.move_codes must be 1 to {CODES_MAX}, not {codes}")
    bits = (codes - 1).bit_length()  # kernels use no other bits of a move, so that no wrong move_codes reads beyond
    table = np.full((2, 1 << bits), -1, dtype=np.int32)
    table[:, :codes] = np.arange(codes)
    longest = 4 * len(game.start) + 64  # bytes of a position's text

    def unpack(data: bytes) -> Any:
        position = np.frombuffer(data, packed_as).astype(game.position)[0]
        try:
            text = game.format_position(position)
        except (ValueError, LookupError) as fault:
            raise InputError("packed position: {0}", fault) from None
        board = board_of(game)(text)
        if board.to_packed() != data:
            raise ValueError(f"packed position: these bytes are not those of {text}")
        return board

    valid: set[bytes] = set()  # packed positions that were written or checked here: Python checks others slowly

    def remember(data: bytes) -> None:
        if len(valid) >= KNOWN_MAX:
            valid.clear()
        valid.add(data)

    def read_rows(packed: np.ndarray, _packing: int, nodes: Any, count: int) -> int:
        for row in range(count):
            data = packed[row].tobytes()
            if data in valid:
                continue
            try:
                unpack(data)
            except ValueError:
                return row
            remember(data)
        nodes["pos"][:count] = packed[:count].reshape(-1).view(packed_as)
        return -1

    def write_rows(nodes: Any, count: int, _packing: int, packed: np.ndarray) -> int:
        packed[:count] = nodes["pos"][:count].astype(packed_as).view(np.uint8).reshape(count, size)
        for row in range(count):
            remember(packed[row].tobytes())
        return -1

    def read_texts(_text: np.ndarray, _starts: np.ndarray, _nodes: Any, count: int, taken: np.ndarray) -> None:
        taken[:count] = 0  # Python reads them all

    def write_texts(nodes: Any, count: int, text: np.ndarray) -> int:
        lines = "".join(f"{game.format_position(nodes[row].pos)}\n" for row in range(count)).encode()
        if len(lines) > len(text):
            raise ValueError(f"{game.name}: the text of a position has more than {longest - 1} characters")
        text[: len(lines)] = np.frombuffer(lines, np.uint8)
        return len(lines)

    drawable = game.extras.drawing if is_provided(game.position, "write_cells") else None
    return BatchRules(
        code_bits=bits,
        read_rows=read_rows,
        write_rows=write_rows,
        read_texts=read_texts,
        write_texts=write_texts,
        text_bytes=longest,
        packings={"packed": Packing(0, size, unpack)},
        layouts={IDS: Layout(codes, lambda: table)},
        features={"planes": _planes(drawable)} if drawable else {},
    )
