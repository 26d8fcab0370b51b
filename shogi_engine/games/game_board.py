"""Boards of all games: what they share, and RulesBoard, made from the rules of a game that has no Board of its own.

How a Board works. A Board is a position and the moves that led to it, and has the methods of GameBoard, whatever its
game. The Boards of this package's games are KernelBoards. Their memory is one record (a dtype BOARD, see a game's
board_kernels.py), of which kernels receive the address; it begins with the position. Python reads its fields by views
of the memory, which a class names in _VIEWS: `self._count[0]` is the number of moves made. Each move has an undo
record; the undo records are an array of their own, whose address is in the memory, too. A kernel that makes a move
looks whether an undo record is free and whether the move is legal, and declines otherwise; then Python gets more undo
records, or says why the move is illegal. Python's moves are GameMoves, ints that kernels take.

An edit sets `_edited`, and takes the undo records away. The position is validated when it is first used: methods that
call a kernel look at that flag before, except `push`, which comes to Python's part of it for lack of undo records.
"""

import contextlib
import ctypes
import functools
import itertools
import operator
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from types import FunctionType
from typing import Any, ClassVar, Generic, Self, SupportsIndex, SupportsInt, TypeVar

import numpy as np

from shogi_engine.games.svg import COLOUR, square_area
from shogi_engine.interface.game import NO_LEGAL_MOVE, NOT_OVER, TERMINATIONS, Game, do_move, game_result, write_cells
from shogi_engine.interface.stubs import is_provided
from shogi_engine.jit import new_record
from shogi_engine.language import InputError
from shogi_engine.records.tree import GameRecord
from shogi_engine.search.context import copy_position, new_context, set_root, write_root_moves
from shogi_engine.types.limits import SIDES
from shogi_engine.types.outcomes import Outcome, Termination


class GameMove(int):
    """A move: an int with a text. Of a game with its own Board, each move exists as one object only."""

    __slots__ = ()
    ALL: ClassVar[list[Any]]  # by their ints; many are no moves

    @classmethod
    def from_int(cls, number: SupportsIndex) -> Self:
        """Return the move whose int is `number`, the inverse of `int(move)`.

        Raises ValueError if `number` is not a move (Shogi's null move, 0, is none), TypeError if it is not an int.
        """
        try:
            number = operator.index(number)
        except TypeError:
            raise TypeError(f"expected a Move or its int, not {number!r}") from None
        if not cls._is_move(number):
            raise InputError("{0} is not a move", number)
        return cls.ALL[number]  # type: ignore[no-any-return]

    @classmethod
    def _is_move(cls, number: int) -> bool:
        """Tell whether `number` is the int of a move other than the null move."""
        raise NotImplementedError

    @classmethod
    def _decode(cls, number: int) -> Self:
        """Return the move whose int is `number`, which is not checked."""
        return cls.ALL[number]  # type: ignore[no-any-return]

    def __format__(self, specification: str) -> str:
        return format(str(self), specification)

    def __reduce__(self) -> tuple[Any, ...]:
        return self._decode, (int(self),)


MoveT = TypeVar("MoveT", bound=GameMove)


class BoardValue:
    """What has a position: it is copied as a whole, and equal to others of its game with the same position."""

    _GAME: ClassVar[str]  # the game's name

    def copy(self) -> Self:
        """Return an independent copy with the same position and move stack."""
        raise NotImplementedError

    def position(self) -> str:
        """Return the position in the game's notation."""
        raise NotImplementedError

    def identity(self) -> Any:
        """Return what tells positions apart."""
        raise NotImplementedError

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BoardValue) or self._GAME != other._GAME:
            return NotImplemented
        return bool(self.identity() == other.identity())

    def __hash__(self) -> int:
        return hash(self.identity())

    def __repr__(self) -> str:
        return f"Board({self.position()!r})"


