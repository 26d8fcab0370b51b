"""Castles and openings of games, by name, for every game that has them."""

from shogi_engine import games
from shogi_engine.records import GameRecord
from shogi_engine.types.opening import GameNames


def names_of(record: GameRecord) -> GameNames | None:
    """Return the castles and openings of a game's main line, None if its players have no such names.

    Raises ValueError for an illegal move.
    """
    if not games.has(record.game, "openings"):
        return None
    names: GameNames = games.part(record.game, "openings").names_of_record(record)
    return names
