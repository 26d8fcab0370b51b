"""Perft beside cshogi driven from Python (`pip install cshogi`): leaves per second of CPU time, in millions.

    python -m tools.measure.speed perft --rounds 3

cshogi counts the last ply as `len(board.legal_moves)`. It searches one ply less, as it is slower.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import cshogi

from shogi_engine.games import load
from shogi_engine.perft import perft
from tools.measure.speed.harness import Measurement, Subjects
from tools.measure.speed.usi import POSITIONS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take none of its own."""


def cshogi_perft(board: cshogi.Board, depth: int) -> int:
    """Return the leaves `depth` plies below `board`."""
    if depth == 1:
        return len(board.legal_moves)
    nodes = 0
    for move in board.legal_moves:
        board.push(move)
        nodes += cshogi_perft(board, depth - 1)
        board.pop()
    return nodes


def speed(count: Callable[..., Any], *arguments: Any, **options: Any) -> Measurement:
    """Return the measurement of millions of leaves per second of CPU time."""

    def measured() -> float:
        began = time.process_time()
        found = count(*arguments, **options)
        return getattr(found, "nodes", found) / (time.process_time() - began) / 1e6

    return measured


def subjects(args: argparse.Namespace) -> Iterator[tuple[str, Subjects]]:
    """Yield this package's perft, cshogi's, and this package's with every move made."""
    game = load("shogi")
    found: Subjects = {"ours": {}, "cshogi": {}, "every move made": {}}
    for name, sfen, depth in (("start", POSITIONS[0], 5), ("midgame", POSITIONS[1], 4)):
        position, board, what = game.parse_position(sfen), cshogi.Board(sfen), f"{name}, depth {depth}"
        perft(game, position, 3)
        perft(game, position, 3, bulk=False)
        found["ours"][what] = speed(perft, game, position, depth)
        found["cshogi"][what] = speed(cshogi_perft, board, depth - 1)
        found["every move made"][what] = speed(perft, game, position, depth - 1, bulk=False)
    yield "million leaves/s", found
