"""WTHOR's databases (.wtb) as records.

A database has numbers for players and tournaments, which are kept as headers. Their names come from the .jou and .trn
files in the same folder, if there are any.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from shogi_engine.games.othello.notation import START
from shogi_engine.games.othello.records import wthor
from shogi_engine.games.othello.types import SQUARES
from shogi_engine.records import formats
from shogi_engine.records.formats import RecordFormat
from shogi_engine.records.tree import GameRecord, Node, RecordError, leader
from shogi_engine.types.outcomes import Outcome, Termination

YEAR = "year"  # a header: the year of the file's games
PLAYERS, TOURNAMENTS = ".jou", ".trn"
USUAL_NAME = "wthor"  # the two name files for the databases of all years


@dataclass(frozen=True)
class WthorFile:
    """Data shared by the games of one .wtb file.

    Attributes:
        year: 0 if unknown
        players, tournaments: names by number
    """

    year: int
    players: list[str]
    tournaments: list[str]

    @classmethod
    def of(cls, source: BinaryIO, year: int) -> "WthorFile":
        """Return the data of an open file. Raises OSError, and RecordError for a damaged name file."""
        name = getattr(source, "name", None)
        path = Path(name) if isinstance(name, (str, Path)) else Path()
        if path.suffix.lower() not in WthorFormat.extensions:  # the source is bytes or a stream
            return cls(year, [], [])
        return cls(
            year,
            names_beside(path, PLAYERS, wthor.PLAYER_BYTES),
            names_beside(path, TOURNAMENTS, wthor.TOURNAMENT_BYTES),
        )


def names_beside(path: Path, suffix: str, width: int) -> list[str]:
    """Return the names in the file with this suffix that belongs to the database `path`, [] if there is no such file.

    It is the file with the database's name, else WTHOR.JOU or WTHOR.TRN, else the only file with the suffix in the
    folder. Raises OSError, and RecordError for a damaged file.
    """
    files = [each for each in path.parent.iterdir() if each.suffix.lower() == suffix]
    by_name = {each.stem.lower(): each for each in files}
    only = files[0] if len(files) == 1 else None
    found = by_name.get(path.stem.lower()) or by_name.get(USUAL_NAME) or only
    if found is None:
        return []
    try:
        return wthor.parse_names(found.read_bytes(), width)
    except ValueError as fault:
        raise RecordError("{0}: {1}", found.name, fault) from None


class WthorFormat(RecordFormat):
    """WTHOR, any number of games, read one at a time."""

    name = "wthor"
    game = "othello"
    extensions = (".wtb",)
    expected = "a .wtb file: a header of 16 bytes, 68 bytes a game"
    holds = frozenset({formats.MOVES})
    binary = True

    def kept_outcome(self, record: GameRecord, node: Node, side: int) -> Outcome:
        """Return the outcome as it is read back from the written file; a score is always written."""
        if record.start != START:
            return super().kept_outcome(record, node, side)
        return Outcome(leader(2 * wthor.WthorGame.of(record).score - SQUARES), Termination.UNKNOWN)

    def losses(self, record: GameRecord) -> list[str]:
        """Return, in words, the parts of a record that a database cannot hold; it has a score for each game."""
        return super().losses(record) + [formats.OPEN] * (record.outcome() is None)

    def recognises(self, head: str) -> bool:
        """Tell whether `head` begins with a date (century, year, month, day) and has a board size in its place."""
        return len(head) >= 16 and 0 < ord(head[2]) <= 12 and 0 < ord(head[3]) <= 31 and head[12] in "\0\x08\x0a"

    def split(self, source: BinaryIO) -> Iterator[tuple[WthorFile, int, int, bytes]]:
        """Yield each game's database, its number, the number of games, and its bytes.

        Raises RecordError for a wrong header or name file.
        """
        try:
            header, count = wthor.read_header(source)
        except ValueError as fault:
            raise RecordError(str(fault)) from None
        database = WthorFile.of(source, header.year)
        for block in wthor.read_blocks(source, count):
            yield database, *block

    def parse(self, block: tuple[WthorFile, int, int, bytes]) -> GameRecord:
        """Return one game. Raises RecordError."""
        database, number, count, data = block
        try:
            record = wthor.parse_game(number, count, data).record(database.players, database.tournaments)
        except ValueError as fault:
            raise RecordError(str(fault)) from None
        if database.year:
            record.headers[YEAR] = str(database.year)
        return record

    def write(self, records: Iterable[GameRecord], encoding: str = "") -> Iterator[str]:
        """Yield the file's bytes as latin-1. Raises ValueError for a record that a database cannot hold."""
        listed = list(records)
        years = [record.headers[YEAR] for record in listed if record.headers.get(YEAR, "").isdecimal()]
        games = tuple(wthor.WthorGame.of(record) for record in listed)
        yield wthor.format_wthor(wthor.Wthor(games, int(years[0]) if years else 0)).decode("latin-1")


FORMAT = WthorFormat()
