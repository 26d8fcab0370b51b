"""The openings of games by name, as 虎定石, Tiger (`openings.txt`), and even starts (`xot.txt`)."""

import functools
from pathlib import Path

from shogi_engine.games.othello.board import Board
from shogi_engine.records.tree import GameRecord
from shogi_engine.types.outcomes import GameNames, Name, Standing

XOT = Path(__file__).with_name("xot.txt")


@functools.cache
def even_starts() -> list[tuple[str, ...]]:
    """Return the moves of starts as in XOT: eight random moves after which neither side is ahead."""
    lines = [line for line in XOT.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    return [tuple(line[at : at + 2] for at in range(0, len(line), 2)) for line in lines]


def even_opening(record: GameRecord) -> tuple[str, ...]:
    """Return the even start of a game's main line, () for none."""
    opening = tuple(record.moves[:8])
    return opening if record.game == "othello" and opening in even_starts() else ()


@functools.cache
def _names() -> dict[str, Name]:
    """Return the names by the canonical position (OBF) to which their moves lead."""
    lines = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    rows = ([part.strip() for part in line.split("|")] for line in lines if line and line[0] != "#")
    return {Board.from_transcript(moves).canonical().obf(): Name(*name) for *name, moves in rows}


def names_of_record(record: GameRecord) -> GameNames:
    """Return the last opening that a game's main line has reached, as that of both sides; there are no castles.

    Raises ValueError for an illegal move.
    """
    board, found = record.board(0), None
    for ply, move in enumerate(record.moves, 1):
        board.push_text(move)
        if name := _names().get(board.canonical().obf()):
            found = Standing(name, ply)
    standings = [found] if found else []
    return GameNames(([], []), (standings, list(standings)))
