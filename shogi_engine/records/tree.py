"""GameRecord: a game as a tree of moves, with comments, times, variations, headers and its ending."""

import functools
import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from unicodedata import category

from shogi_engine.common.text import wide_to_ascii
from shogi_engine.language import InputError, Message
from shogi_engine.types.limits import UNITS, Clock, listed
from shogi_engine.types.outcomes import USUAL_WINNERS, Outcome, Termination, completed, termination_of, usual_outcome
from shogi_engine.types.results import Score

# ---- RecordError: why a file cannot be read as a record


def clipped(text: str, most: int = 40) -> str:
    """Return a text of a file quoted and shortened to `most` characters, for error messages."""
    return repr(text if len(text) <= most else f"{text[: most - 3]}...")


class RecordError(InputError):
    """A file that cannot be read as a record.

    Args:
        template, values: what is wrong, as a Message
        line: the line of the fault, from 1, None if unknown
        number: the game's number in the file, from 1
        record: the part of the GameRecord that could be read, or None
    """

    def __init__(
        self, template: str, *values: Any, line: int | None = None, record: Any = None, number: int | None = None
    ) -> None:
        reason = Message(template, *values)
        if "\n" in reason:  # it quotes the file
            reason = Message(" ".join(reason.split("\n")))
        self.reason, self.line, self.record, self.number = reason, line, record, number
        super().__init__(reason if line is None else Message("line {0}: {1}", line, reason))


# ---- The headers that formats share: one common name for each, and its name and form in each format
#
# A record keeps a value as its file has it. KIF, KI2 and JKF take any text; the others fix the form of some values.
# What cannot be written in that form is left out and belongs to `RecordFormat.losses`.


_BREAKS = ("Cc", "Cs", "Zl", "Zp")  # control characters, surrogates, line and paragraph separators
Form = Callable[[str], tuple[str, bool]]  # returns a value in a format's form, and whether nothing of it is missing


def one_line(text: str) -> str:
    """Return a header's value in writable form: one line without control characters."""
    return "".join(" " if category(letter) in _BREAKS else letter for letter in text).strip()


# ---- forms -------------------------------------------------------------------------------------------------------

_DATE = re.compile(
    r"(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})\s*日?(?:\s*\(.\))?"
    r"(?:[\sT]*(\d{1,2})\s*[:時]\s*(\d{1,2})(?:\s*[:分]\s*(?:(\d{1,2})\s*秒?)?)?)?"
)
_SGF_DATE = re.compile(r"\d{4}(-\d\d){0,2}(,\d{2,4}(-\d\d){0,2})*")
_CSA_2 = re.compile(r"(\d{1,3}):(\d\d)\+(\d{1,5})")
_CSA_3 = re.compile(r"(\d{1,6})\+(\d{1,5})\+(\d{1,5})")
_GGF = re.compile(r"(?:(\d{1,3}):)?(\d{1,3}):(\d\d)(?:/(?:(\d{1,2}):)?(\d{1,3}))?(/[\d:]*)?")
_SGF = re.compile(r"\d{1,6}(\.\d*)?")
_IN_WORDS = re.compile(
    r"各?(?:(\d{1,3})時間)?(?:(\d{1,4})分)?(?:(\d{1,5})秒)?"
    r"(?:[+、,]?(?:切れたら|秒読み|[一1]手)*(\d{1,5})秒(?:秒読み)?|\+?(\d{1,5})秒(?:加算|フィッシャー)|切れ負け)?"
)


def _clock(text: str) -> Clock | None:
    """Return the time control in a value of any format; None if it is none."""
    plain = "".join(wide_to_ascii(text).split())
    hours, minutes, seconds, byoyomi, increment = 5 * ["0"]
    if found := _CSA_2.fullmatch(plain):
        hours, minutes, byoyomi = found.groups()
    elif found := _CSA_3.fullmatch(plain):
        seconds, byoyomi, increment = found.groups()
    elif found := _GGF.fullmatch(plain):
        hours, minutes, seconds, more, left, _ = (each or "0" for each in found.groups())
        increment = str(60 * int(more) + int(left))
    elif _SGF.fullmatch(plain):
        seconds = plain.partition(".")[0]
    elif plain and (found := _IN_WORDS.fullmatch(plain)) and any(found.groups()):
        hours, minutes, seconds, byoyomi, increment = (each or "0" for each in found.groups())
    else:
        return None
    return Clock.from_seconds(3600 * int(hours) + 60 * int(minutes) + int(seconds), int(byoyomi), int(increment))


