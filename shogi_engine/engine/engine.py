"""Engine: searches positions of one game, given in the game's notation.

    with Engine("shogi") as engine:
        engine.set_position(moves=["7g7f", "3c3d"])
        print(engine.search(movetime=1000).bestmove)

All front ends and commands use it. A process can have several engines, each with a separate table.
"""

import contextlib
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine import games
from shogi_engine.common.stop import StopToken
from shogi_engine.engine import parameters
from shogi_engine.engine.board_search import BoardSearches
from shogi_engine.engine.results import PvInfo, SearchResult, legal_line
from shogi_engine.interface.extras.levels import FULL_STRENGTH_MS, drawn_limits, lowest
from shogi_engine.interface.game import VALUE_MATE_IN_MAX, VALUE_NONE, Game, declaration_value, do_move
from shogi_engine.jit import Progress, Task, new_record, shared_task
from shogi_engine.perft import Perft, perft
from shogi_engine.search.context import copy_position, static_value
from shogi_engine.search.forced_win import ForcedWin, ForcedWinSolver, RootSolver
from shogi_engine.search.limits import Info, Limits, Result
from shogi_engine.search.root import Searcher
from shogi_engine.types.clock import TimeBudget


def _compile_task(game: str, evaluation: str) -> Task:
    """Return the task that compiles a game's search with the evaluation called `evaluation`, '' for the default."""
    return shared_task(f"{game} {evaluation}".strip())


