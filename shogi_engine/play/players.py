"""Players: who chooses the moves of a game. They are engines in this process, and other programs.

Kernels run without the GIL: use one EnginePlayer per thread.
"""

import random
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, Generic, TypeVar

from shogi_engine import games
from shogi_engine.clients.base import EngineError, PlainClient
from shogi_engine.clients.usi import SimpleEngine, position_command
from shogi_engine.common.text import sanitize
from shogi_engine.common.threads import Search
from shogi_engine.engine import Engine, parameters
from shogi_engine.engine.engine import Analysis
from shogi_engine.games.shogi.names import entering_king_rule
from shogi_engine.play.game import PASS, Game, Refusal, number
from shogi_engine.play.words import choose, level_limit
from shogi_engine.search.parameters import params_for
from shogi_engine.search.timeman import TimeOptions, fixed
from shogi_engine.types.limits import Clock, Limit, TimeBudget, check_limit
from shogi_engine.types.outcomes import Termination
from shogi_engine.types.results import PlayResult

LEVEL, SEARCH_FLAGS = "level", "search_flags"  # settings besides the game's parameters
NOT_PARAMETERS = (LEVEL, parameters.EVALUATION, parameters.WEIGHTS)

Settings = Mapping[str, int | str]


class Player:
    """Who plays a side of a game. The faults of a program raise EngineError.

    Attributes:
        limit: the limits of each of its moves, besides the game's clock
    """

    limit = Limit()

    def ready(self) -> None:
        """Start, and wait until it is ready to play. Raises EngineError, or ValueError for wrong settings."""

    def new_game(self, game: Game, side: int, seed: str) -> None:
        """Prepare for a game that has just begun, perhaps with an opening.

        Args:
            seed: random choices depend only on this and on the side
        """

    def think(self, game: Game, search: Search[Any] | None = None) -> PlayResult[Any]:
        """Return the move for the side to move; the player may have pondered on the position.

        Args:
            search: by which other threads may stop it; it then answers soon
        """
        raise NotImplementedError

    def ponders_on(self, game: Game) -> bool | None:
        """Tell whether the player ponders on this position; None if it does not ponder at all."""
        return None

    def ponder(self, game: Game, move: Any) -> None:
        """Begin to think, on the opponent's time, about the reply to the legal `move`, if the player ponders."""

    def stop_pondering(self) -> None:
        """End its thinking on the opponent's time."""

    def game_over(self, result: str) -> None:
        """Receive the result, 'win', 'lose' or 'draw'."""

    def close(self) -> None:
        """Free resources, such as a process; the next game starts it again."""


def configure(engine: Engine, settings: Settings) -> None:
    """Use the evaluation's default parameters except for `settings`.

    Settings are parameters, the evaluation, its weights, and SEARCH_FLAGS (bits of search/context.py). Raises
    ValueError for an unknown setting or an invalid file.
    """
    searcher = engine.searcher
    weights = Path(str(settings[parameters.WEIGHTS])) if parameters.WEIGHTS in settings else None
    engine.set_evaluation(str(settings.get(parameters.EVALUATION, "")), weights)
    searcher.params = params_for(engine.game, searcher.evaluator.evaluation)
    searcher.evaluator = searcher.evaluator.evaluation.load(weights)  # with its original parameters
    for name, value in settings.items():
        if name == SEARCH_FLAGS:
            searcher.search_flags = int(value)
        elif name not in NOT_PARAMETERS:
            parameters.assign(searcher, name, value)


