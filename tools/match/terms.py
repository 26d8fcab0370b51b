"""When a match calls a game over that the rules do not end."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Terms:
    """How a match's games are judged.

    max_plies : drawn after so many.   resign : (value, count): won once the last `count` scores of both players say
    that the same side is ahead by `value`; None: never.   margin : ms over a limit that are no loss on time yet.
    """

    max_plies: int = 320
    resign: tuple[int, int] | None = None
    margin: float = 100.0


class Adjudicator:
    """Decides a game that both players agree about."""

    def __init__(self, terms: Terms) -> None:
        self._resign = terms.resign
        self._scores: tuple[list[int | None], list[int | None]] = ([], [])  # by side, for black

    def add(self, side: int, score: int | None) -> None:
        """Note the score that `side` gave its own position; None: it gave none."""
        self._scores[side].append(score if side == 0 or score is None else -score)

    def winner(self) -> int | None:
        """Return the side (0 black, 1 white) that both see winning, None if they do not agree."""
        if self._resign is None:
            return None
        value, count = self._resign
        last = [score for scores in self._scores for score in scores[-count:] if score is not None]
        if len(last) == 2 * count and (min(last) >= value or max(last) <= -value):
            return int(last[0] < 0)
        return None
