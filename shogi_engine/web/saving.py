"""Saves a session's game: written at every change, closed when another game begins, opened again later.

A page is told of a change when it is on disk; only if writing is slow, as it is for thousands of moves or on a disk
that hangs, it is written soon afterwards.
"""

import contextlib
import dataclasses
import logging
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from shogi_engine import records
from shogi_engine.analysis import Finding
from shogi_engine.analysis.analyst import finding_of, finding_row
from shogi_engine.analysis.report import copied
from shogi_engine.common.files import status_of_file
from shogi_engine.explorer import Explorer
from shogi_engine.language import InputError, Message
from shogi_engine.records import GameRecord, Node
from shogi_engine.types.limits import Clock
from shogi_engine.types.outcomes import Termination
from shogi_engine.types.results import Score
from shogi_engine.web.exercises import Lesson, Tsume
from shogi_engine.web.store import Head, Store, openings_of, words_of
from shogi_engine.web.tree import Tree
from shogi_engine.web.view import title

if TYPE_CHECKING:
    from shogi_engine.web.session import Session


# ---- A session's game as JSON and back: the tree with its annotations, the players, the clock and the analysis
#
# The JSON numbers moves in preorder. The numbers of a Tree differ once moves were added or taken back.


_FIELDS = {field.name: field.default for field in dataclasses.fields(Node) if field.name != "children"}


def rows_of(root: Node) -> list[dict[str, Any]]:
    """Return the nodes of a tree in preorder: the fields that are not defaults, and the number of children."""
    rows, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        row = {name: _plain(value) for name in _FIELDS if (value := getattr(node, name)) != _FIELDS[name]}
        rows.append(row | ({"children": len(node.children)} if node.children else {}))
        waiting += reversed(node.children)
    return rows


def _plain(value: Any) -> Any:
    """Return a value for JSON."""
    return {"score": str(value)} if isinstance(value, Score) else list(value) if isinstance(value, tuple) else value


def tree_of(rows: Sequence[Mapping[str, Any]]) -> Node:
    """Return the tree from the rows of `rows_of`. Raises ValueError if they are invalid."""
    top = Node()
    waiting = [(top, 1)]
    for row in rows:
        if not waiting:
            raise ValueError("a game with too many moves")
        node = Node(**{name: _value(name, row[name]) for name in _FIELDS if name in row})
        parent, missing = waiting.pop()
        parent.children.append(node)
        if missing > 1:
            waiting.append((parent, missing - 1))
        if count := row.get("children", 0):
            waiting.append((node, count))
    if waiting or len(top.children) != 1:
        raise ValueError("a game that was cut off")
    return top.children[0]


def _value(name: str, value: Any) -> Any:
    if name == "ending":
        return Termination(value)
    if isinstance(value, dict):
        return Score.parse(value["score"])
    return tuple(value) if isinstance(value, list) else value


# ---- a session


def dump(session: "Session") -> dict[str, Any]:
    """Return a session's game as JSON values."""
    tree, playing, analyses, record = session.tree, session.playing, session.analyses, session.tree.record
    place = {number: index for index, number in enumerate(tree.preorder())}
    clock = playing.clock
    setting = [ms / 1000 for ms in dataclasses.astuple(clock.setting)] if clock.setting else None
    return {
        "game": tree.game,
        "start": record.start,
        "names": list(record.names),
        "headers": dict(record.headers),
        "score": record.score,
        "nodes": rows_of(record.root),
        "node": place[tree.node],
        "live": place.get(playing.live, 0),
        "on": playing.on,
        "players": playing.players,
        "outcome": [playing.outcome.winner, playing.outcome.termination] if playing.outcome else None,
        "clock": {"setting": setting, "times": clock.times()} if setting else None,
        "flipped": session.flipped,
        "tsume": _tsume(session.tsume, place) if session.tsume is not None and session.tsume.root in place else None,
        "values": {
            place[number]: [str(score), exact] for number, (score, exact) in analyses.values.items() if number in place
        },
        "judged": [
            {
                "line": [place[number] for number in line],
                "found": {ply: finding_row(found) for ply, found in findings.items()},
            }
            for line, findings in analyses.judged.items()
            if all(number in place for number in line)
        ],
    }


