"""The messages about the page, games, moves, and setting up a position."""

import random
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from shogi_engine.analysis.report import of_programs
from shogi_engine.games.othello.openings import even_opening, even_starts
from shogi_engine.games.shogi.records import kakinoki
from shogi_engine.language import InputError
from shogi_engine.play.words import names_shown
from shogi_engine.records import GameRecord
from shogi_engine.records.tree import one_line
from shogi_engine.types.limits import Clock
from shogi_engine.types.outcomes import WORDS_FOR
from shogi_engine.web import links, replies, view
from shogi_engine.web.access import Slow
from shogi_engine.web.links import WATCHER, Page
from shogi_engine.web.messages import (
    LEVEL_MAX,
    LINE_MAX,
    Action,
    Language,
    Moves,
    MoveText,
    Name,
    Number,
    PersonName,
    PieceSet,
    Question,
    Who,
    must_have,
)
from shogi_engine.web.playing import check_levels
from shogi_engine.web.replies import Asked, Game, Reply, Role, Side, Wish, one_of
from shogi_engine.web.saving import OpenElsewhere
from shogi_engine.web.session import Session
from shogi_engine.web.store import SEARCH_MAX
from shogi_engine.web.tree import set_up

Level = Annotated[int, Meta(ge=0, le=LEVEL_MAX)]


# ---- the page


class Look(Question):
    """Change how the page shows the board; None changes nothing."""

    who: ClassVar[Who] = Who.WATCHER
    language: Language | None = None
    flipped: bool | None = None
    narrow: bool | None = None
    pieces: PieceSet | None = None
    words: Annotated[str, one_of(WORDS_FOR)] | None = None

    def given(self) -> dict[str, Any]:
        """Return the fields of `viewer.Look` that are given."""
        values = {name: getattr(self, name) for name in links.ViewOptions._fields}
        return {name: value for name, value in values.items() if value is not None}

    def _obey(self, session: Session, page: Page) -> None:
        page.look = page.look._replace(**self.given())
        if not page.token:
            session.flipped = page.look.flipped
        session.show(page)
        session.analyses.repeat()


class Hello(Look):
    """The first message: whose page this is, and what it shows."""

    session: Name = ""
    owner: Name = ""
    name: PersonName = ""


class Resync(Question):
    """Send the whole state: the page missed a change."""

    who: ClassVar[Who] = Who.WATCHER

    def _obey(self, session: Session, page: Page) -> None:
        session.show(page)


class Ping(Question):
    """Answer."""

    who: ClassVar[Who] = Who.WATCHER

    def _obey(self, session: Session, page: Page) -> Reply:
        return replies.Pong()


# ---- games


def open_record(session: Session, record: GameRecord) -> Reply | None:
    """Replace the game; return the answer that tells which one was left, so that the user can return to it."""
    return left(session.open_record(record))


def open_after(session: Session, game: str, start: str, opening: Sequence[str]) -> Reply | None:
    """Do so with a game that is to begin after some moves, and go there."""
    answer = open_record(session, GameRecord.from_moves(game, opening, start=start))
    session.tree.step("last")
    return answer


def left(id: str) -> Reply | None:
    """Return the answer that tells which game was left."""
    return replies.Left(id=id) if id else None


class Board(Action, tag="game"):
    """Begin with an empty board."""

    game: Game

    def _obey(self, session: Session, page: Page) -> Reply | None:
        return open_record(session, GameRecord(self.game))


class New(Action):
    """Begin a game: for each side, a level or None for a human."""

    game: Game
    players: Annotated[list[Level | None], Meta(min_length=2, max_length=2)]
    clock: Annotated[str, Meta(max_length=40)] = ""
    handicap: Annotated[str, Meta(max_length=40)] = ""
    here: bool = False  # at the position on the board
    xot: bool = False  # after random moves that leave the game even; if not `here`
    coach: bool = False  # stop at the human's blunders

    def _obey(self, session: Session, page: Page) -> Reply | None:
        setting, before, answer = Clock.parse(self.clock) if self.clock else None, "", None
        check_levels(self.game, self.players)
        if self.handicap and self.game != "shogi":
            raise InputError("handicaps are for shogi")
        if self.xot and self.game != "othello":
            raise InputError("XOT is for othello")
        if not self.here or self.game != session.tree.game:
            start = kakinoki.handicap(self.handicap) if self.handicap else ""
            opening = random.choice(even_starts()) if self.xot else ()
            before, answer = session.autosave.id, open_after(session, self.game, start, opening)
        session.leave_modes()
        session.begin(self.players, setting, coach=self.coach, after=before)
        return answer


