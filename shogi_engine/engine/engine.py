"""Engine: searches positions of one game, given in the game's notation.

    with Engine("shogi") as engine:
        engine.set_position(moves=["7g7f", "3c3d"])
        print(engine.search(movetime=1000).bestmove)

All front ends and commands use it. A process can have several engines, each with a separate table.
"""

import contextlib
import copy
import math
import queue
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Generic, Self, TypedDict, Unpack, cast, overload

import numpy as np

from shogi_engine import games
from shogi_engine.common.stop import StopToken
from shogi_engine.common.threads import Search, received
from shogi_engine.engine import parameters
from shogi_engine.engine.results import Line, PvInfo, SearchResult, legal_line
from shogi_engine.interface.extras import (
    FULL_STRENGTH_MS,
    BookMove,
    LevelPlan,
    OpeningBook,
    choose,
    drawn_limits,
    lowest,
)
from shogi_engine.interface.game import VALUE_MATE_IN_MAX, VALUE_NONE, Game, declaration_value, do_move
from shogi_engine.jit import new_record
from shogi_engine.language import InputError
from shogi_engine.perft import Perft, perft
from shogi_engine.search.context import copy_position, static_value
from shogi_engine.search.forced_win import ForcedWinSolver, RootSolver
from shogi_engine.search.root import Searcher
from shogi_engine.search.timeman import Info as Found, Limits, Result, TimeOptions, budget_of, plan
from shogi_engine.types.limits import (
    Clock,
    Limit,
    TimeBudget,
    check_board,
    check_limit,
    check_names,
    check_number,
    move_texts,
    no_limit,
)
from shogi_engine.types.results import BoardLike, ForcedWin, Info, Move, Moves, PlayResult

# ---- Analysis: a search of an `Engine` in another thread


OnInfo = Callable[[PvInfo], None]


class Analysis(Search[SearchResult], Generic[Move]):
    """A search in another thread. Iterate over it to receive its reports. The end of a `with` block stops it.

    So does Ctrl-C while its reports or its end are waited for.
    """

    def __init__(self, engine: Any, search: Callable[[OnInfo], SearchResult], line: Line[Move]) -> None:
        self._player, self._line = engine, line
        self._reports: queue.SimpleQueue[PvInfo | BaseException | None] = queue.SimpleQueue()
        self._lines: dict[int, PvInfo] = {}
        announced = contextlib.ExitStack()

        def work(engine: Any, analysis: Self) -> SearchResult:
            with announced:
                return search(self._report)

        super().__init__(work, done=lambda analysis: self._reports.put(None))
        announced.enter_context(self.searching(engine, lambda: None))
        self.start(engine, "analysis")

    def __repr__(self) -> str:
        return f"<Analysis {'done' if self.ended else 'running'}: {self.info}>"

    def _report(self, info: PvInfo) -> None:
        if not info.bound:
            self._lines = {**self._lines, info.multipv: info}
        self._reports.put(info)

    @property
    def info(self) -> Info[Move]:
        """The latest report on the best move; empty before the first."""
        return next(iter(self.multipv), Info())

    @property
    def multipv(self) -> list[Info[Move]]:
        """The latest report on each of the best moves, best first."""
        return [info.convert(self._line) for _, info in sorted(self._lines.items())]

    def ponderhit(self, budget: Limit | TimeBudget | None, now: float | None = None) -> None:
        """Continue as a normal search, because the expected move was made. The time of the Limit begins now."""
        if isinstance(budget, Limit):
            budget = self._player.time_budget(budget)
        super().ponderhit(budget, now)

    def result(self) -> SearchResult:
        """Wait for the search to end and return its result. Raises any exception that the search raised."""
        with self._interruptible():
            self.join()
        return super().result()

    def wait(self) -> PlayResult[Move]:
        """Wait for the search to end and return its move. Raises any exception that the search raised."""
        return self.result().played(self._line)

    def __iter__(self) -> Iterator[Info[Move]]:
        """Yield each new report until the search ends. Raises any exception that the search raised."""
        while True:
            with self._interruptible():
                info = received(self._reports)
            if info is None:
                break
            yield info.convert(self._line)
        self._reports.put(None)
        self.result()

    @contextlib.contextmanager
    def _interruptible(self) -> Iterator[None]:
        """End the search if the wait for it is interrupted: no one may have it any more, and the engine is needed."""
        try:
            yield
        except KeyboardInterrupt:
            self._abandon()
            raise

    def _abandon(self) -> None:
        """Stop the search, and wait until the engine is free."""
        self.stop()
        self.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self._abandon()


