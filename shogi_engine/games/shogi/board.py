"""Board: a game of Shogi for Python programs, with python-shogi's names, squares and constants.

Unlike there, every move is checked when it is pushed, a perpetual check loses, and a drop-pawn mate is one when the
only defenders are pinned.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from shogi_engine.game import count_moves
from shogi_engine.games.shogi.notation import (
    HAND_ORDER,
    SQUARE_NAMES,
    START,
    SYMBOLS,
    format_sfen,
    legal_move,
    legal_moves,
    parse_sfen,
    parse_usi_position,
    piece_symbol,
    scratch,
    split_usi,
    usi_of,
)
from shogi_engine.games.shogi.params import ENTERING_KING_RULES, TRY_RULE, entering_king_rule
from shogi_engine.games.shogi.position import do_move, undo_move
from shogi_engine.games.shogi.rules import DRAW, LOSS, WIN, declaration, has_tried, occurrence, repetition
from shogi_engine.games.shogi.types import (
    BISHOP,
    BLACK,
    DROP_BASE,
    GOLD,
    HORSE,
    KING,
    KNIGHT,
    LANCE,
    NO_SQUARE,
    PAWN,
    PROM_KNIGHT,
    PROM_LANCE,
    PROM_PAWN,
    PROM_SILVER,
    ROOK,
    SILVER,
    UNDO,
    WHITE,
    hand_count,
    is_promotion,
    move_from,
    move_to,
)
from shogi_engine.games.shogi.types import DRAGON as PROM_ROOK

PROM_BISHOP = HORSE
COLORS = (BLACK, WHITE)
PIECE_TYPES = (
    *(PAWN, LANCE, KNIGHT, SILVER, GOLD, BISHOP, ROOK, KING),
    *(PROM_PAWN, PROM_LANCE, PROM_KNIGHT, PROM_SILVER, PROM_BISHOP, PROM_ROOK),
)
PIECE_SYMBOLS = tuple(symbol.lower() for symbol in SYMBOLS)
PIECE_JAPANESE_SYMBOLS = tuple(" 歩香桂銀金角飛玉と杏圭全馬龍")
STARTING_SFEN = START

SQUARES = range(81)
A9, A8, A7, A6, A5, A4, A3, A2, A1 = range(9)
B9, B8, B7, B6, B5, B4, B3, B2, B1 = range(9, 18)
C9, C8, C7, C6, C5, C4, C3, C2, C1 = range(18, 27)
D9, D8, D7, D6, D5, D4, D3, D2, D1 = range(27, 36)
E9, E8, E7, E6, E5, E4, E3, E2, E1 = range(36, 45)
F9, F8, F7, F6, F5, F4, F3, F2, F1 = range(45, 54)
G9, G8, G7, G6, G5, G4, G3, G2, G1 = range(54, 63)
H9, H8, H7, H6, H5, H4, H3, H2, H1 = range(63, 72)
I9, I8, I7, I6, I5, I4, I3, I2, I1 = range(72, 81)


@dataclass(frozen=True)
class Piece:
    """A piece on the board: its type (PAWN ... PROM_ROOK) and its colour (BLACK, WHITE)."""

    piece_type: int
    color: int

    def symbol(self) -> str:
        """Return its SFEN symbol: 'P' and '+P' are black's, 'p' and '+p' white's."""
        return piece_symbol(self.color << 4 | self.piece_type)

    def japanese_symbol(self) -> str:
        """Return its one-letter Japanese name."""
        return PIECE_JAPANESE_SYMBOLS[self.piece_type]

    def __str__(self) -> str:
        return self.symbol()

    @classmethod
    def from_symbol(cls, symbol: str) -> "Piece":
        """Return the piece with an SFEN symbol; raise ValueError if there is none."""
        if symbol.lower() not in PIECE_SYMBOLS[1:]:
            raise ValueError(f"no piece has the symbol {symbol!r}")
        return cls(PIECE_SYMBOLS.index(symbol.lower()), WHITE if symbol.islower() else BLACK)


@dataclass(frozen=True)
class Move:
    """A move from a square to a square, or a drop (from_square None and drop_piece_type set)."""

    from_square: int | None
    to_square: int
    promotion: bool = False
    drop_piece_type: int | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for a move that is none in any position."""
        if self.to_square not in SQUARES or (self.from_square is not None and self.from_square not in SQUARES):
            raise ValueError(f"a move's squares are 0 to 80, not {self.from_square} and {self.to_square}")
        if (self.from_square is None) == (self.drop_piece_type is None):
            raise ValueError("a move has either a square it comes from or a piece that is dropped")
        if self.drop_piece_type is not None and (self.promotion or not PAWN <= self.drop_piece_type <= ROOK):
            raise ValueError("pawn to rook can be dropped, and not promoted")

    def _parts(self) -> tuple[int, int, bool]:
        """Return (source, target, promotion) as the notation takes them."""
        if self.from_square is None:
            return DROP_BASE + (self.drop_piece_type or 0), self.to_square, False
        return self.from_square, self.to_square, self.promotion

    def usi(self) -> str:
        """Return the move as USI writes it: '7g7f', '8h2b+', 'P*5e'."""
        return usi_of(*self._parts())

    def __str__(self) -> str:
        return self.usi()

    @classmethod
    def from_usi(cls, text: str) -> "Move":
        """Return the move written as in USI; raise ValueError if it is none in any position."""
        return cls._of(*split_usi(text))

    @classmethod
    def _of(cls, source: int, target: int, promotion: bool) -> "Move":
        """Return the move from `source`, 81 + piece type for a drop."""
        if source >= DROP_BASE:
            return cls(None, target, False, source - DROP_BASE)
        return cls(source, target, promotion)

    @classmethod
    def _decode(cls, move: int) -> "Move":
        """Return the kernels' encoded `move`."""
        return cls._of(move_from(move), move_to(move), is_promotion(move))