class Rematch(Action):
    """Begin a new game like the last one, with sides swapped in an even game, also in one from an even start."""

    def _obey(self, session: Session, page: Page) -> Reply | None:
        play, start = session.playing, session.tree.record.start
        if play.on or play.outcome is None:
            raise InputError("no game has been played")
        players, setting = list(play.players), play.clock.setting
        even = start == GameRecord(session.tree.game).start
        opening = even_opening(session.tree.record) if even else ()
        if even:
            players.reverse()
        before, answer = session.autosave.id, open_after(session, session.tree.game, start, opening)
        session.begin(players, setting, coach=play.coach, after=before, swapped=even)
        return answer


class Resign(Action):
    """Resign."""

    who: ClassVar[Who] = Who.PLAYER

    def _obey(self, session: Session, page: Page) -> None:
        side = session.side_of(page)
        if side is None and session.guest_sides():
            raise InputError("you are watching this game")
        session.playing.resign(side)


class Declare(Action):
    """Declare a win by the entering-king rule."""

    who: ClassVar[Who] = Who.PLAYER

    def _permit_now(self, session: Session, role: Role) -> None:
        game = session.playing.game
        if game is not None and session.guest_sides() and not session.may_move(role, game.turn):
            raise InputError("it is not your turn")

    def _obey(self, session: Session, page: Page) -> None:
        session.playing.declare()


class Think(Action):
    """Let the engine make a move."""

    helps: ClassVar[bool] = True
    setting_up: ClassVar[bool] = False

    def _obey(self, session: Session, page: Page) -> None:
        session.playing.think()


class Stop(Action):
    """End the game and all searches."""

    def _obey(self, session: Session, page: Page) -> None:
        session.analyses.stop()
        session.playing.leave()
        session.leave_modes()


class SetLevel(Action, tag="level"):
    """Change the engine's level."""

    helps: ClassVar[bool] = True
    side: Side
    level: Level

    def _obey(self, session: Session, page: Page) -> None:
        session.playing.set_level(self.side, self.level)


class Kept(Question):
    """Send the list of the user's games: those that have all words of `text`, and end in `result`, '' for any."""

    slow: ClassVar[Slow] = Slow.DISK
    text: Annotated[str, Meta(max_length=SEARCH_MAX)] = ""
    result: Literal["", "1-0", "0-1", "1/2-1/2", "*"] = ""

    def _obey(self, session: Session, page: Page) -> Reply:
        games = session.autosave.games(self.text, self.result)
        rows = [{**each, "title": names_shown(each["title"], page.language)} for each in games]
        return replies.Kept(games=[replies.KeptGame(**row) for row in rows])


class Continue(Action):
    """Open one of them, or send the page to the session that has it open. Others are served while it is read."""

    slow: ClassVar[Slow] = Slow.DISK
    id: Name

    def _obey(self, session: Session, page: Page) -> Reply | None:
        try:
            before = session.open_saved(self.id)
        except OpenElsewhere as elsewhere:
            return replies.Join(session=elsewhere.identity)
        with session.lock:
            session.playing.wake()
        return left(before)


class Forget(Question):
    """Delete one of them."""

    slow: ClassVar[Slow] = Slow.DISK
    id: Name

    def _obey(self, session: Session, page: Page) -> Reply:
        session.autosave.delete(self.id)
        with session.lock:
            session.dismiss_guests()
        return Kept()._obey(session, page)


class Recall(Question):
    """Bring a deleted one back."""

    slow: ClassVar[Slow] = Slow.DISK
    id: Name

    def _obey(self, session: Session, page: Page) -> Reply:
        session.store.restore(self.id, session.owner)
        return Kept()._obey(session, page)


# ---- moves


class Move(Action):
    """Make a move."""

    who: ClassVar[Who] = Who.PLAYER
    setting_up: ClassVar[bool] = False
    move: MoveText

    def _obey(self, session: Session, page: Page) -> None:
        tree, tsume = session.tree, session.tsume
        if not session.may_move(session.role_of(page) or WATCHER, int(tree.board.turn)):
            raise InputError("it is not your turn")
        text = tree.legal(self.move)
        if tsume is not None:
            tsume.check_move(text)
        session.playing.move(text)
        if tsume is not None:
            tsume.moved(tree.node)


