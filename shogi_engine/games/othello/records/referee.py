"""Referee: a position to play the moves of a file on, and what results of it."""

import numpy as np

from shogi_engine.games.othello.notation import (
    START,
    can_only_pass,
    format_move,
    legal_move,
    legal_moves,
    parse_obf,
    split_move,
)
from shogi_engine.games.othello.position import do_move
from shogi_engine.games.othello.rules import final_score
from shogi_engine.games.othello.types import BLACK, PASS, SQUARES, UNDO
from shogi_engine.jit import new_record
from shogi_engine.records.tree import GameRecord, Node


class Referee:
    """A position to play a record's moves on."""

    def __init__(self, start: str = START) -> None:
        self.position = parse_obf(start)
        self._undo = new_record(UNDO)

    def play(self, text: str) -> str:
        """Play a move and return its text, 'f5' or 'pass'; raises ValueError saying why it is illegal."""
        move = legal_move(self.position, split_move(text))
        do_move(self.position, np.uint32(move), self._undo)
        return format_move(None, move)

    def pass_if_due(self) -> bool:
        """Play the pass if it is the only move; tell whether it was."""
        due = can_only_pass(self.position)
        if due:
            do_move(self.position, np.uint32(PASS), self._undo)
        return due

    def score(self) -> int:
        """Return by how many discs black leads, the empty squares counted for who leads."""
        score = int(final_score(self.position.own, self.position.opponent))
        return score if int(self.position.side) == BLACK else -score

    def over(self) -> bool:
        """Tell whether neither side can place a disc."""
        return not legal_moves(self.position)


class LineBuilder:
    """A record of one line of moves while it is read: passes are added, every move is checked."""

    def __init__(self, record: GameRecord) -> None:
        self.record, self.node = record, record.root
        self.referee = Referee(record.start)

    @property
    def side(self) -> int:
        """The side to move."""
        return int(self.referee.position.side)

    def pass_if_due(self) -> None:
        """Add the pass if it is the only move."""
        if self.referee.pass_if_due():
            self.node = self.node.add("pass")

    def play(self, text: str, **values: float | None) -> Node:
        """Add a move, and the pass before it that files leave out. Raises ValueError if it is illegal."""
        if split_move(text) is not None:
            self.pass_if_due()
        self.node = self.node.add(self.referee.play(text), **values)
        return self.node

    def count(self) -> None:
        """Give the record the score of the last position, if the game is over and it has none."""
        if self.record.score is None and self.referee.over():
            self.record.score = float(self.referee.score())


def set_result(record: GameRecord, text: str) -> None:
    """Take a result as GGF or SGF write it: '+4.00', '-12:r', 'B+R', 'W+12', 'Draw'; else it is the header 'RE'.

    To be called after the moves: only who is to move resigns or runs out of time.
    """
    winner, _, how = text.strip().upper().partition(":" if ":" in text or text.strip()[:1] in "+-0123456789?" else "+")
    sign = {"B": 1.0, "W": -1.0}.get(winner)
    number = how if sign else winner
    try:
        score = (sign or 1.0) * float(number)
        if abs(score) <= SQUARES:
            record.score = score
            how = "" if sign else how
    except ValueError:
        if text.strip().upper() == "DRAW":
            record.score = 0.0
    ending = {"R": "resignation", "T": "time", "RESIGN": "resignation", "TIME": "time"}.get(how, "")
    if ending and not record.ending:
        record.ending = ending
        if sign and record.result != ("1-0" if sign > 0 else "0-1"):
            record.ending = ""
    if record.score is None and not record.ending and text.strip() not in ("", "?"):
        record.headers["RE"] = text
