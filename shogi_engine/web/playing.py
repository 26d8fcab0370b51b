"""A game in the browser: its players, the engine's moves, and messages that become actions of a `play.Game`."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from shogi_engine.analysis.analyst import COACH_EFFORT, EFFORTS, Blunder, PositionAnalyser, last_blunder
from shogi_engine.language import InputError
from shogi_engine.play.clock import GameClock
from shogi_engine.play.game import PASS, Game
from shogi_engine.play.words import STRONGEST, choose, level_limit, name_in_records, timed_limit
from shogi_engine.records import GameRecord
from shogi_engine.types.limits import Clock
from shogi_engine.types.outcomes import Outcome
from shogi_engine.types.results import PlayResult
from shogi_engine.web.pool import Engines, PoolSearch, Priority, SearchSlot
from shogi_engine.web.tree import Tree

PASS_SECONDS = 1.2  # to show that the only move is a pass


class SavedPlay(msgspec.Struct):
    """A game that was begun on a tree, as JSON.

    Attributes:
        players: by side, a level or None for a human
        on: whether it is being played; otherwise it is over
        live: the number of its last move
        setting: of the clock, None without a clock
        times: as from `GameClock.times`
        coach: whether the engine stops at the human's blunders
    """

    players: list[int | None]
    on: bool
    live: int
    setting: Clock | None
    times: list[float]
    coach: bool = False


def check_levels(game: str, players: list[int | None]) -> None:
    """Raise ValueError for an unknown level."""
    if any(level is not None and level > STRONGEST[game] for level in players):
        raise InputError("the level must be 0 to {0}", STRONGEST[game])


class Playing:
    """The game that is played on the nodes of a tree.

    Attributes:
        players: by side, a level or None for a human
        game: the game, None before the first one and after `leave`
        coach: whether the engine stops at the human's blunders, and offers to take them back
        warning: the blunder at which it waits, None for none
    """

    coach = False
    warning: Blunder | None = None

    def __init__(
        self, tree: Tree, engines: Engines, examiner: Callable[[str, dict[str, int]], Any] = PositionAnalyser
    ) -> None:
        self._tree, self._examiner = tree, examiner
        self.players: list[int | None] = [None, None]
        self.game: Game | None = None
        self._search = SearchSlot(engines, "move", Priority.GAME)
        self._coaching = SearchSlot(engines, "move", Priority.GAME)
        self._pass_due = 0.0  # when a human's forced pass is made, 0 for none

    @property
    def on(self) -> bool:
        """Whether a game is being played."""
        return self.game is not None and not self.game.over

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, None until then."""
        return self.game.outcome if self.game else None

    @property
    def live(self) -> int:
        """The number of the game's last move."""
        return self._tree.number_of(self.game.node) if self.game else 0

    @property
    def clock(self) -> GameClock:
        """The game's clock."""
        return self.game.clock if self.game else GameClock()

    @property
    def passing(self) -> bool:
        """Whether a human can only pass; the pass is then made automatically."""
        return self._pass_due > 0

    @property
    def thinking(self) -> bool:
        """Whether the engine is thinking about its move."""
        return self._search.on or self._coaching.on

    # ---- beginning and ending

    def begin(self, players: list[int | None], setting: Clock | None, *, coach: bool = False) -> None:
        """Begin a game at the tree's position."""
        self.leave()
        self.coach = coach and players.count(None) == 1
        tree, self.players = self._tree, list(players)
        tree.record.names = ["" if level is None else name_in_records(level) for level in players]
        self.game = Game(tree.record, at=tree.nodes(), clock=GameClock(setting))
        self.go_on()

    def leave(self) -> None:
        """Stop playing; the moves stay."""
        self._cancel()
        self.game = None

    def rest(self) -> None:
        """Stop the engine and the clock until `wake`."""
        self._cancel()
        if self.game is not None:
            self.game.pause()

    def saved(self, place: Mapping[int, int]) -> SavedPlay | None:
        """Return the game for `restore`, None if there is none; `place` has the new numbers of the tree's moves."""
        if self.game is None:
            return None
        clock = self.game.clock
        return SavedPlay([*self.players], self.on, place.get(self.live, 0), clock.setting, clock.times(), self.coach)

    def restore(self, saved: SavedPlay) -> None:
        """Continue a saved game, paused until `wake`."""
        self.players, self.coach = saved.players, saved.coach
        game = Game.restore(self._tree.record, self._tree.nodes(saved.live), clock=GameClock(saved.setting))
        if saved.setting:
            game.clock.restore(saved.times)
        self.game = game if saved.on or game.over else None

    def wake(self) -> None:
        """Let the engine continue thinking if it is its turn."""
        if not self.thinking and self.warning is None:
            self.go_on()

    def set_level(self, side: int, level: int) -> None:
        """Change the engine's level. Raises ValueError if a human plays that side or the level is unknown."""
        if self.players[side] is None:
            raise InputError("a human plays this side")
        check_levels(self._tree.game, [level])
        self.players[side] = level

    def resign(self, side: int | None = None) -> None:
        """Resign for a side; by default the one to move, or the human's while the engine is thinking."""
        game = self._running()
        if side is None:
            side = game.turn
            if self.players[side] is not None and None in self.players:
                side = 1 - side
        game.resign(side)
        self._cancel()

    def agree(self) -> None:
        """End the game in a draw."""
        self._running().agree()
        self._cancel()

    def declare(self) -> None:
        """Claim a win by the entering-king rule. Raises ValueError if its conditions are not met."""
        self._running().declare()
        self._cancel()

    def _running(self) -> Game:
        if self.game is None or self.game.over:
            raise InputError("no game is being played")
        return self.game

    # ---- moves

    def may_move(self, side: int) -> bool:
        """Tell whether a human may move for a side now."""
        return not self.on or self.players[side] is None

    def move(self, move: str) -> None:
        """Make a human's legal move at the tree's position; the game continues from there, even if it was further on.

        Outside a game, the move is added to the tree. Raises ValueError if the tree is full.
        """
        tree, game = self._tree, self.game
        if game is None or game.over:
            tree.go(tree.add(move))
            return
        tree.check_room()
        self._cancel()
        if not game.flag_fell():
            if game.node is not tree.at:
                game.continue_at(tree.nodes())
            self._make(game, move)

    def _make(self, game: Game, move: Any) -> None:
        """Make a move in the game, and show the position after it if the tree was at the one before it."""
        tree, before = self._tree, self.live
        node = game.move(move)
        if node is not None:
            number = tree.adopt(node, before)
            if tree.node == before:
                tree.go(number)
        self.go_on()

    def go_on(self, *, judged: bool = False) -> None:
        """Start the clock of the side to move, and the engine if it is its turn.

        Args:
            judged: whether the coach has seen the last move
        """
        game = self.game
        if game is None or game.over:
            return
        game.start()
        level = self.players[game.turn]
        if level is not None and self.coach and not judged:
            self._judge_last()
        elif level is not None:
            self._submit(level, self.live)
        elif game.must_pass():
            self._pass_due = time.monotonic() + PASS_SECONDS

    def think(self) -> None:
        """Let the engine make one move for the side to move, during a game or not."""
        tree = self._tree
        if self.on:
            tree.go(self.live)
            if self.warning is not None:
                self._cancel()
                self.go_on(judged=True)
                return
        elif tree.board.is_game_over():
            raise InputError("the game is over")
        level = self.players[int(tree.board.turn)] if self.on else None
        self._submit(STRONGEST[tree.game] if level is None else level, tree.node)

    def count_back(self, side: int | None = None) -> int:
        """Return how many moves a human takes back: the last own one and the reply. Raises ValueError if there is none.

        Args:
            side: of one of two people; None for the one who plays the engine
        """
        game = self._running()
        replied = (
            side == game.turn if side is not None else self.players.count(None) == 1 and self.players[game.turn] is None
        )
        if game.ply < (count := 1 + replied):
            raise InputError("there is no move to take back")
        return count

    def undo(self, side: int | None = None) -> None:
        """Take back as many moves, outside a game one. Raises ValueError if there is none."""
        tree, game = self._tree, self.game
        if game is None or game.over:
            if not tree.node:
                raise InputError("there is no move to take back")
            self._cancel()
            tree.remove(tree.node)
            return
        count = self.count_back(side)
        line = tree.path(self.live)
        game.take_back(count)
        self._cancel()
        tree.remove(line[-count])
        tree.removed = None
        tree.go(self.live)
        self.go_on()

    # ---- the engine

    def _judge_last(self) -> None:
        """Judge the human's last move; if it was a blunder, wait until it is taken back, or the game is to continue."""
        self._cancel()
        tree = self._tree
        record = GameRecord.from_moves(tree.game, tree.moves(self.live), start=tree.record.start)

        def work(engine: Any, search: PoolSearch[Blunder | None]) -> Blunder | None:
            examiner = self._examiner(tree.game, EFFORTS[tree.game][COACH_EFFORT])
            return last_blunder(examiner, record) if search.follow(examiner) else None

        def done(found: Blunder | None) -> None:
            if found is None:
                self.go_on(judged=True)
            elif self.game is not None and not self.game.over:
                self.warning = found
                self.game.pause()

        self._coaching.begin(tree, work, done)

    def _submit(self, level: int, number: int) -> None:
        """Let the engine find a move in the position after move `number`."""
        self._cancel()
        game = self.game if self.on else None

        def work(engine: Any, search: PoolSearch[PlayResult[Any]]) -> PlayResult[Any]:
            def found() -> PlayResult[Any]:
                return engine.play(search.board, timed_limit(engine, level_limit(engine, level), game))  # type: ignore[no-any-return]

            return choose(engine, search.board, found, level)

        self._search.begin(self._tree, work, lambda answer: self._found(number, answer), number)

    def _found(self, number: int, answer: PlayResult[Any]) -> None:
        """Make the engine's move."""
        tree, game = self._tree, self.game
        if number not in tree:
            return
        if game is not None and not game.over:
            if not game.flag_fell():
                if answer.declares:
                    game.declare()
                else:
                    self._make(game, answer.move)
        elif not answer.declares:
            follow, made = tree.node == number, tree.add(str(answer.move), number)
            if follow:
                tree.go(made)

    def _cancel(self) -> None:
        self._search.cancel()
        self._coaching.cancel()
        self.warning = None
        self._pass_due = 0.0

    # ---- time

    def tick(self) -> bool:
        """Check the clock, and make a human's forced pass when it is due; tell whether something has changed.

        Call this regularly.
        """
        game = self.game
        if game is not None and game.flag_fell():
            self._cancel()
        elif game is not None and 0 < self._pass_due <= time.monotonic():
            self._pass_due = 0.0
            self._make(game, PASS)
        else:
            return False
        return True
