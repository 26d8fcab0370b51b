"""Results of a search in the game's own notation: lines, values and moves as text."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from shogi_engine.common.text import nodes_per_second
from shogi_engine.interface.game import VALUE_MATE, VALUE_MATE_IN_MAX, Game, do_move
from shogi_engine.jit import new_record
from shogi_engine.search.context import copy_position
from shogi_engine.search.timeman import Info as Found, Result
from shogi_engine.types.results import Info, Move, PlayResult, Score

Line: TypeAlias = Callable[[Sequence[str]], Sequence[Move]]  # converts a line of moves, as in `Info.convert`


def score_of(game: Game, value: int) -> Score:
    """Convert a value of the search to a Score: a mate in a number of plies, or a score in the players' unit."""
    if value >= VALUE_MATE_IN_MAX:
        return Score.mate_in(VALUE_MATE - value)
    if value <= -VALUE_MATE_IN_MAX:
        return Score.mated_in(VALUE_MATE + value)
    return game.extras.score(value)


def legal_line(game: Game, position: Any, moves: Sequence[int]) -> tuple[str, ...]:
    """Return the notation of `moves` from `position`, up to the first illegal move, since the table may contain one."""
    pos = copy_position(game, position)
    undo = new_record(game.undo)
    texts = []
    for move in moves:
        try:
            text = game.format_move(pos, move)
            if game.parse_move(pos, text) != move:
                break
        except ValueError:
            break
        texts.append(text)
        do_move(pos, np.uint32(move), undo)
    return tuple(texts)


def _portable(found: Any) -> dict[str, Any]:
    """Return the state of a PvInfo or SearchResult for pickling, with moves as text and without the game."""
    return {"pv": found.pv} | {name: value for name, value in vars(found).items() if name != "_source"}


class PvInfo(Info[str]):
    """A report of a search, with moves as text. All its items are there.

    Attributes:
        value: int, for the side to move, in the game's unit
    """

    depth: int
    seldepth: int
    multipv: int
    score: Score
    time: float
    nodes: int
    nps: int
    hashfull: int
    value: int
    _source: tuple[Game, Any, Found]

    def __init__(self, game: Game, position: Any, info: Found) -> None:
        names = ("depth", "seldepth", "multipv", "bound", "exact", "nodes", "hashfull")
        vars(self).update({name: getattr(info, name) for name in names}, value=info.score, time=info.seconds)
        vars(self).update(score=score_of(game, info.score), nps=nodes_per_second(info.nodes, info.seconds))
        vars(self).update(_source=(game, position, info))

    def __getstate__(self) -> dict[str, Any]:
        return _portable(self)

    @cached_property
    def pv(self) -> tuple[str, ...]:
        """The moves, all legal. They are converted on first access, because most lines are never shown."""
        game, position, info = self._source
        return legal_line(game, position, info.pv)

    @property
    def encoded(self) -> tuple[int, ...]:
        """`pv` as encoded moves."""
        return self._source[2].pv[: len(self.pv)]


class SearchResult:
    """The result of a search, with moves as text.

    Attributes:
        bestmove: str, '' if there is no legal move
        ponder: str, the expected reply, '' if there is none
        move: int, the best move encoded, 0 if there is none
        value: int, for the side to move, in the game's unit; see `score_of`
        score: the value as a Score; as text 'cp 12'
        depth: int, the depth of the best line, in plies; a search that was stopped may not have finished it
        nodes: int, positions searched
        seconds: float, the time taken
        pv: the moves of the best line
        lines: the final `PvInfo` of each of the requested best moves, best first, with `nodes` and `time` of the whole
            search
    """

    def __init__(self, game: Game, position: Any, result: Result) -> None:
        self._source = game, position, result
        self.move = result.bestmove
        self.bestmove = game.format_move(position, result.bestmove) if result.bestmove else ""
        self.value, self.depth, self.nodes, self.seconds = result.score, result.depth, result.nodes, result.seconds
        self.score = score_of(game, result.score)
        infos = result.infos
        if not infos and result.bestmove:  # stopped before the first move was searched
            infos = (Found(0, 0, 1, result.score, "", result.nodes, result.seconds, 0, (result.bestmove,)),)
        self.lines = [PvInfo(game, position, info) for info in infos]

    def __getstate__(self) -> dict[str, Any]:
        return _portable(self)

    @cached_property
    def pv(self) -> tuple[str, ...]:
        """The moves of the best line, converted on first access."""
        game, position, result = self._source
        whole = result.pv and result.pv[0] == result.bestmove
        moves = result.pv if whole else (result.bestmove, result.ponder)
        return legal_line(game, position, [move for move in moves if move])

    @property
    def ponder(self) -> str:
        """The expected reply to `bestmove`, '' if there is none."""
        return self.pv[1] if len(self.pv) > 1 else ""

    def played(self, line: Line[Move]) -> PlayResult[Move]:
        """Return the move to make."""
        if not self.bestmove:
            return PlayResult(time=self.seconds)
        move, *rest = line(self.pv)
        return PlayResult(move, rest[0] if rest else None, self.lines[0].convert(line), time=self.seconds)

    def __repr__(self) -> str:
        found = f"{self.bestmove or 'no legal move'}, {self.score}, depth {self.depth}"
        return f"<SearchResult {found}, {self.nodes} nodes in {self.seconds:.2f} s: {' '.join(self.pv)}>"
