"""How games end: the names used by all games, front ends, protocols and record formats. Standard library only.

As in PGN, the reason for the end of a game (Termination) and the winner (Outcome.winner) are separate. The module of
each format or protocol has a table, an `EndingWords` or a dict, that maps its words to these names.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any

from shogi_engine.language import InputError
from shogi_engine.types.limits import SIDES

# ---- Fact: something true of a bad move, by the board or by a search. Standard library only

KYU, DAN = WORDS_FOR = ("kyu", "dan")  # whom facts are told: dan players read all of a line, and numbers


class Kind(StrEnum):
    """What a fact says. `moves` is what a fact of this kind has there; every line begins where the bad move was made.

    The first kinds begin with the move played, and say what it allows; the others begin with the better move.
    """

    # The solver has proven the mate; `number` is its length in plies.
    MATE_ALLOWED = "mate_allowed"  # the move, and the mate
    MATE_THREAT_UNMET = "mate_threat_unmet"  # the same, when there would have been a mate against a pass too
    MATE_THREATENED = "mate_threatened"  # the move and the best reply, after which a mate against a pass is threatened
    ENDS_IN_MATE = "ends_in_mate"  # the move, and the best line of the search, at the end of which it is mate
    # Pieces. `lost` and `won` are what the side of the bad move loses and wins in the line, by their symbols.
    PIECE_LEFT = "piece_left"  # the move, and a capture of the piece on `square` that cannot be recaptured
    PIECE_THREAT_UNMET = "piece_threat_unmet"  # the same, when it was threatened before the move
    EXCHANGE_LOST = "exchange_lost"  # the move, and captures on `square` that neither side does better to decline
    PIECES_LOST = "pieces_lost"  # the move, and the best line, up to where there is nothing more to capture with profit
    FORK_ALLOWED = "fork_allowed"  # the move and the best reply, by a piece that cannot be captured; it attacks `lost`
    PROMOTION_ALLOWED = "promotion_allowed"  # the move, and the best line, up to a safe promotion, `lost` on `square`
    CAPTURE_THREATENED = (
        "capture_threatened"  # the move and the best reply; a capture of `lost` on `square` is threatened
    )
    KING_ATTACKED = "king_attacked"  # both lines; attacked squares next to the king of the side of the bad move
    KING_ATTACK_MISSED = "king_attack_missed"  # both lines; attacked squares next to the opponent's king
    FEW_DEFENDERS = "few_defenders"  # the move; golds, silvers and pieces that move so next to its side's king
    LINES_CLOSED = "lines_closed"  # both lines; squares that rooks and bishops of the side of the bad move attack
    CASTLE_BROKEN = "castle_broken"  # the move; `name` is the castle's identifier
    # Othello.
    CORNER_GIVEN = "corner_given"  # the move, and a reply in the corner `square`, impossible after the better move
    CORNER_LOST = "corner_lost"  # the move, and the best line, up to where the opponent takes the corner `square`
    PASS_FORCED = "pass_forced"  # the move, and the best line, up to where the side of the bad move must pass
    NEAR_CORNER = "near_corner"  # the move, on the X- or C-square (`name`) next to the empty corner `square`
    STABLE_GIVEN = "stable_given"  # both lines; known stable discs of the opponent
    STABLE_MISSED = "stable_missed"  # both lines; known stable discs of the side of the bad move
    MOVES_GIVEN = "moves_given"  # beginnings of the lines; moves that the opponent can choose from
    FEW_MOVES = "few_moves"  # beginnings of the lines; moves that the side of the bad move can choose from
    EVEN_REGION = "even_region"  # the move; empty squares of the region of each move, an even and an odd number
    EDGES_GIVEN = "edges_given"  # both lines; discs of the opponent on the edges
    FRONTIER = "frontier"  # the move; discs of its side that touch an empty square
    DISCS_FLIPPED = "discs_flipped"  # the move; discs that it flips
    DISCS_LOST = "discs_lost"  # the move; the final scores `number` after it, and `other` after the better move

    MATE_MISSED = "mate_missed"  # the mate
    COULD_END_IN_MATE = "could_end_in_mate"  # the better line, at the end of which it is mate
    CORNER_MISSED = "corner_missed"  # the better line, up to where it takes the corner `square`
    PASS_MISSED = "pass_missed"  # the better line, up to where the opponent must pass
    PIECE_MISSED = "piece_missed"  # a capture of the piece on `square` that cannot be recaptured
    EXCHANGE_MISSED = "exchange_missed"  # captures on `square`
    PIECES_MISSED = "pieces_missed"  # the better line, up to where there is nothing more to capture with profit
    FORK_MISSED = "fork_missed"  # the better move, by a piece that cannot be captured; it attacks `won`
    PROMOTION_MISSED = "promotion_missed"  # the better line, up to a safe promotion, `won` on `square`
    CAPTURE_THREAT_MISSED = "capture_threat_missed"  # the better move; a capture of `won` on `square` is threatened
    MATE_THREAT_MISSED = "mate_threat_missed"  # the better move, after which a mate against a pass is threatened
    BOOK_LEFT = "book_left"  # one of the moves that the opening book has; `number` is how many it has


@dataclass(frozen=True)
class Fact:
    """Something true of a bad move; see Kind.

    Attributes:
        moves: legal moves, one after the other, from the position in which the bad move was made
        square: the name of a square
        lost, won: symbols of pieces, as they stood on the board, in the order of their capture
        number, other: what they count depends on the kind; if two lines are compared, after `moves` and after `instead`
        name: the identifier of a castle, or the kind of a square
        instead: as much of the other line, the better one or that of the bad move, if two are compared
    """

    kind: Kind
    moves: tuple[str, ...]
    square: str = ""
    lost: tuple[str, ...] = ()
    won: tuple[str, ...] = ()
    number: int = 0
    other: int = 0
    name: str = ""
    instead: tuple[str, ...] = ()

    def values(self) -> dict[str, Any]:
        """Return what the fact has, for JSON."""
        return {name: value for name, value in vars(self).items() if value or name == "moves"}


# ---- Name, Standing and GameNames: what the openings and castles of a game are called. Standard library only


@dataclass(frozen=True)
class Name:
    """What a castle or an opening is called.

    Attributes:
        id: the identifier, ASCII, which does not change
    """

    id: str
    japanese: str
    english: str

    def text(self, language: str = "en") -> str:
        """Return the name in a language, 'en' or 'ja'."""
        return self.japanese if language == "ja" else self.english


@dataclass(frozen=True)
class Standing:
    """A castle or an opening that a side had, and the ply after which it stood, 0 for the start."""

    name: Name
    ply: int


@dataclass
class GameNames:
    """The castles and openings of a game by colour, in the order in which they stood.

    `openings` has a special name in the place of the general one that it refines: 角換わり棒銀 for 角換わり.
    """

    castles: tuple[list[Standing], list[Standing]]
    openings: tuple[list[Standing], list[Standing]]

    def values(self) -> dict[str, Any]:
        """Return the identifiers by side, and the plies, for JSON."""
        found: dict[str, Any] = {}
        for key, sides in (("openings", self.openings), ("castles", self.castles)):
            named = list(zip(SIDES, sides, strict=True))
            found[key] = {side: [each.name.id for each in standings] for side, standings in named}
            found[f"{key}_at"] = {side: {each.name.id: each.ply for each in standings} for side, standings in named}
        return found

    def header(self, language: str = "ja") -> str:
        """Return the openings of both sides as records name them, '' for none."""
        names = dict.fromkeys(each.name.text(language) for side in self.openings for each in side)
        return ("、" if language == "ja" else ", ").join(names)


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
        black, white: the discs of each side at the end, None in a game that does not count any
        score: black's discs minus white's; empty squares count for the winner
    """

    winner: int | None
    termination: Termination
    black: int | None = None
    white: int | None = None
    score: int | None = None

    def result(self) -> str:
        """Return '1-0' if black has won, '0-1' if white has, '1/2-1/2' for a draw, '*' if the result is open."""
        if self.winner is not None:
            return "0-1" if self.winner else "1-0"
        return "1/2-1/2" if self.termination in DRAWS else "*"

    def __str__(self) -> str:
        if self.black is not None:
            who = "a draw" if self.winner is None else f"{SIDES[self.winner]} wins"
            return f"{who}: {self.black} black discs, {self.white} white"
        if self.winner is None:
            return f"a draw: {self.termination}" if self.termination in DRAWS else str(self.termination)
        return f"{SIDES[self.winner]} wins: {self.termination}"


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
