"""Results of a search in the game's own notation: lines, values and moves as text."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from shogi_engine import games
from shogi_engine.common.text import nodes_per_second
from shogi_engine.interface.game import VALUE_MATE, VALUE_MATE_IN_MAX, Game, do_move
from shogi_engine.jit import new_record
from shogi_engine.search.context import copy_position
from shogi_engine.search.limits import Info, Result
from shogi_engine.types.score import Score


def score_of(game: Game, value: int) -> Score:
    """Convert a value of the search to a Score: a mate in a number of plies, or a score in the players' unit."""
    if value >= VALUE_MATE_IN_MAX:
        return Score.mate_in(VALUE_MATE - value)
    if value <= -VALUE_MATE_IN_MAX:
        return Score.mated_in(VALUE_MATE + value)
    return game.extras.score(value)


def legal_line(game: Game, position: Any, moves: Sequence[int]) -> list[str]:
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
    return texts


def _portable(found: Any) -> dict[str, Any]:
    """Return the state of a PvInfo or SearchResult for pickling, with moves as text and without the game."""
    left_out = ("_game", "_position", "_info", "_result")
    return {name: value for name, value in vars(found).items() if name not in left_out} | {"_pv": found.pv}


# The attributes of PvInfo by their python-chess names.
FIELDS = {name: name for name in ("depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "score")}
FIELDS |= {"pv": "moves", "time": "seconds"}


class PvInfo:
    """One principal variation of a search, with its score, depth and statistics.

    Attributes:
        game: the name of the game
        depth: int, the depth in plies
        seldepth: int, the greatest depth reached, in plies
        multipv: int, the rank of the line, 1 for the best
        nodes: int, positions searched so far
        hashfull: int, permille of the table used by this search
        seconds: float, since the search began
        value: int, for the side to move, in the game's unit
        score: the value as a Score
        bound: '' if the value lies within the window, else 'lower' or 'upper'
        exact: bool, whether the value is proven
    """

    def __init__(self, game: Game, position: Any, info: Info) -> None:
        self._game, self._position, self._info = game, position, info
        self._pv: list[str] | None = None
        self.game = game.name
        self.depth, self.seldepth, self.multipv = info.depth, info.seldepth, info.multipv
        self.nodes, self.seconds, self.hashfull = info.nodes, info.seconds, info.hashfull
        self.value, self.bound, self.exact = info.score, info.bound, info.exact
        self.score = score_of(game, info.score)

    def __getstate__(self) -> dict[str, Any]:
        return _portable(self)

    @property
    def pv(self) -> list[str]:
        """The moves, all legal. They are converted on first access, because most lines are never shown."""
        if self._pv is None:
            self._pv = legal_line(self._game, self._position, self._info.pv)
        return self._pv

    @property
    def encoded(self) -> tuple[int, ...]:
        """`pv` as encoded moves."""
        return self._info.pv[: len(self.pv)]

    @property
    def moves(self) -> list[Any]:
        """`pv` as Moves of the game's Board."""
        return games.moves_of(self.game, self.pv)

    @property
    def nps(self) -> int:
        """Nodes per second."""
        return nodes_per_second(self.nodes, self.seconds)

    def __getitem__(self, name: str) -> Any:
        """Return an item by its python-chess name: 'score', 'pv' (Moves), 'depth', 'time' ... Raises KeyError."""
        if name not in FIELDS:
            raise KeyError(name)
        return getattr(self, FIELDS[name])

    def __repr__(self) -> str:
        score = f"{self.score} {self.bound}".rstrip()
        return f"<PvInfo depth {self.depth}, {score}, {self.nodes} nodes: {' '.join(self.pv)}>"


class SearchResult:
    """The result of a search.

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
        lines: the final `PvInfo` of each of the requested best moves, best first, with `nodes` and `seconds` of the
            whole search
    """

    def __init__(self, game: Game, position: Any, result: Result) -> None:
        self._game, self._position, self._result = game, position, result
        self._pv: list[str] | None = None
        self.move = result.bestmove
        self.bestmove = game.format_move(position, result.bestmove) if result.bestmove else ""
        self.value, self.depth, self.nodes, self.seconds = result.score, result.depth, result.nodes, result.seconds
        self.score = score_of(game, result.score)
        infos = result.infos
        if not infos and result.bestmove:  # stopped before the first move was searched
            infos = (Info(0, 0, 1, result.score, "", result.nodes, result.seconds, 0, (result.bestmove,)),)
        self.lines = [PvInfo(game, position, info) for info in infos]

    def __getstate__(self) -> dict[str, Any]:
        return _portable(self)

    @property
    def pv(self) -> list[str]:
        """The moves of the best line, converted on first access."""
        if self._pv is None:
            result = self._result
            whole = result.pv and result.pv[0] == result.bestmove
            moves = result.pv if whole else (result.bestmove, result.ponder)
            self._pv = legal_line(self._game, self._position, [move for move in moves if move])
        return self._pv

    @property
    def ponder(self) -> str:
        """The expected reply to `bestmove`, '' if there is none."""
        return self.pv[1] if len(self.pv) > 1 else ""

    def __repr__(self) -> str:
        found = f"{self.bestmove or 'no legal move'}, {self.score}, depth {self.depth}"
        return f"<SearchResult {found}, {self.nodes} nodes in {self.seconds:.2f} s: {' '.join(self.pv)}>"
