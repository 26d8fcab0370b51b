"""A game in the browser: players, clocks, the engine's moves, and the ending.

It is the event-driven counterpart of the terminal's game; levels, clocks and endings are shared (`shogi_engine.play`).
"""

import time
from typing import Any

from shogi_engine.analysis.judgement import PASS
from shogi_engine.interface.extras.levels import opens_from_book
from shogi_engine.play.clock import GameClock
from shogi_engine.play.strength import STRONGEST, level_limits, timed_limits
from shogi_engine.types.clock import Clock
from shogi_engine.types.termination import BY_RULE, Outcome, Termination
from shogi_engine.web.pool import Job
from shogi_engine.web.shared import Shared

MAX_MOVES = 1000
PASS_SECONDS = 1.2  # to show that the only move is a pass


def check_levels(game: str, players: list[int | None]) -> None:
    """Raise ValueError for an unknown level."""
    if any(level is not None and level > STRONGEST[game] for level in players):
        raise ValueError(f"the level must be 0 to {STRONGEST[game]}")


class Playing:
    """The game of a session.

    Attributes:
        players: by side, a level or None for a human
        on: whether it is being played
        live: the number of its last move
        outcome: how it ended, None until then
        asked: the engine is thinking about a requested move
    """

    def __init__(self, session: Shared) -> None:
        self._session = session
        self.players: list[int | None] = [None, None]
        self.clock = GameClock()
        self.on = False
        self.live = 0
        self.outcome: Outcome | None = None
        self._job: Job | None = None
        self._pass_due = 0.0  # when a human's forced pass is made, 0 for none

    @property
    def passing(self) -> bool:
        """Whether a human can only pass; the pass is then made automatically."""
        return self._pass_due > 0

    @property
    def thinking(self) -> bool:
        """Whether the engine is thinking about its move."""
        return self._job is not None

    # ---- beginning and ending

    def begin(self, players: list[int | None], setting: Clock | None) -> None:
        """Begin a game at the session's position."""
        self.leave()
        self.players, self.clock = list(players), GameClock(setting)
        self.live, self.on = self._session.tree.node, True
        names = ["" if level is None else f"shogi_engine level {level}" for level in players]
        self._session.tree.record.names = names
        if not self._end_by_rule():
            self.go_on()

    def leave(self) -> None:
        """Stop playing; the game is unchanged."""
        self._cancel()
        self.clock.stop()
        self.on, self.outcome = False, None

    def rest(self) -> None:
        """Stop the engine and the clock until `wake`."""
        self._cancel()
        self.clock.pause()

    def resume(
        self,
        players: list[int | None],
        setting: Clock | None,
        times: list[float] | None,
        live: int,
        outcome: Outcome | None,
        *,
        on: bool,
    ) -> None:
        """Continue a saved game, paused until `wake`.

        Args:
            times: as from `GameClock.times`
        """
        self.players, self.clock, self.live = list(players), GameClock(setting), live
        self.on, self.outcome = on, outcome
        if times:
            self.clock.restore(times)

    def wake(self) -> None:
        """Let the engine continue thinking if it is its turn."""
        if self.on and self._job is None:
            self.go_on()

    def set_level(self, side: int, level: int) -> None:
        """Change the engine's level. Raises ValueError if a human plays that side or the level is unknown."""
        if self.players[side] is None:
            raise ValueError("a human plays this side")
        check_levels(self._session.tree.game, [level])
        self.players[side] = level

    def end(self, outcome: Outcome) -> None:
        """End the game."""
        self._cancel()
        self.clock.stop()
        self.on, self.outcome = False, outcome
        self._session.tree[self.live].end(None if outcome.termination in BY_RULE else outcome)

    def _end_by_rule(self) -> bool:
        """End the game if it is over by the rules; tell whether it is."""
        tree = self._session.tree
        board = tree.board if tree.node == self.live else self._session.board_at(self.live)
        found = board.outcome()
        if found is not None:
            self.end(Outcome(found.winner, found.termination))
            tree.record.score = getattr(found, "score", tree.record.score)
        elif len(board.move_stack) >= MAX_MOVES:
            self.end(Outcome(None, Termination.MAX_MOVES))
        return not self.on

    def resign(self) -> None:
        """Resign for the side to move, or for the human while the engine is thinking."""
        self._must_be_on()
        side = self.turn()
        if self.players[side] is not None and None in self.players:
            side = 1 - side
        self.end(Outcome(1 - side, Termination.RESIGNATION))

    def declare(self) -> None:
        """Claim a win by the entering-king rule. Raises ValueError if its conditions are not met."""
        self._must_be_on()
        board = self._session.board_at(self.live)
        if not getattr(board, "can_declare_win", lambda: False)():
            raise ValueError("the conditions for declaring a win are not met")
        self.end(Outcome(int(board.turn), Termination.DECLARATION))

    def _must_be_on(self) -> None:
        if not self.on:
            raise ValueError("no game is being played")

    # ---- moves

    def turn(self) -> int:
        """Return the side to move in the game."""
        tree = self._session.tree
        return (tree.start_turn + len(tree.path(self.live)) - 1) % 2

    def may_move(self, side: int) -> bool:
        """Tell whether a human may move for a side now."""
        return not self.on or self.players[side] is None

    def moved(self, number: int) -> None:
        """Record a human's move. It may be from an earlier position; the game then continues from there."""
        if not self.on:
            return
        self._cancel()
        tree = self._session.tree
        tree[tree.parent(number)].end(None)
        tree.prefer(number)
        self._stopped_clock(number)
        self.live = number
        if not self._end_by_rule():
            self.go_on()

    def _stopped_clock(self, number: int) -> None:
        used = self.clock.stop()
        self._session.tree[number].seconds = None if used is None else round(used, 1)

    def go_on(self) -> None:
        """Start the clock of the side to move, and the engine if it is its turn."""
        side = self.turn()
        self.clock.start(side)
        level = self.players[side]
        if level is not None:
            self._submit(level, self.live)
        elif [str(move) for move in self._session.board_at(self.live).legal_moves] == [PASS]:
            self._pass_due = time.monotonic() + PASS_SECONDS

    def think(self) -> None:
        """Let the engine make one move for the side to move, during a game or not."""
        tree = self._session.tree
        if self.on:
            tree.go(self.live)
        side = int(tree.board.turn)
        level = self.players[side] if self.on else None
        if tree.board.is_game_over():
            raise ValueError("the game is over")
        self._submit(STRONGEST[tree.game] if level is None else level, tree.node)

    def undo(self) -> None:
        """Take back the human's last move and the engine's reply. Raises ValueError if there is none."""
        tree = self._session.tree
        path = tree.path(self.live if self.on else tree.node)
        count = 1
        if self.on and None in self.players and self.players != [None, None]:
            human = self.players.index(None)
            count = 1 if self.turn() != human else 2
        if len(path) <= count:
            raise ValueError("there is no move to take back")
        self._cancel()
        self.clock.stop()
        removed = tree.remove(path[-count])
        self._session.removed = None if self.on else removed
        tree.go(path[-count - 1])
        if self.on:
            self.live = tree.node
            self.go_on()

    # ---- the engine

    def _submit(self, level: int, number: int) -> None:
        self._cancel()
        tree = self._session.tree
        ply = len(tree.path(number)) - 1
        side = (tree.start_turn + ply) % 2

        def work(engine: Any, job: Job) -> None:
            if engine.may_declare():
                self._found(job, number, "")
                return
            move = engine.book.move() if opens_from_book(level) else ""
            if not move:
                limits = timed_limits(engine, level_limits(engine, level), self.clock, side, ply)
                move = engine.search(**limits).bestmove
            if not job.stopped:
                self._found(job, number, move)

        self._job = self._session.search_at(number, work)

    def _found(self, job: Job, number: int, move: str) -> None:
        """Make the engine's move; called from the engine's thread.

        Args:
            move: '' to declare a win
        """
        session = self._session
        with session.lock:
            if job is not self._job or number not in session.tree:
                return
            self._job = None
            if self._is_late():
                return
            if not move:
                if self.on:
                    self.end(Outcome(self.turn(), Termination.DECLARATION))
            else:
                self._make(number, move)
            session.changed()

    def _make(self, number: int, move: str) -> None:
        session = self._session
        follow = session.tree.node == number
        made = session.tree.add(move, number)
        if self.on and number == self.live:
            session.tree.prefer(made)
            self._stopped_clock(made)
            self.live = made
        if follow:
            session.tree.go(made)
        if self.on and not self._end_by_rule():
            self.go_on()

    def _cancel(self) -> None:
        self._session.pool.cancel(self._job)
        self._job, self._pass_due = None, 0.0

    # ---- time

    def _is_late(self) -> bool:
        """End the game if the side to move has run out of time; tell whether it has."""
        if not self.on or not self.clock.is_over():
            return False
        self.end(Outcome(1 - self.turn(), Termination.TIME_FORFEIT))
        self._session.changed()
        return True

    def tick(self) -> None:
        """Check the clock, and make a human's forced pass when it is due. Call this regularly."""
        if not self._is_late() and self.on and 0 < self._pass_due <= time.monotonic():
            self._pass_due = 0.0
            self._make(self.live, PASS)
            self._session.changed()
