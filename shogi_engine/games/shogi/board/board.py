"""Board: a position of Shogi and the moves that led to it. The package also has python-shogi's names."""

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np

from shogi_engine.games.shogi.board import drawing
from shogi_engine.games.shogi.board.base_board import BaseBoard
from shogi_engine.games.shogi.board.entries import ENTRIES
from shogi_engine.games.shogi.board.kernels import NO_LEGAL_MOVE, TRIED, UNDECIDED
from shogi_engine.games.shogi.board.moves import MOVES, MOVES_BY_USI, Move
from shogi_engine.games.shogi.board.pieces import SquareSet, can_move_without_promotion, can_promote
from shogi_engine.games.shogi.movegen.codes import CODES
from shogi_engine.games.shogi.names import ENTERING_KING_RULES, entering_king_rule
from shogi_engine.games.shogi.notation.moves import USI_MOVE, format_move, parse_move
from shogi_engine.games.shogi.notation.sfen import split_usi_position
from shogi_engine.games.shogi.notation.usi_moves import illegal_move, legal_move
from shogi_engine.games.shogi.params import default_params
from shogi_engine.games.shogi.position import do_null, undo_null
from shogi_engine.games.shogi.rules import DRAW, WIN, declaration, occurrence
from shogi_engine.games.shogi.rules.validation import Status
from shogi_engine.games.shogi.see import exchange_ge
from shogi_engine.games.shogi.types import PAWN, move_captured
from shogi_engine.language import InputError
from shogi_engine.records.tree import GameRecord
from shogi_engine.types.forced_win import ForcedWin
from shogi_engine.types.termination import Outcome, Termination

_move_of = MOVES.__getitem__

EXCHANGE_LIMIT = 1 << 15  # centipawns; more than any exchange can win or lose


class MoveList:
    """A live view of a board's moves: iterable, with len, bool and `in`."""

    def __init__(self, board: "Board") -> None:
        self._board = board

    def __iter__(self) -> Iterator[Move]:
        raise NotImplementedError

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return len(self) > 0

    def __contains__(self, move: object) -> bool:
        return any(move == (str(each) if isinstance(move, str) else each) for each in self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} ({', '.join(move.usi() for move in self)})>"


class LegalMoves(MoveList):
    """A live view of a board's legal moves: iterable, with len, bool and `in`."""

    def __iter__(self) -> Iterator[Move]:
        board = self._board
        if board._edited:
            board._validate()
        return map(_move_of, board._moves[: ENTRIES.list_moves(board._address)].tolist())

    def __bool__(self) -> bool:
        board = self._board
        if board._edited:
            board._validate()
        return bool(ENTRIES.list_moves(board._address))  # counting would load another kernel

    def __len__(self) -> int:
        board = self._board
        if board._edited:
            board._validate()
        return int(ENTRIES.count_legal_moves(board._address))

    def __contains__(self, move: object) -> bool:
        if isinstance(move, (int, np.integer)):
            return self._board.is_legal(int(move))
        return isinstance(move, str) and self._board.is_legal(move)


class PseudoLegalMoves(MoveList):
    """The moves that the pieces can make, including those that leave the king in check or mate by a pawn drop."""

    def __iter__(self) -> Iterator[Move]:
        return self._board.generate_pseudo_legal_moves()


