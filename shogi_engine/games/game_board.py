"""RulesBoard: the Board of a game that has none of its own, made from its rules and its notation."""

import functools
import threading
from html import escape
from typing import Any, ClassVar, Self, SupportsInt

import numpy as np
from numpy.lib.recfunctions import repack_fields

from shogi_engine.games.svg import COLOUR, square_area
from shogi_engine.interface.game import NO_LEGAL_MOVE, NOT_OVER, TERMINATIONS, Game, do_move, game_result, write_cells
from shogi_engine.interface.stubs import is_provided
from shogi_engine.jit import new_record
from shogi_engine.records.tree import GameRecord
from shogi_engine.search.context import copy_position, new_context, set_root, write_root_moves
from shogi_engine.types.limits import SIDES
from shogi_engine.types.outcomes import Outcome, Termination

# ---- The memory of every game's Board: one record, which kernels receive by its address


FIRST_CAPACITY = 64  # undo records at the first move; doubled whenever they are full


class BoardMemory:
    """A Board's position, its buffers, and an undo record for each of the moves that led to it.

    A game's `_BOARD` is the dtype of the record: `pos` comes first, and it has `undo` (the address of the undo
    records), `count` (of moves made), `capacity` and `moves` (a buffer). Python reads frequently used fields as bytes
    and words, which costs a tenth of reading a record's field.
    """

    _BOARD: ClassVar[np.dtype]
    _UNDO: ClassVar[np.dtype]
    _NO_UNDO: ClassVar[np.ndarray]
    _UNDO_WORD: ClassVar[int]
    _COUNT_WORD: ClassVar[int]
    _CAPACITY_WORD: ClassVar[int]

    _address: int  # of the record
    _bytes: memoryview
    _words: memoryview  # uint64
    _flags: Any  # memoryview of bool; only bytes that are 0 or 1 are read
    _moves: memoryview  # uint32; kernels write moves here
    _record: Any  # record[position], a view
    _undo: np.ndarray  # record[undo][capacity]; the first `_count` of them are in use

    def _is_legal_text(self, text: str) -> bool:
        """Tell whether the Board's `parse_text` reads a legal move."""
        board: Any = self
        try:
            board.parse_text(text)
        except ValueError:
            return False
        return True

    def _allocate(self) -> None:
        """Allocate new memory, with a position of zeros and no moves."""
        fields: Any = self._BOARD.fields
        (kind, place), position = fields["moves"], fields["pos"][0]
        memory = np.zeros(self._BOARD.itemsize, dtype=np.uint8)
        self._address = memory.ctypes.data
        self._bytes = memory.data
        self._words = self._bytes.cast("Q")
        self._flags = self._bytes.cast("?")
        self._moves = self._bytes[place : place + kind.itemsize].cast("I")
        self._record = np.ndarray(1, position, memory)[0]  # a view, which keeps the memory alive
        self._undo = self._NO_UNDO

    @staticmethod
    def offset_in(dtype: np.dtype, name: str) -> int:
        """Return the byte offset of a field in a record."""
        fields: Any = dtype.fields
        return int(fields[name][1])

    def __init_subclass__(cls, **options: Any) -> None:
        """Prepare the data that all boards of a game share."""
        super().__init_subclass__(**options)
        if hasattr(cls, "_BOARD"):
            cls._NO_UNDO = np.zeros(0, dtype=cls._UNDO)
            cls._UNDO_WORD, cls._COUNT_WORD, cls._CAPACITY_WORD = (
                cls.offset_in(cls._BOARD, name) // 8 for name in ("undo", "count", "capacity")
            )

    @property
    def _count(self) -> int:
        """The number of moves made since the position was set."""
        return self._words[self._COUNT_WORD]

    def _set_position(self, pos: Any) -> None:
        """Set a copy of `pos` (record[position]), without moves."""
        if pos is not self._record:
            data = pos.tobytes()
            self._bytes[: len(data)] = data
        self._forget()

    def _forget(self) -> None:
        """Clear the move stack."""
        self._words[self._COUNT_WORD] = 0

    def _grow(self) -> bool:
        """Double the undo records if none is free for the next move; return whether this was needed."""
        count, capacity = self._count, len(self._undo)
        if count < capacity:
            return False
        self._keep(np.concatenate([self._undo, np.zeros(max(capacity, FIRST_CAPACITY), dtype=self._UNDO)]))
        return True

    def _keep(self, undo: np.ndarray) -> None:
        """Use `undo` as the undo records."""
        self._undo = undo
        self._words[self._UNDO_WORD] = undo.ctypes.data
        self._words[self._CAPACITY_WORD] = len(undo)

    def copy(self) -> Self:
        """Return an independent copy with the same position and move stack."""
        board = type(self).__new__(type(self))
        board._allocate()
        board._set_position(self._record)
        count = self._count
        if count:
            board._keep(self._undo.copy())
            board._words[self._COUNT_WORD] = count
        return board

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def pop(self) -> Any:
        """Take back the last move and return it; raises IndexError if there is none."""
        raise NotImplementedError

    def root(self) -> Self:
        """Return a board with the position that the game began with, and an empty move stack."""
        board = self.copy()
        while board._count:
            board.pop()
        return board

    def _take_over(self, other: Self) -> None:
        """Take the memory of `other`, which must not be used any more."""
        for name in BoardMemory.__annotations__:
            if not name.isupper():
                setattr(self, name, getattr(other, name))


