"""Reading records, beside cshogi and python-shogi (`pip install cshogi python-shogi`; optional): games per CPU second.

    python -m tools.measure.speed record --games 1000

Random games are written as CSA and KIF, one per file, and as one CSA file. They are read as arrays, as trees and by the
others' parsers.
"""

import argparse
import random
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from shogi_engine import records
from shogi_engine.games.shogi.board import Board
from tools.measure.speed.board import random_game
from tools.measure.speed.harness import Subjects, each, is_there, rate

TREES = 50  # files read as trees, which takes longer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the number of games."""
    parser.add_argument("--games", type=int, default=1000)


def write_games(folder: Path, count: int) -> None:
    """Write `count` random games to folder/games, a file each, as CSA, to folder/kif as KIF, and to folder/all.csa."""
    rng, found = random.Random(1), []
    (folder / "games").mkdir()
    (folder / "kif").mkdir()
    for number in range(count):
        record = random_game(Board, number, rng.randrange(60, 180)).record("resignation")
        record.names = [f"black{number}", f"white{number}"]
        for node in record.main_line[1:]:
            node.seconds = float(rng.randrange(60))
        records.save(record, folder / "games" / f"{number:05}.csa")
        records.save(record, folder / "kif" / f"{number:05}.kif")
        found.append(record)
    records.save(found, folder / "all.csa")


def read_arrays(place: Path) -> None:
    """Read a file or folder as arrays."""
    for _ in records.games(place):
        pass


def subjects(args: argparse.Namespace) -> Iterator[tuple[str, Subjects]]:
    """Yield the readers."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_games(folder, args.games)
        places = {"CSA files": folder / "games", "KIF files": folder / "kif", "one CSA file": folder / "all.csa"}

        def reader(read: Callable[[str], Any], most: int = TREES) -> dict[str, Any]:
            files = {what: sorted(place.iterdir())[:most] for what, place in places.items() if place.is_dir()}
            return {what: rate(each(read, map(str, found)), len(found), args.seconds) for what, found in files.items()}

        def by_suffix(csa: Any, kif: Any) -> Callable[[str], Any]:
            return lambda file: (csa if file.endswith("csa") else kif).Parser.parse_file(file)

        arrays = {what: rate(partial(read_arrays, place), args.games, args.seconds) for what, place in places.items()}
        for work in arrays.values():
            work()  # compile or load before timing
        found: Subjects = {"arrays": arrays, "trees": reader(records.load)}
        if is_there("cshogi"):
            from cshogi import CSA, KIF

            one = rate(lambda: CSA.Parser.parse_file(str(places["one CSA file"])), args.games, args.seconds)
            found["cshogi"] = reader(by_suffix(CSA, KIF), args.games) | {"one CSA file": one}
        if is_there("shogi"):
            import shogi.CSA
            import shogi.KIF

            found["python-shogi"] = reader(by_suffix(shogi.CSA, shogi.KIF))
        yield "games/s", found
