"""How Othello's weights are trained."""

from dataclasses import dataclass

from shogi_engine.training import recipe

PATTERNS, NETWORK = "patterns", "network"  # architectures, and the evaluations that use them
ARCHITECTURES = PATTERNS, NETWORK


@dataclass(frozen=True)
class TrainOptions(recipe.TrainOptions):
    """How weights are trained.

    Attributes:
        architecture: one of ARCHITECTURES
        epochs: the number of steps of conjugate gradients, each over all positions; for a network, of passes over them
        penalty: the strength of the L2 penalty, in positions: a pattern weight that occurs in this many positions moves
            half as far as without the penalty
        rate: AdamW's first learning rate, for a network; it falls along a cosine
        decay: AdamW's weight decay, for a network
        td_lambda: the share of a value that comes from later positions; the rest is from its own search
        held_out: the share of games for validation
        endings: the number of positions for each number of empty squares in the report
        spread_positions: the number of positions in each group of phases for the spreads of Multi-ProbCut
    """

    architecture: str = PATTERNS
    epochs: int = 12
    penalty: float = 300.0
    rate: float = 2e-3
    decay: float = 0.5
    td_lambda: float = 0.8
    held_out: float = 0.05
    older_share: float = 1.0
    endings: int = 25
    spread_positions: int = 600
    seed: int = 1

    def __post_init__(self) -> None:
        if self.architecture not in ARCHITECTURES:
            known = ", ".join(ARCHITECTURES)
            raise ValueError(f"training: there is no architecture {self.architecture!r}; there are {known}")