class Termination(Enum):
    """Why a game is over."""

    CHECKMATE = "checkmate"
    STALEMATE = "no legal move"
    FOURFOLD_REPETITION = "fourfold repetition"
    PERPETUAL_CHECK = "perpetual check"
    TRY = "try"


@dataclass(frozen=True)
class Outcome:
    """The end of a game: the winner (BLACK, WHITE, None for a draw) and why."""

    winner: int | None
    termination: Termination

    def result(self) -> str:
        """Return '1-0' if black has won, '0-1' if white has, else '1/2-1/2'."""
        return "1/2-1/2" if self.winner is None else "0-1" if self.winner else "1-0"

    def __str__(self) -> str:
        who = "a draw" if self.winner is None else f"{('black', 'white')[self.winner]} wins"
        return f"{who}: {self.termination.value}"


class LegalMoves:
    """The legal moves of a board, generated anew whenever asked: iterable, with len, bool and `in`."""

    def __init__(self, board: "Board") -> None:
        self._board = board

    def __iter__(self) -> Iterator[Move]:
        return (Move._decode(int(move)) for move in legal_moves(self._board._pos))

    def __len__(self) -> int:
        context = scratch()
        context.pos = self._board._pos
        return int(count_moves(context, 0))

    def __bool__(self) -> bool:
        return len(self) > 0

    def __contains__(self, move: object) -> bool:
        return isinstance(move, Move) and self._board.is_legal(move)

    def __repr__(self) -> str:
        return f"<LegalMoves ({', '.join(move.usi() for move in self)})>"


