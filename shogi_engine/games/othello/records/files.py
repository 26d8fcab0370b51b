"""Othello's files: transcripts, OBF test positions, GGF games and WTHOR's databases, read and written.

Every error is a ValueError that names the place. Moves are texts, 'f5' or 'pass', checked against the rules;
`Record.board` makes a Board of a game.
"""

import datetime
import re
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from shogi_engine.games.othello.notation import (
    PASS_NAME,
    SQUARE_NAMES,
    START,
    can_only_pass,
    format_board,
    format_move,
    format_obf,
    legal_move,
    legal_moves,
    parse_obf,
    parse_transcript,
    split_move,
)
from shogi_engine.games.othello.position import do_move
from shogi_engine.games.othello.rules import final_score
from shogi_engine.games.othello.types import BLACK, PASS, SQUARES, UNDO
from shogi_engine.jit import new_record

if TYPE_CHECKING:
    from shogi_engine.games.othello.board import Board


@dataclass(frozen=True)
class Played:
    """A move of a record. evaluation : discs, as the mover wrote it    seconds : of thought; None if not told."""

    move: str
    evaluation: float | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Record:
    """A game. start : OBF    moves : passes among them    tags : what a GGF header says beside BO, by name."""

    moves: tuple[Played, ...]
    start: str = START
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def texts(self) -> list[str]:
        """The moves as texts."""
        return [played.move for played in self.moves]

    def board(self) -> "Board":
        """Return the Board after all moves."""
        from shogi_engine.games.othello.board import Board

        board = Board(self.start)
        for text in self.texts:
            board.push_text(text)
        return board


class Referee:
    """A position to play a record's moves on."""

    def __init__(self, start: str = START) -> None:
        self.position = parse_obf(start)
        self._undo = new_record(UNDO)

    def play(self, text: str) -> str:
        """Play a move and return its text, 'f5' or 'pass'; raises ValueError saying why it is illegal."""
        move = legal_move(self.position, split_move(text))
        do_move(self.position, np.uint32(move), self._undo)
        return format_move(None, move)

    def pass_if_due(self) -> bool:
        """Play the pass if it is the only move; tell whether it was."""
        due = can_only_pass(self.position)
        if due:
            do_move(self.position, np.uint32(PASS), self._undo)
        return due

    def score(self) -> int:
        """Return by how many discs black leads, the empty squares counted for who leads."""
        score = int(final_score(self.position.own, self.position.opponent))
        return score if int(self.position.side) == BLACK else -score

    def over(self) -> bool:
        """Tell whether neither side can place a disc."""
        return not legal_moves(self.position)


def _clip(text: str) -> str:
    """Return `text` quoted, and not long: what an error shows of a file."""
    return repr(text if len(text) <= 24 else text[:21] + "...")


# ---- transcripts -------------------------------------------------------------------------------------------------


def read_transcripts(text: str) -> list[Record]:
    """Return the games of a text with one transcript ('f5d6c3...') a line; '#' begins a comment, empty lines are none.

    Raises ValueError naming the line.
    """
    games = []
    for number, line in enumerate(text.splitlines(), 1):
        moves = line.partition("#")[0].strip()
        if moves:
            try:
                games.append(Record(tuple(Played(format_move(None, move)) for move in parse_transcript(moves))))
            except ValueError as fault:
                raise ValueError(f"line {number}: {fault}") from None
    return games


def format_transcript(game: Record) -> str:
    """Return a game's moves in a row, without passes. Raises ValueError for another start: a transcript has none."""
    if format_obf(parse_obf(game.start)) != START:
        raise ValueError("a transcript can not tell where the game began, and this one began elsewhere")
    return "".join(text for text in game.texts if text != PASS_NAME)


# ---- OBF ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TestPosition:
    """A line of an OBF file. position : OBF    scores : (move, discs) for the side to move, as the line lists them.

    value : the score of a position without a move, None if the line does not tell    comment : what follows '%'
    """

    __test__ = False  # not a test of pytest's

    position: str
    scores: tuple[tuple[str, int], ...] = ()
    value: int | None = None
    comment: str = ""

    @property
    def score(self) -> int | None:
        """The best score listed."""
        return max((score for _, score in self.scores), default=self.value)

    @property
    def best_moves(self) -> list[str]:
        """The moves with the best score."""
        return [move for move, score in self.scores if score == self.score]


