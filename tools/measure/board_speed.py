"""Boards against cshogi and python-shogi, in turn in one run (`pip install cshogi python-shogi`; both are optional).

    python -m tools.measure.board_speed --rounds 5

All operations use the same positions of seeded random games. Figures are operations per second of CPU time, the best of
the rounds. cshogi writes a packed position into a given array; the other boards return bytes.
"""

import argparse
import importlib
import random
import sys
import time
from collections.abc import Callable
from typing import Any

from shogi_engine.games.othello.board import Board as OthelloBoard
from shogi_engine.games.othello.board.entries import ENTRIES as OTHELLO_ENTRIES
from shogi_engine.games.shogi.board import Board
from shogi_engine.games.shogi.board.entries import ENTRIES

POSITIONS = 20
GAME_PLIES = 256  # maximum number of plies of a random game

Batch = tuple[Callable[[], Any], int]  # the function to time, and how many operations it does


def random_game(make: Callable[[], Any], seed: int, plies: int) -> Any:
    """Return a board after at most `plies` random moves."""
    rng, board = random.Random(seed), make()
    for _ in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(rng.choice(moves))
    return board


def sfens() -> list[str]:
    """Return the positions for measuring all Shogi boards."""
    return [random_game(Board, seed, 5 + 8 * seed).sfen() for seed in range(POSITIONS)]


def each(function: Callable[[Any], Any], items: list[Any]) -> Batch:
    """Return the batch that calls `function` for each of `items`."""

    def run() -> None:
        for item in items:
            function(item)

    return run, len(items)


def asked(boards: list[Any], name: str) -> Batch:
    """Return the batch that calls the method `name` of each board, bound beforehand to reduce overhead."""
    methods = [getattr(board, name) for board in boards]

    def run() -> None:
        for method in methods:
            method()

    return run, len(methods)


def common(make: Callable[[], Any], boards: list[Any], games: int) -> dict[str, Batch]:
    """Return the batches with the same code for every board."""
    steps = [(board, move) for board in boards for move in list(board.legal_moves)[:20]]

    def step(board_and_move: tuple[Any, Any]) -> None:
        board, move = board_and_move
        board.push(move)
        board.pop()

    return {
        "list(legal_moves)": each(lambda board: list(board.legal_moves), boards),
        "push + pop": each(step, steps),
        "random games": each(lambda seed: random_game(make, seed, GAME_PLIES), list(range(games))),
    }


def of_shogi(make: Callable[..., Any], positions: list[str], games: int) -> dict[str, Batch]:
    """Return the batches with the same code for every Shogi board."""
    boards = [make(sfen) for sfen in positions]
    played = [random_game(make, seed, 100) for seed in range(len(positions))]
    texts = [(board, move.usi()) for board in boards for move in Board(board.sfen()).legal_moves]

    def step(board_and_text: tuple[Any, str]) -> None:
        board, text = board_and_text
        board.push_usi(text)
        board.pop()

    batches = common(make, boards, games) | {
        "push_usi + pop": each(step, texts),
        "is_check": asked(boards, "is_check"),
        "is_game_over": asked(boards, "is_game_over"),
        "- after 100 plies": asked(played, "is_game_over"),
        "zobrist_hash": asked(boards, "zobrist_hash"),
        "Board(SFEN)": each(make, positions),
        "SFEN out": each(lambda board: board.sfen(), boards),
        "SFEN in": each(make().set_sfen, positions),
    }
    if hasattr(make, "copy"):
        batches["copy"] = asked(boards, "copy")
        batches["copy, 100 plies"] = asked(played, "copy")
    return batches


def ours(positions: list[str]) -> dict[str, Batch]:
    """Return the batches for this package's Board."""
    boards, board = [Board(sfen) for sfen in positions], Board()
    return of_shogi(Board, positions, 10) | {
        "hcp out": each(lambda each_board: each_board.to_hcp(), boards),
        "hcp in": each(board.set_hcp, [each_board.to_hcp() for each_board in boards]),
        "psfen out": each(lambda each_board: each_board.to_psfen(), boards),
        "psfen in": each(board.set_psfen, [each_board.to_psfen() for each_board in boards]),
    }


