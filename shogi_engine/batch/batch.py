"""Batch: the operations of a Board on arrays of packed positions."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from shogi_engine.batch import kernels
from shogi_engine.batch.rows import Bench, Rows, Work, label_array, named, output_array, shared_array
from shogi_engine.games.batch_rules import IDS, Features
from shogi_engine.interface.game import NOT_OVER
from shogi_engine.jit import new_record
from shogi_engine.perft import count_leaves, perft_context
from shogi_engine.search.context import new_context, set_root
from shogi_engine.search.limits import Limits
from shogi_engine.search.root import Searcher
from shogi_engine.types.arguments import check_number

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


class Found(NamedTuple):
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

        def read(bench: Bench, first: int, count: int) -> None:
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

        def write(bench: Bench, first: int, count: int) -> None:
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

        def write(bench: Bench, first: int, count: int) -> None:
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

        def write(bench: Bench, first: int, count: int) -> None:
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

        def write(bench: Bench, first: int, count: int) -> None:
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

        def write(bench: Bench, first: int, count: int) -> None:
            kernels.label_chosen(bench.nodes, count, table, self.code_mask, labels[first : first + count])

        self._with_moves(packed, moves, source, write, refuse=False)
        return labels

    def _with_moves(self, packed: Any, moves: Any, layout: str, work: Work, refuse: bool) -> None:
        """Do `work` after the move labelled in `moves` was put first in each node; see `choose_labels`."""
        table, wanted = self.labels(layout), label_array(moves, len(packed), "positions")

        def choose(bench: Bench, first: int, count: int) -> None:
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

        def write(bench: Bench, first: int, count: int) -> None:
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

        def write(bench: Bench, first: int, count: int) -> None:
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

        def write(bench: Bench, first: int, count: int) -> None:
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

        def write(bench: Bench, first: int, count: int) -> None:
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

        def write(bench: Bench, first: int, count: int) -> None:
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
    ) -> Found:
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

        def write(bench: Bench, first: int, count: int) -> None:
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
        return Found(values, labels)


class Legal(NamedTuple):
    """Legal moves.

    Attributes:
        labels: int32[n, width], -1 after the last label of a row
        counts: int32[n], the number of legal moves
    """

    labels: NDArray[np.int32]
    counts: NDArray[np.int32]