def _score(text: str) -> int:
    """Return the integer of '+12', '-4', '0'; ValueError if it is none or more than a board holds."""
    if not re.fullmatch(r"[+-]?\d{1,2}", text, re.ASCII) or abs(int(text)) > SQUARES:
        raise ValueError(f"{_clip(text)} is no score, -64 to +64")
    return int(text)


def parse_obf_line(line: str) -> TestPosition:
    """Return one line's position, scores and comment; raises ValueError with the field that is wrong."""
    head, _, comment = line.partition("%")
    place, *fields = head.split(";")
    position = parse_obf(place)
    scores: list[tuple[str, int]] = []
    value = None
    for number, text in enumerate((each.strip() for each in fields), 1):
        if not text:
            continue
        move, colon, score = text.rpartition(":")
        try:
            if colon:
                legal = format_move(None, legal_move(position, split_move(move)))
                if legal in dict(scores):
                    raise ValueError(f"{legal!r} is there already")
                scores.append((legal, _score(score.strip())))
            elif value is None:
                value = _score(text)
            else:
                raise ValueError("a second score without a move")
        except ValueError as fault:
            raise ValueError(f"field {number} after the position: {fault}") from None
    return TestPosition(format_obf(position), tuple(scores), value, comment.strip())


def format_obf_line(test: TestPosition) -> str:
    """Return the line of a test position; the inverse of `parse_obf_line`."""
    if any(character in test.comment for character in "\n\r"):
        raise ValueError("a comment is one line")
    fields = [f" {move.upper() if move != PASS_NAME else 'PA'}:{score:+d};" for move, score in test.scores]
    if test.value is not None:
        fields.insert(0, f" {test.value:+d};")
    comment = f" % {test.comment}" if test.comment else ""
    return f"{test.position};{''.join(fields)}{comment}"


def read_obf(text: str) -> list[TestPosition]:
    """Return the positions of an OBF file; lines that begin with '%' and empty ones count nothing.

    Raises ValueError naming the line.
    """
    tests = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("%"):
            try:
                tests.append(parse_obf_line(line))
            except ValueError as fault:
                raise ValueError(f"line {number}: {fault}") from None
    return tests


# ---- GGF ---------------------------------------------------------------------------------------------------------

_GGF_BLANK = re.compile(r"\s*")
_GGF_NAME = re.compile(r"[A-Za-z]+")
_GGF_ENDS = ")", ";)"


def _ggf_moves(fields: Sequence[tuple[int, str, str]], referee: Referee) -> list[Played]:
    """Return the moves of a GGF game's fields (place, name, value) in order, each made on `referee`."""
    moves = []
    for place, name, value in fields:
        if name not in ("B", "W"):
            continue
        parts = value.split("/")
        try:
            if len(parts) > 3:
                raise ValueError("at most a move, an evaluation and a time are wanted")
            if parts[0].strip().lower()[:2] != "pa" and referee.pass_if_due():
                moves.append(Played(PASS_NAME))
            if name != "BW"[int(referee.position.side)]:
                raise ValueError(f"it is not {'black' if name == 'B' else 'white'}'s turn")
            numbers = [_number(part) for part in (*parts[1:], "", "")]
            moves.append(Played(referee.play(parts[0]), numbers[0], numbers[1]))
        except ValueError as fault:
            where = f"character {place + 1}: move {len(moves) + 1}, {name}[{_clip(value)[1:-1]}]"
            raise ValueError(f"{where}: {fault}") from None
    return moves


def _number(text: str) -> float | None:
    """Return the number `text`, None if it is empty; raises ValueError."""
    text = text.strip()
    if text and not re.fullmatch(r"[+-]?(\d{1,15}\.?\d{0,15}|\.\d{1,15})", text, re.ASCII):
        raise ValueError(f"{_clip(text)} is no number")
    return float(text) if text else None


