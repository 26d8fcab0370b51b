"""Session: one user's board: a game, its analyses, and the pages that show them.

It does not depend on sockets or asyncio: `send` is called, from any thread, with each message to a page.
"""

import secrets
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from msgspec.structs import replace

from shogi_engine.analysis.analyst import PositionAnalyser
from shogi_engine.analysis.report import copied, own_words
from shogi_engine.common.threads import begun
from shogi_engine.language import InputError, mark, translate
from shogi_engine.play.words import names_shown
from shogi_engine.records import GameRecord
from shogi_engine.records.jsonl import values_of
from shogi_engine.records.tree import one_line
from shogi_engine.tsume import Progress
from shogi_engine.types.limits import Clock
from shogi_engine.web import replies, view
from shogi_engine.web.access import PATIENCE_SECONDS, SESSION_BURST, SESSION_RATE, Bucket
from shogi_engine.web.analyses import Analyses
from shogi_engine.web.exercises import Learning, Lesson, Tsume
from shogi_engine.web.links import Page, Receiver, Viewers, ViewOptions
from shogi_engine.web.playing import Playing
from shogi_engine.web.pool import EnginePool, Engines, Priority, SearchSlot
from shogi_engine.web.replies import Asked, Person, Role
from shogi_engine.web.saving import HANGS, Autosave, Collections, SavedGame, head_of, reason_of
from shogi_engine.web.store import GameStore, Head
from shogi_engine.web.tree import Tree
from shogi_engine.web.view import Chosen, chosen_game


