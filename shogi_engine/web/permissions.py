"""What the pages of a session may do: its owner's everything, a guest's what the link allows.

While two people play, neither moves for the other, and the engine helps neither.
"""

from shogi_engine.language import InputError
from shogi_engine.web import messages
from shogi_engine.web.links import Role
from shogi_engine.web.messages import Message
from shogi_engine.web.parts import Parts

OF_WATCHERS = (
    messages.Look, messages.Resync, messages.Ping, messages.Preview, messages.Save, messages.Diagram,
)  # fmt: skip
OF_PLAYERS = (
    *OF_WATCHERS, messages.Move, messages.Undo, messages.Resign, messages.Declare, messages.Step, messages.Go,
)  # fmt: skip
HELP = (
    messages.Think, messages.Analyse, messages.Explore, messages.Judge, messages.Mate, messages.SetLevel,
)  # fmt: skip


def may_move(session: Parts, role: Role, side: int) -> bool:
    """Tell whether a page may move for a side now."""
    if not role.owner:
        return session.playing.on and side == role.side and session.playing.may_move(side)
    return side not in session.guest_sides() and session.playing.may_move(side)


def permit(session: Parts, role: Role, message: Message) -> None:
    """Raise ValueError if a page may not ask for this now. The session's lock is held."""
    if not role.owner and role.side is None and not isinstance(message, OF_WATCHERS):
        raise InputError("you are watching this game")
    if not role.owner and not isinstance(message, OF_PLAYERS):
        raise InputError("only the game's owner can do that")
    if session.tsume is not None and session.tsume.barred and isinstance(message, HELP):
        raise InputError("solve the problem first, or ask for the answer")
    if not role.owner and not session.playing.on and isinstance(message, messages.Undo):
        raise InputError("no game is being played")  # outside a game, it removes moves of the owner's record
    game = session.playing.game
    if game is None or not session.guest_sides():
        return
    if isinstance(message, messages.Step | messages.Go):
        raise InputError("while two people play, the board shows the last move")
    if isinstance(message, HELP):
        raise InputError("while two people play, the engine does not help")
    if isinstance(message, messages.Declare) and not may_move(session, role, game.turn):
        raise InputError("it is not your turn")
    if isinstance(message, messages.Undo) and not (
        may_move(session, role, 1 - game.turn) and not may_move(session, role, game.turn)
    ):
        raise InputError("only your own last move can be taken back")
