"""What a session does for each message of a page: a function for each, called with the session's lock held."""

import base64
import binascii
from typing import Any

from shogi_engine.analysis.annotation import of_programs
from shogi_engine.games.shogi.records import handicaps
from shogi_engine.language import InputError, translate
from shogi_engine.play.words import names_shown
from shogi_engine.records import GameRecord
from shogi_engine.tsume import problems as all_problems
from shogi_engine.types.clock import Clock
from shogi_engine.web import (  # noqa: F401  (four register their handlers)
    explorer,
    lesson_handlers,
    link_handlers,
    messages,
    record_handlers,
    replies,
    view,
)
from shogi_engine.web.autosave import OpenElsewhere
from shogi_engine.web.files import file_of
from shogi_engine.web.links import WATCHER
from shogi_engine.web.messages import Message
from shogi_engine.web.permissions import may_move, permit
from shogi_engine.web.playing import check_levels
from shogi_engine.web.registry import HANDLERS, UNLOCKED, handles, must_not_set_up
from shogi_engine.web.session import Session
from shogi_engine.web.setup import set_up
from shogi_engine.web.tsume import Tsume, problem_rows
from shogi_engine.web.viewer import Viewer

NOTES_MAX = 3  # of an opened game


def handle(session: Session, page: Viewer, message: Message) -> None:
    """Obey a message of a page. Raises ValueError for what cannot be done; nothing has changed then."""
    handler = HANDLERS[type(message)]
    with session.lock:
        role = session.role_of(page) if page in session.viewers else None
        if role is None:
            raise InputError("this page no longer shows the game")
        permit(session, role, message)
        if type(message) not in UNLOCKED:
            handler(session, page, message)
            return
    handler(session, page, message)


# ---- the page


@handles(messages.Ping)
def ping(session: Session, page: Viewer, message: messages.Ping) -> None:
    """Answer."""
    page.send(replies.Pong())


@handles(messages.Resync)
def resync(session: Session, page: Viewer, message: messages.Resync) -> None:
    """Send the whole state to a page that has missed a change."""
    session.show(page)


@handles(messages.Look)
def look(session: Session, page: Viewer, message: messages.Look) -> None:
    """Change how this page shows the board."""
    page.look = page.look._replace(**message.given())
    if not page.token:
        session.turn_board(page.look.flipped)
    session.show(page)
    session.analyses.repeat()


# ---- games


def open_record(session: Session, page: Viewer, record: GameRecord) -> None:
    """Replace the game, and tell the page which one was left."""
    left = session.open_record(record)
    session.changed()
    tell_left(page, left)


def tell_left(page: Viewer, left: str) -> None:
    """Tell the page that asked which game was left, so that the user can return to it."""
    if left:
        page.send(replies.Left(id=left))


@handles(messages.Board)
def board(session: Session, page: Viewer, message: messages.Board) -> None:
    """Begin with an empty board."""
    open_record(session, page, GameRecord(message.game))


@handles(messages.New)
def new(session: Session, page: Viewer, message: messages.New) -> None:
    """Begin a game."""
    game, left = message.game, ""
    setting = Clock.parse(message.clock) if message.clock else None
    check_levels(game, message.players)
    if message.handicap and game != "shogi":
        raise InputError("handicaps are for shogi")
    if not message.here or game != session.tree.game:
        start = handicaps.handicap(message.handicap) if message.handicap else ""
        before, left = session.autosave.id, session.open_record(GameRecord(game, start))
    else:
        before = ""
    session.leave_modes()
    session.begin(message.players, setting, after=before)
    tell_left(page, left)


@handles(messages.Rematch)
def rematch(session: Session, page: Viewer, message: messages.Rematch) -> None:
    """Begin a new game like the last one, with sides swapped in an even game."""
    play, start = session.playing, session.tree.record.start
    if play.on or play.outcome is None:
        raise InputError("no game has been played")
    players, setting = list(play.players), play.clock.setting
    even = start == GameRecord(session.tree.game).start
    if even:
        players.reverse()
    before, left = session.autosave.id, session.open_record(GameRecord(session.tree.game, start))
    session.begin(players, setting, after=before, swapped=even)
    tell_left(page, left)