class GameBoard(BoardValue, Generic[MoveT]):
    """A position and the moves that led to it: what the Boards of all games do in the same way."""

    @property
    def move_stack(self) -> list[MoveT]:
        """A copy of the move stack, oldest move first."""
        raise NotImplementedError

    def parse_text(self, text: str) -> MoveT:
        """Return the legal move that `text` names, without making it; raises ValueError saying why it is not legal."""
        raise NotImplementedError

    def game_ply(self) -> int:
        """Return how far the game is, in plies of a usual game; a clock's time is shared out by it."""
        return len(self.move_stack)

    def parse_own(self, text: str) -> MoveT:
        """Return the legal move in the notation that records and programs write, in Shogi USI; raises ValueError."""
        return self.parse_text(text)

    def root(self) -> Self:
        """Return a board with the position that the game began with, and an empty move stack."""
        raise NotImplementedError

    def push(self, move: int) -> None:
        """Make a move, a `Move` or its int; raises ValueError saying why if it is illegal."""
        raise NotImplementedError

    def push_text(self, text: str) -> MoveT:
        """Make the move that `parse_text` reads in a text, and return it; raises ValueError if it is illegal."""
        move = self.parse_text(text)
        self.push(move)
        return move

    def push_own(self, text: str) -> MoveT:
        """Make the move that `parse_own` reads in a text, and return it; raises ValueError if it is illegal."""
        return self.push_text(text)

    def outcome(self) -> Outcome | None:
        """Return who has won and why, None while the game continues."""
        raise NotImplementedError

    @property
    def state(self) -> Any:
        """The position as kernels take it, record[game.position]; it must not be changed."""
        raise NotImplementedError

    def search_form(self) -> tuple[Any, Sequence[int] | np.ndarray]:
        """Return the position that the game began with, record[game.position], and the kernels' moves from there."""
        raise NotImplementedError

    def code_of(self, move: int | str) -> int:
        """Return the kernels' form of a legal move, a Move or a text; raises ValueError saying why it is not legal."""
        raise NotImplementedError

    def _decoded(self, code: int) -> MoveT:
        """Return the move of the kernels' form of one."""
        raise NotImplementedError

    def line_of(self, codes: Iterable[int]) -> tuple[MoveT, ...]:
        """Return the moves of a line in the kernels' form, up to the first that is not legal: a table may have one."""
        board, line = self.copy(), []
        with contextlib.suppress(ValueError):
            for code in itertools.takewhile(bool, codes):
                move = board._decoded(code)
                board.push(move)
                line.append(move)
        return tuple(line)

    def svg(self) -> str:
        """Return an SVG image."""
        raise NotImplementedError

    def _is_legal_text(self, text: str) -> bool:
        """Tell whether `parse_text` reads a legal move."""
        try:
            self.parse_text(text)
        except ValueError:
            return False
        return True

    def record(self, ending: str = "") -> GameRecord:
        """Return the record of the moves made; `ending` is one of records.ENDINGS."""
        moves = list(map(str, self.move_stack))
        return GameRecord.from_moves(self._GAME, moves, start=self.root().position(), ending=ending)

    def is_game_over(self) -> bool:
        """Tell whether the rules have ended the game."""
        return self.outcome() is not None

    def result(self) -> str:
        """Return '1-0' if the first side has won, '0-1', '1/2-1/2' for a draw, '*' while the game continues."""
        outcome = self.outcome()
        return "*" if outcome is None else outcome.result()

    def _repr_svg_(self) -> str | None:
        """Return the image that a notebook shows."""
        return self.svg()


# ---- Boards of this package's games, whose kernels get the address of their memory


FIRST_CAPACITY = 64  # undo records at the first move; doubled whenever they are full


