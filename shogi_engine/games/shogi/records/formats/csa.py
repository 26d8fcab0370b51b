"""CSA 2.2 and 3.0.

See http://www2.computer-shogi.org/protocol/record_v3.html.

Lines that begin with `'*` or with `'` alone are read as comments; comments are written with `'*`.
"""

import functools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.board.pieces import Move
from shogi_engine.games.shogi.records import kakinoki, scanners
from shogi_engine.games.shogi.records.words import WORDS, adjudicated, comment_lines, summary_of, take_evaluations
from shogi_engine.games.shogi.sfen import START
from shogi_engine.language import InputError
from shogi_engine.records import formats
from shogi_engine.records.formats import Line, LineFormat, LineReader
from shogi_engine.records.tree import GameRecord, HeaderNames, Node, RecordBuilder, clipped, one_line
from shogi_engine.types.outcomes import Outcome

SECONDS_MAX = 10**7
_MOVE = re.compile(r"[+-][0-9]{4}[A-Z]{2}")
_SIGNS = {"+": t.BLACK, "-": t.WHITE}
_TIME = re.compile(r"T\s*(?P<seconds>[0-9]{1,8}(\.[0-9]{0,9})?|\.[0-9]{1,9})", re.ASCII)
_RATE = re.compile(r"(black|white)_rate:.*:([0-9]+(?:\.[0-9]*)?)", re.ASCII)
_CELLS = re.compile(r"\s*(?:(?:[+-][A-Z]{2}|\*)\s*){9}")
_CELL = re.compile(r"[+-][A-Z]{2}|\*")
_WHOLE = ("'", "N", "$")  # what such a statement says may contain commas
_KEYWORD = re.compile("[A-Z_]+[+-]?").fullmatch
_CSA_2, _CSA_3 = (HeaderNames(column, lambda name: _KEYWORD(name) is not None) for column in ("csa_2", "csa_3"))
_BYOYOMI = "秒読み"  # KIF's header for what is a part of CSA's time control
_ESCAPED = re.compile(r"\\(.)")
_HEAD = re.compile(r"(V[0-9.]+|N[+-].*|\$[A-Z_+-]+:.*|P[I1-9+-].*|[+-]|[+-][0-9]{4}[A-Z]{2}.*|%[A-Z_+-]+)")