class _Navigation(Action):
    """While two people play, and for who only watches, each page looks back alone: the board stays."""

    who: ClassVar[Who] = Who.WATCHER
    setting_up: ClassVar[bool] = False

    def _answer(self, session: Session, page: Page) -> None:
        tree = session.tree
        if not session.guest_sides() and session.role_of(page) != WATCHER:
            super()._answer(session, page)
            return
        line, viewed = tree.line(), page.viewed
        at = line.index(viewed[0] if viewed and viewed[1] == tree.node and viewed[0] in line else tree.node)
        node = self._look_at(line, at, line.index(tree.node))
        with tree.board_after(line, line.index(node)) as board:
            svg = view.picture(board, page.look, tree.game, areas=False)
        page.viewed = node, tree.node
        page.send(replies.Preview(node=node, moves=[], svg=svg))

    def _look_at(self, line: list[int], at: int, now: int) -> int:
        """Return the move of a line that a page looks at, from its number `at`; the board shows number `now`."""
        raise NotImplementedError


class Step(_Navigation):
    """Step through the line on the board, or to an alternative of the current move."""

    to: Literal["first", "back", "next", "last", "above", "below"]

    def _obey(self, session: Session, page: Page) -> None:
        session.tree.step(self.to)

    def _look_at(self, line: list[int], at: int, now: int) -> int:
        steps = {"first": 0, "back": max(at - 1, 0), "next": min(at + 1, len(line) - 1), "last": now}
        return line[steps.get(self.to, at)]


class Go(_Navigation):
    """Go to a move."""

    node: Number

    def _obey(self, session: Session, page: Page) -> None:
        session.tree.go(self.node)

    def _look_at(self, line: list[int], at: int, now: int) -> int:
        if self.node not in line:
            raise InputError("this move is no longer in the game")
        return self.node


class Undo(Action):
    """Take back a move."""

    who: ClassVar[Who] = Who.PLAYER
    setting_up: ClassVar[bool] = False

    def _permit_now(self, session: Session, role: Role) -> None:
        if not role.owner and not session.playing.on:
            raise InputError("no game is being played")  # outside a game, it removes moves of the owner's record
        if session.guest_sides() and (role.owner or session.playing.players == [None, None]):
            raise InputError("the other player must agree")

    def _obey(self, session: Session, page: Page) -> None:
        if session.tsume is not None:
            session.tsume.undo()
        else:
            session.playing.undo()


class _Editing(Action):
    setting_up: ClassVar[bool] = False

    def _permit_now(self, session: Session, role: Role) -> None:
        if session.playing.on:
            raise InputError("a game is being played")


class Delete(_Editing):
    """Delete the current move and those after it. A problem that began there is left."""

    def _obey(self, session: Session, page: Page) -> None:
        session.tree.remove(session.tree.node)
        if session.tsume is not None:
            session.tsume.close()  # the answer to a move that is gone is not needed
            if session.tsume.root in session.tree:
                session.tsume.wake()
            else:
                session.leave_modes()


class Promote(_Editing):
    """Make the variation on the board the main line."""

    def _obey(self, session: Session, page: Page) -> None:
        session.tree.promote(session.tree.node)
        session.analyses.read_record()


class Restore(_Editing):
    """Undo the last deletion."""

    def _obey(self, session: Session, page: Page) -> None:
        session.tree.restore()


class Comment(Action):
    """Comment on a move, by default the current one. What programs wrote there stays."""

    text: Annotated[str, Meta(max_length=2000)]
    node: Number | None = None

    def _obey(self, session: Session, page: Page) -> None:
        number = session.tree.node if self.node is None else self.node
        must_have(session, number)
        lines = (self.text, *of_programs(session.tree[number].comment))
        session.tree[number].comment = "\n".join(each for each in lines if each)


class Line(_Editing):
    """Add a line after a move, and go to its move number `go`, from 1; 0 does not move."""

    node: Number
    moves: Moves
    go: Annotated[int, Meta(ge=0, le=LINE_MAX)] = 0

    def _obey(self, session: Session, page: Page) -> None:
        must_have(session, self.node)
        numbers = session.tree.add_line(self.moves, self.node)
        if self.go:
            session.tree.go(numbers[min(self.go, len(numbers)) - 1])