class BoardMemory(BoardValue):
    """A Board's position, its buffers, and an undo record for each of the moves that led to it.

    A game's BOARD is the dtype of the record: `pos` comes first, and it has `undo` (the address of the undo records),
    `count` (of moves made), `capacity` and `moves` (a buffer).
    """

    _BOARD: ClassVar[np.dtype]
    _UNDO: ClassVar[np.dtype]
    _KERNELS: ClassVar[Any]  # jit.Entries
    _MOVE: ClassVar[type[GameMove]]
    _VIEWS: ClassVar[Mapping[str, str]] = {}  # the name of an attribute -> a field, "side of pos" as "pos.side"
    _PLACES: ClassVar[list[tuple[str, str, slice]]]  # these and the views of all Boards: name, format, place
    _FORMATS: ClassVar[frozenset[str]]
    _NO_UNDO: ClassVar[np.ndarray]

    _address: int  # of the record
    _bytes: memoryview
    _undo_address: memoryview
    _count: memoryview
    _capacity: memoryview
    _moves: memoryview  # uint32; kernels write moves here
    _record: Any  # record[position], a view
    _undo: np.ndarray  # record[undo][capacity]; the first `_count` of them are in use
    _edited: bool  # and not yet validated
    _kernels: Any  # _KERNELS and the moves by their ints: an object's own attributes are found faster
    _all_moves: list[Any]
    _move_of: Callable[[int], Any]

    def __init_subclass__(cls, **options: Any) -> None:
        """Prepare the data that all boards of a game share."""
        super().__init_subclass__(**options)
        if hasattr(cls, "_BOARD"):
            always = {"_undo_address": "undo", "_count": "count", "_capacity": "capacity", "_moves": "moves"}
            cls._PLACES = [(name, *_place(cls._BOARD, field)) for name, field in (always | dict(cls._VIEWS)).items()]
            cls._FORMATS = frozenset(kind for _, kind, _ in cls._PLACES)
            cls._NO_UNDO = np.zeros(0, dtype=cls._UNDO)

    def _allocate(self) -> None:
        """Allocate new memory, with a position of zeros and no moves."""
        memory = bytearray(self._BOARD.itemsize)
        self._address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        self._bytes = data = memoryview(memory)
        casts = {kind: data.cast(kind) for kind in self._FORMATS}  # type: ignore[call-overload]
        for name, kind, place in self._PLACES:
            setattr(self, name, casts[kind][place])
        self._record = np.ndarray(1, self._BOARD["pos"], memory)[0]  # a view, which keeps the memory alive
        self._undo = self._NO_UNDO
        self._edited = False
        self._kernels, self._all_moves = self._KERNELS, self._MOVE.ALL
        self._move_of = self._all_moves.__getitem__

    def _begin(self, pos: Any, *, edited: bool = False) -> None:
        """Start from a copy of `pos` (record[position]), without moves; it is valid unless it was `edited`."""
        if pos is not self._record:
            data = pos.tobytes()
            self._bytes[: len(data)] = data
        self._count[0] = 0
        self._touched()
        self._edited = edited
        if edited:
            self._keep(self._NO_UNDO)

    def _touched(self) -> None:
        """Update the fields that kernels update with the position, after a change by Python."""

    def _validate(self) -> None:
        """Validate the edited position; raises ValueError if it is impossible."""
        self._edited = False

    @property
    def _pos(self) -> Any:
        """The record[position]; it is validated first if it was edited."""
        if self._edited:
            self._validate()
        return self._record

    def _grow(self) -> bool:
        """Double the undo records if none is free for the next move; return whether this was needed."""
        capacity = len(self._undo)
        if self._count[0] < capacity:
            return False
        self._keep(np.concatenate([self._undo, np.zeros(max(capacity, FIRST_CAPACITY), dtype=self._UNDO)]))
        return True

    def _keep(self, undo: np.ndarray) -> None:
        """Use `undo` as the undo records."""
        self._undo = undo
        self._undo_address[0], self._capacity[0] = undo.ctypes.data, len(undo)

    def copy(self) -> Self:
        """Return an independent copy with the same position and move stack."""
        board = type(self).__new__(type(self))
        board._allocate()
        board._bytes[:] = self._bytes
        board._edited = self._edited
        if self._count[0]:
            board._keep(self._undo.copy())
        else:
            board._capacity[0] = 0
        return board

    def __getstate__(self) -> tuple[Any, ...]:
        return self._record.tobytes(), self._undo[: self._count[0]].tobytes(), self._edited

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        pos, undo, edited = state
        self._allocate()
        self._begin(np.frombuffer(pos, dtype=self._BOARD["pos"])[0], edited=edited)
        self._keep(np.frombuffer(undo, dtype=self._UNDO).copy())
        self._count[0] = len(self._undo)

    def _take_over(self, other: "BoardMemory") -> None:
        """Take the memory of `other`, which must not be used any more."""
        for name in (*BoardMemory.__annotations__, *self._VIEWS):
            if not name.isupper():
                setattr(self, name, getattr(other, name))


