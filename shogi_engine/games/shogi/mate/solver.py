"""The mate solver for Python: finds mates by checks, proves the shortest, lists solutions, and returns lines of moves.

    solver = MateSolver()
    found = solver.solve(parse_sfen("8k/9/8P/9/9/9/9/9/9 b G 1"))
    print(found.result, found.length, found.moves)

The attacker is the side to move and gives check with every move; it needs no king. Lengths are in plies and count every
legal defence, including useless interpositions; `tsume` gives the conventional length without these.
"""

import contextlib
import functools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shogi_engine.common.stop import Deadline, StopToken, end_of
from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.bitboard import checkers
from shogi_engine.games.shogi.mate.search import ATTACK, DEFEND, LINE, MATE, NO_MATE, PROVE, SHORTEN, STOPPED, solve
from shogi_engine.games.shogi.mate.table import CLUSTER_BYTES, GENERATIONS, LENGTH_MAX, MATE_SEARCH, clear_generation
from shogi_engine.games.shogi.movegen import generate_checks, generate_moves
from shogi_engine.games.shogi.position import rebuild
from shogi_engine.games.shogi.sfen import format_usi, parse_sfen
from shogi_engine.games.shogi.types import POSITION, UNDO
from shogi_engine.interface.game import VALUE_MATE, do_move
from shogi_engine.jit import new_record
from shogi_engine.jit.bitboards import Bitboard, lowest
from shogi_engine.language import InputError
from shogi_engine.search.forced_win import allowed_nodes
from shogi_engine.search.timeman import Info, Limits, Result
from shogi_engine.search.tt import TranspositionTable
from shogi_engine.types.limits import check_number
from shogi_engine.types.results import ForcedWin

NO_LIMIT = int(np.iinfo(np.int64).max)
LINE_NODES = 1 << 20  # node limit for finding the line of a proven mate, if the table has lost parts of the proof
PROGRESS_SECONDS = 0.5  # between two reports of progress
TSUME_POSITIONS = 50_000  # maximum number of positions that `tsume` examines

SMALL_PROBLEM = "9/3S2+R1l/P1p1R3p/2Pkpp3/1p2PPppP/9/1P1S1SPP1/L2B5/BN1GKG1NL b 2GS2NL3P 87"  # mate in three
RESULTS = {MATE: "mate", NO_MATE: "nomate"}


