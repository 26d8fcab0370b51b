"""Sketch: an editable mate problem, and the changes from which problems are composed."""

import random
from dataclasses import dataclass, field
from typing import Any

from shogi_engine.games.shogi.attacks import attacks_from
from shogi_engine.games.shogi.notation.symbols import PROMOTED_KINDS
from shogi_engine.games.shogi.rules.validation import validate_position
from shogi_engine.games.shogi.types import (
    BLACK,
    KING,
    PAWN,
    POSITION,
    ROOK,
    SET_SIZE,
    UNPROMOTED,
    WHITE,
    make_piece,
    piece_colour,
    piece_kind,
)
from shogi_engine.jit import new_record
from shogi_engine.jit.bitboards import Bitboard

HAND_KINDS = tuple(range(PAWN, ROOK + 1))


@dataclass
class Sketch:
    """A problem in which black mates. The defence has all pieces that are not on the board or in black's hand.

    Attributes:
        board: pieces by square, as in POSITION
        hand: black's pieces by kind
    """

    board: dict[int, int]
    hand: dict[int, int] = field(default_factory=dict)

    def copy(self) -> "Sketch":
        """Return a copy."""
        return Sketch(dict(self.board), dict(self.hand))

    @property
    def king(self) -> int:
        """The square of the king to mate."""
        return next(square for square, piece in self.board.items() if piece_kind(piece) == KING)

    def left(self, kind: int) -> int:
        """Return the number of pieces of `kind`, unpromoted, in the defence's hand."""
        used = sum(int(UNPROMOTED[piece_kind(piece)]) == kind for piece in self.board.values())
        return SET_SIZE[kind] - used - self.hand.get(kind, 0)

    def position(self) -> Any:
        """Return the record[POSITION]. Raises ValueError if it is impossible."""
        pos = new_record(POSITION)
        for square, piece in self.board.items():
            pos.board[square] = piece
        for colour, counts in ((BLACK, self.hand), (WHITE, {kind: self.left(kind) for kind in HAND_KINDS})):
            if min(counts.values(), default=0) < 0:
                raise ValueError("more pieces than the set has")
            pos.hand[colour] = sum(count << 8 * kind for kind, count in counts.items())
        pos.side = BLACK
        validate_position(pos)
        return pos

    def pieces(self) -> set[tuple[int, int]]:
        """Return (piece, square) pairs; a piece in hand has the square -1, a second one -2, and so on."""
        held = {(-1 - number, kind) for kind, count in self.hand.items() for number in range(count)}
        return held | set(self.board.items())


def sketch_of(pos: Any) -> Sketch:
    """Return the sketch of a position in which black mates; black's king is omitted."""
    own = make_piece(BLACK, KING)
    board = {square: piece for square, piece in enumerate(pos.board.tolist()) if piece and piece != own}
    hand = {kind: int(pos.hand[BLACK]) >> 8 * kind & 255 for kind in HAND_KINDS}
    return Sketch(board, {kind: count for kind, count in hand.items() if count})


def near(rng: random.Random, square: int, most: int = 2) -> int:
    """Return a random square at most `most` steps away."""
    while True:
        rank, file = square // 9 + rng.randint(-most, most), square % 9 + rng.randint(-most, most)
        if 0 <= rank < 9 and 0 <= file < 9:
            return 9 * rank + file


def any_piece(rng: random.Random, colour: int) -> int:
    """Return a random piece of `colour`, promoted with probability 1/4."""
    kind = rng.choice((1, 1, 2, 3, 3, 4, 4, 5, 5, 6, 7))
    promoted = PROMOTED_KINDS[kind]
    return int(make_piece(colour, promoted if promoted and rng.random() < 0.25 else kind))


def random_sketch(rng: random.Random) -> Sketch:
    """Return a king near the upper right corner among a few pieces."""
    king = 9 * rng.choice((0, 0, 0, 1, 1, 2)) + rng.choice((8, 8, 7, 7, 6, 5))
    sketch = Sketch({king: make_piece(WHITE, KING)})
    for colour, most in ((BLACK, 3), (WHITE, 3)):
        for _ in range(rng.randint(colour == BLACK, most)):
            sketch.board.setdefault(near(rng, king, 3 if colour == BLACK else 2), any_piece(rng, colour))
    for _ in range(rng.choice((1, 2, 2, 3))):
        add_to_hand(rng, sketch)
    return sketch


