"""The messages of browsers, checked before anything uses them: names, fields, types, sizes and counts.

A message is a JSON object whose field `do` names it; if it has a number in `re`, the answer has the same. `handlers`
has a function for each.
"""

from collections.abc import Iterable
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta

from shogi_engine.common.text import sanitize
from shogi_engine.games import NAMES
from shogi_engine.games.shogi.board.piece_shapes import SETS
from shogi_engine.language import LANGUAGES
from shogi_engine.web import viewer
from shogi_engine.web.search import SEARCH_MAX

MESSAGE_MAX = 3 << 20  # bytes: a file of FILE_MAX bytes in base64, and the other fields
FILE_MAX = 2 << 20  # bytes of a record
TEXT_MAX = 200_000  # characters of a pasted record
LEVEL_MAX = 30
MULTIPV_MAX = {"shogi": 5, "othello": 60}  # in Othello all moves
LINE_MAX = 200  # moves of a line


class MessageError(ValueError):
    """A message is malformed or not allowed."""


def one_of(names: Iterable[str]) -> Meta:
    """Return the constraint that a text is one of some names."""
    return Meta(pattern=rf"\A(?:{'|'.join(names)})\Z")


Game = Annotated[str, one_of(NAMES)]
Language = Annotated[str, one_of(LANGUAGES)]
PieceSet = Annotated[str, one_of(SETS)]
Number = Annotated[int, Meta(ge=0, le=1 << 30)]  # of a move in the game's tree, or of a question
Side = Annotated[int, Meta(ge=0, le=1)]
Level = Annotated[int, Meta(ge=0, le=LEVEL_MAX)]
ABOUT = ("title", "event", "site", "started")  # headers that a page can change
HEADER_MAX = 1000  # characters
HeaderText = Annotated[str, Meta(max_length=HEADER_MAX)]
GameNumber = Annotated[int, Meta(ge=0, le=100_000)]  # in a file
Name = Annotated[str, Meta(max_length=64)]  # of a game, a session, an owner
MoveText = Annotated[str, Meta(max_length=12)]
Moves = Annotated[list[MoveText], Meta(min_length=1, max_length=LINE_MAX)]


class Message(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, tag_field="do", tag=str.lower):
    """A message of a browser."""

    re: Number | None = None


# ---- the page


class Look(Message):
    """Change how the page shows the board; None changes nothing."""

    language: Language | None = None
    flipped: bool | None = None
    narrow: bool | None = None
    pieces: PieceSet | None = None

    def given(self) -> dict[str, Any]:
        """Return the fields of `viewer.Look` that are given."""
        values = {name: getattr(self, name) for name in viewer.Look._fields}
        return {name: value for name, value in values.items() if value is not None}


class Hello(Look):
    """The first message: whose page this is, and what it shows."""

    session: Name = ""
    owner: Name = ""


class Resync(Message):
    """Send the whole state: the page missed a change."""


class Ping(Message):
    """Answer."""


# ---- games


class Board(Message, tag="game"):
    """Begin with an empty board."""

    game: Game


class New(Message):
    """Begin a game: for each side, a level or None for a human."""

    game: Game
    players: Annotated[list[Level | None], Meta(min_length=2, max_length=2)]
    clock: Annotated[str, Meta(max_length=40)] = ""
    handicap: Annotated[str, Meta(max_length=40)] = ""
    here: bool = False  # at the position on the board


class Rematch(Message):
    """Play again with the same settings."""


class Resign(Message):
    """Resign."""


class Declare(Message):
    """Declare a win by the entering-king rule."""


class Think(Message):
    """Let the engine make a move."""


class Stop(Message):
    """End the game and all searches."""


class SetLevel(Message, tag="level"):
    """Change the engine's level."""

    side: Side
    level: Level


class Kept(Message):
    """Send the list of the user's games: those that have all words of `text`, and end in `result`, '' for any."""

    text: Annotated[str, Meta(max_length=SEARCH_MAX)] = ""
    result: Literal["", "1-0", "0-1", "1/2-1/2", "*"] = ""


class Continue(Message):
    """Open one of them."""

    id: Name


class Forget(Message):
    """Delete one of them."""

    id: Name


class Recall(Message):
    """Bring a deleted one back."""

    id: Name


class Links(Message):
    """Send the list of links to the game on the board."""


class Invite(Message):
    """Make a link: to play a side, to watch, or for the user's own other devices."""

    to: Literal["own", "play", "watch"]
    side: Side = 1


class Revoke(Message):
    """End a link."""

    token: Name


# ---- moves


class Move(Message):
    """Make a move."""

    move: MoveText


class Step(Message):
    """Step through the line on the board, or to an alternative of the current move."""

    to: Literal["first", "back", "next", "last", "above", "below"]


class Go(Message):
    """Go to a move."""

    node: Number


class Undo(Message):
    """Take back a move."""


class Delete(Message):
    """Delete the current move and those after it."""


class Promote(Message):
    """Make the variation on the board the main line."""