class MateSolver:
    """Searches for one mate at a time, with a table of fixed size; `stop` may be called from any thread.

    Args:
        hash_mb: the table's size in MB
        memory: uint64[], memory to use for the table instead; its content does not matter
        stop_token: stops the search and all others that share the token

    Raises:
        ValueError: `hash_mb` is below 1
        MemoryError: there is not enough memory
    """

    def __init__(self, hash_mb: int = 64, memory: Any = None, stop_token: StopToken | None = None) -> None:
        check_number("hash_mb", hash_mb, 1, whole=True)
        if memory is None:
            memory = np.empty(hash_mb << 17, dtype=np.uint64)
            memory.fill(0)  # touches all pages now, not one by one during the first search
        self._memory = memory
        self._stop = stop_token or StopToken()
        self._won = False  # whether the last `attempt` found a mate; the table is then kept
        self._ctx = new_record(MATE_SEARCH)
        self._ctx.tt_address = memory.ctypes.data
        self._ctx.tt_clusters = memory.nbytes // CLUSTER_BYTES
        self._ctx.stop_address = self._stop.address
        self._undo = new_record(t.UNDO)
        self._line = new_record(LINE)
        self._generation = 0
        self.new_problem()

    # ---- control ----------------------------------------------------------------------------------------------

    def new_problem(self) -> None:
        """Clear the results of earlier searches. `solve` does this itself unless called with `keep`."""
        self._generation += 1
        if self._generation > GENERATIONS:
            self._memory.fill(0)
            self._generation = 1
        self._ctx.generation = self._generation

    def clear(self) -> None:
        """Remove the last search's results from the memory, which may have another user."""
        clear_generation(self._ctx)

    def new_game(self) -> None:
        """Clear the results of `attempt`."""
        self._won = False

    def prepare(self) -> None:
        """Announce a search: from now on `stop` ends it, even before it has begun; see StopToken.prepare."""
        self._stop.prepare()

    def stop(self) -> None:
        """Stop the running or announced search at once; it returns its result so far."""
        self._stop.stop()

    def warmup(self, solutions: bool = False) -> None:
        """Compile all kernels of a search, or load them from the cache, even after a stop.

        Args:
            solutions: also compile the kernels for other solutions and conventional lengths
        """
        stop_token, self._stop = self._stop, StopToken()
        self._ctx.stop_address = self._stop.address
        try:
            problem = parse_sfen(SMALL_PROBLEM)
            self.tsume(problem)
            self.clear()
            if solutions:
                checkers(_after(problem, self.checks(problem)[0], self._undo))
        finally:
            self._stop = stop_token
            self._ctx.stop_address = stop_token.address

    @property
    def nodes(self) -> int:
        """Moves made so far; may be read while a search runs."""
        return int(self._ctx.nodes)

    def checks(self, position: Any) -> list[int]:
        """Return the legal moves of `position`, whose other side has a king, that give check."""
        ctx = self._ctx
        ctx.pos, ctx.ply = position, 0
        return ctx.moves[: int(generate_checks(ctx, 0, ctx, ctx.undo[ctx.ply]))].tolist()

    def replies(self, position: Any) -> list[int]:
        """Return the legal moves of `position`: in Shogi, all that the generator writes."""
        ctx = self._ctx
        ctx.pos = position
        return ctx.moves[: int(generate_moves(ctx, 0))].tolist()

    # ---- searches ---------------------------------------------------------------------------------------------

    def solve(
        self,
        position: Any,
        *,
        max_ms: float | None = None,
        nodes: int | None = None,
        limit: int | None = None,
        shortest: bool = False,
        every: bool = False,
        keep: bool = False,
        progress: Callable[[int, float], None] | None = None,
    ) -> ForcedWin[int]:
        """Search `position` for a mate by its side to move.

        With a `limit`, 'nomate' means no mate within that many plies. Raises ValueError if the other side has no king.

        Args:
            position: record[shogi.POSITION], unchanged
            max_ms: the time limit in milliseconds
            nodes: the node limit
            limit: the maximal length of the mate in plies
            shortest: after the first mate, search for shorter ones
            every: also search the other first moves for mates
            keep: reuse the table of the last search, which must have been for the same problem
            progress: called as `progress(nodes, seconds)` from time to time
        """
        if int(position.king[1 - int(position.side)]) == t.NO_SQUARE:
            raise InputError("the side to be mated has no king")
        self._stop.begin()
        if not keep:
            self.new_problem()
        ctx = self._ctx
        ctx.nodes = ctx.steps = 0
        ctx.node_limit = NO_LIMIT if nodes is None else nodes
        ctx.attacker = int(position.side)
        began = time.perf_counter()
        with self._watched(began, max_ms, progress):
            found = self._search(position, limit, shortest, every)
        return replace(found, nodes=self.nodes, seconds=time.perf_counter() - began)

    def length_after(self, position: Any, check: int, *, nodes: int | None = None) -> int:
        """Return the plies of a mate that begins with `check`; 0 if there is provably none; -1 if nothing is proven.

        The mate need not be the shortest. The table of the last search, which must have been for the same problem, is
        reused.

        Args:
            nodes: the node limit

        Raises:
            ValueError: if the other side has no king
        """
        if int(position.king[1 - int(position.side)]) == t.NO_SQUARE:
            raise InputError("the side to be mated has no king")
        self._stop.begin()
        ctx = self._ctx
        ctx.steps, ctx.attacker = 0, int(position.side)
        ctx.nodes, ctx.node_limit = 0, NO_LIMIT if nodes is None else nodes
        with self._watched(time.perf_counter(), None, None):
            answer = self._prove(_after(position, check, self._undo), LENGTH_MAX)
        return {MATE: self._length() + 1, NO_MATE: 0}.get(answer, -1)

    def attempt(self, position: Any, limits: Limits, table: TranspositionTable) -> Result | None:
        """Look for a mate in `position`, the root of a search; return it as the search's result, else None.

        See `forced_win.Solver`. The search's table is not used: the solver has its own.
        """
        keep, self._won = self._won, False
        try:
            found = self.solve(position, nodes=allowed_nodes(limits), keep=keep)
        except ValueError:  # the other side has no king
            return None
        if not found:
            return None
        self._won = True
        line, value = found.moves, VALUE_MATE - found.length
        info = Info(found.length, found.length, 1, value, "", found.nodes, found.seconds, 0, line)
        ponder = line[1] if len(line) > 1 else 0
        return Result(line[0], ponder, value, found.length, found.nodes, found.seconds, line, (info,))

    def _watched(self, began: float, max_ms: float | None, progress: Callable[[int, float], None] | None) -> Deadline:
        """Return a Deadline that stops the search at its time limit and reports progress; kernels have no clock."""
        tell = (lambda: progress(self.nodes, time.perf_counter() - began)) if progress else None
        return Deadline(self.stop, end_of(max_ms, began), on_tick=tell, tick=PROGRESS_SECONDS)

    def _search(self, position: Any, limit: int | None, shortest: bool, every: bool) -> ForcedWin[int]:
        answer = self._prove(position, LENGTH_MAX if limit is None else limit)
        if answer != MATE:
            return ForcedWin(RESULTS.get(answer, "timeout"))
        moves, exact = self._proven_line(position, self._length()), None
        if moves is None:
            return ForcedWin("timeout")
        if shortest:
            moves, exact = self._shortest_line(position, moves)
        solutions = [tuple(moves)]
        if every:
            solutions += self._others(position, moves[0], len(moves) if shortest else LENGTH_MAX)
        return ForcedWin("mate", tuple(moves), exact, solutions=tuple(solutions))

    def _prove(self, position: Any, limit: int) -> int:
        return self._run(position, PROVE, limit)

    def _run(self, position: Any, task: int, number: int) -> int:
        """Return what `lines.solve` returns for a task on `position`."""
        self._ctx.pos = position
        return int(solve(self._ctx, self._line, task, number))

    def _length(self) -> int:
        """Return the length of the mate just proven."""
        return int(self._ctx.found.length)

    def _shorten(self, position: Any, length: int) -> tuple[int, bool]:
        """Look for mates shorter than `length`; return the shortest length found, and whether it is proven shortest."""
        found = self._run(position, SHORTEN, length)
        return abs(found), found > 0

    def _shortest_line(self, position: Any, line: list[int]) -> tuple[list[int], bool]:
        """Look for mates shorter than `line`; return the shortest line found, and whether it is proven shortest.

        Each proof is followed by its line, while the table has it; the last line is kept if a search fails.
        """
        while len(line) > 1:
            answer = self._prove(position, len(line) - 2)
            shorter = self._proven_line(position, self._length()) if answer == MATE else None
            if shorter is None:
                return line, answer == NO_MATE
            line = shorter
        return line, True

    # ---- lines ------------------------------------------------------------------------------------------------

    def _proven_line(self, position: Any, length: int) -> list[int] | None:
        """Return the line of the mate of at most `length` plies that was just proven for `position`; see `_whole`."""
        return self._whole(position, length, lambda: self._follow(position, ATTACK, length))

    def _whole(self, position: Any, length: int, find: Callable[[], list[int] | None]) -> list[int] | None:
        """Return the line `find()` of a mate of at most `length` plies that was just proven for `position`.

        If the table has lost parts of the proof and finding them again takes too long, prove the mate again with an
        empty table, within the limits of the search; return None if they end it.
        """
        with self._unlimited():
            line = find()
        if line is None:
            self.clear()
            line = find() if self._prove(position, length) == MATE else None
        return line

    def _follow(self, position: Any, task: int, length: int) -> list[int] | None:
        """Return the line of the mate of at most `length` plies proven for `position`, against the longest defence.

        Return None if the limits end the search for parts of the proof that the table has lost.

        Args:
            task: ATTACK, or DEFEND if the defender is in check
        """
        made = self._run(position, task, length)
        return None if made < 0 else self._line.moves[:made].tolist()

    @contextlib.contextmanager
    def _unlimited(self) -> Iterator[None]:
        """Suspend the limits and any earlier stop; only LINE_NODES limits the search."""
        ctx = self._ctx
        before = int(ctx.node_limit)
        ctx.node_limit = self.nodes + LINE_NODES
        try:
            with self._stop.ignored():
                yield
        finally:
            ctx.node_limit = before

    def _others(self, position: Any, first: int, limit: int) -> list[tuple[int, ...]]:
        """Return the lines of the other first moves that mate within `limit` plies and are found within the limits."""
        lines = []
        for check in self.checks(position):
            if check == first:
                continue
            after = _after(position, check, self._undo)
            if self._prove(after, limit - 1 if limit < LENGTH_MAX else limit) != MATE:
                if self._stop.stopped:
                    break
                continue
            length = self._length()
            rest = self._whole(after, length, functools.partial(self._follow, after, DEFEND, length))
            if rest is not None:
                lines.append((check, *rest))
        return lines

    # ---- the conventional length ------------------------------------------------------------------------------

    def tsume(
        self,
        position: Any,
        *,
        max_ms: float | None = None,
        nodes: int | None = None,
        progress: Callable[[int, float], None] | None = None,
    ) -> ForcedWin[int]:
        """Return the shortest mate of `position` with the conventional length, without useless interpositions.

        An interposed drop is useless if the attacker captures it with the checking piece and then, with the captured
        piece given back, mates in no more plies than the best other defence would last. Without another defence the
        check counts as mate. The line follows the best other defences. The attacker's moves are those of shortest
        mates in which all defences count. If a limit is reached first, the result is the mate found so far, with
        `shortest` False, or 'timeout' if there is none.
        """
        whole = self.solve(position, max_ms=max_ms, nodes=nodes, shortest=True, progress=progress)
        if not whole.shortest:
            return whole
        began = time.perf_counter()
        left = None if max_ms is None else max(max_ms - whole.seconds * 1000, 1.0)
        with self._watched(began, left, progress):
            try:
                moves = _Conventional(self).attack(position)
            except TimeoutError:
                moves = None
        seconds = whole.seconds + time.perf_counter() - began
        if moves is None:
            return replace(whole, shortest=False, nodes=self.nodes, seconds=seconds)
        return ForcedWin("mate", moves, True, self.nodes, seconds)