class EnginePlayer(Player):
    """Plays by an Engine in this process. It begins each game with an empty table.

    If the limits are nodes, depth or a level, a game depends only on its opening, the settings and the limits.

    Args:
        limit: besides the clock; a level is limited further by nodes and depth
        settings: see `configure`; also LEVEL, which sets its own nodes and depth unless it is full strength
        ponders: whether to ponder
        book: whether to play from the opening book
        solver: whether to look for forced wins in another thread
        resign: resign at minus this many centipawns, or hundredths of a disc, or less; 0 for never
    """

    def __init__(
        self,
        game: str,
        limit: Limit | None = None,
        settings: Iterable[tuple[str, int | str]] = (),
        *,
        hash_mb: int = 8,
        threads: int = 1,
        ponders: bool = False,
        book: bool = False,
        solver: bool = False,
        resign: int = 0,
    ) -> None:
        games.check(game)
        check_limit(limit := limit or Limit())
        self.limit, self.settings = limit, dict(settings)
        self._game, self._hash_mb, self._threads = game, hash_mb, threads
        self._ponders, self._book, self._solver, self._resign = ponders, book, solver, resign
        self._engine: Engine | None = None
        self._pondered: tuple[list[Any], Analysis[Any]] | None = None  # the moves expected, and their search

    def ready(self) -> None:
        """Compile the search or load it from the cache. Raises ValueError for wrong settings."""
        if self._engine is None:
            engine = Engine(self._game, hash_mb=self._hash_mb, threads=self._threads)
            self._configure(engine)
            engine.warmup()
            if self._solver:
                engine.load_solver()
            if self._book:
                engine.book.open()
            self._engine = engine

    def _configure(self, engine: Engine) -> None:
        configure(engine, self.settings)
        level = self.settings.get(LEVEL, self.limit.level)
        if level is not None:
            engine.check_level(int(level))

    def configure(self, settings: Settings) -> None:
        """Play with other settings. Raises ValueError."""
        self.settings = dict(settings)
        if self._engine is not None:
            self._configure(self._engine)

    @property
    def engine(self) -> Engine:
        """The engine, ready to play."""
        self.ready()
        assert self._engine is not None
        return self._engine

    def new_game(self, game: Game, side: int, seed: str) -> None:
        """Clear the table; if the game states its rule for declaring a win, play by it."""
        self.stop_pondering()
        engine = self.engine
        engine.new_game()
        engine.rng = random.Random(f"{side} {seed}")
        if game.rule is not None:
            engine.configure(entering_king_rule=entering_king_rule(game.rule), max_moves=game.terms.max_plies)

    # ---- moves

    def think(self, game: Game, search: Search[Any] | None = None) -> PlayResult[Any]:
        """Search, or claim a win, play from the book or resign."""
        engine, search = self.engine, search or Search[Any]()
        began = time.perf_counter()
        if self.ponders_on(game):
            answer = self._hit(game, search)
        else:
            self.stop_pondering()

            def found() -> PlayResult[Any]:
                return engine.play(game.board, self._limit(game), search=search)

            answer = choose(engine, game.board, found, self.limit.level, book=self._book)
        score, seconds = answer.info.score, time.perf_counter() - began
        lost = score is not None and not answer.from_book and number(score) <= -self._resign
        resigns = (answer.move is None and not answer.declares) or (self._resign > 0 and lost)
        return replace(answer, resigned=resigns, time=seconds)

    def _hit(self, game: Game, search: Search[Any]) -> PlayResult[Any]:
        """Return the answer of the search that began on the opponent's time; its clock begins now."""
        assert self._pondered is not None
        running, self._pondered = self._pondered[1], None
        running.ponderhit(self._budget(game))
        try:
            if not search.follow(running):
                running.stop()
            return running.wait()
        finally:
            search.follow(None)

    def _limit(self, game: Game) -> Limit:
        """Return the limits of a search that begins now."""
        return replace(self._own_limit(), budget=self._budget(game))

    def _own_limit(self) -> Limit:
        """Return the limits besides time."""
        level = level_limit(self.engine, int(self.settings[LEVEL])) if LEVEL in self.settings else Limit()
        own = Limit(nodes=self.limit.nodes, depth=self.limit.depth, level=self.limit.level)
        return own if level.level is None else level

    def _budget(self, game: Game) -> TimeBudget | None:
        engine = self.engine

        def share(clock: Clock, options: TimeOptions) -> TimeBudget:
            options = replace(options, ponder=self._ponders)
            budget = engine.clock_budget(clock, game.board, options, game.terms.max_plies)
            return budget.for_only_move() if len(game.board.legal_moves) == 1 else budget

        budget = game.clock.budget(game.turn, share)
        if self.limit.time is not None:
            exact = fixed(1000 * self.limit.time, TimeOptions())
            budget = budget.at_most(exact.hard_ms) if budget else exact
        return budget

    # ---- on the opponent's time

    def ponders_on(self, game: Game) -> bool | None:
        """Tell whether the engine ponders on this position."""
        return None if self._pondered is None else self._pondered[0] == game.board.move_stack

    def ponder(self, game: Game, move: Any) -> None:
        """Begin to search without a limit of time, unless the answer needs no search."""
        if not self._ponders:
            return
        engine, board = self.engine, game.board.copy()
        board.push(move)
        if board.legal_moves and not engine.may_declare(board):
            self._pondered = board.move_stack, engine.analysis(board, self._own_limit())

    def stop_pondering(self) -> None:
        """End a search on the opponent's time."""
        if self._pondered is not None:
            with self._pondered[1]:
                self._pondered = None

    def game_over(self, result: str) -> None:
        """Stop pondering."""
        self.stop_pondering()

    def close(self) -> None:
        """Free the engine."""
        self.stop_pondering()
        if self._engine is not None:
            self._engine.close()
            self._engine = None


