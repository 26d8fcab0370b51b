"""The messages to pages. `kind` names each.

A page gets the whole state once, then a Delta after every change. A page that misses one asks for the whole again.
`python -m tools.generate` writes these types, and those of the pages' messages, for the page's scripts.
"""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, structs

from shogi_engine.analysis.judgement import VERDICTS
from shogi_engine.games import NAMES


def one_of(names: Iterable[str]) -> Meta:
    """Return the constraint that a text is one of some names."""
    return Meta(pattern=rf"\A(?:{'|'.join(names)})\Z")


Game = Annotated[str, one_of(NAMES)]
Side = Annotated[int, Meta(ge=0, le=1)]
Verdict = Annotated[str, one_of((*(name for name, _ in VERDICTS), ""))]  # '' for none
Splice = tuple[int, int, list[Any]]  # an index, the number of items to replace, the new ones


class Reply(msgspec.Struct, kw_only=True, tag_field="kind", tag=str.lower):
    """A message to a page."""


# ---- the parts of a state


class Line(msgspec.Struct):
    """A line of moves after a move of the game: in the game's and in the user's notation."""

    node: int
    moves: Sequence[str]
    texts: Sequence[str]


class Variation(msgspec.Struct):
    """A variation: how deep it is in others, the ply of its first move, and the number, text and comment of each."""

    depth: int
    ply: int
    moves: list[tuple[int, str, str]]


