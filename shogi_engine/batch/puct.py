"""PUCT, the search of AlphaZero: many games at once, with one call of a network for the leaves of all of them."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shogi_engine.batch import puct_kernels as kernels
from shogi_engine.batch.batch import Batch
from shogi_engine.batch.live import LiveGames, Steps
from shogi_engine.batch.live_kernels import LONGEST
from shogi_engine.batch.rows import label_array, rows_of
from shogi_engine.games.batch_rules import IDS
from shogi_engine.types.arguments import check_number

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
        self._tree_nodes = np.zeros((count, capacity), dtype=kernels.NODE)
        self._tree_edges = np.zeros((count, edges), dtype=kernels.EDGE)
        self._spare = np.zeros(capacity, dtype=kernels.NODE), np.zeros(edges, dtype=kernels.EDGE)
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
                kernels.add_noise(self._tree_nodes, self._tree_edges, self._used, share, noise)
            for _ in range(-(-simulations // self.copies)):
                self._simulate(active)
        finally:
            kernels.list_roots(games, active)

    def _simulate(self, active: NDArray[np.uint8]) -> None:
        """Descend to a leaf in each row and back up its value."""
        games, trees = self.leaves._nodes, (self._tree_nodes, self._tree_edges, self._used)
        ways = self._paths, self._lengths, self._kinds, self._values
        kernels.descend(games, self.copies, *trees, active, *ways, self._settings)
        kernels.judge_ends(games, self._kinds, self._values)
        logits, values = self._no_logits, self._values
        try:
            logits, values = self._judged()
        except BaseException:
            self._kinds[self._kinds == kernels.KNOWN] = kernels.COLLISION  # discard all visits of this round
            self._kinds[self._kinds == kernels.WAITING] = kernels.ABANDONED
            raise
        finally:
            arrays = self._paths, self._lengths, self._kinds, values
            labels = self._table, self._code_mask, logits
            kernels.carry_back(games, self.copies, *trees, *arrays, *labels, self._settings)

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
        over = (self._kinds == kernels.KNOWN) | (self.leaves._nodes["count"] == 0)
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
        kernels.write_visits(self.leaves._nodes, self.copies, *trees, self._table, self._code_mask, visits, values)
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
            kernels.keep_subtree(*arrays, made[tree], *self._spare)
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