class Board:
    """A game: a position and the moves that led to it.

    >>> board = Board()
    >>> board.push_usi("7g7f")
    Move(from_square=56, to_square=47, promotion=False, drop_piece_type=None)
    >>> len(board.legal_moves)
    30
    >>> board.sfen()
    'lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2'

    sfen : an SFEN of three or four fields, or None for the start of a game; ValueError if it can not be.
    entering_king_rule : one of params.ENTERING_KING_RULES, what `can_declare_win` and `outcome` go by.
    """

    def __init__(self, sfen: str | None = None, entering_king_rule: str = "CSARule27") -> None:
        self.entering_king_rule = entering_king_rule
        self.set_sfen(STARTING_SFEN if sfen is None else sfen)

    @classmethod
    def from_sfen(cls, sfen: str) -> "Board":
        """Return a board with the position of `sfen`; raises ValueError as `set_sfen`."""
        return cls(sfen)

    @classmethod
    def from_usi_position(cls, text: str) -> "Board":
        """Return the board of the argument of USI's `position` ('startpos moves 7g7f'); raises ValueError."""
        start, moves = parse_usi_position(text)
        board = cls()
        board._begin(start)
        for move in moves:
            board._do(move)
        return board

    @property
    def entering_king_rule(self) -> str:
        """The name of the rule on entering kings."""
        return ENTERING_KING_RULES[self._rule]

    @entering_king_rule.setter
    def entering_king_rule(self, name: str) -> None:
        self._rule = entering_king_rule(name)

    def _begin(self, pos: Any) -> None:
        """Start anew from `pos`, which has passed the door."""
        self._pos = pos
        self._moves: list[int] = []
        self._undo = np.zeros(64, dtype=UNDO)

    def set_sfen(self, sfen: str) -> None:
        """Take the position of an SFEN and forget all moves; raises ValueError saying what is wrong with it."""
        self._begin(parse_sfen(sfen))

    def reset(self) -> None:
        """Go back to the start of a game."""
        self.set_sfen(STARTING_SFEN)

    def sfen(self) -> str:
        """Return the position's SFEN, four fields."""
        return format_sfen(self._pos)

    def copy(self) -> "Board":
        """Return an independent board with the same position and the same moves behind it."""
        board = type(self).__new__(type(self))
        board._rule, board._moves = self._rule, self._moves.copy()
        board._pos, board._undo = self._pos.copy(), self._undo.copy()
        return board

    # ---- what stands where

    @property
    def turn(self) -> int:
        """The side to move, BLACK or WHITE."""
        return int(self._pos.side)

    @property
    def move_number(self) -> int:
        """The number of the next move, 1 at the start."""
        return int(self._pos.ply) + 1

    @property
    def pieces_in_hand(self) -> list[Counter[int]]:
        """For each colour a Counter of the piece types in hand; a copy."""
        return [
            Counter({kind: hand_count(hand, kind) for kind in HAND_ORDER if hand_count(hand, kind)})
            for hand in self._pos.hand
        ]

    @property
    def king_squares(self) -> list[int | None]:
        """For each colour its king's square, None where there is none."""
        return [None if king == NO_SQUARE else int(king) for king in self._pos.king]

    def piece_at(self, square: int) -> Piece | None:
        """Return the piece on `square` (0..80) or None; raises ValueError for another number."""
        piece = self._piece(square)
        return Piece(piece & 15, piece >> 4) if piece else None

    def piece_type_at(self, square: int) -> int:
        """Return the piece type on `square` (0..80), 0 if it is empty."""
        return self._piece(square) & 15

    def _piece(self, square: int) -> int:
        """Return the board's byte for `square`."""
        if square not in SQUARES:
            raise ValueError(f"squares are 0 to 80, not {square!r}")
        return int(self._pos.board[square])

    # ---- moves

    @property
    def legal_moves(self) -> LegalMoves:
        """The legal moves."""
        return LegalMoves(self)

    @property
    def move_stack(self) -> list[Move]:
        """The moves pushed, the oldest first; a copy."""
        return [Move._decode(move) for move in self._moves]

    def is_legal(self, move: Move) -> bool:
        """Tell whether `move` is legal."""
        try:
            legal_move(self._pos, *move._parts())
        except ValueError:
            return False
        return True

    def push(self, move: Move) -> None:
        """Make a move; raises ValueError saying why if it is illegal."""
        self._do(legal_move(self._pos, *move._parts()))

    def push_usi(self, text: str) -> Move:
        """Make the move written as in USI and return it; raises ValueError saying why if it is illegal."""
        move = Move.from_usi(text)
        self.push(move)
        return move

    def pop(self) -> Move:
        """Take back the last move and return it; raises IndexError if there is none."""
        if not self._moves:
            raise IndexError("there is no move to take back")
        move = self._moves.pop()
        undo_move(self._pos, np.uint32(move), self._undo[len(self._moves)])
        return Move._decode(move)

    def peek(self) -> Move:
        """Return the last move; raises IndexError if there is none."""
        if not self._moves:
            raise IndexError("no move has been made")
        return Move._decode(self._moves[-1])

    def _do(self, move: int) -> None:
        """Make an encoded legal move."""
        count = len(self._moves)
        if count == len(self._undo):
            self._undo = np.concatenate([self._undo, np.zeros(count, dtype=UNDO)])
        do_move(self._pos, np.uint32(move), self._undo[count])
        self._moves.append(move)

    # ---- the end of the game

    def is_check(self) -> bool:
        """Tell whether the side to move is in check."""
        return bool(self._pos.checkers.any())

    def is_checkmate(self) -> bool:
        """Tell whether the side to move is in check and has no legal move."""
        return self.is_check() and not self.legal_moves

    def is_stalemate(self) -> bool:
        """Tell whether the side to move, not in check, has no legal move: it has lost all the same."""
        return not self.is_check() and not self.legal_moves

    def is_repetition(self, count: int = 4) -> bool:
        """Tell whether board, hands and side to move are there for at least the `count`-th time."""
        return occurrence(self._pos, self._undo, len(self._moves), count) >= 0

    def is_fourfold_repetition(self) -> bool:
        """Tell whether the position is there for the fourth time, which ends the game."""
        return self.is_repetition(4)

    def is_game_over(self) -> bool:
        """Tell whether the game is over: no legal move, fourfold repetition, or a try if that rule holds."""
        return self.outcome() is not None

    def outcome(self) -> Outcome | None:
        """Return who has won and why, None while the game goes on. Whoever has no legal move has lost."""
        side, other = self.turn, 1 - self.turn
        if self._rule == TRY_RULE and has_tried(self._pos):
            return Outcome(other, Termination.TRY)
        if not self.legal_moves:
            return Outcome(other, Termination.CHECKMATE if self.is_check() else Termination.STALEMATE)
        verdict = repetition(self._pos, self._undo, len(self._moves))
        if verdict == DRAW:
            return Outcome(None, Termination.FOURFOLD_REPETITION)
        if verdict in (LOSS, WIN):
            return Outcome(side if verdict == WIN else other, Termination.PERPETUAL_CHECK)
        return None

    def declaration(self, rule: str | None = None) -> str | None:
        """Return what the side to move may declare, 'win', 'draw' or None, by `rule` or else the board's own.

        Under the try rule 'win' means that the king may step to where the enemy's began; it has to do so.
        Raises ValueError for a rule that is not in params.ENTERING_KING_RULES.
        """
        verdict = declaration(self._pos, self._rule if rule is None else entering_king_rule(rule))
        return {WIN: "win", DRAW: "draw"}.get(int(verdict))

    def can_declare_win(self, rule: str | None = None) -> bool:
        """Tell whether the side to move wins by declaring, by `rule` or else the board's own."""
        return self.declaration(rule) == "win"

    # ---- text

    def _text(self, cells: list[str], names: tuple[str, ...], header: str) -> str:
        """Return nine rows of cells between the hands, and whose move it is."""
        hands = []
        for hand in self.pieces_in_hand:
            held = (names[kind] + (str(hand[kind]) if hand[kind] > 1 else "") for kind in HAND_ORDER if hand[kind])
            hands.append(" ".join(held) or "-")
        rows = [f"{''.join(cells[9 * row : 9 * row + 9])} {SQUARE_NAMES[9 * row][1]}" for row in range(9)]
        side = ("black", "white")[self.turn]
        return "\n".join([f"white: {hands[WHITE]}", header, *rows, f"black: {hands[BLACK]}", f"{side} to move"])

    def unicode(self) -> str:
        """Return the board as text with one-letter Japanese names, 'v' before white's pieces."""
        names = PIECE_JAPANESE_SYMBOLS
        cells = [f"{' v'[piece >> 4]}{names[piece & 15]}" if piece else " ・" for piece in self._pos.board.tolist()]
        return self._text(cells, names, "".join(f" {digit}" for digit in "９８７６５４３２１"))

    def __str__(self) -> str:
        cells = [f"{piece_symbol(piece) or '.':>3}" for piece in self._pos.board.tolist()]
        return self._text(cells, SYMBOLS, "".join(f"{file:>3}" for file in range(9, 0, -1)))

    def __repr__(self) -> str:
        return f"Board({self.sfen()!r})"