def of_cshogi(positions: list[str]) -> dict[str, Batch]:
    """Return the batches for cshogi's Board."""
    import cshogi
    import numpy as np

    boards, board = [cshogi.Board(sfen) for sfen in positions], cshogi.Board()
    hcps, psfens = np.zeros((POSITIONS, 32), np.uint8), np.zeros((POSITIONS, 1), cshogi.PackedSfen)
    for each_board, hcp, psfen in zip(boards, hcps, psfens, strict=True):
        each_board.to_hcp(hcp)
        each_board.to_psfen(psfen)
    hcp, psfen = np.zeros(32, np.uint8), np.zeros(1, cshogi.PackedSfen)
    return of_shogi(cshogi.Board, positions, 10) | {
        "hcp out": each(lambda each_board: each_board.to_hcp(hcp), boards),
        "hcp in": each(board.set_hcp, list(hcps)),
        "psfen out": each(lambda each_board: each_board.to_psfen(psfen), boards),
        "psfen in": each(board.set_psfen, list(psfens)),
    }


def of_python_shogi(positions: list[str]) -> dict[str, Batch]:
    """Return the batches for python-shogi's Board, with fewer positions, as it is a thousand times slower."""
    import shogi

    return of_shogi(shogi.Board, positions[::10], 1)


def of_othello() -> dict[str, Batch]:
    """Return the batches for this package's Othello Board."""
    boards = [random_game(OthelloBoard, seed, 2 + 2 * seed) for seed in range(POSITIONS)]
    board = OthelloBoard()
    return common(OthelloBoard, boards, 10) | {
        "OBF out": each(lambda each_board: each_board.obf(), boards),
        "OBF in": each(board.set_obf, [each_board.obf() for each_board in boards]),
        "packed out": each(lambda each_board: each_board.to_packed(), boards),
        "packed in": each(board.set_packed, [each_board.to_packed() for each_board in boards]),
    }


def rate(batch: Batch, seconds: float) -> float:
    """Return a batch's operations per second, timed for `seconds` of CPU time and at least once."""
    run, count = batch
    done, began = 0, time.process_time()
    while not done or time.process_time() - began < seconds:
        run()
        done += count
    return done / (time.process_time() - began)


def measure(subjects: dict[str, dict[str, Batch]], rounds: int, seconds: float) -> dict[str, dict[str, float]]:
    """Return the best rates by operation and subject."""
    best: dict[str, dict[str, float]] = {}
    for number in range(rounds):
        for operation in next(iter(subjects.values())):
            row = best.setdefault(operation, {})
            for name, batches in subjects.items():
                slow = name == "python-shogi" and operation == "random games"
                if operation in batches and not (slow and number):
                    row[name] = max(row.get(name, 0.0), rate(batches[operation], seconds))
    return best


def table(rates: dict[str, dict[str, float]], names: list[str]) -> str:
    """Return the rates as a table, with the ratios of this package's to the others'."""
    lines = ["".join([f"{'':18}", *(f"{name:>14}" for name in names), *(f"{'/ ' + name:>15}" for name in names[1:])])]
    for operation, row in rates.items():
        cells = [f"{row[name]:14,.1f}" if name in row else f"{'-':>14}" for name in names]
        cells += [f"{row[names[0]] / row[name]:15.2f}" if name in row else f"{'-':>15}" for name in names[1:]]
        lines.append(f"{operation:18}{''.join(cells)}")
    return "\n".join(lines)


def is_there(module: str) -> bool:
    """Tell whether a module can be imported."""
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def main(arguments: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.05, help="of CPU time for each figure and round")
    args = parser.parse_args(arguments)
    ENTRIES.warmup()
    OTHELLO_ENTRIES.warmup()
    positions = sfens()
    subjects = {"ours": ours(positions)}
    if is_there("cshogi"):
        subjects["cshogi"] = of_cshogi(positions)
    if is_there("shogi"):
        subjects["python-shogi"] = of_python_shogi(positions)
    print(f"Shogi, times a second\n{table(measure(subjects, args.rounds, args.seconds), list(subjects))}")
    print(f"\nOthello\n{table(measure({'ours': of_othello()}, args.rounds, args.seconds), ['ours'])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
