"""Othello analysis: hints for a position, and a game's score graph with its worst moves."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shogi_engine.engine import Engine
from shogi_engine.games.othello.notation import SIDES
from shogi_engine.games.othello.types import DISC

WORST = 5  # moves listed


@dataclass(frozen=True)
class Hint:
    """A move and its value, discs for the side to move. depth : plies    exact : the value is proven."""

    move: str
    discs: float
    depth: int
    exact: bool
    pv: tuple[str, ...]


@dataclass(frozen=True)
class Point:
    """A move of a game. ply : from 1    side : 'black' or 'white'.

    best, discs : the best move and its value for the side to move; `played_discs` the value of the move played.
    black : the value of the position before the move for black    exact : the values are proven
    """

    ply: int
    side: str
    move: str
    best: str
    discs: float
    played_discs: float
    black: float
    exact: bool

    @property
    def loss(self) -> float:
        """How many discs the move gave away."""
        return max(0.0, self.discs - self.played_discs)


def hints(engine: Engine, level: int, count: int | None = None) -> list[Hint]:
    """Return every move of the engine's position (or the best `count`) with its value, the best first.

    A position that a player of `level` solves has exact values. Raises ValueError if there is no such level.
    """
    legal = engine.legal_moves()
    if not legal:
        return []
    exact = engine.check_level(level).exact
    result = engine.search(level=level, multipv=len(legal) if count is None else min(count, len(legal)))
    return [Hint(line.pv[0], line.value / DISC, line.depth, exact, tuple(line.pv)) for line in result.lines]


def graph(
    engine: Engine,
    start: str,
    moves: list[str],
    level: int,
    progress: Callable[[int, int], None] | None = None,
) -> list[Point]:
    """Return a Point for each of a game's `moves` but passes, as a player of `level` sees it.

    The game is searched backwards: what the table knows of later positions helps with earlier ones. Raises
    ValueError for an illegal move. progress(done, all) is called after each move.
    """
    engine.set_position(start, moves)
    points = []
    for count in range(len(moves) - 1, -1, -1):
        engine.set_position(start, moves[:count])
        if moves[count] != "pass":
            points.append(_point(engine, moves[count], count + 1, level))
        if progress:
            progress(len(moves) - count, len(moves))
    engine.set_position(start, moves)
    return points[::-1]


def _point(engine: Engine, played: str, ply: int, level: int) -> Point:
    """Return the Point of the move `played` in the engine's position."""
    exact = engine.check_level(level).exact
    result = engine.search(level=level)
    best = value = result.value / DISC
    if played != result.bestmove:
        value = min(best, engine.search(level=level, searchmoves=[played]).value / DISC)
    side = int(engine.position.side)
    return Point(ply, SIDES[side], played, result.bestmove, best, value, -best if side else best, exact)


def worst(points: list[Point], count: int = WORST) -> list[Point]:
    """Return the moves that gave away most, the worst first; those that gave away nothing are not among them."""
    return sorted((point for point in points if point.loss > 0), key=lambda point: -point.loss)[:count]


def hint_table(hints: list[Hint]) -> str:
    """Return a hint list as text."""
    lines = [
        f"{hint.move:<4} {hint.discs:+7.2f}  {'exact' if hint.exact else f'depth {hint.depth}':<9} {' '.join(hint.pv)}"
        for hint in hints
    ]
    return "\n".join(lines) if lines else "the game is over"


def graph_table(points: list[Point]) -> str:
    """Return a game's moves, values and worst moves as text."""
    lines = ["ply  side   move  value for black  best  gave away"]
    for point in points:
        loss = f"{point.loss:9.2f}" if point.loss > 0 else ""
        proven = "exact" if point.exact else ""
        row = f"{point.ply:>3}  {point.side:<5}  {point.move:<4}  {point.black:+8.2f} {proven:<6}  {point.best:<4}"
        lines.append(f"{row}  {loss}".rstrip())
    mistakes = worst(points)
    lines += ["", "worst moves:" if mistakes else "no move gave anything away"]
    lines += [f"{p.ply:>3}  {p.side} {p.move}: {p.loss:.2f} discs ({p.best} was better)" for p in mistakes]
    return "\n".join(lines)


def plot(points: list[Point], path: str, plt: Any) -> None:
    """Draw the values for black by ply, the worst moves marked, with matplotlib's pyplot `plt` to the image `path`."""
    figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
    axes.plot([point.ply for point in points], [point.black for point in points], color="#3b6ea8")
    for point in worst(points):
        axes.annotate(f"{point.move} -{point.loss:.0f}", (point.ply, point.black), color="#c2573a")
        axes.plot([point.ply], [point.black], "o", color="#c2573a")
    axes.axhline(0, color="#999999", linewidth=0.8)
    axes.set_xlabel("ply")
    axes.set_ylabel("discs for black")
    figure.savefig(path)
    plt.close(figure)
