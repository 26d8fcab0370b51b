"""The USI loop. Its reader, worker, loader and ending are those of `frontends.core`.

The reader executes urgent commands at once: usi, stop, ponderhit, gameover, quit, and isready during a search. The
worker executes all other commands in order, so a GUI may send many commands without waiting. In a script, all of them
wait for the answers to earlier commands (see `frontends.core`). Each `go` is
answered by exactly one bestmove (or checkmate). If it ponders or is infinite, the answer waits for `stop` or
`ponderhit`.
"""

import os
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from shogi_engine import __version__
from shogi_engine.common.system import machine_megabytes
from shogi_engine.common.text import SHOWN_WITH_PATH, nodes_per_second, sanitize
from shogi_engine.common.threads import Search
from shogi_engine.frontends.core import Command, FrontEnd, run_stdio
from shogi_engine.games.shogi.names import ENTERING_KING_RULES, FULL, flip_sfen, worth_table
from shogi_engine.interface.extras import lowest
from shogi_engine.search.timeman import fixed, in_full_seconds, plan
from shogi_engine.types.limits import LEAST_MS, SIDES, Limit, TimeBudget
from shogi_engine.types.results import PlayResult, Score
from usi import protocol
from usi.options import OPTIONS, Choice, Options, OwnBook, choice_of, file_facts, use
from usi.protocol import Go, InfoWriter, Position, ProtocolError, UsiOutput

if TYPE_CHECKING:
    from shogi_engine.engine import Engine


# ---- A `go` of the worker. Standard library only


class GoCommand(Command):
    """A `go`, and its state.

    Attributes:
        ahead: the search of the position before the opponent's move, None for none
        only: whether there is only one legal move
        released: set when the answer may be sent
    """

    def __init__(self, go: Go, work: Callable[[], None], requested: float) -> None:
        super().__init__(work, requested, bounded=go.is_bounded(), pondering=go.ponder)
        self.go = go
        self.ahead: Search[Any] | None = None
        self.only = False
        self.released = threading.Event()
        if not (go.ponder or go.infinite):
            self.released.set()

    def stop(self) -> None:
        """Stop the search, and allow the answer."""
        super().stop()
        self.released.set()
        if self.ahead is not None:
            self.ahead.stop()


PARAMETER = "param."  # prefix of undeclared options that set a parameter in Game.params
MATED = 31_999  # centipawns, for ResignValue: with a larger one, such as the default, the engine plays on to the mate
BOOK_PAUSE = 0.002  # seconds before a book's answer: uci2wb loses one that comes while it still handles the last move