class CsaReader(LineReader):
    """Reads the lines of one CSA game.

    Attributes:
        summary: what shogi-server says about the end of the game
    """

    def __init__(self) -> None:
        self.record = GameRecord("shogi")
        self._setup: kakinoki.Setup | None = None
        self._word = ""  # an ending that is not known
        self._whole = ""  # how the position was set up: "" not yet, "I" as a whole, "R" by rows
        self.summary: Outcome | None = None

    def take(self, line: str) -> None:
        """Read one line. Raises ValueError saying what is wrong with it."""
        for statement in _statements(line):
            self._statement(statement)

    def _statement(self, text: str) -> None:
        kind = text[0]
        if kind == "'":
            self.remark(self.builder.node if self.builder else self.record.root, text)
        elif kind == "$" and ":" in text:
            self.header(text)
        elif text[:2] in ("N+", "N-"):
            self.record.names[_SIGNS[text[1]]] = text[2:].strip()
        elif self.builder is None:
            self._before_moves(text)
        elif _MOVE.fullmatch(text):
            if self._word:
                raise InputError("{0} is neither a move nor an ending", clipped(self._word))
            try:
                self.builder.play(_usual_move(self.builder.board, text) or self.builder.board.parse_text(text))
            except ValueError as fault:
                self.suspect(text, fault)
        elif kind == "T":
            self._time(text, self.builder)
        elif kind == "%" and text in WORDS:
            self.end(WORDS.read(text, self.builder.board.turn), self.builder.node.ending_seconds)
        elif kind == "%":
            if text != self._word:
                self.comment(self.builder.node, text)
                self.note(formats.NO_ENDING, clipped(text))
            self._word = text
        elif kind == "#":  # in logs: what the server says, #RESIGN, #WIN
            self.note(formats.PASSED_OVER, clipped(text))
        else:
            raise InputError("{0!r} is neither a move nor a time, an ending or a comment", text)

    def _before_moves(self, text: str) -> None:
        """Read a statement before the side to move is known."""
        if text in _SIGNS:
            self.record.start = self._setup.sfen(_SIGNS[text]) if self._setup else _usual_start(_SIGNS[text])
            self.builder = RecordBuilder(self.record)
        elif text[0] == "V":
            if not re.fullmatch(r"V[0-9]+(\.[0-9]+)?", text):
                raise InputError("{0!r} is not a version", text)
        elif text[0] == "P" and len(text) > 1:
            self._position(text)
        elif _MOVE.fullmatch(text):  # it tells whose turn it is
            self._before_moves(text[0])
            self._statement(text)
        else:
            raise InputError("{0!r} before the line '+' or '-', which gives the side to move", text)

    def remark(self, node: Node, text: str) -> None:
        """Read a comment; it may be shogi-server's summary."""
        if not text.startswith("'CSA encoding="):
            self.comment(node, text[1:].removeprefix("*"))
            self.summary = summary_of(text[1:]) or self.summary

    def header(self, text: str) -> None:
        """Read '$EVENT:name', which some programs write after the moves."""
        name, _, value = text[1:].partition(":")
        shared = _CSA_2.to_shared(_CSA_3.to_shared(name.strip()))
        if shared == "note":
            value = _ESCAPED.sub(lambda found: "\n" if found[1] == "n" else found[1], value)
        self.record.headers[shared] = value.strip()

    def _position(self, text: str) -> None:
        """Read a line that begins with P."""
        kind, rest = text[1], text[2:] if text[1].isdigit() else "".join(text[2:].split())
        setup = self._setup or (kakinoki.Setup.of(START) if self._whole else kakinoki.Setup())
        if kind == "I":
            if self._whole:
                raise InputError("the position is already set up")
            if not rest:
                self._whole = kind
                return
            setup = kakinoki.Setup.of(START)
            for square, piece in _pieces(rest):
                if setup.board.get(square, (0, 0))[1] != piece:
                    raise InputError("there is no {0} to remove", t.CSA_PIECES[piece])
                del setup.board[square]
        elif kind in "123456789":
            if kind in self._whole or "I" in self._whole:
                raise InputError("rank {0} is already set up", kind)
            self._rank(setup, int(kind), rest)
        elif kind in "+-":
            for square, piece in _pieces(rest.replace("00AL", "")):
                if square < 0:
                    setup.hold(_SIGNS[kind], piece)
                elif square in setup.board:
                    raise InputError("{0!r}: there is already a piece", text)
                else:
                    setup.board[square] = (_SIGNS[kind], piece)
            if "00AL" in rest:
                setup.hold_all_else(_SIGNS[kind])
        else:
            raise InputError("{0!r} does not set up anything", text)
        self._setup, self._whole = setup, self._whole + kind

    @staticmethod
    def _rank(setup: kakinoki.Setup, rank: int, text: str) -> None:
        """Put the pieces of a rank on the board; each square takes three characters, or is '*' or a piece."""
        if _CELLS.fullmatch(text):
            cells = _CELL.findall(text)
        elif len(text) > 27:
            raise InputError("a rank has 9 squares of three characters, not {0} characters", len(text))
        else:
            cells = [text[place : place + 3].ljust(3) for place in range(0, 27, 3)]
        for column, cell in enumerate(cells):
            if cell.strip() in ("", "*"):
                continue
            if cell[0] not in _SIGNS or cell[1:] not in t.KINDS_BY_CSA:
                raise InputError("{0!r} is not a piece", cell)
            setup.board[9 * (rank - 1) + column] = (_SIGNS[cell[0]], t.KINDS_BY_CSA[cell[1:]])

    def _time(self, text: str, builder: RecordBuilder) -> None:
        """Read the time of the preceding move or ending."""
        found = _TIME.fullmatch(text)
        if not found:
            raise InputError("{0!r} is not a time", text)
        seconds = float(found["seconds"])
        if seconds > SECONDS_MAX:
            raise InputError("{0!r} is too long a time", text)
        if builder.node.ending or self._word or builder.illegal:
            builder.node.ending_seconds = seconds
        elif builder.ply:
            builder.node.seconds = seconds
        else:
            self.note("{0} before the first move", text)

    def finish(self) -> None:
        """Finish. Raises ValueError if the position was incomplete."""
        if self.builder is None:
            raise InputError("the record does not say whose move it is: a line '+' or '-' is missing")
        node = self.builder.node
        if self.summary is not None and node.ending:
            node.end(adjudicated(node.outcome, self.summary), node.ending_seconds)
        elif self.summary is not None:
            self.end(self.summary, node.ending_seconds)
        self.builder.finish()
        if self.has_comments:
            take_evaluations(self.record)


