"""Operations on thousands of positions, for machine learning: they take and return NumPy arrays.

batch, kernels    `Batch`: legal moves and masks, moves made, outcomes, features, values, perft
games             random games and games of the engine against itself
hcpe3             dlshogi's games with the visits of each move
labelled          positions with a move, a value and a result, from training data and to files
live              games in progress, with repetition
statistics        how often moves of the opening were played, and with what success
puct              AlphaZero's search over games in progress, with one call of a network for all of them
layouts           the layouts and features that networks use by default
policy            a network as a player of games, from Python, ONNX or a program
streams           files of positions, read and written in blocks: hcp, hcpe, psv, and Othello's
"""

from shogi_engine.batch.batch import Batch, Legal, Outcomes, SearchResults
from shogi_engine.batch.games import (
    KINDS,
    Games,
    Labelled,
    OpeningMoves,
    Positions,
    RecordWriter,
    count_records,
    from_records,
    iterate_random_games,
    iterate_self_play,
    labelled_positions,
    open_records,
    opening_moves,
    positions_of,
    random_games,
    read_records,
    self_play,
    to_records,
    training_games,
)
from shogi_engine.batch.hcpe3 import Searched, read_hcpe3, write_hcpe3
from shogi_engine.batch.policy import PolicyPlayer, load_network
from shogi_engine.batch.puct import LiveGames, Puct, Steps

__all__ = [
    "Batch",
    "SearchResults",
    "Games",
    "KINDS",
    "Labelled",
    "Legal",
    "LiveGames",
    "OpeningMoves",
    "PolicyPlayer",
    "Outcomes",
    "Positions",
    "Puct",
    "RecordWriter",
    "Searched",
    "Steps",
    "count_records",
    "from_records",
    "iterate_random_games",
    "iterate_self_play",
    "labelled_positions",
    "load_network",
    "open_records",
    "opening_moves",
    "positions_of",
    "random_games",
    "read_hcpe3",
    "read_records",
    "self_play",
    "to_records",
    "training_games",
    "write_hcpe3",
]
