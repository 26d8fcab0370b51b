"""Thinker: lets a player think in a thread of its own, so that the session can listen to the server meanwhile."""

import contextlib
import threading
from collections.abc import Callable

from shogi_engine.clients.base.errors import EngineError
from shogi_engine.common.search_handle import SearchHandle
from shogi_engine.common.threads import start_thread
from shogi_engine.play.answer import Answer
from shogi_engine.play.game import Game
from shogi_engine.play.players import Player

CLOSE_TIMEOUT = 5.0  # seconds for a player to end its search

Deliver = Callable[[Answer | Exception], None]


class Thinker:
    """Calls a player, at most once at a time; any thread may call it, but not two at once."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self._working = threading.Lock()  # held while the player is called
        self._search = SearchHandle()  # of the last requested move
        self._thread: threading.Thread | None = None

    def begin(self, game: Game, side: int) -> None:
        """Prepare for a game. Raises EngineError, ValueError, OSError."""
        self._search.stop()
        with self._working:
            self.player.new_game(game, side, "")

    def restart(self) -> None:
        """Start the player again after a fault. Raises EngineError, ValueError, OSError."""
        self._search.stop()
        with self._working:
            self.player.close()
            self.player.ready()

    def think(self, game: Game, deliver: Deliver) -> None:
        """Let it think about the next move. The answer, or the failure, is delivered once, from its thread."""
        self._search.stop()
        self._search = search = SearchHandle()
        self._thread = start_thread(self._do, "player", game, search, deliver)

    def _do(self, game: Game, search: SearchHandle, deliver: Deliver) -> None:
        with self._working:
            answer: Answer | Exception
            if search.stopped:
                return
            try:
                answer = self.player.think(game, search)
            except Exception as failure:  # after any failure the game continues: the player tries again, or resigns
                answer = failure
        if not search.stopped:
            deliver(answer)

    def ponder(self, game: Game, move: str) -> None:
        """Let it begin to think on the opponent's time; if that fails, the next move does."""
        with self._working, contextlib.suppress(EngineError):
            self.player.ponder(game, move)

    def halt(self) -> None:
        """Drop the requested move, without waiting, and end thinking on the opponent's time."""
        self._search.stop()
        self._thread = start_thread(self._rest, "player")

    def _rest(self) -> None:
        with self._working, contextlib.suppress(EngineError):
            self.player.stop_pondering()

    def over(self, result: str) -> None:
        """Tell it how the game ended: 'win', 'lose' or 'draw'."""
        self._search.stop()
        with self._working:
            try:
                self.player.game_over(result)
            except EngineError:  # the next game starts it again
                self.player.close()

    def close(self) -> None:
        """End the player."""
        self.halt()
        assert self._thread is not None
        self._thread.join(CLOSE_TIMEOUT)
        self.player.close()