class Engine(BoardSearches):
    """A player of one game.

    Args:
        game: 'shogi', 'othello', another name that `games.load` knows, or a Game
        evaluation: one of Game.evaluations, '' for the default
        hash_mb: the size of the transposition table in MB
        threads: the number of search threads
        on_progress: called with a jit.Progress for each kernel compiled by the constructor, `warmup`, or before the
            first search or mate search; it must return quickly and must not call the engine
    """

    def __init__(
        self,
        game: str | Game = "shogi",
        *,
        evaluation: str = "",
        hash_mb: int = 64,
        threads: int = 1,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self._on_progress = on_progress
        self._compile_task = _compile_task(game if isinstance(game, str) else game.name, evaluation)
        with self._compiling():
            self.game = games.load(game) if isinstance(game, str) else game
            self._build(evaluation, hash_mb, threads)

    def _build(self, evaluation: str, hash_mb: int, threads: int) -> None:
        self._stop = StopToken()  # the parent of the search's and the solvers' tokens
        self.searcher = Searcher(
            self.game, evaluation=evaluation, hash_mb=hash_mb, threads=threads, stop_token=StopToken(self._stop)
        )
        self._undo = new_record(self.game.undo)
        self._searching = threading.Lock()
        self._claimed_by = 0  # the thread that already holds the lock for its next search
        self._root_solver = RootSolver(self.game, threads, self._stop)
        self._mate_solver: ForcedWinSolver | None = None
        self._mate_solver_memory: Any = None
        self.rng = random.Random()
        self.solve_roots = True  # look for forced wins during searches, once `load_solver` has been called
        self._warm_evaluator: Any = None  # the evaluation that the search is compiled for
        self._warm_solver = False
        self._root_text: str | None = None
        self._texts: list[str] = []
        self._positions: list[Any] = []  # the root, and the position after each move
        self.moves: list[int] = []  # encoded
        self._legal: tuple[Any, list[str]] | None = None  # a position and its legal moves
        self.set_position()

    def _compiling(
        self, on_progress: Callable[[Progress], None] | None = None
    ) -> contextlib.AbstractContextManager[None]:
        """Report the kernels that are compiled inside the `with` block."""
        return self._compile_task.running(on_progress or self._on_progress)

    # ---- the position -----------------------------------------------------------------------------------------

    def set_position(self, text: str = "", moves: Sequence[str] = ()) -> None:
        """Set the position `text` ('' for the starting position) and play `moves` from it. They count for repetition.

        If something is invalid, raises ValueError saying what; the position is then unchanged.
        """
        with self._compiling():
            self._set_position(text, list(moves))

    def _set_position(self, text: str, texts: list[str]) -> None:
        same = 0  # the number of moves that are the same as before
        if text == self._root_text:
            while same < min(len(texts), len(self._texts)) and texts[same] == self._texts[same]:
                same += 1
            positions, encoded = self._positions[: same + 1], self.moves[:same]
        else:
            positions, encoded = [self.game.parse_position(text or self.game.start)], []
        for number, move in enumerate(texts[same:], same + 1):
            try:
                encoded.append(self.game.parse_move(positions[-1], move))
            except ValueError as fault:
                raise ValueError(f"move {number}: {fault}") from None
            texts[number - 1] = self.game.format_move(positions[-1], encoded[-1])
            positions.append(self._after(positions[-1], encoded[-1]))
        self._root_text, self._texts, self._positions, self.moves = text, texts, positions, encoded

    def _after(self, position: Any, move: int) -> Any:
        """Return the position after the legal `move`."""
        child = copy_position(self.game, position)
        do_move(child, np.uint32(move), self._undo)
        return child

    @property
    def root(self) -> Any:
        """The starting position of the game, record[game.position]."""
        return self._positions[0]

    @property
    def position(self) -> Any:
        """The position after all moves, record[game.position]."""
        return self._positions[-1]

    def push(self, move: str) -> None:
        """Play one move. Raises ValueError if it is not legal."""
        try:
            encoded = self.game.parse_move(self.position, move)
        except ValueError as fault:
            raise ValueError(f"move {len(self.moves) + 1}: {fault}") from None
        self._texts.append(self.game.format_move(self.position, encoded))
        self._positions.append(self._after(self.position, encoded))
        self.moves = [*self.moves, encoded]  # a new list, because a search in another thread may use the old one

    def pop(self) -> str:
        """Take back the last move and return it. Raises ValueError if there is none."""
        if not self._texts:
            raise ValueError("there is no move to take back")
        self._positions.pop()
        self.moves = self.moves[:-1]
        return self._texts.pop()

    @property
    def move_texts(self) -> list[str]:
        """The moves played from `root`, in the game's notation."""
        return list(self._texts)

    def legal_moves(self) -> list[str]:
        """Return all legal moves of the position. They are generated only once per position."""
        position = self.position
        if self._legal is None or self._legal[0] is not position:
            moves = self.searcher.root_moves(position)
            self._legal = position, [self.game.format_move(position, move) for move in moves]
        return list(self._legal[1])

    def may_declare(self) -> bool:
        """Tell whether the side to move can declare a win instead of moving."""
        with self.searcher.rules_at(self.position) as ctx:
            value = int(declaration_value(ctx))
        return VALUE_MATE_IN_MAX <= value != VALUE_NONE  # a smaller value is a draw

    def evaluate(self, text: str = "") -> int:
        """Return the static evaluation of the position, or of `text`, for the side to move, without a search.

        Raises ValueError if `text` is not a position.
        """
        shown = self.searcher.evaluator.evaluation.shown or static_value
        with self.searcher.rules_at(self.game.parse_position(text) if text else self.position) as ctx:
            return int(shown(ctx))

    def diagram(self) -> str:
        """Draw the position as text; for a game without a Board, return its notation."""
        try:
            return str(games.board(self.game, self.position).diagram())
        except ValueError:
            return self.position_text

    # ---- the search -------------------------------------------------------------------------------------------

    def search(
        self,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        movetime: float | None = None,
        mate: int | None = None,
        level: int | None = None,
        multi_probcut_margin: int | None = None,
        searchmoves: Sequence[str] = (),
        multipv: int = 1,
        budget: TimeBudget | None = None,
        on_info: Callable[[PvInfo], None] | None = None,
    ) -> SearchResult:
        """Search the position until a limit is reached or `stop` is called.

        Args:
            depth: the depth in plies
            nodes: the number of positions, of all threads together
            movetime: the time in ms, which is used completely
            mate: stop when a win within this number of plies is found
            level: search as a player of this level, if the game has levels; `depth` and `nodes` limit it further, and
                `multi_probcut_margin` overrides its own. Full strength (Shogi's level 20) takes 1 s if no other limit
                is given.
            multi_probcut_margin: see `search.limits.Limits`
            searchmoves: the moves to choose from; if empty, all moves
            multipv: the number of best moves to report
            budget: a time budget (see `search.limits.Limits`), which overrides `movetime`
            on_info: called with each report, in the searching thread

        Raises:
            ValueError: a limit is invalid, or a move in `searchmoves` is illegal
            RuntimeError: a search of this engine is running
        """
        for name, limit in (("depth", depth), ("nodes", nodes), ("mate", mate), ("multipv", multipv)):
            if limit is not None and limit < 1:
                raise ValueError(f"{name} must be at least 1, not {limit}")
        if movetime is not None and not movetime >= 0:
            raise ValueError(f"movetime must be at least 0, not {movetime}")
        selectivity = None
        if level is not None:
            plan = self.check_level(level)
            if plan.is_full_strength() and all(limit is None for limit in (depth, nodes, movetime, mate, budget)):
                movetime = FULL_STRENGTH_MS
            selectivity = plan.selectivity if depth is None and nodes is None else None
            drawn = drawn_limits(plan, searchmoves or self.legal_moves() if plan.moves else (), self.rng)
            searchmoves = drawn.get("searchmoves", searchmoves)
            depth, nodes = lowest(depth, drawn.get("depth")), lowest(nodes, drawn.get("nodes"))
            multi_probcut_margin = (
                drawn.get("multi_probcut_margin") if multi_probcut_margin is None else multi_probcut_margin
            )
        limits = Limits(
            depth=depth,
            nodes=nodes,
            mate=mate,
            budget=budget if budget or movetime is None else TimeBudget.exactly(movetime),
            multi_probcut_margin=multi_probcut_margin,
            searchmoves=tuple(self.game.parse_move(self.position, move) for move in searchmoves),
            multipv=multipv,
        )
        with self._only_search(), self._compiling():
            self._warm_up_search(limits.budget is not None)
            position = self.position
            report = (lambda info: on_info(PvInfo(self.game, position, info))) if on_info else None
            result, limits = self._root_solver.before(position, limits, self.searcher.tt, selectivity, report)
            if result is None:
                result = self._search_beside(limits, report)
        return SearchResult(self.game, position, result)

    def _warm_up_search(self, timed: bool) -> None:
        """Compile the kernels that a search needs, or load them from the cache, before its clock starts.

        Args:
            timed: whether the search has a time limit
        """
        if self._warm_evaluator is not self.searcher.evaluator:
            self.searcher.warmup()
            self._warm_evaluator = self.searcher.evaluator
        if timed and not self._warm_solver:
            self._root_solver.warmup()
            self._warm_solver = True

    @contextlib.contextmanager
    def _only_search(self) -> Iterator[None]:
        """Prevent other searches from starting inside the `with` block. Raises RuntimeError if one is running."""
        claimed, self._claimed_by = self._claimed_by == threading.get_ident(), 0
        with contextlib.nullcontext() if claimed else self._idle():
            self._stop.begin()
            yield

    @contextlib.contextmanager
    def _idle(self) -> Iterator[None]:
        """Prevent all searches from starting inside the `with` block. Raises RuntimeError if one is running."""
        if not self._searching.acquire(blocking=False):
            raise RuntimeError("this engine is already searching")
        try:
            yield
        finally:
            self._searching.release()

    def _search_beside(self, limits: Limits, report: Callable[[Info], None] | None) -> Result:
        """Search, while a solver looks for a forced win in another thread."""
        if not self.solve_roots:
            return self.searcher.search(self.root, self.moves, limits, report)
        self.searcher.ensure_prepared()  # a win may be found before the search begins, and then ends it too
        with self._root_solver.during(self.position, limits, self.searcher.tt, self.searcher.stop):
            result = self.searcher.search(self.root, self.moves, limits, report)
        return self._root_solver.best(result)

    def find_mate(
        self,
        *,
        max_ms: float | None = None,
        nodes: int | None = None,
        shortest: bool = False,
        every: bool = False,
        progress: Callable[[int, float], None] | None = None,
    ) -> ForcedWin[str]:
        """Search for a forced mate by checks until it is proven or disproven, a limit is reached, or `stop` is called.

        The solver uses the memory of the transposition table and overwrites a part of it. The first call compiles
        kernels and reports the progress like `warmup`.

        Args:
            max_ms: the time limit in ms
            nodes: the maximum number of moves made
            shortest: after the first mate, search for shorter mates
            every: also return the other first moves that lead to mate
            progress: called at intervals, in another thread, with the nodes and seconds so far

        Raises:
            ValueError: the game has no mate solver, or there is no king to mate
            RuntimeError: a search of this engine is running
        """
        with self._only_search():
            limits = {"max_ms": max_ms, "nodes": nodes, "shortest": shortest, "every": every}
            position = self.position
            found = self._ready_mate_solver().solve(position, progress=progress, **limits)
        return found.convert(lambda moves: legal_line(self.game, position, moves))

    def warmup_mate(self) -> None:
        """Compile or load the kernels that `find_mate` needs. Raises ValueError like `find_mate`."""
        self._ready_mate_solver()

    def _ready_mate_solver(self) -> ForcedWinSolver:
        """Return the warmed-up solver that works in the table's memory."""
        if self.game.extras.mate_solver is None:
            raise ValueError(f"{self.game.name} has no mate solver")
        memory = self.searcher.tt.words
        if self._mate_solver is None or self._mate_solver_memory is not memory:
            solver: ForcedWinSolver = self.game.extras.mate_solver(memory=memory, stop_token=StopToken(self._stop))
            with self._compiling():
                solver.warmup()
            self._mate_solver, self._mate_solver_memory = solver, memory
        return self._mate_solver

    def continued_pv(self, line: PvInfo) -> list[str]:
        """Return the moves of a reported line, extended by the table's best moves up to the depth searched.

        A reported line is short if a table entry ended it. Call this in `on_info`, or after the search.
        """
        moves = self.searcher.extended(self.position, line.encoded, max(line.depth, 2))
        return legal_line(self.game, self.position, moves)

    def load_solver(self, wait: bool = False) -> None:
        """Load, in a thread, the solver that looks for forced wins during searches; `wait` waits for it."""
        self._root_solver.load(wait)

    def prepare(self) -> None:
        """Announce a search. From now on, `stop` and `extend` apply to it, even if they are called before it begins."""
        self._stop.prepare()
        self.searcher.prepare()

    def stop(self) -> None:
        """Stop the running or announced search, from any thread. The search returns its best move so far."""
        self._stop.stop()

    def extend(self, budget: TimeBudget | None) -> None:
        """Give the running or announced search a new time budget, which begins now."""
        self.searcher.extend(budget)

    def new_game(self) -> None:
        """Clear the table and the histories. Raises RuntimeError if a search of this engine is running."""
        with self._idle():
            self.searcher.new_game()
            self._root_solver.new_game()

    def resize(self, *, hash_mb: int | None = None, threads: int | None = None) -> None:
        """Change the table's size or the number of threads. Raises RuntimeError while this engine is searching."""
        with self._idle():
            self.searcher.resize(hash_mb, threads)
            if threads is not None:
                self._root_solver.set_threads(threads)
            self._mate_solver = self._mate_solver_memory = None  # otherwise the old table would stay in memory

    def set_evaluation(self, name: str = "", file: Path | None = None) -> None:
        """Set the evaluation, '' for the default, with the weights in `file`, None for its own.

        See `Searcher.set_evaluation`. Raises RuntimeError if a search of this engine is running.
        """
        with self._idle():
            before = self.searcher.evaluator
            self.searcher.set_evaluation(name, file)
            if self.searcher.evaluator is not before:
                self._compile_task = _compile_task(self.game.name, name)

    def describe_evaluation(self) -> str:
        """Describe the evaluation in use: its name and its weights."""
        return self.searcher.evaluator.describe()

    def configure(self, *, evaluation: str | None = None, **values: Any) -> None:
        """Set the evaluation and parameters of the game (fields of `Game.params`) for future searches."""
        if evaluation is not None:
            self.set_evaluation(evaluation)
        for name, value in values.items():
            self.searcher.params[name] = value

    def set_parameter(self, name: str, text: str) -> None:
        """Set a parameter of the game or the evaluation (see `parameters.defaults`) for future searches.

        Raises ValueError for an unknown parameter or an invalid value.
        """
        if name == parameters.EVALUATION:
            self.set_evaluation(text)
        else:
            parameters.assign(self.searcher, name, int(text))

    def warmup(self, on_progress: Callable[[Progress], None] | None = None) -> None:
        """Compile all kernels that a search and the notation need, or load them from the cache, and allocate memory.

        Args:
            on_progress: called instead of the callback given to the constructor
        """
        self._warm_evaluator, self._warm_solver = None, False
        with self._compiling(on_progress):
            self._warm_up_search(timed=True)
            self.may_declare()
            for move in self.search(nodes=3000).pv[:1]:
                self.push(move)
                self.pop()
            self.new_game()
        self._compile_task.remember()

    def perft(self, depth: int, **options: Any) -> Perft:
        """Count the leaf nodes at `depth`; `options` are those of `perft.perft`. Raises PerftStopped after `stop`."""
        self._stop.begin()
        return perft(self.game, self.position, depth, stop_token=self._stop, **options)

    def close(self) -> None:
        """Stop a running search. Memory is freed with the object."""
        self.stop()

    def __enter__(self) -> "Engine":
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()