class Loop(FrontEnd):
    """A USI session and its state.

    Args:
        load: returns a compiled engine with the default evaluation; if None, the Shogi engine is loaded, and compiled
            for the evaluation that the options select when it is first needed
        leave: ends the process with an exit status

    Attributes:
        position: the position in use, as the GUI sent it
        board: the position in use
        evaluation: the engine's evaluation
        speed: the nodes per second of the last search
    """

    refusals = protocol.ProtocolError

    def __init__(
        self, output: UsiOutput, load: Callable[[], "Engine"] | None = None, leave: Callable[[int], object] = os._exit
    ) -> None:
        super().__init__(output, load or self._load_shogi, leave)
        self.options = Options()
        self._announced = Options()  # the options that the reader has seen; the worker may not have set them yet
        self.position = protocol.Position()
        self.board: Any = None  # until the engine is loaded
        self.book = OwnBook(self.options, output)
        self._sizes = (0, 0)  # the engine's hash and threads
        self.evaluation = Choice() if load else None  # the engine's; None before it is compiled
        self.speed: int | None = None  # nodes per second of the last search
        self._fresh = True  # nothing has been searched since the table was cleared
        self._readers: dict[str, Callable[[list[str], float], None]] = {
            "usi": self._usi,
            "isready": self._isready,
            "setoption": self._setoption,
            "usinewgame": lambda words, received_at: self.put(Command(self._new_game, received_at, awaited=False)),
            "position": self._position,
            "sfen": lambda words, received_at: self._position(["sfen", *words], received_at),
            "startpos": lambda words, received_at: self._position(["startpos", *words], received_at),
            "go": self._go,
            "stop": lambda words, received_at: self.stop_all(),
            "gameover": lambda words, received_at: self.stop_all(),
            "ponderhit": self._ponderhit,
        }
        self._console: dict[str, Callable[[], None]] = {
            "d": self._show_position, "moves": self._show_moves, "side": self._show_side, "eval": self._show_value,
            "flip": self._flip, "bench": self._bench,
        }  # fmt: skip

    # ---- the reader's side ------------------------------------------------------------------------------------

    def obey(self, text: str, received_at: float) -> None:
        """Execute or queue one line. Unknown first words are skipped, as the protocol requires."""
        words = text.split()
        while words and words[0] not in self._readers and words[0] not in self._console:
            words.pop(0)
        if words and words[0] in self._console:
            self.put(Command(self._console[words[0]], received_at))
        elif words:
            self._readers[words[0]](words[1:], received_at)

    def fail(self, fault: Exception) -> None:
        """Report what was wrong with a line, or an internal error."""
        self.out.info(str(fault) if isinstance(fault, protocol.ProtocolError) else f"internal error: {fault!r}")

    def fail_to_load(self, failure: BaseException) -> None:
        """Report why the engine could not be loaded."""
        self.out.info(f"the engine cannot start: {failure!r}")

    def say_alive(self, text: str) -> None:
        """Report what takes long, so that the GUI does not give up."""
        self.out.info(text)

    def _usi(self, words: list[str], received_at: float) -> None:
        self.out.line(f"id name shogi_engine {__version__}")
        self.out.line("id author the shogi_engine authors")
        for option in OPTIONS:
            self.out.line(option.declaration())
        self.out.line("usiok")

    def _isready(self, words: list[str], received_at: float) -> None:
        if self.loaded and any(isinstance(task, GoCommand) for task in self.pending()):
            self.out.line("readyok")  # sent during a search, which continues
        else:
            self.put(Command(self._ready, received_at))

    def _setoption(self, words: list[str], received_at: float) -> None:
        option = protocol.parse_setoption(words)
        complains = option.name.lower().startswith(PARAMETER)  # or may do so, and then a script waits for it
        try:
            complains |= self._announced.set(option.name, option.value) == "DebugLogFile"
        except protocol.ProtocolError:  # the worker reports it, in order
            complains = True
        self.put(Command(lambda: self._set(option.name, option.value), received_at, awaited=complains))

    def _position(self, words: list[str], received_at: float) -> None:
        position = protocol.parse_position(words)
        self.put(Command(lambda: self.place(position), received_at))  # a script waits for it: there may be a message

    def _go(self, words: list[str], received_at: float) -> None:
        go = protocol.parse_go(words)
        for fault in go.faults:
            self.out.info(fault)
        if go.perft is not None:
            if depth := go.perft:
                self.put(Command(lambda: self._run_perft(depth), received_at))
            return
        for other in self.pending():
            if isinstance(other, GoCommand) and not other.released.is_set():
                other.stop()  # the GUI has sent a new go without stop, so it no longer needs that search
        task = GoCommand(go, lambda: self._search(task), received_at)
        if self._announced.limit_searches() and not (go.infinite or go.ponder or go.mate is not None):
            task.bounded = True
        self.put(task)

    def _ponderhit(self, words: list[str], received_at: float) -> None:
        update = protocol.parse_go(words)
        for fault in update.faults:
            self.out.info(fault)
        pondering = [task for task in self.pending() if isinstance(task, GoCommand) and task.pondering]
        task = next((task for task in pondering if not task.stopped), None)
        if task is None:
            return
        for name in ("btime", "wtime", "byoyomi", "binc", "winc", "movetime"):
            value = getattr(update, name)
            if value is not None:
                setattr(task.go, name, value)
        task.bounded = not task.go.infinite
        task.ponderhit(self._budget(task), received_at)
        if task.ahead is not None:
            task.ahead.stop()  # the worker then searches the position after the move played
        if not task.go.infinite:
            task.released.set()

    def _load_shogi(self) -> "Engine":
        """Return the engine, not compiled yet: the options have not come."""
        from shogi_engine.engine import Engine

        return Engine("shogi")

    # ---- the worker's side: what changes the state ------------------------------------------------------------

    def ready_engine(self) -> "Engine":
        """Wait for the engine and set its sizes and evaluation from the options."""
        engine = self.engine
        sizes = self.options.number("USI_Hash"), self.options.number("Threads")
        if sizes != self._sizes:
            with self.heartbeat():
                self._resize(*sizes)
            self._sizes = sizes
            self.free_at = time.monotonic()
        evaluation = choice_of(self.options)
        if evaluation != self.evaluation:
            self.evaluation, self.speed = evaluation, None
            with self.heartbeat():  # the search may have to be compiled for this evaluation
                use(engine, evaluation, lambda text: self.out.line(f"info string {sanitize(text, SHOWN_WITH_PATH)}"))
            self.free_at = time.monotonic()
        self.board = self.board or engine.board()
        return engine

    def _resize(self, hash_mb: int, threads: int) -> None:
        """Set the table's size and the number of threads. If a table is too large, report it and keep the old one."""
        self.engine.resize(threads=threads)
        most = machine_megabytes()
        if most and hash_mb > most:  # the system might overcommit, and kill the process when the table is written
            self.out.info(f"USI_Hash {hash_mb} is too large: this machine has {most} MB; the table is unchanged")
            return
        try:
            self.engine.resize(hash_mb=hash_mb)
        except MemoryError:
            self.out.info(f"not enough memory for USI_Hash {hash_mb}; the table is unchanged")

    def _ready(self) -> None:
        """Answer isready. The table is cleared here, because a GUI sends isready before each game and no clock runs."""
        self.ready_engine()
        with self.heartbeat():
            self._new_game()
            if self.options.flag("MateSearch"):
                self.engine.load_solver()
            self.book.open(self.engine)
        self.out.line("readyok")
        self.book.load()

    def _set(self, name: str, value: str) -> None:
        if name.lower().startswith(PARAMETER):
            try:
                self.ready_engine().configure(**{name[len(PARAMETER) :]: value})
            except ValueError as fault:
                raise protocol.ProtocolError(f"setoption: {fault}") from None
            return
        if self.options.set(name, value) == "DebugLogFile":
            try:
                self.out.open_log(self.options.text("DebugLogFile"))
            except OSError as fault:
                raise protocol.ProtocolError(f"setoption: DebugLogFile {fault.strerror}") from None
            except ValueError as fault:
                raise protocol.ProtocolError(f"setoption: {fault}") from None

    def _new_game(self) -> None:
        if not self._fresh:
            self.engine.new_game()
            self._fresh = True

    def place(self, position: protocol.Position) -> None:
        """Set the position. If it is invalid, keep the previous one and raise ProtocolError."""
        engine = self.ready_engine()
        try:
            self.board = engine.board(position.root, position.moves)
        except ValueError as fault:
            raise protocol.ProtocolError(f"position: {fault}; the position is unchanged") from None
        self.position = position

    # ---- the worker's side: the console's commands beyond the protocol ------------------------------------------

    def _show_position(self) -> None:
        """Print the board."""
        self.ready_engine()
        for line in self.board.diagram().splitlines():
            self.out.line(line)

    def _show_moves(self) -> None:
        """Print the legal moves on one line, as YaneuraOu does for programs like Ayane."""
        self.ready_engine()
        self.out.line(" ".join(map(str, self.board.legal_moves)))

    def _show_side(self) -> None:
        """Print the side to move, `black` or `white`, as YaneuraOu does."""
        self.out.line(SIDES[self.position.white_to_move])

    def _show_value(self) -> None:
        """Print the static value of the position, the evaluation in use, and the value of each piece."""
        engine = self.ready_engine()
        value = engine.evaluate(self.board)
        self.out.line(f"static value: {value} (side to move)")
        self.out.line(f"evaluation: {sanitize(engine.searcher.evaluator.describe(), SHOWN_WITH_PATH)}")
        if self.evaluation and (facts := file_facts(engine, self.evaluation)):
            self.out.line(f"its file: {facts}")
        if self.speed is not None:
            self.out.line(f"nodes/s of the last search: {self.speed}")
        self.out.line("value of each piece, for its own side:")
        for line in worth_table(self.board.sfen(), lambda text: engine.evaluate(engine.board(text))):
            self.out.line(line)
        self.out.line(f"eval = {value}")

    def _flip(self) -> None:
        """Rotate the position by 180 degrees and exchange the colours."""
        self.ready_engine()
        self.place(Position(flip_sfen(self.board.sfen())))

    def _bench(self) -> None:
        """Print the number of nodes of the benchmark. `stop` takes effect after the current position."""
        from shogi_engine.suites import bench

        task = self.task

        def show_progress(done: int, whole: int) -> None:
            if task.stopped:
                raise ProtocolError(f"bench: stopped after {done} of {whole} positions")
            self.out.info(f"bench {done}/{whole}")

        self.ready_engine()
        result = bench("shogi", show_progress)
        per_second = nodes_per_second(result.nodes, result.seconds)
        self.out.line(f"Bench: {result.nodes}   ({result.seconds:.2f} s, {per_second} nodes/s)")

    def _run_perft(self, depth: int) -> None:
        """Count leaf nodes and print the number for each root move. `stop` takes effect at once."""
        task, engine = self.task, self.ready_engine()
        try:
            result = engine.perft(self.board, min(depth, 60), search=task)
        except Exception as failure:
            if task.stopped and not isinstance(failure, ProtocolError):
                raise ProtocolError(f"perft {depth}: {failure}") from None  # its text says how far it got
            raise
        for move, nodes in result.divide.items():
            self.out.line(f"{move}: {nodes}")
        per_second = nodes_per_second(result.nodes, result.seconds)
        self.out.line(f"perft {depth}: {result.nodes} nodes, {result.seconds:.3f} s, {per_second} nodes/s")

    # ---- the worker's side: go --------------------------------------------------------------------------------

    def _budget(self, task: GoCommand) -> TimeBudget | None:
        """Return the time for a move, counted from the moment the clock started; None without a clock."""
        go, options = task.go, self.options.time_options()
        budget = None
        if go.has_clock():
            clock = go.clock(self.position.white_to_move)
            budget = plan(clock, self.position.ply, options, self.options.number("MaxMovesToDraw"))
            if self.options.flag("RoundUpToFullSecond"):
                budget = in_full_seconds(budget, clock, options)
        if go.movetime is not None:
            whole = fixed(go.movetime, options)
            if budget is None or whole.hard_ms < budget.hard_ms:
                budget = whole
        elif budget is not None and task.only:
            budget = budget.for_only_move()
        if budget is None and (go.faults or go.ponder) and not (go.has_limit() or go.infinite):
            budget = fixed(protocol.FALLBACK_MS, options)  # no one will stop this search
        return budget

    def _elapsed_ms(self, task: GoCommand) -> float:
        """Return the time that a `go` has used. Without a clock, it counts from when the engine was ready and idle."""
        since = task.requested if task.go.has_clock() else max(task.requested, self.free_at)
        return (time.monotonic() - since) * 1000

    def _weak(self, go: protocol.Go) -> bool:
        """Tell whether weaker play is expected; analysis and mate searches are never weakened."""
        return self.options.number("SkillLevel") < FULL and go.mate is None and not go.infinite

    def _limit(self, task: GoCommand) -> Limit:
        """Return the limit of a search that starts now."""
        go, number = task.go, self.options.number
        budget = None if task.ponders() or go.infinite else self._budget(task)
        return Limit(
            depth=lowest(go.depth, number("DepthLimit") or None),
            nodes=lowest(go.nodes, number("NodesLimit") or None),
            level=number("SkillLevel") if self._weak(go) else None,
            budget=budget and budget.less(self._elapsed_ms(task)),
        )

    def _search(self, task: GoCommand) -> None:
        """Answer one `go`, even if the search raises an exception."""
        answer = "checkmate timeout" if task.go.mate is not None else "bestmove resign"
        try:
            engine = self.ready_engine()
            if task.pondering and self.options.flag("Stochastic_Ponder") and self.position.moves:
                self._ponder_ahead(task, engine)
            moves = list(self.board.legal_moves)
            if moves and task.go.mate is None:
                answer = f"bestmove {moves[0]}"
            answer = self._think(task, engine, moves)
        except Exception as failure:
            self.log_failure(failure)
            self.fail(failure)
        task.released.wait()
        self.finish(task)
        self.out.line(answer)
        self.free_at = time.monotonic()

    def _ponder_ahead(self, task: GoCommand, engine: "Engine") -> None:
        """Search the position before the opponent's last move until `ponderhit` or `stop`.

        This fills the table for all replies, not only for the expected one. After `ponderhit`, a new search starts from
        the game's position. The lines shown are the opponent's, as ShogiHome expects.
        """
        self._configure(engine, task.go)
        board, limit = self.board.copy(), self._limit(task)
        board.pop()
        with task.lock:
            task.ahead = Search() if task.pondering and not task.stopped else None
        try:
            writer = self._info_writer(board, list(board.legal_moves))
            self._fresh = False
            if task.ahead is not None:
                count = self.options.number("MultiPV")
                engine.analyse(board, limit, multipv=count, on_info=writer, search=task.ahead)
        except Exception as failure:
            self.log_failure(failure)
            self.fail(failure)
        finally:
            task.decided.wait()

    def _info_writer(self, board: Any, moves: list[Any]) -> InfoWriter:
        """Return the printer of the lines of a search among `moves` of a position."""
        named: dict[str, Any] = {}
        if self.options.flag("ConsiderationMode"):
            named["pv"] = lambda line: self.engine.continued_pv(board, line.pv, max(line.depth, 2))
        return InfoWriter(
            self.out,
            interval_ms=self.options.number("PvInterval"),
            numbered=self.options.number("MultiPV") > 1,
            count=min(self.options.number("MultiPV"), len(moves)),
            bounds=self.options.flag("OutputFailLHPV"),
            **named,
        )

    def _think(self, task: GoCommand, engine: "Engine", moves: list[Any]) -> str:
        """Search and print the last info lines; return the answer."""
        go = task.go
        if not moves:
            if go.mate is not None:
                return "checkmate nomate"
            self.out.line(f"info depth 0 score {Score.mated_in(0)}")
            return "bestmove resign"
        searchmoves = []
        for text in go.searchmoves:
            try:
                searchmoves.append(self.board.parse_usi(text))
            except ValueError:
                self.out.info(f"go: searchmoves {sanitize(text)!r} is not legal here")
        if go.mate is not None:
            return self._find_mate(task, engine)
        self._configure(engine, go)
        if engine.may_declare(self.board):
            self.out.line(f"info depth 0 score {Score.mate_in(None)}")
            return "bestmove win"
        if (answer := self.book.answer(go, engine, self.board)) is not None:
            time.sleep(BOOK_PAUSE)
            return answer
        task.only = len(searchmoves or moves) == 1
        writer = self._info_writer(self.board, searchmoves or moves)
        self._fresh = False
        count, limit = self.options.number("MultiPV"), self._limit(task)
        found = engine.play(self.board, limit, multipv=count, root_moves=searchmoves, on_info=writer, search=task)
        writer.finish(found.multipv)
        self.speed = int((found.info.nodes or 0) / max(found.time, 0.001))
        return self._bestmove(found)

    def _configure(self, engine: "Engine", go: protocol.Go) -> None:
        """Set the rules of the game in the engine."""
        white = self.position.white_to_move
        draw = self.options.number("DrawValueWhite" if white else "DrawValueBlack")
        rule = ENTERING_KING_RULES.index(self.options.text("EnteringKingRule"))
        engine.solve_roots = self.options.flag("MateSearch") and not self._weak(go)
        engine.configure(
            entering_king_rule=rule,
            max_moves=self.options.number("MaxMovesToDraw"),
            draw_value=(-draw, draw) if white else (draw, -draw),
        )

    def _find_mate(self, task: GoCommand, engine: "Engine") -> str:
        """Answer `go mate`."""
        used = self._elapsed_ms(task)
        with self.heartbeat():  # the solver may have to be compiled, which does not count as thinking time
            engine.warmup_mate()
        self._fresh = False
        try:
            left = max(task.go.mate - used, LEAST_MS) / 1000 if task.go.mate else None
            found = engine.mate(self.board, Limit(left), progress=self._mate_progress, search=task)
        except ValueError as fault:  # there is no king to mate
            self.out.info(str(fault))
            return "checkmate nomate"
        if found.result == "mate":
            line = protocol.info_line(
                depth=found.length,
                seldepth=found.length,
                score=Score.mate_in(found.length),
                nodes=found.nodes,
                seconds=found.seconds,
                hashfull=0,
                pv=found.moves,
            )
            self.out.line(line)
        return f"checkmate {' '.join(map(str, found.moves)) or found.result}"

    def _mate_progress(self, nodes: int, seconds: float) -> None:
        self.out.line(f"info time {int(seconds * 1000)} nodes {nodes} nps {int(nodes / max(seconds, 0.001))}")

    def _bestmove(self, found: PlayResult[Any]) -> str:
        score = found.info["score"]
        value = -MATED if score.mate and score.value < 0 else score.value
        if value <= -self.options.number("ResignValue"):
            return "bestmove resign"
        ponder = f" ponder {found.ponder}" if found.ponder else ""
        return f"bestmove {found.move}{ponder}"


def main(load: Callable[[], "Engine"] | None = None) -> int:
    """Speak USI on standard input and output until `quit` or the end of input."""
    return run_stdio(UsiOutput, lambda output, lines: Loop(output, load).run(lines))
