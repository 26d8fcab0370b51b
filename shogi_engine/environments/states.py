"""The state of a game for an environment: numbered actions, observations as planes, the result."""

import copy
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from shogi_engine import games
from shogi_engine.batch import Batch
from shogi_engine.batch.layouts import Shape, defaulted, planes_shape, side_by_side

SMALL_SIZES = (4, 6)


class State(Protocol):
    """A game in progress.

    Attributes:
        actions: the number of actions
        shape: the shape of an observation
    """

    actions: int
    shape: Shape

    @property
    def turn(self) -> int:
        """The side to move, 0 for the one that began."""

    def legal(self) -> list[int]:
        """Return the legal actions; none if the game is over."""

    def play(self, action: int) -> None:
        """Make a legal action; raises ValueError if it is illegal."""

    def result(self) -> int | None:
        """Return 1, 0, -1 for the side that began, None while the game continues."""

    def observation(self) -> NDArray[np.float32]:
        """Return float32[shape], the position as the side to move sees it."""

    def copy(self) -> Self:
        """Return an independent state."""

    def text(self) -> str:
        """Return the position as text."""


class BoardState:
    """A game on a Board, with its rules on repetition.

    Args:
        layout: the layout of actions, one of `Batch.layouts`; None for the default of `batch.layouts`
        features: the features of an observation (planes of one size), see `Batch.feature_names`; None for the defaults
    """

    def __init__(self, game: str, layout: str | None = None, features: tuple[str, ...] | None = None) -> None:
        layout, self.features = defaulted(game, layout, features)
        self.batch = Batch(game)
        self.actions, self.shape = self.batch.layouts[layout], planes_shape(self.batch, self.features)
        self._labels = self.batch.labels(layout)
        self.board = games.board(self.batch.game, self.batch.game.parse_position(self.batch.game.start))
        self._moves: dict[int, Any] | None = None

    @property
    def turn(self) -> int:
        """The side to move, 0 for the one that began."""
        return int(self.board.turn)

    def _legal(self) -> dict[int, Any]:
        """Return the legal moves by their actions."""
        if self._moves is None:
            labels = self._labels[self.turn]
            over = self.board.outcome() is not None
            self._moves = {} if over else {int(labels[move]): move for move in self.board.legal_moves}
        return self._moves

    def legal(self) -> list[int]:
        """Return the legal actions; none if the game is over."""
        return list(self._legal())

    def play(self, action: int) -> None:
        """Make a legal action; raises ValueError if it is illegal."""
        move = self._legal().get(int(action))
        if move is None:
            raise ValueError(f"the action {action} is not legal here")
        self.board.push(move)
        self._moves = None

    def action(self, move: str) -> int:
        """Return the action of a legal move in the game's notation; raises ValueError if it is not legal."""
        return int(self._labels[self.turn, self.board.parse_text(move)])

    def moves(self) -> list[str]:
        """Return the moves made, in the game's notation."""
        return [str(move) for move in self.board.move_stack]

    def result(self) -> int | None:
        """Return 1, 0, -1 for the side that began, None while the game continues."""
        outcome = self.board.outcome()
        if outcome is None:
            return None
        return 0 if outcome.winner is None else 1 if outcome.winner == 0 else -1

    def observation(self) -> NDArray[np.float32]:
        """Return float32[shape], the planes of `features`, as the side to move sees the position."""
        packed = self.board.to_hcp() if self.batch.game.name == "shogi" else self.board.to_packed()
        found = self.batch.features(np.frombuffer(packed, np.uint8)[None], *self.features, dtype=np.float32)
        planes: NDArray[np.float32] = side_by_side(found)[0]
        return planes

    def copy(self) -> Self:
        """Return an independent state."""
        other = copy.copy(self)
        other.board, other._moves = self.board.copy(), None
        return other

    def text(self) -> str:
        """Return the board."""
        return str(self.board.diagram())


