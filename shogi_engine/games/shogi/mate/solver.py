"""Mates by checks, for Python: found, proven shortest, listed, and told as a line of moves.

    solver = MateSolver()
    found = solver.solve(parse_sfen("8k/9/8P/9/9/9/9/9/9 b G 1"))
    print(found.result, found.length, found.moves)

The attacker is the side to move and gives check with every move; one king is enough. Lengths count plies to the mate
and every legal defence, also an interposition that only delays; `tsume` tells the conventional length without those.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from shogi_engine.game import do_move
from shogi_engine.games.shogi.legal_moves import legal_moves
from shogi_engine.games.shogi.mate.moves import generate_checks
from shogi_engine.games.shogi.mate.search import (
    LENGTH_MAX,
    MATE,
    MATE_SEARCH,
    NO_MATE,
    STOPPED,
    prove,
    tighten,
)
from shogi_engine.games.shogi.mate.table import CLUSTER_BYTES
from shogi_engine.games.shogi.notation import (
    format_usi,
    parse_sfen,
)
from shogi_engine.games.shogi.position import rebuild
from shogi_engine.games.shogi.types import (
    NO_SQUARE,
    POSITION,
    UNDO,
    UNPROMOTED,
    is_drop,
    move_captured,
    move_from,
    move_to,
)
from shogi_engine.jit import is_saved, new_record

NO_LIMIT = int(np.iinfo(np.int64).max)
GENERATIONS = (1 << 16) - 1
LINE_NODES = 1 << 20  # what the line may cost once the mate is proven, if the table has lost parts of the proof
TELLING = 0.5  # seconds between two reports of progress
TSUME_POSITIONS = 50_000  # how many positions the conventional length may look at

SMALL_PROBLEM = "9/3S2+R1l/P1p1R3p/2Pkpp3/1p2PPppP/9/1P1S1SPP1/L2B5/BN1GKG1NL b 2GS2NL3P 87"  # mate in three
RESULTS = {MATE: "mate", NO_MATE: "nomate"}


@dataclass(frozen=True)
class Mate:
    """What a search for a mate found.

    result : 'mate'; 'nomate', proven; 'timeout', if a limit came first or the line grew deeper than the search goes
    moves : encoded, of both sides, up to the mate, against the defence that holds out longest as far as is known
    length : plies, len(moves); 0 without a mate    shortest : no shorter mate exists (None if that was not asked)
    nodes : positions looked at    seconds : float    solutions : lines of all first moves that mate, if asked
    """

    result: str
    moves: tuple[int, ...] = ()
    length: int = 0
    shortest: bool | None = None
    nodes: int = 0
    seconds: float = 0.0
    solutions: list[tuple[int, ...]] = field(default_factory=list)


class MateSolver:
    """Searches mates one at a time, with a table of a set size; `stop` may come from any thread.

    hash_mb : size of the table    memory : uint64[], to be used for the table instead, whatever it holds
    stop_word : uint64[1], not 0 ends the search: for one who stops several; then only its owner sets it to 0 again
    Raises ValueError below 1 MB, MemoryError if there is not that much.
    """

    def __init__(self, hash_mb: int = 64, memory: Any = None, stop_word: Any = None) -> None:
        if hash_mb < 1:
            raise ValueError(f"a mate search's table needs at least 1 MB, not {hash_mb}")
        if memory is None:
            memory = np.empty(hash_mb << 17, dtype=np.uint64)
            memory.fill(0)  # written now, and not page by page during the first search
        self._memory = memory
        self._stop_word = np.zeros(1, dtype=np.uint64) if stop_word is None else stop_word
        self._armed = False
        self._ctx = new_record(MATE_SEARCH)
        self._ctx.tt_address = memory.ctypes.data
        self._ctx.tt_clusters = memory.nbytes // CLUSTER_BYTES
        self._ctx.stop_address = self._stop_word.ctypes.data
        self._undo = new_record(UNDO)
        self._generation = 0
        self._shared = stop_word is not None
        self.new_problem()

    # ---- control ----------------------------------------------------------------------------------------------

    def new_problem(self) -> None:
        """Forget all that earlier searches learned. `solve` does it by itself, unless it is told to `keep`."""
        self._generation += 1
        if self._generation > GENERATIONS:
            self._memory.fill(0)
            self._generation = 1
        self._ctx.generation = self._generation

    def arm(self) -> None:
        """Announce a search: from now on `stop` ends it, even before it has begun; an older stop is forgotten."""
        self._armed = True
        self._stop_word[0] = 0

    def stop(self) -> None:
        """End the running or announced search at once; it returns what it has found."""
        self._stop_word[0] = 1

    def warmup(self) -> None:
        """Compile, or load from the cache, all that a search needs."""
        with self._undisturbed():  # by an old stop
            self.tsume(parse_sfen(SMALL_PROBLEM))

    def is_saved(self) -> bool:
        """Tell whether `warmup` has only to load: the kernel compiled last is in the cache."""
        return is_saved(tighten)

    @property
    def nodes(self) -> int:
        """Positions looked at so far; may be read while a search runs."""
        return int(self._ctx.nodes)

    def checks(self, position: Any) -> list[int]:
        """Return the legal moves of `position`, whose other side has a king, that give check."""
        ctx = self._ctx
        ctx.pos, ctx.ply = position, 0
        return ctx.moves[: int(generate_checks(ctx, 0, ctx.check_squares, ctx.undo[ctx.ply]))].tolist()

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
    ) -> Mate:
        """Search `position` for a mate by its side to move.

        position : record[shogi.POSITION], unchanged    max_ms, nodes : when to give up    limit : most plies
        shortest : then look for shorter mates until none is left    every : look at the other first moves too
        keep : what the table holds is of this problem    progress : called with nodes and seconds now and then
        With a `limit`, 'nomate' says that there is none of so many plies. Raises ValueError if the other side has no
        king.
        """
        if int(position.king[1 - int(position.side)]) == NO_SQUARE:
            raise ValueError("the side to be mated has no king")
        if not (self._armed or self._shared):
            self.arm()
        if not keep:
            self.new_problem()
        ctx = self._ctx
        ctx.nodes = ctx.steps = 0
        ctx.node_limit = NO_LIMIT if nodes is None else nodes
        ctx.attacker = int(position.side)
        began = time.perf_counter()
        with self._watched(began, max_ms, progress):
            found = self._search(position, limit, shortest, every)
        self._armed = False
        return replace(found, nodes=self.nodes, seconds=time.perf_counter() - began)

    @contextlib.contextmanager
    def _watched(
        self, began: float, max_ms: float | None, progress: Callable[[int, float], None] | None
    ) -> Iterator[None]:
        """Stop the search at its time limit and report progress, from a thread: kernels read no clock."""
        over = threading.Event()

        def watch() -> None:
            end = began + max_ms / 1000 if max_ms is not None else float("inf")
            while True:
                left = end - time.perf_counter()
                if left <= 0:
                    self.stop()
                    return
                if over.wait(min(left, TELLING if progress else 3600.0)):
                    return
                if progress:
                    progress(self.nodes, time.perf_counter() - began)

        thread = None
        if max_ms is not None or progress:
            thread = threading.Thread(target=watch, name="mate-clock", daemon=True)
            thread.start()
        try:
            yield
        finally:
            over.set()
            if thread:
                thread.join()

    def _search(self, position: Any, limit: int | None, shortest: bool, every: bool) -> Mate:
        answer = self._prove(position, LENGTH_MAX if limit is None else limit)
        if answer != MATE:
            return Mate(RESULTS.get(answer, "timeout"))
        length, exact = self._shorten(position, self._length()) if shortest else (self._length(), False)
        moves = self._line(position, length)
        if moves is None:
            return Mate("timeout")
        solutions = [tuple(moves)]
        if every:
            solutions += self._others(position, moves[0], length if shortest else LENGTH_MAX)
        return Mate("mate", tuple(moves), len(moves), exact if shortest else None, solutions=solutions)

    def _prove(self, position: Any, limit: int) -> int:
        self._ctx.pos = position
        self._ctx.limit = min(limit, LENGTH_MAX)
        return int(prove(self._ctx))

    def _length(self) -> int:
        """Return the length of the mate just proven."""
        return int(self._ctx.found.length)

    def _shorten(self, position: Any, length: int) -> tuple[int, bool]:
        """Return the length of the shortest mate found, `length` being one, and whether no shorter one exists."""
        while length > 1:
            answer = self._prove(position, length - 2)
            if answer != MATE:
                return length, answer == NO_MATE
            length = self._length()
        return length, True

    # ---- lines ------------------------------------------------------------------------------------------------

    def _line(self, position: Any, length: int) -> list[int] | None:
        """Return the moves of the mate of at most `length` plies proven for `position`, against the longest defence.

        None if parts of the proof are lost and too dear to find again.
        """
        with self._undisturbed():
            if self._prove(position, length) != MATE:
                return None
            first = int(self._ctx.found.move)
            rest = self._defence(_after(position, first, self._undo), self._length() - 1)
        return None if rest is None else [first, *rest]

    def _defence(self, position: Any, length: int) -> list[int] | None:
        """Return the moves from `position`, the defender in check, who is mated in at most `length` plies."""
        ctx = self._ctx
        ctx.pos, ctx.ply = position, 0
        tight = int(tighten(ctx, length, 0))
        length = length if tight < 0 else tight
        pos = _copy(position)
        moves: list[int] = []
        while replies := legal_moves(pos).tolist():
            reply = self._longest_reply(pos, replies, length - len(moves) - 1)
            if reply is None:
                return None
            moves.append(reply)
            do_move(pos, np.uint32(reply), self._undo)
            if self._prove(pos, length - len(moves)) != MATE:
                return None
            moves.append(int(ctx.found.move))
            do_move(pos, np.uint32(moves[-1]), self._undo)
        return moves

    def _longest_reply(self, pos: Any, replies: Sequence[int], left: int) -> int | None:
        """Return the reply to the check in `pos` that holds out longest, the mate being `left` plies away at most."""
        best, most = None, -1
        for reply in replies:
            if self._prove(_after(pos, reply, self._undo), left) != MATE:
                return None
            if self._length() > most:
                best, most = reply, self._length()
                if most == left:
                    break
        return best

    @contextlib.contextmanager
    def _undisturbed(self) -> Iterator[None]:
        """Let what follows a proof run without regard to the limits, but for LINE_NODES."""
        ctx = self._ctx
        before = int(ctx.node_limit)
        stopped, self._stop_word[0] = int(self._stop_word[0]), 0
        ctx.node_limit = self.nodes + LINE_NODES
        try:
            yield
        finally:
            ctx.node_limit = before
            self._stop_word[0] = max(stopped, int(self._stop_word[0]))

    def _others(self, position: Any, first: int, limit: int) -> list[tuple[int, ...]]:
        """Return the lines of the other first moves that mate within `limit` plies, as far as the limits allow."""
        lines = []
        for check in self.checks(position):
            if check == first:
                continue
            after = _after(position, check, self._undo)
            if self._prove(after, limit - 1 if limit < LENGTH_MAX else limit) != MATE:
                if self._stop_word[0]:
                    break
                continue
            with self._undisturbed():
                rest = self._defence(after, self._length())
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
    ) -> Mate:
        """Return the shortest mate of `position` with the conventional length, without useless interpositions.

        A dropped piece that interposes is useless if the attacker takes it with the piece that gave the check, and,
        the taken piece given back, mates then in no more plies than the best other defence to that check lasts (none
        if there is no other defence: then the check counts as mate). The line is against the best other defences.
        The attacker's moves are those of shortest mates in which all defences count. 'timeout' if a limit comes first.
        """
        whole = self.solve(position, max_ms=max_ms, nodes=nodes, shortest=True, progress=progress)
        if whole.result != "mate" or not whole.shortest:
            return whole if whole.result != "mate" else replace(whole, result="timeout", moves=(), length=0)
        began = time.perf_counter()
        left = None if max_ms is None else max(max_ms - whole.seconds * 1000, 1.0)
        with self._watched(began, left, progress):
            try:
                moves = _Conventional(self).attack(position)
            except TimeoutError:
                moves = None
        self._armed = False
        seconds = whole.seconds + time.perf_counter() - began
        if moves is None:
            return Mate("timeout", nodes=self.nodes, seconds=seconds)
        return Mate("mate", moves, len(moves), True, self.nodes, seconds)


class _Conventional:
    """One walk through a proven mate, leaving out useless interpositions; remembers what it has seen."""

    def __init__(self, solver: MateSolver) -> None:
        self.solver = solver
        self.lines: dict[bytes, tuple[int, ...] | None] = {}

    def attack(self, pos: Any) -> tuple[int, ...]:
        """Return the line from `pos`, the attacker to move, who has a mate."""
        solver = self.solver
        if solver._prove(pos, LENGTH_MAX) != MATE:
            raise TimeoutError
        length, exact = solver._shorten(pos, solver._length())
        if not exact or solver._prove(pos, length) != MATE:
            raise TimeoutError
        move = int(solver._ctx.found.move)
        rest = self.defend(_after(pos, move, solver._undo))
        if rest is None:
            raise TimeoutError
        return (move, *rest)

    def defend(self, pos: Any) -> tuple[int, ...] | None:
        """Return the line from `pos`, the defender in check, against the best defence; None if it is no mate."""
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
        replies = legal_moves(pos).tolist()
        best: tuple[int, ...] = ()
        for reply in replies:
            if not is_drop(reply):
                best = max(best, (reply, *self.attack(_after(pos, reply, solver._undo))), key=len)
        others = len(best)
        for reply in replies:
            if is_drop(reply) and not self._useless(pos, reply, others):
                best = max(best, (reply, *self.attack(_after(pos, reply, solver._undo))), key=len)
        return best

    def _useless(self, pos: Any, drop: int, others: int) -> bool:
        """Tell whether the interposition `drop` changes nothing; see `MateSolver.tsume`."""
        solver = self.solver
        checker = _only_square(pos.checkers)
        interposed = _after(pos, drop, solver._undo)
        for take in solver.checks(interposed):
            if move_to(take) != move_to(drop) or move_from(take) != checker:
                continue
            after = _after(interposed, take, solver._undo)
            _give_back(after, int(UNPROMOTED[move_captured(take)]))
            line = self.defend(after)
            if line is not None and len(line) <= others:
                return True
        return False


def _copy(position: Any) -> Any:
    """Return a copy of a position that owns its memory."""
    pos = new_record(POSITION)
    np.asarray(pos)[...] = position
    return pos


def _after(position: Any, move: int, undo: Any) -> Any:
    """Return the position after `move`."""
    pos = _copy(position)
    do_move(pos, np.uint32(move), undo)
    return pos


def _only_square(halves: Any) -> int:
    """Return the only square of a bitboard uint64[2], -1 if there are more."""
    bits = int(halves[0]) | int(halves[1]) << 64
    return bits.bit_length() - 1 if bits.bit_count() == 1 else -1


def _give_back(pos: Any, kind: int) -> None:
    """Give the side to move the piece of `kind` that was taken from it."""
    us = int(pos.side)
    pos.hand[1 - us] -= np.uint64(1 << 8 * kind)
    pos.hand[us] += np.uint64(1 << 8 * kind)
    rebuild(pos)


def line_texts(position: Any, moves: Sequence[int]) -> list[str]:
    """Return the USI notation of `moves` played from `position`."""
    pos = _copy(position)
    undo = new_record(UNDO)
    texts = []
    for move in moves:
        texts.append(format_usi(pos, move))
        do_move(pos, np.uint32(move), undo)
    return texts


_shared = threading.local()


def shared_solver() -> MateSolver:
    """Return this thread's solver, made when first asked for."""
    if not hasattr(_shared, "solver"):
        _shared.solver = MateSolver()
    return _shared.solver