@handles(messages.Resign)
def resign(session: Session, page: Viewer, message: messages.Resign) -> None:
    """Resign."""
    role, guests = session.role_of(page), session.guest_sides()
    side = role.side if role is not None else None
    if side is None and len(guests) == 1:
        side = 1 - min(guests)
    session.playing.resign(side)
    session.changed()


@handles(messages.Declare)
def declare(session: Session, page: Viewer, message: messages.Declare) -> None:
    """Declare a win."""
    session.playing.declare()
    session.changed()


@handles(messages.Think)
def think(session: Session, page: Viewer, message: messages.Think) -> None:
    """Let the engine make a move."""
    must_not_set_up(session)
    session.playing.think()
    session.changed()


@handles(messages.Stop)
def stop(session: Session, page: Viewer, message: messages.Stop) -> None:
    """End the game and all searches."""
    session.analyses.stop()
    session.playing.leave()
    session.leave_modes()
    session.changed()


@handles(messages.SetLevel)
def set_level(session: Session, page: Viewer, message: messages.SetLevel) -> None:
    """Change the engine's level."""
    session.playing.set_level(message.side, message.level)
    session.changed()


@handles(messages.Kept)
def kept(session: Session, page: Viewer, message: messages.Kept) -> None:
    """Send the list of the user's games, or of those that are searched for."""
    send_kept(session, page, message.text, message.result)


def send_kept(session: Session, page: Viewer, text: str = "", result: str = "") -> None:
    """Send the list of the user's games that `Store.games` finds."""
    games = session.autosave.games(session.owner, text, result)
    page.send(replies.Kept(games=[{**each, "title": names_shown(each["title"], page.language)} for each in games]))


@handles(messages.Continue)
def open_kept(session: Session, page: Viewer, message: messages.Continue) -> None:
    """Open one of the user's games, or send the page to the session that has it open."""
    try:
        left = session.autosave.open(message.id, session.owner)
    except OpenElsewhere as elsewhere:
        page.send(replies.Join(session=elsewhere.identity))
        return
    session.playing.wake()
    session.changed()
    tell_left(page, left)


@handles(messages.Forget)
def forget(session: Session, page: Viewer, message: messages.Forget) -> None:
    """Delete one of the user's games."""
    session.autosave.delete(message.id, session.owner)
    session.dismiss_guests()
    send_kept(session, page)


@handles(messages.Recall)
def recall(session: Session, page: Viewer, message: messages.Recall) -> None:
    """Bring a deleted game back."""
    session.store.restore(message.id, session.owner)
    send_kept(session, page)


# ---- moves


def must_not_play(session: Session) -> None:
    """Raise ValueError during a game and while a position is being set up."""
    must_not_set_up(session)
    if session.playing.on:
        raise InputError("a game is being played")


def must_have(session: Session, node: int) -> None:
    """Raise ValueError if the game has no such move."""
    if node not in session.tree:
        raise InputError("this move is no longer in the game")


@handles(messages.Move)
def move(session: Session, page: Viewer, message: messages.Move) -> None:
    """Make a move."""
    must_not_set_up(session)
    tree, tsume = session.tree, session.tsume
    if not may_move(session, session.role_of(page) or WATCHER, int(tree.board.turn)):
        raise InputError("it is not your turn")
    text = tree.legal(message.move)
    if tsume is not None:
        tsume.check_move(text)
    session.playing.move(text)
    if tsume is not None:
        tsume.moved(tree.node)
    session.changed()


@handles(messages.Step)
def step(session: Session, page: Viewer, message: messages.Step) -> None:
    """Step through the line on the board, or to an alternative of the current move."""
    must_not_set_up(session)
    session.tree.step(message.to)
    session.changed()