def _seconds(text: str) -> tuple[int, int, int] | None:
    """Return the seconds of a time control: main time, byoyomi, increment."""
    clock = _clock(text)
    return clock and tuple(int(ms) // UNITS["s"] for ms in (clock.time, clock.byoyomi, clock.increment))  # type: ignore[return-value]


def _time_csa_2(text: str) -> tuple[str, bool]:
    main, byoyomi, increment = _seconds(text) or (1, 0, 0)
    if main % 60 or byoyomi > 99 or increment:
        return "", False
    return f"{main // 3600:02}:{main // 60 % 60:02}+{byoyomi:02}", True


def _time_csa_3(text: str) -> tuple[str, bool]:
    found = _seconds(text)
    return ("+".join(map(str, found)), True) if found else ("", False)


def _time_ggf(text: str) -> tuple[str, bool]:
    if _GGF.fullmatch(text) or not (found := _seconds(text)):
        return text, True  # GGF does not say what else may be there
    main, byoyomi, increment = found
    hours = f"{main // 3600}:{main // 60 % 60:02}" if main >= 3600 else f"{main // 60}"
    return f"{hours}:{main % 60:02}{f'/0:{increment:02}' if increment else ''}", not byoyomi


def _time_sgf(text: str) -> tuple[str, bool]:
    if _SGF.fullmatch(text):
        return text, True
    main, byoyomi, increment = _seconds(text) or (None, 0, 0)
    extension = (found := _GGF.fullmatch(text)) and found[6]
    return ("", False) if main is None else (str(main), not (byoyomi or increment or extension))


def _date(text: str) -> tuple[list[int], bool]:
    """Return the numbers of a date, with hour, minute and second or without; [] if it is none."""
    text = wide_to_ascii(text).strip()
    found = _DATE.match(text)
    numbers = [int(each) for each in found.groups() if each] if found else []
    limits = zip(numbers, (9999, 12, 31, 23, 59, 59), strict=False)
    if found is None or not all(numbers[:3]) or any(number > limit for number, limit in limits):
        return [], False
    return numbers, found.end() == len(text)


def _date_csa(text: str) -> tuple[str, bool]:
    numbers, whole = _date(text)
    if not numbers:
        return "", False
    time = [*numbers[3:], 0, 0, 0][:3]
    day = "{:04}/{:02}/{:02}".format(*numbers)
    return day + (" {:02}:{:02}:{:02}".format(*time) if numbers[3:] else ""), whole


def _date_sgf(text: str) -> tuple[str, bool]:
    if _SGF_DATE.fullmatch(text):
        return text, True
    numbers, whole = _date(text)
    return ("{:04}-{:02}-{:02}".format(*numbers), whole and len(numbers) == 3) if numbers else ("", False)


def _number(text: str) -> tuple[str, bool]:
    digits = wide_to_ascii(text).strip().removesuffix("手").strip()
    return (digits, True) if digits.isascii() and digits.isdecimal() else ("", False)


def _with_escapes(text: str) -> tuple[str, bool]:
    return text.replace("\\", "\\\\").replace("\n", "\\n"), True


# ---- the table ---------------------------------------------------------------------------------------------------


class Header(NamedTuple):
    """A header's name in each format, '' if the format has none."""

    meaning: str
    kif: str
    csa_2: str = ""
    csa_3: str = ""
    sgf: str = ""
    ggf: str = ""


_TABLE = {
    "title": Header("the game's title", "表題", "TITLE", "TITLE", "GN"),
    "event": Header("the tournament, the match", "棋戦", "EVENT", "EVENT", "EV", "EV"),
    "site": Header("where it was played", "場所", "SITE", "SITE", "PC", "PC"),
    "started": Header("date and time of its start", "開始日時", "START_TIME", "START_TIME", "DT", "DT"),
    "ended": Header("date and time of its end", "終了日時", "END_TIME", "END_TIME"),
    "opening": Header("the opening's name", "戦型", "OPENING", "OPENING", "ON", "ON"),
    "time": Header("the time control", "持ち時間", "TIME_LIMIT", "TIME", "TM", "TI"),
    "black_time": Header("black's time control", "先手持ち時間", "", "TIME+", "", "TB"),
    "white_time": Header("white's time control", "後手持ち時間", "", "TIME-", "", "TW"),
    "max_moves": Header("the number of moves after which it is drawn", "最大手数", "", "MAX_MOVES"),
    "impasse": Header("the rule for games with both kings in the other's camp", "持将棋", "", "JISHOGI"),
    "note": Header("a note", "備考", "", "NOTE", "GC"),
}
_TIMES = "time", "black_time", "white_time"
_FORMS: dict[str, dict[str, Form]] = {
    "csa_2": {"started": _date_csa, "ended": _date_csa, "time": _time_csa_2},
    "csa_3": {
        **dict.fromkeys(_TIMES, _time_csa_3),
        "started": _date_csa,
        "ended": _date_csa,
        "max_moves": _number,
        "note": _with_escapes,
    },
    "sgf": {"started": _date_sgf, "time": _time_sgf},
    "ggf": dict.fromkeys(_TIMES, _time_ggf),
}
HEADERS = {name: header.meaning for name, header in _TABLE.items()}


class HeaderNames:
    """A format's names of headers. Use `to_shared` when reading, `own_of` when writing.

    Args:
        column: the format's in the table
        fits: tells whether a name can be written
    """

    def __init__(self, column: str, fits: Callable[[str], bool] = bool) -> None:
        self._own: dict[str, str] = {name: own for name, header in _TABLE.items() if (own := getattr(header, column))}
        self._shared = {own: name for name, own in self._own.items()}
        self._forms, self._fits = _FORMS.get(column, {}), fits

    def to_shared(self, name: str) -> str:
        """Return the shared name for the format's `name`, or the name itself."""
        return self._shared.get(name, name)

    def to_own(self, name: str) -> str:
        """Return the format's name for the shared `name`, or the name itself."""
        return self._own.get(name, name)

    def own_of(self, headers: dict[str, str]) -> dict[str, str]:
        """Return the headers that can be written, by the format's names: on one line, in the format's form."""
        return {self.to_own(name): text for name, (text, _) in self._written(headers).items() if text}

    def keeps(self, headers: dict[str, str]) -> bool:
        """Tell whether `own_of` leaves nothing out."""
        return all(whole for _, whole in self._written(headers).values())

    def _written(self, headers: dict[str, str]) -> dict[str, tuple[str, bool]]:
        """Return each value as it is written, '' if it cannot be, and whether this is all of it."""
        found = {}
        for name, value in headers.items():
            text, whole = self._forms[name](value.strip()) if name in self._forms else (value, True)
            text = one_line(text) if self._fits(self.to_own(name)) else ""
            found[name] = text, not one_line(value) or (bool(text) and whole)
        return found


_REGISTRY = "shogi_engine.games"  # by name, as games import records


@dataclass(slots=True, eq=False)
class Node:
    """A move and its continuations. `children[0]` continues the line; the other children are variations.

    Attributes:
        move: the move in the game's notation, '7g7f' or 'f5'; '' for the root
        children: the next moves: the line's continuation, then variations
        comment: the comment on the move, one or more lines
        seconds: the thinking time of the move
        evaluation: the value for the side that made the move; at the root, for the side to move
        label: the name of a bookmark
        ending: the reason why the line ends here, if it does; all children are then variations
        winner: the winner of a line that ends here, 0 (black) or 1 (white); None for the usual winner of the ending
        ending_seconds: the time spent before the ending, for example a resignation
        depth: the depth, in plies, of the search that found `evaluation`
        pv: the expected moves after this one
    """

    move: str = ""
    comment: str = ""
    seconds: float | None = None
    evaluation: Score | None = None
    label: str = ""
    ending: Termination = Termination.NONE
    winner: int | None = None
    ending_seconds: float | None = None
    depth: int | None = None
    pv: tuple[str, ...] = ()
    children: list["Node"] = field(default_factory=list)

    @property
    def next(self) -> "Node | None":
        """The move that continues this line, None at its end."""
        return self.children[0] if self.children and not self.ending else None

    @property
    def variations(self) -> list["Node"]:
        """The alternatives to the line's next move."""
        return self.children if self.ending else self.children[1:]

    def add(self, move: object, **values: Any) -> "Node":
        """Add a move, a text or a Board's Move, after this one, as the next or a variation; return it."""
        self.children.append(Node(str(move), **values))
        return self.children[-1]

    @property
    def outcome(self) -> Outcome:
        """Why the line ends here, if it does, and who won."""
        return Outcome(self.winner, self.ending)

    def end(self, outcome: Outcome | None, seconds: float | None = None) -> None:
        """End the line here; with None, let it continue."""
        self.ending = outcome.termination if outcome else Termination.NONE
        self.winner, self.ending_seconds = outcome.winner if outcome else None, seconds

    def add_comment(self, text: str) -> None:
        """Add one or more lines to the comment."""
        self.comment = f"{self.comment}\n{text}" if self.comment else text

    def _own(self) -> tuple[Any, ...]:
        """Return all attributes except the children."""
        return (
            *(self.move, self.comment, self.seconds, self.evaluation, self.label),
            *(self.ending, self.winner, self.ending_seconds, self.depth, self.pv),
            len(self.children),
        )

    def __eq__(self, other: object) -> bool:
        """Tell whether two trees are equal. This is not recursive, because games can be longer than Python's stack."""
        if not isinstance(other, Node):
            return NotImplemented
        pairs = [(self, other)]
        while pairs:
            one, two = pairs.pop()
            if one._own() != two._own():
                return False
            pairs += zip(one.children, two.children, strict=True)
        return True

    def __repr__(self) -> str:
        return f"<Node {self.move or 'root'}, {len(self.children)} children>"

    def __copy__(self) -> "Node":
        twin = Node(*self._own()[:-1])
        twin.children = list(self.children)
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and deep-copy the tree as a list of nodes in preorder, as it may be deeper than Python's stack."""
        rows, waiting = [], [self]
        while waiting:
            node = waiting.pop()
            rows.append(node._own())
            waiting += reversed(node.children)
        return _tree_of, (rows,)


def _tree_of(rows: Sequence[tuple[Any, ...]]) -> Node:
    """Return the tree with the nodes `rows` in preorder, each in the form of `Node._own`."""
    top = Node()
    waiting = [(top, 1)]  # nodes, with the number of children still to be added
    for *own, count in rows:
        node = Node(*own)
        parent, missing = waiting.pop()
        parent.children.append(node)
        if missing > 1:
            waiting.append((parent, missing - 1))
        if count:
            waiting.append((node, count))
    return top.children[0]


@dataclass
class GameRecord:
    """A game.

    >>> record = GameRecord.from_moves("othello", ["f5", "d6", "c3"], ending="interrupted")
    >>> record.root.next.add("f4", comment="parallel")
    <Node f4, 0 children>
    >>> record.moves, record.result, [line[-1].move for _, line in record.lines()]
    (['f5', 'd6', 'c3'], '*', ['c3', 'f4'])

    Attributes:
        game: 'shogi', 'othello' or another game's name
        start: SFEN or OBF, '' for the game's usual start
        names: (black's name, white's)
        headers: other information; HEADERS lists the names that all formats share
        score: black's disc difference, if a file gives it (Othello)
        fault: the reason why the rest of a damaged file is missing, if it was read with keep=True
        notes: what was passed over or read in a doubtful sense, in words that begin with the number of the line
    """

    game: str = "shogi"
    start: str = ""
    names: list[str] = field(default_factory=lambda: ["", ""])
    headers: dict[str, str] = field(default_factory=dict)
    root: Node = field(default_factory=Node)
    score: float | None = None
    fault: Exception | None = field(default=None, compare=False)
    notes: list[str] = field(default_factory=list, compare=False)

    def __post_init__(self) -> None:
        if not self.start:
            self.start = usual_start(self.game)

    @classmethod
    def from_moves(
        cls,
        game: str,
        moves: Iterable[object],
        *,
        start: str = "",
        seconds: Sequence[float | None] = (),
        comments: Mapping[int, str] | None = None,
        ending: str = "",
        names: tuple[str, str] = ("", ""),
    ) -> "GameRecord":
        """Return a record with one line of moves, without checking them. Raises TypeError for a single move.

        Args:
            moves: texts, or Moves of a Board
            seconds: the time of each move, or empty
            comments: comments, by the number of moves before them
            ending: why the game ended, one of `records.ENDINGS`
            names: of black and white
        """
        record = cls(game, start, names=list(names))
        node = record.root
        for number, move in enumerate(map(str, listed(moves))):
            node = node.add(move, seconds=seconds[number] if number < len(seconds) else None)
        if ending:
            record.ending = termination_of(ending)
        for ply, text in (comments or {}).items():
            record.main_line[ply].comment = text
        return record

    # ---- the main line

    @property
    def main_line(self) -> list[Node]:
        """The root and the moves that were played, in order."""
        return self.line(self.root)

    @staticmethod
    def line(node: Node) -> list[Node]:
        """Return `node` and the moves that continue its line."""
        line = [node]
        while (following := line[-1].next) is not None:
            line.append(following)
        return line

    @property
    def moves(self) -> list[str]:
        """The moves that were played."""
        return [node.move for node in self.main_line[1:]]

    @property
    def seconds(self) -> list[float | None]:
        """The time of each move, None if unknown."""
        return [node.seconds for node in self.main_line[1:]]

    @property
    def comments(self) -> dict[int, str]:
        """The comments on the moves played, by the number of moves before them."""
        return {ply: node.comment for ply, node in enumerate(self.main_line) if node.comment}

    @property
    def ending(self) -> Termination:
        """The reason why the game ended, one of `records.ENDINGS`; '' if the file does not give one.

        It can be set, also by name. The winner is then the usual one; use `end` to set a different winner.
        """
        return self.main_line[-1].ending

    @ending.setter
    def ending(self, name: str) -> None:
        line = self.main_line
        line[-1].end(usual_outcome(name, self.side(len(line) - 1)) if name else None, line[-1].ending_seconds)

    def end(self, outcome: Outcome | None) -> None:
        """Set how the game ended after the last move; with None, let it continue."""
        self.main_line[-1].end(outcome)

    def side(self, ply: int) -> int:
        """Return the side to move after `ply` moves, 0 (black) or 1."""
        begins = 0 if self.start == usual_start(self.game) else int(self.board(0).turn)
        return (begins + ply) % 2

    def outcome_of(self, node: Node, ply: int) -> Outcome:
        """Return the outcome of a line that ends at `node`, after `ply` moves; by default, the usual winner has won."""
        if node.winner is None and node.ending in USUAL_WINNERS:
            return completed(node.outcome, self.side(ply))
        return node.outcome

    def outcome(self) -> Outcome | None:
        """Return the winner and the reason, or None if the game is not over. Raises ValueError for an illegal move.

        The outcome is taken from the file; failing that, from the rules; failing that, from the score.
        """
        line = self.main_line
        if line[-1].ending:
            return self.outcome_of(line[-1], len(line) - 1)
        found = self.board().outcome()
        if found is not None:
            return Outcome(found.winner, found.termination)
        return None if self.score is None else Outcome(leader(self.score), Termination.UNKNOWN)

    @property
    def result(self) -> str:
        """'1-0' if black won, '0-1' if white won, '1/2-1/2' if drawn, '*' if unknown."""
        return self.result_of(self.main_line)

    def result_of(self, line: Sequence[Node]) -> str:
        """Return `result`, given the `main_line`."""
        if line[-1].winner is None and self.score is not None:
            return Outcome(leader(self.score), Termination.UNKNOWN).result()
        return self.outcome_of(line[-1], len(line) - 1).result()

    # ---- the tree

    def lines(self) -> Iterator[tuple[int, list[Node]]]:
        """Yield every line with the ply of its first move: the main line from the root (0), then the variations.

        The variations of a line are yielded in reverse order, and each is followed by its own variations. A variation
        therefore always branches off the line before it. This is the order of KIF files.
        """
        todo = [(0, self.root)]
        while todo:
            ply, node = todo.pop()
            line = self.line(node)
            yield ply, line
            for distance, each in enumerate(line, ply + 1):
                todo += [(distance, variation) for variation in reversed(each.variations)]

    def nodes(self) -> Iterator[Node]:
        """Yield the root and every move, including variations."""
        for _, line in self.lines():
            yield from line

    def nodes_in_preorder(self) -> Iterator[Node]:
        """Yield the root and every move, each before its continuations."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.children)

    def board(self, ply: int | None = None) -> Any:
        """Return the game's Board after `ply` or all moves of the main line. Raises ValueError for an illegal move."""
        board = _board_class(self.game)(self.start)
        for move in self.moves[:ply] if ply != 0 else ():  # walking the line for no move takes time
            board.push_text(move)
        return board

    def check(self) -> None:
        """Check all lines. Raises ValueError naming the first illegal move."""
        board = self.board(0)
        for first, line in self.lines():
            while board.move_stack and len(board.move_stack) >= max(first, 1):
                board.pop()
            for ply, node in enumerate(line, first):
                if node.move:
                    try:
                        board.push_text(node.move)
                    except ValueError as fault:
                        raise InputError("move {0}: {1}", ply, fault) from None


@functools.cache
def usual_start(game: str) -> str:
    """Return the starting position of a game without handicap, in its notation."""
    return str(registry().start(game))


@functools.cache
def _board_class(game: str) -> Any:
    """Return a game's Board."""
    return registry().game_module(game, "board").Board


def registry() -> Any:
    """Return the registry of games, which knows those of other packages too."""
    return importlib.import_module(_REGISTRY)


def leader(score: float) -> int | None:
    """Return the leader if black has `score` more discs, None if no one leads."""
    return None if score == 0 else int(score < 0)


_spare: dict[str, Any] = {}  # by game: a Board that no builder uses; allocating one takes longer than a short game


class RecordBuilder:
    """Builds a record while a file is read. Moves are checked when they are added.

    Attributes:
        record: the record so far
        board: the position after `path[-1]`
        path: the nodes from the root to that position
        illegal: the text of an illegal move, and what is wrong with it, until the line ends
    """

    def __init__(self, record: GameRecord) -> None:
        self.record = record
        spare = _spare.pop(record.game, None) if record.start == usual_start(record.game) else None
        if spare is not None:
            spare.reset()
        self.board = spare or record.board(0)
        self.path = [record.root]
        self.illegal: tuple[str, RecordError] | None = None
        self._ended = False
        self._fork: Node | None = None  # where the last variation begins

    @property
    def node(self) -> Node:
        """The last move, or the root."""
        return self.path[-1]

    @property
    def ply(self) -> int:
        """The number of moves to the position."""
        return len(self.path) - 1

    @property
    def branches(self) -> bool:
        """Whether a variation begins here; what ends at the node is the line before it."""
        return self.node is self._fork

    def play(self, move: Any, **values: Any) -> Node:
        """Add a Board's move, or its text. Raises ValueError if it is illegal or the line has ended."""
        self._may_go_on()
        played = self.board.push_text(move) if isinstance(move, str) else (self.board.push(move), move)[1]
        self.path.append(self.node.add(str(played), **values))
        return self.node

    def end(self, outcome: Outcome, seconds: float | None = None) -> bool:
        """End the line; return False if it is a variation without moves, whose ending no node can hold."""
        illegal, self.illegal = self.illegal, None
        if illegal is not None:
            if outcome.termination is not Termination.ILLEGAL_MOVE:
                raise illegal[1]
            self.node.add_comment(f"illegal move: {illegal[0]}")
            outcome = usual_outcome(outcome.termination, self.board.turn)  # the side that made it is still to move
        if self.branches:
            self._ended = True
            return False
        if self._ended and outcome == self.node.outcome:
            return True  # servers say it twice
        self._may_go_on()
        self.node.end(outcome, seconds)
        self._ended = True
        return True

    def suspect(self, text: str, fault: RecordError) -> None:
        """Keep an illegal move. Unless an ending for that follows, `fault` is raised."""
        self._may_go_on()
        self.illegal = (text, fault)

    def back_to(self, ply: int) -> None:
        """Take back moves until `ply` are left. Raises ValueError if there are fewer."""
        self.finish()
        if not 0 <= ply <= self.ply:
            raise InputError("a variation of move {0}, but the line has only {1} moves", ply + 1, self.ply)
        self._ended = False
        while self.ply > ply:
            self.board.pop()
            self.path.pop()
        self._fork = self.node

    def release(self) -> None:
        """Leave the board to the next builder; this one cannot be used any more."""
        _spare[self.record.game] = self.board
        del self.board

    def finish(self) -> None:
        """Raise a pending fault at the end of a line."""
        if self.illegal is not None:
            raise self.illegal[1]

    def _may_go_on(self) -> None:
        self.finish()
        if self._ended and self.node.ending is Termination.TAKE_BACK:
            raise InputError(
                "moves follow a take back, which does not say what it took back; --keep keeps what is before"
            )
        if self._ended:
            raise InputError("the game has already ended ({0})", self.node.ending)
