"""Textbook players against each other: round robins with fixed seeds, for `shogi-engine compare`.

tournament = compare("othello", [parse_player("random"), parse_player("alphabeta:4")], games=100)
print(tournament.pairs[0].wins)
"""

import itertools
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shogi_engine import games as all_games
from shogi_engine.interface.game import Game
from shogi_engine.search.context import MAX_GAME_PLY, new_context, set_root
from shogi_engine.textbook.arena import ALPHA_BETA, MINIMAX, NEGASCOUT, RANDOM, play_game
from shogi_engine.textbook.searches import ORDERED, PLAIN, PUBLISHED_BUGS

KINDS = {
    "random": (RANDOM, 0),
    "minimax": (MINIMAX, 0),
    "alphabeta": (ALPHA_BETA, 0),
    "negascout": (NEGASCOUT, 0),
    "pvs": (NEGASCOUT, ORDERED),
}
EVALUATIONS = {"plain": PLAIN, "engine": 0}
DEFAULT_DEPTH, MAX_DEPTH = 4, 20
LONGEST = min(512, MAX_GAME_PLY)  # moves of a game; longer games are drawn


@dataclass(frozen=True)
class TextbookPlayer:
    """A player: one of KINDS, its search depth in plies, and its evaluation, one of EVALUATIONS."""

    kind: str
    depth: int = 0
    evaluation: str = "plain"

    @property
    def name(self) -> str:
        """The player in the notation of the command line, e.g. 'alphabeta:4'."""
        if self.kind == "random":
            return self.kind
        return f"{self.kind}:{self.depth}" + ("" if self.evaluation == "plain" else f":{self.evaluation}")


@dataclass
class Pair:
    """The results of `first` against `second`.

    Attributes:
        seconds: the time that the games took
        visits: the nodes of each player, by ply
    """

    first: str
    second: str
    wins: int = 0
    draws: int = 0
    losses: int = 0
    seconds: float = 0.0
    visits: list[list[int]] = field(default_factory=list)

    @property
    def games(self) -> int:
        """The number of games between the two."""
        return self.wins + self.draws + self.losses

    @property
    def ms_per_1000_games(self) -> float:
        """Milliseconds for a thousand such games, the unit of published tables of other programs."""
        return 1e6 * self.seconds / max(self.games, 1)

    def values(self) -> dict[str, Any]:
        """Return the pair for JSON.

        Args:
            nodes_by_depth: of both players together, by plies below the root
        """
        both = [sum(nodes) for nodes in itertools.zip_longest(*self.visits, fillvalue=0)]
        return {
            "players": [self.first, self.second],
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "seconds": self.seconds,
            "ms_per_1000_games": self.ms_per_1000_games,
            "nodes_by_depth": both,
            "nodes_by_player": self.visits,
        }


@dataclass(frozen=True)
class Tournament:
    """A round robin: the players' names, and a Pair for every two of them."""

    game: str
    players: tuple[str, ...]
    pairs: tuple[Pair, ...]


def parse_player(text: str, depth: int = DEFAULT_DEPTH) -> TextbookPlayer:
    """Return the player 'KIND', 'KIND:DEPTH' or 'KIND:DEPTH:EVALUATION' ('KIND(DEPTH)' too); raises ValueError.

    Args:
        depth: the default depth
    """
    found = re.fullmatch(r"(\w+?)(?::(\d+)|\((\d+)\))?(?::([a-z]+))?", text.strip().lower(), re.ASCII)
    if not found or found[1] not in KINDS:
        raise ValueError(f"player {text!r}: expected one of {', '.join(KINDS)}, e.g. alphabeta:4")
    kind, evaluation = found[1], found[4] or "plain"
    digits = found[2] or found[3]
    if kind == "random":
        if digits or found[4]:
            raise ValueError(f"player {text!r}: random has no depth")
        return TextbookPlayer(kind)
    if evaluation not in EVALUATIONS:
        raise ValueError(f"player {text!r}: an evaluation must be {' or '.join(EVALUATIONS)}, not {evaluation!r}")
    plies = int(digits) if digits and len(digits) < 9 else depth if not digits else MAX_DEPTH + 1
    if not 1 <= plies <= MAX_DEPTH:
        raise ValueError(f"player {text!r}: a depth must be 1 to {MAX_DEPTH}")
    return TextbookPlayer(kind, plies, evaluation)


