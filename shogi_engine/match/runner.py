"""A match: plays the games missing from its log, until all are played or a test is decided."""

import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from shogi_engine.common.appending import LineFile
from shogi_engine.common.json_text import json_of
from shogi_engine.common.match_statistics import Sprt, pentanomial
from shogi_engine.jobs import Maker, Pool

Record = dict[str, Any]  # of a game: at least its number, "game", and the first player's "score", 0, 0.5 or 1


class GameLog:
    """The finished games, in a JSON lines file that begins with the match's settings; without a path, only in memory.

    Until `close`, no other process can continue the file.

    Raises:
        ValueError: the file is no match's log, or that of a match with other settings
        OSError: the file cannot be written, or another process continues it
    """

    def __init__(self, path: Path | None, settings: Record) -> None:
        self.path, self.settings = path, settings
        self.records: dict[int, Record] = {}
        first = json.dumps({"settings": settings}).encode()
        self._file = None if path is None else LineFile(path, self._take, first)

    def _take(self, number: int, line: bytes) -> None:
        """Read a line. Raises ValueError."""
        content = _log_line(self.path, number, line)
        if number > 1:
            self.records[content["game"]] = content
        elif content["settings"] != self.settings:
            raise ValueError(f"{self.path} is from a match with other settings: {json.dumps(content['settings'])}")

    @property
    def scores(self) -> dict[int, float]:
        """The first player's scores by game."""
        return {game: record["score"] for game, record in self.records.items()}

    def add(self, record: Record) -> None:
        """Add a finished game."""
        if self._file is not None:
            self._file.write_line(json.dumps(record).encode())
        self.records[record["game"]] = record

    def close(self) -> None:
        """Let other processes continue the file."""
        if self._file is not None:
            self._file.close()


def _log_line(path: Path | None, number: int, line: bytes) -> Record:
    """Return the content of a line of a log. Raises ValueError if there is no such line in logs."""
    with contextlib.suppress(ValueError):
        content = json_of(line)
        if isinstance(content, dict) and ("settings" if number == 1 else "game") in content:
            return content
    raise ValueError(f"{path}, line {number}: this is not a line of a match's log")


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
        if self.max_faults and sum(bool(each.get("fault")) for each in self.log.records.values()) >= self.max_faults:
            return True
        return bool(self.verdict())

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
