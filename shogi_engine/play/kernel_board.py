"""The part of a Board that a played game needs, for games without a Board."""

import numpy as np

from shogi_engine.interface.game import NOT_OVER, TERMINATIONS, Game, do_move, game_result
from shogi_engine.jit import new_record
from shogi_engine.search.context import copy_position, new_context, set_root, write_root_moves
from shogi_engine.types.termination import Outcome


class KernelBoard:
    """A position and the moves that led to it. Moves are texts, those of `move_stack` are encoded."""

    def __init__(self, game: Game, start: str) -> None:
        self._game = game
        self._ctx, self._undo = new_context(game), new_record(game.undo)
        self._positions = [game.parse_position(start)]
        self.move_stack: list[int] = []

    @property
    def turn(self) -> int:
        """The side to move, 0 or 1."""
        return len(self.move_stack) % 2

    def parse_text(self, text: str) -> str:
        """Return a legal move as the game writes it. Raises ValueError."""
        position = self._positions[-1]
        return self._game.format_move(position, self._game.parse_move(position, text))

    def push(self, text: str) -> None:
        """Make a move. Raises ValueError if it is illegal."""
        position = copy_position(self._game, self._positions[-1])
        move = self._game.parse_move(position, text)
        do_move(position, np.uint32(move), self._undo)
        self.move_stack.append(move)
        self._positions.append(position)

    def pop(self) -> None:
        """Take back the last move. Raises IndexError if there is none."""
        self.move_stack.pop()
        self._positions.pop()

    def outcome(self) -> Outcome | None:
        """Return how the rules end the game, None while it continues."""
        set_root(self._ctx, self._positions[0], self.move_stack)
        termination, value = map(int, game_result(self._ctx, int(write_root_moves(self._ctx))))
        if termination == NOT_OVER:
            return None
        winner = None if value == 0 else self.turn if value > 0 else 1 - self.turn
        return Outcome(winner, TERMINATIONS[termination])
