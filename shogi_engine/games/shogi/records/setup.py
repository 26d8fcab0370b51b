"""Sets up positions from files piece by piece; they are then written as SFEN and checked."""

import re
from collections.abc import Iterable

from shogi_engine.games.shogi.notation.sfen import format_sfen, parse_sfen
from shogi_engine.games.shogi.symbols import HAND_ORDER, SYMBOLS
from shogi_engine.games.shogi.types import BLACK, SET_SIZE, UNPROMOTED, WHITE
from shogi_engine.language import InputError


class Setup:
    """A position being set up.

    Attributes:
        board: (colour, kind) by square
        hands: counts by colour and kind
    """

    def __init__(self) -> None:
        self.board: dict[int, tuple[int, int]] = {}
        self.hands: tuple[dict[int, int], dict[int, int]] = ({}, {})

    @classmethod
    def of(cls, sfen: str) -> "Setup":
        """Return the setup of an SFEN."""
        setup, pos = cls(), parse_sfen(sfen)
        for square, piece in enumerate(pos.board.tolist()):
            if piece:
                setup.board[square] = (piece >> 4, piece & 15)
        for colour in (BLACK, WHITE):
            for kind in HAND_ORDER:
                setup.hold(colour, kind, int(pos.hand[colour]) >> 8 * kind & 255)
        return setup

    def hold(self, colour: int, kind: int, count: int = 1) -> None:
        """Put pieces into a hand. Raises ValueError for a piece that cannot be there."""
        if kind not in HAND_ORDER:
            raise InputError("a {0} cannot be in hand", SYMBOLS[kind])
        self.hands[colour][kind] = self.hands[colour].get(kind, 0) + count

    def hold_all_else(self, colour: int) -> None:
        """Put all remaining pieces of the set, except kings, into a hand."""
        for kind in HAND_ORDER:
            used = sum(int(UNPROMOTED[each]) == kind for _, each in self.board.values())
            used += sum(hand.get(kind, 0) for hand in self.hands)
            if SET_SIZE[kind] > used:
                self.hold(colour, kind, SET_SIZE[kind] - used)

    def sfen(self, side: int, number: int = 1) -> str:
        """Return the SFEN with `side` to move. Raises ValueError if the position is impossible."""
        cells = [self._symbol(*self.board[square]) if square in self.board else "1" for square in range(81)]
        rows = ["".join(cells[start : start + 9]) for start in range(0, 81, 9)]
        board = re.sub("1+", lambda ones: str(len(ones[0])), "/".join(rows))
        held = "".join(self._held(colour) for colour in (BLACK, WHITE))
        return format_sfen(parse_sfen(f"{board} {'bw'[side]} {held or '-'} {number}"))

    def _held(self, colour: int) -> str:
        """Return a hand as SFEN writes it."""
        counts: Iterable[tuple[int, int]] = ((kind, self.hands[colour].get(kind, 0)) for kind in HAND_ORDER)
        return "".join(f"{count if count > 1 else ''}{self._symbol(colour, kind)}" for kind, count in counts if count)

    @staticmethod
    def _symbol(colour: int, kind: int) -> str:
        return SYMBOLS[kind].lower() if colour == WHITE else SYMBOLS[kind]