class Preview(Question):
    """Draw the board after a line of moves."""

    who: ClassVar[Who] = Who.WATCHER
    node: Number
    moves: Moves

    def _obey(self, session: Session, page: Page) -> Reply:
        must_have(session, self.node)
        shown = session.tree.board_at(self.node)
        for each in self.moves:
            shown.push_text(each)
        svg = view.picture(shown, page.look, session.tree.game, areas=False)
        return replies.Preview(node=self.node, moves=self.moves, svg=svg)


# ---- two people who play each other by a link
#
# What one may not do alone is done when the other says yes to exactly that request. A request ends with the next move,
# with its answer, and while no page of who asked is there.


class Call(Action, tag="name"):
    """Tell the others who sits at this page."""

    who: ClassVar[Who] = Who.WATCHER
    name: PersonName

    def _obey(self, session: Session, page: Page) -> None:
        page.name = one_line(self.name)
        session.name_players()


class Ask(Action):
    """Ask the other player. Two who ask for a draw at the same instant have agreed."""

    who: ClassVar[Who] = Who.PLAYER
    what: Wish

    def _obey(self, session: Session, page: Page) -> None:
        side, now = the_side(session, page), session.asked
        if now is not None and now.side != side:
            if now.what != "draw" or self.what != "draw":
                raise InputError("answer first what the other player asks")
            session.grant(now)
            return
        if self.what == "undo":
            session.playing.count_back(side)
        session.request = Asked(self.what, side, session.playing.live)


class Consent(Action, tag="answer_to"):
    """Say yes or no to what the other player asks, of the game's move `node`; who asked can only say no."""

    who: ClassVar[Who] = Who.PLAYER
    what: Wish
    node: Number
    yes: bool

    def _obey(self, session: Session, page: Page) -> None:
        side, now = the_side(session, page), session.asked
        if now is None or (now.what, now.node) != (self.what, self.node):
            raise InputError("the other player does not ask for that any more")
        if self.yes and now.side == side:
            raise InputError("the other player must agree")
        session.request = None
        if self.yes:
            session.grant(now)


def the_side(session: Session, page: Page) -> int:
    """Return the side that a page plays against another person's. Raises ValueError if it plays none."""
    side = session.side_of(page)
    if side is None or session.playing.players != [None, None]:
        raise InputError("two people must be playing for that")
    return side


# ---- setting up


class SetUp(Action, tag="setup"):
    """Begin to set up a position, or end it: `keep` uses the new position."""

    on: bool
    keep: bool = True

    def _obey(self, session: Session, page: Page) -> Reply | None:
        if self.on:
            session.playing.leave()
            session.leave_modes()
            session.setup = set_up(session.tree.game, session.tree.board)
        elif session.setup is not None and self.keep:
            return open_record(session, GameRecord(session.tree.game, session.setup.text()))
        else:
            session.setup = None
        return None


class _Setting(Action):
    def _permit_now(self, session: Session, role: Role) -> None:
        if session.setup is None:
            raise InputError("no position is being set up")


class Put(_Setting):
    """Put a piece on a square, '' for none."""

    square: Annotated[str, Meta(max_length=3)]
    piece: Annotated[str, Meta(max_length=2)]

    def _obey(self, session: Session, page: Page) -> None:
        session.setup.put(self.square, self.piece)


class Hand(_Setting):
    """Set the number of pieces of a kind in a hand."""

    side: Side
    piece: Annotated[str, Meta(max_length=1)]
    count: Annotated[int, Meta(ge=0, le=18)]

    def _obey(self, session: Session, page: Page) -> None:
        session.setup.hand(self.side, self.piece, self.count)


class Turn(_Setting):
    """Set the side to move."""

    side: Side

    def _obey(self, session: Session, page: Page) -> None:
        session.setup.turn(self.side)


class Arrange(_Setting, tag="board"):
    """Set up the usual position, an empty board or one for tsume, swap the sides, or give white the other pieces."""

    which: Literal["start", "empty", "tsume", "swap", "rest"]

    def _obey(self, session: Session, page: Page) -> None:
        session.setup.arrange(self.which)
