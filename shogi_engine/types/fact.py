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