def _tree(block: list[Line], moves: Any) -> GameRecord:
    """Return the game of lines that a kernel has checked; `moves` (int32[n]) are its moves."""
    reader, node, comments = CsaReader(), Node(), False
    nodes = list(map(Node, scanners.texts_of(moves)))
    found = iter(nodes)
    for _, text in block:
        if reader.builder is None:
            reader.take(text)
            node = reader.record.root
            continue
        for statement in _statements(text):
            kind = statement[0]
            if kind == "'":
                reader.remark(node, statement)
                comments = True
            elif kind == "$":
                reader.header(statement)
            elif kind == "T":
                if node.ending:
                    node.ending_seconds = float(statement[1:])
                else:
                    node.seconds = float(statement[1:])
            elif kind == "%":
                node.end(WORDS.read(statement, reader.record.side(len(moves))), node.ending_seconds)
            else:
                before, node = node, next(found)
                before.children.append(node)
    if reader.summary is not None:
        node.end(adjudicated(node.outcome, reader.summary), node.ending_seconds)
    reader.keep_comment()
    if comments:
        scanners.take_lines(nodes, moves, reader.record.start)
        take_evaluations(reader.record)
    reader.release()
    return reader.record


def _statements(line: str) -> Sequence[str]:
    """Return the statements of a line. Commas separate them, but names, headers and comments run to its end."""
    line = line.strip()
    if "," not in line or line[0] in _WHOLE:
        return (line,) if line else ()
    parts = [part.strip() for part in line.split(",")]
    whole = next((place for place, part in enumerate(parts) if part[:1] in _WHOLE), len(parts))
    if whole < len(parts):
        parts[whole:] = [",".join(line.split(",")[whole:]).strip()]
    return [part for part in parts if part]


@functools.cache
def _usual_start(side: int) -> str:
    """Return the usual starting position with `side` to move."""
    return kakinoki.Setup.of(START).sfen(side)


@functools.cache
def _parts(text: str) -> tuple[int, int, int]:
    """Return (source or 81 + kind, target, kind after the move) of a move such as '7776FU'; kind 0 if it is not a move.

    All results are cached: there are few different moves, and files repeat them many times.
    """
    source, target = (9 * int(text[at + 1]) - int(text[at]) for at in (0, 2))
    kind = t.KINDS_BY_CSA.get(text[4:], 0) if "0" not in text[2:4] else 0
    if text[:2] == "00":
        return (t.DROP_BASE + kind, target, kind) if kind < t.KING else (0, 0, 0)
    return (source, target, kind) if "0" not in text[:2] and source != target else (0, 0, 0)


