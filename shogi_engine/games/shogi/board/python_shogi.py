"""python-shogi's KIF and CSA interfaces: `shogi.KIF.Parser.parse_file(path)` returns a list of dicts.

`shogi_engine.records` reads more of a file: variations, comments, times, every ending.
"""

from collections.abc import Callable
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any

from shogi_engine.games.shogi.board.pieces import BB_ALL, BB_FILES, BB_RANKS, BB_SQUARES
from shogi_engine.games.shogi.types import BLACK, WHITE
from shogi_engine.records.files import dumps, loads
from shogi_engine.records.tree import GameRecord, RecordError

# ---- python-shogi's masks of squares, ranks and files, its shifts of masks, and its tables of steps
#
# Bit s of a mask is square s, as in `pieces`. `left` is towards file 9, `up` towards rank a.


BB_A9, BB_A8, BB_A7, BB_A6, BB_A5, BB_A4, BB_A3, BB_A2, BB_A1 = BB_SQUARES[0:9]
BB_B9, BB_B8, BB_B7, BB_B6, BB_B5, BB_B4, BB_B3, BB_B2, BB_B1 = BB_SQUARES[9:18]
BB_C9, BB_C8, BB_C7, BB_C6, BB_C5, BB_C4, BB_C3, BB_C2, BB_C1 = BB_SQUARES[18:27]
BB_D9, BB_D8, BB_D7, BB_D6, BB_D5, BB_D4, BB_D3, BB_D2, BB_D1 = BB_SQUARES[27:36]
BB_E9, BB_E8, BB_E7, BB_E6, BB_E5, BB_E4, BB_E3, BB_E2, BB_E1 = BB_SQUARES[36:45]
BB_F9, BB_F8, BB_F7, BB_F6, BB_F5, BB_F4, BB_F3, BB_F2, BB_F1 = BB_SQUARES[45:54]
BB_G9, BB_G8, BB_G7, BB_G6, BB_G5, BB_G4, BB_G3, BB_G2, BB_G1 = BB_SQUARES[54:63]
BB_H9, BB_H8, BB_H7, BB_H6, BB_H5, BB_H4, BB_H3, BB_H2, BB_H1 = BB_SQUARES[63:72]
BB_I9, BB_I8, BB_I7, BB_I6, BB_I5, BB_I4, BB_I3, BB_I2, BB_I1 = BB_SQUARES[72:81]
BB_RANK_A, BB_RANK_B, BB_RANK_C, BB_RANK_D, BB_RANK_E, BB_RANK_F, BB_RANK_G, BB_RANK_H, BB_RANK_I = BB_RANKS
BB_FILE_9, BB_FILE_8, BB_FILE_7, BB_FILE_6, BB_FILE_5, BB_FILE_4, BB_FILE_3, BB_FILE_2, BB_FILE_1 = BB_FILES


def pop_count(b: int) -> int:
    """Return the number of squares of a mask."""
    return b.bit_count()


def bit_scan(b: int, n: int = 0) -> int:
    """Return the first square of a mask that is at least `n`, -1 if there is none."""
    rest = b >> n << n
    return (rest & -rest).bit_length() - 1


def shift_down(b: int) -> int:
    """Move all squares of a mask down by one rank; those of rank i disappear."""
    return b << 9 & BB_ALL


def shift_2_down(b: int) -> int:
    """Move a mask down by two ranks."""
    return b << 18 & BB_ALL


def shift_up(b: int) -> int:
    """Move a mask up by one rank."""
    return b >> 9


def shift_2_up(b: int) -> int:
    """Move a mask up by two ranks."""
    return b >> 18


def shift_right(b: int) -> int:
    """Move a mask to the right by one file."""
    return (b & ~BB_FILE_1) << 1


def shift_2_right(b: int) -> int:
    """Move a mask to the right by two files."""
    return shift_right(shift_right(b))


def shift_left(b: int) -> int:
    """Move a mask to the left by one file."""
    return (b & ~BB_FILE_9) >> 1


def shift_2_left(b: int) -> int:
    """Move a mask to the left by two files."""
    return shift_left(shift_left(b))


def shift_up_left(b: int) -> int:
    """Move a mask up and to the left."""
    return shift_up(shift_left(b))


def shift_up_right(b: int) -> int:
    """Move a mask up and to the right."""
    return shift_up(shift_right(b))


def shift_down_left(b: int) -> int:
    """Move a mask down and to the left."""
    return shift_down(shift_left(b))


def shift_down_right(b: int) -> int:
    """Move a mask down and to the right."""
    return shift_down(shift_right(b))


def _steps(*shifts: Callable[[int], int]) -> tuple[int, ...]:
    """Return for each square the mask of the squares to which the shifts lead."""
    return tuple(reduce(or_, (shift(mask) for shift in shifts)) for mask in BB_SQUARES)


_UP, _DOWN = (shift_up, shift_up_left, shift_up_right), (shift_down, shift_down_left, shift_down_right)
_ASIDE = shift_left, shift_right
# By colour and square; the king's by square.
BB_PAWN_ATTACKS = _steps(shift_up), _steps(shift_down)
BB_KNIGHT_ATTACKS = (
    _steps(lambda b: shift_up(shift_up_left(b)), lambda b: shift_up(shift_up_right(b))),
    _steps(lambda b: shift_down(shift_down_left(b)), lambda b: shift_down(shift_down_right(b))),
)
BB_SILVER_ATTACKS = _steps(*_UP, *_DOWN[1:]), _steps(*_DOWN, *_UP[1:])
BB_GOLD_ATTACKS = _steps(*_UP, *_ASIDE, shift_down), _steps(*_DOWN, *_ASIDE, shift_up)
BB_KING_ATTACKS = _steps(*_UP, *_ASIDE, *_DOWN)