# ---- The loop of a game between two players, as in matches. A player that commits a fault loses


# How a game ends by a fault, one of clients.base.FAULTS; by any other the winner did not have to play.
FAULT_TERMINATIONS = {
    "time": Termination.TIME_FORFEIT,
    "illegal move": Termination.ILLEGAL_MOVE,
    "false declaration": Termination.ILLEGAL_MOVE,
}


@dataclass
class Usage:
    """The resources that one side used in a game; times are in ms."""

    moves: int = 0
    milliseconds: float = 0.0
    longest: float = 0.0
    late: int = 0  # moves over the limit, but within the margin
    latest: float = 0.0  # the largest excess over the limit
    nodes: int = 0
    depths: int = 0
    ponder_hits: int = 0  # pondered moves that were played
    ponder_misses: int = 0
    visits: list[int] = field(default_factory=list)

    def add(self, answer: PlayResult[Any], allowed: float | None) -> None:
        """Count a move that may have taken `allowed` seconds."""
        used = 1000 * answer.time
        self.moves += 1
        self.milliseconds += used
        self.longest = max(self.longest, used)
        self.nodes += answer.info.nodes or 0
        self.depths += answer.info.depth or 0
        if answer.visits:
            self.visits = [one + other for one, other in zip_longest(self.visits, answer.visits, fillvalue=0)]
        if allowed is not None and answer.time > allowed:
            self.late += 1
            self.latest = max(self.latest, used - 1000 * allowed)


@dataclass
class Played:
    """A finished game.

    Attributes:
        reason: why it ended, in words
        fault: the loser's fault, one of clients.base.FAULTS, '' if none
    """

    game: Game
    reason: str
    fault: str
    usage: tuple[Usage, Usage]

    @property
    def winner(self) -> int | None:
        """0 (black), 1 (white), or None for a draw."""
        return self.game.outcome.winner if self.game.outcome else None


def play(game: Game, players: tuple[Player, Player], seed: str | None = None) -> Played:
    """Play a game that has just begun to its end; `players` are black and white.

    A fault ends the game and closes the player that committed it.

    Args:
        seed: what random choices depend on, None for the opening
    """
    return _Loop(game, players).play(" ".join(game.moves) if seed is None else seed)


class _Loop:
    def __init__(self, game: Game, players: tuple[Player, Player]) -> None:
        self.game, self.players = game, players
        self.usage = Usage(), Usage()
        self.side = 0  # whose player is called, and is to blame for an EngineError

    def play(self, seed: str) -> Played:
        game, fault = self.game, ""
        try:
            for self.side in range(2):
                self.players[self.side].new_game(game, self.side, seed)
            while not game.over:
                self._turn()
            assert game.outcome is not None
            winner, reason = game.outcome.winner, _reason(game)
            for self.side in range(2):
                result = "draw" if winner is None else "win" if winner == self.side else "lose"
                self.players[self.side].game_over(result)
        except EngineError as failure:
            reason, fault = str(failure), failure.kind
            self._lose(fault)
        return Played(game, reason, fault, self.usage)

    def _lose(self, fault: str) -> None:
        """End the game by a fault of a player, even one that is found after its end."""
        loser, winner = self.players[self.side], self.players[1 - self.side]
        self.game.forfeit(self.side, FAULT_TERMINATIONS.get(fault, Termination.DEFAULT))
        loser.close()
        try:
            winner.game_over("win")
        except EngineError:
            winner.close()

    def _turn(self) -> None:
        """Let the side to move move, or end the game. Raises EngineError."""
        game, self.side = self.game, self.game.turn
        if game.must_pass():
            game.move(PASS)
            return
        player, usage = self.players[self.side], self.usage[self.side]
        limit = player.limit.time
        allowed = game.allowed(limit)
        hit = player.ponders_on(game)
        usage.ponder_hits += hit is True
        usage.ponder_misses += hit is False
        answer = player.think(game)
        usage.add(answer, allowed)
        if game.flag_fell(answer.time, limit):
            raise EngineError("time", f"{1000 * answer.time:.0f} ms of {1000 * (allowed or 0):.0f}")
        if answer.resigned:
            game.resign()
        elif answer.declares:
            try:
                game.declare()
            except Refusal:
                raise EngineError("false declaration") from None
        else:
            self._move(answer)
            if answer.ponder and not game.over:
                try:
                    player.ponder(game, _parsed(game, answer.ponder))
                except ValueError:
                    raise EngineError("illegal ponder move", sanitize(str(answer.ponder))) from None

    def _move(self, answer: PlayResult[Any]) -> None:
        """Make a move. Raises EngineError if it is illegal."""
        game = self.game
        try:
            move = _parsed(game, answer.move)
            game.move(move, seconds=answer.time, evaluation=answer.info.score, depth=answer.info.depth or None)
        except ValueError as fault:
            again = game.moves[-2:-1] == [str(answer.move)]  # the previous move sent a second time, and only read now
            raise EngineError("second answer" if again else "illegal move", sanitize(str(fault))) from None


