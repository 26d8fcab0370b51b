"""Measures how well an evaluation ranks positions with values from a strong engine. Not used for training.

Only the order counts (Spearman's rank correlation), so the scales of the two engines do not matter. The results of the
games are compared with the logistic function of the values that fits them best. Searches run for one ply or a number
of nodes, each with an empty table, so the figures are the same on every machine.
Records are those of YaneuraOu's PackedSfenValue (`batch.streams`, psv).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from shogi_engine.games.shogi import GAME
from shogi_engine.games.shogi.batch import RULES
from shogi_engine.games.shogi.packed.packed import HAND_KINDS, PSFEN, unpack
from shogi_engine.interface.evaluation import Evaluator
from shogi_engine.interface.game import VALUE_MAX
from shogi_engine.search.context import new_context, set_root, static_value, write_root_moves
from shogi_engine.search.tt import TranspositionTable
from shogi_engine.training.data import SearchState
from shogi_engine.training.game_kernels import think
from shogi_engine.training.shogi.games import logistic_fit

TABLE_MB = 1
CELLS = (  # name, key, lowest and highest value
    ("all", "held", 0, 99),
    ("opening: 20 or more pieces where they began", "home", 20, 99),
    ("middle game: 10 to 19", "home", 10, 19),
    ("ending: 9 or fewer", "home", 0, 9),
    ("0 or 1 pieces in hand", "held", 0, 1),
    ("2 to 4", "held", 2, 4),
    ("5 to 8", "held", 5, 8),
    ("9 or more", "held", 9, 99),
)


@dataclass(frozen=True)
class Annotated:
    """Positions with known values.

    Attributes:
        records: record[n] with the fields `sfen`, `score`, `move` and `game_result` of psv
    """

    records: Any

    @cached_property
    def positions(self) -> list[Any]:
        """The positions. Raises ValueError with the record's number for an invalid one."""
        found = []
        for number, packed in enumerate(self.records["sfen"], 1):
            try:
                found.append(unpack(PSFEN, packed))
            except ValueError as fault:
                raise ValueError(f"annotated positions: record {number}: {fault}") from None
        return found

    @cached_property
    def held(self) -> np.ndarray:
        """The number of pieces in both hands, by position."""
        hands = np.array([position.hand for position in self.positions], dtype=np.uint64).reshape(-1, 2, 1)
        shifts = np.array([8 * kind for kind in HAND_KINDS], dtype=np.uint64)
        return np.asarray((hands >> shifts & np.uint64(255)).sum(axis=(1, 2)).astype(np.int64))

    @cached_property
    def home(self) -> np.ndarray:
        """The number of pieces on their starting squares, by position: 40 at first, fewer later in a game."""
        boards = np.array([position.board for position in self.positions])
        start = np.array(GAME.parse_position(GAME.start).board)
        return np.asarray(((boards == start) & (start != 0)).sum(axis=1))

    def searched(self, evaluator: Evaluator, nodes: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Return (values int32[n] for the side to move, whether each best move is the recorded one) of searches.

        Args:
            nodes: the nodes of each search; the first ply is always completed
        """
        player, table = SearchState(evaluator, TranspositionTable(TABLE_MB), GAME), RULES.layouts["yaneuraou"].table()
        values, agreed = np.zeros(len(self.records), np.int32), np.zeros(len(self.records), bool)
        for number, (position, move) in enumerate(zip(self.positions, self.records["move"], strict=True)):
            player.new_game()  # nearly all the time at one ply, but kept histories would raise the figures by 0.01
            set_root(player.ctx, position)
            if write_root_moves(player.ctx):
                values[number] = think(player.ctx, nodes)
                best = int(player.ctx.root_moves[0]) & ((1 << RULES.code_bits) - 1)
                agreed[number] = table[int(position.side), best] == move
        return values, agreed

    def static(self, evaluator: Evaluator) -> np.ndarray:
        """Return the values without a search, int32[n]."""
        ctx, values = new_context(GAME, evaluator=evaluator), np.zeros(len(self.records), np.int32)
        for number, position in enumerate(self.positions):
            set_root(ctx, position)
            values[number] = static_value(ctx)
        return values

    def cells(self) -> Iterator[tuple[str, np.ndarray]]:
        """Yield (name, which positions) by CELLS."""
        for name, number, fewest, most in CELLS:
            count = getattr(self, number)
            yield name, (count >= fewest) & (count <= most)

    def correlations(self, values: np.ndarray) -> dict[str, tuple[int, float]]:
        """Return (positions, rank correlation of `values` with the recorded ones) by the names of CELLS."""
        scores = self.records["score"]
        return {name: (int(here.sum()), rank_correlation(values[here], scores[here])) for name, here in self.cells()}

    def log_losses(self, values: np.ndarray) -> dict[str, tuple[float, float]]:
        """Return (log loss of the games' results, scale of `values`) by the names of CELLS; draws are left out.

        A larger scale means that the values promise more than the results keep; see games.logistic_fit.
        """
        known, bounded = self.records["game_result"], np.clip(values, -VALUE_MAX, VALUE_MAX).astype(float)
        found = {}
        for name, here in self.cells():
            here &= known != 0
            found[name] = logistic_fit(bounded[here], (known[here] > 0).astype(float))[::-1]
        return found


def ranks(values: np.ndarray) -> np.ndarray:
    """Return the rank of each value, from 0; equal ones share their mean."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts + 1) / 2)[places])


def rank_correlation(left: np.ndarray, right: np.ndarray) -> float:
    """Return Spearman's rank correlation, 0 if it is undefined: all values are equal, or there are none."""
    first, second = ranks(left), ranks(right)
    if len(first) < 2 or not first.std() or not second.std():
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


def compared(now: Evaluator, before: Evaluator, records: Any) -> list[dict[str, Any]]:
    """Return the report's rows: by CELLS, how well two evaluations rank the positions of psv records."""
    annotated = Annotated(records)
    after, earlier = (annotated.correlations(annotated.searched(evaluator)[0]) for evaluator in (now, before))
    return [
        {"positions": name, "number": number, "rank correlation": value, "before": earlier[name][1]}
        for name, (number, value) in after.items()
    ]
