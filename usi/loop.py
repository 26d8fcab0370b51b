"""The USI loop: one thread reads, one works, one lock guards the output.

The reader obeys at once what can not wait (usi, stop, ponderhit, gameover, quit, and isready while a search runs) and
hands the rest to the worker, which does it in order: so a GUI may send everything in one go. Each `go` is answered by
exactly one bestmove (or checkmate), while it ponders or is infinite not before `stop` or `ponderhit`. The engine, and
numba with it, is imported by a third thread after `usiok`. Nothing here may keep the process alive: `quit` and the
end of input end it at once, compiling or not.
"""

import os
import queue
import random
import threading
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from shogi_engine import __version__
from shogi_engine.frontends.stdio import Output, asks_to_quit, read_line, run_stdio, sanitize
from shogi_engine.games.shogi import levels as skill
from shogi_engine.games.shogi.book import NONE as NO_BOOK
from shogi_engine.games.shogi.book import Book, BookError, located
from shogi_engine.games.shogi.sfen import turned
from shogi_engine.search.timeman import Clock, TimeBudget, fixed, plan
from shogi_engine.threads import start_thread
from usi.options import ENTERING_KING_RULES, EVALUATIONS, OPTIONS, Options
from usi.protocol import (
    Go,
    Position,
    ProtocolError,
    info_line,
    parse_go,
    parse_position,
    parse_setoption,
)

if TYPE_CHECKING:
    from shogi_engine.engine import Engine, PvInfo, SearchResult

HEARTBEAT = 4.0  # seconds; GUIs give up after 5 or more without a line
FALLBACK_MS = 1000  # for a `go` whose only limit could not be read
LEAST_MS = 2.0  # with less not even the first depth is done, and the move would be no choice at all
LAST_WORDS = 0.5  # seconds a search has at the end of input to answer
PARAMETER = "param."  # begins the name of an option, not declared, that is a number of Game.params


def load_engine() -> "Engine":
    """Return a Shogi engine with its kernels compiled or loaded."""
    from shogi_engine.engine import Engine

    engine = Engine("shogi")
    engine.warmup()
    return engine


class Task:
    """One `go` on its way: when it came, and what has been said about it since."""

    def __init__(self, go: Go, came: float) -> None:
        self.go = go
        self.came = came
        self.running = False
        self.stopped = False
        self.pondering = go.ponder
        self.ahead = False  # it ponders on the position before the opponent's move (Stochastic_Ponder)
        self.only = False  # there is one move to choose from
        self.decided = threading.Event()  # stopped, or the opponent has played the move pondered on
        self.released = threading.Event()  # may be answered
        if not (go.ponder or go.infinite):
            self.released.set()


class Heartbeat:
    """While it is entered, says every few seconds that the engine is alive."""

    def __init__(self, output: "UsiOutput") -> None:
        self._out = output
        self._over = threading.Event()

    def __enter__(self) -> None:
        threading.Thread(target=self._beat, name="usi-heartbeat", daemon=True).start()

    def __exit__(self, *failure: object) -> None:
        self._over.set()

    def _beat(self) -> None:
        began = time.monotonic()
        while not self._over.wait(HEARTBEAT):
            self._out.info(f"compiling ... {time.monotonic() - began:.0f} s (long only before the first game)")


class UsiOutput(Output):
    """Lines to the GUI and to the debug log."""

    log: Any = None

    def _put(self, text: str) -> None:
        self._note("<", text)
        super()._put(text)

    def info(self, text: str) -> None:
        """Write an `info string`, whatever characters `text` has."""
        self.line(f"info string {sanitize(text)}")

    def note(self, direction: str, text: str) -> None:
        """Write to the debug log, if there is one."""
        if self.log is not None:
            with self._lock:
                self._note(direction, text)

    def open_log(self, path: str) -> None:
        """Append to another debug log from now on, to none if `path` is ''. Raises OSError."""
        with self._lock:
            if self.log is not None:
                self.log.close()
                self.log = None
            if path:
                self.log = open(path, "a", encoding="utf-8", buffering=1)  # noqa: SIM115

    def _note(self, direction: str, text: str) -> None:
        if self.log is not None:
            now = time.time()
            stamp = time.strftime("%H:%M:%S", time.localtime(now))
            try:
                self.log.write(f"{stamp}.{int(now * 1000) % 1000:03d} {direction} {text}\n")
            except (OSError, ValueError):
                self.log = None


