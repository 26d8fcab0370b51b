"""Saves a session's game: written at every change, closed when another game begins, opened again later.

A page is shown a change when it is on disk; only if writing is slow, as it is for thousands of moves or on a disk
that hangs, it is written soon afterwards. `done` is never said before.
"""

import contextlib
import logging
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, Self

import msgspec
from msgspec.structs import astuple

from shogi_engine import records
from shogi_engine.analysis.analyst import finding_of
from shogi_engine.common.files import status_of_file
from shogi_engine.common.threads import begun
from shogi_engine.explorer import Explorer
from shogi_engine.language import InputError, Message, mark
from shogi_engine.records import GameRecord
from shogi_engine.records.jsonl import record_of
from shogi_engine.web.access import PATIENCE_SECONDS
from shogi_engine.web.analyses import SavedAnalyses
from shogi_engine.web.exercises import SavedProblem
from shogi_engine.web.playing import SavedPlay
from shogi_engine.web.store import GameStore, Head, openings_of, words_of
from shogi_engine.web.tree import Tree
from shogi_engine.web.view import title


class SavedGame(msgspec.Struct, frozen=True, kw_only=True):
    """A session's game as JSON: the record, and what others need not know.

    Moves have their numbers in preorder, as in a new Tree. In the session's tree they differ once moves were added or
    taken back.

    Attributes:
        game: as in a file of JSON Lines
        node: the number of the current move
        flipped: whether the board is shown from white's side
        play: the game that was begun on the tree, if there is one
        problem: that is being solved, if there is one
    """

    game: dict[str, Any]
    node: int
    flipped: bool
    play: SavedPlay | None
    problem: SavedProblem | None
    analyses: SavedAnalyses

    @classmethod
    def parse(cls, content: bytes) -> Self:
        """Return the game of its JSON. Raises ValueError if it is none."""
        try:
            return msgspec.json.decode(content, type=cls)
        except msgspec.MsgspecError as fault:
            raise ValueError(f"a damaged game: {fault}") from None

    def record(self) -> GameRecord:
        """Return the record. Raises ValueError if it is invalid."""
        return record_of(self.game)

    def tree(self) -> Tree:
        """Return a tree for which all that is saved is valid. Raises ValueError if there is none."""
        tree, play, problem, (values, judged) = Tree(self.record()), self.play, self.problem, astuple(self.analyses)
        numbers = {self.node, *values, *(number for line, _ in judged for number in line)}
        numbers |= ({play.live} if play else set()) | ({problem.root} if problem else set())
        if not all(number in tree for number in numbers):
            raise ValueError("a damaged game: there is no such move")
        try:
            for row in (row for _, rows in judged for row in rows.values()):
                finding_of(row)
        except (KeyError, TypeError) as fault:
            raise ValueError(f"a damaged game: {fault}") from None
        tree.go(self.node)
        return tree


def head_of(record: GameRecord) -> Head:
    """Return what the list of games says about a record."""
    moves, result = len(record.main_line) - 1, record.result
    return Head(game=record.game, title=title(record), moves=moves, result=result, words=words_of(record))


QUICK_SECONDS = 0.01
PAUSE_SECONDS = 0.1  # minimum time between two writes of a game
SHARE = 4.0  # and at least this many times the duration of the last write
PAUSE_MAX_SECONDS = 5.0  # but never more than this
RETRY_SECONDS = 5.0  # after a failed write
HANGS = mark("the disk does not answer")
HANGS_SECONDS = 20.0  # of a write, after which the disk counts as one that does not answer
RECORD_SECONDS = 2.0  # after the last change; then the record is written too
log = logging.getLogger(__name__)


class OpenElsewhere(Exception):  # noqa: N818  (not an error: the page goes there)
    """The game is open in another session.

    Args:
        identity: that session's name
    """

    def __init__(self, identity: str) -> None:
        super().__init__("this game is open in another session")
        self.identity = identity


