"""The turning points of one game, to be tried again at once: problems that are not kept."""

import datetime
from collections.abc import Sequence
from typing import Protocol

from fsrs import Rating

from shogi_engine.analysis import GameAnalysis
from shogi_engine.study.attempt import Attempt, Retry
from shogi_engine.study.problems import Accepted, Problem, problems_of


class Source(Protocol):
    """Where problems come from: a Store, or the TurningPoints of a game.

    Attributes:
        size: how many problems there are, all in one round; 0 if problems are given when they are due
        found: how many were solved at the first try, if they are all in one round
    """

    size: int
    found: int

    def due(self, at: datetime.datetime | None = None) -> Sequence[Problem]:
        """Return the problems to be given."""

    def next_due(self) -> datetime.datetime | None:
        """Return when the next one is to be given, None for never."""

    def attempt(self, problem: Problem) -> Attempt:
        """Return a new attempt at one of them."""

    def review(self, problem: Problem, rating: Rating, at: datetime.datetime | None = None) -> datetime.datetime | None:
        """Note how it was solved; return when it comes back, None for never."""


class TurningPoints:
    """The positions of a judged game in which a much better move was missed, in the order of the game.

    Args:
        side: 'black' or 'white', '' for both

    Attributes:
        size: how many there are
        found: how many were solved at the first try
    """

    def __init__(self, game: GameAnalysis, side: str = "") -> None:
        self._problems = tuple(problems_of(game, side, Accepted()))
        self.size, self.found = len(self._problems), 0

    def due(self, at: datetime.datetime | None = None) -> Sequence[Problem]:
        """Return all problems."""
        return self._problems

    def next_due(self) -> None:
        """Return None: they do not come back."""

    def attempt(self, problem: Problem) -> Attempt:
        """Return a new attempt: a move that is about as good as the best one is right too."""
        return Retry(problem)

    def review(self, problem: Problem, rating: Rating, at: datetime.datetime | None = None) -> None:
        """Count a problem that was solved at the first try."""
        self.found += rating != Rating.Again
