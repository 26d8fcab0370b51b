"""Packed positions, processed in chunks by several threads."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shogi_engine import games
from shogi_engine.batch import kernels
from shogi_engine.common.threads import results_on_threads
from shogi_engine.games.batch_rules import BatchRules
from shogi_engine.interface.game import Game
from shogi_engine.types.arguments import check_number

CHUNK = 256  # positions per call of a kernel; their nodes fit into a second-level cache


class Bench:
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


Work = Callable[[Bench, int, int], object]  # (bench, first, count): bench.nodes[:count] are positions[first:][:count]


class Rows:
    """Unpacks packed positions of one game and runs kernels on them."""

    def __init__(self, game: str, packing: str = "", *, threads: int = 1) -> None:
        check_number("threads", threads, 1, whole=True)
        self.game: Game = games.load(game)
        self.rules: BatchRules = games.part(game, "batch").RULES
        self.threads = threads
        self._packing_name = packing or next(iter(self.rules.packings))
        self._packing = named(self.rules.packings, self._packing_name, "packing")
        self.code_mask = np.uint32((1 << self.rules.code_bits) - 1)
        self._tables: dict[str, NDArray[np.int32]] = {}
        self._dtype = kernels.node_dtype(self.game)
        self._free: list[Bench] = []  # the benches not in use

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.game.name, self._packing_name, self.threads)

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

    def _take_bench(self) -> Bench:
        """Return a bench that is not in use."""
        try:
            return self._free.pop()
        except IndexError:
            nodes = np.zeros(CHUNK, dtype=self._dtype)
            nodes["params"] = self.params()
            return Bench(nodes)

    def params(self) -> Any:
        """Return the game's parameters (a record) for positions without players."""
        params = self.game.default_params()
        for name, value in self.rules.params.items():
            params[name] = value
        return params

    def _each_chunk(self, packed: NDArray[np.uint8], work: Work, chunk: int = CHUNK) -> None:
        """Unpack the positions chunk by chunk and do `work` with each, in `threads` threads."""

        def read_and_work(bench: Bench, first: int, count: int) -> None:
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
        used: list[Bench] = []

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


def _again(kind: type["Rows"], game: str, packing: str, threads: int) -> "Rows":
    """Unpickle a batch: allocate its memory and load its kernels in the new process."""
    return kind(game, packing, threads=threads)


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