def reason_of(fault: BaseException) -> str:
    """Return why something failed, without the name of a file, which is nothing to visitors."""
    return (fault.strerror if isinstance(fault, OSError) else "") or str(fault)


@dataclass
class Place:
    """A game's place in the store: its name, '' until it is written."""

    id: str = ""


@dataclass
class Snapshot:
    """A game as it was at some moment.

    Attributes:
        change: the number of its last change
        game: None once it is saved
        record: None if it is written, or need not be yet
    """

    place: Place
    change: int
    game: tuple[Head, SavedGame] | None
    record: GameRecord | None


class Autosave:
    """A session's game in a GameStore.

    Args:
        lock: the session's
        owner, identity: its user, its name
        game: returns the game to be saved, None if there is nothing worth saving; called with the lock held
        record: returns a copy of its record for other programs, None if they are not to see it; likewise
        told: called, without the lock, when `fault` has changed

    Attributes:
        wanted: whether the game is saved although there is nothing on its board
        fault: why the last write failed, '' if it did not
    """

    def __init__(
        self,
        store: GameStore,
        lock: AbstractContextManager[object],
        owner: str,
        identity: str,
        game: Callable[[], tuple[Head, SavedGame] | None],
        record: Callable[[], GameRecord | None],
        told: Callable[[], None],
    ) -> None:
        self.store, self._lock, self.owner, self.identity = store, lock, owner, identity
        self._game, self._record, self._told = game, record, told
        self._place, self.fault = Place(), ""
        self.wanted = False
        self._change = 0  # counts changes; the next two are what is on disk
        self._saved = self._recorded = 0
        self._due = self._took = 0.0  # when the next write is due, how long the last one took
        self._began = 0.0  # when the last one began
        self._left: list[Snapshot] = []  # games that were left and are not written yet; they are still held
        self._opening = ""  # the game that is being opened
        self._writing = threading.Lock()  # taken with the session's lock, held while the file is written
        self._waiting: list[tuple[int, Callable[[], object]]] = []  # changes, and what is called when they are on disk
        self._telling = threading.Lock()  # held while one of these is added or taken

    @property
    def id(self) -> str:
        """The name of the game, '' while nothing is saved."""
        return self._place.id

    @property
    def unsaved(self) -> bool:
        """Whether there is a change that is not on disk."""
        return self._saved < self._change or bool(self._left)

    def changed(self) -> None:
        """Note that the game has changed, and write it if that is quick."""
        self._change += 1
        self._write_quickly()

    def when_written(self, call: Callable[[], object]) -> None:
        """Call `call` when all changes so far are on disk, or pages are shown that they are not; in any thread."""
        with self._telling:
            self._waiting.append((self._change, call))
        self._tell_waiting()

    def _tell_waiting(self) -> None:
        """Call what waited for changes that are on disk now."""
        with self._telling:
            due = [each for each in self._waiting if self.fault or each[0] <= self._saved and not self._left]
            self._waiting = [each for each in self._waiting if each not in due]
        for _, call in due:
            call()

    def watch(self, now: float) -> None:
        """Show pages that a write hangs; call this often, with the lock."""
        if self._writing.locked() and now > self._began + HANGS_SECONDS and not self.fault:
            self._failed(OSError(HANGS))
        self._tell_waiting()

    def _write_quickly(self, whole: bool = False) -> bool:
        """Write the game with the session's lock held, if that was quick lately; tell whether all is written."""
        patience = PATIENCE_SECONDS - (time.monotonic() - self._began if self._writing.locked() else 0.0)
        return self._took < QUICK_SECONDS and not self.fault and patience > 0 and self.write(whole, patience)

    def tick(self, now: float) -> None:
        """Write the game if it has changed and a write is due, its record after a pause; call this often."""
        if now < self._due:
            return
        if self.unsaved:
            self.write()
        elif self._recorded < self._saved and now >= self._due + RECORD_SECONDS:
            self.write(whole=True)

    def write(self, whole: bool = False, patience: float | None = None) -> bool:
        """Write the game if it has changed; if `whole`, its record too. Tell whether all is written.

        A failure is shown on the pages, and `tick` tries again. Moves are answered while the file is written; only the
        game's content is read with the session's lock. If the caller holds that, `patience` says how many seconds it
        waits; a write that takes longer ends without it.
        """
        try:
            work = self._begin(whole, patience)
        except Exception as fault:  # also a fault of the program must not end saving for good
            self._failed(fault)
            return False
        if work is None:
            return False
        written = begun(work, patience)
        written.add_done_callback(self._written)  # called here if it is done, else by that thread
        return written.done() and written.exception() is None

    def _written(self, write: Future[float]) -> None:
        """Note how a write has ended."""
        if (fault := write.exception()) is not None:
            self._failed(fault)
            return
        self._took = took = write.result()
        self._due = time.monotonic() + min(PAUSE_MAX_SECONDS, max(PAUSE_SECONDS, SHARE * took))
        if self.fault:
            self.fault = ""
            self._told()
        self._tell_waiting()

    def _begin(self, whole: bool, patience: float | None) -> Callable[[], float] | None:
        """Read what has changed; return what writes it, which any thread may call and must, and takes its seconds.

        None if another thread is still writing after `patience` seconds.
        """
        while True:
            with self._lock:
                began = time.monotonic()  # waiting for the lock is not part of the work
                if self._writing.acquire(blocking=False):
                    self._began = began
                    try:
                        now = self._snapshot(whole)
                        return partial(self._finish, now, time.monotonic() - began)
                    except BaseException:
                        self._writing.release()
                        raise
            # Another thread writes: it is waited for without the session's lock, if the caller does not hold that.
            if not self._writing.acquire(timeout=-1 if patience is None else patience):
                return None
            self._writing.release()

    def _finish(self, now: Snapshot | None, seconds: float) -> float:
        """Write what was read in some seconds; return how long all took, without the start of a thread."""
        began = time.monotonic()
        try:
            self._put_left()
            if now is not None:
                self._put(now)
                if now.place.id not in self._held():  # it was left meanwhile, and is forgotten
                    self.store.holders.release(now.place.id, self)
            return seconds + time.monotonic() - began
        finally:
            self._writing.release()

    def _put_left(self) -> None:
        """Write the games that were left. Others may open them then."""
        while self._left:
            self._put(self._left[0])
            if (left := self._left.pop(0).place.id) != self.id:
                self.store.holders.release(left, self)

    def _held(self) -> list[str]:
        """Return the names of the game on the board and of those that were left and are not written yet."""
        return [self.id, *(each.place.id for each in self._left)]

    def flush(self) -> None:
        """Write the games that were left, without the session's lock. Raises OSError."""
        with self._writing:
            self._began = time.monotonic()
            self._put_left()

    def _snapshot(self, whole: bool) -> Snapshot | None:
        """Return what is to be written, None for nothing."""
        game = self._game() if self._saved < self._change else None
        if game is None and self._saved < self._change:
            self._saved = self._recorded = self._change
        record = self._record() if whole and self._recorded < self._change else None
        return None if game is None and record is None else Snapshot(self._place, self._change, game, record)

    def _put(self, snapshot: Snapshot) -> None:
        """Write a game to disk. What is written is not written again."""
        place = snapshot.place
        if snapshot.game is not None:
            head, content = snapshot.game[0], msgspec.json.encode(snapshot.game[1])
            before, place.id = place.id, self.store.write(place.id, head, self.owner, self.identity, content, self)
            snapshot.game = None
            if place.id != before:
                self.store.holders.release(before, self)
            if place is self._place:  # still on the board
                self._saved = snapshot.change
        if snapshot.record is not None:
            self.store.write_record(place.id, snapshot.record)
            snapshot.record = None
            if place is self._place:
                self._recorded = snapshot.change

    def _failed(self, fault: BaseException) -> None:
        """Note, and show once, that the game is not saved."""
        self._due = time.monotonic() + RETRY_SECONDS
        log.error("a game is not saved", exc_info=None if isinstance(fault, OSError) else fault)
        text = Message("this game cannot be saved: {0}", reason_of(fault))
        if text != self.fault:
            self.fault = text
            self._told()
        self._tell_waiting()

    def leave(self, hidden: bool) -> str:
        """Close the game before another begins; return its name, '' if nothing was saved.

        Args:
            hidden: it is a problem, and forgotten
        """
        if not hidden and not self._write_quickly(whole=True) and (now := self._snapshot(True)) is not None:
            self._left.append(now)  # `tick` writes it; until then, no one else may open what is on disk
        left = self.id
        self.take("")
        if hidden and left:
            begun(lambda: self.store.erase(left), PATIENCE_SECONDS)
        return "" if hidden or self.store.folder is None else left

    def wanted_place(self) -> Place:
        """Return the place of the game on the board, which is saved even if there is nothing on it."""
        if not self.id:
            self._change += 1
            self.wanted = True
        return self._place

    def named(self, place: Place) -> str:
        """Return a game's name; the game is written for it if need be, without the lock. Raises OSError."""
        if not place.id:
            self.write()
        if not place.id:
            raise OSError(str(self.fault))
        return place.id

    def take(self, id: str) -> None:
        """Continue with another game, which is as on disk; '' for a new one."""
        if self.id not in [each.place.id for each in self._left]:
            self.store.holders.release(self.id, self)
        self._place = Place(id)
        self.wanted = False
        self._saved = self._recorded = self._change
        self._due = 0.0

    def close(self) -> bool:
        """Write the game if need be; tell whether all is saved. If so, another session may open it."""
        if not self.write(whole=True):
            return False
        self.store.holders.release(self.id, self)
        return True

    # ---- games of the store

    @contextlib.contextmanager
    def opening(self, id: str) -> Iterator[bytes | GameRecord | None]:
        """Hold one of the owner's games in the block, which is given what `GameStore.read` returns and may `take` it.

        It is given None if the game is on the board already. The session's lock is not held. Raises OpenElsewhere,
        OSError, and ValueError if there is no such game.
        """
        if not self.store.exists(id, self.owner):
            raise InputError("this game no longer exists")
        with self._lock:
            if self._opening:
                raise InputError("the game is being opened; please try again")
            self._opening = "" if id == self.id else id
        if not self._opening:
            yield None
            return
        try:
            holder = self.store.holders.take(id, self)
            if holder is not self and holder.id != id:  # it has left the game, and not written it yet
                with contextlib.suppress(OSError):
                    holder.flush()
                holder = self.store.holders.take(id, self)
            if holder is not self:
                raise OpenElsewhere(holder.identity)
            if id in [each.place.id for each in self._left] and not self.write():  # what is on disk is older
                raise InputError(self.fault)
            yield self.store.read(id, self.owner)
        finally:
            self._opening = ""
            if id not in self._held():
                self.store.holders.release(id, self)

    def delete(self, id: str) -> None:
        """Delete one of the owner's games.

        Raises OSError, and ValueError if there is none or another session has it open.
        """
        if not self.store.exists(id, self.owner):
            raise InputError("this game no longer exists")
        mine = id in self._held()
        with self.store.holders.kept_closed(id, self if mine else None) as free:
            if not free:
                raise InputError("this game is open in another tab")
            if mine:
                self.write()
            with self._writing:  # a record that is written meanwhile would come back as a game
                self.store.delete(id, self.owner)
            with self._lock:
                if id == self.id:
                    self.take("")

    def games(self, text: str = "", result: str = "") -> list[dict[str, Any]]:
        """Return the rows of the owner's list of games, those that `GameStore.games` finds."""
        for id, path in self.store.find_records():
            head, names = Head(game=id.partition("-")[0]), ""
            try:
                if status_of_file(path) is None:
                    continue
                record = records.load(path)[0]
                head, names = head_of(record), openings_of(record)
            except OSError as fault:  # it is listed by its name, and read again next time
                log.warning("%s cannot be read: %s", id, fault)
                continue
            except ValueError as fault:
                log.warning("%s cannot be read: %s", id, fault)
            self.store.describe(id, head, names)
        return [{**each, "here": each["id"] == self.id} for each in self.store.games(self.owner, text, result)]


