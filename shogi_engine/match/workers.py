"""The two kinds of games in a match: between engines, and between settings of this build."""

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass

from shogi_engine import games
from shogi_engine.clients.base import EngineError
from shogi_engine.engine.parameters import parse_settings
from shogi_engine.match.arena import Arena
from shogi_engine.match.engine_game import EngineGame
from shogi_engine.match.engines import EngineSpec
from shogi_engine.match.openings import OpeningPlan, Openings
from shogi_engine.match.players import Player, UsiPlayer
from shogi_engine.match.rules import rules_of
from shogi_engine.match.runner import Record, first_score
from shogi_engine.match.schedule import Schedule
from shogi_engine.match.terms import Terms
from shogi_engine.match.time_controls import TimeControl
from shogi_engine.search.limits import Limits

SIDES = ("first", "second")

_begun: set[EngineSpec] = set()
_beginning = threading.Lock()


def begin(engine: EngineSpec, player: Player) -> None:
    """Prepare `player` if it is the first one of its engine in this process; one at a time.

    The work of an engine's first start, such as compiling, is then done for the others. Raises ValueError if the engine
    does not start or lacks a requested option, so that a match fails before its first game.
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
    """Plays games between engines; each is started when it first plays.

    Args:
        engines: of the players; each is first started by one worker alone
        gui: see UsiPlayer, by game
    """

    def __init__(
        self,
        game: str,
        players: tuple[Player, ...],
        schedule: Schedule,
        opening: Callable[[int], str],
        terms: Terms,
        gui: Callable[[int], random.Random] | None = None,
        engines: tuple[EngineSpec, ...] = (),
    ) -> None:
        self._game, self._players, self._schedule = game, players, schedule
        self._opening, self._terms, self._gui, self._engines = opening, terms, gui, engines

    def do(self, number: int) -> Record:
        """Play game `number`."""
        meeting = self._schedule.meeting(number)
        black, white = (self._players[side] for side in meeting.sides)
        for engine, player in zip(self._engines, self._players, strict=False):
            if player in (black, white):
                begin(engine, player)
        for player in (black, white):
            if self._gui is not None and isinstance(player, UsiPlayer):
                player.gui = self._gui(number)
        rules = rules_of(self._game, self._opening(meeting.opening))
        played = EngineGame((black, white), rules, self._terms).play()
        record: Record = {"game": number, "score": first_score(played.winner, number), "reason": played.reason}
        if self._schedule.players > 2:
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
        patience, ready_patience: see UsiClient
    """

    game: str
    engines: tuple[EngineSpec, ...]
    schedule: Schedule
    openings: OpeningPlan
    terms: Terms
    patience: float = 60.0
    ready_patience: float = 600.0

    def __call__(self) -> EngineWorker:
        """Return a worker with its own engines."""
        players = tuple(engine.player(self.patience, self.ready_patience) for engine in self.engines)
        opening = Openings(self.openings).__getitem__
        return EngineWorker(self.game, players, self.schedule, opening, self.terms, engines=self.engines)

    def warm_up(self) -> None:
        """Start each engine once and wait until it is ready: some compile or unpack on the first start."""
        games.load(self.game)
        rules_of(self.game, "").outcome()
        for engine in self.engines:
            player = engine.player(self.patience, self.ready_patience)
            try:
                player.ready()
            finally:
                player.close()


def search_limits(control: TimeControl) -> Limits:
    """Return the limits of a search in this process. Raises ValueError for limits that need a clock."""
    if control.clock or control.movetime:
        raise ValueError("games in this process are limited by nodes or depth, not by time")
    return Limits(nodes=control.nodes, depth=control.depth)


@dataclass(frozen=True)
class ArenaGames:
    """Makes workers for games between two settings of this build.

    Attributes:
        settings: 'name=value,...', of each player
    """

    settings: tuple[str, str]
    controls: tuple[TimeControl, TimeControl]
    openings: OpeningPlan
    terms: Terms
    hash_mb: int = 8

    def __call__(self) -> "ArenaWorker":
        """Return a worker. Raises ValueError if a setting is wrong."""
        return ArenaWorker(self)

    def warm_up(self) -> None:
        """Compile what games need."""
        worker = ArenaWorker(self)
        worker.warm_up()


class ArenaWorker:
    """Plays games between two settings of this build's parameters."""

    def __init__(self, plan: ArenaGames) -> None:
        game = games.load(plan.openings.game)
        self._arena = Arena(game, plan.hash_mb, plan.terms)
        one, other = map(parse_settings, plan.settings)
        limits = [search_limits(control) for control in plan.controls]
        self._arena.configure((one, other), limits)
        self._openings = Openings(plan.openings)

    def do(self, number: int) -> Record:
        """Play game `number`; the first player begins in even games."""
        referee, first = self._arena.referee, number % 2
        played = self._arena.play(referee.parse(self._openings[number // 2]), first)
        record: Record = {"game": number, "score": first_score(played.ending.winner, number)}
        record |= {"reason": played.ending.reason, "plies": len(played.moves), "cpu": round(played.cpu, 3)}
        record["moves"] = referee.format(played.moves)
        for name, side in zip(SIDES, (first, 1 - first), strict=True):
            used = played.used[side]
            record[name] = {"moves": used.searches, "ms": round(1000 * used.seconds, 1), "nodes": used.nodes}
        return record

    def warm_up(self) -> None:
        """Search the starting position briefly."""
        for player in self._arena.players:
            player.new_game()
            limits, player.limits = player.limits, Limits(nodes=1)
            player.choose([])
            player.limits = limits

    def close(self) -> None:
        """Do nothing: no resources are held."""
