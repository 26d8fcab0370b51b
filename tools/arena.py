"""Games between two settings of this build's parameters, in this process, at fixed nodes or depth: fast and repeatable.

No protocol and no clock: each player is a Searcher of its own, with a table of its own that is cleared before every
game, so that a game depends on its opening and the two settings only. Kernels run without the GIL: a thread an arena.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from arena_kernels import list_moves, replay

from shogi_engine import parameters
from shogi_engine.game import VALUE_MATE_IN_MAX, VALUE_NONE, Game, declaration_value, do_move, terminal_value
from shogi_engine.jit import new_record
from shogi_engine.search.context import MAX_GAME_PLY, new_context
from shogi_engine.search.limits import Limits
from shogi_engine.search.root import Searcher

FEATURES = "search_flags"  # a setting of that name is Searcher.features: bits of search/context.py


class Player(Searcher):
    """A Searcher that takes over a long game in one kernel call."""

    def __init__(self, game: Game, hash_mb: int) -> None:
        super().__init__(game, hash_mb=hash_mb)
        self._legal = np.zeros(game.max_moves, dtype=np.uint32)

    def configure(self, settings: dict[str, int]) -> None:
        """Play with the game's default parameters but for `settings`; raises ValueError for an unknown one."""
        self.params = self.game.default_params()
        for name, number in settings.items():
            if name == FEATURES:
                self.search_flags = number
            else:
                parameters.set_value(self.params, name, number)

    def _set_position(self, ctx: Any, position: Any, moves: Sequence[int]) -> None:
        ctx.pos = position
        replay(ctx, np.asarray(moves, dtype=np.uint32))

    def root_moves(self, position: Any, moves: Sequence[int] = ()) -> list[int]:
        """Return the legal moves after `moves` (encoded, legal) from `position`."""
        ctx = self._contexts[0]
        self._set_position(ctx, position, moves)
        return self._legal[: int(list_moves(ctx, self._legal))].tolist()


@dataclass
class Outcome:
    """A finished game. winner : 0 (who began), 1, or None for a draw.   moves : encoded, the opening's included."""

    winner: int | None
    reason: str
    moves: list[int]
    nodes: list[int] = field(default_factory=lambda: [0, 0])  # by side
    seconds: list[float] = field(default_factory=lambda: [0.0, 0.0])
    searches: list[int] = field(default_factory=lambda: [0, 0])


@dataclass(frozen=True)
class Rules:
    """How games end that the game's own rules do not end.

    max_plies : drawn after so many.   resign : (value, count): won if both players' last `count` searches saw the same
    side ahead by that value; None: never.
    """

    max_plies: int = 320
    resign: tuple[int, int] | None = (3000, 2)


class Arena:
    """Two players and a referee. Not for two threads."""

    def __init__(self, game: Game, hash_mb: int = 8, rules: Rules | None = None) -> None:
        self.game = game
        self.rules = rules or Rules()
        if self.rules.max_plies > MAX_GAME_PLY:
            raise ValueError(f"a game here has at most {MAX_GAME_PLY} plies, not {self.rules.max_plies}")
        self.players = [Player(game, hash_mb) for _ in range(2)]
        self._referee = new_context(game)
        self._legal = np.zeros(game.max_moves, dtype=np.uint32)
        self._undo = new_record(game.undo)

    def parse(self, opening: str) -> list[int]:
        """Return the moves, encoded, of 'startpos moves ...' or of the moves alone. Raises ValueError."""
        texts = opening.removeprefix("startpos").split()
        texts = texts[1:] if texts[:1] == ["moves"] else texts
        position = self.game.parse_position(self.game.start)
        moves = []
        for text in texts:
            moves.append(self.game.parse_move(position, text))
            do_move(position, np.uint32(moves[-1]), self._undo)
        return moves

    def format(self, moves: Sequence[int]) -> str:
        """Return encoded moves from the start as text."""
        position = self.game.parse_position(self.game.start)
        texts = []
        for move in moves:
            texts.append(self.game.format_move(position, int(move)))
            do_move(position, np.uint32(move), self._undo)
        return " ".join(texts)

    def play(self, opening: Sequence[int], black: Player, white: Player, limits: tuple[Limits, Limits]) -> Outcome:
        """Play one game from `opening`; black begins the game. limits : of black and of white."""
        start = self.game.parse_position(self.game.start)
        outcome = Outcome(None, "max plies", list(opening))
        for player in (black, white):
            player.new_game()
        ahead: list[list[int]] = [[], []]  # by side, what its searches found, from black's point of view
        while len(outcome.moves) < self.rules.max_plies:
            side = len(outcome.moves) % 2
            if self._ended(start, outcome, side):
                return outcome
            found = (black, white)[side].search(start, outcome.moves, limits[side])
            outcome.nodes[side] += found.nodes
            outcome.seconds[side] += found.seconds
            outcome.searches[side] += 1
            outcome.moves.append(found.bestmove)
            ahead[side].append(-found.score if side else found.score)
            if self.rules.resign is not None:
                value, count = self.rules.resign
                last = ahead[0][-count:] + ahead[1][-count:]
                if len(last) == 2 * count and (min(last) >= value or max(last) <= -value):
                    outcome.winner, outcome.reason = int(last[0] < 0), "agreed"
                    return outcome
        self._ended(start, outcome, len(outcome.moves) % 2)
        return outcome

    def _ended(self, start: Any, outcome: Outcome, side: int) -> bool:
        """Write to `outcome` how the game's rules end it, if they do, with `side` to move."""
        ctx = self._referee
        ctx.pos = start
        replay(ctx, np.asarray(outcome.moves, dtype=np.uint32))

        def settled(value: int, reason: str) -> bool:
            outcome.winner = None if value == 0 else side if value > 0 else 1 - side
            outcome.reason = reason
            return True

        if list_moves(ctx, self._legal) == 0:
            return settled(int(terminal_value(ctx)), "no move")
        if self.game.name == "shogi":
            from shogi_engine.games.shogi.rules import DRAW, WIN, repetition

            verdict = int(repetition(ctx.pos, ctx.undo, ctx.game_ply))
            if verdict:
                return settled(0 if verdict == DRAW else 1 if verdict == WIN else -1, "repetition")
        value = int(declaration_value(ctx))
        if value != VALUE_NONE:
            return settled(value if abs(value) >= VALUE_MATE_IN_MAX else 0, "claim")
        return False
