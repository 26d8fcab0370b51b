"""Finds the quiet ends of the searches of games: see kernels.py."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from shogi_engine.common.threads import results_on_threads
from shogi_engine.games.shogi import GAME
from shogi_engine.interface.stubs import Evaluator
from shogi_engine.search.tt import TranspositionTable
from shogi_engine.training.data import TABLE_MB, SearchState
from shogi_engine.training.shogi.kernels import LINE_MOVES, STARTS, write_ends

Ends = tuple[np.ndarray, np.ndarray]  # `ends` and `lines` of all games of a shard, as `write_ends` writes them
Shard = Mapping[str, np.ndarray]


def quiet_ends(shards: Sequence[Shard], evaluator: Evaluator, threads: int = 1) -> list[Ends]:
    """Return the quiet ends of shards by quiescence searches with an evaluation."""
    starts = [GAME.parse_position(start) for start in STARTS]

    def finder(_: int) -> Callable[[int], Ends]:
        player = SearchState(evaluator, TranspositionTable(TABLE_MB), GAME)

        def found(number: int) -> Ends:
            shard, at = shards[number], 0
            ends, lines = np.zeros(len(shard["moves"]), np.uint8), [np.zeros(0, np.uint32)]
            player.new_game()
            for start, length in zip(shard["starts"], shard["lengths"].tolist(), strict=True):
                here, line = slice(at, at + length), np.zeros(LINE_MOVES * (length + 1), np.uint32)
                player.ctx.pos = starts[start]
                count = write_ends(player.ctx, shard["moves"][here], shard["values"][here], ends[here], line)
                lines.append(line[:count].copy())
                at += length
            return ends, np.concatenate(lines)

        return found

    made = dict(results_on_threads(finder, range(len(shards)), threads, "quiet ends"))
    return [made[number] for number in range(len(shards))]
