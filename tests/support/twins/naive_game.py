"""A played game that remembers only what was done, and works everything out again for each question."""

from shogi_engine import games
from shogi_engine.types.outcomes import Outcome, Termination


def number(score):
    """Return a score in centipawns or hundredths of a disc."""
    return score.value * (100 if score.unit == "discs" else 1)


class NaiveGame:
    """The twin of play.Game. `made` has (move, seconds or None, score or None) for each move."""

    def __init__(self, name, start, clocks, terms):
        self.name, self.start, self.clocks, self.terms = name, start, clocks, terms
        self.made = []
        self.ended = None  # an outcome that was said, not found

    def board(self):
        board = games.game_module(self.name, "board").Board(self.start)
        for move, *_ in self.made:
            board.push_text(move)
        return board

    def turn(self):
        return self.board().turn

    def left(self, side):
        """Return (main time, byoyomi) of a side in seconds, None without a limit."""
        clock = self.clocks[side]
        if clock is None:
            return None
        main, first = clock.time / 1000, games.game_module(self.name, "board").Board(self.start).turn
        for place, (_, seconds, _score) in enumerate(self.made):
            if (first + place) % 2 == side and seconds is not None:
                main = main - seconds if main > seconds else 0
                main += clock.increment / 1000
        return main, clock.byoyomi / 1000

    def is_late(self, seconds):
        left = self.left(self.turn())
        return left is not None and seconds >= sum(left) + self.terms.margin / 1000

    def outcome(self):
        if self.ended is not None:
            return self.ended
        board = self.board()
        found = board.outcome()
        if found is not None:
            return Outcome(found.winner, found.termination)
        if self.terms.max_plies and len(self.made) >= self.terms.max_plies:
            return Outcome(None, Termination.MAX_MOVES)
        for agreed in self.agreed(1 - board.turn):
            return agreed
        return None

    def agreed(self, mover):
        """Yield the outcome on which the last scores of both sides agree, if they do."""
        first = games.game_module(self.name, "board").Board(self.start).turn
        by_side = [[], []]
        for place, (move, _, score) in enumerate(self.made):
            if move != "pass":
                side = (first + place) % 2
                by_side[side].append(None if score is None else number(score) * (1 if side == mover else -1))
        if self.terms.resign:
            value, count = self.terms.resign
            last = [*by_side[0][-count:], *by_side[1][-count:]]
            if len(last) == 2 * count and None not in last and all(score >= value for score in last):
                yield Outcome(mover, Termination.ADJUDICATION)
        if self.terms.draw:
            value, count, ply = self.terms.draw
            last = [*by_side[0][-count:], *by_side[1][-count:]]
            known = len(last) == 2 * count and None not in last
            if len(self.made) >= ply and known and all(-value <= score <= value for score in last):
                yield Outcome(None, Termination.ADJUDICATION)
