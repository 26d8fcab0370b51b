"""Statistics of openings: how often each move was played in each position of many games, and with what success."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shogi_engine.batch.batch import Batch
from shogi_engine.batch.games import Games, positions_of
from shogi_engine.batch.labelled import signs
from shogi_engine.records.arrays import GameArrays


class OpeningMoves(NamedTuple):
    """Moves of positions, the most frequent first.

    Attributes:
        positions: uint8[n, size], packed
        moves: int32[n], in the layout 'ids'
        plies: int32[n], the fewest moves made before the position
        counts: int64[n], the games in which the move was played
        wins, draws, losses: int64[n], for the side that made the move; the results of the other games are not known
    """

    positions: NDArray[np.uint8]
    moves: NDArray[np.int32]
    plies: NDArray[np.int32]
    counts: NDArray[np.int64]
    wins: NDArray[np.int64]
    draws: NDArray[np.int64]
    losses: NDArray[np.int64]

    def at(self, position: Any) -> "OpeningMoves":
        """Return the moves of one packed position, uint8[size]; none if it did not occur."""
        rows = (self.positions == np.asarray(position, dtype=np.uint8)).all(axis=1)
        return OpeningMoves(*(field[rows] for field in self))


def opening_moves(batch: Batch, games: Games | GameArrays, *, plies: int = 20, least: int = 1) -> OpeningMoves:
    r"""Count the moves of the first `plies` moves of games; transpositions are counted together.

    >>> from shogi_engine.records import loads, to_arrays
    >>> games = to_arrays(loads("f5d6c3\nf5f6e6\nc4c3d3", format="transcript"))
    >>> batch = Batch("othello")
    >>> found = opening_moves(batch, games, plies=1)
    >>> found.counts.tolist(), found.plies.tolist()
    ([2, 1], [0, 0])

    Args:
        games: `Games`, or the GameArrays of `records.games`
        least: omit moves that were played in fewer games

    Raises:
        ValueError: a game has an illegal move
    """
    played = positions_of(batch, games, plies)
    moves = games.moves[played.game, played.ply].astype(np.int32)
    keys = np.zeros(len(moves), dtype=[("position", np.void, batch.size), ("move", np.int32)])
    keys["position"] = np.ascontiguousarray(played.positions).view(f"V{batch.size}")[:, 0]
    keys["move"] = moves
    _, firsts, kinds = np.unique(keys.view(f"V{keys.itemsize}"), return_index=True, return_inverse=True)
    kinds = kinds.reshape(-1)
    known = games.decided if isinstance(games, GameArrays) else np.ones(len(games.lengths), bool)
    results, known = games.results[played.game] * signs(batch, played.positions), known[played.game]
    tables = [np.bincount(kinds[known & (results == result)], minlength=len(firsts)) for result in (1, 0, -1)]
    counts = np.bincount(kinds, minlength=len(firsts))
    fewest = np.full(len(firsts), plies, dtype=np.int32)
    np.minimum.at(fewest, kinds, played.ply)
    order = np.lexsort((moves[firsts], fewest, -counts))
    order = order[counts[order] >= least]
    rows = firsts[order]
    return OpeningMoves(
        played.positions[rows], moves[rows], fewest[order], counts[order], *(table[order] for table in tables)
    )
