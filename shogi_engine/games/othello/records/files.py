"""Othello's text files: transcripts, OBF test positions and GGF games, read and written.


Every error is a ValueError that names the place. Moves are texts, 'f5' or 'pass', checked against the rules;
`Record.board` makes a Board of a game.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from shogi_engine.games.othello.notation import (
    PASS_NAME,
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
                raise ValueError("expected at most a move, an evaluation and a time")
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
                    raise ValueError(f"character {at + 1}: expected a tag, NAME[...], or ;), not {found}")
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
        raise ValueError(f"GGF: expected one game, (;GM[Othello]...;), not {len(games)}")
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
