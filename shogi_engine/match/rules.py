"""The rules that judge the games of a match: the game's Board, or its kernels if it has none."""

from typing import Any

import numpy as np

from shogi_engine import games
from shogi_engine.interface.game import NOT_OVER, TERMINATIONS, Game, do_move, game_result
from shogi_engine.jit import new_record
from shogi_engine.search.context import new_context, set_root, write_root_moves
from shogi_engine.types.termination import Outcome


class KernelBoard:
    """The part of a Board that a match needs, for games without a Board; moves are texts."""

    def __init__(self, game: Game, start: str) -> None:
        self._game = game
        self._ctx, self._undo = new_context(game), new_record(game.undo)
        self._root, self._position = game.parse_position(start), game.parse_position(start)
        self._encoded: list[int] = []
        self.move_stack: list[str] = []

    @property
    def turn(self) -> int:
        """The side to move, 0 or 1."""
        return len(self.move_stack) % 2

    def parse_text(self, text: str) -> str:
        """Return a legal move as the game writes it. Raises ValueError."""
        return self._game.format_move(self._position, self._game.parse_move(self._position, text))

    def push_text(self, text: str) -> str:
        """Make a move and return it. Raises ValueError if it is illegal."""
        move = self._game.parse_move(self._position, text)
        self.move_stack.append(self._game.format_move(self._position, move))
        self._encoded.append(move)
        do_move(self._position, np.uint32(move), self._undo)
        return self.move_stack[-1]

    def outcome(self) -> Outcome | None:
        """Return how the rules end the game, None while it continues."""
        set_root(self._ctx, self._root, self._encoded)
        termination, value = map(int, game_result(self._ctx, int(write_root_moves(self._ctx))))
        if termination == NOT_OVER:
            return None
        winner = None if value == 0 else self.turn if value > 0 else 1 - self.turn
        return Outcome(winner, TERMINATIONS[termination])


class Rules:
    """A game in progress.

    Attributes:
        start: the starting position, '' for the usual one
        moves: all moves in the game's notation, including the opening
    """

    def __init__(self, name: str, opening: str = "") -> None:
        """Begin the game called `name`.

        Args:
            name: one that `games.load` knows
            opening: 'startpos moves ...', 'sfen ... moves ...' or only moves; ValueError is raised if one is illegal
        """
        game = games.load(name)
        text = opening.removeprefix("position ").strip()
        if not text.startswith(("startpos", "sfen ")):
            text = f"startpos moves {text}"
        start, _, moves = text.partition(" moves")
        usual, start = (
            game.format_position(game.parse_position(given))
            for given in (game.start, start.removeprefix("startpos").removeprefix("sfen ").strip() or game.start)
        )
        self.start = "" if start == usual else start
        has_board = games.has(name, "board")
        self._board: Any = games.part(name, "board").Board(start) if has_board else KernelBoard(game, start)
        # USI engines write moves in USI; Shogi's Board would accept other notations too.
        self._parse = getattr(self._board, "parse_usi", self._board.parse_text)
        self._push = getattr(self._board, "push_usi", self._board.push_text)
        self.moves: list[str] = []
        for move in moves.split():
            self.push(move)

    @property
    def side(self) -> int:
        """The side to move, 0 (black) or 1."""
        return int(self._board.turn)

    def push(self, move: str) -> None:
        """Make a move. Raises ValueError saying why if it is illegal."""
        self.moves.append(str(self._push(move)))

    def is_legal(self, move: str) -> bool:
        """Tell whether a move is legal."""
        try:
            self._parse(move)
        except ValueError:
            return False
        return True

    def outcome(self) -> tuple[int | None, str] | None:
        """Return the winner (0 black, 1, None for a draw) and how the rules end the game; None while it continues."""
        outcome = self._board.outcome()
        if outcome is None:
            return None
        counted = hasattr(outcome, "score")
        return outcome.winner, f"{outcome.black}-{outcome.white} discs" if counted else outcome.termination

    def can_declare(self) -> bool:
        """Tell whether the side to move can win by a declaration."""
        return hasattr(self._board, "can_declare_win") and bool(self._board.can_declare_win())

    def only_pass(self) -> bool:
        """Tell whether the side to move can only pass."""
        return hasattr(self._board, "must_pass") and bool(self._board.must_pass())

    def score(self) -> float | None:
        """Return black's margin in points when the game is over; empty squares count for the winner.

        None before the end, and for games without points.
        """
        score = getattr(self._board.outcome(), "score", None)
        return None if score is None else float(score)
