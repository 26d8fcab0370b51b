"""How the rules end a game, under the name that records have for it."""

from dataclasses import dataclass
from typing import Any

ENDINGS = {"checkmate": "mate", "no legal move": "mate", "fourfold repetition": "repetition"}  # by Termination


@dataclass(frozen=True)
class RuleEnding:
    """name : one of records.ENDINGS by name, '' if there is none    winner : 0 (black), 1, None for a draw

    text : what happened, in English
    """

    name: str
    winner: int | None
    text: str


def rule_ending(board: Any) -> RuleEnding | None:
    """Return how the rules end the game on a Board; None while it goes on."""
    outcome = board.outcome()
    if outcome is None:
        return None
    reason = getattr(outcome, "termination", None)
    name = ENDINGS.get(reason.value, "") if reason is not None else ""
    if reason is not None and reason.value == "perpetual check":
        name = "opponent's illegal move" if outcome.winner == board.turn else "illegal move"
    return RuleEnding(name, outcome.winner, str(outcome))
