"""The two kinds of games a match is made of: between USI engines, and between settings of this build."""

import random
from collections.abc import Callable, Mapping

from shogi_engine.game import Game
from shogi_engine.search.limits import Limits
from tools.match.arena import Arena
from tools.match.limits import Limit
from tools.match.openings import Openings
from tools.match.runner import Record, first_score
from tools.match.terms import Terms
from tools.match.usi_game import Player, UsiGame


class UsiWorker:
    """Plays games between two USI engines. gui : returns, by game, what UsiGame takes as `gui`."""

    def __init__(
        self,
        players: tuple[Player, Player],
        opening: Callable[[int], str],
        terms: Terms,
        gui: Callable[[int], random.Random | None] = lambda game: None,
    ) -> None:
        self.players, self._opening, self._terms, self._gui = players, opening, terms, gui

    def play(self, number: int) -> Record:
        """Play game `number`; openings are those of pairs."""
        players = self.players if number % 2 == 0 else self.players[::-1]
        played = UsiGame(players, self._opening(number // 2), self._terms, self._gui(number)).play()
        record: Record = {"game": number, "score": first_score(played.winner, number), "reason": played.reason}
        record |= {"fault": played.fault, "plies": len(played.moves), "moves": " ".join(played.moves)}
        for name, side in (("first", number % 2), ("second", 1 - number % 2)):
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
        for player in self.players:
            player.engine.close()


def search_limits(limit: Limit) -> Limits:
    """Return the limits of a search in this process. Raises ValueError for one that needs a clock."""
    if limit.clocked or limit.movetime:
        raise ValueError("games in this process are limited by nodes or depth, not by time")
    return Limits(nodes=limit.nodes, depth=limit.depth)


class ArenaWorker:
    """Plays games between two settings of this build's parameters. Raises ValueError if one is wrong."""

    def __init__(
        self,
        game: Game,
        settings: tuple[Mapping[str, int | str], Mapping[str, int | str]],
        limits: tuple[Limits, Limits],
        openings: Openings,
        terms: Terms,
        hash_mb: int = 8,
    ) -> None:
        self._arena = Arena(game, hash_mb, terms)
        self._arena.configure(settings, limits)
        self._openings = openings

    def play(self, number: int) -> Record:
        """Play game `number`."""
        referee, first = self._arena.referee, number % 2
        played = self._arena.play(referee.parse(self._openings[number // 2]), first)
        record: Record = {"game": number, "score": first_score(played.ending.winner, number)}
        record |= {"reason": played.ending.reason, "plies": len(played.moves), "cpu": round(played.cpu, 3)}
        record["moves"] = referee.format(played.moves)
        for name, side in (("first", first), ("second", 1 - first)):
            used = played.used[side]
            record[name] = {"moves": used.searches, "ms": round(1000 * used.seconds, 1), "nodes": used.nodes}
        return record

    def close(self) -> None:
        """Nothing is open."""
