"""python-shogi's KIF and CSA interfaces: `shogi.KIF.Parser.parse_file(path)` returns a list of dicts.

`shogi_engine.records` reads more of a file: variations, comments, times, every ending.
"""

from pathlib import Path
from typing import Any

from shogi_engine.games.shogi.types import BLACK, WHITE
from shogi_engine.records.errors import RecordError
from shogi_engine.records.files import dumps, loads
from shogi_engine.records.tree import GameRecord

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
