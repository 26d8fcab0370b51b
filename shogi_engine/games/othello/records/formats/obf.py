"""OBF, test positions: 64 squares and the side to move, then moves with their scores: '...X; A2:+38; % FFO 40'.

In a record the scored moves are variations of one move, each with an evaluation.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from shogi_engine.games.othello.notation import PASS_NAME, format_move, format_obf, legal_move, parse_obf, split_move
from shogi_engine.games.othello.types import SQUARES
from shogi_engine.language import InputError
from shogi_engine.records import formats
from shogi_engine.records.formats import Line, LineFormat, LineReader
from shogi_engine.records.tree import GameRecord, clipped, one_line
from shogi_engine.types.results import Score

FILLER, FILLER_SCORE = "--", "-127"  # Edax fills lines with moves that do not exist
_POSITION = re.compile(r"\s*([XxOo*.-]\s*){64}[XxOo*]\s*(;.*)?")


@dataclass(frozen=True)
class TestPosition:
    """A line of an OBF file.

    Attributes:
        position: OBF
        scores: (move, discs) for the side to move, as the line lists them
        value: the score of a position without a move, None if not given
        comment: the text after '%'
    """

    __test__ = False  # keeps pytest from collecting it as a test

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
    """Parse '+12', '-4', '0'; ValueError if it is not an integer, or more than the discs of a board."""
    if not re.fullmatch(r"[+-]?\d{1,2}", text, re.ASCII) or abs(int(text)) > SQUARES:
        raise InputError("{0} is not a score from -64 to +64", clipped(text, 24))
    return int(text)


def parse_obf_line(line: str) -> TestPosition:
    """Parse one line to its position, scores and comment; raises ValueError naming the invalid field."""
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
            if colon and move.strip() == FILLER and score.strip() == FILLER_SCORE:
                continue
            if colon:
                legal = format_move(None, legal_move(position, split_move(move)))
                if legal in dict(scores):
                    raise InputError("{0!r} already exists", legal)
                scores.append((legal, _score(score.strip())))
            elif value is None:
                value = _score(text)
            else:
                raise InputError("a second score without a move")
        except ValueError as fault:
            raise InputError("field {0} after the position: {1}", number, fault) from None
    return TestPosition(format_obf(position), tuple(scores), value, comment.strip())


def format_obf_line(test: TestPosition) -> str:
    """Return the line of a test position; the inverse of `parse_obf_line`."""
    if any(character in test.comment for character in "\n\r"):
        raise InputError("a comment must be one line")
    fields = [f" {move.upper() if move != PASS_NAME else 'PA'}:{score:+d};" for move, score in test.scores]
    if test.value is not None:
        fields.insert(0, f" {test.value:+d};")
    comment = f" % {test.comment}" if test.comment else ""
    return f"{test.position};{''.join(fields)}{comment}"


class ObfReader(LineReader):
    """Reads the line of one position."""

    def __init__(self) -> None:
        self.record = GameRecord("othello")

    def take(self, line: str) -> None:
        """Read the line. Raises ValueError naming the invalid field."""
        test = parse_obf_line(line)
        root = self.record.root
        self.record.start, root.comment = test.position, test.comment
        root.evaluation = None if test.value is None else Score.discs(test.value)
        for move, score in test.scores:
            root.add(move, evaluation=Score.discs(score))
        if (outcome := self.record.board().outcome()) is not None:
            self.record.score = float(outcome.score)


class ObfFormat(LineFormat):
    """OBF. Only the position after a game's last move is written."""

    name = "obf"
    game = "othello"
    extensions = (".obf",)
    expected = "64 of X, O and -, the side to move, then moves like 'A2:+38;'"
    holds = frozenset({formats.START, formats.EVALUATIONS})
    reader = ObfReader

    def recognises(self, head: str) -> bool:
        """Tell whether the first line that is not a comment is a position."""
        lines = (line.strip() for line in head.splitlines())
        return bool(_POSITION.fullmatch(next((line for line in lines if line and line[0] != "%"), "")))

    def is_separator(self, line: str) -> bool:
        """Tell whether a line is a comment."""
        return line.lstrip().startswith("%")

    def begins_game(self, line: str, block: list[Line]) -> bool:
        """Return True: each line is a position."""
        return True

    def write(self, records: Iterable[GameRecord], encoding: str = "") -> Iterator[str]:
        """Yield a line for each record. Raises ValueError for a move that is not legal."""
        for record in records:
            yield f"{format_obf_line(_test_position(record))}\n"


def _test_position(record: GameRecord) -> TestPosition:
    """Convert a record back to the test position it was read from, or else take the last position of a game."""
    root = record.root
    comment = one_line(root.comment.replace("\n", " "))
    scored = [
        (child.move, round(child.evaluation.value))
        for child in root.children
        if child.evaluation is not None and not child.children
    ]
    if not root.children or len(scored) == len(root.children):
        value = None if root.evaluation is None else round(root.evaluation.value)
        return TestPosition(record.start, tuple(scored), value, comment)
    return TestPosition(record.board().obf(), comment=comment)


FORMAT = ObfFormat()


def read_obf(text: str) -> list[TestPosition]:
    """Return the positions of an OBF file; empty lines and lines that begin with '%' are ignored.

    Raises ValueError naming the line.
    """
    tests = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not FORMAT.is_separator(line):
            try:
                tests.append(parse_obf_line(line))
            except ValueError as fault:
                raise InputError("line {0}: {1}", number, fault) from None
    return tests