# ---- The opening book of an engine. Its moves are looked up for the engine's position


class EngineBook:
    """The book of an `Engine`: the game's own until another is opened."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self._book: OpeningBook | None = None

    def open(self, name: str | OpeningBook | None = None) -> None:
        """Use an opening book from now on.

        Raises book.BookError, a ValueError, if the book cannot be read; the engine then has no book.

        Args:
            name: the name or path of a book, or an open book; None for the game's own book, '' for no book
        """
        self._book, open_book = None, self._engine.game.extras.open_book
        if not (name is None or isinstance(name, str)):
            self._book = name
        elif open_book is not None:
            self._book = open_book("")
            self._book = open_book(name)

    @property
    def notes(self) -> Sequence[str]:
        """What was passed over in the book's file."""
        return () if self._book is None else self._book.notes

    def moves(self, *, flipped: bool = True, any_ply: bool = True) -> list[BookMove]:
        """Return the book's legal moves for the engine's position, best first; see book.OpeningBook.known."""
        if self._book is None:
            self.open()
        if self._book is None:
            return []
        known = self._book.known(self._engine.position_text, flipped=flipped, any_ply=any_ply)
        legal = set(self._engine.legal_moves()) if known else ()
        return [each for each in known if each.move in legal]

    def choice(
        self, *, best: int = 16, margin: int | None = None, flipped: bool = True, any_ply: bool = True
    ) -> BookMove | None:
        """Choose one of the book's moves for the engine's position at random; return None if it has none.

        Args:
            best: the number of moves to choose from
            margin: how far their values may be below the first move's, in the game's unit; None for the book's own
            flipped, any_ply: see book.OpeningBook.known
        """
        known = self.moves(flipped=flipped, any_ply=any_ply)
        if self._book is None:
            return None
        if margin is None:
            margin = self._book.margin
        return choose(known, [each.move for each in known], self._engine.rng, best=best, margin=margin)

    def move(self) -> str:
        """Choose one of the book's best moves at random; return '' if it has none."""
        found = self.choice()
        return found.move if found else ""


# ---- The limits of a search


class Wanted(TypedDict, total=False):
    """The arguments of `Engine.search`, where they are described."""

    depth: int | None
    nodes: int | None
    movetime: float | None
    mate: int | None
    level: int | None
    multi_probcut_margin: int | None
    searchmoves: Sequence[str]
    multipv: int
    budget: TimeBudget | None


def search_limits(
    engine: Any,
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
    **unknown: object,
) -> Limits:
    """Return the limits of a search of the engine's position. Raises TypeError or ValueError for invalid arguments."""
    check_names("a search", unknown, Wanted.__annotations__)
    given: dict[str, object] = {"depth": depth, "nodes": nodes, "mate": mate, "multipv": multipv}
    given |= {"movetime": movetime, "level": level}
    for name, value in given.items():
        if value is not None:
            least = {"movetime": 0, "level": -math.inf}.get(name, 1)  # levels have bounds of their own
            check_number(name, value, least, whole=name != "movetime")
    selectivity = None
    if level is not None:
        plan = engine.check_level(level)
        if plan.is_full_strength() and all(limit is None for limit in (depth, nodes, movetime, mate, budget)):
            movetime = FULL_STRENGTH_MS
        selectivity = plan.selectivity if depth is None and nodes is None else None
        drawn = drawn_limits(plan, searchmoves or engine.legal_moves() if plan.moves else (), engine.rng)
        searchmoves = drawn.get("searchmoves", searchmoves)
        depth, nodes = lowest(depth, drawn.get("depth")), lowest(nodes, drawn.get("nodes"))
        if multi_probcut_margin is None:
            multi_probcut_margin = drawn.get("multi_probcut_margin")
    budget = budget if budget or movetime is None else TimeBudget.exactly(movetime)
    moves = tuple(engine.game.parse_move(engine.position, move) for move in move_texts(searchmoves))
    return Limits(depth, nodes, mate, budget, multi_probcut_margin, selectivity, moves, multipv)


# ---- MoveStack: a position and the moves played from it


MOVES_MAX = 30_000  # the largest move number of an SFEN; no game of any kind is longer


