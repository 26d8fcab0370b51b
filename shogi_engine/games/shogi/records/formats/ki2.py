"""KI2: moves as books print them, '▲７六歩 △３四歩', without source squares and times."""

import re
from collections.abc import Iterable, Iterator

from shogi_engine.games.shogi.records.kakinoki import (
    KakinokiFormat,
    Reader,
    ending_line,
    header_lines,
    note_lines,
    player_names,
)
from shogi_engine.records import formats
from shogi_engine.records.tree import GameRecord, RecordBuilder

A_LINE = 6  # moves on a line
_MARKS = "▲△☗☖▼▽"
_MOVE = re.compile(rf"[{_MARKS}][^{_MARKS}]*")


class Ki2Reader(Reader):
    """The lines of one KI2 game."""

    MOVES = re.compile(rf"\s*[{_MARKS}]")

    def take_moves(self, line: str, builder: RecordBuilder) -> bool:
        """Take the moves of a line; tell whether it began with one. Raises ValueError."""
        if not self.MOVES.match(line):
            return False
        for text in _MOVE.findall(line):
            move = text.strip(" 　\t")
            try:
                builder.play(builder.board.parse_text(move))
            except ValueError as fault:
                builder.suspect(move, fault, self.number)
        return True


class Ki2Format(KakinokiFormat):
    """KI2."""

    name = "ki2"
    tells_all_winners = True
    extensions = (".ki2", ".ki2u")
    expected = "moves like '▲７六歩 △３四歩'"
    holds = formats.ALL - {formats.SECONDS, formats.FRACTIONS}
    reader = Ki2Reader

    def recognises(self, head: str) -> bool:
        """Tell whether a line begins with a player's mark and a square."""
        return bool(re.search(rf"^[ 　]*[{_MARKS}] *(同|[1-9１-９][1-9一二三四五六七八九])", head, re.MULTILINE))

    def write(self, records: Iterable[GameRecord], encoding: str = "") -> Iterator[str]:
        """Yield each game. Raises ValueError for a move that is not legal."""
        for number, record in enumerate(records):
            lines = [""] if number else []
            lines += [*header_lines(record), "", *_move_lines(record)]
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
                yield from note_lines(node, board.turn, board)
                continue
            row.append(board.text(board.parse_text(node.move)))
            board.push_text(node.move)
            notes = list(note_lines(node, 1 - board.turn, board))
            if notes or len(row) == A_LINE:
                yield "    ".join(row)
                yield from notes
                row = []
        if row:
            yield "    ".join(row)
        if line[-1].ending:
            plies = first + len(line) - 1
            yield ending_line(line[-1], plies, board.turn, player_names(record))


FORMAT = Ki2Format()
