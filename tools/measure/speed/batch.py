"""Batches and a Python loop that calls cshogi (`pip install cshogi`; optional): positions per second.

    python -m tools.measure.speed batch --positions 4096 --threads 2

Both start with positions of random games, packed as HuffmanCodedPos, and write into existing arrays. Seconds are CPU
time, and wall time to show the gain from several threads, which needs idle cores.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from shogi_engine.batch import Batch, positions_of, random_games
from tools.measure.speed.harness import Measurement, Subjects, is_there, rate

LABELS, PLANES = 2187, (62, 57)  # dlshogi's


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the numbers of positions and threads."""
    parser.add_argument("--positions", type=int, default=2048)
    parser.add_argument("--threads", type=int, default=2, help="in the measurement of threads")


def ours(batch: Batch, positions: Any, moves: Any) -> dict[str, Callable[[], Any]]:
    """Return the operations of a batch, by name."""
    count = len(positions)
    masks, after = np.empty((count, LABELS), bool), np.empty_like(positions)
    planes = {dtype: [np.zeros((count, planes, 9, 9), dtype) for planes in PLANES] for dtype in (np.uint8, np.float32)}
    names = "dlshogi1", "dlshogi2"
    texts = batch.texts(positions)
    return {
        "pack": lambda: batch.pack(texts),
        "texts": lambda: batch.texts(positions),
        "legal masks": lambda: batch.legal_masks(positions, "dlshogi", out=masks),
        "apply": lambda: batch.apply(positions, moves, out=after, checked=False),
        "apply, checked": lambda: batch.apply(positions, moves, out=after),
        "features, uint8": lambda: batch.features(positions, *names, out=planes[np.uint8]),
        "features, float32": lambda: batch.features(positions, *names, out=planes[np.float32]),
    }


def of_cshogi(positions: Any, moves: Any) -> dict[str, Callable[[], Any]]:
    """Return the same operations in a loop with cshogi, whose `push` checks nothing and whose planes are float32."""
    import cshogi
    from cshogi import dlshogi

    board, count = cshogi.Board(), len(positions)
    masks, after = np.empty((count, LABELS), bool), np.empty_like(positions)
    planes = [np.zeros((count, planes, 9, 9), np.float32) for planes in PLANES]
    theirs = []
    for row in range(count):
        board.set_hcp(positions[row])
        theirs.append(board.move_from_move16(int(moves[row])))

    def write_masks() -> None:
        masks[:] = False
        for row in range(count):
            board.set_hcp(positions[row])
            for move in board.legal_moves:
                masks[row, dlshogi.make_move_label(move, board.turn)] = True

    def apply() -> None:
        for row in range(count):
            board.set_hcp(positions[row])
            board.push(theirs[row])
            board.to_hcp(after[row])

    def write_features() -> None:
        for row in range(count):
            board.set_hcp(positions[row])
            dlshogi.make_input_features(board, planes[0][row], planes[1][row])

    texts = []
    for row in range(count):
        board.set_hcp(positions[row])
        texts.append(board.sfen())

    def pack() -> None:
        for row in range(count):
            board.set_sfen(texts[row])
            board.to_hcp(after[row])

    def write_texts() -> list[str]:
        found = []
        for row in range(count):
            board.set_hcp(positions[row])
            found.append(board.sfen())
        return found

    features = {f"features, {dtype}": write_features for dtype in ("uint8", "float32")}
    moving = {"legal masks": write_masks, "apply": apply, "apply, checked": apply}
    return {"pack": pack, "texts": write_texts, **moving, **features}


def positions_and_moves(count: int) -> tuple[Any, Any]:
    """Return `count` positions of random games, and the move made in each (a label of 'ids')."""
    batch = Batch("shogi")
    games = random_games(batch, -(-count // 50), seed=1)
    found = positions_of(batch, games)
    rows = np.random.default_rng(1).permutation(len(found.ply))[:count]
    return found.positions[rows], games.moves[found.game[rows], found.ply[rows]]


def subjects(args: argparse.Namespace) -> Iterator[tuple[str, Subjects]]:
    """Yield batches in one thread and cshogi, by CPU time; then one and several threads, by wall time."""

    def timed(
        operations: dict[str, Callable[[], Any]], clock: Callable[[], float] = time.thread_time
    ) -> dict[str, Measurement]:
        return {name: rate(work, len(positions), args.seconds, clock) for name, work in operations.items()}

    positions, moves = positions_and_moves(args.positions)
    one, several = Batch("shogi"), Batch("shogi", threads=args.threads)
    alone = ours(one, positions, moves)
    for operation in alone.values():
        operation()  # compile or load before timing
    found = {"one thread": timed(alone)}
    if is_there("cshogi"):
        found["cshogi"] = timed(of_cshogi(positions, one.relabel(positions, moves, "ids", "cshogi")))
    yield "positions/CPU s", found
    threads = timed(ours(several, positions, moves), time.perf_counter)
    yield "positions/s", {f"{args.threads} threads": threads, "one thread": timed(alone, time.perf_counter)}