__all__ = [
    "BB_A9", "BB_A8", "BB_A7", "BB_A6", "BB_A5", "BB_A4", "BB_A3", "BB_A2", "BB_A1", "BB_B9", "BB_B8", "BB_B7",
    "BB_B6", "BB_B5", "BB_B4", "BB_B3", "BB_B2", "BB_B1", "BB_C9", "BB_C8", "BB_C7", "BB_C6", "BB_C5", "BB_C4",
    "BB_C3", "BB_C2", "BB_C1", "BB_D9", "BB_D8", "BB_D7", "BB_D6", "BB_D5", "BB_D4", "BB_D3", "BB_D2", "BB_D1",
    "BB_E9", "BB_E8", "BB_E7", "BB_E6", "BB_E5", "BB_E4", "BB_E3", "BB_E2", "BB_E1", "BB_F9", "BB_F8", "BB_F7",
    "BB_F6", "BB_F5", "BB_F4", "BB_F3", "BB_F2", "BB_F1", "BB_G9", "BB_G8", "BB_G7", "BB_G6", "BB_G5", "BB_G4",
    "BB_G3", "BB_G2", "BB_G1", "BB_H9", "BB_H8", "BB_H7", "BB_H6", "BB_H5", "BB_H4", "BB_H3", "BB_H2", "BB_H1",
    "BB_I9", "BB_I8", "BB_I7", "BB_I6", "BB_I5", "BB_I4", "BB_I3", "BB_I2", "BB_I1", "BB_RANK_A", "BB_RANK_B",
    "BB_RANK_C", "BB_RANK_D", "BB_RANK_E", "BB_RANK_F", "BB_RANK_G", "BB_RANK_H", "BB_RANK_I", "BB_FILE_9",
    "BB_FILE_8", "BB_FILE_7", "BB_FILE_6", "BB_FILE_5", "BB_FILE_4", "BB_FILE_3", "BB_FILE_2", "BB_FILE_1",
    "BB_PAWN_ATTACKS", "BB_KNIGHT_ATTACKS", "BB_SILVER_ATTACKS", "BB_GOLD_ATTACKS", "BB_KING_ATTACKS", "bit_scan",
    "pop_count", "shift_down", "shift_2_down", "shift_up", "shift_2_up", "shift_right", "shift_2_right",
    "shift_left", "shift_2_left", "shift_up_left", "shift_up_right", "shift_down_left", "shift_down_right",
]  # fmt: skip


WINNERS = {"1-0": "b", "0-1": "w", "1/2-1/2": "-", "*": None}
LOSERS = {"1-0": "w", "0-1": "b"}


class ExporterException(ValueError):  # noqa: N818  (python-shogi's name)
    """The stated winner is the side to move, but python-shogi's KIF ends with its resignation."""


def _summaries(data: str | bytes, name: str) -> list[dict[str, Any]]:
    """Return the games of a file's contents in the form of python-shogi's parsers. Raises RecordError, a ValueError."""
    return [
        {"names": list(record.names), "sfen": record.start, "moves": record.moves, "win": WINNERS[record.result]}
        for record in loads(data, format=name)
    ]


class KIF:
    """The contents of python-shogi's module `shogi.KIF`."""

    ParserException = RecordError
    ExporterException = ExporterException

    class Parser:
        """Reads KIF files."""

        @staticmethod
        def parse_file(path: str | Path) -> list[dict[str, Any]]:
            """Return the game of a file: names, sfen, moves (USI) and win ('b', 'w', '-' or None)."""
            return _summaries(Path(path).read_bytes(), "kif")

        @staticmethod
        def parse_str(kif_str: str) -> list[dict[str, Any]]:
            """Return the game of a text, as `parse_file` does."""
            return _summaries(kif_str, "kif")

    class Exporter:
        """Writes KIF files."""

        @staticmethod
        def kif(sfen_summary: dict[str, Any]) -> str:
            """Return the text of a game that the loser resigned.

            Raises:
                ExporterException: the side to move, which resigns, is the winner
                ValueError: a move is illegal
            """
            record = GameRecord.from_moves(
                "shogi", sfen_summary["moves"], start=sfen_summary["sfen"], ending="resignation"
            )
            if sfen_summary.get("win") == LOSERS[record.result]:
                raise ExporterException("Invalid win")
            record.names = [str(sfen_summary["names"][side] or "") for side in (BLACK, WHITE)]
            return dumps(record, "kif", "utf-8").decode().split("\r\n", 1)[1]


class CSA:
    """The contents of python-shogi's module `shogi.CSA`, without the server protocol."""

    class Parser:
        """Reads CSA files."""

        @staticmethod
        def parse_file(path: str | Path) -> list[dict[str, Any]]:
            """Return the games of a file: names, sfen, moves (USI) and win ('b', 'w', '-' or None)."""
            return _summaries(Path(path).read_bytes(), "csa")

        @staticmethod
        def parse_str(csa_str: str) -> list[dict[str, Any]]:
            """Return the games of a text, as `parse_file` does."""
            return _summaries(csa_str, "csa")
