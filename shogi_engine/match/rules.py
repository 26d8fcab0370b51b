"""The rules that judge games between engines: each game's Board behind a common interface."""

from typing import Any, Protocol

from shogi_engine.games.othello.board import Board as OthelloBoard
from shogi_engine.games.shogi.board import Board as ShogiBoard

Outcome = tuple[int | None, str]  # the winner, 0 (black) or 1, None for a draw; and the reason


class Rules(Protocol):
    """A game in progress.

    Attributes:
        start: the starting position, '' for the usual one
        moves: all moves in the game's notation, including the opening
    """

    start: str
    moves: list[str]

    @property
    def side(self) -> int:
        """The side to move, 0 (black) or 1."""

    def push(self, move: str) -> None:
        """Make a move. Raises ValueError saying why if it is illegal."""

    def is_legal(self, move: str) -> bool:
        """Tell whether a move is legal."""

    def outcome(self) -> Outcome | None:
        """Return how the rules end the game, None while it continues."""

    def can_declare(self) -> bool:
        """Tell whether the side to move can win by a declaration."""

    def only_pass(self) -> bool:
        """Tell whether the side to move can only pass."""

    def score(self) -> float | None:
        """Return black's winning margin in points, None for games without points."""


class ShogiRules:
    """Shogi, moves as in USI."""

    def __init__(self, opening: str) -> None:
        text = opening.removeprefix("position ").strip()
        if not text.startswith(("startpos", "sfen")):
            text = f"startpos moves {text}" if text else "startpos"
        self._board = ShogiBoard.from_usi_position(text)
        start = self._board.root().sfen()
        self.start = "" if start == ShogiBoard().sfen() else start
        self.moves = [move.usi() for move in self._board.move_stack]

    @property
    def side(self) -> int:
        """The side to move."""
        return int(self._board.turn)

    def push(self, move: str) -> None:
        """Make a move."""
        self._board.push_usi(move)
        self.moves.append(move)

    def is_legal(self, move: str) -> bool:
        """Tell whether a move is legal."""
        try:
            self._board.parse_usi(move)
        except ValueError:
            return False
        return True

    def outcome(self) -> Outcome | None:
        """Return how the rules end the game."""
        outcome = self._board.outcome()
        return None if outcome is None else (outcome.winner, outcome.termination)

    def can_declare(self) -> bool:
        """Tell whether the side to move can win by a declaration."""
        return self._board.can_declare_win()

    def only_pass(self) -> bool:
        """Return False: Shogi has no pass."""
        return False

    def score(self) -> float | None:
        """Return None: Shogi has no points."""
        return None


class OthelloRules:
    """Othello, moves as 'f5' and 'pass'."""

    def __init__(self, opening: str) -> None:
        self.start = ""
        self._board = OthelloBoard()
        self.moves: list[str] = []
        words = opening.removeprefix("startpos").split()
        for word in words[1:] if words[:1] == ["moves"] else words:
            self.push(word)

    @property
    def side(self) -> int:
        """The side to move."""
        return int(self._board.turn)

    def push(self, move: str) -> None:
        """Make a move."""
        self.moves.append(str(self._board.push_text(move)))

    def is_legal(self, move: str) -> bool:
        """Tell whether a move is legal."""
        try:
            self._board.parse_text(move)
        except ValueError:
            return False
        return True

    def outcome(self) -> Outcome | None:
        """Return how the rules end the game."""
        outcome = self._board.outcome()
        return None if outcome is None else (outcome.winner, f"{outcome.black}-{outcome.white} discs")

    def can_declare(self) -> bool:
        """Return False: Othello has no declarations."""
        return False

    def only_pass(self) -> bool:
        """Tell whether the side to move can only pass."""
        return self._board.must_pass()

    def score(self) -> float | None:
        """Return black's margin in discs, with empty squares counted for the leader; None before the end."""
        outcome = self._board.outcome()
        return None if outcome is None else float(outcome.score)


RULES: dict[str, Any] = {"shogi": ShogiRules, "othello": OthelloRules}


def rules_of(game: str, opening: str) -> Rules:
    """Return a game after its opening's moves. Raises ValueError for an illegal one."""
    rules: Rules = RULES[game](opening)
    return rules
