"""Programs as players: engines that speak USI, GTP or NBoard."""

from typing import Any, Generic, TypeVar

from shogi_engine.clients.base import PlainClient
from shogi_engine.clients.usi import SimpleEngine, position_command
from shogi_engine.common.search_handle import SearchHandle
from shogi_engine.play.answer import DECLARE, RESIGN, Answer
from shogi_engine.play.game import Game
from shogi_engine.play.players import Player
from shogi_engine.types.info import PlayResult
from shogi_engine.types.limit import Limit

Client = TypeVar("Client", bound=PlainClient[Any])


def answer_of(result: PlayResult[Any]) -> Answer:
    """Return the answer of a program; its time is that from the command to the move."""
    move = RESIGN if result.resigned else DECLARE if result.declares else str(result.move or "")
    info, pv = result.info, tuple(map(str, result.info.pv))
    return Answer(
        move, result.time, str(result.ponder or ""), info.score, info.depth or 0, info.nodes or 0,
        pv if pv[:1] == (move,) else (move,), reported=info.time,
    )  # fmt: skip


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

    def think(self, game: Game, search: SearchHandle | None = None) -> Answer:
        """Return the move. Other threads cannot stop it: the protocol has no command for that."""
        return answer_of(self.engine.play(game.board, game.clock.limited(self.limit, game.turn)))

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

    def think(self, game: Game, search: SearchHandle | None = None) -> Answer:
        """Return the move, by a ponderhit if the engine ponders on the position."""
        running = self.engine.begin(position_command(game.board), game.clock.limited(self.limit, game.turn))
        search = search or SearchHandle()
        try:
            if not search.follow(running):
                running.stop()
            return answer_of(running.wait())
        finally:
            search.follow(None)

    def ponders_on(self, game: Game) -> bool | None:
        """Tell whether the engine ponders on this position."""
        return self.engine.pondering == position_command(game.board) if self.engine.pondering else None

    def ponder(self, game: Game, move: str) -> None:
        """Begin to ponder if the player ponders."""
        if self._ponders:
            board = game.board.copy()
            board.push_usi(move)
            self.engine.ponder(position_command(board), game.clock.limited(self.limit, 1 - game.turn))

    def stop_pondering(self) -> None:
        """End a search on the opponent's time."""
        self.engine.stop_pondering()

    def game_over(self, result: str) -> None:
        """Receive the result."""
        self.engine.game_over(result)