class Board(BaseBoard):
    """A game: a position and the moves that led to it.

    >>> board = Board()
    >>> board.push_usi("7g7f")
    Move.from_usi('7g7f')
    >>> len(board.legal_moves)
    30
    >>> board.sfen()
    'lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2'

    Squares are numbered from 0 (9a) to 80 (1i), in the order of an SFEN. Colours are BLACK (0) and WHITE (1); piece
    types are PAWN (1) to PROM_ROOK (14). Boards are equal if pieces, hands and side to move are equal; the moves before
    do not matter. Do not change a board that is in a set or a dict. Editing a board, for example with `set_piece_at`,
    clears the move stack. An edited position is checked when it is first used: if it is impossible, ValueError is
    raised, and `status` tells why.

    Args:
        sfen: an SFEN of three or four fields, or None for the start of a game. 'startpos moves 7g7f', with or without
            the word 'position', is read too, and its moves are then the board's. Raises ValueError if it is impossible.
        entering_king_rule: one of names.ENTERING_KING_RULES; used by `can_declare_win` and `outcome`
    """

    def __init__(self, sfen: str | None = None, entering_king_rule: str = "CSARule27") -> None:
        self.entering_king_rule = entering_king_rule
        super().__init__(sfen)

    @classmethod
    def from_usi_position(cls, text: str) -> Self:
        """Return the board of a USI `position` command without that word: 'startpos moves 7g7f'; raises ValueError."""
        board = cls()
        board.push_usi_position_cmd(text)
        return board

    @property
    def entering_king_rule(self) -> str:
        """The name of the entering king rule."""
        return ENTERING_KING_RULES[self._rule]

    @entering_king_rule.setter
    def entering_king_rule(self, name: str) -> None:
        self._rule = entering_king_rule(name)

    def set_sfen(self, sfen: str) -> None:
        """Set the position of an SFEN, or the position and moves of a USI `position` command; raises ValueError."""
        if isinstance(sfen, str) and "moves" in sfen:
            self.push_usi_position_cmd(sfen)
        else:
            super().set_sfen(sfen)

    def push_usi_position_cmd(self, usi_position_cmd: str) -> None:
        """Set the position and moves of a USI `position` command; the word 'position' may be omitted.

        Raises ValueError, which names the first illegal move and says why; the board is then unchanged.
        """
        start, moves = split_usi_position(usi_position_cmd.replace("_", " "))
        game = Board()
        super(Board, game).set_sfen(start)
        for number, usi in enumerate(moves, 1):
            try:
                game.push_usi(usi)
            except ValueError as error:
                raise InputError("position: move {0} of {1}: {2}", number, len(moves), error) from None
        self._take_over(game)
        self._edited = False

    def copy(self) -> Self:
        """Return an independent copy with the same position and move stack."""
        board = super().copy()
        board._rule = self._rule
        return board

    def __getstate__(self) -> tuple[str, list[str], str]:
        return self.root().sfen(), [move.usi() for move in self.move_stack], self.entering_king_rule

    def __setstate__(self, state: tuple[str, list[str], str]) -> None:
        sfen, moves, self.entering_king_rule = state
        self.push_usi_position_cmd(f"sfen {sfen} moves {' '.join(moves)}")

    # ---- moves

    @property
    def legal_moves(self) -> LegalMoves:
        """The legal moves."""
        return LegalMoves(self)

    @property
    def pseudo_legal_moves(self) -> PseudoLegalMoves:
        """The moves that the pieces can make, including those that leave the king in check or mate by a pawn drop."""
        return PseudoLegalMoves(self)

    def generate_legal_moves(self) -> Iterator[Move]:
        """Yield the legal moves."""
        return iter(self.legal_moves)

    def generate_pseudo_legal_moves(self) -> Iterator[Move]:
        """Yield the moves that the pieces can make: on the board in the order of squares, then the drops."""
        side, occupied = self.turn, self.occupied
        for square, piece in self.piece_map().items():
            if piece.color != side:
                continue
            for target in self.attacks(square) - occupied[side]:
                if can_move_without_promotion(target, piece.piece_type, side):
                    yield Move(square, target)
                if any(can_promote(end, piece.piece_type, side) for end in (square, target)):
                    yield Move(square, target, True)
        for kind in self.pieces_in_hand[side]:
            for target in SquareSet(occupied.non_occupied()):
                if can_move_without_promotion(target, kind, side) and not self.is_double_pawn(target, kind):
                    yield Move(None, target, drop_piece_type=kind)

    @property
    def move_stack(self) -> list[Move]:
        """A copy of the move stack, oldest move first."""
        return [MOVES[move & CODES] for move in self._encoded_moves()]

    @property
    def captured_piece_stack(self) -> list[int]:
        """The piece type captured by each move on the stack, 0 for none; a copy."""
        return [move_captured(move) for move in self._encoded_moves()]

    def _encoded_moves(self) -> list[int]:
        """Return the move stack as encoded moves."""
        moves: list[int] = self._undo["move"][: self._count].tolist()
        return moves

    def is_legal(self, move: int | str) -> bool:
        """Tell whether `move`, or the text of one (see `parse_text`), is legal. The null move is not."""
        if isinstance(move, str):
            return self._is_legal_text(move)
        if self._edited:
            self._validate()
        return bool(ENTRIES.is_legal_code(self._address, move))

    def _illegal(self, move: Move) -> ValueError:
        """Return the error that says why `move` is not legal."""
        if not move:
            return ValueError("illegal move '0000': the rules have no null move")
        return illegal_move(self._pos, *move._parts())

    def is_pseudo_legal(self, move: Move) -> bool:
        """Tell whether `move` is legal, ignoring the king's safety and the rule on pawn drop mates."""
        return move in self.pseudo_legal_moves

    def is_suicide_or_check_by_dropping_pawn(self, move: Move) -> bool:
        """Tell whether `move` is pseudo-legal but leaves the king in check or is a pawn drop mate."""
        return not self.is_legal(move) and self.is_pseudo_legal(move)

    def is_capture(self, move: Move) -> bool:
        """Tell whether `move`, if it is legal, captures a piece."""
        return move.from_square is not None and self.color_at(move.to_square) == 1 - self.turn

    def gives_check(self, move: Move) -> bool:
        """Tell whether a legal `move` gives check; raises ValueError saying why if it is illegal."""
        if self._edited:
            self._validate()
        check = ENTRIES.check_given(self._address, move)
        if check < 0:
            raise self._illegal(move)
        return bool(check)

    def see(self, move: Move) -> int:
        """Return the static exchange evaluation of a legal `move`: the material that it gains, in centipawns.

        Both sides recapture with their least valuable piece as long as they gain by it. Pins and later promotions are
        ignored. Raises ValueError saying why if the move is illegal.
        """
        encoded = np.uint32(legal_move(self._pos, *move._parts()))
        params = default_params()
        low, high = -EXCHANGE_LIMIT, EXCHANGE_LIMIT  # the gain is at least `low` and less than `high`
        while high - low > 1:
            middle = (low + high) // 2
            if exchange_ge(self._pos, params, encoded, middle):
                low = middle
            else:
                high = middle
        return low

    def find_mate(
        self, *, max_ms: float | None = None, nodes: int | None = None, shortest: bool = False
    ) -> ForcedWin[Move]:
        """Search for a mate by the side to move, with a check at every move. The result is true if a mate was found.

        Its `moves` are the mate against the longest defence. The first call compiles kernels. Raises ValueError if the
        other side has no king.

        >>> Board("7nk/9/7GP/9/9/9/9/9/9 b - 1").find_mate().moves
        (Move.from_usi('2c1b'),)

        Args:
            max_ms: the time limit in ms, None for no limit
            nodes: the maximum number of moves made, None for no limit
            shortest: after the first mate, continue until no shorter one exists
        """
        from shogi_engine.games.shogi.mate import solver as mates

        found = mates.shared_solver().solve(self._pos, max_ms=max_ms, nodes=nodes, shortest=shortest)
        return found.convert(lambda moves: [Move._decode(move) for move in moves])

    def find_move(
        self, from_square: int | None, to_square: int, promotion: bool | None = None, drop_piece_type: int | None = None
    ) -> Move:
        """Return the legal move between these squares, or the drop if from_square is None.

        Args:
            promotion: whether the move promotes; None to promote only if the promotion is forced

        Raises:
            ValueError: says why if there is no such move
        """
        move = Move(from_square, to_square, bool(promotion), drop_piece_type)
        if promotion is None and from_square is not None and not self.is_legal(move):
            promoting = Move(from_square, to_square, True)
            if self.is_legal(promoting):
                return promoting
        if not self.is_legal(move):
            raise self._illegal(move)
        return move

    def parse_usi(self, text: str) -> Move:
        """Return the legal move in USI notation, without making it; raises ValueError saying why it is not legal."""
        move = Move.from_usi(text)
        if not self.is_legal(move):
            raise self._illegal(move)
        return move

    def parse_text(self, text: str) -> Move:
        """Parse a legal move in USI, Japanese, KIF, CSA or Western notation, without making it.

        >>> board = Board()
        >>> board.parse_text("７六歩") == board.parse_text("76FU") == board.parse_text("P-7f") == Move.from_usi("7g7f")
        True

        Raises ValueError saying why it is not legal, or which moves it could be.
        """
        if USI_MOVE.fullmatch(text):
            return self.parse_usi(text)
        return Move._decode(parse_move(self._pos, text, self._last_target()))

    def push_text(self, text: str) -> Move:
        """Make the move `text`, in any notation of `parse_text`, and return it."""
        move = self.parse_text(text)
        self.push(move)
        return move

    def text(self, move: Move, notation: str = "japanese") -> str:
        """Return a legal move in a notation: 'japanese' (▲７六歩), 'kif', 'csa', 'western' or 'usi'.

        Raises ValueError if the move is illegal or the notation unknown.
        """
        return format_move(self._pos, legal_move(self._pos, *move._parts()), notation, self._last_target())

    def _last_target(self) -> int | None:
        """Return the square of the last move, None if there is none."""
        last = self.peek() if self._count else None
        return last.to_square if last else None

    def record(self, ending: str = "") -> GameRecord:
        """Return the record of the moves made; `ending` is one of records.ENDINGS."""
        return GameRecord.from_moves(
            "shogi", [move.usi() for move in self.move_stack], start=self.root().sfen(), ending=ending
        )

    def push(self, move: int) -> None:
        """Make a move, a `Move` or its int; raises ValueError saying why if it is illegal.

        The null move passes the turn, which the rules do not allow; it raises ValueError in check.
        """
        if self._edited:
            self._validate()
        try:
            done = ENTRIES.push(self._address, move)
        except (TypeError, ValueError):  # not an int
            done = 0
        if not done:
            self._push_otherwise(move)

    def _push_otherwise(self, move: int) -> None:
        """Make the null move, or a move refused for lack of undo records; raises ValueError if it is illegal."""
        known = move if isinstance(move, Move) else Move.from_int(move)
        grown = self._grow()
        if not known:
            if self.is_check():
                raise ValueError("illegal move '0000': the side to move is in check")
            do_null(self._record, self._undo[self._count])
            self._words[self._COUNT_WORD] += 1
            self._touched()
        elif not grown or not ENTRIES.push(self._address, known):
            raise self._illegal(known)

    def push_usi(self, text: str) -> Move:
        """Make the move in USI notation and return it; raises ValueError saying why if it is illegal."""
        move = MOVES_BY_USI.get(text) or Move.from_usi(text)
        self.push(move)
        return move

    def pop(self) -> Move:
        """Take back the last move and return it; raises IndexError if there is none."""
        code = ENTRIES.pop(self._address)
        return MOVES[code] if code >= 0 else self._pop_null()

    def _pop_null(self) -> Move:
        """Take back a null move; raises IndexError if no move is left."""
        count = self._count
        if not count:
            raise IndexError("there is no move to take back")
        undo_null(self._record, self._undo[count - 1])
        self._words[self._COUNT_WORD] -= 1
        self._touched()
        return Move.null()

    def peek(self) -> Move:
        """Return the last move; raises IndexError if there is none."""
        count = self._count
        if not count:
            raise IndexError("no move has been made")
        return Move._decode(int(self._undo["move"][count - 1]))

    # ---- the end of the game

    def is_checkmate(self) -> bool:
        """Tell whether the side to move is in check and has no legal move."""
        return self.is_check() and not self.legal_moves

    def is_stalemate(self) -> bool:
        """Tell whether the side to move has no legal move and is not in check; in Shogi it has lost."""
        return not self.is_check() and not self.legal_moves

    def was_suicide(self) -> bool:
        """Tell whether the side that is not to move is in check, which is possible only after an edit."""
        return Status.OPPOSITE_CHECK in self.status()

    def was_check_by_dropping_pawn(self, move: Move) -> bool:
        """Tell whether this could be the position after `move`, an illegal pawn drop that mates.

        No pushed move leads to such a position, but it can be set up.
        """
        return move.drop_piece_type == PAWN and self.checkers() == SquareSet([move.to_square]) and self.is_checkmate()

    def is_repetition(self, count: int = 4) -> bool:
        """Tell whether board, hands and side to move have occurred at least `count` times."""
        return bool(occurrence(self._pos, self._undo, self._count, count) >= 0)

    def is_fourfold_repetition(self) -> bool:
        """Tell whether the position has occurred for the fourth time, which ends the game."""
        return self.is_repetition(4)

    def is_game_over(self) -> bool:
        """Tell whether the game is over: no legal move, fourfold repetition, or a try if that rule holds."""
        return self._ending() != 0

    def _ending(self) -> int:
        """Return the result of `kernels.ending`, resolving UNDECIDED."""
        if self._edited:
            self._validate()
        ending: int = ENTRIES.ending(self._address, self._rule, 0)
        if ending == UNDECIDED:
            movable = ENTRIES.list_moves(self._address)
            ending = ENTRIES.ending(self._address, self._rule, 1) if movable else NO_LEGAL_MOVE
        return ending

    def outcome(self) -> Outcome | None:
        """Return who has won and why, None while the game continues. A side without a legal move has lost."""
        ending = self._ending()
        if not ending:
            return None
        side, other = self.turn, 1 - self.turn
        if ending == TRIED:
            return Outcome(other, Termination.TRY)
        if ending == NO_LEGAL_MOVE:
            return Outcome(other, Termination.CHECKMATE if self.is_check() else Termination.STALEMATE)
        if ending == DRAW:
            return Outcome(None, Termination.FOURFOLD_REPETITION)
        return Outcome(side if ending == WIN else other, Termination.PERPETUAL_CHECK)

    def result(self) -> str:
        """Return '1-0' if black has won, '0-1' if white has, '1/2-1/2' for a draw, '*' while the game continues."""
        outcome = self.outcome()
        return "*" if outcome is None else outcome.result()

    def declaration(self, rule: str | None = None) -> str | None:
        """Return what the side to move may declare ('win', 'draw' or None) by `rule`, by default the board's.

        Under the try rule 'win' means that the king can move to the enemy king's initial square; it must then do so.
        Raises ValueError for a rule that is not in names.ENTERING_KING_RULES.
        """
        verdict = declaration(self._pos, self._rule if rule is None else entering_king_rule(rule))
        return {WIN: "win", DRAW: "draw"}.get(int(verdict))

    def can_declare_win(self, rule: str | None = None) -> bool:
        """Tell whether the side to move can win by a declaration under `rule`, by default the board's."""
        return self.declaration(rule) == "win"

    # ---- picture

    def svg(self, *, flipped: bool = False, size: int | None = None, **options: Any) -> str:
        """Return an SVG image: the board, hands, the last move and a check; from white's side if `flipped`.

        Args:
            size: the width in pixels, None for the default
            options: `pieces`, `stacked`, `areas`, `lines` and `style`, as in drawing.svg
        """
        return drawing.svg(self, flipped=flipped, size=size, **options)

    def arrows(self, lines: Sequence[Sequence[str]], *, flipped: bool = False, stacked: bool = False) -> str:
        """Return SVG of the arrows of lines of moves from here, to be laid over `svg`; see drawing.arrows."""
        return drawing.arrows(self, lines, flipped=flipped, stacked=stacked)

    def _repr_svg_(self) -> str:
        """Return the image that a notebook shows."""
        return self.svg()
