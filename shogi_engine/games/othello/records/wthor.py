"""WTHOR databases of Othello games (.wtb, with the names of .jou and .trn), read and written."""

import datetime
import io
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO

from shogi_engine.games.othello import notation
from shogi_engine.games.othello.board import Board
from shogi_engine.games.othello.types import DISC_MOVE, PASS, SQUARES
from shogi_engine.language import InputError
from shogi_engine.records.tree import GameRecord

_HEADER = struct.Struct("<4BIHH4B")
_GAME = struct.Struct("<HHHbb60s")
PLAYER_BYTES, TOURNAMENT_BYTES = 20, 26
NUMBERS = ("tournament number", "black number", "white number", "best score")  # headers of a record
_ENCODING = "latin-1"


@dataclass(frozen=True)
class WthorGame:
    """A game of a database.

    Attributes:
        tournament: its number in the .trn file
        black, white: the players' numbers in the .jou file
        score: black's discs, with empty squares counted for the winner
        best_score: the score under best play from the number of empty squares in the database's header (`Wthor.depth`)
        moves: the moves, passes included
    """

    tournament: int
    black: int
    white: int
    score: int
    best_score: int
    moves: tuple[str, ...]

    def record(self, players: Sequence[str] = (), tournaments: Sequence[str] = ()) -> GameRecord:
        """Return the game as a record, with the names that `players` and `tournaments` give for its numbers."""
        record = GameRecord.from_moves("othello", self.moves)
        record.score = float(2 * self.score - SQUARES)
        record.names = [players[number] if number < len(players) else "" for number in (self.black, self.white)]
        if self.tournament < len(tournaments):
            record.headers["event"] = tournaments[self.tournament]
        numbers = (self.tournament, self.black, self.white, self.best_score)
        record.headers |= {name: str(number) for name, number in zip(NUMBERS, numbers, strict=True)}
        return record

    @classmethod
    def of(cls, record: GameRecord) -> "WthorGame":
        """Convert a record to a game of a database. Raises ValueError for another start or an illegal move."""
        if record.start != notation.START:
            raise InputError("WTHOR: a game must begin at the usual starting position")
        numbers = [int(text) if text.isascii() and text.isdecimal() else 0
                   for text in (record.headers.get(name, "") for name in NUMBERS)]  # fmt: skip
        game = wthor_game(record.moves, tournament=numbers[0], black=numbers[1], white=numbers[2])
        score = game.score if record.score is None else (round(record.score) + SQUARES) // 2
        best = numbers[3] if NUMBERS[3] in record.headers else score
        return replace(game, score=score, best_score=best)


@dataclass(frozen=True)
class Wthor:
    """A .wtb file.

    Attributes:
        year: the year of the games
        depth: the number of empty squares from which `best_score` counts
        date: the date of the file
    """

    games: tuple[WthorGame, ...]
    year: int = 0
    depth: int = 22
    date: datetime.date = datetime.date(2000, 1, 1)


def _wthor_header(data: bytes, kind: str) -> tuple[datetime.date, int, int, int, int, int]:
    """Return a header's date, two counts, year, board size and depth; raises ValueError."""
    if len(data) < _HEADER.size:
        raise InputError("{0}: byte {1}: the header of {2} bytes is cut off", kind, len(data), _HEADER.size)
    century, year, month, day, games, names, of_year, size, _, depth, _ = _HEADER.unpack_from(data)
    try:
        date = datetime.date(100 * century + year, month, day)
    except ValueError as fault:
        raise InputError(
            "{0}: byte 0: the date {1:02d}{2:02d}-{3}-{4} is wrong: {5}", kind, century, year, month, day, fault
        ) from None
    return date, games, names, of_year, size, depth


def _wthor_moves(data: bytes, place: int, number: int) -> tuple[str, ...]:
    """Return a game's moves, passes added; `place` is their byte offset in the file."""
    board = Board()
    for index, code in enumerate(data):
        if code == 0:
            if any(data[index:]):
                raise InputError("WTHOR: game {0}, byte {1}: a move follows the end of the game", number, place + index)
            break
        row, column = divmod(code, 10)
        try:
            if not (1 <= row <= 8 and 1 <= column <= 8):
                raise InputError("{0} is not a square, 11 to 88", code)
            if board.must_pass():
                board.push(PASS)
            board.push(DISC_MOVE | 8 * (row - 1) + column - 1)
        except ValueError as fault:
            raise InputError("WTHOR: game {0}, byte {1}: {2}", number, place + index, fault) from None
    return tuple(map(str, board.move_stack))


def parse_wthor(data: bytes) -> Wthor:
    """Return a .wtb file's games; raises ValueError giving the byte offset."""
    source = io.BytesIO(data)
    database, count = read_header(source)
    return replace(database, games=tuple(parse_game(*block) for block in read_blocks(source, count)))