class SmallOthello:
    """Othello on 4 x 4 or 6 x 6 squares, in plain Python; small enough to be learnt in minutes.

    Actions are the squares, row by row, then the pass. An observation has three planes: own discs, the opponent's
    discs, and ones if the second player is to move.
    """

    def __init__(self, size: int) -> None:
        if size not in SMALL_SIZES:
            raise ValueError(
                f"small Othello boards have {' or '.join(map(str, SMALL_SIZES))} squares a side, not {size}"
            )
        self.size = size
        self.actions = size * size + 1
        self.shape: Shape = (3, size, size)
        self.turn = 0
        middle = size // 2
        first, second = (middle - 1) * size + middle, (middle - 1) * size + middle - 1
        self.discs = [1 << first | 1 << second + size, 1 << second | 1 << first + size]
        self._lines = _lines(size)

    def _flips(self, square: int, own: int, other: int) -> int:
        """Return the discs that are flipped when `own`'s side plays on the empty `square`."""
        flipped = 0
        for line in self._lines[square]:
            run = 0
            for disc in line:
                if not other & disc:
                    if own & disc:
                        flipped |= run
                    break
                run |= disc
        return flipped

    def _places(self, own: int, other: int) -> list[int]:
        """Return the squares where `own`'s side may place a disc."""
        taken = own | other
        return [square for square in range(self.size**2) if not taken >> square & 1 and self._flips(square, own, other)]

    def legal(self) -> list[int]:
        """Return the legal actions; none if the game is over."""
        own, other = self.discs[self.turn], self.discs[1 - self.turn]
        return self._places(own, other) or ([self.size**2] if self._places(other, own) else [])

    def play(self, action: int) -> None:
        """Make a legal action; raises ValueError if it is illegal."""
        if action not in self.legal():
            raise ValueError(f"the action {action} is not legal here")
        if action < self.size**2:
            flipped = self._flips(action, self.discs[self.turn], self.discs[1 - self.turn])
            self.discs[self.turn] |= flipped | 1 << int(action)
            self.discs[1 - self.turn] ^= flipped
        self.turn = 1 - self.turn

    def result(self) -> int | None:
        """Return 1, 0, -1 for the side that began, None while the game continues."""
        if self.legal():
            return None
        lead = self.discs[0].bit_count() - self.discs[1].bit_count()
        return (lead > 0) - (lead < 0)

    def observation(self) -> NDArray[np.float32]:
        """Return float32[3, size, size], the position as the side to move sees it."""
        planes = np.zeros((3, self.size**2), dtype=np.float32)
        for plane, discs in enumerate((self.discs[self.turn], self.discs[1 - self.turn])):
            planes[plane] = [discs >> square & 1 for square in range(self.size**2)]
        planes[2] = self.turn
        return planes.reshape(self.shape)

    def copy(self) -> Self:
        """Return an independent state."""
        other = copy.copy(self)
        other.discs = list(self.discs)
        return other

    def text(self) -> str:
        """Return the board with X, O and -."""
        cells = ["X" if self.discs[0] >> n & 1 else "O" if self.discs[1] >> n & 1 else "-" for n in range(self.size**2)]
        return "\n".join(" ".join(cells[row : row + self.size]) for row in range(0, len(cells), self.size))


def _lines(size: int) -> list[list[list[int]]]:
    """Return for each square its lines in eight directions, the nearest square first, as discs."""
    steps = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]
    lines = []
    for square in range(size * size):
        row, column = divmod(square, size)
        ways = [
            [
                1 << (row + n * down) * size + column + n * right
                for n in range(1, size)
                if 0 <= row + n * down < size and 0 <= column + n * right < size
            ]
            for down, right in steps
        ]
        lines.append([way for way in ways if len(way) > 1])
    return lines


def new_state(game: str, size: int | None = None) -> State:
    """Return the start of a game of 'shogi' or 'othello'.

    Args:
        size: the size of a small Othello board, 4 or 6; None for 8

    Raises:
        ValueError: there is no such game
    """
    if size in (None, 8):
        return BoardState(game)
    if game != "othello":
        raise ValueError(f"{game} has only one board size")
    return SmallOthello(size)
