"""Operations on thousands of positions, for machine learning: they take and return NumPy arrays.

batch    `Batch`: legal moves and masks, moves made, outcomes, features, values, perft
games    random games and games of the engine against itself; positions with a move, a value and a result; files of them
hcpe3    dlshogi's games with the visits of each move
puct     games in progress, with repetition, and AlphaZero's search over them, with one call of a network for all
policy   a network as a player of games, from Python, ONNX or a program
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
    "Batch", "SearchResults", "Games", "KINDS", "Labelled", "Legal", "LiveGames", "OpeningMoves", "PolicyPlayer",
    "Outcomes", "Positions", "Puct", "RecordWriter", "Searched", "Steps", "count_records", "from_records",
    "iterate_random_games", "iterate_self_play", "labelled_positions", "load_network", "open_records",
    "opening_moves", "positions_of", "random_games", "read_hcpe3", "read_records", "self_play", "to_records",
    "training_games", "write_hcpe3",
]  # fmt: skip