class Session:
    """One user's game, analyses and settings, shown by any number of pages.

    It alone has its parts; they know each other only as far as it tells them.

    Args:
        pool: the engines
        examiner: `examiner(game, limits)` returns an examiner of positions
        store: where games are saved
        owner: who may list its games
        identity: an unguessable name; by default a new one
        read: `read(content, name, number)` returns a game of a file
        collections: the games that can be explored; by default the user's own

    Attributes:
        lock: held while the session is read or changed
        flipped: whether the board is shown from white's side on pages that come; see `turn_board`
        setup: the position that is being set up, or None
        request: what one of two people asked of the other last; `asked` tells whether it still stands
        file: the name of the file that the game was opened from, without its ending, '' for none
        seen: when a page last left
    """

    def __init__(
        self,
        pool: EnginePool,
        examiner: Callable[[str, dict[str, int]], Any] = PositionAnalyser,
        store: GameStore | None = None,
        owner: str = "",
        identity: str = "",
        read: Callable[[bytes, str, int], Chosen] = chosen_game,
        collections: Collections | None = None,
    ) -> None:
        self.pool, self.read = pool, read
        self.owner, self.identity = owner, identity or secrets.token_urlsafe(18)
        self.lock = threading.RLock()
        self.engines = Engines(pool, self.lock, self.changed, self._failed)
        self.bucket = Bucket(SESSION_RATE, SESSION_BURST)  # of the messages of all its owner's pages
        self.guest_bucket = Bucket(SESSION_RATE, SESSION_BURST)  # and of the guests'
        self.viewers = Viewers()
        self._seq = 0
        self._shown: dict[
            tuple[ViewOptions, Role], replies.State
        ] = {}  # what pages of each look and role were sent last
        self.flipped = False
        self.tree = Tree(GameRecord("shogi"))
        self.playing = Playing(self.tree, self.engines, examiner)
        self.analyses = Analyses(self.tree, self.engines, self.viewers, examiner)
        self.setup: Any = None
        self.request: Asked | None = None
        self.file = ""
        self.tsume: Tsume | None = None
        self.learning = Learning(self.engines, self.viewers)
        self.hints = SearchSlot(self.engines, "hint", Priority.SEARCH)
        self.store, self.collections = store or GameStore(), collections or Collections()
        self.autosave = Autosave(
            self.store, self.lock, self.owner, self.identity, self._to_save, self._record_to_save, self._told_of_saving
        )
        self.seen = time.monotonic()

    # ---- pages

    def turn_board(self, flipped: bool) -> None:
        """Show the board from this side on all pages."""
        self.flipped = flipped
        for viewer in self.viewers:
            viewer.look = viewer.look._replace(flipped=flipped)

    def attach(self, send: Receiver, token: str = "", address: str = "", name: str = "", **look: Any) -> Page:
        """Add a page and send it the whole state; `look` is as in ViewOptions, the rest as in Page."""
        with self.lock:
            viewer = Page(send, ViewOptions(**{"flipped": self.flipped, **look}), token, address, one_line(name))
            if (role := self.role_of(viewer)) is not None and role.side is not None:
                viewer.look = viewer.look._replace(flipped=self._is_turned(role.side))
            self.viewers.append(viewer)
            self.name_players()
            self.playing.wake()
            if self.tsume is not None:
                self.tsume.wake()
            if self.guests():  # the others see who has come
                self.publish()
            else:
                self.show(viewer)
            self.analyses.follow(self.setup is None)
            return viewer

    def check_alone(self) -> None:
        """Raise ValueError if two people play: the engine helps neither."""
        if self.guest_sides():
            raise InputError("while two people play, the engine does not help")

    def role_of(self, viewer: Page) -> Role | None:
        """Return what a page may do, None if it may no longer show this game."""
        if not viewer.token:
            return Role()
        link = self.store.links.get(viewer.token)
        return link.role if link is not None and (link.kind == "own" or link.game == self.autosave.id) else None

    def guest_sides(self) -> set[int]:
        """Return the sides that guests play in the game that is being played."""
        return self.store.links.sides(self.autosave.id) if self.playing.on else set()

    def side_of(self, viewer: Page) -> int | None:
        """Return the side that a page plays in a game with guests, None for none."""
        role, guests = self.role_of(viewer), self.guest_sides()
        if role is None or not guests:
            return None
        if not role.owner:
            return role.side
        return next((side for side in (0, 1) if side not in guests and self.playing.players[side] is None), None)

    def name_players(self) -> None:
        """Write the names of two people who play each other into the record."""
        for viewer in self.viewers:
            if viewer.name and (side := self.side_of(viewer)) is not None:
                self.tree.record.names[side] = viewer.name

    def people(self) -> list[Person]:
        """Return who is here, if anyone but the owner is; pages of one player are one person."""
        roles = [(viewer, self.role_of(viewer)) for viewer in self.viewers]
        found = [Person(viewer.name, self.side_of(viewer), role.owner) for viewer, role in roles if role is not None]
        unknown = Person("", None, owner=False)  # watchers without a name are several
        some = [each for at, each in enumerate(found) if each not in found[:at] or each == unknown]
        return [] if all(each.owner for each in some) else some

    @property
    def asked(self) -> Asked | None:
        """What one of two people asks of the other, until the next move, and while a page of that side is here."""
        request = self.request
        if request is None or not self.playing.on or self.playing.live != request.node:
            return None
        return request if any(self.side_of(each) == request.side for each in self.viewers) else None

    def grant(self, request: Asked) -> None:
        """Do what the other player has agreed to."""
        self.request = None
        if request.what == "draw":
            self.playing.agree()
        else:
            self.playing.undo(request.side)

    def guests(self) -> list[Page]:
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

    def detach(self, viewer: Page, now: float | None = None) -> None:
        """Remove a page. After the last one all searches end; a game in progress is unchanged."""
        with self.lock:
            if viewer in self.viewers:
                self.viewers.remove(viewer)
            if self.guests() or viewer.token:
                self.publish()
            if not self.viewers:
                self.seen = time.monotonic() if now is None else now
                self.rest()

    def rest(self) -> None:
        """End all searches."""
        self.analyses.close()
        self.learning.close()
        self.hints.cancel()
        self.playing.rest()
        if self.tsume is not None:
            self.tsume.close()

    def close(self) -> bool:
        """Close the game; tell whether all of it is saved."""
        with self.lock:
            self.rest()
        return self.autosave.close()

    # ---- what pages are sent

    def _failed(self, what: str) -> None:
        """Tell the pages that a search has failed; the user may ask again."""
        text = mark("the engine failed; please try again")
        self.viewers.send(lambda look: replies.Failed(what=what, text=translate(text, look.language)))
        self.changed()

    def show(self, viewer: Page) -> None:
        """Send the whole state to a page."""
        role = self.role_of(viewer)
        if role is None:
            self.dismiss_guests()
            return
        self._seq += 1
        state = self._shown[viewer.look, role] = self._state(viewer.look, role)
        viewer.shown = viewer.look, role, self._seq
        viewer.send(state)

    def changed(self) -> None:
        """Send all pages what has changed, analyse the position if it is another, and save the game."""
        self.autosave.changed()
        self.publish()
        self.analyses.follow(self.setup is None)

    def publish(self) -> None:
        """Send all pages what has changed. It is found out once for all pages of a look and a role."""
        self.dismiss_guests()
        self._seq += 1
        before, self._shown = self._shown, {}
        deltas: dict[tuple[ViewOptions, Role], replies.Delta] = {}
        for viewer in self.viewers:
            role = self.role_of(viewer)
            if role is None:  # the link was revoked at this moment; the revoker dismisses the page
                continue
            sight = viewer.look, role
            if sight not in self._shown:
                self._shown[sight] = self._state(*sight)
                if sight in before:
                    deltas[sight] = replies.delta(before[sight], self._shown[sight])
            has_last = sight in deltas and viewer.shown == (*sight, deltas[sight].base)
            viewer.shown = *sight, self._seq
            viewer.send(deltas[sight] if has_last else self._shown[sight])

    def _state(self, look: ViewOptions, role: Role) -> replies.State:
        """Return all that the pages of a look and a role show. Guests learn no secrets."""
        tree, board, language, analyses, tsume = self.tree, self.board, look.language, self.analyses, self.tsume
        game, turn, record, normal = tree.game, int(board.turn), tree.record, self.setup is None
        outcome = tree.board.outcome() if normal else None
        may_move = normal and outcome is None and self.may_move(role, turn)
        return replies.State(
            seq=self._seq,
            session=self.identity if role.owner else "",
            game=game,
            language=language,
            flipped=look.flipped,
            narrow=look.narrow,
            pieces=look.pieces,
            svg=view.picture(board, look, game),
            turn=turn,
            position=board.position(),
            check=game == "shogi" and normal and board.king_squares[turn] is not None and bool(board.is_check()),
            targets=view.targets(game, board) if may_move else {},
            labels=view.labels(game, board, language),
            counts=[board.count(0), board.count(1)] if game == "othello" else None,
            ply=tree.ply,
            node=tree.node,
            branch=tree.branch(),
            line=view.line(tree, analyses, language),
            last=tree.at.move,
            before=tree.parent(tree.node),
            comment=own_words(tree.at.comment),
            title=names_shown(view.title(record), language),
            names=list(record.names),
            about=view.about(record) if role.owner else {},
            handicap=view.handicap(record, language),
            ended=view.ended(tree.outcome(), tree, language),
            playing=view.playing(self.playing, outcome, tree, language),
            may_declare=self.playing.on and may_move and getattr(board, "can_declare_win", bool)(),
            analysis=replies.Live(analyses.on, analyses.multipv),
            judging=analyses.progress,
            mating=analyses.mating,
            verdict=analyses.verdict(tree.node, look),
            warning=analyses.warning(self.playing.live, self.playing.warning, look),
            summary=analyses.summary(),
            setup=None if normal else view.hands(board),
            tsume=tsume.state(language) if tsume else None,
            learn=self._learn(role),
            role=role,
            guests=sorted(self.guest_sides()),
            people=self.people(),
            asked=self.asked,
            removed=tree.removed is not None and role.owner,
            kept=self.store.folder is not None and role.owner,
            unsaved=translate(self.autosave.fault, language) if self.autosave.fault and role.owner else "",
            formats=view.formats(game),
            engine=replies.EngineState(game in self.pool.ready, self.pool.fault),
        )

    def _learn(self, role: Role) -> Literal["", "ready", "making"]:
        """Return whether problems can be made of the game's mistakes: 'ready', 'making' while that is done, else ''."""
        if not role.owner or self.store.folder is None:
            return ""
        return "making" if self.learning.on else "ready" if self.analyses.is_judged else ""

    def tick(self) -> None:
        """Check the clock and the disk, unless the session is busy: others wait for it. Call this regularly."""
        if self.viewers and self.lock.acquire(blocking=False):
            try:
                self.autosave.watch(time.monotonic())
                if self.playing.on and self.playing.tick():
                    self.changed()
            finally:
                self.lock.release()

    # ---- the game on the board

    @property
    def board(self) -> Any:
        """The Board that is shown."""
        return self.tree.board if self.setup is None else self.setup.board

    def may_move(self, role: Role, side: int) -> bool:
        """Tell whether a page may move for a side now. While two people play, neither moves for the other."""
        if not role.owner:
            return self.playing.on and side == role.side and self.playing.may_move(side)
        return side not in self.guest_sides() and self.playing.may_move(side)

    def begin(
        self,
        players: list[int | None],
        setting: Clock | None,
        *,
        coach: bool = False,
        after: str = "",
        swapped: bool = False,
    ) -> None:
        """Begin a game at the session's position.

        Args:
            coach: whether the engine stops at the human's blunders
            after: the name of the game whose guests come along, '' for none; they do not if the disk refuses or hangs
            swapped: they change sides
        """
        self.request = None
        self.playing.begin(players, setting, coach=coach)
        if players.count(None) == 1:
            self.turn_board(self._is_turned(players.index(None)))
        if after and any(link.game == after for link in self.store.links.of(self.links_owner, after)):
            self.autosave.changed()
            self.autosave.write(patience=PATIENCE_SECONDS)  # the links need the new game's name
            new, said = self.autosave.id, self.autosave.fault or HANGS
            if new:
                moved = begun(partial(self.store.links.move, after, new, swapped=swapped), PATIENCE_SECONDS)
                fault = moved.exception() if moved.done() else OSError(HANGS)
                said = reason_of(fault) if fault else ""
            if said:  # the guests stay with the game before
                self.viewers.tell(said)
        self.seat_guests()

    @property
    def links_owner(self) -> str:
        """The owner of the session's links: its user; for a user without a name, who shares nothing, the session."""
        return self.owner or self.identity

    def seat_guests(self) -> None:
        """Show players by a link, and their opponents, the board from their side; the engine helps neither."""
        given = self.guest_sides()
        self.name_players()
        if given:
            self.analyses.stop()
        if len(given) != 1:
            return
        self.turn_board(self._is_turned(1 - min(given)))
        for viewer in self.guests():
            if (role := self.role_of(viewer)) is not None and role.side is not None:
                viewer.look = viewer.look._replace(flipped=self._is_turned(role.side))

    def open_record(self, record: GameRecord) -> str:
        """Replace this game by another; return the name of the game that was left, as `Autosave.leave` does.

        Raises ValueError for an invalid game; nothing has changed then.
        """
        tree = Tree(record)
        left = self.autosave.leave(self.is_forgotten)
        self._replace(tree)
        return left

    def open_saved(self, id: str) -> str:
        """Continue one of the owner's saved games; return the name of the game that was left, '' if there was none.

        It is read without the session's lock, unless the caller holds it. Raises OpenElsewhere, OSError, and ValueError
        if there is no such game.
        """
        with self.autosave.opening(id) as found:
            if found is None:
                return ""
            if isinstance(found, GameRecord):  # the terminal's: continued in place, there is no second one in the list
                saved, tree = None, Tree(found)
            else:
                saved = SavedGame.parse(found)
                tree = saved.tree()
            progress = self.store.progress(self.owner) if saved and saved.problem else None
            with self.lock:
                left = self.autosave.leave(self.is_forgotten)
                self._restore(tree, saved, progress)
                self.autosave.take(id)
                self.autosave.changed()  # it now belongs to this session
        return left

    def _restore(self, tree: Tree, saved: SavedGame | None, progress: Progress | None) -> None:
        """Continue a saved game, paused until a page shows it; None for a tree alone."""
        self._replace(tree)
        if saved is None:
            return
        self.analyses.restore(saved.analyses)
        if saved.play:
            self.playing.restore(saved.play)
        self.turn_board(saved.flipped)
        if saved.problem:
            self.tsume = Tsume(tree, self.engines, self.viewers, saved.problem.root, progress=progress)
            self.tsume.restore(saved.problem)

    def _replace(self, tree: Tree) -> None:
        """Replace the game by a tree."""
        self.file = ""
        self.playing.leave()
        self.leave_modes()
        self.tree = tree
        self.playing = Playing(tree, self.engines, self.analyses.examiner)
        self.analyses.replace(tree)

    def leave_modes(self) -> None:
        """End setting up a position, a problem, and the search for a hint."""
        self.setup = None
        self.hints.cancel()
        if self.tsume is not None:
            self.tsume.close()
            self.tsume = None

    # ---- saving

    @property
    def is_forgotten(self) -> bool:
        """Whether a problem of the collection or a lesson is on the board, which is forgotten when it is left."""
        return isinstance(self.tsume, Lesson) or self.tsume is not None and self.tsume.problem is not None

    def _to_save(self) -> tuple[Head, SavedGame] | None:
        """Return the game and what the list says about it; None for an empty board, and for a lesson's.

        The game that a lesson has left comes back after it.
        """
        tree, tsume, saves = self.tree, self.tsume, self.autosave
        known = saves.id or saves.wanted or self.playing.on or tree.record != GameRecord(tree.game)
        if not known or isinstance(tsume, Lesson):
            return None
        place = {number: index for index, number in enumerate(tree.preorder())}
        saved = SavedGame(
            game=values_of(tree.record),
            node=place[tree.node],
            flipped=self.flipped,
            play=self.playing.saved(place),
            problem=tsume.saved(place) if tsume else None,
            analyses=self.analyses.saved(place),
        )
        return replace(head_of(tree.record), playing=self.playing.on, hidden=self.is_forgotten), saved

    def _record_to_save(self) -> GameRecord | None:
        """Return a copy of the record, None for a problem's."""
        return None if self.is_forgotten else copied(self.tree.record)

    def _told_of_saving(self) -> None:
        """Show the pages that the game cannot be saved, or is saved again."""
        with self.lock:
            if self.autosave.fault:
                self.viewers.tell(self.autosave.fault)
            self.publish()