class _Conventional:
    """Finds the conventional line of a proven mate, ignoring useless interpositions; stores the lines found."""

    def __init__(self, solver: MateSolver) -> None:
        self.solver = solver
        self.lines: dict[bytes, tuple[int, ...] | None] = {}

    def attack(self, pos: Any) -> tuple[int, ...]:
        """Return the line from `pos`, where the attacker is to move and has a mate."""
        solver = self.solver
        if solver._prove(pos, LENGTH_MAX) != MATE:
            raise TimeoutError
        length, exact = solver._shorten(pos, solver._length())
        line = solver._proven_line(pos, length) if exact else None
        if line is None:
            raise TimeoutError
        if (kept := self.along(pos, line)) is not None:
            return kept
        rest = self.defend(_after(pos, line[0], solver._undo))
        if rest is None:
            raise TimeoutError
        return (line[0], *rest)

    def along(self, pos: Any, line: Sequence[int]) -> tuple[int, ...] | None:
        """Return the conventional line from `pos` if it is as long as `line`, a shortest mate; None if it may differ.

        The longest defence in `line` is conventional up to its first drop, and beyond it if the drop is not useless.
        """
        for ply, move in enumerate(line):
            if ply % 2 and t.is_drop(move):
                rest = self.defend(pos)
                return (*line[:ply], *rest) if rest is not None and len(rest) == len(line) - ply else None
            pos = _after(pos, move, self.solver._undo)
        return tuple(line)

    def defend(self, pos: Any) -> tuple[int, ...] | None:
        """Return the line from `pos`, the defender in check, with the best defence; None if there is no mate."""
        name = pos.tobytes()
        if name not in self.lines:
            if len(self.lines) >= TSUME_POSITIONS:
                raise TimeoutError
            self.lines[name] = self._defend(pos)
        return self.lines[name]

    def _defend(self, pos: Any) -> tuple[int, ...] | None:
        solver = self.solver
        answer = solver._prove(pos, LENGTH_MAX)
        if answer == STOPPED:
            raise TimeoutError
        if answer != MATE:
            return None
        replies = solver.replies(pos)
        best: tuple[int, ...] = ()
        for reply in replies:
            if not t.is_drop(reply):
                best = max(best, (reply, *self.attack(_after(pos, reply, solver._undo))), key=len)
        others = len(best)
        for reply in replies:
            if t.is_drop(reply) and not self._useless(pos, reply, others):
                best = max(best, (reply, *self.attack(_after(pos, reply, solver._undo))), key=len)
        return best

    def _useless(self, pos: Any, drop: int, others: int) -> bool:
        """Tell whether the interposition `drop` is useless; see `MateSolver.tsume`."""
        solver = self.solver
        checker = _only_square(checkers(pos))
        interposed = _after(pos, drop, solver._undo)
        for take in solver.checks(interposed):
            if t.move_to(take) != t.move_to(drop) or t.move_from(take) != checker:
                continue
            after = _after(interposed, take, solver._undo)
            _return_piece(after, int(t.UNPROMOTED[t.move_captured(take)]))
            line = self.defend(after)
            if line is not None and len(line) <= others:
                return True
        return False


