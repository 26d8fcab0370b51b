"""Batch: the operations of a Board on arrays of packed positions."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from shogi_engine import games
from shogi_engine.batch import kernels
from shogi_engine.common.threads import results_on_threads
from shogi_engine.games.batch import IDS, BatchRules, Features
from shogi_engine.interface.game import NOT_OVER, Game
from shogi_engine.jit import new_record
from shogi_engine.perft import count_leaves, perft_context
from shogi_engine.search.context import new_context, set_root
from shogi_engine.search.root import Searcher
from shogi_engine.search.timeman import Limits
from shogi_engine.types.limits import check_number

# ---- Packed positions, processed in chunks by several threads


CHUNK = 256  # positions per call of a kernel; their nodes fit into a second-level cache


class ThreadMemory:
    """The memory of a thread.

    Args:
        nodes: record[kernels.node_dtype][CHUNK]
    """

    def __init__(self, nodes: Any) -> None:
        self.nodes = nodes
        self._buffers: dict[tuple[int, Any], Any] = {}

    def buffer(self, size: int, dtype: Any) -> Any:
        """Return an array [CHUNK, size] to write to; repeated calls return the same one."""
        if (size, dtype) not in self._buffers:
            self._buffers[size, dtype] = np.empty((CHUNK, size), dtype=dtype)
        return self._buffers[size, dtype]


def label_array(moves: Any, count: int, rows: str) -> NDArray[np.int32]:
    """Return move labels as int32[count]. Raises ValueError for another number of them, TypeError for no integers."""
    labels = np.asarray(moves)
    if labels.size and labels.dtype.kind not in "iu":
        raise TypeError(f"moves must be integers, the labels of a layout, not {moves!r:.60}")
    if labels.shape != (count,):
        raise ValueError(f"there are {count} {rows}, but moves of the shape {list(labels.shape)}")
    found: NDArray[np.int32] = np.ascontiguousarray(labels, dtype=np.int32)
    if labels.dtype != np.int32 and (beyond := labels[found != labels]).size:
        raise ValueError(f"{beyond[0]} is not the label of a move")  # it would become another move
    return found


def rows_of(count: int, rows: Any) -> NDArray[np.int64]:
    """Return the indices that `rows`, bool[count] or indices, names; all of `count` if it is None."""
    everyone = np.arange(count, dtype=np.int64)
    if rows is None:
        return everyone
    chosen = np.asarray(rows)
    return np.atleast_1d(everyone[chosen if chosen.size else chosen.astype(np.int64)])  # an empty list is of floats


def check_batch(batch: object) -> None:
    """Raise TypeError unless `batch` is a Batch."""
    if not isinstance(batch, Rows):
        raise TypeError(f"expected a Batch, such as Batch('othello'), not {batch!r:.60}")


Work = Callable[
    [ThreadMemory, int, int], object
]  # (bench, first, count): bench.nodes[:count] are positions[first:][:count]


class Rows:
    """Unpacks packed positions of one game and runs kernels on them."""

    def __init__(self, game: str, packing: str = "", *, threads: int = 1) -> None:
        check_number("threads", threads, 1, whole=True)
        self.game: Game = games.load(game)
        self.rules: BatchRules = games.game_module(game, "batch").RULES
        self.threads = threads
        self._packing_name = packing or next(iter(self.rules.packings))
        self._packing = named(self.rules.packings, self._packing_name, "packing")
        self.code_mask = np.uint32((1 << self.rules.code_bits) - 1)
        self._tables: dict[str, NDArray[np.int32]] = {}
        self._dtype = kernels.node_dtype(self.game)
        self._free: list[ThreadMemory] = []  # the benches not in use

    def __reduce__(self) -> tuple[Any, ...]:
        return functools.partial(type(self), threads=self.threads), (self.game.name, self._packing_name)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.game.name!r}, {self._packing_name!r}, threads={self.threads})"

    @property
    def size(self) -> int:
        """The bytes of a packed position."""
        return int(self._packing.size)

    @property
    def packing(self) -> str:
        """The name of the packed form."""
        return self._packing_name

    @property
    def packings(self) -> list[str]:
        """The names of packed forms."""
        return list(self.rules.packings)

    @property
    def layouts(self) -> dict[str, int]:
        """The names of the move layouts, and the number of labels of each."""
        return {name: layout.size for name, layout in self.rules.layouts.items()}

    @property
    def feature_names(self) -> dict[str, tuple[int, ...]]:
        """The names of features, and their shape for one position."""
        return {name: features.shape for name, features in self.rules.features.items()}

    def _packed(self, positions: Any) -> NDArray[np.uint8]:
        """Return `positions` as an array of bytes; raises ValueError if its shape or type is wrong."""
        packed = np.asarray(positions)
        if packed.shape == (0,):  # an empty list
            packed = np.empty((0, self.size), dtype=np.uint8)
        if packed.ndim != 2 or packed.shape[1] != self.size or packed.dtype != np.uint8:
            raise ValueError(f"packed positions must be uint8[n, {self.size}], not {packed.dtype}{list(packed.shape)}")
        return packed

    def labels(self, layout: str) -> NDArray[np.int32]:
        """Return int32[2, codes], the layout's labels by side to move and Board's move, -1 where it has none."""
        if layout not in self._tables:
            self._tables[layout] = named(self.rules.layouts, layout, "layout").table()
        return self._tables[layout]

    def _take_bench(self) -> ThreadMemory:
        """Return a bench that is not in use."""
        try:
            return self._free.pop()
        except IndexError:
            nodes = np.zeros(CHUNK, dtype=self._dtype)
            nodes["params"] = self.params()
            return ThreadMemory(nodes)

    def params(self) -> Any:
        """Return the game's parameters (a record) for positions without players."""
        params = self.game.default_params()
        for name, value in self.rules.params.items():
            params[name] = value
        return params

    def _each_chunk(self, packed: NDArray[np.uint8], work: Work, chunk: int = CHUNK) -> None:
        """Unpack the positions chunk by chunk and do `work` with each, in `threads` threads."""

        def read_and_work(bench: ThreadMemory, first: int, count: int) -> None:
            self._read(packed[first : first + count], first, bench.nodes)
            work(bench, first, count)

        self._each_part(len(packed), read_and_work, chunk)

    def _read(self, packed: NDArray[np.uint8], first: int, nodes: Any) -> None:
        """Unpack positions into nodes; errors number the rows from `first` on."""
        rows = np.ascontiguousarray(packed)
        refused = int(self.rules.read_rows(rows, self._packing.number, nodes, len(rows)))
        if refused >= 0:
            self._unpacked(rows[refused], first + refused)
            raise ValueError(f"row {first + refused}: not a valid position")

    def _each_part(self, rows: int, work: Work, chunk: int = CHUNK) -> None:
        """Do `work` with a bench on at most `chunk` rows at a time, in `threads` threads."""
        used: list[ThreadMemory] = []

        def worker(_: int) -> Callable[[int], None]:
            bench = self._take_bench()
            used.append(bench)

            def do(first: int) -> None:
                work(bench, first, min(chunk, rows - first))

            return do

        self._on_threads(worker, range(0, rows, chunk))
        self._free += used

    def _on_threads(self, worker: Callable[[int], Callable[[int], None]], starts: range) -> None:
        """Divide `starts` among threads, each with its own function worker(index)."""
        if self.threads == 1 or len(starts) < 2:
            do = worker(0)
            for first in starts:
                do(first)
        else:
            for _ in results_on_threads(worker, starts, self.threads, "batch"):
                pass

    def _unpacked(self, row: NDArray[np.uint8], number: int) -> Any:
        """Return a packed position; raises ValueError saying what is wrong with it."""
        try:
            return self._packing.unpack(row.tobytes())
        except ValueError as fault:
            raise ValueError(f"row {number}: {fault}") from None

    def read_nodes(self, positions: Any, nodes: Any) -> None:
        """Unpack each position into a node; raises ValueError naming the first row that is not valid."""
        self._read(self._packed(positions), 0, nodes)

    def pack_nodes(self, nodes: Any, out: NDArray[np.uint8]) -> None:
        """Pack the positions of nodes into out, uint8[n, size]; raises ValueError if the form cannot represent one."""
        self._write(nodes, 0, len(nodes), out)

    def _write(self, nodes: Any, first: int, count: int, out: NDArray[np.uint8]) -> None:
        """Pack nodes[:count] into out[first:]; raises ValueError if the form cannot represent one."""
        refused = int(self.rules.write_rows(nodes, count, self._packing.number, out[first : first + count]))
        if refused >= 0:
            raise ValueError(f"row {first + refused}: this position cannot be packed; is a king missing?")