def _ggf_board(value: str) -> str:
    """Return the OBF of a BO tag, '8', 64 squares and the side to move."""
    size, _, rest = value.strip().partition(" ")
    if size != "8":
        raise ValueError(f"the board is of 8 by 8 squares, not {_clip(size)}")
    return format_obf(parse_obf(rest))


def parse_ggf_games(text: str) -> list[Record]:
    """Return all games '(;GM[Othello]...;)' of a text; what stands between them counts nothing.

    Raises ValueError naming the character (and with more lines than one the line) that is wrong.
    """
    games, place = [], text.find("(;")
    while place >= 0:
        fields: list[tuple[int, str, str]] = []
        at = place + 2
        try:
            while True:
                at = _GGF_BLANK.match(text, at).end()  # type: ignore[union-attr]
                if text.startswith(_GGF_ENDS, at):
                    at = text.index(")", at) + 1
                    break
                name = _GGF_NAME.match(text, at)
                if not name or not text.startswith("[", name.end()):
                    found = _clip(text[at : at + 8]) if at < len(text) else "the end"
                    raise ValueError(f"character {at + 1}: a tag, NAME[...], or ;) is wanted, not {found}")
                end = text.find("]", name.end())
                if end < 0:
                    raise ValueError(f"character {name.end() + 1}: the ] of {name[0]}[ is missing")
                fields.append((at, name[0].upper(), text[name.end() + 1 : end]))
                at = end + 1
            games.append(_ggf_game(fields))
        except ValueError as fault:
            raise ValueError(f"GGF: game {len(games) + 1}, {fault}") from None
        place = text.find("(;", at)
    return games


def _ggf_game(fields: Sequence[tuple[int, str, str]]) -> Record:
    """Return the game of a GGF node's fields (place, name, value)."""
    tags: dict[str, str] = {}
    start = START
    for place, name, value in fields:
        if name in ("B", "W"):
            continue
        try:
            if name == "BO":
                start = _ggf_board(value)
            elif name == "GM" and value.strip().lower() != "othello":
                raise ValueError(f"the game is Othello, not {_clip(value)}")
            elif name in tags:
                raise ValueError("the tag is there already")
            else:
                tags[name] = value
        except ValueError as fault:
            raise ValueError(f"character {place + 1}: {name}: {fault}") from None
    return Record(tuple(_ggf_moves(fields, Referee(start))), start, tags)


def parse_ggf(text: str) -> Record:
    """Return the one game of a GGF text; raises ValueError as `parse_ggf_games` does, or if there is none."""
    games = parse_ggf_games(text)
    if len(games) != 1:
        raise ValueError(f"GGF: one game, (;GM[Othello]...;), is wanted, not {len(games)}")
    return games[0]


def _ggf_number(value: float) -> str:
    """Return a number as GGF has it: no exponent, no more digits than it needs."""
    return np.format_float_positional(value, trim="-")


def _ggf_played(side: int, played: Played) -> str:
    """Return B[F5/1.5/2], without what is not known."""
    square = "PA" if played.move == PASS_NAME else played.move.upper()
    numbers = ["" if value is None else _ggf_number(value) for value in (played.evaluation, played.seconds)]
    return f"{'BW'[side]}[{'/'.join([square, *numbers]).rstrip('/')}]"


def format_ggf(game: Record) -> str:
    """Return a game as GGF, one line; the inverse of `parse_ggf`. ValueError for a tag that can not be written."""
    position = parse_obf(game.start)
    tags = {"GM": "Othello", **{name: value for name, value in game.tags.items() if name != "GM"}}
    for name, value in tags.items():
        proper = _GGF_NAME.fullmatch(name) and name == name.upper() and name not in ("B", "W", "BO")
        if not proper or set(value) & set("]\r\n"):
            raise ValueError(f"GGF: the tag {name!r} with the value {value!r} can not be written")
    board = format_board(position).replace("X", "*")
    header = "".join(f"{name}[{value}]" for name, value in tags.items())
    sides = [(int(position.side) + number) % 2 for number in range(len(game.moves))]
    moves = "".join(map(_ggf_played, sides, game.moves))
    return f"(;{header}BO[8 {board} {'*O'[int(position.side)]}]{moves};)"


