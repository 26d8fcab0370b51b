"""Batches against cshogi in a Python loop, in turn in one run (`pip install cshogi`; without it, batches alone).

    python -m tools.measure.batch_speed --positions 4096 --threads 2

Both start with positions of random games, packed as HuffmanCodedPos, and write into existing arrays. Figures are
microseconds per position, the best of the rounds: CPU time, or wall time to show the gain from several threads, which
needs idle cores. Many rounds of few positions find moments in which the cores are idle.
"""

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from shogi_engine.batch import Batch, positions_of, random_games
from tools.measure.board_speed import is_there

LABELS, PLANES = 2187, (62, 57)  # dlshogi's


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


def measure(
    subjects: dict[str, dict[str, Callable[[], Any]]], rounds: int, count: int, clock: Callable[[], float]
) -> dict[str, dict[str, float]]:
    """Return the best times of each operation by subject, in microseconds a position."""
    best: dict[str, dict[str, float]] = {}
    for _ in range(rounds):
        for operation in next(iter(subjects.values())):
            row = best.setdefault(operation, {})
            for name, operations in subjects.items():
                began = clock()
                operations[operation]()
                seconds = clock() - began
                row[name] = min(row.get(name, np.inf), 1e6 * seconds / count)
    return best


def table(times: dict[str, dict[str, float]], names: list[str]) -> str:
    """Return the times as a table, with the ratios of the others to the first."""
    lines = ["".join([f"{'':18}", *(f"{name:>12}" for name in names), *(f"{name + ' /':>14}" for name in names[1:])])]
    for operation, row in times.items():
        cells = [f"{row[name]:12.2f}" for name in names] + [f"{row[name] / row[names[0]]:14.2f}" for name in names[1:]]
        lines.append(f"{operation:18}{''.join(cells)}")
    return "\n".join(lines)


def positions_and_moves(count: int) -> tuple[Any, Any]:
    """Return `count` positions of random games, and the move made in each (a label of 'ids')."""
    batch = Batch("shogi")
    games = random_games(batch, -(-count // 50), seed=1)
    found = positions_of(batch, games)
    rows = np.random.default_rng(1).permutation(len(found.ply))[:count]
    return found.positions[rows], games.moves[found.game[rows], found.ply[rows]]


def main(arguments: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=2048)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2, help="threads of the second column")
    args = parser.parse_args(arguments)
    positions, moves = positions_and_moves(args.positions)
    one, several = Batch("shogi"), Batch("shogi", threads=args.threads)
    alone = ours(one, positions, moves)
    for operation in alone.values():
        operation()  # compile or load before timing
    subjects = {"one thread": alone}
    if is_there("cshogi"):
        subjects["cshogi"] = of_cshogi(positions, one.relabel(positions, moves, "ids", "cshogi"))
    times = measure(subjects, args.rounds, len(positions), time.thread_time)
    print(f"microseconds of CPU time a position\n{table(times, list(subjects))}")
    subjects = {f"{args.threads} threads": ours(several, positions, moves), "one thread": alone}
    times = measure(subjects, 4 * args.rounds, len(positions), time.perf_counter)
    print(f"\nmicroseconds of wall time a position\n{table(times, list(subjects))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
