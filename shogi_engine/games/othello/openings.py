"""The openings of games, by name: 虎定石, Tiger. `openings.txt` has them."""

import functools
from pathlib import Path

from shogi_engine.games.othello.board import Board
from shogi_engine.records.tree import GameRecord
from shogi_engine.types.outcomes import GameNames, Name, Standing


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
