"""Attempts at problems, in the terminal or the browser: what is right, and how well it was solved."""

from typing import Any

from fsrs import Rating

from shogi_engine.analysis.judgement import INACCURACY
from shogi_engine.analysis.kinds import MATE
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

    def is_best(self, move: str) -> bool:
        """Tell whether a right move is the best one, not only about as good; all mates are."""
        return self.problem.kind == MATE or move == self.problem.answers[0]

    def hint(self) -> str:
        """Return the best move, of which a hint tells a part."""
        self.helped = True
        return self.problem.answers[0]

    def give_up(self) -> None:
        """Note that the answer is shown."""
        self.wrong = True

    def refutation(self, move: str) -> tuple[str, ...] | None:
        """Return the known line after a wrong move, None if `reply` must find one."""
        return self.problem.refutation if move == self.problem.played else None

    def reply(self, engine: Any, move: str) -> tuple[bool, tuple[str, ...]]:
        """Search a move that is not an answer; tell whether it is right all the same, and return the line after it."""
        engine.set_position(self.problem.position, [move])
        return False, reply_line(engine, self.problem.game)

    @property
    def rating(self) -> Rating:
        """How well the problem was solved, for the scheduler."""
        return Rating.Again if self.wrong else Rating.Hard if self.helped else Rating.Good


class Retry(Attempt):
    """An attempt at a position of a game just judged: any move is right that is about as good as the best."""

    def is_right(self, move: str) -> bool:
        """Tell whether a first move is the best one; `reply` tells whether another one is right too."""
        self.wrong = self.wrong or move == self.problem.played
        return move in self.problem.answers

    def reply(self, engine: Any, move: str) -> tuple[bool, tuple[str, ...]]:
        """Search the position after a move, and that after the best one, whose values are compared.

        Where a mate was missed, a move is right if the search finds a mate after it.
        """
        best, _ = self._searched(engine, self.problem.answers[0])
        value, line = self._searched(engine, move)
        right = value == 1.0 if self.problem.kind == MATE else best - value < INACCURACY
        self.wrong = self.wrong or not right
        return right, line

    def _searched(self, engine: Any, move: str) -> tuple[float, tuple[str, ...]]:
        """Return the winning chance after a move, for the side that makes it, and the best line."""
        board = self.problem.board()
        side = int(board.turn)
        board.push_text(move)
        if (outcome := board.outcome()) is not None:
            return 0.5 if outcome.winner is None else float(outcome.winner == side), ()
        engine.set_position(self.problem.position, [move])
        found = engine.search(**limits_of(self.problem.game))
        return 1.0 - found.score.chance(), tuple(found.pv)


def limits_of(game: str) -> dict[str, int]:
    """Return the limits of a search for a reply."""
    return LIMITS.get(game, {"nodes": NODES})


def reply_line(engine: Any, game: str) -> tuple[str, ...]:
    """Return the best line of an engine's position, () at the end of a game."""
    if not engine.legal_moves():
        return ()
    return tuple(engine.search(**limits_of(game)).pv)