def _tsume(problem: Tsume, place: Mapping[int, int]) -> dict[str, Any]:
    """Return the state of a problem."""
    lengths = {place[number]: plies for number, plies in problem.lengths.items() if number in place}
    return {
        "root": place[problem.root], "ply": problem.ply, "status": problem.status, "lengths": lengths,
        "helped": problem.helped,
    }  # fmt: skip


@dataclasses.dataclass(frozen=True)
class SavedGame:
    """A checked game from `dump`, with the move numbers of `tree`."""

    tree: Tree
    content: Mapping[str, Any]
    live: int
    values: dict[int, tuple[Score, bool]]
    judged: dict[tuple[int, ...], dict[int, Finding]]
    clock: tuple[Clock | None, list[float] | None]
    tsume: dict[str, Any] | None

    @classmethod
    def parse(cls, content: Mapping[str, Any]) -> "SavedGame":
        """Return the game from `dump`. Raises ValueError if it is invalid."""
        try:
            record = GameRecord(
                content["game"], content["start"], list(content["names"]), dict(content["headers"]),
                tree_of(content["nodes"]), content["score"],
            )  # fmt: skip
            tree = Tree(record)
            place = tree.preorder()
            tree.go(place[content["node"]])
            judged = {
                tuple(place[index] for index in one["line"]): {
                    int(ply): finding_of(row) for ply, row in one["found"].items()
                }
                for one in content["judged"]
            }
            clock, tsume = content["clock"], content["tsume"]
            if tsume:
                lengths = {place[int(index)]: plies for index, plies in tsume["lengths"].items()}
                tsume = {**tsume, "root": place[tsume["root"]], "lengths": lengths}
            return cls(
                tree,
                content,
                place[content["live"]],
                # Earlier builds kept chances instead; those values are found again.
                {place[int(at)]: (Score.parse(text), exact) for at, (text, exact) in content.get("values", {}).items()},
                judged,
                (Clock.from_seconds(*clock["setting"]), clock["times"]) if clock else (None, None),
                tsume,
            )
        except (KeyError, TypeError, IndexError, AttributeError) as fault:
            raise ValueError(f"a damaged game: {type(fault).__name__}") from None

    def put_into(self, session: "Session") -> None:
        """Let a session continue the game, paused until a page shows it."""
        session.replace(self.tree)
        session.analyses.restore(self.values, self.judged)
        if self.content["on"] or self.content["outcome"]:
            session.playing.restore(self.content["players"], *self.clock, self.live, on=self.content["on"])
        session.flipped = self.content["flipped"]
        progress = session.store.progress(session.owner)
        session.tsume = Tsume(session, **self.tsume, progress=progress) if self.tsume else None


def head_of_record(record: GameRecord) -> Head:
    """Return what the list of games says about a record."""
    moves, result = len(record.main_line) - 1, record.result
    return Head(game=record.game, title=title(record), moves=moves, result=result, words=words_of(record))


def head_of(session: "Session") -> Head:
    """Return what the list of games says about a session's game."""
    hidden = session.tsume is not None
    return msgspec.structs.replace(head_of_record(session.tree.record), playing=session.playing.on, hidden=hidden)


QUICK_SECONDS = 0.01
PATIENCE_SECONDS = 1.0  # for a quick write, with the session's lock: a disk may hang
PAUSE_SECONDS = 0.1  # minimum time between two writes of a game
SHARE = 4.0  # and at least this many times the duration of the last write
PAUSE_MAX_SECONDS = 5.0  # but never more than this
RETRY_SECONDS = 5.0  # after a failed write
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


def _fulfil(written: "Future[float]", work: Callable[[], float]) -> None:
    """Do work, and give its result or its fault."""
    try:
        written.set_result(work())
    except Exception as fault:
        written.set_exception(fault)


def reason_of(fault: BaseException) -> str:
    """Return why something failed, without the name of a file, which is nothing to visitors."""
    return (fault.strerror if isinstance(fault, OSError) else "") or str(fault)


