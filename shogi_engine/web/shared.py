"""The state that all parts of a session share: the tree of moves, the engines, the pages."""

import threading
from collections.abc import Callable
from typing import Any

from shogi_engine.language import mark, translate
from shogi_engine.web import replies
from shogi_engine.web.pool import EnginePool, Job, Seat, Turn
from shogi_engine.web.replies import Reply
from shogi_engine.web.tree import Removed, Tree
from shogi_engine.web.viewer import Viewer


class Shared:
    """A user's game, as the parts of a session use it.

    Attributes:
        pool: the engines
        examiner: `examiner(game, limits)` returns an examiner of positions
        identity: an unguessable name
        lock: held while the session is read or changed
        owner: who may list its games
        setup: the position that is being set up, or None
        removed: the last deletion
    """

    pool: EnginePool
    examiner: Callable[[str, dict[str, int]], Any]
    identity: str
    owner: str
    lock: "threading.RLock"
    seat: Seat
    viewers: list[Viewer]
    tree: Tree
    setup: Any
    removed: Removed | None

    @property
    def board(self) -> Any:
        """The Board that is shown."""
        return self.tree.board if self.setup is None else self.setup.board

    def board_at(self, number: int) -> Any:
        """Return a new Board with the moves to a node."""
        board = self.tree.record.board(0)
        for move in self.tree.moves(number):
            board.push_text(move)
        return board

    def search_at(
        self,
        number: int,
        work: Callable[[Any, Job], None],
        failed: Callable[[Job, BaseException], None],
        turn: Turn,
    ) -> Job:
        """Queue `work(engine, job)` for an engine with a node's position on its board."""
        start, moves = self.tree.record.start, self.tree.moves(number)

        def placed(engine: Any, job: Job) -> None:
            engine.set_position(start, moves)
            work(engine, job)

        return self.pool.submit(Job(self.tree.game, placed, failed, self.seat, turn))

    def send(self, reply: Reply) -> None:
        """Send a message to all pages."""
        for viewer in self.viewers:
            viewer.send(reply)

    def tell(self, text: str) -> None:
        """Send an error to all pages, each in its language."""
        for viewer in self.viewers:
            viewer.send(replies.Error(text=translate(text, viewer.language)))

    def failed(self, what: str) -> None:
        """Tell the pages that a search has failed; the user may ask again."""
        for viewer in self.viewers:
            text = translate(mark("the engine failed; please try again"), viewer.language)
            viewer.send(replies.Failed(what=what, text=text))
        self.changed()

    def changed(self) -> None:
        """Send all pages what has changed, analyse the position if it is another, and save the game."""
        raise NotImplementedError
