"""The workers of a match: each plays whole games between its own players, here or on a cluster."""

import threading
from dataclasses import dataclass

from shogi_engine.clients.base import EngineError
from shogi_engine.match.engines import IN_PROCESS, EngineSpec
from shogi_engine.match.openings import OpeningPlan, Openings
from shogi_engine.match.runner import Record, first_score
from shogi_engine.match.schedule import Schedule
from shogi_engine.play.clock import GameClock
from shogi_engine.play.game import Game
from shogi_engine.play.loop import Played, Usage, play
from shogi_engine.play.players import Player
from shogi_engine.play.terms import Terms, number
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
        self._plan, self._openings = plan, Openings(plan.openings)
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

    def warm_up(self) -> None:
        """Start each engine once and wait until it is ready: some compile or unpack files on the first start."""
        Game.begin(self.game)
        for engine in self.engines:
            player = engine.player(self.timeout)
            try:
                player.ready()
            finally:
                player.close()
