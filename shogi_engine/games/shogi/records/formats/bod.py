"""BOD: a position as a diagram with both hands; GUIs copy positions in this form."""

import re
from collections.abc import Iterable, Iterator

from shogi_engine.games.shogi.records.kakinoki import BLANKS, KI2_HEAD, NUMBERED_MOVE, line_finder, position_lines
from shogi_engine.games.shogi.records.kakinoki_reader import KakinokiReader
from shogi_engine.language import InputError
from shogi_engine.records import formats
from shogi_engine.records.formats import Line, LineFormat
from shogi_engine.records.tree import GameRecord

_has_row = line_finder(rf"[{BLANKS}]*+\|.{{18}}\|")
_has_moves = line_finder(rf"(?:{KI2_HEAD}|[{BLANKS}]*{NUMBERED_MOVE})")
_UPPER_HAND = re.compile(r"(後手|上手)の?持ち?駒[：:]")


class BodReader(KakinokiReader):
    """The lines of one diagram."""

    def finish(self) -> None:
        """Finish. Raises ValueError if there was no diagram."""
        if not self.diagram.rows:
            raise InputError("there is no diagram")
        super().finish()


class BodFormat(LineFormat):
    """BOD: a game is written as the position after its last move."""

    name = "bod"
    game = "shogi"
    extensions = (".bod",)
    expected = "a diagram of rows like '|v香v桂 ・ ・ ・ ・ ・ ・ ・|一'"
    holds = frozenset({formats.START, formats.NUMBERS})
    reader = BodReader
    encoding = "cp932"
    sure = False

    def recognises(self, head: str) -> bool:
        """Tell whether there is a diagram and no move."""
        return _has_row(head) and not _has_moves(head)

    def begins_game(self, line: str, block: list[Line]) -> bool:
        """Tell whether the line is the hand above a diagram, after another diagram."""
        if not _UPPER_HAND.match(line):
            return False
        for _, text in reversed(block):  # at most back to the last such hand, so that all calls together are linear
            if text.lstrip().startswith("|"):
                return True
            if _UPPER_HAND.match(text):
                break
        return False

    def write(self, records: Iterable[GameRecord], encoding: str = "") -> Iterator[str]:
        """Yield the diagram of each game's last position. Raises ValueError for a move that is not legal."""
        for record in records:
            position = GameRecord("shogi", record.board().sfen())
            yield "\r\n".join(position_lines(position)) + "\r\n"


FORMAT = BodFormat()
