"""A match: plays the games missing from its log, until all are played or a test is decided."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from shogi_engine.common.match_statistics import Sprt, pentanomial
from shogi_engine.jobs import Maker, Pool

Record = dict[str, Any]  # of a game: at least its number, "game", and the first player's "score", 0, 0.5 or 1


class GameLog:
    """The finished games, in a JSON lines file that begins with the match's settings; without a path, only in memory.

    Raises ValueError if the file belongs to a match with other settings.
    """

    def __init__(self, path: Path | None, settings: Record) -> None:
        self.path, self.settings = path, settings
        self.records: dict[int, Record] = {}
        if path is None:
            return
        lines = read_lines(path) if path.exists() else []
        if not lines:
            self._append({"settings": settings})
        elif lines[0].get("settings") != settings:
            raise ValueError(f"{path} is from a match with other settings: {json.dumps(lines[0].get('settings'))}")
        self.records = {record["game"]: record for record in lines[1:]}

    @property
    def scores(self) -> dict[int, float]:
        """The first player's scores by game."""
        return {game: record["score"] for game, record in self.records.items()}

    def add(self, record: Record) -> None:
        """Add a finished game."""
        self.records[record["game"]] = record
        if self.path is not None:
            self._append(record)

    def _append(self, content: Record) -> None:
        assert self.path is not None
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(content) + "\n")


def read_lines(path: Path) -> list[Record]:
    """Return the contents of the lines; an incomplete last line of a killed run is removed. Raises ValueError."""
    data = path.read_bytes()
    complete = data[: data.rfind(b"\n") + 1]
    if len(complete) < len(data):
        with path.open("r+b") as file:
            file.truncate(len(complete))
    lines = []
    for number, line in enumerate(complete.splitlines(), 1):
        try:
            lines.append(json.loads(line))
        except ValueError:
            raise ValueError(f"{path}, line {number}: not JSON") from None
    return lines


def first_score(winner: int | None, game: int) -> float:
    """Return the first player's score in a game won by colour `winner`; the first player is black in even games."""
    if winner is None:
        return 0.5
    return 1.0 if winner == game % 2 else 0.0


class Match:
    """Plays the games whose numbers are missing in the log, until the test is decided or there are too many faults.

    Args:
        sprt: a sequential test that can end a match between two players
        max_faults: the number of faults that ends the match, 0 for no limit
    """

    def __init__(
        self,
        log: GameLog,
        numbers: Sequence[int],
        maker: Maker[int, Record],
        sprt: Sprt | None = None,
        max_faults: int = 0,
    ) -> None:
        self.log, self.numbers, self.sprt, self.max_faults = log, numbers, sprt, max_faults
        self._maker = maker

    def verdict(self) -> str:
        """Return the verdict of the sequential test, '' while there is none."""
        return self.sprt.verdict(pentanomial(self.log.scores)) if self.sprt else ""

    def decided(self) -> bool:
        """Tell whether the match ends before all games are played."""
        faults = sum(bool(record.get("fault")) for record in self.log.records.values())
        return bool(self.max_faults and faults >= self.max_faults) or bool(self.verdict())

    def complete(self) -> bool:
        """Tell whether the result is final: all games are played, or the test is decided."""
        return bool(self.verdict()) or all(number in self.log.records for number in self.numbers)

    def run(self, concurrency: int = 1, cluster: str = "", cores: int = 1) -> Iterator[Record]:
        """Play, and yield each record once it is logged; see `jobs.Pool`. Exceptions in games are raised here."""
        missing = [number for number in self.numbers if number not in self.log.records]
        if self.decided():
            return
        with Pool(self._maker, concurrency, cluster, name="match", cores=cores) as pool:
            for _, record in pool.results(missing):
                self.log.add(record)
                yield record
                if self.decided():
                    return