def _copy(position: Any) -> Any:
    """Return a copy of a position that owns its memory."""
    pos = new_record(t.POSITION)
    np.asarray(pos)[...] = position
    return pos


def _after(position: Any, move: int, undo: Any) -> Any:
    """Return the position after `move`."""
    pos = _copy(position)
    do_move(pos, np.uint32(move), undo)
    return pos


def _only_square(bits: Bitboard) -> int:
    """Return the only square of `bits`, -1 if there are more."""
    return lowest(bits) if len(bits) == 1 else -1


def _return_piece(pos: Any, kind: int) -> None:
    """Return a captured piece of `kind` to the hand of the side to move."""
    us = int(pos.side)
    pos.hand[1 - us] -= np.uint64(1 << 8 * kind)
    pos.hand[us] += np.uint64(1 << 8 * kind)
    rebuild(pos)


def line_texts(position: Any, moves: Sequence[int]) -> list[str]:
    """Return the USI notation of `moves` played from `position`."""
    pos = _copy(position)
    undo = new_record(t.UNDO)
    texts = []
    for move in moves:
        texts.append(format_usi(pos, move))
        do_move(pos, np.uint32(move), undo)
    return texts


_shared = threading.local()


def shared_solver(hash_mb: int = 64) -> MateSolver:
    """Return this thread's solver with a table of this size, created on first use."""
    solvers: dict[int, MateSolver] = vars(_shared).setdefault("solvers", {})
    if hash_mb not in solvers:
        solvers[hash_mb] = MateSolver(hash_mb)
    return solvers[hash_mb]


# ---- Other solutions of a mate problem: the checks next to the solution's that also mate


NODES = 300_000  # for each check of a position, to prove that it mates or that it does not


def other_mates(
    solver: MateSolver, position: Any, line: Sequence[int], nodes: int = NODES
) -> Iterator[tuple[int, str, int]]:
    """Yield the other checks that mate: (number of the move in the solution, from 1; check in USI; plies to mate).

    Args:
        line: the solution's moves
        nodes: the node limit for each check; if it is too low for a result, the plies are -1
    """
    pos = position
    for ply, move in enumerate(line, 1):
        if ply % 2:
            solver.new_problem()
            for check in solver.checks(pos):
                if check != move and (plies := solver.length_after(pos, check, nodes=nodes)):
                    yield ply, line_texts(pos, [check])[0], plies
        pos = after_move(pos, move)


def after_move(position: Any, move: int) -> Any:
    """Return the position after `move`."""
    pos = new_record(POSITION)
    np.asarray(pos)[...] = position
    do_move(pos, np.uint32(move), new_record(UNDO))
    return pos