def _place(dtype: np.dtype, path: str) -> tuple[str, slice]:
    """Return the format of a field's numbers, and its place in the memory in their size; it may be in another field."""
    start = 0
    for name in path.split("."):
        fields: Any = dtype.fields
        dtype, offset = fields[name][:2]
        start += offset
    size = dtype.base.itemsize
    return dtype.base.char, slice(start // size, (start + dtype.itemsize) // size)


class LegalMoves(Generic[MoveT]):
    """A live view of a board's legal moves: iterable, with len, bool and `in`."""

    __slots__ = ("_board",)

    def __init__(self, board: Any) -> None:
        self._board = board

    def __iter__(self) -> Iterator[MoveT]:
        board = self._board
        if board._edited:
            board._validate()
        return map(board._move_of, board._moves[: board._kernels.list_moves(board._address)].tolist())

    def __bool__(self) -> bool:
        board = self._board
        if board._edited:
            board._validate()
        return bool(board._kernels.list_moves(board._address))  # counting would load another kernel

    def __len__(self) -> int:
        board = self._board
        if board._edited:
            board._validate()
        return int(board._kernels.count_legal_moves(board._address))

    def __contains__(self, move: object) -> bool:
        if isinstance(move, (int, np.integer)):
            return bool(self._board.is_legal(int(move)))
        return isinstance(move, str) and bool(self._board.is_legal(move))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} ({', '.join(map(str, self))})>"


class KernelBoard(BoardMemory, GameBoard[MoveT]):
    """A Board whose moves are made by kernels: `push`, `pop`, `list_moves`, `count_legal_moves`, `is_legal_code`."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Give each game's class its own code of what is called most: CPython adapts code to one class."""
        super().__init_subclass__(**options)
        for name, function in (("push", KernelBoard.push), ("pop", KernelBoard.pop)):
            if getattr(cls, name) is function:
                own = FunctionType(function.__code__.replace(), function.__globals__)
                setattr(cls, name, functools.update_wrapper(own, function))

    @property
    def legal_moves(self) -> LegalMoves[MoveT]:
        """The legal moves."""
        return LegalMoves(self)

    @property
    def move_stack(self) -> list[MoveT]:
        """A copy of the move stack, oldest move first."""
        return self._made(0)

    def _made(self, first: int) -> list[MoveT]:
        """Return the move stack from the move `first` on."""
        raise NotImplementedError

    def is_legal(self, move: int | str) -> bool:
        """Tell whether `move`, or the text of one (see `parse_text`), is legal."""
        if isinstance(move, str):
            return self._is_legal_text(move)
        if self._edited:
            self._validate()
        try:
            return bool(self._kernels.is_legal_code(self._address, move))
        except OverflowError:  # no move has so large a number
            return False

    def _illegal(self, move: Any) -> ValueError:
        """Return the error that says why `move` is not legal."""
        raise NotImplementedError

    def _checked(self, move: MoveT) -> MoveT:
        """Return `move` if it is legal; raises ValueError saying why if it is not."""
        if not self.is_legal(move):
            raise self._illegal(move)
        return move

    def push(self, move: int) -> None:
        """Make a move, a `Move` or its int; raises ValueError saying why if it is illegal."""
        try:
            if self._kernels.push(self._address, move):
                return
        except (TypeError, ValueError, OverflowError):  # not an int, or too large a one
            pass
        if self._edited:
            self._validate()
        self._push_otherwise(move)

    def _push_otherwise(self, move: int) -> None:
        """Make a move that the kernel refused for lack of undo records; raises ValueError if it is illegal."""
        known = self._MOVE.from_int(move)
        if not self._grow() or not self._kernels.push(self._address, known):
            raise self._illegal(known)

    def pop(self) -> MoveT:
        """Take back the last move and return it; raises IndexError if there is none."""
        code = self._kernels.pop(self._address)
        return self._all_moves[code] if code >= 0 else self._pop_otherwise()

    def _pop_otherwise(self) -> MoveT:
        """Take back a move that the kernel does not; raises IndexError if no move is left."""
        raise IndexError("there is no move to take back")

    def peek(self) -> MoveT:
        """Return the last move; raises IndexError if there is none."""
        count = self._count[0]
        if not count:
            raise IndexError("no move has been made")
        return self._made(count - 1)[0]

    def root(self) -> Self:
        """Return a board with the position that the game began with, and an empty move stack."""
        board = self.copy()
        while board._count[0]:
            board.pop()
        return board

    @property
    def state(self) -> Any:
        """The position as kernels take it, record[game.position]; it must not be changed."""
        return self._pos

    def search_form(self) -> tuple[Any, Sequence[int] | np.ndarray]:
        """Return the position that the game began with, record[game.position], and the kernels' moves from there."""
        return self.root()._pos, self._made(0)

    def code_of(self, move: int | str) -> int:
        """Return the kernels' form of a legal move, a Move or a text; raises ValueError saying why it is not legal."""
        return self.parse_text(move if isinstance(move, str) else str(self._MOVE.from_int(move)))

    def _decoded(self, code: int) -> MoveT:
        return self._move_of(code)  # type: ignore[no-any-return]

    def key(self) -> int:
        """Return a 64-bit hash of the position; it is the same in every process."""
        if self._edited:
            self._validate()
        return int(self._kernels.position_key(self._address))