class MoveStack:
    """The moves of a game, from its starting position on.

    Attributes:
        positions: the starting position, and the position after each move
        texts: the moves in the game's notation
        encoded: the moves encoded; a new list after each change, because a search in another thread may use the old one
    """

    def __init__(self, game: Game) -> None:
        self._game, self._undo = game, new_record(game.undo)
        self._start = ""
        self.positions: list[Any] = [game.parse_position(game.start)]
        self.texts: list[str] = []
        self.encoded: list[int] = []

    def at(self, text: str, moves: Sequence[str]) -> "MoveStack":
        """Return the moves `moves` played from the position `text` ('' for the starting position).

        Raises ValueError saying what is invalid.
        """
        if len(moves) > MOVES_MAX:
            raise InputError("there are {0} moves, more than {1}", len(moves), MOVES_MAX)
        stack, same = copy.copy(self), 0  # the number of moves that are the same as here
        if text == self._start:
            while same < min(len(moves), len(self.texts)) and moves[same] == self.texts[same]:
                same += 1
            stack.positions = self.positions[: same + 1]
        else:
            stack.positions = [self._game.parse_position(text or self._game.start)]
        stack._start, stack.texts, stack.encoded = text, self.texts[:same], self.encoded[:same]
        for move in moves[same:]:
            stack._add(move)
        return stack

    def push(self, move: str) -> None:
        """Play one move. Raises ValueError if it is not legal."""
        self.encoded = list(self.encoded)
        self._add(move)

    def _add(self, move: str) -> None:
        position = self.positions[-1]
        try:
            encoded = self._game.parse_move(position, move)
        except ValueError as fault:
            raise InputError("move {0}: {1}", len(self.encoded) + 1, fault) from None
        child = copy_position(self._game, position)
        do_move(child, np.uint32(encoded), self._undo)
        self.texts.append(self._game.format_move(position, encoded))
        self.positions.append(child)
        self.encoded.append(encoded)

    def pop(self) -> str:
        """Take back the last move and return it. Raises ValueError if there is none."""
        if not self.texts:
            raise InputError("there is no move to take back")
        self.positions.pop()
        self.encoded = self.encoded[:-1]
        return self.texts.pop()


# ---- SearchLock: an engine runs one search at a time


class SearchLock:
    """Lets one search run at a time; the context managers raise RuntimeError if another one is running.

    Args:
        stop: the token that ends a search
    """

    def __init__(self, stop: StopToken) -> None:
        self._stop, self._lock = stop, threading.Lock()
        self._owner = 0  # the thread that holds the lock for its next search

    @contextlib.contextmanager
    def idle(self) -> Iterator[None]:
        """Prevent all searches from starting inside the `with` block."""
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("this engine is already searching")
        try:
            yield
        finally:
            self._lock.release()

    @contextlib.contextmanager
    def search(self) -> Iterator[None]:
        """Prevent other searches from starting inside the `with` block, in which this thread searches."""
        claimed, self._owner = self._owner == threading.get_ident(), 0
        with contextlib.nullcontext() if claimed else self.idle():
            self._stop.begin()
            yield

    @contextlib.contextmanager
    def claim(self) -> Iterator[None]:
        """Let only this thread search, and only once, inside the `with` block."""
        with self.idle():
            self.hand_over(threading.get_ident())
            try:
                yield
            finally:
                self.hand_over(0)

    def hand_over(self, thread: int) -> None:
        """Let another thread search inside the `claim` of this one; 0 for none yet."""
        self._owner = thread


