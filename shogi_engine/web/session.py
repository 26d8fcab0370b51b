"""Session: one user's board: a game, its analyses, and the pages that show them.

It does not depend on sockets or asyncio: `send` is called, from any thread, with each message to a page.
"""

import secrets
import threading
import time
from collections.abc import Callable
from typing import Any

from shogi_engine.analysis.analyst import Examiner
from shogi_engine.language import mark, translate
from shogi_engine.records import GameRecord
from shogi_engine.types.limits import Clock
from shogi_engine.web import replies, view
from shogi_engine.web.access import SESSION_BURST, SESSION_RATE, Bucket
from shogi_engine.web.analyses import Analyses
from shogi_engine.web.exercises import Learning, Tsume
from shogi_engine.web.links import Look, Receiver, Role, Viewer
from shogi_engine.web.playing import Playing
from shogi_engine.web.pool import EnginePool, Seat
from shogi_engine.web.saving import Autosave, Collections
from shogi_engine.web.store import Store
from shogi_engine.web.tree import Removed, Tree
from shogi_engine.web.view import Chosen, chosen_game


class Session:
    """One user's game, analyses and settings, shown by any number of pages.

    Args:
        pool: the engines
        examiner: `examiner(game, limits)` returns an examiner of positions
        store: where games are saved
        read: `read(content, name, number)` returns a game of a file
        collections: the games that can be explored; by default the user's own

    Attributes:
        identity: an unguessable name
        lock: held while the session is read or changed
        owner: who may list its games
        setup: the position that is being set up, or None
        removed: the last deletion
        write_fault: why the last write of the game failed, '' if it did not
        seen: when a page last left
    """

    def __init__(
        self,
        pool: EnginePool,
        examiner: Callable[[str, dict[str, int]], Any] = Examiner,
        game: str = "shogi",
        store: Store | None = None,
        read: Callable[[bytes, str, int], Chosen] = chosen_game,
        collections: Collections | None = None,
    ) -> None:
        self.pool, self.examiner, self.read = pool, examiner, read
        self.identity = secrets.token_urlsafe(18)
        self.owner = ""
        self.lock = threading.RLock()
        self.seat = Seat()
        self.bucket = Bucket(SESSION_RATE, SESSION_BURST)  # of the messages of all its owner's pages
        self.guest_bucket = Bucket(SESSION_RATE, SESSION_BURST)  # and of the guests'
        self.viewers: list[Viewer] = []
        self._seq = 0
        self._shown: dict[tuple[Look, Role], replies.State] = {}  # what pages of each look and role were sent last
        self._flipped = False
        self.tree = Tree(GameRecord(game))
        self.playing = Playing(self)
        self.analyses = Analyses(self)
        self.setup: Any = None
        self.tsume: Tsume | None = None
        self.learning = Learning(self)
        self.removed: Removed | None = None
        self.store, self.collections = store or Store(), collections or Collections()
        self.write_fault = ""
        self.autosave = Autosave(self, self.store)
        self.seen = time.monotonic()

    # ---- pages

    @property
    def attached(self) -> bool:
        """Whether a page shows the session."""
        return bool(self.viewers)

    @property
    def flipped(self) -> bool:
        """Whether the board is shown from white's side on pages that have not turned it."""
        return self._flipped

    @flipped.setter
    def flipped(self, flipped: bool) -> None:
        self._flipped = flipped
        for viewer in self.viewers:
            viewer.look = viewer.look._replace(flipped=flipped)

    def turn_board(self, flipped: bool) -> None:
        """Show the board from this side on the pages that will come."""
        self._flipped = flipped

    def attach(self, send: Receiver, token: str = "", address: str = "", **look: Any) -> Viewer:
        """Add a page and send it the whole state; `look` is as in Look, the rest as in Viewer."""
        with self.lock:
            viewer = Viewer(send, Look(**{"flipped": self._flipped, **look}), token, address)
            if (role := self.role_of(viewer)) is not None and role.side is not None:
                viewer.look = viewer.look._replace(flipped=self._is_turned(role.side))
            self.viewers.append(viewer)
            self.playing.wake()
            if self.tsume is not None:
                self.tsume.wake()
            self.show(viewer)
            self.analyses.follow()
            return viewer

    def role_of(self, viewer: Viewer) -> Role | None:
        """Return what a page may do, None if it may no longer show this game."""
        if not viewer.token:
            return Role()
        link = self.store.links.get(viewer.token)
        return link.role if link is not None and (link.kind == "own" or link.game == self.autosave.id) else None

    def guest_sides(self) -> set[int]:
        """Return the sides that guests play in the game that is being played."""
        return self.store.links.sides(self.autosave.id) if self.playing.on else set()

    def guests(self) -> list[Viewer]:
        """Return the pages that came by a link."""
        return [viewer for viewer in self.viewers if viewer.token]

    def dismiss_guests(self) -> None:
        """Dismiss the pages that may no longer show this game."""
        for viewer in [each for each in self.guests() if self.role_of(each) is None]:
            self.viewers.remove(viewer)
            viewer.send(replies.Dismissed())

    def _is_turned(self, side: int) -> bool:
        """Tell whether a player of a side sees the board from white's side."""
        return side == 1 and self.tree.game == "shogi"

    def detach(self, viewer: Viewer, now: float | None = None) -> None:
        """Remove a page. After the last one all searches end; a game in progress is unchanged."""
        with self.lock:
            if viewer in self.viewers:
                self.viewers.remove(viewer)
            if not self.viewers:
                self.seen = time.monotonic() if now is None else now
                self.rest()

    def rest(self) -> None:
        """End all searches."""
        self.analyses.close()
        self.learning.close()
        self.playing.rest()
        if self.tsume is not None:
            self.tsume.close()

    def close(self) -> bool:
        """Close the game; tell whether all of it is saved."""
        with self.lock:
            self.rest()
        return self.autosave.close()

    # ---- what pages are sent

    def send(self, reply: replies.Reply) -> None:
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

    def show(self, viewer: Viewer) -> None:
        """Send the whole state to a page."""
        role = self.role_of(viewer)
        if role is None:
            self.dismiss_guests()
            return
        self._seq += 1
        state = self._shown[viewer.look, role] = view.state(self, viewer.look, role, self._seq)
        viewer.shown = viewer.look, role, self._seq
        viewer.send(state)

    def changed(self) -> None:
        """Send all pages what has changed, analyse the position if it is another, and save the game."""
        self.autosave.changed()
        self.publish()
        self.analyses.follow()

    def publish(self) -> None:
        """Send all pages what has changed. It is found out once for all pages of a look and a role."""
        self.dismiss_guests()
        self._seq += 1
        before, self._shown = self._shown, {}
        deltas: dict[tuple[Look, Role], replies.Delta] = {}
        for viewer in self.viewers:
            role = self.role_of(viewer)
            if role is None:  # the link was revoked at this moment; the revoker dismisses the page
                continue
            sight = viewer.look, role
            if sight not in self._shown:
                self._shown[sight] = view.state(self, *sight, self._seq)
                if sight in before:
                    deltas[sight] = replies.delta(before[sight], self._shown[sight])
            has_last = sight in deltas and viewer.shown == (*sight, deltas[sight].base)
            viewer.shown = *sight, self._seq
            viewer.send(deltas[sight] if has_last else self._shown[sight])

    def tick(self) -> None:
        """Check the clock. Call this regularly."""
        if self.playing.on and self.attached:
            with self.lock:
                self.playing.tick()

    # ---- the game on the board

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

    def may_move(self, role: Role, side: int) -> bool:
        """Tell whether a page may move for a side now. While two people play, neither moves for the other."""
        if not role.owner:
            return self.playing.on and side == role.side and self.playing.may_move(side)
        return side not in self.guest_sides() and self.playing.may_move(side)

    def begin(
        self, players: list[int | None], setting: Clock | None, *, after: str = "", swapped: bool = False
    ) -> None:
        """Begin a game at the session's position.

        Args:
            after: the name of the game whose guests come along, '' for none
            swapped: they change sides
        """
        self.playing.begin(players, setting)
        if players.count(None) == 1:
            self.flipped = self._is_turned(players.index(None))
        if after and self.guests_of(after):
            self.autosave.changed()
            self.autosave.write()  # the links need the new game's name
            self.store.links.move(after, self.autosave.id, swapped=swapped)
        self.seat_guests()

    @property
    def links_owner(self) -> str:
        """The owner of the session's links: its user; for a user without a name, who shares nothing, the session."""
        return self.owner or self.identity

    def guests_of(self, game: str) -> bool:
        """Tell whether there are links to a game."""
        return any(link.game == game for link in self.store.links.of(self.links_owner, game))

    def seat_guests(self) -> None:
        """Show players by a link, and their opponents, the board from their side; the engine helps neither."""
        given = self.guest_sides()
        if given:
            self.analyses.stop()
        if len(given) != 1:
            return
        self.flipped = self._is_turned(1 - min(given))
        for viewer in self.guests():
            if (role := self.role_of(viewer)) is not None and role.side is not None:
                viewer.look = viewer.look._replace(flipped=self._is_turned(role.side))

    def open_record(self, record: GameRecord) -> str:
        """Replace this game by another; return the name of the game that was left, as `Autosave.leave` does.

        Raises ValueError for an invalid game; nothing has changed then.
        """
        tree = Tree(record)
        left = self.autosave.leave()
        self.replace(tree)
        return left

    def replace(self, tree: Tree) -> None:
        """Replace the game by a tree."""
        self.playing.leave()
        self.analyses.forget()
        self.leave_modes()
        self.tree, self.removed = tree, None
        self.playing = Playing(self)
        self.analyses.read_record()

    def leave_modes(self) -> None:
        """End setting up a position, and a problem."""
        self.setup = None
        if self.tsume is not None:
            self.tsume.close()
            self.tsume = None
