"""The opening explorer: games added to an index per CPU second, and positions answered per CPU second.

    python -m tools.measure.speed explorer --games 20000

Random games are added from one CSA file; the positions are the first of one of them.
"""

import argparse
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from shogi_engine import records
from shogi_engine.explorer import Explorer
from shogi_engine.games.shogi.board import Board
from tools.measure.speed.board import random_game
from tools.measure.speed.harness import Subjects, each, rate

PLIES = 120  # of each game


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the number of games."""
    parser.add_argument("--games", type=int, default=5000)


def add_all(file: Path) -> None:
    """Add a file's games to a new index."""
    with tempfile.TemporaryDirectory() as folder, Explorer(Path(folder) / "games.idx", "shogi") as explorer:
        explorer.add(file)


def subjects(args: argparse.Namespace) -> Iterator[tuple[str, Subjects]]:
    """Yield what is timed: random games, and the first positions of one of them."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "all.csa"
        games = [random_game(Board, number, PLIES) for number in range(args.games)]
        records.save([game.record("resignation") for game in games], file)
        with Explorer(Path(name) / "games.idx", "shogi") as explorer:
            explorer.add(file)

            def look_up(board: Board) -> None:
                explorer.moves(board)
                explorer.played(board)

            boards = [random_game(Board, 0, plies) for plies in range(20)]
            answers = rate(each(look_up, boards), len(boards), args.seconds)
            add = rate(partial(add_all, file), args.games, args.seconds)
            yield "1/s", {"explorer": {"one CSA file": add, "moves and games": answers}}