class Engine:
    """A player of one game.

    Args:
        game: 'shogi', 'othello', another name that `games.load` knows, or a Game
        evaluation: one of Game.evaluations, '' for the default
        hash_mb: the size of the transposition table in MB
        threads: the number of search threads
    """

    def __init__(
        self,
        game: str | Game = "shogi",
        *,
        evaluation: str = "",
        hash_mb: int = 64,
        threads: int = 1,
    ) -> None:
        self.game = game if isinstance(game, Game) else games.load(game)
        self._stop = StopToken()  # the parent of the search's and the solvers' tokens
        self.searcher = Searcher(
            self.game, evaluation=evaluation, hash_mb=hash_mb, threads=threads, stop_token=StopToken(self._stop)
        )
        self._lock = SearchLock(self._stop)
        self._root_solver = RootSolver(self.game, threads, self._stop)
        self._mate_solver: ForcedWinSolver | None = None
        self._mate_solver_memory: Any = None
        self.book, self.rng = EngineBook(self), random.Random()
        self.solve_roots = True  # look for forced wins during searches, once `load_solver` has been called
        self._stack = MoveStack(self.game)
        self._line = partial(games.moves_of, self.game.name)  # converts moves to those of the game's Board
        self._legal: tuple[Any, list[str]] | None = None  # a position and its legal moves

    def __repr__(self) -> str:
        return f"Engine({self.game.name!r}, evaluation={self.searcher.evaluator.evaluation.name!r})"

    # ---- the position -----------------------------------------------------------------------------------------

    def set_position(self, text: str = "", moves: Sequence[str] = ()) -> None:
        """Set the position `text` ('' for the starting position) and play `moves` from it. They count for repetition.

        If something is invalid, raises ValueError saying what; the position is then unchanged.
        """
        self._stack = self._stack.at(text, move_texts(moves))

    def push(self, move: str) -> None:
        """Play one move. Raises ValueError if it is not legal."""
        self._stack.push(move)

    def pop(self) -> str:
        """Take back the last move and return it. Raises ValueError if there is none."""
        return self._stack.pop()

    @property
    def root(self) -> Any:
        """The starting position of the game, record[game.position]."""
        return self._stack.positions[0]

    @property
    def position(self) -> Any:
        """The position after all moves, record[game.position]."""
        return self._stack.positions[-1]

    @property
    def position_text(self) -> str:
        """The position in the game's notation."""
        return self.game.format_position(self.position)

    @property
    def moves(self) -> list[int]:
        """The moves played from `root`, encoded."""
        return self._stack.encoded

    @property
    def move_texts(self) -> list[str]:
        """The moves played from `root`, in the game's notation."""
        return list(self._stack.texts)

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

    # ---- with Boards ------------------------------------------------------------------------------------------

    def play(self, board: BoardLike[Move], limit: Limit, *, root_moves: Moves = ()) -> PlayResult[Move]:
        """Search a Board's position and return the move to make.

        Args:
            root_moves: the Moves to choose from; empty means all

        Raises:
            TypeError: the Board is no Board, or the limit no Limit
            ValueError: the Board is of another game, a root move is illegal, or no limit ends the search
            RuntimeError: a search of this engine is running
        """
        with self._placed(board, limit) as side:
            limit.must_end(side)
            if self.may_declare():
                return PlayResult(declares=True)
            return self._search(self._limits(limit, None, root_moves)).played(self._line)

    @overload
    def analyse(
        self, board: BoardLike[Move], limit: Limit, *, multipv: None = None, root_moves: Moves = ()
    ) -> Info[Move]: ...

    @overload
    def analyse(
        self, board: BoardLike[Move], limit: Limit, *, multipv: int, root_moves: Moves = ()
    ) -> list[Info[Move]]: ...

    def analyse(
        self, board: BoardLike[Move], limit: Limit, *, multipv: int | None = None, root_moves: Moves = ()
    ) -> Info[Move] | list[Info[Move]]:
        """Analyse a Board's position and return a report. With `multipv`, return a list of reports, best move first.

        Raises the same exceptions as `play`, and ValueError without `multipv` if there is no legal move.
        """
        with self._placed(board, limit) as side:
            limit.must_end(side)
            found = self._search(self._limits(limit, multipv, root_moves))
        lines: list[Info[Move]] = [line.convert(self._line) for line in found.lines]
        if multipv is not None:
            return lines
        if not lines:
            raise InputError("there is no legal move to analyse")
        return lines[0]

    def analysis(
        self, board: BoardLike[Move], limit: Limit | None = None, *, multipv: int | None = None, root_moves: Moves = ()
    ) -> Analysis[Move]:
        """Start a search in a thread and return it. Without a limit, it runs until `stop`.

        Raises the same exceptions as `play`.
        """
        with contextlib.ExitStack() as claim:
            claim.enter_context(self._placed(board, limit := limit or Limit()))
            return self._started(claim, self._limits(limit, multipv, root_moves), self._line)

    def start(self, **wanted: Unpack[Wanted]) -> Analysis[str]:
        """Start `search` in a thread, with its keyword arguments, and return it. Raises the same exceptions."""
        with contextlib.ExitStack() as claim:
            claim.enter_context(self._lock.claim())
            return self._started(claim, search_limits(self, **wanted), tuple)

    def _started(self, stack: contextlib.ExitStack, limits: Limits, line: Line[Move]) -> Analysis[Move]:
        """Search in a thread."""
        claim = stack.pop_all()  # the new thread takes over the claim
        self._lock.hand_over(0)

        def search(on_info: OnInfo) -> SearchResult:
            with claim:
                self._lock.hand_over(threading.get_ident())
                return self._search(limits, on_info)

        return Analysis(self, search, line)

    def _limits(self, limit: Limit, multipv: int | None, root_moves: Moves) -> Limits:
        """Return the limits of a search of the position. Raises ValueError for invalid arguments."""
        wanted: Any = {name: getattr(limit, name) for name in ("depth", "nodes", "mate", "level")}
        wanted |= {"multipv": 1 if multipv is None else multipv, "searchmoves": move_texts(root_moves)}
        return search_limits(self, **wanted, budget=self.time_budget(limit))

    def time_budget(self, limit: Limit) -> TimeBudget | None:
        """Return the time that a Limit gives the side to move, or None if it has no time limit."""
        side = int(games.board(self.game, self.position).turn) if limit.clock(0) or limit.clock(1) else 0
        return budget_of(limit, side, len(self.moves), self.game.extras.budget)

    def mate(
        self, board: BoardLike[Move], limit: Limit | None = None, *, shortest: bool = False, every: bool = False
    ) -> ForcedWin[Move]:
        """Search a Board's position like `Engine.find_mate`. Only `time` and `nodes` of the limit are used."""
        limit = limit or Limit()
        with self._placed(board, limit):
            max_ms = None if limit.time is None else 1000 * limit.time
            found = self.find_mate(max_ms=max_ms, nodes=limit.nodes, shortest=shortest, every=every)
        return found.convert(self._line)

    def solve(self, board: BoardLike[Move], limit: Limit | None = None) -> Info[Move] | None:
        """Solve a Board's position to the end of the game; return the exact score with the best line, or None.

        Raises the same exceptions as `play`, and ValueError if the game is over or has no solver.

        Args:
            limit: only its `time` is used; if the time runs out, the result may be inexact (see Info.exact) or None
        """
        with self._placed(board, limit or Limit()), self._lock.search():
            if cast(Any, board).is_game_over():
                raise InputError("the game is over")
            ms = float("inf") if limit is None or limit.time is None else 1000 * limit.time
            result = self._root_solver.solve(self.position, Limits(budget=TimeBudget.exactly(ms)), self.searcher.tt)
            return PvInfo(self.game, self.position, result.infos[0]).convert(self._line) if result else None

    @contextlib.contextmanager
    def _placed(self, board: Any, limit: Limit) -> Iterator[int]:
        """Set the position of a Board and yield the side to move. In the block, only this thread can search, and once.

        Raises the exceptions of `play` for what is no Board or no Limit, another game's Board, and a running search.
        """
        check_board(board, "record")
        check_limit(limit)
        record = board.record()
        if record.game != self.game.name:
            raise InputError("this Board is for {0}, but the engine plays {1}", record.game, self.game.name)
        with self._lock.claim():
            self.set_position(record.start, record.moves)
            yield int(board.turn)

    # ---- levels -----------------------------------------------------------------------------------------------

    def check_level(self, level: int) -> LevelPlan:
        """Return how a player of `level`, 0 to `game.extras.levels` - 1, searches this position. Raises ValueError."""
        return self.game.extras.level(level, self.position)

    def clock_budget(self, clock: Clock, ply: int, options: TimeOptions | None = None, max_ply: int = 0) -> TimeBudget:
        """Return the time that a player with `clock` may take for the move after `ply` moves; see `timeman.plan`."""
        options, share = options or TimeOptions(), self.game.extras.budget
        return share(clock, ply, options) if share else plan(clock, ply, options, max_ply)

    # ---- the search -------------------------------------------------------------------------------------------

    def search(self, *, on_info: OnInfo | None = None, **wanted: Unpack[Wanted]) -> SearchResult:
        """Search the position until a limit is reached or `stop` is called.

        Without a limit, only `stop` ends it, from another thread: announce that by `prepare`, or use `start`.

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
            ValueError: a limit is invalid, or there is none and `prepare` was not called, or a move in `searchmoves` is
                illegal
            RuntimeError: a search of this engine is running
        """
        limits = search_limits(self, **wanted)
        if not self._stop.prepared and not limits.end_search():
            raise no_limit()
        return self._search(limits, on_info)

    def _search(self, limits: Limits, on_info: OnInfo | None = None) -> SearchResult:
        with self._lock.search():
            self._load_kernels(timed=limits.budget is not None)
            position = self.position
            report = (lambda info: on_info(PvInfo(self.game, position, info))) if on_info else None
            result, limits = self._root_solver.before(position, limits, self.searcher.tt, report)
            if result is None:
                result = self._search_beside(limits, report)
        return SearchResult(self.game, position, result)

    def _load_kernels(self, *, timed: bool) -> None:
        """Compile the kernels that a search needs, or load them, before its clock starts."""
        self.searcher.warmup()
        if timed:
            self._root_solver.warmup()

    def _search_beside(self, limits: Limits, report: Callable[[Found], None] | None) -> Result:
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

        The solver uses the memory of the transposition table and overwrites a part of it. The first call may
        compile kernels.

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
        with self._lock.search():
            limits = {"max_ms": max_ms, "nodes": nodes, "shortest": shortest, "every": every}
            position, solver = self.position, self.warmup_mate()
            try:
                found = solver.solve(position, progress=progress, **limits)
            finally:
                solver.clear()  # the search would take the results for entries of its own, of any age and depth
        return found.convert(lambda moves: legal_line(self.game, position, moves))

    def warmup_mate(self) -> ForcedWinSolver:
        """Compile or load the kernels that `find_mate` needs, and return its solver, which works in the table's memory.

        Raises ValueError if the game has no mate solver.
        """
        if self.game.extras.mate_solver is None:
            raise InputError("{0} has no mate solver", self.game.name)
        memory = self.searcher.tt.words
        if self._mate_solver is None or self._mate_solver_memory is not memory:
            solver: ForcedWinSolver = self.game.extras.mate_solver(memory=memory, stop_token=StopToken(self._stop))
            solver.warmup()
            self._mate_solver, self._mate_solver_memory = solver, memory
        return self._mate_solver

    def continued_pv(self, line: PvInfo) -> tuple[str, ...]:
        """Return the moves of a reported line, extended by the table's best moves up to the depth searched.

        A reported line is short if a table entry ended it. Call this in `on_info`, or after the search.
        """
        moves = self.searcher.extended(self.position, line.encoded, max(line.depth, 2))
        return legal_line(self.game, self.position, moves)

    def load_solver(self) -> None:
        """Load the solver that looks for forced wins during searches."""
        self._root_solver.load()

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
        with self._lock.idle():
            self.searcher.new_game()
            self._root_solver.new_game()

    def resize(self, *, hash_mb: int | None = None, threads: int | None = None) -> None:
        """Change the table's size or the number of threads. Raises RuntimeError while this engine is searching."""
        with self._lock.idle():
            self.searcher.resize(hash_mb, threads)
            if threads is not None:
                self._root_solver.set_threads(threads)
            self._mate_solver = self._mate_solver_memory = None  # otherwise the old table would stay in memory

    def set_evaluation(self, name: str = "", file: str | Path | None = None) -> None:
        """Set the evaluation, '' for the default, with the weights in `file`, None for its own.

        See `Searcher.set_evaluation`. Raises RuntimeError if a search of this engine is running.
        """
        with self._lock.idle():
            self.searcher.set_evaluation(name, file)

    def configure(self, **values: Any) -> None:
        """Set parameters of the game and the evaluation (see `parameters.defaults`), or `evaluation`, from now on.

        Raises ValueError for an unknown parameter or an invalid value.
        """
        for name, value in values.items():
            if name == parameters.EVALUATION:
                self.set_evaluation(str(value))
            else:
                parameters.assign(self.searcher, name, value)

    def warmup(self) -> None:
        """Compile all kernels that a search and the notation need, or load them from the cache, and allocate memory."""
        self._load_kernels(timed=True)
        self.may_declare()
        for move in self.search(nodes=3000).pv[:1]:
            self.push(move)
            self.pop()
        self.new_game()

    def perft(self, depth: int, **options: Any) -> Perft:
        """Count the leaf nodes at `depth`; `options` are those of `perft.perft`. Raises PerftStopped after `stop`."""
        check_number("depth", depth, 0, whole=True)
        self._stop.begin()
        return perft(self.game, self.position, depth, stop_token=self._stop, **options)

    def close(self) -> None:
        """Stop a running search. Memory is freed with the object."""
        self.stop()

    def __enter__(self) -> "Engine":
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()
