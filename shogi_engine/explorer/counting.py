"""Counts the moves of many games by position."""

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shogi_engine.batch import Batch, positions_of
from shogi_engine.records import GameArrays

LATEST = 8  # games that are remembered for each move
_WORD = 8  # bytes


class Counts(NamedTuple):
    """Moves of positions, in ascending order of key and move.

    Attributes:
        keys: int64[n], of the positions
        moves: int32[n], in the layout 'ids'
        black, draws, white, unknown: int64[n], how the games with the move ended
        latest: for each move the numbers of its last games, uint32, oldest first
    """

    keys: NDArray[np.int64]
    moves: NDArray[np.int32]
    black: NDArray[np.int64]
    draws: NDArray[np.int64]
    white: NDArray[np.int64]
    unknown: NDArray[np.int64]
    latest: list[bytes]


def keys_of(positions: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the keys of packed positions, int64[n].

    They hash the packed form, not the search's keys, which may differ between versions of the engine. Among a hundred
    million positions, two have the same key with a probability of 0.0003.
    """
    rows, size = positions.shape
    words = np.zeros((rows, -(-size // _WORD) * _WORD), dtype=np.uint8)
    words[:, :size] = positions
    key = np.full(rows, size, dtype=np.uint64)
    for word in words.view("<u8").T:
        key = _mixed(key ^ word)
    return key.view(np.int64)


def _mixed(state: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a bijective hash of each number: SplitMix64 (Steele, Lea and Flood, 2014)."""
    state = state + np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


def counted(batch: Batch, games: GameArrays, numbers: NDArray[np.uint32], plies: int) -> Counts:
    """Count the first `plies` moves of games.

    Args:
        numbers: uint32[games], ascending; they identify the games
    """
    played = positions_of(batch, games, plies)
    keys, moves = keys_of(played.positions), games.moves[played.game, played.ply]
    order = np.lexsort((played.game, moves, keys))
    keys, moves, game = keys[order], moves[order], played.game[order]
    fresh = np.ones(len(keys), dtype=bool)
    fresh[1:] = (keys[1:] != keys[:-1]) | (moves[1:] != moves[:-1])
    # A game that comes back to a position and makes the same move again counts once.
    again = np.zeros(len(keys), dtype=bool)
    again[1:] = ~fresh[1:] & (game[1:] == game[:-1])
    keys, moves, game, fresh = keys[~again], moves[~again], game[~again], fresh[~again]
    firsts = np.flatnonzero(fresh)
    results, known = games.results[game], games.decided[game]

    def count(which: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.add.reduceat(which.astype(np.int64), firsts) if len(firsts) else np.zeros(0, dtype=np.int64)

    black, draws, white = (count(known & (results == result)) for result in (1, 0, -1))
    data, borders = numbers[game].astype("<u4"), [*firsts.tolist(), len(game)]
    latest = [data[max(first, end - LATEST) : end].tobytes() for first, end in itertools.pairwise(borders)]
    return Counts(keys[firsts], moves[firsts], black, draws, white, count(~known), latest)