def named(known: dict[str, Any], name: str, what: str) -> Any:
    """Return the entry called `name`; raises ValueError with the known names if there is none."""
    if name not in known:
        raise ValueError(f"there is no {what} {name!r}; there are {', '.join(known)}")
    return known[name]


def shared_array(out: Any) -> NDArray[Any]:
    """Return `out` as an array with the same memory: arrays, and objects with a buffer, `__array__` or DLPack.

    Raises ValueError if NumPy would have to copy it, or may not write to it.
    """
    if isinstance(out, np.ndarray):
        array = out
    else:
        try:
            array = _viewed(out)
        except (TypeError, ValueError, BufferError, RuntimeError) as fault:
            raise ValueError(f"NumPy cannot write to out, which is a {type(out).__name__}: {fault}") from None
    if not array.flags.writeable:
        raise ValueError(f"NumPy cannot write to out, which is a {type(out).__name__}: it is read-only")
    return array


def _viewed(out: Any) -> NDArray[Any]:
    """Return an array that shares the memory of `out`. Raises ValueError for a copy, or what NumPy raises."""
    view = np.asarray(out)
    if view.dtype.hasobject:  # NumPy uses DLPack only in this way
        view = np.from_dlpack(out) if hasattr(out, "__dlpack__") else view
    elif view.size and not np.may_share_memory(view, np.asarray(out)):
        raise ValueError("NumPy would have to copy it")
    return view


