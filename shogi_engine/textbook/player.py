"""Textbook players: they play by minimax, alpha-beta, NegaScout or iterative deepening, and vary their games."""

import random
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shogi_engine import games
from shogi_engine.common.threads import Search
from shogi_engine.interface.game import MAX_PLY
from shogi_engine.play.game import Game
from shogi_engine.play.players import Player
from shogi_engine.search.context import new_context, set_root
from shogi_engine.search.tt import TranspositionTable
from shogi_engine.textbook import searches
from shogi_engine.types.results import Info, PlayResult

KINDS = {
    "random": (searches.RANDOM, 0),
    "minimax": (searches.MINIMAX, 0),
    "alphabeta": (searches.ALPHA_BETA, 0),
    "negascout": (searches.NEGASCOUT, 0),
    "pvs": (searches.NEGASCOUT, searches.ORDERED),
    "deepening": (searches.DEEPENING, searches.ALL_PARTS),
}
EVALUATIONS = {"plain": searches.PLAIN, "engine": 0}
DEFAULT_DEPTH, MAX_DEPTH = 4, 20
TABLE_MB = 4  # of a player that has a table


@dataclass(frozen=True)
class Textbook:
    """What a textbook player does: one of KINDS, its search depth in plies, and its evaluation, one of EVALUATIONS."""

    kind: str
    depth: int = 0
    evaluation: str = "plain"

    @property
    def name(self) -> str:
        """The player in the notation of the command line, e.g. 'alphabeta:4'."""
        if self.kind == "random":
            return self.kind
        return f"{self.kind}:{self.depth}" + ("" if self.evaluation == "plain" else f":{self.evaluation}")

    @property
    def flags(self) -> int:
        """The bits of ctx.search_flags."""
        return KINDS[self.kind][1] | EVALUATIONS[self.evaluation]


def parse_player(text: str, depth: int = DEFAULT_DEPTH) -> Textbook:
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
        return Textbook(kind)
    if evaluation not in EVALUATIONS:
        raise ValueError(f"player {text!r}: an evaluation must be {' or '.join(EVALUATIONS)}, not {evaluation!r}")
    plies = int(digits) if digits and len(digits) < 9 else depth if not digits else MAX_DEPTH + 1
    if not 1 <= plies <= MAX_DEPTH:
        raise ValueError(f"player {text!r}: a depth must be 1 to {MAX_DEPTH}")
    return Textbook(kind, plies, evaluation)


class TextbookPlayer(Player):
    """Plays by a textbook search. Its random choices depend on the game's seed alone."""

    def __init__(self, game: str, textbook: Textbook) -> None:
        self.textbook, self._name = textbook, game
        self._ctx: Any = None

    def ready(self) -> None:
        """Compile the searches or load them from the cache."""
        if self._ctx is not None:
            return
        self._game = games.load(self._name)
        self._ctx = new_context(self._game)
        self._contexts = np.ndarray(1, self._ctx.dtype, self._ctx.data)  # the same memory, see `answer`
        self._table = TranspositionTable(TABLE_MB)
        self._table.attach(self._ctx)
        self._visits = np.zeros(len(self._ctx.pv_end), dtype=np.int64)
        self._killers = np.zeros((MAX_PLY + 2, 2), dtype=np.uint32)
        self._place(self._game.start)
        self._state = np.ones(1, dtype=np.uint64)
        self._choose([], 1)

    def new_game(self, game: Game, side: int, seed: str) -> None:
        """Draw the beginning of its random numbers."""
        self.ready()
        self._place(game.record.start)
        self._table.clear()
        self._state = np.array([random.Random(f"{side} {seed}").getrandbits(64) | 1], dtype=np.uint64)

    def _place(self, position: str) -> None:
        set_root(self._ctx, self._game.parse_position(position))
        self._position = self._ctx.pos
        self._known = 0  # the number of moves made in the context

    def _choose(self, moves: Sequence[int], depth: int) -> int:
        """Make `moves` in the context, and return the move of the position that they lead to."""
        kind, flags, new = KINDS[self.textbook.kind][0], self.textbook.flags, np.array(moves, dtype=np.uint32)
        return int(searches.answer(self._contexts, new, kind, depth, flags, self._state, self._visits, self._killers))

    def think(self, game: Game, search: Search[Any] | None = None) -> PlayResult[Any]:
        """Search the position. Other threads cannot stop it."""
        new, self._known = game.board.search_form()[1][self._known :], game.ply
        self._visits[:] = 0
        began = time.perf_counter()
        move = self._choose(new, self.textbook.depth)
        seconds = time.perf_counter() - began
        deepest = self._visits.nonzero()[0][-1:]
        visits = self._visits[: int(deepest[0]) + 1].tolist() if len(deepest) else []
        info: Info[Any] = Info(depth=self.textbook.depth, nodes=sum(visits))
        (chosen,) = game.board.line_of([move])
        return PlayResult(chosen, info=info, visits=tuple(visits), time=seconds)
