"""Games within this process, for any game of the package: players and a referee, without a protocol.

Kernels run without the GIL: use one arena per thread.
"""

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from shogi_engine.engine import Engine, parameters
from shogi_engine.interface.game import NOT_OVER, TERMINATIONS, Game, do_move, game_result
from shogi_engine.jit import new_record
from shogi_engine.match.terms import Adjudicator, Terms
from shogi_engine.search.context import MAX_GAME_PLY, new_context, set_root, write_root_moves
from shogi_engine.search.limits import Limits
from shogi_engine.search.parameters import params_for
from shogi_engine.search.root import Searcher
from shogi_engine.types.termination import Termination

SEARCH_FLAGS = "search_flags"  # the setting of that name is Searcher.search_flags: bits of search/context.py
RESIGN = (3000, 2)  # the default of Terms.resign for games within one process


@dataclass(frozen=True)
class GameEnd:
    """How a game ends.

    Attributes:
        winner: 0 (the side that began), 1, None for a draw
        value: the result for the side that began, in the game's unit
    """

    winner: int | None
    reason: Termination
    value: int = 0


class Referee:
    """Applies the rules of a game, in one thread; lists of encoded moves begin at the game's start."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._ctx = new_context(game)
        self._undo = new_record(game.undo)
        self._start = game.parse_position(game.start)

    def parse(self, opening: str) -> list[int]:
        """Return the moves of 'startpos moves ...' or of a list of moves. Raises ValueError."""
        texts = opening.removeprefix("startpos").split()
        texts = texts[1:] if texts[:1] == ["moves"] else texts
        position = self.game.parse_position(self.game.start)
        moves = []
        for text in texts:
            moves.append(self.game.parse_move(position, text))
            do_move(position, np.uint32(moves[-1]), self._undo)
        return moves

    def format(self, moves: Sequence[int]) -> str:
        """Return moves as text."""
        position = self.game.parse_position(self.game.start)
        texts = []
        for move in moves:
            texts.append(self.game.format_move(position, int(move)))
            do_move(position, np.uint32(move), self._undo)
        return " ".join(texts)

    def legal_moves(self, moves: Sequence[int]) -> list[int]:
        """Return the legal moves after `moves`, at most MAX_GAME_PLY."""
        set_root(self._ctx, self._start, moves)
        count = int(write_root_moves(self._ctx))
        found: list[int] = np.asarray(self._ctx)["root_moves"][:count].tolist()
        return found

    def ending(self, moves: Sequence[int]) -> GameEnd | None:
        """Return how the rules end the game after `moves`, None if it continues."""
        termination, value = map(int, game_result(self._ctx, len(self.legal_moves(moves))))
        if termination == NOT_OVER:
            return None
        value = -value if len(moves) % 2 else value
        return GameEnd(None if value == 0 else int(value < 0), TERMINATIONS[termination], value)

    def random_opening(self, rng: random.Random, plies: int) -> list[int]:
        """Return `plies` random moves that do not end the game."""
        while True:
            moves: list[int] = []
            while len(moves) < plies and self.ending(moves) is None:
                moves.append(rng.choice(self.legal_moves(moves)))
            if self.ending(moves) is None:
                return moves


class InProcessPlayer(Protocol):
    """Chooses moves."""

    def new_game(self) -> None:
        """Forget the previous game."""

    def choose(self, moves: Sequence[int]) -> tuple[int, int | None]:
        """Return the move to make after `moves`, and its score for the mover (None if unknown)."""


def play_game(
    referee: Referee, players: Sequence[InProcessPlayer], opening: Sequence[int], terms: Terms
) -> tuple[GameEnd, list[int]]:
    """Play one game from `opening`, starting with players[0]; return its end and all moves."""
    moves = list(opening)
    adjudicator = Adjudicator(terms)
    for player in players:
        player.new_game()
    while True:
        ending = referee.ending(moves)
        if ending is not None:
            return ending, moves
        if len(moves) >= terms.max_plies:
            return GameEnd(None, Termination.MAX_MOVES), moves
        side = len(moves) % 2
        move, score = players[side].choose(moves)
        moves.append(move)
        adjudicator.add(side, score)
        winner = adjudicator.winner()
        if winner is not None:
            return GameEnd(winner, Termination.ADJUDICATION), moves
        if adjudicator.drawn(len(moves)):
            return GameEnd(None, Termination.ADJUDICATION), moves


class EnginePlayer:
    """An Engine as a player; subclasses choose the moves."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def new_game(self) -> None:
        """Forget the previous game."""
        self.engine.new_game()
        self.engine.set_position()

    def follow(self, moves: Sequence[int]) -> None:
        """Bring the engine to the position after `moves`, which continue from its current one."""
        for move in moves[len(self.engine.moves) :]:
            self.engine.push(self.engine.game.format_move(self.engine.position, move))