class Restore(Message):
    """Undo the last deletion."""


class Comment(Message):
    """Comment on a move, by default the current one."""

    text: Annotated[str, Meta(max_length=2000)]
    node: Number | None = None


class About(Message):
    """Change the players' names and the headers of ABOUT; '' removes them."""

    names: Annotated[list[HeaderText], Meta(min_length=2, max_length=2)]
    title: HeaderText = ""
    event: HeaderText = ""
    site: HeaderText = ""
    started: HeaderText = ""


class Line(Message):
    """Add a line after a move, and go to its move number `go`, from 1; 0 does not move."""

    node: Number
    moves: Moves
    go: Annotated[int, Meta(ge=0, le=LINE_MAX)] = 0


class Preview(Message):
    """Draw the board after a line of moves."""

    node: Number
    moves: Moves


# ---- analyses


class Analyse(Message):
    """Switch live analysis on or off."""

    on: bool
    multipv: Annotated[int, Meta(ge=1, le=max(MULTIPV_MAX.values()))] | None = None


class Explore(Message):
    """Send the moves that a book or games have in the position after a move."""

    node: Number
    source: Literal["book", "mine", "index"]


class Judge(Message):
    """Judge every move of the game, or stop it."""

    on: bool
    effort: Literal["quick", "normal", "deep"] = "quick"


class Mate(Message):
    """Look for a mate."""


class Solve(Message, tag="tsume"):
    """Solve a problem of the collection, by its number from 1, or the position on the board; or leave it."""

    on: bool
    problem: Annotated[int, Meta(ge=0, le=10_000)] = 0


class Problems(Message):
    """Send the list of problems."""


class Hint(Message):
    """Send the next move of the problem."""


class Learn(Message):
    """Make problems of the mistakes that a side made in the judged game."""

    side: Side


class Lessons(Message):
    """Send how many problems of the user's own mistakes are due."""


class Lesson(Message):
    """Give the next problem that is due, or leave it: the game that was on the board before comes back."""

    on: bool


class Better(Message):
    """Give the positions of the judged game in which a side, by default each, missed a better move."""

    side: Side | None = None


class Answer(Message):
    """Show the answer of such a problem."""


# ---- records and positions


class Open(Message):
    """Open a game of a file."""

    name: Annotated[str, Meta(max_length=200)]
    data: Annotated[str, Meta(max_length=FILE_MAX * 4 // 3 + 8)]  # base64
    number: GameNumber = 0


class Paste(Message):
    """Open a game of a text."""

    text: Annotated[str, Meta(max_length=TEXT_MAX)]
    number: GameNumber = 0


class Save(Message):
    """Send the game as a file."""

    format: Annotated[str, Meta(max_length=20)]


class Diagram(Message):
    """Send the position on the board as a picture, for a file whose name ends in `kind`."""

    style: Literal["colour", "book"] = "colour"
    kind: Literal["svg", "png"] = "svg"


class Sheet(Message):
    """Send a page to print: all tsume of a length, or, with 0, the mistakes of the judged game."""

    length: Annotated[int, Meta(ge=0, le=99)] = 0


class SetUp(Message, tag="setup"):
    """Begin to set up a position, or end it: `keep` uses the new position."""

    on: bool
    keep: bool = True


class Put(Message):
    """Put a piece on a square, '' for none."""

    square: Annotated[str, Meta(max_length=3)]
    piece: Annotated[str, Meta(max_length=2)]


class Hand(Message):
    """Set the number of pieces of a kind in a hand."""

    side: Side
    piece: Annotated[str, Meta(max_length=1)]
    count: Annotated[int, Meta(ge=0, le=18)]


class Turn(Message):
    """Set the side to move."""

    side: Side


class Arrange(Message, tag="board"):
    """Set up the usual position or an empty board, or give white the rest of the pieces."""

    which: Literal["start", "empty", "rest"]


AnyMessage = (
    Look | Hello | Resync | Ping
    | Board | New | Rematch | Resign | Declare | Think | Stop | SetLevel | Kept | Continue | Forget | Recall
    | Links | Invite | Revoke
    | Move | Step | Go | Undo | Delete | Promote | Restore | Comment | About | Line | Preview
    | Analyse | Explore | Judge | Mate | Solve | Problems | Hint | Learn | Lessons | Lesson | Better | Answer
    | Open | Paste | Save | Diagram | Sheet | SetUp | Put | Hand | Turn | Arrange
)  # fmt: skip
KINDS: dict[str, type[Message]] = {str(kind.__struct_config__.tag): kind for kind in get_args(AnyMessage)}
_decoder: msgspec.json.Decoder[Message] = msgspec.json.Decoder(AnyMessage)


def parse(data: str | bytes) -> Message:
    """Return a checked message. Raises MessageError, which says what is wrong; it is for programmers of pages."""
    if len(data) > MESSAGE_MAX:
        raise MessageError("the message is too long")
    try:
        return _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as fault:
        raise MessageError(f"not a message of the page: {sanitize(str(fault), 200)}") from None