# ---- The games whose moves a page can explore: the user's own, and the server's index


OWNERS_MAX = 16  # whose games are kept counted
GAMES_MAX = 5000  # of all of them, that are kept as arrays
Stamp = tuple[tuple[str, float], ...]  # the games of an owner, and when each was changed


@dataclass
class Counted:
    """An owner's games of one kind.

    Attributes:
        lock: held while they are counted; other owners are served
        games: what was counted, with its Stamp; None in its place if some could not be read for now
    """

    lock: threading.Lock = field(default_factory=threading.Lock)
    games: tuple[Stamp | None, Explorer] | None = None


class Collections:
    """The games that can be explored: an index for each game, and the users' own.

    Args:
        indexes: by game
    """

    def __init__(self, indexes: Mapping[str, Explorer] | None = None) -> None:
        self.indexes = indexes or {}
        self._lock = threading.Lock()
        self._counted: OrderedDict[tuple[str, str], Counted] = OrderedDict()  # by owner and game
        self._arrays: dict[str, tuple[float, Any]] = {}  # by name of a game: when it was changed, and its moves

    def sources(self, game: str, store: GameStore) -> list[str]:
        """Return where moves of a game can come from."""
        kept = ["mine"] if store.folder is not None else []
        return ["book", *kept, *(["index"] if game in self.indexes else [])]

    def of(self, source: Literal["mine", "index"], game: str, store: GameStore, owner: str) -> Explorer:
        """Return the games of a source. Raises ValueError if the server has none."""
        if source == "mine":
            return self._mine(game, store, owner)
        if game not in self.indexes:
            raise InputError("the server has no index of this game")
        return self.indexes[game]

    def _mine(self, game: str, store: GameStore, owner: str) -> Explorer:
        """Return the saved games of an owner, counted again if one has changed."""
        key = ("" if store.shared else owner, game)
        with self._lock:
            mine = self._counted.setdefault(key, Counted())
            self._counted.move_to_end(key)
            if len(self._counted) > OWNERS_MAX:
                self._counted.popitem(last=False)
        with mine.lock:
            stamp = tuple((row["id"], row["time"]) for row in store.games(owner) if row["game"] == game)
            if mine.games is None or mine.games[0] != stamp:
                counted, copies, whole = Explorer(None, game), Counter[bytes](), True
                for id, changed in stamp:
                    try:
                        moves = self._moves(id, changed, store, owner)
                    except OSError as fault:
                        log.warning("%s cannot be read: %s", id, fault)
                        whole = False
                    else:
                        if moves is not None:
                            counted.add_games(moves, id, copies)
                mine.games = stamp if whole else None, counted
            return mine.games[1]

    def _moves(self, id: str, changed: float, store: GameStore, owner: str) -> Any:
        """Return a saved game as arrays, None if it is damaged. Raises OSError: it cannot be read now."""
        known = self._arrays.get(id)
        if known is None or known[0] != changed:
            moves = None
            with contextlib.suppress(ValueError):
                found = store.read(id, owner)
                record = found if isinstance(found, GameRecord) else SavedGame.parse(found).record()
                moves = records.to_arrays([record])
            if len(self._arrays) >= GAMES_MAX:
                self._arrays.clear()
            self._arrays[id] = known = changed, moves
        return known[1]
