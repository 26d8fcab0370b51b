"""KI2: moves as books print them, '▲７六歩 △３四歩', without source squares and times."""

import re
from collections.abc import Iterable, Iterator

from shogi_engine.common.text import wide_to_ascii
from shogi_engine.games.shogi import notation
from shogi_engine.games.shogi.records import kakinoki
from shogi_engine.games.shogi.records.kakinoki_reader import KakinokiFormat, KakinokiReader, usual_move
from shogi_engine.language import InputError
from shogi_engine.records import formats
from shogi_engine.records.tree import GameRecord, RecordBuilder, clipped

A_LINE = 6  # moves per line
_has_moves = kakinoki.line_finder(kakinoki.KI2_HEAD)
_BETWEEN = re.compile(
    rf"[{kakinoki.BLANKS}、,]*(?:[0-9０-９]+[{kakinoki.BLANKS}]*(?=[{kakinoki.MARKS}]))?"
)  # blanks, and the number of a move
_WORD = re.compile(rf"[^{kakinoki.BLANKS}{kakinoki.MARKS}(（]+")
_ASIDE = re.compile(r"[(（][^()（）]*[)）]")


class Ki2Reader(KakinokiReader):
    """Reads the lines of one KI2 game."""

    usual_moves = kakinoki.KI2_MOVES

    @staticmethod
    def kind_of_line(line: str) -> tuple[int, int]:
        """Return the kind and number of a line that begins with no blank; see `kakinoki_lines`."""
        return (kakinoki.MOVE, kakinoki.UNNUMBERED) if kakinoki.KI2_MOVES.match(line) else kakinoki.kind_of(line)

    def take_moves(self, line: str, builder: RecordBuilder) -> None:
        """Read the moves of a line. Raises ValueError."""
        plain, place = wide_to_ascii(line), 0
        while (place := _BETWEEN.match(line, place).end()) < len(line):  # type: ignore[union-attr]
            found = notation.MOVE.match(plain, place)
            if found is None:
                place = len(line) if self._closes(line, place, builder) else self._take_word(line, place, builder)
                continue
            text, place = line[place : found.end()], found.end()
            try:
                builder.play(usual_move(builder.board, found[0]) or builder.board.parse_text(text))
            except ValueError as fault:
                self.suspect(text, fault)

    def _closes(self, line: str, place: int, builder: RecordBuilder) -> bool:
        """Read a closing line right after moves, '▲５六角まで9手で先手の勝ち'; tell whether it was one."""
        if not line.startswith("まで", place):
            return False
        self._close(line[place:], builder)
        return True

    def _take_word(self, line: str, place: int, builder: RecordBuilder) -> int:
        """Read an ending amid moves, or pass over text in brackets; return the place after it. Raises ValueError."""
        if (aside := _ASIDE.match(line, place)) and not kakinoki.MOVE_LIKE.search(aside[0]):
            self.note(formats.PASSED_OVER, clipped(aside[0]))
            return aside.end()
        place += line[place] in kakinoki.MARKS
        found = _WORD.match(line, place)
        word = found[0] if found else line[place:]
        if word not in kakinoki.WORDS:
            raise InputError("{0} is not a move", clipped(word))
        self.end(kakinoki.WORDS.read(word, builder.board.turn))
        return place + len(word)


class Ki2Format(KakinokiFormat):
    """KI2."""

    name = "ki2"
    tells_all_winners = True
    extensions = (".ki2", ".ki2u")
    expected = "moves like '▲７六歩 △３四歩'"
    holds = formats.ALL - {formats.SECONDS, formats.FRACTIONS}
    reader = Ki2Reader

    def recognises(self, head: str) -> bool:
        """Tell whether a line begins with a player's mark, or has only moves."""
        return _has_moves(head)

    def write(self, records: Iterable[GameRecord], encoding: str = "") -> Iterator[str]:
        """Yield each game. Raises ValueError for a move that is not legal."""
        for number, record in enumerate(records):
            lines = [""] if number else []
            lines += [*kakinoki.header_lines(record), "", *_move_lines(record)]
            yield "\r\n".join(lines) + "\r\n"


def _move_lines(record: GameRecord) -> Iterator[str]:
    """Yield the moves of the game, then of its variations."""
    board = record.board(0)
    for first, line in record.lines():
        if first:
            yield from ["", f"変化：{first}手"]
            while len(board.move_stack) >= first:
                board.pop()
        row: list[str] = []
        for node in line:
            if not node.move:
                yield from kakinoki.note_lines(node, board.turn, board)
                continue
            row.append(board.text(board.parse_text(node.move)))
            board.push_text(node.move)
            notes = list(kakinoki.note_lines(node, 1 - board.turn, board))
            if notes or len(row) == A_LINE:
                yield "    ".join(row)
                yield from notes
                row = []
        if row:
            yield "    ".join(row)
        if line[-1].ending:
            plies = first + len(line) - 1
            yield kakinoki.ending_line(line[-1], plies, board.turn, kakinoki.player_names(record))


FORMAT = Ki2Format()