def _parsed(game: Game, move: Any) -> Any:
    """Return a player's move, that of a text if it is legal. Raises ValueError."""
    return game.board.parse_own(move or "") if move is None or isinstance(move, str) else move


def _reason(game: Game) -> str:
    """Return why a game has ended; of games with points, how many."""
    found = game.board.outcome()
    if found is not None and found.black is not None:
        return f"{found.black}-{found.white} discs"
    return str(game.outcome.termination) if game.outcome else ""


# ---- Programs as players: engines that speak USI, GTP or NBoard


Client = TypeVar("Client", bound=PlainClient[Any])


class ProgramPlayer(Player, Generic[Client]):
    """A program in a process of its own, over any protocol."""

    def __init__(self, engine: Client, limit: Limit | None = None) -> None:
        self.engine, self.limit = engine, limit or Limit()

    def ready(self) -> None:
        """Start it."""
        self.engine.start()

    def new_game(self, game: Game, side: int, seed: str) -> None:
        """Prepare for a game."""
        self.engine.new_game()

    def think(self, game: Game, search: Search[Any] | None = None) -> PlayResult[Any]:
        """Return the move. Other threads cannot stop it: the protocol has no command for that."""
        return self.engine.play(game.board, game.clock.limited(self.limit, game.turn))

    def close(self) -> None:
        """End the process."""
        self.engine.close()


class UsiPlayer(ProgramPlayer[SimpleEngine]):
    """A USI engine as a player; `ponders` lets it think on the opponent's time."""

    def __init__(self, engine: SimpleEngine, limit: Limit | None = None, *, ponders: bool = False) -> None:
        super().__init__(engine, limit)
        self._ponders = ponders

    def ready(self) -> None:
        """Start it, and wait until it is ready to play."""
        self.engine.ready()

    def new_game(self, game: Game, side: int, seed: str) -> None:
        """Prepare for a game; if it states its rule for declaring a win, tell the engine."""
        if game.rule is not None:
            self.engine.offer((("MaxMovesToDraw", game.terms.max_plies), ("EnteringKingRule", game.rule)))
        super().new_game(game, side, seed)

    def think(self, game: Game, search: Search[Any] | None = None) -> PlayResult[Any]:
        """Return the move, by a ponderhit if the engine ponders on the position."""
        running = self.engine.begin(position_command(game.board), game.clock.limited(self.limit, game.turn))
        search = search or Search[Any]()
        try:
            if not search.follow(running):
                running.stop()
            return running.wait()
        finally:
            search.follow(None)

    def ponders_on(self, game: Game) -> bool | None:
        """Tell whether the engine ponders on this position."""
        return self.engine.pondering == position_command(game.board) if self.engine.pondering else None

    def ponder(self, game: Game, move: Any) -> None:
        """Begin to ponder if the player ponders."""
        if self._ponders:
            board = game.board.copy()
            board.push(move)
            self.engine.ponder(position_command(board), game.clock.limited(self.limit, 1 - game.turn))

    def stop_pondering(self) -> None:
        """End a search on the opponent's time."""
        self.engine.stop_pondering()

    def game_over(self, result: str) -> None:
        """Receive the result."""
        self.engine.game_over(result)
