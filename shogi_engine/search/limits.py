"""The limits and the results of a search: plain data, standard library only."""

from collections.abc import Iterable
from dataclasses import dataclass

from shogi_engine.types.clock import TimeBudget


@dataclass(frozen=True)
class Limits:
    """When to stop; a search without limits continues until it is stopped.

    Attributes:
        depth: the depth in plies
        nodes: the number of positions, of all threads together
        mate: stop when a mate within this many plies is found
        budget: the time, counted from the call; None for no limit. No iteration begins after the soft limit. If that
            is below the hard limit, TimeManager extends it up to 2.5 times if the best move is unclear, and reduces it
            if the best move is clear.
        multi_probcut_margin: the margin of Multi-ProbCut, in percent of the spread that `game.probcut` returns; None
            for that of the parameters
        selectivity: how selectively the game is searched to its end before the search; see `LevelPlan`
        searchmoves: the root moves to choose from (encoded, legal), all if empty
        multipv: the number of best moves to report
    """

    depth: int | None = None
    nodes: int | None = None
    mate: int | None = None
    budget: TimeBudget | None = None
    multi_probcut_margin: int | None = None
    selectivity: int | None = None
    searchmoves: tuple[int, ...] = ()
    multipv: int = 1

    def end_search(self) -> bool:
        """Tell whether the search ends without being stopped."""
        return any(limit is not None for limit in (self.depth, self.nodes, self.mate, self.budget))


@dataclass(frozen=True)
class Info:
    """One report of a search.

    Attributes:
        score: in the game's unit, or for a mate VALUE_MATE minus plies
        bound: '', 'lower' or 'upper'
        hashfull: permille of the transposition table used by this search
        pv: the moves from the root on
        exact: whether the score is proven: a full-width search reached the end of every line
    """

    depth: int
    seldepth: int
    multipv: int
    score: int
    bound: str
    nodes: int
    seconds: float
    hashfull: int
    pv: tuple[int, ...]
    exact: bool = False


@dataclass(frozen=True)
class Result:
    """The result of a search. bestmove and ponder are 0 if there is none.

    Attributes:
        infos: the final report of each multipv line, with the nodes and the time of the whole search
        exact: whether the score is proven; see Info
    """

    bestmove: int
    ponder: int
    score: int
    depth: int
    nodes: int
    seconds: float
    pv: tuple[int, ...]
    infos: tuple[Info, ...]
    exact: bool = False


def by_score(infos: Iterable[Info]) -> list[Info]:
    """Return lines sorted from best to worst. The sort is stable."""
    return sorted(infos, key=lambda info: -info.score)
