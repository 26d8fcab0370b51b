"""Shogi's books in YaneuraOu's text format. A position and its twin (rotated, colours exchanged) share one entry.

ShogiGUI's books (`.sbk`) can be read. Such a book is a message of Protocol Buffers: states, each with moves and the
index of the state that each leads to. The first states have a position, the others are reached from them. A move has a
weight, read as its count, and may be judged; moves that are judged bad are left out, as a book's moves are played. A
state may have values that engines gave with lines: they are black's, and go to the moves that the lines begin with.
Comments are passed over.
Schema: https://github.com/sunfish-shogi/shogihome/blob/main/src/background/book/proto/sbk.proto (CC0). It does not say
whose the values are. In ShogiGUI's own file of that project's tests (shogigui01.sbk) the only position with values,
with white to move, has 5, 5 and 43 in this order; if the first line is the best, they are black's.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from shogi_engine.books import BookRecipe, Defaults, Entries
from shogi_engine.games.shogi.board import Board
from shogi_engine.games.shogi.book import SBK, Book, flipped_key, flipped_move, position_key
from shogi_engine.interface.extras import BookError, BookMove
from shogi_engine.language import Message


def canonical(sfen: str) -> tuple[str, int]:
    """Return the common key of a position and its twin, with black to move, and whether the position was rotated."""
    key = position_key(sfen)
    return (key, 0) if key.split()[1] == "b" else (flipped_key(key), 1)


def turned(move: str, image: int, back: bool) -> str:
    """Return a move on the rotated board if `image` is 1; `back` makes no difference."""
    return flipped_move(move) if image else move


def read(path: Path, notes: list[str]) -> Entries:
    """Return the positions of a book in YaneuraOu's text format, or ShogiGUI's, black to move: see `BookRecipe`."""
    entries: Entries = {}
    if path.suffix.lower() == SBK:
        positions = read_sbk(path, notes)
    else:
        book = Book.load(path)
        notes += book.notes
        positions = book.positions
    for key, moves in positions.items():
        home, image = canonical(key)
        if image:
            moves = Book({key: moves}).known(home)
        entries.setdefault(home, []).extend(moves)
    return entries


def write(entries: Entries) -> str:
    """Return a book in YaneuraOu's text format."""
    return Book(entries).text()


RECIPE = BookRecipe(
    game_name="shogi",
    defaults=Defaults(limit=("nodes", 40_000), width=3, margin=50, max_ply=40, ply_cost=15),
    unit=1,
    unit_name="centipawns",
    canonical=canonical,
    turned=turned,
    read=read,
    write=write,
    sources="YaneuraOu's text (.db), ShogiGUI's .sbk",
)


# ---- ShogiGUI's books


STATES, POSITION, MOVES, VALUES = 3, 7, 9, 10  # fields of a book and of a state
MOVE, JUDGED, WEIGHT, NEXT = 1, 2, 3, 4  # fields of a move
VALUE, DEPTH, LINE = 1, 2, 5  # fields of a value
BAD = 3  # and 4, a blunder
_VARINT, _BYTES, _SIZES = 0, 2, {1: 8, 5: 4}  # kinds of fields; those of fixed size are not used
_DROPPED = "?PLNSGBR????????"  # by number
COUNT_MAX = 10**9


@dataclass
class _State:
    """A state.

    Attributes:
        position: '' if it is reached by moves
        moves: text, judgement, weight, next state
        values: the first move of a line in Japanese, black's value, depth
    """

    position: str = ""
    moves: list[tuple[str, int, int, int]] = field(default_factory=list)
    values: list[tuple[str, int, int]] = field(default_factory=list)


def read_sbk(path: Path, notes: list[str]) -> Entries:
    """Return the positions of a book, either side to move; see `BookRecipe.read`. Raises BookError."""
    try:
        states = [_state(value) for number, value in _fields(path.read_bytes()) if number == STATES]
    except OSError as fault:
        raise BookError(fault.strerror or "cannot be read") from None
    entries: Entries = {}
    seen: set[int] = set()
    for index, state in enumerate(states):
        if state.position and index not in seen:
            try:
                board = Board(state.position.removeprefix("position ").removeprefix("sfen "))
            except ValueError as fault:
                notes.append(Message("position {0}: {1}", index + 1, fault))
                continue
            _walk(board, index, states, seen, entries, notes)
    if not entries:
        raise BookError("the file contains no position")
    return entries


