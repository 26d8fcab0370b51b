"""An attempt at a problem, in the terminal or the browser: what is right, and how well it was solved."""

from typing import Any

from fsrs import Rating

from shogi_engine.study.problems import Problem

NODES = 20_000  # of the search for a reply to a wrong move, in games without LIMITS
LIMITS: dict[str, dict[str, int]] = {"othello": {"level": 6}}


class Attempt:
    """One attempt at a problem.

    Attributes:
        problem: the problem
        wrong: whether a wrong move was tried, or the answer shown
        helped: whether a hint was given
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.wrong = self.helped = False

    def is_right(self, move: str) -> bool:
        """Tell whether a first move solves the problem."""
        right = move in self.problem.answers
        self.wrong = self.wrong or not right
        return right

    def hint(self) -> str:
        """Return the best move, of which a hint tells a part."""
        self.helped = True
        return self.problem.answers[0]

    def give_up(self) -> None:
        """Note that the answer is shown."""
        self.wrong = True

    def refutation(self, move: str) -> tuple[str, ...] | None:
        """Return the known line after a wrong move, None if `reply_line` must find one."""
        return self.problem.refutation if move == self.problem.played else None

    @property
    def rating(self) -> Rating:
        """How well the problem was solved, for the scheduler."""
        return Rating.Again if self.wrong else Rating.Hard if self.helped else Rating.Good


def reply_line(engine: Any, game: str) -> tuple[str, ...]:
    """Return the best line of an engine's position, () at the end of a game."""
    if not engine.legal_moves():
        return ()
    return tuple(engine.search(**LIMITS.get(game, {"nodes": NODES})).pv)