# ---- WTHOR -------------------------------------------------------------------------------------------------------

_HEADER = struct.Struct("<4BIHH4B")
_GAME = struct.Struct("<HHHbb60s")
PLAYER_BYTES, TOURNAMENT_BYTES = 20, 26
_ENCODING = "latin-1"


@dataclass(frozen=True)
class WthorGame:
    """A game of a database. tournament, black, white : numbers in the .trn and .jou files.

    score : black's discs, the empty squares given to the winner    best_score : the same by best play from so many
    empty squares as the database says    moves : passes among them
    """

    tournament: int
    black: int
    white: int
    score: int
    best_score: int
    moves: tuple[str, ...]

    def record(self, players: Sequence[str] = (), tournaments: Sequence[str] = ()) -> Record:
        """Return the game with the names that its numbers stand for, as far as they are given."""
        tags = {}
        for tag, names, number in (
            ("PC", tournaments, self.tournament),
            ("PB", players, self.black),
            ("PW", players, self.white),
        ):
            if number < len(names):
                tags[tag] = names[number].replace("]", ")")
        return Record(tuple(map(Played, self.moves)), tags={**tags, "RE": f"{2 * self.score - SQUARES:+d}"})


@dataclass(frozen=True)
class Wthor:
    """A .wtb file. year : of the games    depth : empty squares that `best_score` counts from    date : of the file."""

    games: tuple[WthorGame, ...]
    year: int = 0
    depth: int = 22
    date: datetime.date = datetime.date(2000, 1, 1)


def _wthor_header(data: bytes, kind: str) -> tuple[datetime.date, int, int, int, int, int]:
    """Return date, two counts, year, board size and depth of a header; raises ValueError."""
    if len(data) < _HEADER.size:
        raise ValueError(f"{kind}: byte {len(data)}: the header of {_HEADER.size} bytes is cut off")
    century, year, month, day, games, names, of_year, size, _, depth, _ = _HEADER.unpack_from(data)
    try:
        date = datetime.date(100 * century + year, month, day)
    except ValueError as fault:
        raise ValueError(f"{kind}: byte 0: the date {century:02d}{year:02d}-{month}-{day} is none: {fault}") from None
    return date, games, names, of_year, size, depth


def _wthor_moves(data: bytes, place: int, number: int) -> tuple[tuple[str, ...], Referee]:
    """Return a game's moves, passes added, and the position they lead to; `place` is where they begin in the file."""
    moves: list[str] = []
    referee = Referee()
    for index, code in enumerate(data):
        if code == 0:
            if any(data[index:]):
                raise ValueError(f"WTHOR: game {number}, byte {place + index}: a move follows the end of the game")
            break
        row, column = divmod(code, 10)
        try:
            if not (1 <= row <= 8 and 1 <= column <= 8):
                raise ValueError(f"{code} is no square, 11 to 88")
            if referee.pass_if_due():
                moves.append(PASS_NAME)
            moves.append(referee.play(SQUARE_NAMES[8 * (row - 1) + column - 1]))
        except ValueError as fault:
            raise ValueError(f"WTHOR: game {number}, byte {place + index}: {fault}") from None
    return tuple(moves), referee


def parse_wthor(data: bytes) -> Wthor:
    """Return a .wtb file's games; raises ValueError naming the byte."""
    date, count, _, year, size, depth = _wthor_header(data, "WTHOR")
    if size not in (0, 8):
        raise ValueError(f"WTHOR: byte 12: the board is of 8 by 8 squares, not {size}")
    whole = _HEADER.size + count * _GAME.size
    if len(data) != whole:
        raise ValueError(f"WTHOR: {count} games are {whole} bytes, not {len(data)}")
    games = []
    for number in range(count):
        place = _HEADER.size + number * _GAME.size
        tournament, black, white, score, best, codes = _GAME.unpack_from(data, place)
        moves, _ = _wthor_moves(codes, place + 8, number + 1)
        for name, value in (("score", score), ("best score", best)):
            if not 0 <= value <= SQUARES:
                raise ValueError(f"WTHOR: game {number + 1}, byte {place + 6}: the {name} is {value}, not 0 to 64")
        games.append(WthorGame(tournament, black, white, score, best, moves))
    return Wthor(tuple(games), year, depth, date)