def _walk(board: Board, first: int, states: list[_State], seen: set[int], entries: Entries, notes: list[str]) -> None:
    """Add the moves of a state, whose position is on the board, and of those that it leads to."""
    waiting: list[tuple[int, str, int]] = [(first, "", 0)]  # states; the move to each, and the moves before it
    while waiting:
        index, move, ply = waiting.pop()
        if index in seen:
            continue
        while len(board.move_stack) > max(ply - 1, 0):
            board.pop()
        if move:
            board.push_text(move)
        seen.add(index)
        legal = {str(each) for each in board.legal_moves}
        found = entries.setdefault(position_key(board.sfen()), [])
        values = _values(board, states[index])
        for text, judged, weight, following in states[index].moves:
            if text not in legal:
                notes.append(Message("position {0}: illegal move {1!r}", index + 1, text))
                continue
            if judged < BAD and all(each.move != text for each in found):
                value, depth = values.get(text, (None, 0))
                found.append(BookMove(text, "", value, depth, min(weight, COUNT_MAX)))
            if following < len(states):
                waiting.append((following, text, ply + 1))
        if not found:
            del entries[position_key(board.sfen())]


def _state(data: bytes | int) -> _State:
    """Return a state. Raises BookError."""
    state = _State()
    for number, value in _fields(_bytes(data)):
        if number == POSITION:
            state.position = _bytes(value).decode("utf-8", "replace").strip()
        elif number == MOVES:
            given = {each: what for each, what in _fields(_bytes(value)) if isinstance(what, int)}
            judged, weight, following = (given.get(each, 0) for each in (JUDGED, WEIGHT, NEXT))
            state.moves.append((_move(given.get(MOVE, 0)), judged, weight, following))
        elif number == VALUES:
            told = dict(_fields(_bytes(value)))
            first = _bytes(told.get(LINE, b"")).decode("utf-8", "replace").strip(" ").partition(" ")[0]
            black, depth = (told.get(each, 0) for each in (VALUE, DEPTH))
            if isinstance(black, int) and isinstance(depth, int) and first:
                state.values.append((first, black - (black >> 63 << 64), depth))
    return state


def _values(board: Board, state: _State) -> dict[str, tuple[int, int]]:
    """Return the value for the side to move and the depth by move, of the deepest search."""
    values: dict[str, tuple[int, int]] = {}
    for text, black, depth in state.values:
        with contextlib.suppress(ValueError):  # a line that is no line of moves tells of no move
            move = str(board.parse_text(text))
            if depth >= values.get(move, (0, 0))[1]:
                values[move] = (-black if board.turn else black), depth
    return values


def _move(code: int) -> str:
    """Return the text of a move: four bits each for rank and file of its source and target, a bit for promotion."""
    ranks = "?abcdefghi??????"
    target = f"{code >> 12 & 15}{ranks[code >> 8 & 15]}"
    if not code & 0xFF:
        return f"{_DROPPED[code >> 24 & 15]}*{target}"
    return f"{code >> 4 & 15}{ranks[code & 15]}{target}{'+' if code >> 19 & 1 else ''}"


# ---- Protocol Buffers --------------------------------------------------------------------------------------------


def _bytes(value: bytes | int) -> bytes:
    if isinstance(value, int):
        raise BookError("this is not a book of ShogiGUI")
    return value


def _fields(data: bytes) -> Iterator[tuple[int, bytes | int]]:
    """Yield the fields of a message: its number, and an integer or the bytes of a text or message. Raises BookError."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == _VARINT:
            value, at = _varint(data, at)
            yield tag >> 3, value
            continue
        if kind == _BYTES:
            size, at = _varint(data, at)
        elif kind in _SIZES:
            size = _SIZES[kind]
        else:
            raise BookError("this is not a book of ShogiGUI")
        if at + size > len(data):
            raise BookError("the file is cut off")
        if kind == _BYTES:
            yield tag >> 3, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return an integer of seven bits a byte, the lowest first, and the index after it. Raises BookError."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            break
        value |= (data[at] & 127) << shift
        at += 1
        if data[at - 1] < 128:
            return value, at
    raise BookError("the file is cut off")
