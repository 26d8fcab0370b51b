"""Hundreds of games in progress, with their moves, so that repetition ends them as on a Board."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shogi_engine.batch import kernels, live_kernels
from shogi_engine.batch.batch import Batch
from shogi_engine.batch.rows import check_batch, label_array, named, output_array, rows_of
from shogi_engine.games.batch_rules import IDS, Features
from shogi_engine.interface.game import NOT_OVER
from shogi_engine.types.arguments import check_number


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

    def __init__(self, batch: Batch, count: int, *, layout: str = IDS, longest: int = live_kernels.LONGEST) -> None:
        check_batch(batch)
        check_number("count", count, 1, whole=True)
        check_number("longest", longest, 1, whole=True)
        if longest > live_kernels.LONGEST:
            raise ValueError(f"a game has at most {live_kernels.LONGEST} moves, not {longest}")
        self.batch, self.layout, self.longest = batch, layout, longest
        self._table, self._code_mask = batch.labels(layout), batch.code_mask
        self._nodes = self._new_nodes(count)
        self._start = self._new_nodes(1)
        self._start[0]["pos"] = batch.game.parse_position(batch.game.start)
        live_kernels.list_games(self._start)
        self._chosen = np.zeros(count, dtype=np.uint32)
        self.reset()

    def _new_nodes(self, count: int) -> NDArray[Any]:
        nodes = np.zeros(count, dtype=live_kernels.live_dtype(self.batch.game))
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
            live_kernels.list_games(starts)
        if len(chosen) and len(starts):
            live_kernels.begin_games(self._nodes, chosen, starts, self.batch.game.position.itemsize)

    def step(self, moves: Any) -> Steps:
        """Make a move in each game; a game that is over stays over until it is reset.

        Args:
            moves: int[n], labels

        Raises:
            ValueError: a move is illegal; the message names the first such row, and no game is changed
        """
        labels = label_array(moves, len(self), "games")
        refused = int(live_kernels.choose_moves(self._nodes, self._table, self._code_mask, labels, self._chosen))
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
        live_kernels.make_moves(self._nodes, self._chosen, self.longest, terminations, results, truncations)
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
        live_kernels.random_labels(self._nodes, self._table, self._code_mask, state, labels)
        return labels