@dataclass
class Used:
    """The resources a player used in a game."""

    searches: int = 0
    nodes: int = 0
    seconds: float = 0.0


class SearchPlayer:
    """A search with its own table and settings of the game's parameters, limited by nodes or depth."""

    def __init__(self, game: Game, hash_mb: int) -> None:
        self.searcher = Searcher(game, hash_mb=hash_mb)
        self.limits = Limits()
        self.used = Used()
        self._start = game.parse_position(game.start)

    def configure(self, settings: Mapping[str, int | str]) -> None:
        """Use the evaluation's default parameters except for `settings`; raises ValueError for an unknown one."""
        searcher = self.searcher
        searcher.set_evaluation(str(settings.get(parameters.EVALUATION, "")))
        searcher.params = params_for(searcher.game, searcher.evaluator.evaluation)
        searcher.evaluator = searcher.evaluator.evaluation.load()  # with its original parameters
        for name, setting in settings.items():
            if name == SEARCH_FLAGS:
                searcher.search_flags = int(setting)
            else:
                parameters.assign(searcher, name, setting)

    def new_game(self) -> None:
        """Forget the previous game."""
        self.searcher.new_game()
        self.used = Used()

    def choose(self, moves: Sequence[int]) -> tuple[int, int | None]:
        """Search the position after `moves`."""
        found = self.searcher.search(self._start, moves, self.limits)
        self.used.searches += 1
        self.used.nodes += found.nodes
        self.used.seconds += found.seconds
        return found.bestmove, found.score


@dataclass(frozen=True)
class PlayedGame:
    """A finished game.

    Attributes:
        moves: the encoded moves, including the opening
        used: the resources used, by side
        cpu: the CPU seconds of this thread
    """

    ending: GameEnd
    moves: list[int]
    used: tuple[Used, Used]
    cpu: float


class Arena:
    """Two settings of this build's parameters, and a referee.

    Both begin each game with empty tables, so a game depends only on its opening, the settings and the limits.
    """

    def __init__(self, game: Game, hash_mb: int = 8, terms: Terms | None = None) -> None:
        self.terms = terms or Terms(resign=RESIGN)
        if self.terms.max_plies > MAX_GAME_PLY:
            raise ValueError(f"a game here has at most {MAX_GAME_PLY} plies, not {self.terms.max_plies}")
        self.referee = Referee(game)
        self.players = SearchPlayer(game, hash_mb), SearchPlayer(game, hash_mb)

    def configure(self, settings: Sequence[Mapping[str, int | str]], limits: Sequence[Limits]) -> None:
        """Set both players' parameters and limits. Raises ValueError."""
        for player, values, limit in zip(self.players, settings, limits, strict=True):
            player.configure(values)
            player.limits = limit

    def play(self, opening: Sequence[int], first: int) -> PlayedGame:
        """Play one game from `opening`; players[first] begins."""
        began = time.thread_time()
        order = self.players[first], self.players[1 - first]
        ending, moves = play_game(self.referee, order, opening, self.terms)
        return PlayedGame(ending, moves, (order[0].used, order[1].used), time.thread_time() - began)
