"""What limits a search, and what it returns: plain data, standard library only."""

from dataclasses import dataclass

from shogi_engine.types.clock import TimeBudget


@dataclass(frozen=True)
class Limits:
    """When to stop; a search without any limit goes on until it is stopped.

    depth : plies.   nodes : of all threads together.   mate : stop once a mate in this many plies is found.
    budget : of time, from the call on. No new iteration begins after its soft limit; if that is below the hard one,
    TimeManager stretches it up to 2.5 times for a doubtful move and cuts it for an easy one. None: no limit of time.
    selectivity : percent of the spread that ProbCut (game.probcut) has to clear; None: as the parameters say.
    searchmoves : the root moves to choose from, all if empty.   multipv : how many best moves to report.
    """

    depth: int | None = None
    nodes: int | None = None
    mate: int | None = None
    budget: TimeBudget | None = None
    selectivity: int | None = None
    searchmoves: tuple[int, ...] = ()
    multipv: int = 1


@dataclass(frozen=True)
class Info:
    """One report of a search. score : the game's unit, or VALUE_MATE minus plies; bound : '', 'lower' or 'upper'.

    hashfull : permille of the transposition table used by this search.   pv : moves from the root on.
    exact : the score is proven: a full-width search reached the end of every line.
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
    """What a search found. bestmove and ponder are 0 if there is none; infos : the last one of each multipv line.

    exact : the score is proven, see Info.
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
