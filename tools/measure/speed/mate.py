"""The mate search beside cshogi's DfPn (`pip install cshogi`): problems per CPU second, by problem.

    python -m tools.measure.speed mate tests/data/shogi_mate.json

Each solves every problem with empty tables, in memory that is already mapped. Problems of at least --least plies, of
unknown length (-1) and without a mate (0) count. It is an error if the two disagree on a problem.
"""

import argparse
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import cshogi

from shogi_engine.games.shogi.mate.solver import MateSolver
from shogi_engine.games.shogi.sfen import parse_sfen
from tools.measure.speed.harness import Subjects, rate

NODES = 20_000_000  # at which both give up


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the problems."""
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--least", type=int, default=9, metavar="PLIES")


def subjects(args: argparse.Namespace) -> Iterator[tuple[str, Subjects]]:
    """Yield both solvers. Raises ValueError if they disagree."""
    solver, other = MateSolver(256), cshogi.DfPn(depth=127, nodes=NODES, draw_ply=100_000)
    solver.warmup()
    found: Subjects = {"ours": {}, "cshogi": {}}
    for number, row in enumerate([row for file in args.files for row in json.loads(file.read_text())["positions"]], 1):
        if 0 < row["mate"] < args.least:
            continue
        position, board, name = parse_sfen(row["sfen"]), cshogi.Board(row["sfen"]), f"{number}. mate in {row['mate']}"
        result = solver.solve(position, nodes=NODES).result
        if result != "timeout" and other.search(board) != (result == "mate"):
            raise ValueError(f"{name}: {result} here, not for cshogi: {row['sfen']}")
        found["ours"][name] = rate(partial(solver.solve, position, nodes=NODES), seconds=0)
        found["cshogi"][name] = rate(partial(other.search, board), seconds=0)
    yield "problems/s", found