class Loop:
    """The state of one conversation. `load` returns a warm engine; `leave(status)` ends the process."""

    def __init__(
        self,
        output: UsiOutput,
        load: Callable[[], "Engine"] = load_engine,
        leave: Callable[[int], object] = os._exit,
    ) -> None:
        self.out, self._load, self._leave = output, load, leave
        self.options = Options()
        self.rng = random.Random()
        self.position = Position()
        self.engine: Any = None
        self._book, self._book_name = Book(), ""
        self._sizes = (0, 0)  # hash and threads the engine has
        self._fresh = True  # nothing was searched since the table was cleared
        self._loaded = threading.Event()
        self._loading = False
        self._lock = threading.Lock()
        self._going: list[Task] = []  # not yet answered, in order
        self._counts: list[threading.Event] = []  # one for each perft, set while it is wanted
        self._jobs: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._readers: dict[str, Callable[[list[str], float], None]] = {
            "usi": self._usi,
            "isready": self._isready,
            "setoption": self._setoption,
            "usinewgame": lambda words, came: self._jobs.put(self._begin_game),
            "position": self._position,
            "sfen": lambda words, came: self._position(["sfen", *words], came),
            "startpos": lambda words, came: self._position(["startpos", *words], came),
            "go": self._go,
            "stop": lambda words, came: self._stop_all(),
            "gameover": lambda words, came: self._stop_all(),
            "ponderhit": self._ponderhit,
            "d": lambda words, came: self._jobs.put(self._show_position),
            "moves": lambda words, came: self._jobs.put(self._show_moves),
            "flip": lambda words, came: self._jobs.put(self._flip),
            "bench": lambda words, came: self._jobs.put(self._bench),
            "eval": lambda words, came: self._jobs.put(self._show_value),
        }

    # ---- the reader's side ------------------------------------------------------------------------------------

    def run(self, lines: Iterable[bytes]) -> None:
        """Obey `lines` until `quit` or their end."""
        start_thread(self._work, "usi-worker")
        for raw in lines:
            came = time.monotonic()
            text = read_line(raw)
            self.out.note(">", text)
            if asks_to_quit(text):
                self._leave(0)
                return
            self.obey(text, came)
        self._stop_all()
        answered = threading.Event()
        self._jobs.put(answered.set)
        answered.wait(LAST_WORDS)
        self._leave(0)

    def obey(self, text: str, came: float) -> None:
        """Obey one line. Unknown first words are skipped, as the protocol says."""
        words = text.split()
        while words and words[0] not in self._readers:
            words.pop(0)
        if not words:
            return
        try:
            self._readers[words[0]](words[1:], came)
        except ProtocolError as fault:
            self.out.info(str(fault))
        if words[0] != "usi":
            self._start_loading()

    def _usi(self, words: list[str], came: float) -> None:
        self.out.line(f"id name shogi_engine {__version__}")
        self.out.line("id author the shogi_engine authors")
        for option in OPTIONS:
            self.out.line(option.declaration())
        self.out.line("usiok")
        self._start_loading()

    def _isready(self, words: list[str], came: float) -> None:
        if self._loaded.is_set() and self._going:
            self.out.line("readyok")  # asked during a search, which goes on
        else:
            self._jobs.put(self._ready)

    def _setoption(self, words: list[str], came: float) -> None:
        option = parse_setoption(words)
        self._jobs.put(lambda: self._set(option.name, option.value))

    def _position(self, words: list[str], came: float) -> None:
        position = parse_position(words)
        self._jobs.put(lambda: self._place(position))

    def _go(self, words: list[str], came: float) -> None:
        go = parse_go(words)
        for fault in go.faults:
            self.out.info(fault)
        if go.perft is not None:
            depth, wanted = go.perft, threading.Event()
            wanted.set()
            with self._lock:
                self._counts.append(wanted)
            self._jobs.put(lambda: self._perft(depth, wanted))
            return
        with self._lock:
            endless = [task for task in self._going if not task.released.is_set()]
        for task in endless:  # a GUI that sends the next go without stop wants no more of that search
            self._stop(task)
        task = Task(go, came)
        with self._lock:
            self._going.append(task)
        self._jobs.put(lambda: self._search(task))

    def _ponderhit(self, words: list[str], came: float) -> None:
        update = parse_go(words)
        for fault in update.faults:
            self.out.info(fault)
        with self._lock:
            task = next((task for task in self._going if task.pondering and not task.stopped), None)
            if task is None:
                return
            task.pondering = False
            for name in ("btime", "wtime", "byoyomi", "binc", "winc", "movetime"):
                value = getattr(update, name)
                if value is not None:
                    setattr(task.go, name, value)
            pondered, task.came = came - task.came, came
            if task.ahead:
                self.engine.stop()  # what it thought on is past; the worker goes on with the move played
            elif task.running and (budget := self._budget(task)) is not None:
                budget = budget.after_pondering(pondered * 1000)
                self.engine.extend(budget.soft_ms, budget.hard_ms, budget.least_ms)
        task.decided.set()
        if not task.go.infinite:
            task.released.set()

    def _stop_all(self) -> None:
        with self._lock:
            tasks = list(self._going)
            for wanted in self._counts:
                wanted.clear()
        for task in tasks:
            self._stop(task)

    def _stop(self, task: Task) -> None:
        with self._lock:
            task.stopped = True
            if task.running or task.ahead:
                self.engine.stop()
        task.decided.set()
        task.released.set()

    # ---- loading ----------------------------------------------------------------------------------------------

    def _start_loading(self) -> None:
        if not self._loading:
            self._loading = True
            start_thread(self._load_all, "usi-loader")

    def _load_all(self) -> None:
        try:
            self.engine = self._load()
        except BaseException as failure:
            self.out.note("!", repr(failure))
            self.out.info(f"the engine can not start: {failure!r}")
            self._leave(1)
            return
        self._loaded.set()

    def _ready_engine(self) -> "Engine":
        """Wait for the engine and give it the size the options ask for."""
        sizes = self.options.number("USI_Hash"), self.options.number("Threads")
        if sizes != self._sizes or not self._loaded.is_set():
            self._start_loading()
            with Heartbeat(self.out):
                self._loaded.wait()
                try:
                    self.engine.resize(threads=sizes[1])
                    self.engine.resize(hash_mb=sizes[0])
                except MemoryError:
                    self.out.info(f"no memory for USI_Hash {sizes[0]}; the table stays as it is")
                self._sizes = sizes
        return self.engine

    # ---- the worker's side ------------------------------------------------------------------------------------

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            try:
                job()
            except ProtocolError as fault:
                self.out.info(str(fault))
            except Exception as failure:
                self._report(failure)

    def _report(self, failure: BaseException) -> None:
        self.out.info(f"internal error: {failure!r}")
        if self.out.log is not None:
            import traceback

            self.out.note("!", traceback.format_exc())

    def _ready(self) -> None:
        """Answer isready. It comes before every game, and no clock runs yet: the time to clear a large table."""
        self._ready_engine()
        with Heartbeat(self.out):
            self._new_game()
            self._open_book()
        self.out.line("readyok")

    def _set(self, name: str, value: str) -> None:
        if name.lower().startswith(PARAMETER):
            try:
                self._ready_engine().set_parameter(name[len(PARAMETER) :], value)
            except ValueError as fault:
                raise ProtocolError(f"setoption: {fault}") from None
            return
        if self.options.set(name, value) == "DebugLogFile":
            try:
                self.out.open_log(self.options.text("DebugLogFile"))
            except OSError as fault:
                raise ProtocolError(f"setoption: DebugLogFile {fault.strerror}") from None

    def _new_game(self) -> None:
        if not self._fresh:
            self.engine.new_game()
            self._fresh = True

    def _begin_game(self) -> None:
        self._new_game()
        if self.options.flag("MateSearch"):
            self._ready_engine().load_solver()  # in a thread of its own: the first moves do not wait for it

    def _place(self, position: Position) -> None:
        engine = self._ready_engine()
        try:
            engine.set_position(position.root, position.moves)
        except ValueError as fault:
            raise ProtocolError(f"position: {fault}; the position before stays") from None
        self.position = position

    def _budget(self, task: Task) -> TimeBudget | None:
        """Return the time for a move, counted from the moment the clock started; None without a clock."""
        go, options = task.go, self.options.time_options()
        budget = None
        if go.has_clock():
            white = self.position.white_to_move
            clock = Clock(
                time=(go.wtime if white else go.btime) or 0,
                byoyomi=go.byoyomi or 0,
                increment=(go.winc if white else go.binc) or 0,
            )
            budget = plan(clock, self.position.ply, options, self.options.number("MaxMovesToDraw"))
        if go.movetime is not None:
            whole = fixed(go.movetime, options)
            if budget is None or whole.hard_ms < budget.hard_ms:
                budget = whole
        elif budget is not None and task.only:
            budget = budget.for_only_move()
        if budget is None and (go.faults or go.ponder) and not (go.has_limit() or go.infinite):
            budget = fixed(FALLBACK_MS, options)  # nobody will stop this search
        return budget

    def _weak(self, go: Go) -> bool:
        """Tell whether less than the best is asked for; an analysis or a mate search is never weakened."""
        return self.options.number("SkillLevel") < skill.FULL and go.mate is None and not go.infinite

    def _limits(self, task: Task, moves: list[str]) -> dict[str, Any]:
        """Return the limits of a search among `moves` that is about to begin."""
        go = task.go
        limits: dict[str, Any] = {"multipv": self.options.number("MultiPV"), "searchmoves": moves}
        caps = {"depth": (go.depth, "DepthLimit"), "nodes": (go.nodes, "NodesLimit")}
        for name, (asked, option) in caps.items():
            values = [value for value in (asked, self.options.number(option) or None) if value is not None]
            if values:
                limits[name] = min(values)
        if task.stopped:
            return limits | {"depth": 1}
        elapsed = (time.monotonic() - task.came) * 1000
        if self._weak(go):
            for name, value in skill.limits(self.options.number("SkillLevel"), moves, self.rng).items():
                limits[name] = value if name == "searchmoves" else min(limits.get(name, value), value)
        budget = self._budget(task)
        if budget is not None and not (task.pondering or go.infinite):
            budget = budget.less(elapsed)
            hard = max(budget.hard_ms, LEAST_MS)
            soft = hard if budget.soft_ms == budget.hard_ms else budget.soft_ms
            limits |= {"soft_ms": soft, "hard_ms": hard, "least_ms": budget.least_ms}
        return limits

    def _search(self, task: Task) -> None:
        """Answer one `go`, whatever happens."""
        answer = "checkmate timeout" if task.go.mate is not None else "bestmove resign"
        try:
            engine = self._ready_engine()
            if task.pondering and self.options.flag("Stochastic_Ponder") and self.position.moves:
                self._ponder_ahead(task, engine)
            moves = engine.legal_moves()
            if moves and task.go.mate is None:
                answer = f"bestmove {moves[0]}"
            answer = self._think(task, engine, moves)
        except Exception as failure:
            self._report(failure)
        task.released.wait()
        with self._lock:
            self._going.remove(task)
        self.out.line(answer)

    def _ponder_ahead(self, task: Task, engine: "Engine") -> None:
        """Think on the position before the last move, the opponent's, until it is known which one was played.

        All replies are searched and not just one, so the table is of use whichever comes; after `ponderhit` the
        search begins anew in the position it was told. The lines shown are the opponent's, as ShogiHome takes them.
        """
        self._configure(engine, task.go)
        engine.set_position(self.position.root, self.position.moves[:-1])
        try:
            with self._lock:
                if task.decided.is_set():
                    return
                limits = self._limits(task, [])
                self._fresh = False
                engine.arm()
                task.ahead = True
            engine.search(on_info=self._shows(), **limits)
        except Exception as failure:
            self._report(failure)
        finally:
            task.decided.wait()
            with self._lock:
                task.ahead = False
            engine.set_position(self.position.root, self.position.moves)

    def _shows(self) -> "InfoWriter":
        """Return what prints the lines of a search."""
        return InfoWriter(self.out, self.options.number("PvInterval"), self.options.number("MultiPV") > 1)

    def _think(self, task: Task, engine: "Engine", moves: list[str]) -> str:
        """Search and print the last info lines; return the answer."""
        go = task.go
        if not moves:
            if go.mate is not None:
                return "checkmate nomate"
            self.out.line("info depth 0 score mate -0")
            return "bestmove resign"
        searchmoves = []
        for move in go.searchmoves:
            if move in moves:
                searchmoves.append(move)
            else:
                self.out.info(f"go: searchmoves {sanitize(move)!r} is not legal here")
        if go.mate is not None:
            return self._find_mate(task, engine)
        self._configure(engine, go)
        if engine.may_declare():
            self.out.line("info depth 0 score mate +")
            return "bestmove win"
        if (answer := self._book_answer(go, engine, moves)) is not None:
            return answer
        task.only = len(searchmoves or moves) == 1
        shows = self._shows()
        with self._lock:
            limits = self._limits(task, searchmoves or (moves if self._weak(go) else []))
            self._fresh = False
            engine.arm()  # from here on a stop or a ponderhit reaches the search, even before it has begun
            task.running = True
        try:
            found = engine.search(on_info=shows, **limits)
        finally:
            with self._lock:
                task.running = False
        for line in found.lines:
            shows.show(line)
        return self._bestmove(found)

    def _open_book(self) -> None:
        """Have the book that the options ask for; one that can not be read is reported once, and there is none."""
        wanted = self.options.text("BookFile") if self.options.flag("USI_OwnBook") else ""
        if wanted == self._book_name:
            return
        self._book_name, self._book = wanted, Book()
        if wanted not in NO_BOOK:
            try:
                self._book = Book.load(located(wanted))
            except BookError as fault:
                self.out.info(f"no book: {fault}; BookFile {sanitize(wanted)}")

    def _book_answer(self, go: Go, engine: "Engine", moves: list[str]) -> str | None:
        """Return the answer to a `go` by the clock from the book, None if there is none."""
        by_clock = go.has_clock() or go.movetime is not None
        if not by_clock or go.infinite or go.searchmoves or go.depth or go.nodes or self._weak(go):
            return None
        self._open_book()
        if not self._book.positions:
            return None
        number, flag = self.options.number, self.options.flag
        found = self._book.choose(
            engine.position_text,
            moves,
            self.rng,
            best=number("BookMoves"),
            margin=number("BookEvalDiff"),
            flipped=flag("FlippedBook"),
        )
        if found is None:
            return None
        pv = [each for each in (found.move, found.ponder) if each]
        self.out.line(f"info depth {found.depth} score cp {found.value} nodes 0 time 0 pv {' '.join(pv)}")
        self.out.info("book move")
        return " ponder ".join(["bestmove " + found.move, *pv[1:]])

    def _configure(self, engine: "Engine", go: Go) -> None:
        """Tell the engine by which rules the game is played, and how to evaluate."""
        white = self.position.white_to_move
        draw = self.options.number("DrawValueWhite" if white else "DrawValueBlack")
        rule = ENTERING_KING_RULES.index(self.options.text("EnteringKingRule"))
        engine.solve_roots = self.options.flag("MateSearch") and not self._weak(go)
        engine.configure(
            evaluation=EVALUATIONS.index(self.options.text("EvalType")),
            entering_king_rule=rule,
            max_moves=self.options.number("MaxMovesToDraw"),
            draw_value=(-draw, draw) if white else (draw, -draw),
        )

    def _find_mate(self, task: Task, engine: "Engine") -> str:
        """Answer `go mate`."""
        with Heartbeat(self.out):  # the first time, the solver is compiled
            engine.warmup_mate()
        with self._lock:
            if task.stopped:
                return "checkmate timeout"
            self._fresh = False
            engine.arm()
            task.running = True
        left = max(task.go.mate - (time.monotonic() - task.came) * 1000, LEAST_MS) if task.go.mate else None
        try:
            found = engine.find_mate(max_ms=left, progress=self._mate_progress)
        except ValueError as fault:  # nobody to be mated
            self.out.info(str(fault))
            return "checkmate nomate"
        finally:
            with self._lock:
                task.running = False
        if found.result == "mate":
            score = f"mate {found.length}"
            self.out.line(
                info_line(
                    depth=found.length, seldepth=found.length, multipv=0, score=score, bound="", nodes=found.nodes,
                    seconds=found.seconds, hashfull=0, pv=found.moves,
                )
            )  # fmt: skip
        return f"checkmate {' '.join(found.moves) or found.result}"

    def _mate_progress(self, nodes: int, seconds: float) -> None:
        self.out.line(f"info time {int(seconds * 1000)} nodes {nodes} nps {int(nodes / max(seconds, 0.001))}")

    def _bestmove(self, found: "SearchResult") -> str:
        if found.value <= -self.options.number("ResignValue"):
            return "bestmove resign"
        ponder = f" ponder {found.ponder}" if found.ponder else ""
        return f"bestmove {found.bestmove}{ponder}"

    # ---- console extras ---------------------------------------------------------------------------------------

    def _show_position(self) -> None:
        for line in self._ready_engine().diagram().splitlines():
            self.out.line(line)

    def _show_moves(self) -> None:
        moves = self._ready_engine().legal_moves()
        self.out.line(f"{len(moves)} moves: {' '.join(moves)}")

    def _show_value(self) -> None:
        self.out.line(f"static value: {self._ready_engine().evaluate()} (side to move)")

    def _flip(self) -> None:
        """Go on with the position turned around and its colours exchanged."""
        self._place(Position(turned(self._ready_engine().position_text)))

    def _bench(self) -> None:
        from shogi_engine.bench import bench

        self._ready_engine()
        result = bench("shogi", lambda done, whole: self.out.info(f"bench {done}/{whole}"))
        speed = int(result.nodes / result.seconds) if result.seconds > 0 else 0
        self.out.line(f"Bench: {result.nodes}   ({result.seconds:.2f} s, {speed} nodes/s)")

    def _perft(self, depth: int, wanted: threading.Event) -> None:
        """Count; `stop` is obeyed after each root move."""

        def go_on(done: int, whole: int) -> None:
            if not wanted.is_set():
                raise ProtocolError(f"perft {depth}: stopped after {done} of {whole} moves")

        try:
            result = self._ready_engine().perft(min(depth, 60), progress=go_on)
        finally:
            with self._lock:
                self._counts.remove(wanted)
        for move, nodes in result.divide.items():
            self.out.line(f"{move}: {nodes}")
        speed = int(result.nodes / result.seconds) if result.seconds > 0 else 0
        self.out.line(f"perft {depth}: {result.nodes} nodes, {result.seconds:.3f} s, {speed} nodes/s")


class InfoWriter:
    """Prints the lines of one search, but not oftener than every `interval_ms`; the lines of one depth together."""

    def __init__(self, output: Output, interval_ms: int, numbered: bool) -> None:
        self._out, self._interval, self._numbered = output, interval_ms / 1000, numbered
        self._last = time.monotonic()
        self._open = False  # the lines of this depth are being shown

    def __call__(self, line: "PvInfo") -> None:
        now = time.monotonic()
        if line.multipv <= 1:
            self._open = now - self._last >= self._interval
            if self._open:
                self._last = now
        if self._open:
            self.show(line)

    def show(self, line: "PvInfo") -> None:
        """Print one line, whenever."""
        self._out.line(
            info_line(
                depth=line.depth,
                seldepth=line.seldepth,
                multipv=line.multipv if self._numbered else 0,
                score=line.score,
                bound=line.bound,
                nodes=line.nodes,
                seconds=line.seconds,
                hashfull=line.hashfull,
                pv=line.pv,
            )
        )


def main(load: Callable[[], "Engine"] = load_engine) -> int:
    """Speak USI on standard input and output until `quit` or the end of input."""
    return run_stdio(UsiOutput, lambda output, lines: Loop(output, load).run(lines))