class Row(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A move of the game, with the variations that begin in its place.

    Attributes:
        value: black's, in discs
        lost: discs that the move lost, whatever the chances; 0 in Shogi
    """

    node: int
    text: str
    chance: float | None = None
    value: str = ""
    exact: bool = False
    verdict: Verdict = ""
    loss: float | None = None
    lost: int = 0
    seconds: float | None = None
    comment: str = ""
    others: list[Variation] = []


class Role(msgspec.Struct, frozen=True):
    """What a page may do. Pages of one look and role are sent the same.

    Attributes:
        owner: everything
        side: that a guest plays, None if the guest only watches
    """

    owner: bool = True
    side: Side | None = None


Wish = Literal["undo", "draw"]


class Asked(msgspec.Struct, frozen=True):
    """What one of two people asks of the other: to take back, or a draw, after move `node` of the game."""

    what: Wish
    side: Side
    node: int


class Person(msgspec.Struct, frozen=True):
    """Somebody at the board: a name, '' for none, and the side that is played, None for none."""

    name: str
    side: Side | None
    owner: bool


class Ending(msgspec.Struct, omit_defaults=True):
    """How a game ended; the name is '' for the usual reason by the rules. Where discs decide, they are both sides'."""

    name: str
    winner: Side | None
    discs: tuple[int, int] | None = None


class Times(msgspec.Struct):
    """The clocks: both sides' remaining seconds, the byoyomi, and whose runs."""

    seconds: list[float]
    byoyomi: float
    side: Side | None


class Playing(msgspec.Struct, kw_only=True):
    """The game that is played: a level for each side, None for a human; `played` if it is over."""

    on: bool
    players: list[int | None]
    thinking: bool
    live: int
    passing: bool
    over: Ending | None
    played: bool
    clock: Times | None


class Live(msgspec.Struct):
    """Whether live analysis is on, and its number of lines."""

    on: bool
    multipv: int


class Told(msgspec.Struct, kw_only=True):
    """What is said of a judged move, with the better line."""

    node: int
    moves: Sequence[str]
    texts: Sequence[str]
    severity: Verdict = msgspec.field(name="class")
    called: str
    loss: float
    given: str
    score: str
    why: Sequence[str]


class Summary(msgspec.Struct):
    """How a judged game was played.

    Attributes:
        counts: of each verdict, by side
        agreement: share of moves that are the engine's choice, by side
    """

    counts: list[dict[str, int]]
    agreement: list[float | None]


class Lesson(msgspec.Struct, kw_only=True):
    """A problem of the user's own mistakes, or a lesson; `place` of `count` of one round, else `count` is 0.

    Attributes:
        title: of a lesson, '' for a problem
        lines: whether it is of the repertoire
    """

    title: str
    task: str
    source: str
    due: int
    place: int
    count: int
    over: bool
    lines: bool = False
    back: float
    refutation: Line | None
    solution: Line | None
    played: str = ""
    why: Sequence[str] = ()


class Tsume(msgspec.Struct, omit_defaults=True):
    """A problem: the plies to mate at its start and now, the moves made; then those of one problem of the collection.

    Attributes:
        count: of the collection's problems
        lesson: if it is one of the user's own mistakes
    """

    status: str
    length: int
    left: int
    made: int
    number: int = 0
    plies: int = 0
    grade: int = 0
    count: int = 0
    lesson: Lesson | None = None


class EngineState(msgspec.Struct):
    """Whether the game's engine is ready, and what is wrong with it, '' if nothing is."""

    ready: bool
    fault: str


class State(Reply):
    """All that a page shows. `seq` numbers the changes of a session."""

    seq: int
    session: str
    game: Game
    language: str
    flipped: bool
    narrow: bool
    pieces: str
    svg: str
    turn: Side
    position: str
    check: bool
    targets: dict[str, dict[str, list[str]]]
    labels: dict[str, str]
    counts: list[int] | None
    ply: int
    node: int
    branch: int  # how many moves of the game lead to the current one; the others are a variation's
    line: list[Row]
    last: str
    before: int
    comment: str
    title: str
    names: list[str]
    about: dict[str, str]  # headers that the owner can change
    handicap: str
    ended: Ending | None
    playing: Playing
    may_declare: bool
    analysis: Live
    judging: float | None
    mating: bool
    verdict: Told | None
    warning: Told | None  # of the last move, which can be taken back: the coach waits
    summary: Summary | None
    setup: list[dict[str, int]] | None
    tsume: Tsume | None
    learn: Literal["", "ready", "making"]
    role: Role
    guests: list[Side]  # that others play by a link
    people: list[Person]  # at the board, if somebody came by a link
    asked: Asked | None
    removed: bool
    kept: bool
    unsaved: str  # why the game could not be saved, '' if all is well
    formats: list[str]
    engine: EngineState


# ---- the messages


class Delta(Reply, omit_defaults=True):
    """What has changed since the state number `base`.

    Attributes:
        fields: the new values of fields
        labels: those that differ, None for those that are gone
        line: splices of the rows, to be made from the first to the last
        svg: splices of the picture's text lines, likewise
    """

    seq: int
    base: int
    fields: dict[str, Any]
    labels: dict[str, str | None] = {}
    line: list[Splice] = []
    svg: list[Splice] = []


class AnalysisLine(msgspec.Struct, kw_only=True):
    """A line of live analysis; the values are black's."""

    score: str
    mate: bool
    exact: bool
    chance: float
    depth: int
    texts: Sequence[str]
    moves: Sequence[str]


class Info(Reply):
    """A report of live analysis."""

    node: int
    flipped: bool
    narrow: bool
    depth: int
    seldepth: int
    nodes: int
    nps: int
    lines: list[AnalysisLine]
    arrows: str


class ExploredMove(msgspec.Struct, kw_only=True):
    """A move of the explorer, in the game's and in the user's notation, with the results of its games."""

    move: str
    text: str
    games: int
    black: int
    draws: int
    white: int
    score: float | None
    value: float | None


class ExploredGame(msgspec.Struct):
    """A game of the explorer."""

    names: list[str]
    result: str


class Explored(Reply):
    """The moves of the position after a move of the game: from one source, and which others there are.

    Attributes:
        names: by side, the openings and castles that the game has had until there; empty for a game without such names
    """

    node: int
    names: list[str]
    source: str
    sources: list[str]
    rows: list[ExploredMove]
    games: list[ExploredGame]


class Ready(Reply, tag="engine"):
    """A game's engine is ready."""

    game: str


class Progress(Reply):
    """How far the game has been judged, and the value found last."""

    share: float
    node: int
    chance: float


class MateFound(Reply, tag="mate"):
    """The result of a search for a mate."""

    result: str
    length: int
    texts: list[str]
    moves: list[str]
    node: int


class Failed(Reply):
    """A search failed: what it was for, and a text for the user. The user may ask again."""

    what: str
    text: str


class File(Reply):
    """A saved game: its content in base64, and what the format cannot hold."""

    name: str
    data: str
    lost: list[str]


class Games(Reply):
    """The games of the file that was opened."""

    titles: list[str]
    number: int


class KeptGame(msgspec.Struct, kw_only=True):
    """A saved game: whether it is being played, when it was changed (Unix time), whether it is on the board."""

    id: str
    game: Game
    title: str
    moves: int
    result: str
    on: bool
    time: float
    here: bool


class Kept(Reply):
    """The user's games."""

    games: list[KeptGame]


class Left(Reply):
    """The game that was on the board before, and can be opened again."""

    id: str


class Shared(msgspec.Struct, kw_only=True):
    """A link to the game: its address and the QR code of that, and the number of pages that came by it."""

    token: str
    kind: Literal["own", "play", "watch"]
    side: Side | None
    address: str
    qr: str
    pages: int


class Links(Reply):
    """The links to the game on the board, with their addresses and QR codes; whether only this machine can use them."""

    links: list[Shared]
    local: bool


class Dismissed(Reply):
    """The page may no longer show this game. The connection ends."""


class Join(Reply):
    """The game is open in another session: the page goes there."""

    session: str


class Problems(Reply):
    """The plies and the grade of each problem, and whether it was solved; the number of the problem of the day."""

    rows: list[tuple[int, int, int]]
    daily: int


class Course(Reply):
    """The lessons of a game: the name and the title of each, and whether it was done."""

    game: Game
    rows: list[tuple[str, str, int]]


class Lessons(Reply):
    """The problems of the user's own mistakes: how many are due, and how many there are.

    Attributes:
        next: when the next is due (Unix time), 0 if there are none
        new: how many were made just now, None if none were requested
        lines: whether they are of the repertoire instead
        repertoire: how many of that are due, and how many there are; empty where it was not requested
    """

    due: int
    total: int
    next: float
    new: int | None = None
    lines: bool = False
    repertoire: list[int] = []


class Tried(Reply):
    """All turning points of the game were given: how many there were, and how many were solved at the first try."""

    found: int
    count: int


class Hint(Reply):
    """The next move of the problem."""

    node: int
    move: str
    text: str


class Preview(Reply):
    """The board after a line of moves."""

    node: int
    moves: list[str]
    svg: str


class Diagram(Reply):
    """A diagram of the position on the board, and what the page makes of it: the name of the file."""

    name: str
    svg: str


class Pong(Reply):
    """The answer to a ping."""


class Done(Reply):
    """The message with this number was obeyed, and what it changed is on disk if `unsaved` does not say otherwise."""

    re: int


class Error(Reply, omit_defaults=True):
    """A message was refused, that with this number if there is one."""

    text: str
    re: int | None = None


def delta(before: State, after: State) -> Delta:
    """Return the difference of two states of one page."""
    old, new = structs.asdict(before), structs.asdict(after)
    fields = {name: value for name, value in new.items() if value != old[name]}
    for name in ("seq", "labels", "line", "svg"):
        fields.pop(name, None)
    return Delta(
        seq=after.seq,
        base=before.seq,
        fields=fields,
        labels=_changes(before.labels, after.labels),
        line=_splice(before.line, after.line),
        svg=_splices(before.svg.split("\n"), after.svg.split("\n")),
    )


def _changes(old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str | None]:
    changed: dict[str, str | None] = {name: value for name, value in new.items() if old.get(name) != value}
    return changed | dict.fromkeys(old.keys() - new.keys())


def _splice(old: Sequence[Any], new: Sequence[Any]) -> list[Splice]:
    """Return the one splice between the items that both have at the beginning and at the end."""
    least = min(len(old), len(new))
    head = next((place for place in range(least) if old[place] != new[place]), least)
    tail = next((back for back in range(least - head) if old[-1 - back] != new[-1 - back]), least - head)
    if head == len(old) == len(new):
        return []
    return [(head, len(old) - tail - head, list(new[head : len(new) - tail]))]


def _splices(old: list[str], new: list[str]) -> list[Splice]:
    """Return the splices that make one picture of another."""
    found: list[Splice] = []
    moved = 0  # by the splices before
    for tag, start, end, first, last in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            found.append((start + moved, end - start, new[first:last]))
            moved += (last - first) - (end - start)
    return found
