"""What a search is asked, and what it answers: plain data, standard library only."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """When to stop; a search without any limit goes on until it is stopped.

    depth : plies.   nodes : positions entered, all threads together.   mate : stop at a win in so many plies.
    soft_ms : begin no iteration after this.   hard_ms : stop at once at this. Both count from the call. If soft_ms is
    the smaller, a doubtful move takes up to 2.5 times soft_ms and an easy one less, but not less than least_ms.
    selectivity : percent of the spread that ProbCut (game.probcut) must clear; None: the game's parameters tell.
    searchmoves : the root moves to look at, all if empty.   multipv : how many best moves to report.
    """

    depth: int | None = None
    nodes: int | None = None
    mate: int | None = None
    soft_ms: float | None = None
    hard_ms: float | None = None
    least_ms: float = 0.0
    selectivity: int | None = None
    searchmoves: tuple[int, ...] = ()
    multipv: int = 1


@dataclass(frozen=True)
class Info:
    """One line of thought. score : the game's unit, or VALUE_MATE less plies; bound : '', 'lower' or 'upper'.

    hashfull : permille of the table used by this search.   pv : moves, the first one at the root.
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


@dataclass(frozen=True)
class Result:
    """What a search found. bestmove and ponder are 0 if there is none; infos: the last line of each of multipv."""

    bestmove: int
    ponder: int
    score: int
    depth: int
    nodes: int
    seconds: float
    pv: tuple[int, ...]
    infos: tuple[Info, ...]
