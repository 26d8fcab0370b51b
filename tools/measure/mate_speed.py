"""The mate search against cshogi's DfPn, in turn in one run (needs `pip install cshogi`).

    python -m tools.measure.mate_speed tests/data/shogi_mate.json --rounds 5

Each solves every problem with empty tables, in memory that is already mapped. Figures are CPU time to the first proof,
the median of the rounds. Problems of at least --least plies and of unknown length (-1) count; positions without a mate
(0) are only listed. If the two disagree on a problem, it is named and the status is 1.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cshogi

from shogi_engine.games.shogi.mate.solver import MateSolver
from shogi_engine.games.shogi.notation.sfen import parse_sfen
from shogi_engine.search.forced_win import ForcedWin

NODES = 20_000_000  # at which both give up


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of `work` and its CPU seconds."""
    began = time.process_time()
    result = work()
    return result, time.process_time() - began


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--least", type=int, default=9, metavar="PLIES")
    args = parser.parse_args()
    solver = MateSolver(256)
    solver.warmup()
    other = cshogi.DfPn(depth=127, nodes=NODES, draw_ply=100_000)
    ratios, differ = [], 0
    for row in [row for file in args.files for row in json.loads(Path(file).read_text())["positions"]]:
        if 0 < row["mate"] < args.least:
            continue
        position, board = parse_sfen(row["sfen"]), cshogi.Board(row["sfen"])
        rows: list[tuple[float, float]] = []
        for _ in range(args.rounds):
            ours, our_time = timed(lambda: solver.solve(position, nodes=NODES))  # noqa: B023
            theirs, their_time = timed(lambda: other.search(board))  # noqa: B023
            rows.append((our_time, their_time))
        assert isinstance(ours, ForcedWin)
        ratio = statistics.median(theirs / ours for ours, theirs in rows)
        if row["mate"] != 0:
            ratios.append(ratio)
        agree = ours.result == "timeout" or theirs == (ours.result == "mate")
        differ += not agree
        our_ms, their_ms = (1000 * statistics.median(column) for column in zip(*rows, strict=True))
        print(
            f"{row['mate']:>3}  {ours.result:<7} {our_ms:8.2f} ms {ours.nodes:>9} nodes   cshogi {theirs!s:<5} "
            f"{their_ms:8.2f} ms   ratio {ratio:5.2f}{'' if agree else '   DIFFERENT'}",
            flush=True,
        )
    if ratios:
        print(
            f"{len(ratios)} problems of {args.least} plies and more: the median of cshogi's time over ours is "
            f"{statistics.median(ratios):.2f}, lowest {min(ratios):.2f}, highest {max(ratios):.2f}"
        )
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
