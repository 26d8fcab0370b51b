"""KIF: one numbered move on each line, with its source square and time; variations follow the game."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from shogi_engine.games.shogi.records import kif_kernels, quick_trees
from shogi_engine.games.shogi.records.evaluations import take_evaluations
from shogi_engine.games.shogi.records.kakinoki import (
    HEADER_NAMES,
    NUMBERED_MOVE,
    SAID,
    WORDS,
    KakinokiFormat,
    Reader,
    ending_line,
    ending_word,
    header_lines,
    names_winner,
    note_lines,
    player_names,
    said_already,
)
from shogi_engine.records import formats
from shogi_engine.records.formats import Line
from shogi_engine.records.headers import HEADERS
from shogi_engine.records.tree import GameRecord, Node, RecordBuilder

RULER = "手数----指手---------消費時間--"
SECONDS_MAX = 10**7

_LINE = re.compile(
    r"\s*(?P<number>[0-9]+)[\s　]+(?P<move>\S.*?)[\s　]*(?P<time>[(（][\s\d./]*:[\s\d:./]*[)）])?\s*\+?\s*"
)
_NUMBERED = re.compile(r"\s*[0-9]+[\s　]+[^\s　]")
_TIME = re.compile(r"[(（]\s*(?:(?P<hours>\d+):)?(?P<minutes>\d+):\s*(?P<seconds>\d+(?:\.\d+)?)\s*(?:/.*)?[)）]")
_HEADERS = "|".join(["手合割", "先手", "後手", "上手", "下手", *map(HEADER_NAMES.to_own, HEADERS)])
_HEAD = re.compile(rf"^\s*(手数-{{2,}}|#\s*-*\s*KIF|({_HEADERS})[：:]|{NUMBERED_MOVE})", re.IGNORECASE | re.MULTILINE)
_KI2_MOVES = re.compile(r"^\s*[▲△☗☖▼▽]", re.MULTILINE)


class KifReader(Reader):
    """Reads the lines of one KIF game."""

    MOVES = _NUMBERED

    def __init__(self) -> None:
        super().__init__()
        self._first: int | None = None  # the number of the first move

    def take_moves(self, line: str, builder: RecordBuilder) -> bool:
        """Read a numbered move or ending; tell whether it was one. Raises ValueError."""
        found = _LINE.fullmatch(line)
        if not found:
            return False
        number = int(found["number"][:9])
        if self._first is None:
            self._first = number - builder.ply
        seconds = seconds_of(found["time"])
        if found["move"] in WORDS:
            builder.end(WORDS.read(found["move"], builder.board.turn), seconds)
            return True
        builder.finish()
        if number != self._first + builder.ply:
            raise ValueError(f"expected move {self._first + builder.ply} next, not {number}")
        try:
            builder.play(builder.board.parse_text(found["move"]), seconds=seconds)
        except ValueError as fault:
            builder.suspect(found["move"], fault, self.number)
        return True


def seconds_of(text: str | None) -> float | None:
    """Return the seconds of '( 0:16/00:00:16)', None for None. Raises ValueError if it is not a time."""
    if text is None:
        return None
    found = _TIME.fullmatch(text)
    if not found:
        raise ValueError(f"{text!r} is not a time")
    total = int(found["hours"] or 0) * 3600 + int(found["minutes"]) * 60 + float(found["seconds"])
    if total > SECONDS_MAX:
        raise ValueError(f"{text!r} is too long a time")
    return total


def _tree(block: list[Line], moves: Any) -> GameRecord:
    """Return the game of lines that a kernel has checked; `moves` (int32[n]) are its moves."""
    reader = KifReader()
    node, begun = reader.record.root, False
    nodes = list(map(Node, quick_trees.texts_of(moves)))
    found = iter(nodes)
    for _, line in block:
        first = line[0]
        if first == "*":
            node.add_comment(line[1:])
        elif first == "&":
            node.label = line[1:].strip()
        elif first == "#" or _NUMBERED.match(line) is None:
            if not begun:  # only the closing line comes later, and it adds nothing
                reader.take(line)
        else:
            begun = True
            move = next(found, None)
            if move is None:
                parts = _LINE.fullmatch(line.rstrip())
                assert parts is not None  # the kernel has read it
                node.end(WORDS.read(parts["move"], reader.record.side(len(moves))), seconds_of(parts["time"]))
            else:
                node.children.append(move)
                node = move
                time = line.rpartition("(")[2]
                if ":" in time:
                    minutes, _, seconds = time.partition(":")
                    node.seconds = 60.0 * int(minutes) + int(seconds.split("/")[0].rstrip(" +\t\u3000)"))
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
        self._quick = quick_trees.QuickMoves(self.scanner, (kif_kernels.read_games,))

    def parse(self, block: list[Line]) -> GameRecord:
        """Return the game of some lines. Raises RecordError."""
        moves = self._quick.moves(block)
        return super().parse(block) if moves is None else _tree(block, moves)

    def recognises(self, head: str) -> bool:
        """Tell whether there are numbered moves, or headers without KI2's moves."""
        return bool(_HEAD.search(head)) and not _KI2_MOVES.search(head)

    def scanner(self) -> Any:
        """Return the scanner that reads games by kernels."""
        from shogi_engine.games.shogi.records.scanners import KifScanner

        return KifScanner(WORDS, SAID, said_already)

    def write(self, records: Iterable[GameRecord], encoding: str = "") -> Iterator[str]:
        """Yield each game, with Windows line endings. Raises ValueError for a move that is not legal."""
        for number, record in enumerate(records):
            lines = [""] if number else []
            if "utf-8" in encoding.lower():
                lines.append("#KIF version=2.0 encoding=UTF-8")
            lines += [*header_lines(record), RULER, *_move_lines(record)]
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
                yield from note_lines(node, board.turn, board)
            else:
                used = spent[-1].copy()
                used[board.turn] += node.seconds or 0
                yield f"{ply:4} {board.text(board.parse_text(node.move), 'kif')}{_time(node.seconds, used[board.turn])}"
                board.push_text(node.move)
                yield from note_lines(node, 1 - board.turn, board)
                spent.append(used)
        if line[-1].ending:
            yield from _ending_lines(record, line[-1], spent[-1][board.turn], len(spent) - 1, board.turn)


def _ending_lines(record: GameRecord, node: Node, used: float, plies: int, side: int) -> Iterator[str]:
    """Yield the text of a line's ending."""
    main = node is record.main_line[-1]
    told = main and names_winner(record)
    time = _time(node.ending_seconds, used + (node.ending_seconds or 0))
    yield f"{plies + 1:4} {ending_word(node, side, told)}{time}"
    if main:
        yield ending_line(node, plies, side, player_names(record), told)


def _time(seconds: float | None, total: float) -> str:
    """Return '   ( 0:16/00:00:16)', '' if the time is unknown."""
    if seconds is None:
        return ""
    whole, total = int(seconds), int(total)
    clock = f"{total // 3600:02}:{total // 60 % 60:02}:{total % 60:02}"
    return f"   ({whole // 60:2}:{whole % 60:02}/{clock})"


FORMAT = KifFormat()