def read_header(source: BinaryIO) -> tuple[Wthor, int]:
    """Return a .wtb file's header, without games, and their number; raises ValueError giving the byte offset.

    The file may be too short for its games, but not too long.
    """
    start = source.read(_HEADER.size)
    date, count, _, year, size, depth = _wthor_header(start, "WTHOR")
    if size not in (0, 8):
        raise InputError("WTHOR: byte 12: the board must have 8 by 8 squares, not {0}", size)
    length = source.seek(0, io.SEEK_END)
    source.seek(_HEADER.size)
    if length > _HEADER.size + count * _GAME.size:
        raise _wrong_length(count, length)
    return Wthor((), year, depth, date), count


def _wrong_length(count: int, length: int) -> InputError:
    return InputError("WTHOR: {0} games are {1} bytes, not {2}", count, _HEADER.size + count * _GAME.size, length)


def read_blocks(source: BinaryIO, count: int) -> Iterator[tuple[int, int, bytes]]:
    """Yield the arguments of `parse_game` for each of `count` games, up to one that is cut off or missing.

    `source` must be just after the header.
    """
    for number in range(1, count + 1):
        data = source.read(_GAME.size)
        yield number, count, data
        if len(data) < _GAME.size:
            return


def parse_game(number: int, count: int, data: bytes) -> WthorGame:
    """Return a game, the `number`-th of `count`, from its bytes; raises ValueError giving the byte offset."""
    place = _HEADER.size + (number - 1) * _GAME.size
    if not data:
        raise _wrong_length(count, place)
    if len(data) < _GAME.size:
        raise InputError("WTHOR: game {0}, byte {1}: the file is cut off", number, place + len(data))
    tournament, black, white, score, best, codes = _GAME.unpack(data)
    moves = _wthor_moves(codes, place + 8, number)
    for name, value in (("score", score), ("best score", best)):
        if not 0 <= value <= SQUARES:
            raise InputError("WTHOR: game {0}, byte {1}: the {2} is {3}, not 0 to 64", number, place + 6, name, value)
    return WthorGame(tournament, black, white, score, best, moves)


def wthor_game(moves: Iterable[str], *, tournament: int = 0, black: int = 0, white: int = 0) -> WthorGame:
    """Return a game for a database, with its score; passes may be omitted. Raises ValueError for an illegal move."""
    board = Board()
    for number, text in enumerate(moves, 1):
        try:
            board.push_typed(text)
        except ValueError as fault:
            raise InputError("move {0}: {1}", number, fault) from None
    score = (SQUARES + board.score()) // 2
    return WthorGame(tournament, black, white, score, score, tuple(map(str, board.move_stack)))


def format_wthor(database: Wthor) -> bytes:
    """Return the bytes of a .wtb file; the inverse of `parse_wthor`. Raises ValueError for data that it cannot hold."""
    made = *divmod(database.date.year, 100), database.date.month, database.date.day
    try:
        data = [_HEADER.pack(*made, len(database.games), 0, database.year, 8, 0, database.depth, 0)]
    except struct.error as fault:
        raise InputError("WTHOR: the header: {0}", fault) from None
    for number, game in enumerate(database.games, 1):
        squares = [notation.SQUARE_NAMES.index(text) for text in game.moves if text != notation.PASS_NAME]
        codes = bytes(10 * (square // 8 + 1) + square % 8 + 1 for square in squares)
        try:
            data.append(
                _GAME.pack(game.tournament, game.black, game.white, game.score, game.best_score, codes.ljust(60, b"\0"))
            )
        except struct.error as fault:
            raise InputError("WTHOR: game {0}: {1}", number, fault) from None
    return b"".join(data)


def parse_names(data: bytes, width: int) -> list[str]:
    """Return the names of a .jou (width PLAYER_BYTES) or .trn file (TOURNAMENT_BYTES); raises ValueError."""
    _, _, count, *_ = _wthor_header(data, "WTHOR names")
    whole = _HEADER.size + count * width
    if len(data) != whole:
        raise InputError("WTHOR names: {0} of {1} bytes are {2} bytes, not {3}", count, width, whole, len(data))
    places = range(_HEADER.size, whole, width)
    return [data[place : place + width].partition(b"\0")[0].decode(_ENCODING).rstrip() for place in places]


def format_names(names: Sequence[str], width: int, date: datetime.date = datetime.date(2000, 1, 1)) -> bytes:
    """Return the bytes of a .jou or .trn file; raises ValueError for a name that does not fit."""
    data = [_HEADER.pack(*divmod(date.year, 100), date.month, date.day, 0, len(names), 0, 0, 0, 0, 0)]
    for number, name in enumerate(names, 1):
        try:
            coded = name.encode(_ENCODING)
        except UnicodeEncodeError:
            raise InputError("WTHOR names: name {0}, {1!r}, is not in {2}", number, name, _ENCODING) from None
        if len(coded) >= width or "\0" in name or name != name.rstrip():
            wanted = f"{width - 1} characters at most, no blank at the end"
            raise InputError("WTHOR names: name {0}, {1!r}: {2}", number, name, wanted)
        data.append(coded.ljust(width, b"\0"))
    return b"".join(data)
