"""Games for the tests of training, played once a run, and small options."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from shogi_engine.training.othello.positions import DataOptions as OthelloDataOptions
from shogi_engine.training.pipeline import make_data
from shogi_engine.training.shogi.recipe import DataOptions

OPTIONS = DataOptions(nodes=50, seed=3, piece_games=50)
SMALL = replace(OPTIONS, piece_games=3, seed=11)
GAMES = 300
OTHELLO = OthelloDataOptions(nodes=20, seed=3, evaluation="patterns", piece_games=40, exact=8)
OTHELLO_GAMES = 80


@cache
def data_folder() -> Path:
    """Return a folder with GAMES games in pieces."""
    folder = Path(mkdtemp(prefix="training-data-"))
    make_data(folder, OPTIONS, GAMES, threads=2)
    return folder


@cache
def othello_folder() -> Path:
    """Return a folder with OTHELLO_GAMES games."""
    folder = Path(mkdtemp(prefix="training-data-"))
    make_data(folder, OTHELLO, OTHELLO_GAMES)
    return folder


class KilledError(Exception):
    """Stands for a kill."""
