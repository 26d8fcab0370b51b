"""PUCT, the search of AlphaZero: many games at once, with one call of a network for the leaves of all of them."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shogi_engine.batch import kernels, puct_kernels
from shogi_engine.batch.batch import Batch, check_batch, label_array, named, output_array, rows_of
from shogi_engine.batch.puct_kernels import LONGEST
from shogi_engine.games.batch import IDS, Features
from shogi_engine.interface.game import NOT_OVER
from shogi_engine.types.limits import check_number

# ---- Hundreds of games in progress, with their moves, so that repetition ends them as on a Board


class Steps(NamedTuple):
    """The result of a move in each game.

    Attributes:
        terminations: int8[n], indices into game.TERMINATIONS, 0 where the game continues
        results: int8[n], 1, 0, -1 for the side that moved; 0 also where the game continues
        truncations: bool[n], games that are not over but have reached the length limit
    """

    terminations: NDArray[np.int8]
    results: NDArray[np.int8]
    truncations: NDArray[np.bool_]

    @property
    def ended(self) -> NDArray[np.bool_]:
        """Which games are over or truncated."""
        return np.asarray((self.terminations != NOT_OVER) | self.truncations)


class LiveGames:
    """`count` games in progress, one per row, of a batch's game.

    >>> games = LiveGames(Batch("othello"), 2, layout="squares+pass")
    >>> games.step([19, 26]).ended.tolist(), games.legal_masks().sum(axis=1).tolist()
    ([False, False], [3, 3])

    A Shogi game needs about 50 kB. Repetition and perpetual check end games, as on a `Board`. Only one thread at a time
    may use this object.

    Args:
        batch: the batch, which gives the game, the packed form and the threads
        count: the number of games
        layout: the layout of move labels, one of the batch's
        longest: the number of moves after which a game is truncated, at most 512
    """

    def __init__(self, batch: Batch, count: int, *, layout: str = IDS, longest: int = puct_kernels.LONGEST) -> None:
        check_batch(batch)
        check_number("count", count, 1, whole=True)
        check_number("longest", longest, 1, whole=True)
        if longest > puct_kernels.LONGEST:
            raise ValueError(f"a game has at most {puct_kernels.LONGEST} moves, not {longest}")
        self.batch, self.layout, self.longest = batch, layout, longest
        self._table, self._code_mask = batch.labels(layout), batch.code_mask
        self._nodes = self._new_nodes(count)
        self._start = self._new_nodes(1)
        self._start[0]["pos"] = batch.game.parse_position(batch.game.start)
        puct_kernels.list_games(self._start)
        self._chosen = np.zeros(count, dtype=np.uint32)
        self.reset()

    def _new_nodes(self, count: int) -> NDArray[Any]:
        nodes = np.zeros(count, dtype=puct_kernels.live_dtype(self.batch.game))
        nodes["params"] = self.batch.params()
        return nodes

    def __len__(self) -> int:
        return len(self._nodes)

    def __repr__(self) -> str:
        return f"LiveGames({self.batch!r}, {len(self)}, layout={self.layout!r}, longest={self.longest})"

    def reset(self, rows: Any = None, positions: Any = None) -> None:
        """Restart the games of `rows`, or all games.

        Args:
            rows: bool[n] or indices
            positions: packed, one for each of `rows`; None for the usual start

        Raises:
            ValueError: the numbers of rows and positions differ, or a position is invalid (the message names the first)
        """
        chosen = rows_of(len(self), rows)
        starts = self._start
        if positions is not None:
            if len(positions) != len(chosen):
                raise ValueError(f"there are {len(chosen)} games to begin, but {len(positions)} positions")
            starts = self._new_nodes(len(positions))
            self.batch.read_nodes(positions, starts)
            puct_kernels.list_games(starts)
        if len(chosen) and len(starts):
            puct_kernels.begin_games(self._nodes, chosen, starts, self.batch.game.position.itemsize)

    def step(self, moves: Any) -> Steps:
        """Make a move in each game; a game that is over stays over until it is reset.

        Args:
            moves: int[n], labels

        Raises:
            ValueError: a move is illegal; the message names the first such row, and no game is changed
        """
        labels = label_array(moves, len(self), "games")
        refused = int(puct_kernels.choose_moves(self._nodes, self._table, self._code_mask, labels, self._chosen))
        if refused >= 0:
            node = self._nodes[refused]
            if not node["count"] or node["game_ply"] >= self.longest:
                raise ValueError(f"row {refused}: the game is over")
            text = self.batch.game.format_position(node["pos"])
            raise ValueError(f"row {refused}: the move {int(labels[refused])} ({self.layout}) is not legal in {text}")
        if (self._nodes["game_ply"] >= self.longest).any():
            raise ValueError(f"row {int((self._nodes['game_ply'] >= self.longest).argmax())}: the game is over")
        terminations, results = np.empty(len(self), np.int8), np.empty(len(self), np.int8)
        truncations = np.empty(len(self), dtype=np.uint8)
        puct_kernels.make_moves(self._nodes, self._chosen, self.longest, terminations, results, truncations)
        return Steps(terminations, results, truncations.view(np.bool_))

    @property
    def turns(self) -> NDArray[np.int8]:
        """int8[n]: the side to move in each game."""
        return self._nodes["pos"]["side"].astype(np.int8)

    @property
    def plies(self) -> NDArray[np.int64]:
        """int64[n]: the number of moves made in each game."""
        return self._nodes["game_ply"].copy()

    def positions(self) -> NDArray[np.uint8]:
        """Return uint8[n, size]: the positions in the batch's packed form."""
        out = np.empty((len(self), self.batch.size), dtype=np.uint8)
        self.batch.pack_nodes(self._nodes, out)
        return out

    def legal_masks(self, out: Any = None) -> Any:
        """Return bool[n, labels of the layout]: which labels belong to legal moves; none in a game that is over.

        Args:
            out: an array of that shape to write to, C-contiguous, or an object that shares memory with NumPy
        """
        masks = output_array(out, (len(self), self.batch.layouts[self.layout]), np.bool_)
        kernels.write_masks(self._nodes, len(self), self._table, self._code_mask, masks.view(np.uint8))
        return masks

    def features(self, *names: str, dtype: Any = None, rows: Any = None) -> Any:
        """Return an array [n, *shape] for each of `names`, as `Batch.features` does.

        Args:
            rows: bool[n] or indices, to choose some games only
        """
        nodes = self._nodes if rows is None else self._nodes[rows_of(len(self), rows)]
        found = []
        for name in names:
            each: Features = named(self.batch.rules.features, name, "kind of features")
            array = np.empty((len(nodes), math.prod(each.shape)), dtype=each.dtype)
            each.write(nodes, len(nodes), array)
            found.append(array.astype(dtype or each.dtype, copy=False).reshape(len(nodes), *each.shape))
        return found[0] if len(found) == 1 else tuple(found)

    def random_moves(self, random: np.random.Generator) -> NDArray[np.int32]:
        """Return int32[n]: the label of a random legal move of each game, -1 for a game that is over."""
        state, labels = random.integers(1, 1 << 63, size=1, dtype=np.uint64), np.empty(len(self), dtype=np.int32)
        puct_kernels.random_labels(self._nodes, self._table, self._code_mask, state, labels)
        return labels