def wthor_game(moves: Iterable[str], *, tournament: int = 0, black: int = 0, white: int = 0) -> WthorGame:
    """Return a game for a database, its score counted; passes may be left out. Raises ValueError for a wrong move."""
    referee = Referee()
    played = []
    for number, text in enumerate(moves, 1):
        try:
            if split_move(text) is not None and referee.pass_if_due():
                played.append(PASS_NAME)
            played.append(referee.play(text))
        except ValueError as fault:
            raise ValueError(f"move {number}: {fault}") from None
    score = (SQUARES + referee.score()) // 2
    return WthorGame(tournament, black, white, score, score, tuple(played))


def format_wthor(database: Wthor) -> bytes:
    """Return the bytes of a .wtb file; the inverse of `parse_wthor`. Raises ValueError for what it can not hold."""
    made = *divmod(database.date.year, 100), database.date.month, database.date.day
    try:
        data = [_HEADER.pack(*made, len(database.games), 0, database.year, 8, 0, database.depth, 0)]
    except struct.error as fault:
        raise ValueError(f"WTHOR: the header: {fault}") from None
    for number, game in enumerate(database.games, 1):
        squares = [SQUARE_NAMES.index(text) for text in game.moves if text != PASS_NAME]
        codes = bytes(10 * (square // 8 + 1) + square % 8 + 1 for square in squares)
        try:
            data.append(
                _GAME.pack(game.tournament, game.black, game.white, game.score, game.best_score, codes.ljust(60, b"\0"))
            )
        except struct.error as fault:
            raise ValueError(f"WTHOR: game {number}: {fault}") from None
    return b"".join(data)


def parse_names(data: bytes, width: int) -> list[str]:
    """Return the names of a .jou (width PLAYER_BYTES) or .trn file (TOURNAMENT_BYTES); raises ValueError."""
    _, _, count, *_ = _wthor_header(data, "WTHOR names")
    whole = _HEADER.size + count * width
    if len(data) != whole:
        raise ValueError(f"WTHOR names: {count} of {width} bytes are {whole} bytes, not {len(data)}")
    places = range(_HEADER.size, whole, width)
    return [data[place : place + width].partition(b"\0")[0].decode(_ENCODING).rstrip() for place in places]


def format_names(names: Sequence[str], width: int, date: datetime.date = datetime.date(2000, 1, 1)) -> bytes:
    """Return the bytes of a .jou or .trn file; raises ValueError for a name that does not fit."""
    data = [_HEADER.pack(*divmod(date.year, 100), date.month, date.day, 0, len(names), 0, 0, 0, 0, 0)]
    for number, name in enumerate(names, 1):
        try:
            coded = name.encode(_ENCODING)
        except UnicodeEncodeError:
            raise ValueError(f"WTHOR names: name {number}, {name!r}, is not in {_ENCODING}") from None
        if len(coded) >= width or "\0" in name or name != name.rstrip():
            wanted = f"{width - 1} characters at most, no blank at the end"
            raise ValueError(f"WTHOR names: name {number}, {name!r}: {wanted}")
        data.append(coded.ljust(width, b"\0"))
    return b"".join(data)


# ---- any file ----------------------------------------------------------------------------------------------------


def read_games(data: bytes) -> list[Record]:
    """Return the games of a file's contents: WTHOR, GGF or transcripts, whichever it is. Raises ValueError."""
    if b"\0" in data[:64]:
        return [game.record() for game in parse_wthor(data).games]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise ValueError(f"byte {fault.start}: neither text nor a WTHOR file") from None
    games = parse_ggf_games(text) if "(;" in text else read_transcripts(text)
    if not games:
        raise ValueError("there is no game in it")
    return games
