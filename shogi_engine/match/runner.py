"""A match: plays the games missing from its log, until all are played or a test is decided."""

import contextlib
import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shogi_engine import games
from shogi_engine.clients.base import EngineError
from shogi_engine.common.files import LineFile, json_of
from shogi_engine.common.match_statistics import Sprt, pentanomial
from shogi_engine.jobs import Maker, Pool
from shogi_engine.match.plan import IN_PROCESS, EngineSpec, OpeningFile, OpeningPlan, Schedule
from shogi_engine.play.clock import GameClock
from shogi_engine.play.game import Game, Terms, number
from shogi_engine.play.players import Played, Player, Usage, play
from shogi_engine.search.context import MAX_GAME_PLY

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


# ---- The workers of a match: each plays whole games between its own players, here or on a cluster


SIDES = ("first", "second")

_begun: set[EngineSpec] = set()
_beginning = threading.Lock()


def begin(engine: EngineSpec, player: Player) -> None:
    """Prepare `player` if it is the first one of its engine in this process; one at a time.

    Other players of the engine then need not repeat the work of its first start, such as compiling. Raises ValueError
    if the engine does not start or lacks a requested option, so that a match fails before its first game.
    """
    with _beginning:
        if engine in _begun:
            return
        try:
            games.warm_board(engine.game)
            player.ready()
        except (EngineError, ValueError) as fault:
            player.close()
            raise ValueError(f"match: the engine {engine.name!r} does not start: {fault}") from None
        _begun.add(engine)


def log_record(game_number: int, played: Played) -> Record:
    """Return the log's record of a game."""
    game = played.game
    nodes, points = game.path[1:], game.record.score
    record: Record = {"game": game_number, "score": first_score(played.winner, game_number), "reason": played.reason}
    record |= {"fault": played.fault, "plies": game.ply, "moves": " ".join(game.moves)}
    record |= {"points": float(points)} if points is not None else {}
    record["times"] = [None if node.seconds is None else round(1000 * node.seconds, 1) for node in nodes]
    record["scores"] = [None if node.evaluation is None else number(node.evaluation) for node in nodes]
    sides = zip(SIDES, (game_number % 2, 1 - game_number % 2), strict=True)
    return record | {name: _used(played.usage[side]) for name, side in sides}


def _used(usage: Usage) -> Record:
    """Return the resources that a player used, for the log."""
    used = {name: round(value, 3) for name, value in vars(usage).items() if isinstance(value, float | int)}
    used["ms"] = used.pop("milliseconds")
    return used | ({"visits": usage.visits} if usage.visits else {})


class EngineWorker:
    """Plays games between engines; each is started before its first game."""

    def __init__(self, plan: "EngineGames") -> None:
        self._plan, self._openings = plan, OpeningFile(plan.openings)
        self._players = tuple(engine.player(plan.timeout) for engine in plan.engines)

    def do(self, game_number: int) -> Record:
        """Play the game with this number."""
        plan = self._plan
        meeting = plan.schedule.meeting(game_number)
        players = self._players[meeting.sides[0]], self._players[meeting.sides[1]]
        for engine, player in zip(plan.engines, self._players, strict=True):
            begin(engine, player)  # all of them, so that a fault of any engine ends the match before its first game
        opening = self._openings[meeting.opening].split()
        clock = GameClock((plan.engines[meeting.sides[0]].clock, plan.engines[meeting.sides[1]].clock))
        game = Game.begin(plan.game, "", opening, clock=clock, terms=plan.terms)
        seed = None if plan.seed is None else f"{plan.seed} {game_number}"
        who = {"players": [meeting.first, meeting.second]} if plan.schedule.players > 2 else {}
        return who | log_record(game_number, play(game, players, seed))

    def close(self) -> None:
        """End the processes."""
        for player in self._players:
            player.close()


@dataclass(frozen=True)
class EngineGames:
    """Makes workers for games between engines, here or on a cluster.

    Attributes:
        timeout: the seconds beyond the limit after which an engine counts as not answering
        seed: what random choices of the players depend on, with the number of the game; None for the opening

    Raises ValueError for games too long for an engine in this process.
    """

    game: str
    engines: tuple[EngineSpec, ...]
    schedule: Schedule
    openings: OpeningPlan
    terms: Terms
    timeout: float = 60.0
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.terms.max_plies > MAX_GAME_PLY and any(each.protocol == IN_PROCESS for each in self.engines):
            most = f"an engine in this process plays at most {MAX_GAME_PLY} plies"
            raise ValueError(f"{most}, not {self.terms.max_plies}")

    def __call__(self) -> EngineWorker:
        """Return a worker with its own engines."""
        return EngineWorker(self)
