"""KIF: one numbered move on each line, with its source square and time; variations follow the game."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from shogi_engine.common.text import wide_to_ascii
from shogi_engine.games.shogi import notation
from shogi_engine.games.shogi.records import kakinoki, scanners
from shogi_engine.games.shogi.records.kakinoki_reader import KakinokiFormat, KakinokiReader, reconciled, usual_move
from shogi_engine.games.shogi.records.words import take_evaluations
from shogi_engine.language import InputError
from shogi_engine.records import formats
from shogi_engine.records.formats import Line
from shogi_engine.records.tree import HEADERS, GameRecord, Node, RecordBuilder, clipped

RULER = "手数----指手---------消費時間--"
SECONDS_MAX = 10**7
_AFTER_MOVE = ("", "+", "(", "（", "[", "［", *kakinoki.BLANKS)  # a move is followed by one of them
_BRACKETS = ("(", "（", "[", "［")
_UNITS = re.compile("[:：分秒時]")
_RUN = re.compile(rf"[^{kakinoki.BLANKS}]+")
_WORD = re.compile(rf"[^{kakinoki.BLANKS}(（\[［+]+")
# What follows a move: its time, and + if there are variations.
_COLUMN = re.compile(r"(?:[(\[](?P<time>[^)\]]{0,80})[)\]])?\s*+\+?")
_FIRST_COLUMN = re.compile(rf"[{kakinoki.BLANKS}]*+[(（\[［][^)）\]］]{{1,80}}[)）\]］]")
_TIME = re.compile(
    r"(?:(?P<hours>\d{1,7})(?::|時間))??(?:(?P<minutes>\d{1,7})(?::|分))?(?P<seconds>\d{1,7}(?:\.\d{0,9})?)?秒?"
)
_HEADERS = "|".join(["手合割", "先手", "後手", "上手", "下手", *map(kakinoki.HEADER_NAMES.to_own, HEADERS)])
_has_head = kakinoki.line_finder(
    rf"[{kakinoki.BLANKS}]*(手数-{{2,}}|#\s{{0,9}}-*\s{{0,9}}KIF|({_HEADERS})[：:]|{kakinoki.NUMBERED_MOVE})",
    re.IGNORECASE,
)
_has_ki2_moves = kakinoki.line_finder(kakinoki.KI2_HEAD)


class KifReader(KakinokiReader):
    """Reads the lines of one KIF game."""

    usual_moves = kakinoki.USUAL_MOVE

    @staticmethod
    def kind_of_line(line: str) -> tuple[int, int]:
        """Return the kind and number of a line that begins with no blank; see `kakinoki_lines`."""
        found = kakinoki.NUMBERED.match(line) if line[:1].isdecimal() else None
        if found is None:
            return kakinoki.kind_of(line)
        first = found["first"][0]
        is_move = first.isascii() or first in kakinoki.DIGITS or first in kakinoki.MARKS or first == "同"
        return kakinoki.MOVE if is_move else kakinoki.ENDING, int(found["number"][:9])

    def take_moves(self, line: str, builder: RecordBuilder) -> None:
        """Read a numbered move or ending. Raises ValueError."""
        found = kakinoki.NUMBERED.match(line)
        assert found is not None  # the kind of the line
        rest, star, comment = found["rest"].partition("*")
        rest, remark, text = rest.partition("#")
        if remark:
            self.note_remark(f"#{text}")
        number, (text, column) = int(found["number"][:9]), parts_of(rest)
        if self.first is None:
            self.first = number - builder.ply
        seconds = self._seconds(column)
        if outcome := kakinoki.ending_of(text.removeprefix("まで"), builder.board.turn):
            self.end(outcome, seconds)
        else:
            self._play(number, text, seconds, builder)
        if star:
            self.comment(builder.node, comment)

    def _seconds(self, column: str) -> float | None:
        """Return the time in the column after a move, None without one; note what else is there. Raises ValueError."""
        try:
            return seconds_of(column)
        except ValueError as fault:
            if kakinoki.MOVE_LIKE.search(column):
                raise
            first = _FIRST_COLUMN.match(column)
            if first and first.end() < len(column):
                seconds = self._seconds(first[0])
                self.note(formats.PASSED_OVER, clipped(column[first.end() :].strip()))
                return seconds
            self.note(str(fault))
            return None

    def _play(self, number: int, text: str, seconds: float | None, builder: RecordBuilder) -> None:
        """Play a move, or keep words that are neither a move nor a known ending. Raises ValueError."""
        builder.finish()
        if not (
            text.isascii()
            or kakinoki.MOVE_LIKE.match(text)
            or text[0] in f"同{kakinoki.MARKS}"
            or any(map(str.isdecimal, text))
        ):
            self._word = (self.number, text)
            return
        if number != (self.first or 0) + builder.ply:
            raise InputError("expected move {0} next, not {1}", (self.first or 0) + builder.ply, number)
        try:
            move = usual_move(builder.board, wide_to_ascii(text)) or builder.board.parse_text(text)
            builder.play(move, seconds=seconds)
        except ValueError as fault:
            self.suspect(text, fault)


def parts_of(text: str) -> tuple[str, str]:
    """Return the move, or the words of an ending, and the column after it, of a line without its number.

    Raises ValueError if there is neither.
    """
    found = notation.MOVE.match(wide_to_ascii(text))
    end = found.end() if found else 0
    if not end or text[end : end + 1] not in _AFTER_MOVE:
        word = _WORD.match(text)
        end = word.end() if word else 0
        if not end or (text[end : end + 1] in _BRACKETS and not _UNITS.search(text, end, end + 80)):
            run = _RUN.match(text)
            if run is None:
                raise InputError("there is a number without a move")
            end = run.end()
    return text[:end], text[end:]


def seconds_of(text: str) -> float | None:
    """Return the seconds of '( 0:16/00:00:16)', None for an empty column. Raises ValueError if it is not a time."""
    column = _COLUMN.fullmatch(wide_to_ascii(text).strip())
    time = "".join((column["time"] or "").partition("/")[0].split()) if column else ""
    if column and not time:
        return None
    found = _TIME.fullmatch(time) if _UNITS.search(time) else None
    if not found:
        raise InputError("{0} is not a time", clipped(text.strip()))
    total = int(found["hours"] or 0) * 3600 + int(found["minutes"] or 0) * 60 + float(found["seconds"] or 0)
    if total > SECONDS_MAX:
        raise InputError("{0} is too long a time", clipped(text.strip()))
    return total


def _tree(block: list[Line], moves: Any) -> GameRecord:
    """Return the game of lines that a kernel has checked; `moves` (int32[n]) are its moves."""
    reader = KifReader()
    node, begun, commented = reader.record.root, False, False
    found = map(Node, scanners.texts_of(moves))
    for number, line in block:
        first = line[0]
        if kakinoki.USUAL_MOVE.match(line):
            if not begun:
                reader.first = KifReader.kind_of_line(line.lstrip(kakinoki.BLANKS))[1]
            begun = True
            move = next(found)
            node.children.append(move)
            node = move
            time = line.rpartition("(")[2]
            if ":" in time:
                minutes, _, seconds = time.partition(":")
                node.seconds = 60.0 * int(minutes) + int(seconds.split("/")[0].rstrip(" +\t\u3000)"))
        elif first == "*":
            commented = True
            reader.comment(node, line[1:])
        elif first == "&":
            node.label = line[1:].strip()
        elif first == "#" or not (numbered := kakinoki.NUMBERED.match(line)):
            reader.number = number
            if not begun:
                reader.take(line)
            elif first == "#":
                reader.note_remark(line)
            elif closing := kakinoki.CLOSING.match(line):
                outcome, agreed = reconciled(node.outcome, closing["rest"], reader.record.side(len(moves)))
                assert outcome is not None  # the kernel has read it
                reader.note_count(closing["plies"], len(moves), node)
                reader.note_closing(closing["rest"], node.outcome, outcome, agreed)
                node.ending, node.winner = outcome.termination, outcome.winner
        else:
            begun = True
            text, column = parts_of(numbered["rest"])
            node.end(kakinoki.WORDS.read(text, reader.record.side(len(moves))), seconds_of(column))
    reader.keep_comment()
    if commented:
        take_evaluations(reader.record)
    return reader.record


class KifFormat(KakinokiFormat):
    """KIF. Programs write one game to a file, but several games in a file are read."""

    name = "kif"
    extensions = (".kif", ".kifu")
    expected = "numbered moves like '1 ７六歩(77)', headers like '手合割：平手'"
    holds = formats.ALL - {formats.FRACTIONS}
    reader = KifReader

    def __init__(self) -> None:
        self._quick = scanners.QuickMoves(self.scanner)

    def parse(self, block: list[Line]) -> GameRecord:
        """Return the game of some lines. Raises RecordError."""
        moves = self._quick.moves(block)
        return super().parse(block) if moves is None else _tree(block, moves)

    def recognises(self, head: str) -> bool:
        """Tell whether there are numbered moves, or headers without KI2's moves."""
        return _has_head(head) and not _has_ki2_moves(head)

    def scanner(self) -> Any:
        """Return the scanner that reads games by kernels."""
        from shogi_engine.games.shogi.records.scanners import KifScanner

        return KifScanner(kakinoki.WORDS, kakinoki.SAID, reconciled)

    def write(self, records: Iterable[GameRecord], encoding: str = "") -> Iterator[str]:
        """Yield each game, with Windows line endings. Raises ValueError for a move that is not legal."""
        for number, record in enumerate(records):
            lines = [""] if number else []
            if "utf-8" in encoding.lower():
                lines.append("#KIF version=2.0 encoding=UTF-8")
            lines += [*kakinoki.header_lines(record), RULER, *_move_lines(record)]
            yield "\r\n".join(lines) + "\r\n"


