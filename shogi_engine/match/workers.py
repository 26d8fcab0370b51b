"""The workers of a match: each plays whole games between its own players, here or on a cluster."""

import threading
from dataclasses import dataclass

from shogi_engine.clients.base import EngineError
from shogi_engine.match.engine_game import EngineGame
from shogi_engine.match.engines import IN_PROCESS, EngineSpec
from shogi_engine.match.openings import OpeningPlan, Openings
from shogi_engine.match.players import Player
from shogi_engine.match.rules import Rules
from shogi_engine.match.runner import Record, first_score
from shogi_engine.match.schedule import Schedule
from shogi_engine.match.terms import Terms
from shogi_engine.search.context import MAX_GAME_PLY

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
            player.ready()
        except (EngineError, ValueError) as fault:
            player.close()
            raise ValueError(f"match: the engine {engine.name!r} does not start: {fault}") from None
        _begun.add(engine)


class EngineWorker:
    """Plays games between engines; each is started before its first game."""

    def __init__(self, plan: "EngineGames") -> None:
        self._plan, self._openings = plan, Openings(plan.openings)
        self._players = tuple(engine.player(plan.timeout) for engine in plan.engines)

    def do(self, number: int) -> Record:
        """Play game `number`."""
        plan = self._plan
        meeting = plan.schedule.meeting(number)
        black, white = (self._players[side] for side in meeting.sides)
        for engine, player in zip(plan.engines, self._players, strict=True):
            begin(engine, player)  # all of them, so that a fault of any engine ends the match before its first game
        rules = Rules(plan.game, self._openings[meeting.opening])
        played = EngineGame((black, white), rules, plan.terms).play()
        record: Record = {"game": number, "score": first_score(played.winner, number), "reason": played.reason}
        if plan.schedule.players > 2:
            record["players"] = [meeting.first, meeting.second]
        record |= {"fault": played.fault, "plies": len(played.moves), "moves": " ".join(played.moves)}
        record |= {"start": played.start} if played.start else {}
        record |= {"points": played.points} if played.points is not None else {}
        record |= {"times": played.times, "scores": played.scores}
        for name, side in zip(SIDES, (number % 2, 1 - number % 2), strict=True):
            used = played.usage[side]
            record[name] = {
                "moves": used.moves,
                "ms": round(used.milliseconds, 1),
                "longest": round(used.longest, 1),
                "late": used.late,
                "latest": round(used.latest, 1),
                "nodes": used.nodes,
                "depths": used.depths,
                "hits": used.hits,
                "misses": used.misses,
            }
        return record

    def close(self) -> None:
        """End the processes."""
        for player in self._players:
            player.close()


@dataclass(frozen=True)
class EngineGames:
    """Makes workers for games between engines, here or on a cluster.

    Attributes:
        timeout: the seconds beyond the limit after which an engine counts as not answering

    Raises ValueError for games too long for an engine in this process.
    """

    game: str
    engines: tuple[EngineSpec, ...]
    schedule: Schedule
    openings: OpeningPlan
    terms: Terms
    timeout: float = 60.0

    def __post_init__(self) -> None:
        if self.terms.max_plies > MAX_GAME_PLY and any(each.protocol == IN_PROCESS for each in self.engines):
            most = f"an engine in this process plays at most {MAX_GAME_PLY} plies"
            raise ValueError(f"{most}, not {self.terms.max_plies}")

    def __call__(self) -> EngineWorker:
        """Return a worker with its own engines."""
        return EngineWorker(self)

    def warm_up(self) -> None:
        """Start each engine once and wait until it is ready: some compile or unpack files on the first start."""
        Rules(self.game).outcome()
        for engine in self.engines:
            player = engine.player(self.timeout)
            try:
                player.ready()
            finally:
                player.close()