CELL, FRAME = 50, 26  # of a picture, in pixels


class Move(int):
    """A move: the game's int, with its text."""

    text: str

    def __new__(cls, code: SupportsInt, text: str) -> Self:
        """Return the move; nothing is checked."""
        move = super().__new__(cls, int(code))
        move.text = text
        return move

    def __reduce__(self) -> tuple[Any, ...]:
        return Move, (int(self), self.text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Move({self.text})"


class RulesBoard:
    """A game: a position and the moves that led to it. Moves are Moves, their ints or texts; each is checked.

    Boards are equal if their positions are equal.

    Args:
        position: the position in the game's notation, None for the start of a game; raises ValueError if it is invalid
    """

    game: ClassVar[Game]

    def __init__(self, position: str | None = None) -> None:
        self._positions = [self.game.parse_position(position or self.game.start)]
        self._moves: list[Move] = []

    def reset(self) -> None:
        """Return to the start of a game."""
        self._positions, self._moves = [self.game.parse_position(self.game.start)], []

    def position(self) -> str:
        """Return the position in the game's notation."""
        return self.game.format_position(self._positions[-1])

    def to_packed(self) -> bytes:
        """Return the bytes of the position, as `Batch` packs it."""
        return np.asarray(self._positions[-1]).astype(packed_dtype(self.game.position)).tobytes()

    @property
    def turn(self) -> int:
        """The side to move, 0 or 1: the position's field `side`; without one, that of the number of moves made."""
        position = self._positions[-1]
        return int(position.side) if "side" in (self.game.position.names or ()) else len(self._moves) % 2

    def ply(self) -> int:
        """Return the number of moves made."""
        return len(self._moves)

    # ---- moves

    def _root(self) -> tuple[Any, int]:
        """Return a context at the position, and its number of legal moves, which are ctx.root_moves."""
        ctx = _context(self.game, threading.get_ident())
        set_root(ctx, self._positions[0], self._moves)
        return ctx, int(write_root_moves(ctx))

    @property
    def legal_moves(self) -> list[Move]:
        """The legal moves."""
        ctx, count = self._root()
        position, text = self._positions[-1], self.game.format_move
        return [Move(code, text(position, code)) for code in np.asarray(ctx)["root_moves"][:count].tolist()]

    @property
    def move_stack(self) -> list[Move]:
        """The moves made, oldest first."""
        return list(self._moves)

    def is_legal(self, move: int | str) -> bool:
        """Tell whether a move is legal."""
        try:
            self._legal(move)
        except ValueError:
            return False
        return True

    def parse_text(self, text: str) -> Move:
        """Return a legal move, without making it. Raises ValueError."""
        position = self._positions[-1]
        code = self.game.parse_move(position, text)
        return Move(code, self.game.format_move(position, code))

    def _legal(self, move: int | str) -> Move:
        if isinstance(move, str):
            return self.parse_text(move)
        found = next((each for each in self.legal_moves if each == move), None)
        if found is None:
            raise ValueError(f"{move} is not a legal move in {self.position()}")
        return found

    def push(self, move: int | str) -> None:
        """Make a move. Raises ValueError if it is illegal."""
        self.push_text(str(move) if isinstance(move, Move) else str(self._legal(move)))

    def push_text(self, text: str) -> Move:
        """Make the move that a text names, and return it. Raises ValueError if it is illegal."""
        move = self.parse_text(text)
        position = copy_position(self.game, self._positions[-1])
        do_move(position, np.uint32(move), new_record(self.game.undo))
        self._positions.append(position)
        self._moves.append(move)
        return move

    def pop(self) -> Move:
        """Take back the last move and return it. Raises IndexError if there is none."""
        move = self._moves.pop()
        self._positions.pop()
        return move

    def peek(self) -> Move:
        """Return the last move. Raises IndexError if there is none."""
        return self._moves[-1]

    def root(self) -> Self:
        """Return a board with the position that the game began with."""
        return type(self)(self.game.format_position(self._positions[0]))

    def copy(self) -> Self:
        """Return an independent copy with the same position and moves."""
        board = type(self).__new__(type(self))
        board._positions, board._moves = list(self._positions), list(self._moves)
        return board

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return GameRecord.board, (self.record(),)

    def __eq__(self, other: object) -> bool:
        return self.to_packed() == other.to_packed() if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.to_packed())

    def record(self, ending: str = "") -> GameRecord:
        """Return the record of the moves made; `ending` is one of records.ENDINGS."""
        moves = [str(move) for move in self._moves]
        return GameRecord.from_moves(self.game.name, moves, start=self.root().position(), ending=ending)

    # ---- the end of the game

    def outcome(self) -> Outcome | None:
        """Return how the rules end the game, None while it continues."""
        termination, value = map(int, game_result(*self._root()))
        if termination == NOT_OVER:
            return None
        winner = None if value == 0 else self.turn if value > 0 else 1 - self.turn
        return Outcome(winner, Termination.RULES if termination == NO_LEGAL_MOVE else TERMINATIONS[termination])

    def is_game_over(self) -> bool:
        """Tell whether the rules have ended the game."""
        return self.outcome() is not None

    def result(self) -> str:
        """Return '1-0' if the first side has won, '0-1', '1/2-1/2' for a draw, '*' while the game continues."""
        outcome = self.outcome()
        return "*" if outcome is None else outcome.result()

    # ---- text and picture

    def cells(self) -> list[int] | None:
        """Return the numbers that the rule `write_cells` writes, None if the game cannot be drawn."""
        drawing = self.game.extras.drawing
        if drawing is None or not is_provided(self.game.position, "write_cells"):
            return None
        cells = np.zeros(drawing.squares + len(drawing.hand), dtype=np.uint8)
        write_cells(self._positions[-1], cells)
        return [int(cell) for cell in cells]

    def diagram(self) -> str:
        """Return the board as text with the side to move, or the position if the game cannot be drawn."""
        cells, drawing = self.cells(), self.game.extras.drawing
        if cells is None or drawing is None:
            return self.position()
        width = len(drawing.files)
        signs = [drawing.symbols[cell].rjust(max(map(len, drawing.symbols))) for cell in cells[: drawing.squares]]
        lines = [f"{name} {' '.join(signs[width * row :][:width])}" for row, name in enumerate(drawing.ranks)]
        lines.append("  " + " ".join(name.rjust(len(signs[0])) for name in drawing.files))
        held = zip(drawing.hand, cells[drawing.squares :], strict=True)
        in_hand = " ".join(f"{name}{count if count > 1 else ''}" for name, count in held if count)
        return "\n".join([*lines, *([f"in hand: {in_hand or '-'}"] if drawing.hand else []), self._state()])

    def _state(self) -> str:
        return "game over" if self.is_game_over() else f"{SIDES[self.turn]} to move"

    def svg(self, *, flipped: bool = False, size: int | None = None, areas: bool = False, style: str = COLOUR) -> str:
        """Return the board as an SVG image. Raises ValueError if the game cannot be drawn.

        Args:
            flipped: seen from the other side
            size: the width in pixels, None for the picture's own
            areas: add squares that receive clicks, on top
            style: `colour`, or `book`: black on white paper
        """
        wood = "#efd9b0" if style == COLOUR else "#fff"
        cells, drawing = self.cells(), self.game.extras.drawing
        if cells is None or drawing is None:
            raise ValueError(f"{self.game.name} cannot be drawn without extras.drawing and the rule write_cells")
        width, height = len(drawing.files), len(drawing.ranks)
        drawn = []
        for place, cell in enumerate(cells[: drawing.squares]):
            at = drawing.squares - 1 - place if flipped else place
            x, y = FRAME + CELL * (at % width), FRAME + CELL * (at // width)
            name = f"{drawing.files[place % width]}{drawing.ranks[place // width]}"
            drawn.append(f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{wood}" stroke="#3b3428"/>')
            drawn += [_text(x + CELL / 2, y + CELL / 2, drawing.symbols[cell], 30)] if cell else []
            drawn += [square_area(name, x, y, CELL)] if areas else []
        files, ranks = (drawing.files[::-1], drawing.ranks[::-1]) if flipped else (drawing.files, drawing.ranks)
        drawn += [_text(FRAME + CELL * (n + 0.5), FRAME / 2, name, 14) for n, name in enumerate(files)]
        drawn += [_text(FRAME / 2, FRAME + CELL * (n + 0.5), name, 14) for n, name in enumerate(ranks)]
        held = zip(drawing.hand, cells[drawing.squares :], strict=True)
        in_hand = " ".join(f"{name}{count}" for name, count in held if count)
        across, down = 2 * FRAME + CELL * width, 2 * FRAME + CELL * height
        drawn.append(_text(across / 2, down - FRAME / 2, in_hand, 14))
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {down}" width="{size or across}">'
        return "\n".join([head, f"<title>{escape(self.position())}: {self._state()}</title>", *drawn, "</svg>"]) + "\n"

    def _repr_svg_(self) -> str | None:
        """Return the image that a notebook shows, None if the game cannot be drawn."""
        return None if self.cells() is None else self.svg()

    def __str__(self) -> str:
        return self.diagram()

    def __repr__(self) -> str:
        return f"Board({self.position()!r})"


def _text(x: float, y: float, text: str, size: int) -> str:
    """Return a text centred at a point."""
    return (
        f'<text x="{x:g}" y="{y:g}" dy=".36em" font-size="{size}" font-family="sans-serif" text-anchor="middle">'
        f"{escape(text)}</text>"
    )


@functools.cache
def packed_dtype(position: np.dtype) -> np.dtype:
    """Return the dtype of packed positions: the same fields without the bytes between them, which are undefined."""
    return repack_fields(position, align=False, recurse=True)


@functools.lru_cache(maxsize=64)
def _context(game: Game, thread: int) -> Any:
    """Return the context in which a thread asks the rules of a game."""
    return new_context(game)


@functools.cache
def board_of(game: Game) -> type[RulesBoard]:
    """Return the class of a game's boards."""
    return type("Board", (RulesBoard,), {"game": game})
