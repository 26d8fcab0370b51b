"""How games end: the names used by all games, front ends, protocols and record formats. Standard library only.

As in PGN, the reason for the end of a game (Termination) and the winner (Outcome.winner) are separate. The module of
each format or protocol has a table, an `EndingWords` or a dict, that maps its words to these names.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum

from shogi_engine.language import InputError

BLACK, WHITE = 0, 1


class Termination(StrEnum):
    """The reason why a game is over; '' if it is not over or a file does not give a reason."""

    NONE = ""
    RESIGNATION = "resignation"
    CHECKMATE = "mate"
    STALEMATE = "no legal move"
    TIME_FORFEIT = "time"
    ILLEGAL_MOVE = "illegal move"  # a record does not list the move itself
    PERPETUAL_CHECK = "perpetual check"
    DECLARATION = "declaration"
    TRY = "try"
    REPETITION = "repetition"
    FOURFOLD_REPETITION = "repetition"
    IMPASSE = "impasse"
    AGREEMENT = "draw"  # also a draw without a stated reason
    MAX_MOVES = "max moves"
    ADJUDICATION = "adjudication"
    DEFAULT = "default"  # a win without play
    UNKNOWN = "unknown"  # the result is given, the reason is not
    DISCS = "discs"  # neither side can move; the discs are counted
    WIPE_OUT = "wipe-out"
    RULES = "end of the game"  # as the game's own rules have it, from the last position
    INTERRUPTED = "interrupted"
    SEALED_MOVE = "sealed move"
    LAST_MOVE = "last move"
    NO_MATE = "no mate"
    TAKE_BACK = "take back"
    ERROR = "error"


TERMINATIONS = (
    *(Termination.NONE, Termination.STALEMATE, Termination.REPETITION, Termination.PERPETUAL_CHECK),
    *(Termination.DECLARATION, Termination.MAX_MOVES, Termination.TRY),
)
"""Terminations by the numbers that `game.game_result` returns."""

DRAWS = frozenset({
    Termination.REPETITION, Termination.IMPASSE, Termination.AGREEMENT, Termination.MAX_MOVES,
    Termination.ADJUDICATION, Termination.UNKNOWN, Termination.DISCS, Termination.RULES,
})  # fmt: skip
"""With these terminations, a game without a winner is a draw; with any other, its result is open."""

ENDINGS = (*filter(None, Termination), Termination.NONE)
"""All terminations; arrays of games store the index into this. -1, the index of NONE, means that there is no ending."""

BY_RULE = frozenset({Termination.DISCS, Termination.WIPE_OUT, Termination.RULES, Termination.NONE})
"""Terminations that files may omit, as they follow from the last position."""


@dataclass(frozen=True)
class Outcome:
    """How a game ended.

    Attributes:
        termination: why it ended
        winner: 0 (black), 1 (white), None for a draw or an open result
    """

    winner: int | None
    termination: Termination

    def result(self) -> str:
        """Return '1-0' if black has won, '0-1' if white has, '1/2-1/2' for a draw, '*' if the result is open."""
        if self.winner is not None:
            return "0-1" if self.winner else "1-0"
        return "1/2-1/2" if self.termination in DRAWS else "*"

    def __str__(self) -> str:
        if self.winner is None:
            return f"a draw: {self.termination}" if self.termination in DRAWS else str(self.termination)
        return f"{('black', 'white')[self.winner]} wins: {self.termination}"


class Winner(Enum):
    """The winner that an ending implies, as record formats express it."""

    NOBODY = "nobody"
    TO_MOVE = "the side to move"
    OPPONENT = "its opponent"
    BLACK = "black"
    WHITE = "white"

    def colour(self, side: int) -> int | None:
        """Return the winner, 0 (black), 1 (white) or None, if `side` is to move."""
        if self is Winner.NOBODY:
            return None
        if self in (Winner.BLACK, Winner.WHITE):
            return int(self is Winner.WHITE)
        return side if self is Winner.TO_MOVE else 1 - side


USUAL_WINNERS = {
    Termination.RESIGNATION: Winner.OPPONENT,
    Termination.CHECKMATE: Winner.OPPONENT,
    Termination.STALEMATE: Winner.OPPONENT,
    Termination.TIME_FORFEIT: Winner.OPPONENT,
    Termination.ILLEGAL_MOVE: Winner.OPPONENT,
    Termination.PERPETUAL_CHECK: Winner.OPPONENT,
    Termination.TRY: Winner.OPPONENT,
    Termination.DECLARATION: Winner.TO_MOVE,
    Termination.DEFAULT: Winner.TO_MOVE,
}
"""The usual winner of each termination. If a termination is not listed, no one wins."""


def termination_of(name: str) -> Termination:
    """Return the termination called `name`; raises ValueError listing the valid names."""
    try:
        return Termination(name)
    except ValueError:
        raise InputError(
            "there is no ending {0!r}; there are {1}", name, ", ".join(filter(None, Termination))
        ) from None


def usual_outcome(name: str, side: int) -> Outcome:
    """Return the usual outcome of a game that ends by `name` with `side` to move. Raises ValueError."""
    termination = termination_of(name)
    return Outcome(USUAL_WINNERS.get(termination, Winner.NOBODY).colour(side), termination)


def completed(outcome: Outcome, side: int) -> Outcome:
    """Add the usual winner to an outcome that has none, if its termination is a win; `side` is to move."""
    if outcome.winner is None and outcome.termination in USUAL_WINNERS:
        return usual_outcome(outcome.termination, side)
    return outcome


WINS = (Termination.RESIGNATION, Termination.ILLEGAL_MOVE, Termination.DECLARATION)
"""What a format writes for a win if it has no word for its termination: the loser's resignation, if it can say so."""


class EndingWords:
    """A format's words for endings.

    A winner is kept before a termination: a win for which there is no word is written as one of `WINS`.

    Args:
        words: the meaning of each word; if several words have the same meaning, the first is written
        nearest: for terminations without a word (or without one for that winner), the termination to write instead, if
            the winner allows it
    """

    def __init__(
        self, words: Mapping[str, tuple[Termination, Winner]], nearest: Mapping[Termination, Termination] | None = None
    ) -> None:
        self.words = dict(words)
        self._nearest = dict(nearest or {})

    def __contains__(self, word: str) -> bool:
        return word in self.words

    def read(self, word: str, side: int) -> Outcome:
        """Return the outcome that `word` means with `side` to move. Raises ValueError for an unknown word."""
        if word not in self.words:
            raise InputError("{0!r} is not an ending; there are {1}", word, ", ".join(self.words))
        termination, winner = self.words[word]
        return Outcome(winner.colour(side), termination)

    def word(self, outcome: Outcome, side: int) -> str:
        """Return the word for an ending with `side` to move, or the nearest word, or '' if there is none."""
        if outcome.termination is Termination.NONE:
            return ""
        outcome = completed(outcome, side)
        likely = [outcome.termination]
        while (following := self._nearest.get(likely[-1])) is not None:
            likely.append(following)
        for termination in (*likely, *(WINS if outcome.winner is not None else (Termination.INTERRUPTED,))):
            for word, (meaning, winner) in self.words.items():
                if meaning == termination and winner.colour(side) == outcome.winner:
                    return word
        return ""

    def kept(self, outcome: Outcome, side: int) -> Outcome:
        """Return the outcome that is read back after `outcome` was written."""
        word = self.word(outcome, side)
        return self.read(word, side) if word else Outcome(None, Termination.NONE)