@dataclass
class Snapshot:
    """A game as it was at some moment.

    Attributes:
        id: its name in the store, '' for a new one
        change: the number of its last change
        content: None once it is saved
        record: None if it is written, or need not be yet
    """

    id: str
    change: int
    head: Head
    content: dict[str, Any] | None
    record: GameRecord | None


class Autosave:
    """A session's game in a Store.

    Attributes:
        id: the name of the game, '' while nothing is saved
        wanted: whether the game is saved although there is nothing on its board
    """

    def __init__(self, session: "Session", store: Store) -> None:
        self._session, self.store = session, store
        self.id = ""
        self.wanted = False  # although the board is empty
        self._change = 0  # counts changes; the next two are what is on disk
        self._saved = self._recorded = 0
        self._due = self._took = 0.0  # when the next write is due, how long the last one took
        self._left: list[Snapshot] = []  # games that were left and are not written yet; they are still held
        self._opening = ""  # the game that is being opened
        self._writing = threading.Lock()  # taken with the session's lock, held while the file is written

    @property
    def worth_keeping(self) -> bool:
        """Whether there is more to save than an empty board."""
        if isinstance(self._session.tsume, Lesson):  # the game that was left comes back after it
            return False
        record = self._session.tree.record
        return bool(self.id) or self.wanted or self._session.playing.on or record != GameRecord(record.game)

    @property
    def unsaved(self) -> bool:
        """Whether there is a change that is not on disk."""
        return (self._saved < self._change and self.worth_keeping) or bool(self._left)

    def changed(self) -> None:
        """Note that the game has changed, and write it if that is quick."""
        self._change += 1
        if self._took < QUICK_SECONDS and not self._session.write_fault and not self._writing.locked():
            self.write(patience=PATIENCE_SECONDS)

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
        waits; a write that takes longer goes on alone.
        """
        try:
            work = self._begin(whole)
        except Exception as fault:  # also a fault of the program must not end saving for good
            self._failed(fault)
            return False
        written = Future[float]()
        if patience is None:
            _fulfil(written, work)
        else:
            try:
                threading.Thread(target=_fulfil, args=(written, work), daemon=True).start()
            except RuntimeError:  # the system has no more threads
                _fulfil(written, work)
            wait([written], patience)
        written.add_done_callback(self._written)  # called here if it is done, else by that thread
        return written.done() and written.exception() is None

    def _written(self, write: "Future[float]") -> None:
        """Note how a write has ended."""
        if (fault := write.exception()) is not None:
            self._failed(fault)
            return
        self._took = took = write.result()
        self._due = time.monotonic() + min(PAUSE_MAX_SECONDS, max(PAUSE_SECONDS, SHARE * took))
        if self._session.write_fault:
            self._session.write_fault = ""
            with self._session.lock:
                self._session.publish()

    def _begin(self, whole: bool) -> Callable[[], float]:
        """Read what has changed; return what writes it, which any thread may call and must, and takes its seconds."""
        while True:
            with self._session.lock:
                began = time.monotonic()  # waiting for the lock is not part of the work
                if self._writing.acquire(blocking=False):
                    try:
                        return partial(self._finish, self._snapshot(whole), began)
                    except BaseException:
                        self._writing.release()
                        raise
            with self._writing:  # another thread writes: it is waited for without the session's lock
                pass

    def _finish(self, now: Snapshot | None, began: float) -> float:
        """Write what was read; return how long all took."""
        try:
            self._put_left()
            if now is not None:
                self._put(now, current=True)
            return time.monotonic() - began
        finally:
            self._writing.release()

    def _put_left(self) -> None:
        """Write the games that were left. Others may open them then."""
        while self._left:
            self._put(self._left[0])
            if (left := self._left.pop(0).id) != self.id:
                self.store.holders.release(left, self)

    def flush(self) -> None:
        """Write the games that were left, without the session's lock. Raises OSError."""
        with self._writing:
            self._put_left()

    def _snapshot(self, whole: bool) -> Snapshot | None:
        """Return what is to be written, None for nothing."""
        session = self._session
        if not self.worth_keeping:
            return None
        content = dump(session) if self._saved < self._change else None
        record = None
        if whole and self._recorded < self._change and session.tsume is None:
            record = copied(session.tree.record)
        if content is None and record is None:
            return None
        return Snapshot(self.id, self._change, head_of(session), content, record)

    def _put(self, snapshot: Snapshot, current: bool = False) -> None:
        """Write a game to disk, the one on the board if `current`. What is written is not written again."""
        if snapshot.content is not None:
            content, session = msgspec.json.encode(snapshot.content), self._session
            snapshot.id = self.store.write(snapshot.id, snapshot.head, session.owner, session.identity, content, self)
            snapshot.content = None
            if current:
                self._saved = snapshot.change
                if snapshot.id != self.id:
                    self.store.holders.release(self.id, self)
                    self.id = snapshot.id
        if snapshot.record is not None:
            self.store.write_record(snapshot.id, snapshot.record)
            snapshot.record = None
            if current:
                self._recorded = snapshot.change

    def _failed(self, fault: BaseException) -> None:
        """Show the pages, once, that the game is not saved."""
        self._due = time.monotonic() + RETRY_SECONDS
        log.error("a game is not saved", exc_info=None if isinstance(fault, OSError) else fault)
        text = Message("this game cannot be saved: {0}", reason_of(fault))
        if text != self._session.write_fault:
            self._session.write_fault = text
            with self._session.lock:
                self._session.tell(text)
                self._session.publish()

    def leave(self) -> str:
        """Close the game before another begins; return its name, '' if nothing was saved."""
        hidden = self._session.tsume is not None
        kept = hidden or self._took < QUICK_SECONDS and self.write(whole=True)
        with self._writing:
            if not kept and (now := self._snapshot(True)) is not None:
                self._left.append(now)  # `tick` writes it; until then, no one else may open what is on disk
            left = self.id
            self._take("")
        if hidden and left:
            self.store.erase(left)
        return "" if hidden or self.store.folder is None else left

    def named(self) -> str:
        """Return the game's name; the game is written for it if need be. Raises OSError if it cannot be."""
        if not self.id:
            self._change += 1
            self.wanted = True
            self.write()
        if not self.id:
            raise OSError(str(self._session.write_fault))
        return self.id

    def _take(self, id: str) -> None:
        """Continue with another game, which is as on disk; '' for a new one."""
        if self.id not in [each.id for each in self._left]:
            self.store.holders.release(self.id, self)
        self.id = id
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

    @property
    def identity(self) -> str:
        """The name of the session."""
        return self._session.identity

    def open(self, id: str, owner: str) -> str:
        """Continue a saved game; return the name of the game that was left, '' if there was none.

        It is read without the session's lock, unless the caller holds it. Raises OpenElsewhere, OSError, and ValueError
        if there is no such game.
        """
        if not self.store.exists(id, owner):
            raise InputError("this game no longer exists")
        with self._session.lock:
            if self._opening:
                raise InputError("the game is being opened; please try again")
            if id == self.id:
                return ""
            self._opening = id
        try:
            holder = self.store.holders.take(id, self)
            if holder is not self and holder.id != id:  # it has left the game, and not written it yet
                with contextlib.suppress(OSError):
                    holder.flush()
                holder = self.store.holders.take(id, self)
            if holder is not self:
                raise OpenElsewhere(holder.identity)
            left: str = self._open(id, owner)
            return left
        finally:
            self._opening = ""
            if id != self.id and id not in [each.id for each in self._left]:
                self.store.holders.release(id, self)

    def _open(self, id: str, owner: str) -> str:
        """Continue a game that this session holds, as `open` does."""
        if id in [each.id for each in self._left] and not self.write():  # what is on disk is older
            raise InputError(self._session.write_fault)
        found = self.store.read(id, owner)
        if isinstance(found, GameRecord):  # the terminal's: continued in place, there is no second game in the list
            saved, tree = None, Tree(found)
        else:
            saved = SavedGame.parse(found)
            tree = saved.tree
        with self._session.lock:
            left = self.leave()
            if saved is None:
                self._session.replace(tree)
            else:
                saved.put_into(self._session)
            self._take(id)
            self.changed()  # it now belongs to this session
        return left

    def delete(self, id: str, owner: str) -> None:
        """Delete a game. Raises OSError, and ValueError if there is none or another session has it open."""
        if not self.store.exists(id, owner):
            raise InputError("this game no longer exists")
        mine = id in [self.id, *(each.id for each in self._left)]  # a game that was left may not be written yet
        with self.store.holders.kept_closed(id, self if mine else None) as free:
            if not free:
                raise InputError("this game is open in another tab")
            if mine:
                self.write()
            self.store.delete(id, owner)
            with self._session.lock:
                if id == self.id:
                    self._take("")

    def games(self, owner: str, text: str = "", result: str = "") -> list[dict[str, Any]]:
        """Return the rows of an owner's list of games, those that `Store.games` finds."""
        for id, path in self.store.find_records():
            head, names = Head(game=id.partition("-")[0]), ""
            try:
                if status_of_file(path) is None:
                    continue
                record = records.load(path)[0]
                head, names = head_of_record(record), openings_of(record)
            except (OSError, ValueError) as fault:
                log.warning("%s cannot be read: %s", id, fault)
            self.store.describe(id, head, names)
        return [{**each, "here": each["id"] == self.id} for each in self.store.games(owner, text, result)]


