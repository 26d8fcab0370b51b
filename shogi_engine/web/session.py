"""Session: one user's board. It takes checked messages, changes the game, and sends what the pages show.

It does not depend on sockets or asyncio: `send` is called, from any thread, with each message to the browser.
"""

import base64
import binascii
import secrets
import threading
import time
from collections.abc import Callable
from typing import Any

from shogi_engine.analysis.analyst import Examiner
from shogi_engine.analysis.annotation import of_programs
from shogi_engine.games.shogi.records import handicaps
from shogi_engine.language import translate
from shogi_engine.records import GameRecord, Node
from shogi_engine.tsume import problems
from shogi_engine.types.clock import Clock
from shogi_engine.web import view
from shogi_engine.web.analyses import Analyses
from shogi_engine.web.autosave import Autosave, OpenElsewhere
from shogi_engine.web.files import chosen_game, file_of
from shogi_engine.web.parts import Parts
from shogi_engine.web.playing import Playing, check_levels
from shogi_engine.web.pool import EnginePool
from shogi_engine.web.setup import set_up
from shogi_engine.web.store import Store
from shogi_engine.web.tree import Removed, Tree
from shogi_engine.web.tsume import Tsume, problem_rows
from shogi_engine.web.viewer import Receiver, Viewer


class Session(Parts):
    """One user's game, analyses and settings, shown by any number of pages.

    Attributes:
        pool: the engines
        examiner: `examiner(game, limits)` returns an examiner of positions
        identity: an unguessable name
        lock: held while the session is read or changed
        owner: who may list its games
        seen: when a page last left
    """

    def __init__(
        self,
        pool: EnginePool,
        examiner: Callable[[str, dict[str, int]], Any] = Examiner,
        game: str = "shogi",
        store: Store | None = None,
    ) -> None:
        self.pool, self.examiner = pool, examiner
        self.identity = secrets.token_urlsafe(18)
        self.owner = ""
        self.lock = threading.RLock()
        self.viewers: list[Viewer] = []
        self._asking: Viewer | None = None  # whose message is being handled
        self._flipped = False
        self.tree = Tree(GameRecord(game))
        self.playing = Playing(self)
        self.analyses = Analyses(self)
        self.setup: Any = None
        self.tsume: Tsume | None = None
        self.removed: Removed | None = None  # the last deletion
        self.store = store or Store()
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
            viewer.flipped = flipped

    def attach(self, send: Receiver, **look: Any) -> Viewer:
        """Add a page and send it the whole state; `look` is as in `messages.LOOK`."""
        with self.lock:
            viewer = Viewer(send, **{"flipped": self._flipped, **look})
            self.viewers.append(viewer)
            self.playing.wake()
            if self.tsume is not None:
                self.tsume.wake()
            self.show(viewer)
            self.analyses.follow()
            return viewer

    def detach(self, viewer: Viewer, now: float | None = None) -> None:
        """Remove a page. After the last one all searches end; a game in progress is unchanged."""
        with self.lock:
            if viewer in self.viewers:
                self.viewers.remove(viewer)
            if not self.viewers:
                self.seen = time.monotonic() if now is None else now
                self.rest()

    def rest(self) -> None:
        """End all searches and save the game."""
        self.analyses.close()
        self.playing.rest()
        if self.tsume is not None:
            self.tsume.close()
        self.autosave.write(whole=True)

    def close(self) -> None:
        """Close the game."""
        with self.lock:
            self.rest()
            self.autosave.close()

    def answer(self, message: dict[str, Any]) -> None:
        """Send a message to the page that asked."""
        if self._asking is None:
            self.send(message)
        else:
            self._asking.send(message)

    def show(self, viewer: Viewer) -> None:
        """Send the whole state to a page."""
        viewer.send(view.state(self, viewer))

    def changed(self) -> None:
        """Send the whole state, analyse the position if it has changed, and save the game."""
        self.autosave.changed = True
        for viewer in self.viewers:
            self.show(viewer)
        self.analyses.follow()

    def tick(self) -> None:
        """Check the clock. Call this regularly."""
        if self.playing.on and self.attached:
            with self.lock:
                self.playing.tick()

    # ---- messages

    def handle(self, message: dict[str, Any], viewer: Viewer | None = None) -> None:
        """Handle a message from `messages.parse` that came from one page, or from all.

        Raises ValueError for what cannot be done; nothing has changed then.
        """
        values = dict(message)
        name = values.pop("do")
        with self.lock:
            self._asking = viewer
            try:
                getattr(self, f"_do_{name}")(**values)
            finally:
                self._asking = None

    def _do_ping(self) -> None:
        self.answer({"kind": "pong"})

    def _do_look(self, **values: Any) -> None:
        self._flipped = values.get("flipped", self._flipped)
        for viewer in [self._asking] if self._asking else self.viewers:
            viewer.set(**values)
            self.show(viewer)
        self.analyses.repeat()

    def _do_game(self, game: str) -> None:
        self._open(GameRecord(game))

    def _do_new(
        self, game: str, players: list[int | None], clock: str = "", handicap: str = "", here: bool = False
    ) -> None:
        setting = Clock.parse(clock) if clock else None
        check_levels(game, players)
        if handicap and game != "shogi":
            raise ValueError("handicaps are for shogi")
        if not here or game != self.tree.game:
            self._open(GameRecord(game, handicaps.handicap(handicap) if handicap else ""), tell=False)
        self._leave_modes()
        self._begin(players, setting)

    def _begin(self, players: list[int | None], setting: Clock | None) -> None:
        """Begin a game at the session's position."""
        self.playing.begin(players, setting)
        if players.count(None) == 1:
            self.flipped = players[1] is None and self.tree.game == "shogi"
        self.changed()

    def _open(self, record: GameRecord, tell: bool = True) -> None:
        left = self.open_record(record)
        if tell:
            self.changed()
        self._tell_left(left)

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
        self._leave_modes()
        self.tree, self.removed = tree, None
        self.playing = Playing(self)
        self.analyses.read_record()

    def _tell_left(self, left: str) -> None:
        """Tell the page that asked which game was left, so that the user can return to it."""
        if left:
            self.answer({"kind": "left", "id": left})

    def _do_kept(self) -> None:
        self.answer({"kind": "kept", "games": self.autosave.games(self.owner)})

    def _do_continue(self, id: str) -> None:
        try:
            left = self.autosave.open(id, self.owner)
        except OpenElsewhere as elsewhere:
            self.answer({"kind": "join", "session": elsewhere.identity})
            return
        self.playing.wake()
        self.changed()
        self._tell_left(left)

    def _do_forget(self, id: str) -> None:
        self.autosave.delete(id, self.owner)
        self._do_kept()

    def _do_recall(self, id: str) -> None:
        self.autosave.store.restore(id)
        self._do_kept()

    def _leave_modes(self) -> None:
        self.setup = None
        if self.tsume is not None:
            self.tsume.close()
            self.tsume = None

    # ---- moves

    def _do_move(self, move: str) -> None:
        self._must_not_set_up()
        tree = self.tree
        if not self.playing.may_move(int(tree.board.turn)):
            raise ValueError("it is not your turn")
        if self.tsume is not None:
            self.tsume.check()
        text = tree.legal(move)
        if self.tsume is not None and not tree.board.gives_check(tree.board.parse_text(text)):
            raise ValueError("this move gives no check")
        self.playing.move(text)
        if self.tsume is not None:
            self.tsume.moved(tree.node)
        self.changed()

    def _do_step(self, to: str) -> None:
        self._must_not_set_up()
        self.tree.step(to)
        self.changed()

    def _do_go(self, node: int) -> None:
        self._must_not_set_up()
        self.tree.go(node)
        self.changed()

    def _do_undo(self) -> None:
        self._must_not_set_up()
        if self.tsume is not None:
            self.tsume.close()
            self.tsume.undo()
        else:
            self.playing.undo()
        self.changed()

    def _do_delete(self) -> None:
        self._must_not_play()
        self.removed = self.tree.remove(self.tree.node)
        self.changed()

    def _do_promote(self) -> None:
        self._must_not_play()
        self.tree.promote(self.tree.node)
        self.analyses.read_record()
        self.changed()

    def _do_restore(self) -> None:
        if self.removed is None:
            raise ValueError("there is nothing to undo")
        self._must_not_set_up()
        removed, self.removed = self.removed, None
        self.tree.go(self.tree.put_back(removed))
        self.changed()

    def _do_comment(self, text: str, node: int | None = None) -> None:
        at = self._node(self.tree.node if node is None else node)
        at.comment = "\n".join(each for each in (text, *of_programs(at.comment)) if each)
        self.changed()

    def _do_line(self, node: int, moves: list[str], go: int = 0) -> None:
        """Add a line of moves after a node, and go to its move number `go`, from 1; 0 stays."""
        self._must_not_play()
        self._node(node)
        numbers = self.tree.add_line(moves, node)
        if go:
            self.tree.go(numbers[min(go, len(numbers)) - 1])
        self.changed()

    def _do_preview(self, node: int, moves: list[str]) -> None:
        """Draw the board after a line of moves."""
        self._node(node)
        board = self.board_at(node)
        for move in moves:
            board.push_text(move)
        viewer = self._asking or Viewer(lambda message: None)
        self.answer(
            {
                "kind": "preview",
                "node": node,
                "moves": moves,
                "svg": view.picture(board, viewer, self.tree.game, areas=False),
            }
        )

    def _must_not_play(self) -> None:
        self._must_not_set_up()
        if self.playing.on:
            raise ValueError("a game is being played")

    def _node(self, number: int) -> Node:
        """Return a move of the game. Raises ValueError if there is none."""
        if number not in self.tree:
            raise ValueError("this move is no longer in the game")
        return self.tree[number]

    def _must_not_set_up(self) -> None:
        if self.setup is not None:
            raise ValueError("a position is being set up")

    # ---- the game

    def _do_resign(self) -> None:
        self.playing.resign()
        self.changed()

    def _do_rematch(self) -> None:
        """Begin a new game like the last one, with sides swapped in an even game against the engine."""
        play, start = self.playing, self.tree.record.start
        if play.on or play.outcome is None:
            raise ValueError("no game has been played")
        players, setting = list(play.players), play.clock.setting
        if start == GameRecord(self.tree.game).start:
            players.reverse()
        left = self.open_record(GameRecord(self.tree.game, start))
        self._begin(players, setting)
        self._tell_left(left)

    def _do_declare(self) -> None:
        self.playing.declare()
        self.changed()

    def _do_think(self) -> None:
        self._must_not_set_up()
        self.playing.think()
        self.changed()

    def _do_stop(self) -> None:
        self.analyses.stop()
        self.playing.leave()
        self._leave_modes()
        self.changed()

    def _do_level(self, side: int, level: int) -> None:
        self.playing.set_level(side, level)
        self.changed()

    # ---- analysis

    def _do_analyse(self, on: bool, multipv: int = 0) -> None:
        self.analyses.on, self.analyses.multipv = on, multipv or self.analyses.multipv
        self.analyses.restart()
        self.changed()

    def _do_judge(self, on: bool, effort: str = "quick") -> None:
        if on:
            self.analyses.judge(effort)
        else:
            self.analyses.stop_judging()
        self.changed()

    def _do_mate(self) -> None:
        self._must_not_set_up()
        if self.tsume is not None:
            self.tsume.helped = True
        self.analyses.find_mate()
        self.changed()

    def _do_tsume(self, on: bool, problem: int = 0) -> None:
        if not on:
            self._leave_modes()
            self.changed()
            return
        if problem:
            if problem > len(problems()):
                raise ValueError("there is no such problem")
            self._open(GameRecord("shogi", problems()[problem - 1].sfen), tell=False)
            self.flipped = False
        if self.tree.game != "shogi":
            raise ValueError("tsume is for shogi")
        self._must_not_set_up()
        board = self.board_at(self.tree.node)
        if board.king_squares[1 - board.turn] is None:
            raise ValueError("the side to be mated has no king")
        self.playing.leave()
        self._leave_modes()
        self.tsume = Tsume(self, self.tree.node, self.tree.ply, progress=self.store.progress(self.owner))
        self.tsume.begin()
        self.changed()

    def _do_problems(self) -> None:
        self.answer(problem_rows(self.store.progress(self.owner)))

    def _do_hint(self) -> None:
        if self.tsume is None:
            raise ValueError("no problem is being solved")
        self.tsume.hint()

    # ---- records

    def _do_open(self, name: str, data: str, number: int = 0) -> None:
        try:
            content = base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            raise ValueError("the file is incomplete") from None
        self._read(content, name, number)

    def _do_paste(self, text: str, number: int = 0) -> None:
        self._read(text.encode("utf-8", "replace"), "", number)

    def _read(self, content: bytes, name: str, number: int) -> None:
        chosen, titles = chosen_game(content, name, number)
        self._open(chosen)
        if chosen.fault is not None:
            language = self._asking.language if self._asking else "en"
            self.answer({"kind": "error", "text": translate(str(chosen.fault), language)})
        if len(titles) > 1:
            self.answer({"kind": "games", "titles": titles, "number": number})

    def _do_save(self, format: str) -> None:
        language = self._asking.language if self._asking else "en"
        self.answer({"kind": "file", **file_of(self.analyses.annotated(language), format)})

    # ---- setting up

    def _do_setup(self, on: bool, keep: bool = True) -> None:
        if on:
            self.playing.leave()
            self._leave_modes()
            self.setup = set_up(self.tree.game, self.tree.board)
            self.changed()
        elif self.setup is not None and keep:
            self._open(GameRecord(self.tree.game, self.setup.text()))
        else:
            self.setup = None
            self.changed()

    def _edited(self) -> Any:
        if self.setup is None:
            raise ValueError("no position is being set up")
        return self.setup

    def _do_put(self, square: str, piece: str) -> None:
        self._edited().put(square, piece)
        self.changed()

    def _do_hand(self, side: int, piece: str, count: int) -> None:
        self._edited().hand(side, piece, count)
        self.changed()

    def _do_turn(self, side: int) -> None:
        self._edited().turn(side)
        self.changed()

    def _do_board(self, which: str) -> None:
        self._edited().arrange(which)
        self.changed()