Network = Callable[[LiveGames], tuple[Any, Any]]
EDGES = 64  # edges allocated for each node


def check_network(network: object) -> None:
    """Raise TypeError unless `network` can be called."""
    if not callable(network):
        raise TypeError(f"a network is a function of the leaves (load_network reads one), not {network!r:.60}")


class Puct:
    """A search tree for each of `count` games in progress.

    >>> search = Puct(Batch("othello"), 2, lambda leaves: (None, np.zeros(len(leaves))), layout="squares+pass")
    >>> search.run(40)
    >>> search.visits().sum(axis=1).tolist()
    [40, 40]

    Args:
        network: `network(leaves)` returns (logits, values). `leaves` are LiveGames whose rows are the positions to
            evaluate, with `leaves.features(...)` and `leaves.legal_masks()`. `logits` is float32[rows, labels of the
            layout], of which only those of legal moves are used, or None to make all moves equally likely. `values` is
            float32[rows], the expected result for the side to move, from -1 to 1.
        copies: the number of leaves of a tree that are evaluated at once; `leaves` has trees * copies rows
        capacity: the number of positions that a tree holds; further positions are evaluated but not kept
    """

    def __init__(
        self,
        batch: Batch,
        count: int,
        network: Network,
        *,
        layout: str = IDS,
        longest: int = LONGEST,
        copies: int = 1,
        capacity: int = 1024,
        explore: float = 1.25,
        explore_base: float = 19652.0,
        first_play: float = 0.2,
        noise: tuple[float, float] | None = None,
        virtual_loss: float = 1.0,
        seed: int = 0,
    ) -> None:
        check_network(network)
        for name, value, least in (("count", count, 1), ("copies", copies, 1), ("capacity", capacity, 2)):
            check_number(name, value, least, whole=True)
        self.leaves = LiveGames(batch, count * copies, layout=layout, longest=longest)
        self.batch, self.network, self.copies, self.noise = batch, network, copies, noise
        self._count, self._labels = count, batch.layouts[layout]
        self._table, self._code_mask = batch.labels(layout), batch.code_mask
        self._settings = np.array([explore, explore_base, first_play, virtual_loss], dtype=np.float64)
        edges = max(capacity * EDGES, batch.game.max_moves)
        self._tree_nodes = np.zeros((count, capacity), dtype=puct_kernels.NODE)
        self._tree_edges = np.zeros((count, edges), dtype=puct_kernels.EDGE)
        self._spare = np.zeros(capacity, dtype=puct_kernels.NODE), np.zeros(edges, dtype=puct_kernels.EDGE)
        self._used = np.zeros((count, 2), dtype=np.int32)
        rows = count * copies
        self._paths, self._lengths = np.zeros((rows, LONGEST), np.int32), np.zeros(rows, np.int32)
        self._kinds, self._values = np.zeros(rows, np.int8), np.zeros(rows, np.float32)
        self._no_logits = np.zeros((1, 0), dtype=np.float32)
        self._random = np.random.default_rng(seed)

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"<Puct of {self._count} games, {self.copies} leaves each at once: {self.leaves!r}>"

    # ---- searching

    def run(self, simulations: int) -> None:
        """Search `simulations` more leaves in each tree, or slightly fewer if descents in a tree reach the same leaf.

        Raises ValueError if the network returns an array of the wrong shape, or with numbers that are none.
        """
        check_number("simulations", simulations, 0, whole=True)
        games = self.leaves._nodes
        active = (games["count"] > 0).astype(np.uint8)
        try:
            if not self._used[active[:: self.copies] > 0, 0].all():
                self._simulate(active)
            if self.noise is not None:
                alpha, share = self.noise
                noise = self._random.standard_gamma(alpha, (self._count, self.batch.game.max_moves)) + 1e-30
                puct_kernels.add_noise(self._tree_nodes, self._tree_edges, self._used, share, noise)
            for _ in range(-(-simulations // self.copies)):
                self._simulate(active)
        finally:
            puct_kernels.list_roots(games, active)

    def _simulate(self, active: NDArray[np.uint8]) -> None:
        """Descend to a leaf in each row and back up its value."""
        games, trees = self.leaves._nodes, (self._tree_nodes, self._tree_edges, self._used)
        ways = self._paths, self._lengths, self._kinds, self._values
        puct_kernels.descend(games, self.copies, *trees, active, *ways, self._settings)
        puct_kernels.judge_ends(games, self._kinds, self._values)
        logits, values = self._no_logits, self._values
        try:
            logits, values = self._judged()
        except BaseException:
            self._kinds[self._kinds == puct_kernels.KNOWN] = puct_kernels.COLLISION  # discard all visits of this round
            self._kinds[self._kinds == puct_kernels.WAITING] = puct_kernels.ABANDONED
            raise
        finally:
            arrays = self._paths, self._lengths, self._kinds, values
            labels = self._table, self._code_mask, logits
            puct_kernels.backup(games, self.copies, *trees, *arrays, *labels, self._settings)

    def _judged(self) -> tuple[Any, Any]:
        """Return the network's output, with the values of games that are over filled in."""
        rows = len(self.leaves)
        logits, values = self.network(self.leaves)
        values = np.asarray(values, dtype=np.float32)
        if values.shape != (rows,):
            raise ValueError(f"a network's values must be float32[{rows}], not {list(values.shape)}")
        if logits is None:
            logits = self._no_logits
        else:
            logits = np.ascontiguousarray(logits, dtype=np.float32)
            if logits.shape != (rows, self._labels):
                raise ValueError(
                    f"a network's logits must be float32[{rows}, {self._labels}], not {list(logits.shape)}"
                )
            if not (logits < np.inf).all():
                raise ValueError("a network's logits must be numbers below infinity")
        over = (self._kinds == puct_kernels.KNOWN) | (self.leaves._nodes["count"] == 0)
        values = np.where(over, self._values, values)
        if not np.isfinite(values).all():
            raise ValueError("a network's values must be finite numbers")
        return logits, values

    # ---- results

    def visits(self) -> NDArray[np.int32]:
        """Return int32[n, labels]: the visits of each root move."""
        return self._found()[0]

    def values(self) -> NDArray[np.float32]:
        """Return float32[n]: the mean value of the roots, for the side to move; 0 where nothing was searched."""
        return self._found()[1]

    def _found(self) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        visits, values = np.empty((self._count, self._labels), np.int32), np.empty(self._count, np.float32)
        trees = self._tree_nodes, self._tree_edges, self._used
        puct_kernels.write_visits(self.leaves._nodes, self.copies, *trees, self._table, self._code_mask, visits, values)
        return visits, values

    def choose(self, temperature: Any = 0.0) -> NDArray[np.int32]:
        """Return int32[n]: the label of a move for each game, -1 where nothing was searched.

        Args:
            temperature: a number for all games, or float[n]; 0 chooses the most visited move, 1 samples in proportion
                to visits
        """
        visits = self.visits()
        heat = np.broadcast_to(np.asarray(temperature, dtype=np.float64), self._count)[:, None]
        with np.errstate(divide="ignore"):
            logs = np.log(visits)
        warm = np.where(heat > 0, logs / np.where(heat > 0, heat, 1), 0)
        drawn = warm + self._random.gumbel(size=visits.shape)
        chosen = np.where(heat > 0, np.where(visits > 0, drawn, -np.inf), visits).argmax(axis=1)
        return np.where(visits.any(axis=1), chosen, -1).astype(np.int32)

    # ---- the games

    def step(self, moves: Any) -> Steps:
        """Make a move in each game and keep the subtree below it; see `LiveGames.step`."""
        labels = label_array(moves, self._count, "games")
        steps = self.leaves.step(np.repeat(labels, self.copies))
        made = self.leaves._chosen[:: self.copies]
        for tree in range(self._count):
            arrays = self._tree_nodes[tree], self._tree_edges[tree], self._used[tree]
            puct_kernels.keep_subtree(*arrays, made[tree], *self._spare)
        each = slice(None, None, self.copies)
        return Steps(steps.terminations[each], steps.results[each], steps.truncations[each])

    def reset(self, rows: Any = None, positions: Any = None) -> None:
        """Restart the games of `rows`, or all games; see `LiveGames.reset`."""
        chosen = rows_of(self._count, rows)
        each = (chosen[:, None] * self.copies + np.arange(self.copies)).ravel()
        self.leaves.reset(each, None if positions is None else np.repeat(positions, self.copies, axis=0))
        self._used[chosen] = 0

    @property
    def turns(self) -> NDArray[np.int8]:
        """int8[n]: the side to move in each game."""
        return self.leaves.turns[:: self.copies]

    def positions(self) -> NDArray[np.uint8]:
        """Return uint8[n, size]: the positions of the games, in the batch's packed form."""
        return self.leaves.positions()[:: self.copies]
