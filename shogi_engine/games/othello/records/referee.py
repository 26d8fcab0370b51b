"""Builds games from lines of moves that may omit passes; reads results."""

import re
from typing import Any

from shogi_engine.games.othello import notation
from shogi_engine.games.othello.board import Move
from shogi_engine.games.othello.types import SQUARES
from shogi_engine.records.tree import GameRecord, Node, RecordBuilder, leader
from shogi_engine.types.outcomes import Outcome, Termination, usual_outcome


class LineBuilder(RecordBuilder):
    """Builds a record of one line of moves, with the passes that the file omits."""

    def pass_if_due(self) -> None:
        """Add the pass if it is the only move."""
        if self.board.must_pass():
            super().play(notation.PASS_NAME)

    def play(self, move: Any, **values: Any) -> Node:
        """Add a move, and before it a pass that the file omits. Raises ValueError if the move is illegal."""
        square = notation.split_move(move)
        if square is not None:
            self.pass_if_due()
        return super().play(Move(square), **values)

    def count(self) -> None:
        """Set the record's score from the last position, if the game is over and has no score."""
        if self.record.score is None and (outcome := self.board.outcome()) is not None:
            self.record.score = float(outcome.score)


# Why a game was won, by the letters of GGF and SGF.
REASONS = {
    "R": Termination.RESIGNATION,
    "RESIGN": Termination.RESIGNATION,
    "T": Termination.TIME_FORFEIT,
    "TIME": Termination.TIME_FORFEIT,
    "F": Termination.DEFAULT,
    "FORFEIT": Termination.DEFAULT,
}
_DISCS = re.compile(r"(\d{1,2})\s*-\s*(\d{1,2})", re.ASCII)  # of black and white
LETTERS = {termination: letter for letter, termination in reversed(REASONS.items())}


def parse_result(text: str, side: int) -> tuple[float | None, Outcome | None]:
    """Parse a result of GGF or SGF ('+4.00', '-12:r', 'B+R', 'W+12', '34-30', 'Draw') to (score, ending).

    Each is None if not given. If no winner is named, `side`, which is to move, has resigned or run out of time.
    """
    text = text.strip().upper()
    if (discs := _DISCS.fullmatch(text)) and int(discs[1]) + int(discs[2]) <= SQUARES:
        text = f"{int(discs[1]) - int(discs[2]):+}"
    winner, _, how = text.partition(":" if ":" in text or text[:1] in "+-0123456789?" else "+")
    colour = {"B": 0, "W": 1}.get(winner)
    score: float | None = None
    try:
        score = float(winner if colour is None else how) * (-1 if colour == 1 else 1)
        if not abs(score) <= SQUARES:
            score = None
        elif colour is not None:
            how = ""
        elif score:
            colour = int(score < 0)
    except ValueError:
        score = 0.0 if text == "DRAW" else None
    termination = REASONS.get(how)
    if termination is None and not how and colour is not None and score is None:
        termination = Termination.UNKNOWN
    if termination is None:
        return score, None
    return score, usual_outcome(termination, side) if colour is None else Outcome(colour, termination)


def set_result(record: GameRecord, text: str) -> None:
    """Set the result that `parse_result` reads; otherwise keep the text as the header 'RE'. Call it after the moves."""
    score, outcome = parse_result(text, record.side(len(record.moves)))
    if score is not None:
        record.score = score
    if outcome is not None and not record.ending:
        record.end(outcome)
    if record.score is None and not record.ending and text.strip() not in ("", "?"):
        record.headers["RE"] = text


def kept_outcome(result: str, record: GameRecord, node: Node, side: int) -> Outcome:
    """Return a line's outcome as it is read back from a file that has the game's `result` but none for variations."""
    score, outcome = parse_result(result, side) if node is record.main_line[-1] else (None, None)
    if outcome is not None or score is None:
        return outcome or Outcome(None, Termination.NONE)
    return Outcome(leader(score), Termination.UNKNOWN)
