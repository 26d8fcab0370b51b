"""WTHOR's databases (.wtb) as records. Players and tournaments are numbers there, kept as headers."""

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from shogi_engine.games.othello.records.wthor import (
    Wthor,
    WthorGame,
    format_wthor,
    parse_game,
    read_blocks,
    read_header,
)
from shogi_engine.records import formats
from shogi_engine.records.errors import RecordError
from shogi_engine.records.formats import RecordFormat
from shogi_engine.records.tree import GameRecord

YEAR = "year"  # a header: of the games of the file


class WthorFormat(RecordFormat):
    """WTHOR, any number of games, read one at a time."""

    name = "wthor"
    game = "othello"
    extensions = (".wtb",)
    expected = "a .wtb file: a header of 16 bytes, 68 bytes a game"
    holds = frozenset({formats.MOVES})
    binary = True

    def recognises(self, head: str) -> bool:
        """Tell whether it begins with a century, a year, a month and a day, and has the board's size at its place."""
        return len(head) >= 16 and 0 < ord(head[2]) <= 12 and 0 < ord(head[3]) <= 31 and head[12] in "\0\x08"

    def split(self, source: BinaryIO) -> Iterator[tuple[int, int, bytes]]:
        """Yield (year, number, bytes) of each game. Raises RecordError for a wrong header."""
        try:
            header = read_header(source)
        except ValueError as fault:
            raise RecordError(str(fault)) from None
        for number, data in read_blocks(source):
            yield header.year, number, data

    def parse(self, block: tuple[int, int, bytes]) -> GameRecord:
        """Return one game. Raises RecordError."""
        year, number, data = block
        try:
            record = parse_game(number, data).record()
        except ValueError as fault:
            raise RecordError(str(fault)) from None
        if year:
            record.headers[YEAR] = str(year)
        return record

    def write(self, records: Iterable[GameRecord], encoding: str = "") -> Iterator[str]:
        """Yield the file's bytes as latin-1. Raises ValueError for a record that can not be in a database."""
        listed = list(records)
        years = [record.headers[YEAR] for record in listed if record.headers.get(YEAR, "").isdecimal()]
        games = tuple(WthorGame.of(record) for record in listed)
        yield format_wthor(Wthor(games, int(years[0]) if years else 0)).decode("latin-1")


FORMAT = WthorFormat()
