"""The castles and the openings of games, by name: 金矢倉, 美濃囲い, 四間飛車, 角換わり腰掛け銀.

    from shogi_engine import records
    from shogi_engine.games.shogi import openings
    names = openings.names_of_record(records.load("game.kif")[0])
    print([(standing.name.english, standing.ply) for standing in names.castles[0]])

`castles.txt` and `strategies.txt` are tables of patterns, which `patterns` reads; `finder` looks for them in games.
"""

from shogi_engine.games.shogi.openings.castles import CASTLES
from shogi_engine.games.shogi.openings.finder import (
    NAMES,
    castles,
    names_of_moves,
    names_of_record,
)
from shogi_engine.games.shogi.openings.strategies import OPENINGS
from shogi_engine.types.opening import GameNames, Name, Standing

__all__ = [
    "CASTLES",
    "GameNames",
    "NAMES",
    "Name",
    "OPENINGS",
    "Standing",
    "castles",
    "names_of_moves",
    "names_of_record",
]
