"""Reading records, against cshogi and python-shogi, in turn in one run (`pip install cshogi python-shogi`; optional).

    python -m tools.measure.record_speed --games 1000

Random games are written as CSA and KIF, one per file, and as one CSA file, and are read as arrays, as trees and by the
others' parsers. Figures are microseconds of CPU time per game, the best of the rounds.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shogi_engine import records
from tools.measure.board_speed import is_there, random_game

TREES = 50  # files read as trees, which takes longer


def write_games(folder: Path, count: int) -> None:
    """Write `count` random games to folder/games, a file each, as CSA, to folder/kif as KIF, and to folder/all.csa."""
    from shogi_engine.games.shogi.board import Board

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


def subjects(folder: Path, count: int) -> dict[str, tuple[Callable[[], Any], int]]:
    """Return the functions to time, and the number of games that each reads."""
    files, one = sorted((folder / "games").iterdir()), folder / "all.csa"
    kif = sorted((folder / "kif").iterdir())
    some = files[:TREES]
    found: dict[str, tuple[Callable[[], Any], int]] = {
        "files, arrays": (lambda: list(records.games(folder / "games")), count),
        "one file, arrays": (lambda: list(records.games(one)), count),
        "files, trees": (lambda: [records.load(file) for file in some], len(some)),
        "KIF, arrays": (lambda: list(records.games(folder / "kif")), count),
        "KIF, trees": (lambda: [records.load(file) for file in kif[:TREES]], len(some)),
    }
    if is_there("cshogi"):
        from cshogi import CSA, KIF

        found["files, cshogi"] = (lambda: [CSA.Parser.parse_file(str(file)) for file in files], count)
        found["KIF, cshogi"] = (lambda: [KIF.Parser.parse_file(str(file)) for file in kif], count)
        found["one file, cshogi"] = (lambda: CSA.Parser.parse_file(str(one)), count)
    if is_there("shogi"):
        import shogi.CSA
        import shogi.KIF

        found["files, python-shogi"] = (lambda: [shogi.CSA.Parser.parse_file(str(file)) for file in some], len(some))
        found["KIF, python-shogi"] = (
            lambda: [shogi.KIF.Parser.parse_file(str(file)) for file in kif[:TREES]], len(some),
        )  # fmt: skip
    return found


def main(arguments: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        write_games(Path(name), args.games)
        timed = subjects(Path(name), args.games)
        best: dict[str, float] = {}
        for number in range(args.rounds + 1):
            for what, (work, count) in timed.items():
                began = time.process_time()
                work()
                spent = (time.process_time() - began) / count * 1e6
                if number:  # the first round compiles, or loads
                    best[what] = min(best.get(what, spent), spent)
        for what, microseconds in best.items():
            print(f"{what:22}{microseconds:10.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