# ---- RulesBoard: the Board of a game that has none of its own, made from its rules and its notation


CELL, FRAME = 50, 26  # of a picture, in pixels


class Move(GameMove):
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


class RulesBoard(GameBoard[Move]):
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

    @property
    def state(self) -> Any:
        """The position as kernels take it, record[game.position]; it must not be changed."""
        return self._positions[-1]

    def search_form(self) -> tuple[Any, Sequence[int]]:
        """Return the position that the game began with, record[game.position], and the kernels' moves from there."""
        return self._positions[0], self._moves

    def code_of(self, move: int | str) -> int:
        """Return the kernels' form of a legal move, a Move or a text; raises ValueError saying why it is not legal."""
        return self._legal(move)

    def _decoded(self, code: int) -> Move:
        return Move(code, self.game.format_move(self._positions[-1], code))

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
        """Return an independent copy with the same position and move stack."""
        board = type(self).__new__(type(self))
        board._positions, board._moves = list(self._positions), list(self._moves)
        return board

    def __reduce__(self) -> tuple[Any, ...]:
        return GameRecord.board, (self.record(),)

    identity = to_packed

    # ---- the end of the game

    def outcome(self) -> Outcome | None:
        """Return how the rules end the game, None while it continues."""
        termination, value = map(int, game_result(*self._root()))
        if termination == NOT_OVER:
            return None
        winner = None if value == 0 else self.turn if value > 0 else 1 - self.turn
        return Outcome(winner, Termination.RULES if termination == NO_LEGAL_MOVE else TERMINATIONS[termination])

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


def _text(x: float, y: float, text: str, size: int) -> str:
    """Return a text centred at a point."""
    return (
        f'<text x="{x:g}" y="{y:g}" dy=".36em" font-size="{size}" font-family="sans-serif" text-anchor="middle">'
        f"{escape(text)}</text>"
    )


@functools.cache
def packed_dtype(position: np.dtype) -> np.dtype:
    """Return the dtype of packed positions: the same fields without the bytes between them, which are undefined."""
    from numpy.lib.recfunctions import repack_fields  # imports numpy.ma, which takes 10 ms

    return repack_fields(position, align=False, recurse=True)


@functools.lru_cache(maxsize=64)
def _context(game: Game, thread: int) -> Any:
    """Return the context in which a thread asks the rules of a game."""
    return new_context(game)


@functools.cache
def board_of(game: Game) -> type[RulesBoard]:
    """Return the class of a game's boards."""
    return type("Board", (RulesBoard,), {"game": game, "_GAME": game.name})
