"""When a match ends games before the rules do."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Terms:
    """How a match's games are adjudicated.

    Values are in the game's unit, centipawns or hundredths of a disc.

    Attributes:
        max_plies: a game this long is a draw
        margin: ms by which a limit may be exceeded without losing on time
        resign: (value, count): a side wins after its move when the last `count` scores of both players put it ahead
            by `value`; None for never
        draw: (value, count, ply): from `ply` on, the game is drawn when the last `count` scores of both players are
            within `value`; None for never
    """

    max_plies: int = 320
    resign: tuple[int, int] | None = None
    draw: tuple[int, int, int] | None = None
    margin: float = 100.0


class Adjudicator:
    """Ends a game when both players agree on its result."""

    def __init__(self, terms: Terms) -> None:
        self._resign, self._draw = terms.resign, terms.draw
        self._scores: tuple[list[int | None], list[int | None]] = ([], [])  # by side, from black's point of view

    def add(self, side: int, score: int | None) -> None:
        """Add the score that `side` gave its own position; None if it gave none."""
        self._scores[side].append(score if side == 0 or score is None else -score)

    def _last(self, count: int) -> list[int]:
        """Return the last `count` scores of each side, or fewer if there are not that many."""
        return [score for scores in self._scores for score in scores[-count:] if score is not None]

    def winner(self) -> int | None:
        """Return the side (0 black, 1 white) that both players see as winning, None if there is none."""
        if self._resign is None:
            return None
        value, count = self._resign
        last = self._last(count)
        if len(last) == 2 * count and (min(last) >= value or max(last) <= -value):
            return int(last[0] < 0)
        return None

    def drawn(self, ply: int) -> bool:
        """Tell whether neither player sees a side ahead, after `ply` plies."""
        if self._draw is None:
            return False
        value, count, least = self._draw
        last = self._last(count)
        return ply >= least and len(last) == 2 * count and max(map(abs, last)) <= value