def add_to_hand(rng: random.Random, sketch: Sketch, kind: int = 0) -> None:
    """Give black a piece."""
    kind = kind or rng.choice((1, 2, 3, 4, 4, 5, 5, 6, 7))
    sketch.hand[kind] = sketch.hand.get(kind, 0) + 1


def take_from_hand(sketch: Sketch, kind: int) -> None:
    """Take a piece from black."""
    sketch.hand[kind] -= 1
    if not sketch.hand[kind]:
        del sketch.hand[kind]


def reached_from(square: int, piece: int, occupied: Any) -> list[int]:
    """Return the squares from which the piece may have come to `square`: those it attacks when moving backwards."""
    return list(attacks_from(piece_kind(piece), 1 - piece_colour(piece), square, occupied))


def occupied_of(sketch: Sketch) -> Any:
    """Return the set of squares that are not empty."""
    return Bitboard(sum(1 << square for square in sketch.board))


def lure(rng: random.Random, sketch: Sketch) -> None:
    """Insert two plies at the start: black drops or moves a piece with check, and the defence captures it."""
    defenders = [square for square, piece in sketch.board.items() if piece_colour(piece) == WHITE]
    target = sketch.king if rng.random() < 0.7 else rng.choice(defenders)
    piece = sketch.board.pop(target)
    sources = [square for square in reached_from(target, piece, occupied_of(sketch)) if square not in sketch.board]
    if not sources:
        raise ValueError("the piece came from nowhere")
    sketch.board[rng.choice(sources)] = piece
    kind = rng.choice(HAND_KINDS)
    if rng.random() < 0.65:
        add_to_hand(rng, sketch, kind)
        return
    attacker = make_piece(BLACK, PROMOTED_KINDS[kind] if PROMOTED_KINDS[kind] and rng.random() < 0.3 else kind)
    sources = [square for square in reached_from(target, attacker, occupied_of(sketch)) if square not in sketch.board]
    if not sources:
        raise ValueError("the piece came from nowhere")
    sketch.board[rng.choice(sources)] = int(attacker)


def drive(rng: random.Random, sketch: Sketch) -> None:
    """Insert two plies at the start: black moves a piece with check, or drops it, and the king moves away."""
    attackers = [square for square, piece in sketch.board.items() if piece_colour(piece) == BLACK]
    if not attackers:
        raise ValueError("no piece attacks")
    king = sketch.king
    del sketch.board[king]
    steps = [square for square in reached_from(king, KING, occupied_of(sketch)) if square not in sketch.board]
    if not steps:
        raise ValueError("the king came from nowhere")
    sketch.board[rng.choice(steps)] = make_piece(WHITE, KING)
    square = rng.choice(attackers)
    piece = sketch.board.pop(square)
    if rng.random() < 0.4:
        add_to_hand(rng, sketch, int(UNPROMOTED[piece_kind(piece)]))
        return
    sources = [source for source in reached_from(square, piece, occupied_of(sketch)) if source not in sketch.board]
    if not sources:
        raise ValueError("the piece came from nowhere")
    sketch.board[rng.choice(sources)] = piece


def alter(rng: random.Random, sketch: Sketch) -> None:
    """Make one change: move, add, remove or replace a piece, or change the hand."""
    others = [square for square, piece in sketch.board.items() if piece_kind(piece) != KING]
    choice = rng.randrange(7)
    if choice == 0 and others:
        square = rng.choice(others)
        sketch.board.setdefault(near(rng, square, 1), sketch.board.pop(square))
    elif choice == 1:
        sketch.board.setdefault(near(rng, sketch.king, 3), any_piece(rng, rng.choice((BLACK, WHITE))))
    elif choice == 2 and others:
        del sketch.board[rng.choice(others)]
    elif choice == 3 and others:
        square = rng.choice(others)
        sketch.board[square] = any_piece(rng, piece_colour(sketch.board[square]))
    elif choice == 4 and sketch.hand:
        take_from_hand(sketch, rng.choice(list(sketch.hand)))
    elif choice == 5 and sketch.hand:
        take_from_hand(sketch, rng.choice(list(sketch.hand)))
        add_to_hand(rng, sketch)
    else:
        add_to_hand(rng, sketch)


def changed(rng: random.Random, sketch: Sketch) -> Sketch:
    """Return the sketch after a few changes. Raises ValueError if one cannot be made."""
    result = sketch.copy()
    first = rng.random()
    if first < 0.45:
        lure(rng, result)
    elif first < 0.7:
        drive(rng, result)
    else:
        alter(rng, result)
    while rng.random() < 0.35:
        alter(rng, result)
    return result