def _move_lines(record: GameRecord) -> Iterator[str]:
    """Yield the moves of the game, then of its variations."""
    board = record.board(0)
    spent: list[list[float]] = [[0.0, 0.0]]  # by black and white, after each ply
    for first, line in record.lines():
        if first:
            yield from ["", f"変化：{first}手"]
            while len(spent) > first:
                spent.pop()
                board.pop()
        for ply, node in enumerate(line, first):
            if not ply:
                yield from kakinoki.note_lines(node, board.turn, board)
            else:
                used = spent[-1].copy()
                used[board.turn] += node.seconds or 0
                yield f"{ply:4} {board.text(board.parse_text(node.move), 'kif')}{_time(node.seconds, used[board.turn])}"
                board.push_text(node.move)
                yield from kakinoki.note_lines(node, 1 - board.turn, board)
                spent.append(used)
        if line[-1].ending:
            yield from _ending_lines(record, line[-1], spent[-1][board.turn], len(spent) - 1, board.turn)


def _ending_lines(record: GameRecord, node: Node, used: float, plies: int, side: int) -> Iterator[str]:
    """Yield the text of a line's ending."""
    main = node is record.main_line[-1]
    told = main and kakinoki.names_winner(record)
    time = _time(node.ending_seconds, used + (node.ending_seconds or 0))
    yield f"{plies + 1:4} {kakinoki.ending_word(node, side, told)}{time}"
    if main:
        yield kakinoki.ending_line(node, plies, side, kakinoki.player_names(record), told)


def _time(seconds: float | None, total: float) -> str:
    """Return '   ( 0:16/00:00:16)', '' if the time is unknown."""
    if seconds is None:
        return ""
    whole, total = int(seconds), int(total)
    clock = f"{total // 3600:02}:{total // 60 % 60:02}:{total % 60:02}"
    return f"   ({whole // 60:2}:{whole % 60:02}/{clock})"


FORMAT = KifFormat()
