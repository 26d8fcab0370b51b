"""USI lines, one game each: 'startpos moves 7g7f', 'position sfen ... moves ...' or an SFEN alone."""

import re
from collections.abc import Iterable, Iterator

from shogi_engine.games.shogi.records.kakinoki import BLANKS
from shogi_engine.games.shogi.sfen import START, parse_sfen, split_usi_position
from shogi_engine.language import InputError
from shogi_engine.records import formats
from shogi_engine.records.formats import Line, LineFormat, LineReader
from shogi_engine.records.tree import GameRecord, Node, RecordBuilder
from shogi_engine.types.outcomes import EndingWords, Outcome, Termination, Winner

WORDS = EndingWords(  # the words that USI's bestmove can have instead of a move
    {"resign": (Termination.RESIGNATION, Winner.OPPONENT), "win": (Termination.DECLARATION, Winner.TO_MOVE)}
)
_SFEN = re.compile(r"[1-9+PLNSGBRKplnsgbrk]+(/[1-9+PLNSGBRKplnsgbrk]+){8}\s+[bw]\s")


def _said(line: str) -> str:
    """Return a line without a comment and without 'position', its words separated by one blank each."""
    words = line.strip(BLANKS).partition("#")[0].replace("_", " ").split()
    return " ".join(words[words[:1] == ["position"] :])


class UsiReader(LineReader):
    """Reads the line of one game."""

    def __init__(self) -> None:
        self.record = GameRecord("shogi")

    def take(self, line: str) -> None:
        """Read the line. Raises ValueError saying which move is wrong and why."""
        text = _said(line)
        start, moves = split_usi_position(f"startpos {text}" if text.startswith("moves ") else text)
        if start != "startpos":
            if len(start.split()) not in (3, 4):
                raise InputError("expected 'startpos' or an SFEN of four fields, then 'moves' and the moves")
            parse_sfen(start)
            self.record.start = start
        self.builder = builder = RecordBuilder(self.record)
        self.record.start = builder.board.sfen()
        for number, move in enumerate(moves, 1):
            try:
                if move in WORDS:
                    self.end(WORDS.read(move, builder.board.turn))
                else:
                    builder.play(builder.board.parse_usi(move))
            except ValueError as fault:
                raise InputError("move {0} of {1}: {2}", number, len(moves), fault) from None


class UsiFormat(LineFormat):
    """USI lines."""

    name = "usi"
    game = "shogi"
    extensions = (".usi", ".sfen")
    expected = "lines like 'startpos moves 7g7f 3c3d' or an SFEN"
    holds = frozenset({formats.START, formats.NUMBERS, formats.MOVES})
    reader = UsiReader

    def recognises(self, head: str) -> bool:
        """Tell whether the first line is a position."""
        first = next(filter(None, map(_said, head.splitlines())), "")
        return first.startswith(("startpos", "sfen ", "moves ")) or bool(_SFEN.match(first))

    def is_separator(self, line: str) -> bool:
        """Tell whether the line is a comment."""
        return line.lstrip().startswith("#")

    def begins_game(self, line: str, block: list[Line]) -> bool:
        """Return True: each line is a game."""
        return bool(line.strip())

    def kept_outcome(self, record: GameRecord, node: Node, side: int) -> Outcome:
        """Return the outcome of the game as it is read back from the written file; variations are lost."""
        return WORDS.kept(node.outcome, side)

    def write(self, records: Iterable[GameRecord], encoding: str = "") -> Iterator[str]:
        """Yield a line for each game."""
        for record in records:
            start = "startpos" if record.start == START else f"sfen {record.start}"
            line = record.main_line
            moves = [node.move for node in line[1:]]
            if line[-1].ending and (word := WORDS.word(line[-1].outcome, record.side(len(moves)))):
                moves.append(word)
            yield f"{start} moves {' '.join(moves)}\n" if moves else f"{start}\n"


FORMAT = UsiFormat()