@handles(messages.Go)
def go(session: Session, page: Viewer, message: messages.Go) -> None:
    """Go to a move."""
    must_not_set_up(session)
    session.tree.go(message.node)
    session.changed()


@handles(messages.Undo)
def undo(session: Session, page: Viewer, message: messages.Undo) -> None:
    """Take back a move."""
    must_not_set_up(session)
    if session.tsume is not None:
        session.tsume.undo()
    else:
        session.playing.undo()
    session.changed()


@handles(messages.Delete)
def delete(session: Session, page: Viewer, message: messages.Delete) -> None:
    """Delete the current move and those after it. A problem that began there is left."""
    must_not_play(session)
    session.removed = session.tree.remove(session.tree.node)
    if session.tsume is not None:
        session.tsume.close()  # the answer to a move that is gone is not needed
        if session.tsume.root in session.tree:
            session.tsume.wake()
        else:
            session.leave_modes()
    session.changed()


@handles(messages.Promote)
def promote(session: Session, page: Viewer, message: messages.Promote) -> None:
    """Make the variation on the board the main line."""
    must_not_play(session)
    session.tree.promote(session.tree.node)
    session.analyses.read_record()
    session.changed()


@handles(messages.Restore)
def restore(session: Session, page: Viewer, message: messages.Restore) -> None:
    """Undo the last deletion of moves."""
    if session.removed is None:
        raise InputError("there is nothing to undo")
    must_not_play(session)
    removed, session.removed = session.removed, None
    session.tree.go(session.tree.put_back(removed))
    session.changed()


@handles(messages.Comment)
def comment(session: Session, page: Viewer, message: messages.Comment) -> None:
    """Comment on a move. What programs wrote there stays."""
    tree = session.tree
    number = tree.node if message.node is None else message.node
    must_have(session, number)
    lines = (message.text, *of_programs(tree[number].comment))
    tree[number].comment = "\n".join(each for each in lines if each)
    session.changed()


@handles(messages.Line)
def line(session: Session, page: Viewer, message: messages.Line) -> None:
    """Add a line of moves, and go to one of them if asked to."""
    must_not_play(session)
    must_have(session, message.node)
    numbers = session.tree.add_line(message.moves, message.node)
    if message.go:
        session.tree.go(numbers[min(message.go, len(numbers)) - 1])
    session.changed()


@handles(messages.Preview)
def preview(session: Session, page: Viewer, message: messages.Preview) -> None:
    """Draw the board after a line of moves."""
    must_have(session, message.node)
    shown = session.board_at(message.node)
    for each in message.moves:
        shown.push_text(each)
    svg = view.picture(shown, page.look, session.tree.game, areas=False)
    page.send(replies.Preview(node=message.node, moves=message.moves, svg=svg))


# ---- analyses


@handles(messages.Analyse)
def analyse(session: Session, page: Viewer, message: messages.Analyse) -> None:
    """Switch live analysis on or off."""
    analyses = session.analyses
    analyses.on, analyses.multipv = message.on, message.multipv or analyses.multipv
    analyses.restart()
    session.changed()


@handles(messages.Judge)
def judge(session: Session, page: Viewer, message: messages.Judge) -> None:
    """Judge every move of the game, or stop it."""
    if message.on:
        session.analyses.judge(message.effort)
    else:
        session.analyses.stop_judging()
    session.changed()


@handles(messages.Mate)
def mate(session: Session, page: Viewer, message: messages.Mate) -> None:
    """Look for a mate."""
    must_not_set_up(session)
    session.analyses.find_mate()
    if session.tsume is not None:
        session.tsume.helped = True
    session.changed()