class Runner:
    """Plays games between two players in one context."""

    def __init__(self, game: Game, published_bugs: bool) -> None:
        self._game = game
        self._extra = PUBLISHED_BUGS if published_bugs else 0
        self._ctx = new_context(game)
        self._start = game.parse_position(game.start)

    def row(self, player: TextbookPlayer) -> list[int]:
        """Return the row of `play_game`'s players for one of them."""
        kind, flags = KINDS[player.kind]
        return [kind, player.depth, flags | EVALUATIONS[player.evaluation] | self._extra]

    def play(
        self, black: TextbookPlayer, white: TextbookPlayer, opening: int, states: np.ndarray, visits: np.ndarray
    ) -> int:
        """Play one game; return its value for black. `visits` : int64[2, n], in-out, black's and white's."""
        ctx = self._ctx
        set_root(ctx, self._start)
        players = np.array([self.row(black), self.row(white)], dtype=np.int64)
        return int(play_game(ctx, players, opening, states, LONGEST, visits))

    def play_pair(
        self,
        first: TextbookPlayer,
        second: TextbookPlayer,
        count: int,
        opening: int,
        seed: Sequence[int],
        on_game: Callable[[], None],
    ) -> Pair:
        """Play `count` games with alternating colours; both games of a pair begin with the same random moves."""
        pair = Pair(first.name, second.name)
        visits = np.zeros((2, len(self._ctx.pv_end)), dtype=np.int64)  # first's and second's
        for number in range(count):
            words = [[*seed, 0, number // 2], [*seed, 1, number]]
            states = np.array([np.random.SeedSequence(each).generate_state(1, np.uint64) for each in words])
            states |= np.uint64(1)  # the generator would return only 0 from 0
            order = (first, second) if number % 2 == 0 else (second, first)
            nodes = np.zeros_like(visits)  # black's and white's
            began = time.perf_counter()
            value = self.play(*order, opening, states, nodes)
            pair.seconds += time.perf_counter() - began
            if number % 2:
                value, nodes = -value, nodes[::-1]
            visits += nodes
            pair.wins += value > 0
            pair.draws += value == 0
            pair.losses += value < 0
            on_game()
        pair.visits = [np.trim_zeros(row, "b").tolist() for row in visits]
        return pair


def compare(
    name: str,
    players: Sequence[TextbookPlayer],
    *,
    games: int,
    seed: int = 1,
    opening: int = 0,
    published_bugs: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Tournament:
    """Play `games` games of the game `name` between every two of `players`, with alternating colours.

    The seconds in the result do not include compiling. Raises ValueError.

    Args:
        seed: the same seed gives the same games
        opening: the number of random moves at the beginning of each game
        published_bugs: search with the bugs of published programs, see `textbook.searches.published_value`; Othello
            only
        progress: called as `progress(done, all)` after each game
    """
    if len(players) < 2:
        raise ValueError("a round robin needs at least two players")
    if published_bugs and name != "othello":
        raise ValueError("the published bugs exist in Othello only")
    runner = Runner(all_games.load(name), published_bugs)
    runner.play_pair(
        TextbookPlayer("alphabeta", 1), TextbookPlayer("random"), 1, LONGEST, (0,), lambda: None
    )  # compiles
    pairs = list(itertools.combinations(range(len(players)), 2))
    done = 0

    def on_game() -> None:
        nonlocal done
        done += 1
        if progress:
            progress(done, games * len(pairs))

    played = [
        runner.play_pair(players[one], players[two], games, opening, (seed, one, two), on_game) for one, two in pairs
    ]
    return Tournament(name, tuple(player.name for player in players), tuple(played))
