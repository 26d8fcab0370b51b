"""A match of any kind of games: plays what its log does not have yet, in threads, until enough is known."""

import json
import queue
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

from shogi_engine.match_statistics import Sprt, pentanomial

Record = dict[str, Any]  # of a game: at least "game", its number, and "score", the first player's 0, 0.5 or 1
STACK_BYTES = 64 << 20  # of a worker's thread: the search recurses


class Worker(Protocol):
    """Plays the games of one thread."""

    def play(self, number: int) -> Record:
        """Play game `number`; the first player is black in even games."""

    def close(self) -> None:
        """Free what it holds."""


class GameLog:
    """The finished games, in a JSON lines file that begins with the match's settings. path None: kept nowhere."""

    def __init__(self, path: Path | None, settings: Record) -> None:
        self.path = path
        self.records: dict[int, Record] = {}
        if path is None:
            return
        lines = read_lines(path) if path.exists() else []
        if not lines:
            self._append({"settings": settings})
        elif lines[0].get("settings") != settings:
            raise ValueError(f"{path} is of a match with other settings: {json.dumps(lines[0].get('settings'))}")
        self.records = {record["game"]: record for record in lines[1:]}

    @property
    def scores(self) -> dict[int, float]:
        """The first player's scores by game."""
        return {game: record["score"] for game, record in self.records.items()}

    def add(self, record: Record) -> None:
        """Keep one more finished game."""
        self.records[record["game"]] = record
        if self.path is not None:
            self._append(record)

    def _append(self, content: Record) -> None:
        assert self.path is not None
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(content) + "\n")


def read_lines(path: Path) -> list[Record]:
    """Return the lines' contents; a last line that was torn when the run was killed is cut off. Raises ValueError."""
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
            raise ValueError(f"{path}, line {number}: no JSON") from None
    return lines


def first_score(winner: int | None, game: int) -> float:
    """Return the first player's score of a game won by colour `winner`; it is black in even games."""
    if winner is None:
        return 0.5
    return 1.0 if winner == game % 2 else 0.0


class Match:
    """Plays the missing games until all are there, the test is decided, or there are max_faults (0: any number)."""

    def __init__(
        self,
        log: GameLog,
        games: int,
        make_worker: Callable[[], Worker],
        sprt: Sprt | None = None,
        max_faults: int = 0,
    ) -> None:
        self.log, self.games, self.sprt, self.max_faults = log, games, sprt, max_faults
        self._make_worker = make_worker
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._done: queue.SimpleQueue[Record | BaseException | None] = queue.SimpleQueue()

    def decided(self) -> bool:
        """Tell whether the match ends before all games are played."""
        faults = sum(bool(record.get("fault")) for record in self.log.records.values())
        if self.max_faults and faults >= self.max_faults:
            return True
        return bool(self.sprt and self.sprt.verdict(pentanomial(self.log.scores)))

    def records(self) -> dict[int, Record]:
        """Return the games finished so far; a copy, for workers may be adding more."""
        with self._lock:
            return dict(self.log.records)

    def run(self, concurrency: int) -> Iterator[Record]:
        """Play, and yield each record once it is logged. What a worker raises is raised here."""
        missing = iter([game for game in range(self.games) if game not in self.log.records])
        if self.decided():
            return
        before = threading.stack_size(STACK_BYTES)
        threads = [threading.Thread(target=self._work, args=(missing,), daemon=True) for _ in range(concurrency)]
        for thread in threads:
            thread.start()
        threading.stack_size(before)
        running = len(threads)
        try:
            while running:
                done = self._done.get()
                if done is None:
                    running -= 1
                elif isinstance(done, BaseException):
                    raise done
                else:
                    yield done
        finally:
            self._over.set()
            for thread in threads:
                thread.join(10)

    def _work(self, missing: Iterator[int]) -> None:
        worker = None
        try:
            worker = self._make_worker()
            while not self._over.is_set():
                with self._lock:
                    game = next(missing, None)
                if game is None:
                    break
                record = worker.play(game)
                with self._lock:
                    self.log.add(record)
                    if self.decided():
                        self._over.set()
                self._done.put(record)
        except BaseException as failure:
            self._done.put(failure)
        finally:
            if worker is not None:
                worker.close()
            self._done.put(None)