@handles(messages.Solve)
def solve(session: Session, page: Viewer, message: messages.Solve) -> None:
    """Solve a problem, or leave it."""
    if not message.on:
        session.leave_modes()
        session.changed()
        return
    left = ""
    if message.problem:
        if message.problem > len(all_problems()):
            raise InputError("there is no such problem")
        left = session.open_record(GameRecord("shogi", all_problems()[message.problem - 1].sfen))
        session.flipped = False
    tree = session.tree
    if tree.game != "shogi":
        raise InputError("tsume is for shogi")
    must_not_set_up(session)
    shown = session.board_at(tree.node)
    if shown.king_squares[1 - shown.turn] is None:
        raise InputError("the side to be mated has no king")
    session.playing.leave()
    session.leave_modes()
    session.tsume = Tsume(session, tree.node, tree.ply, progress=session.store.progress(session.owner))
    session.tsume.begin()
    session.changed()
    tell_left(page, left)


@handles(messages.Problems)
def problems(session: Session, page: Viewer, message: messages.Problems) -> None:
    """Send the list of problems."""
    page.send(problem_rows(session.store.progress(session.owner)))


@handles(messages.Hint)
def hint(session: Session, page: Viewer, message: messages.Hint) -> None:
    """Send the next move of the problem."""
    if session.tsume is None:
        raise InputError("no problem is being solved")
    session.tsume.hint()


# ---- records


@handles(messages.Open, locked=False)
def open_file(session: Session, page: Viewer, message: messages.Open) -> None:
    """Open a game of a file."""
    try:
        content = base64.b64decode(message.data, validate=True)
    except (binascii.Error, ValueError):
        raise InputError("the file is incomplete") from None
    open_content(session, page, content, message.name, message.number)


@handles(messages.Paste, locked=False)
def paste(session: Session, page: Viewer, message: messages.Paste) -> None:
    """Open a game of a text."""
    open_content(session, page, message.text.encode(), "", message.number)


def open_content(session: Session, page: Viewer, content: bytes, name: str, number: int) -> None:
    """Open a game of a file's content. Others are served while it is read."""
    chosen, titles = session.read(content, name, number)
    with session.lock:
        open_record(session, page, chosen)
        if said := chosen.notes[:NOTES_MAX] + [str(each) for each in [chosen.fault] if each is not None]:
            page.send(replies.Error(text="; ".join(translate(each, page.language) for each in said)))
        if len(titles) > 1:
            page.send(replies.Games(titles=[names_shown(each, page.language) for each in titles], number=number))


@handles(messages.Save)
def save(session: Session, page: Viewer, message: messages.Save) -> None:
    """Send the game as a file."""
    page.send(file_of(session.analyses.annotated(page.language), message.format))


# ---- setting up


@handles(messages.SetUp)
def set_up_position(session: Session, page: Viewer, message: messages.SetUp) -> None:
    """Begin to set up a position, or end it."""
    if message.on:
        session.playing.leave()
        session.leave_modes()
        session.setup = set_up(session.tree.game, session.tree.board)
    elif session.setup is not None and message.keep:
        open_record(session, page, GameRecord(session.tree.game, session.setup.text()))
        return
    else:
        session.setup = None
    session.changed()


def edited(session: Session) -> Any:
    """Return the position that is being set up. Raises ValueError if there is none."""
    if session.setup is None:
        raise InputError("no position is being set up")
    return session.setup


@handles(messages.Put)
def put(session: Session, page: Viewer, message: messages.Put) -> None:
    """Put a piece on a square."""
    edited(session).put(message.square, message.piece)
    session.changed()


@handles(messages.Hand)
def hand(session: Session, page: Viewer, message: messages.Hand) -> None:
    """Set the number of pieces of a kind in a hand."""
    edited(session).hand(message.side, message.piece, message.count)
    session.changed()


@handles(messages.Turn)
def turn(session: Session, page: Viewer, message: messages.Turn) -> None:
    """Set the side to move."""
    edited(session).turn(message.side)
    session.changed()


@handles(messages.Arrange)
def arrange(session: Session, page: Viewer, message: messages.Arrange) -> None:
    """Set up a board at once."""
    edited(session).arrange(message.which)
    session.changed()
