"""Fact: something true of a bad move, by the board or by a search. Standard library only."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


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
    CASTLE_BROKEN = "castle_broken"  # the move; `name` is the castle's identifier
    # Othello.
    CORNER_GIVEN = "corner_given"  # the move, and a reply in the corner `square`
    FEW_MOVES = "few_moves"  # the move and the best reply, after which there are only `number` moves
    MOVES_GIVEN = "moves_given"  # the move; the reply can be one of `number`, after the better move one of `other`
    DISCS_LOST = "discs_lost"  # the move; the final scores `number` after it, and `other` after the better move

    MATE_MISSED = "mate_missed"  # the mate
    COULD_END_IN_MATE = "could_end_in_mate"  # the better line, at the end of which it is mate
    PIECE_MISSED = "piece_missed"  # a capture of the piece on `square` that cannot be recaptured
    EXCHANGE_MISSED = "exchange_missed"  # captures on `square`
    PIECES_MISSED = "pieces_missed"  # the better line, up to where there is nothing more to capture with profit
    MATE_THREAT_MISSED = "mate_threat_missed"  # the better move, after which a mate against a pass is threatened
    BOOK_LEFT = "book_left"  # one of the moves that the opening book has; `number` is how many it has


@dataclass(frozen=True)
class Fact:
    """Something true of a bad move; see Kind.

    Attributes:
        moves: legal moves, one after the other, from the position in which the bad move was made
        square: the name of a square
        lost, won: symbols of pieces, as they stood on the board, in the order of their capture
        number, other: what they count depends on the kind
        name: the identifier of a castle
    """

    kind: Kind
    moves: tuple[str, ...]
    square: str = ""
    lost: tuple[str, ...] = ()
    won: tuple[str, ...] = ()
    number: int = 0
    other: int = 0
    name: str = ""

    def values(self) -> dict[str, Any]:
        """Return what the fact has, for JSON."""
        return {name: value for name, value in vars(self).items() if value or name == "moves"}
