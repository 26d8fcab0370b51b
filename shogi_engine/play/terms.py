"""When a game ends before the rules end it. Standard library only."""

from dataclasses import dataclass

from shogi_engine.types.score import DISCS, Score

MAX_MOVES = 1000  # the usual length at which a game is a draw
HUNDREDTHS = 100  # of a disc, the unit of Othello's scores as numbers


@dataclass(frozen=True)
class Terms:
    """What ends a game besides the rules, a resignation and the clock.

    Values of scores are numbers as `number` returns them: centipawns or hundredths of a disc.

    Attributes:
        max_plies: a game this long is a draw; 0 for no limit
        resign: (value, count): a side wins after its move when the last `count` scores of both players put it ahead
            by `value`; None for never
        draw: (value, count, ply): from `ply` on, the game is drawn when the last `count` scores of both players are
            within `value`; None for never
        margin: ms by which a clock may be exceeded without losing on time
    """

    max_plies: int = MAX_MOVES
    resign: tuple[int, int] | None = None
    draw: tuple[int, int, int] | None = None
    margin: float = 0.0


def number(score: Score) -> int:
    """Return a score as a whole number: centipawns, hundredths of a disc, or MATE_SCORE for a mate."""
    return round(score.value * HUNDREDTHS) if score.unit == DISCS else int(score.value)