# ---- The games whose moves a page can explore: the user's own, and the server's index


OWNERS_MAX = 16  # whose games are kept counted
GAMES_MAX = 5000  # of all of them, that are kept as arrays
Stamp = tuple[tuple[str, float], ...]  # the games of an owner, and when each was changed


class Collections:
    """The games that can be explored: an index for each game, and the users' own.

    Args:
        indexes: by game
    """

    def __init__(self, indexes: Mapping[str, Explorer] | None = None) -> None:
        self.indexes = indexes or {}
        self._lock = threading.Lock()
        self._counted: OrderedDict[tuple[str, str], tuple[Stamp, Explorer]] = OrderedDict()  # by owner and game
        self._arrays: dict[str, tuple[float, Any]] = {}  # by name of a game: when it was changed, and its moves

    def sources(self, game: str, store: Store) -> list[str]:
        """Return where moves of a game can come from."""
        kept = ["mine"] if store.folder is not None else []
        return ["book", *kept, *(["index"] if game in self.indexes else [])]

    def of(self, source: Literal["mine", "index"], game: str, store: Store, owner: str) -> Explorer:
        """Return the games of a source. Raises ValueError if the server has none."""
        if source == "mine":
            return self._mine(game, store, owner)
        if game not in self.indexes:
            raise InputError("the server has no index of this game")
        return self.indexes[game]

    def _mine(self, game: str, store: Store, owner: str) -> Explorer:
        """Return the saved games of an owner, counted again if one has changed."""
        key = ("" if store.shared else owner, game)
        with self._lock:
            rows = [row for row in store.games(owner) if row["game"] == game]
            stamp = tuple((row["id"], row["time"]) for row in rows)
            if key not in self._counted or self._counted[key][0] != stamp:
                counted, copies = Explorer(None, game), Counter[bytes]()
                for id, changed in stamp:
                    if (moves := self._moves(id, changed, store, owner)) is not None:
                        counted.add_games(moves, id, copies)
                self._counted[key] = stamp, counted
                if len(self._counted) > OWNERS_MAX:
                    self._counted.popitem(last=False)
                if len(self._arrays) > GAMES_MAX:
                    self._arrays.clear()
            self._counted.move_to_end(key)
            return self._counted[key][1]

    def _moves(self, id: str, changed: float, store: Store, owner: str) -> Any:
        """Return a saved game as arrays, None if it cannot be read."""
        if id not in self._arrays or self._arrays[id][0] != changed:
            try:
                found = store.read(id, owner)
                record = found if isinstance(found, GameRecord) else SavedGame.parse(found).tree.record
                self._arrays[id] = changed, records.to_arrays([record])
            except (OSError, ValueError):
                self._arrays[id] = changed, None
        return self._arrays[id][1]