def _usual_move(board: Any, text: str) -> Any:
    """Return the legal move '+7776FU', None if it is not legal; `parse_text` then says why."""
    source, target, kind = _parts(text[1:])
    if kind == 0 or _SIGNS[text[0]] != board.turn:
        return None
    promotion = source < t.DROP_BASE and board.piece_type_at(source) != kind
    if promotion and t.PROMOTED_KINDS[board.piece_type_at(source)] != kind:
        return None
    move = Move._of(source, target, promotion)
    return move if board.is_legal(move) else None


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Yield (square, kind) of '82HI22KA'; the square of a piece in hand is -1. Raises ValueError."""
    if len(text) % 4:
        raise InputError("{0!r} is not a list of squares and pieces, four characters each", text)
    for place in range(0, len(text), 4):
        where, name = text[place : place + 2], text[place + 2 : place + 4]
        if name not in t.KINDS_BY_CSA or not re.fullmatch("00|[1-9][1-9]", where):
            raise InputError("{0!r} is not a square and a piece", where + name)
        yield (-1 if where == "00" else 9 * int(where[1]) - int(where[0])), t.KINDS_BY_CSA[name]


class CsaFormat(LineFormat):
    """CSA, 3.0 if a time has fractions of a second or a header needs it, 2.2 otherwise; '/' between games.

    A version after moves begins a game, too: files are often joined without '/'.
    """

    name = "csa"
    game = "shogi"
    extensions = (".csa",)
    expected = "lines like 'V2.2', 'PI', '+', '+7776FU'"
    holds = formats.ALL - {formats.VARIATIONS, formats.LABELS, formats.NUMBERS}
    reader = CsaReader

    def recognises(self, head: str) -> bool:
        """Tell whether the first line that is not a comment is a CSA line."""
        place = 0
        while place < len(head):
            end = head.find("\n", place) + 1 or len(head)
            for line in map(str.strip, head[place:end].splitlines()):
                if line and line[0] not in "'/":
                    return bool(_HEAD.fullmatch(line))
            place = end
        return False

    def is_separator(self, line: str) -> bool:
        """Tell whether the line is '/'."""
        return line.strip() == "/"

    def begins_game(self, line: str, block: list[Line]) -> bool:
        """Tell whether the line is a version after moves."""
        if line[0] != "V":
            return False
        begun = (each[0] in "+-%" for _, each in reversed(block) if each[0] in "+-%V")
        return next(begun, False)

    def __init__(self) -> None:
        self._quick = scanners.QuickMoves(self.scanner)

    def parse(self, block: list[Line]) -> GameRecord:
        """Return the game of some lines. Raises RecordError."""
        moves = self._quick.moves(block)
        return super().parse(block) if moves is None else _tree(block, moves)

    def keeps_headers(self, headers: dict[str, str]) -> bool:
        """Tell whether the names are keywords of CSA, as in $EVENT, and the values in their form."""
        return _CSA_3.keeps(_with_byoyomi(headers))

    def scanner(self) -> Any:
        """Return the scanner that reads games by kernels."""
        from shogi_engine.games.shogi.records.scanners import CsaScanner

        return CsaScanner(WORDS)

    def kept_outcome(self, record: GameRecord, node: Node, side: int) -> Outcome:
        """Return the outcome of a line as it is read back from the written file."""
        return WORDS.kept(node.outcome, side)

    def ratings(self, record: GameRecord) -> tuple[float, float]:
        """Return the ratings that floodgate writes before the moves, `'black_rate:NAME:2345.0`."""
        lines = map(_RATE.fullmatch, record.root.comment.split("\n"))
        found = {match[1]: match[2] for match in lines if match}
        return float(found.get("black", math.nan)), float(found.get("white", math.nan))

    def write(self, records: Iterable[GameRecord], encoding: str = "") -> Iterator[str]:
        """Yield each game. Raises ValueError for a move that is not legal."""
        for number, record in enumerate(records):
            lines = ["/"] if number else []
            line = record.main_line
            fractions = any((seconds or 0) % 1 for node in line for seconds in (node.seconds, node.ending_seconds))
            headers = _with_byoyomi(record.headers)
            own = _CSA_3.own_of(headers)
            is_3 = fractions or len(own) > len(_CSA_2.own_of(headers))
            if is_3 and not number:
                lines.append(f"'CSA encoding={'SHIFT_JIS' if encoding in ('cp932', 'shift_jis') else 'UTF-8'}")
            lines.append("V3.0" if is_3 else "V2.2")
            lines += [f"N{sign}{one_line(name)}" for sign, name in zip("+-", record.names, strict=True) if name]
            lines += [f"${name}:{value}" for name, value in (own if is_3 else _CSA_2.own_of(headers)).items()]
            lines += [*_position_lines(record.start), *_move_lines(record, line)]
            yield "\n".join(lines) + "\n"


def _with_byoyomi(headers: dict[str, str]) -> dict[str, str]:
    """Return headers with KIF's byoyomi in the time control, if this is then one."""
    joined = {"time": f"{headers.get('time', '')}+{headers.get(_BYOYOMI, '')}"}
    if _BYOYOMI not in headers or not _CSA_3.keeps(joined):
        return headers
    return {name: text for name, text in headers.items() if name != _BYOYOMI} | joined


def _position_lines(start: str) -> Iterator[str]:
    """Yield the starting position and the side to move."""
    if start.split()[:3] == START.split()[:3]:
        yield from ("PI", "+")
        return
    setup = kakinoki.Setup.of(start)
    for rank in range(9):
        cells = (setup.board.get(square) for square in range(9 * rank, 9 * rank + 9))
        yield f"P{rank + 1}{''.join(_cell(cell) for cell in cells)}"
    for colour in (t.BLACK, t.WHITE):
        held = "".join(f"00{t.CSA_PIECES[kind]}" * setup.hands[colour].get(kind, 0) for kind in t.HAND_ORDER)
        if held:
            yield f"P{'+-'[colour]}{held}"
    yield "+-"["bw".index(start.split()[1])]


def _cell(cell: tuple[int, int] | None) -> str:
    """Return '+FU', or ' * ' for an empty square."""
    return f"{'+-'[cell[0]]}{t.CSA_PIECES[cell[1]]}" if cell else " * "


def _comments(node: Node, mover: int, board: Any) -> Iterator[str]:
    """Yield the comment lines of a node whose position is on the board."""
    for line in comment_lines(node, mover, board, floodgate=True):
        yield f"'*{line}"


def _seconds(seconds: float | None) -> Iterator[str]:
    """Yield the line of a time, in whole seconds or with thousandths."""
    if seconds is not None:
        yield f"T{Decimal(repr(round(seconds, 3))).normalize():f}"


def _move_lines(record: GameRecord, line: list[Node]) -> Iterator[str]:
    """Yield the moves of the game, and how it ended."""
    board = record.board(0)
    yield from _comments(record.root, board.turn, board)
    for node in line[1:]:
        yield board.text(board.parse_text(node.move), "csa")
        yield from _seconds(node.seconds)
        board.push_text(node.move)
        yield from _comments(node, 1 - board.turn, board)
    if word := WORDS.word(line[-1].outcome, board.turn):
        yield word
        yield from _seconds(line[-1].ending_seconds)


FORMAT = CsaFormat()