def output_array(out: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Return `out` as an array, or a new array; see `shared_array`.

    Raises ValueError if `out` has another shape or dtype or is not C-contiguous.
    """
    if out is None:
        return np.empty(shape, dtype=dtype)
    array = shared_array(out)
    if array.shape != shape or array.dtype != dtype or not array.flags.c_contiguous:
        found = f"{array.dtype}{list(array.shape)}"
        raise ValueError(f"out must be a C-contiguous {np.dtype(dtype)}{list(shape)}, not {found}")
    return array


SEARCH_CHUNK = 16  # positions that share a transposition table
PACKED_CHUNK = 2048  # positions per call of a kernel that works on packed positions
HASH_MB = 4


class Outcomes(NamedTuple):
    """How games have ended.

    Attributes:
        termination: int8[n], an index into game.TERMINATIONS, 0 if the game continues
        result: int8[n], 1 if the side to move has won, -1 if it has lost, 0 for a draw or if the game continues
    """

    termination: NDArray[np.int8]
    result: NDArray[np.int8]

    @property
    def over(self) -> NDArray[np.bool_]:
        """Which of the games are over."""
        return np.asarray(self.termination != NOT_OVER)


class SearchResults(NamedTuple):
    """The results of searches.

    Attributes:
        values: int32[n], in the game's unit, for the side to move
        moves: int32[n], labels; -1 where there is no legal move
    """

    values: NDArray[np.int32]
    moves: NDArray[np.int32]


class Batch(Rows):
    """Operations on arrays of packed positions. Row n of a result belongs to position n.

    >>> batch = Batch("othello")
    >>> positions = batch.pack(["---------------------------OX------XO--------------------------- X"])
    >>> batch.legal_moves(positions, "squares").labels.tolist()
    [[19, 26, 37, 44]]

    Positions are uint8[n, size], C-contiguous or not, or anything that `np.asarray` converts to that. Results are
    C-contiguous arrays that own their memory, so `torch.from_dlpack` and others use them without a copy. For invalid
    positions, methods raise ValueError, which names the first invalid row. A packed position has no history, so there
    is no repetition. Each kernel is compiled, or loaded from the cache, when it is first used. Several threads may
    use one Batch.

    Attributes:
        game: the name of the game
        packing: the packed form, one of `packings`; '' for the first
        threads: the number of threads, which run without the GIL
    """

    # ---- positions

    def pack(self, positions: Sequence[str]) -> NDArray[np.uint8]:
        """Return uint8[n, size]: the packed forms of positions in the game's notation (SFEN, OBF).

        Raises ValueError naming the first invalid row, as `Game.parse_position` does.
        """
        if isinstance(positions, str):
            raise TypeError(f"expected a list of positions, not {positions!r:.60}")
        if wrong := [row for row, text in enumerate(positions) if not isinstance(text, str)]:
            raise TypeError(f"row {wrong[0]}: expected a position as text, not {positions[wrong[0]]!r:.60}")
        out = np.empty((len(positions), self.size), dtype=np.uint8)

        def read(bench: ThreadMemory, first: int, count: int) -> None:
            texts = positions[first : first + count]
            starts = np.zeros(count + 1, dtype=np.int64)
            np.cumsum([len(text) + 1 for text in texts], out=starts[1:])
            data = np.frombuffer(bytearray("\n".join([*texts, "\n\n"]), "ascii", "replace"), dtype=np.uint8)
            taken = np.empty(count, dtype=np.uint8)
            self.rules.read_texts(data, starts, bench.nodes, count, taken)
            for row in np.flatnonzero(taken == 0).tolist():
                try:
                    bench.nodes[row].pos = self.game.parse_position(texts[row])
                except ValueError as fault:
                    raise ValueError(f"row {first + row}: {fault}") from None
            self._write(bench.nodes, first, count, out)

        self._each_part(len(positions), read)
        return out

    def repack(self, positions: Any, packing: str) -> NDArray[np.uint8]:
        """Return the positions in another packed form of the game."""
        target = named(self.rules.packings, packing, "packing")
        packed = self._packed(positions)
        out = np.empty((len(packed), target.size), dtype=np.uint8)
        self._each_chunk(
            packed, lambda bench, first, count: self.rules.write_rows(bench.nodes, count, target.number, out[first:])
        )
        return out

    def texts(self, positions: Any) -> list[str]:
        """Return the positions in the game's notation."""
        packed = self._packed(positions)
        out = [""] * len(packed)

        def write(bench: ThreadMemory, first: int, count: int) -> None:
            text = bench.buffer(self.rules.text_bytes, np.uint8).reshape(-1)
            end = self.rules.write_texts(bench.nodes, count, text)
            out[first : first + count] = str(text[: end - 1], "ascii").split("\n")

        self._each_chunk(packed, write)
        return out

    # ---- moves

    def legal_moves(self, positions: Any, layout: str = IDS, width: int | None = None) -> "Legal":
        """Return the labels of the legal moves in the generator's order; see `Legal`.

        Args:
            layout: one of `layouts`; in 'ids' a label is a Board's move
            width: the width of `Legal.labels`, None for the largest number of moves; labels beyond it are dropped
        """
        table, packed = self.labels(layout), self._packed(positions)
        counts = np.empty(len(packed), dtype=np.int32)
        parts: dict[int, NDArray[np.int32]] = {}

        def write(bench: ThreadMemory, first: int, count: int) -> None:
            kernels.list_nodes(bench.nodes, count)
            capacity = int(bench.nodes["count"][:count].max(initial=0)) if width is None else width
            part = np.empty((count, capacity), dtype=np.int32)
            kernels.write_labels(bench.nodes, count, table, self.code_mask, part, counts[first : first + count])
            parts[first] = part

        self._each_chunk(packed, write)
        capacity = max((part.shape[1] for part in parts.values()), default=0) if width is None else width
        labels = np.full((len(packed), capacity), kernels.NO_LABEL, dtype=np.int32)
        for first, part in parts.items():
            labels[first : first + len(part), : part.shape[1]] = part
        return Legal(labels, counts)

    def legal_masks(self, positions: Any, layout: str, out: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """Return bool[n, labels of the layout]: whether each label belongs to a legal move.

        Args:
            out: an array of that shape to write to, C-contiguous, or an object that shares memory with NumPy
        """
        packed, table = self._packed(positions), self.labels(layout)
        masks: NDArray[np.bool_] = output_array(out, (len(packed), self.layouts[layout]), np.bool_)
        bytes_of = masks.view(np.uint8)

        def write(bench: ThreadMemory, first: int, count: int) -> None:
            kernels.list_nodes(bench.nodes, count)
            kernels.write_masks(bench.nodes, count, table, self.code_mask, bytes_of[first : first + count])

        self._each_chunk(packed, write)
        return masks

    def apply(
        self, positions: Any, moves: Any, layout: str = IDS, out: NDArray[np.uint8] | None = None, checked: bool = True
    ) -> NDArray[np.uint8]:
        """Return the positions after `moves`, int[n], labels of `layout`.

        Args:
            out: uint8[n, size] to write to, C-contiguous; it may be `positions`
            checked: False if moves in the layout 'ids' are known to be legal; this is a third faster in Shogi, but
                detects only moves that no piece can make

        Raises:
            ValueError: a move is illegal; the message names the first such row
        """
        packed = self._packed(positions)
        after: NDArray[np.uint8] = output_array(out, packed.shape, np.uint8)
        if layout == IDS and self.rules.apply_rows is not None:
            self._apply_packed(packed, label_array(moves, len(packed), "positions"), after, checked)
            return after

        def write(bench: ThreadMemory, first: int, count: int) -> None:
            kernels.make_chosen(bench.nodes, count)
            self._write(bench.nodes, first, count, after)

        self._with_moves(packed, moves, layout, write, refuse=True)
        return after

    def _apply_packed(self, packed: Any, codes: Any, after: Any, checked: bool) -> None:
        """Make moves by the game's own kernels for packed positions."""
        rules, packing = self.rules, self._packing.number
        assert rules.apply_rows is not None and rules.apply_legal is not None
        apply = rules.apply_legal if checked else rules.apply_rows

        def worker(index: int) -> Callable[[int], None]:
            scratch = new_record(self.game.position) if checked else np.empty(rules.scratch, dtype=np.uint8)

            def work(first: int) -> None:
                rows = np.ascontiguousarray(packed[first : first + PACKED_CHUNK])
                chunk = codes[first : first + len(rows)]
                refused = apply(rows, packing, chunk, scratch, after[first:])
                if refused < 0:
                    return
                row, code = first + refused, int(chunk[refused])
                if not checked:
                    raise ValueError(f"row {row}: the move {code} cannot be made here")
                raise self._illegal(self._unpacked(rows[refused], row), row, code, IDS)

            return work

        self._on_threads(worker, range(0, len(packed), PACKED_CHUNK))

    def relabel(self, positions: Any, moves: Any, source: str, target: str) -> NDArray[np.int32]:
        """Return the labels in layout `target` of moves given as labels of `source`; -1 for illegal moves."""
        packed, table = self._packed(positions), self.labels(target)
        labels = np.empty(len(packed), dtype=np.int32)

        def write(bench: ThreadMemory, first: int, count: int) -> None:
            kernels.label_chosen(bench.nodes, count, table, self.code_mask, labels[first : first + count])

        self._with_moves(packed, moves, source, write, refuse=False)
        return labels

    def _with_moves(self, packed: Any, moves: Any, layout: str, work: Work, refuse: bool) -> None:
        """Do `work` after the move labelled in `moves` was put first in each node; see `choose_labels`."""
        table, wanted = self.labels(layout), label_array(moves, len(packed), "positions")

        def choose(bench: ThreadMemory, first: int, count: int) -> None:
            kernels.list_nodes(bench.nodes, count)
            row = kernels.choose_labels(bench.nodes, count, table, self.code_mask, wanted[first : first + count])
            if refuse and row >= 0:
                raise self._illegal(bench.nodes[row].pos, first + row, int(wanted[first + row]), layout)
            work(bench, first, count)

        self._each_chunk(packed, choose)

    def _illegal(self, position: Any, row: int, move: int, layout: str) -> ValueError:
        """Return the exception for an illegal move."""
        text = self.game.format_position(position)
        return ValueError(f"row {row}: the move {move} ({layout}) is not legal in {text}")

    # ---- properties of positions

    def sides(self, positions: Any) -> NDArray[np.int8]:
        """Return int8[n]: the side to move, 0 for black and 1 for white."""
        packed = self._packed(positions)
        out = np.empty(len(packed), dtype=np.int8)

        def write(bench: ThreadMemory, first: int, count: int) -> None:
            out[first : first + count] = bench.nodes["pos"]["side"][:count]

        self._each_chunk(packed, write)
        return out

    def checks(self, positions: Any) -> NDArray[np.bool_]:
        """Return bool[n]: whether the side to move is in check."""
        packed = self._packed(positions)
        out = np.empty(len(packed), dtype=np.bool_)
        self._each_chunk(
            packed, lambda bench, first, count: kernels.write_checks(bench.nodes, count, out.view(np.uint8)[first:])
        )
        return out

    def outcomes(self, positions: Any) -> Outcomes:
        """Return how the game has ended at each position.

        The rules are those of a Board, without repetition. A result that a player has to claim does not end the game.
        """
        packed = self._packed(positions)
        terminations, values = np.empty(len(packed), dtype=np.int8), np.empty(len(packed), dtype=np.int32)

        def write(bench: ThreadMemory, first: int, count: int) -> None:
            kernels.list_nodes(bench.nodes, count)
            kernels.write_results(bench.nodes, count, terminations[first:], values[first:])

        self._each_chunk(packed, write)
        return Outcomes(terminations, np.where(terminations == NOT_OVER, 0, np.sign(values)).astype(np.int8))

    @overload
    def features(self, positions: Any, name: str, /, *, dtype: Any = None) -> NDArray[Any]: ...

    @overload
    def features(
        self, positions: Any, name: str, other: str, /, *names: str, dtype: Any = None
    ) -> tuple[NDArray[Any], ...]: ...

    @overload
    def features(self, positions: Any, *names: str, dtype: Any = None, out: Any = None) -> Any: ...

    def features(self, positions: Any, *names: str, dtype: Any = None, out: Any = None) -> Any:
        """Return an array [n, *shape] for each of `names` (see `feature_names`), a tuple of them if there are several.

        Args:
            dtype: the dtype of the arrays; by default uint8 for planes, and for indices the smallest that holds them
            out: arrays to write to and return, one per name, of any dtype and C-contiguous, or objects that share
                memory with NumPy, such as a torch tensor on the CPU (pinned or not)
        """
        packed = self._packed(positions)
        chosen: list[Features] = [named(self.rules.features, name, "kind of features") for name in names]
        given = [None] * len(names) if out is None else list(out) if isinstance(out, (tuple, list)) else [out]
        if len(given) != len(names):
            raise ValueError(f"{len(names)} features need {len(names)} output arrays, not {len(given)}")
        arrays: list[Any] = []
        for each, there in zip(chosen, given, strict=True):
            array = None if there is None else shared_array(there)
            kind = np.dtype(dtype or each.dtype) if array is None else array.dtype
            arrays.append(output_array(array, (len(packed), *each.shape), kind))

        def write(bench: ThreadMemory, first: int, count: int) -> None:
            for each, array in zip(chosen, arrays, strict=True):
                size = math.prod(each.shape)
                rows = array[first : first + count].reshape(count, size)
                own = rows if array.dtype == each.dtype else bench.buffer(size, each.dtype)
                each.write(bench.nodes, count, own)
                if own is not rows:
                    np.copyto(rows, own[:count], casting="unsafe")

        self._each_chunk(packed, write)
        results = arrays if out is None else given
        return results[0] if len(results) == 1 else tuple(results)

    # ---- counting, values

    def perft(self, positions: Any, depth: int) -> NDArray[np.int64]:
        """Return int64[n]: the leaves of the legal move tree `depth` (at least 1) plies below each position."""
        check_number("depth", depth, 1, whole=True)
        packed = self._packed(positions)
        out = np.empty(len(packed), dtype=np.int64)

        def write(bench: ThreadMemory, first: int, count: int) -> None:
            ctx = perft_context(self.game)
            for row in range(count):
                ctx.pos = bench.nodes[row].pos
                out[first + row] = count_leaves(ctx, depth)

        self._each_chunk(packed, write, SEARCH_CHUNK)
        return out

    def evaluate(self, positions: Any, evaluation: str = "") -> NDArray[np.int32]:
        """Return int32[n]: the static values for the side to move, in the game's unit.

        Args:
            evaluation: the name of one of the game's evaluations, '' for the default
        """
        packed = self._packed(positions)
        values = np.empty(len(packed), dtype=np.int32)
        evaluator = self.game.evaluation(evaluation).load()

        def write(bench: ThreadMemory, first: int, count: int) -> None:
            ctx = new_context(self.game, evaluator=evaluator)
            set_root(ctx, bench.nodes[0].pos)
            address = np.asarray(ctx).ctypes.data
            kernels.write_evaluations(ctx, address, self.game.position.itemsize, bench.nodes, count, values[first:])

        self._each_chunk(packed, write)
        return values

    def search(
        self,
        positions: Any,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        evaluation: str = "",
        layout: str = IDS,
    ) -> SearchResults:
        """Search each position to a fixed `depth`, or with `nodes` nodes; return the values and best moves.

        SEARCH_CHUNK successive positions share a transposition table. A result may therefore depend on neighbouring
        positions, but not on the number of threads.
        """
        if (depth is None) == (nodes is None):
            raise ValueError(f"a search needs either a depth or nodes, not {depth} and {nodes}")
        check_number("depth" if nodes is None else "nodes", depth if nodes is None else nodes, 1, whole=True)
        limits, packed, table = Limits(depth=depth, nodes=nodes), self._packed(positions), self.labels(layout)
        values, labels = np.empty(len(packed), dtype=np.int32), np.full(len(packed), kernels.NO_LABEL, dtype=np.int32)
        searchers: list[Searcher] = []

        def write(bench: ThreadMemory, first: int, count: int) -> None:
            searcher = searchers.pop() if searchers else Searcher(self.game, evaluation=evaluation, hash_mb=HASH_MB)
            searcher.new_game()
            for row in range(count):
                pos = bench.nodes[row].pos
                found = searcher.search(pos, (), limits)
                values[first + row] = found.score
                if found.bestmove:
                    labels[first + row] = table[int(pos.side), found.bestmove & int(self.code_mask)]
            searchers.append(searcher)

        self._each_chunk(packed, write, SEARCH_CHUNK)
        return SearchResults(values, labels)


class Legal(NamedTuple):
    """Legal moves.

    Attributes:
        labels: int32[n, width], -1 after the last label of a row
        counts: int32[n], the number of legal moves
    """

    labels: NDArray[np.int32]
    counts: NDArray[np.int32]


# ---- The layouts and features that networks use unless told otherwise, and planes side by side


Shape = tuple[int, ...]
LAYOUTS = {"shogi": ("dlshogi", ("dlshogi1", "dlshogi2")), "othello": ("squares+pass", ("planes",))}


def defaulted(game: str, layout: str | None, features: tuple[str, ...] | None) -> tuple[str, tuple[str, ...]]:
    """Return the layout and the features, the game's defaults for None."""
    usual_layout, usual_features = LAYOUTS.get(game, (IDS, ("planes",)))
    return layout or usual_layout, features or usual_features


def planes_shape(batch: Batch, features: tuple[str, ...]) -> Shape:
    """Return the shape of features with planes of one size, side by side."""
    if missing := [name for name in features if name not in batch.feature_names]:
        raise ValueError(f"{batch.game.name} has no {missing[0]}: Extras.drawing and the rule write_cells make planes")
    shapes = [batch.feature_names[name] for name in features]
    return sum(shape[0] for shape in shapes), *shapes[0][1:]


def planes_most(batch: Batch) -> int:
    """Return the largest value in planes: 1, or 255 for a game whose planes have the numbers of pieces in hand."""
    drawing = batch.game.extras.drawing
    return 255 if drawing and drawing.hand else 1


def side_by_side(found: Any) -> NDArray[Any]:
    """Return features, an array or several of them with planes of one size, as one array [n, planes, ...]."""
    return np.concatenate(found, axis=1) if isinstance(found, tuple) else np.asarray(found)
