"""How Othello games are played for training: random openings, some random moves, exactly solved endings."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shogi_engine.games.othello.endgame.search import solve_all
from shogi_engine.games.othello.names import DISC
from shogi_engine.games.othello.types import SQUARES
from shogi_engine.interface.game import VALUE_MAX
from shogi_engine.jit import new_record
from shogi_engine.training import data
from shogi_engine.training.game_kernels import CHANCES, NO_LIMIT
from shogi_engine.training.othello.kernels import REPLAY, write_boards

UNBALANCED = 1 << 20  # every opening is accepted


@dataclass(frozen=True)
class Openings:
    """Openings of random moves. They may be unbalanced, so that such positions are learnt too.

    Attributes:
        plies: the fewest and the most random moves
        late_plies: the same for games that begin later
        late_share: the share of games that begin later
        explore: the chance of a random move after the opening
    """

    plies: tuple[int, int] = (4, 20)
    late_share: float = 0.3
    late_plies: tuple[int, int] = (21, 44)
    explore: float = 0.06

    def draw(self, random: np.random.Generator, terms: Any, moves: np.ndarray) -> None:
        """Write an opening to `terms`, a record of game_kernels.TERMS; it has no given moves."""
        first, last = self.late_plies if random.random() < self.late_share else self.plies
        terms.random, terms.given, terms.opening = 1, 0, int(random.integers(first, last + 1))
        terms.balance, terms.explore = UNBALANCED, round(self.explore * CHANCES)


@dataclass(frozen=True)
class DataOptions(data.DataOptions):
    """How Othello games are played.

    Attributes:
        exact: positions with at most this many empty squares have exact values
    """

    game_name: ClassVar[str] = "othello"

    nodes: int = 300
    seed: int = 1
    evaluation: str = "features"
    weights: bytes | None = None
    openings: data.Openings = Openings()
    decided: int = VALUE_MAX
    piece_games: int = 500
    exact: int = 14

    def label(self, player: data.SearchState, start: Any, moves: np.ndarray, values: np.ndarray) -> None:
        """Replace the values of endgame positions by exact ones, in place."""
        replay, (own, opponent) = new_record(REPLAY), np.zeros((2, len(moves)), dtype=np.uint64)
        replay.pos = start
        write_boards(replay, moves, own, opponent)
        places = np.flatnonzero(np.bitwise_count(own | opponent) >= SQUARES - self.exact)[::-1]
        scores = np.zeros(len(places), dtype=np.int8)
        player.ctx.stopped, player.ctx.node_limit = 0, NO_LIMIT
        solve_all(player.ctx, own[places], opponent[places], scores)  # backwards, so that the table helps
        values[places] = DISC * scores.astype(np.int16)
