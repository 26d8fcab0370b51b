"""Boards beside cshogi and python-shogi (`pip install cshogi python-shogi`; optional): operations per CPU second.

    python -m tools.measure.speed board --rounds 5

All operations use the same positions of seeded random games; python-shogi has fewer of them, as it is a thousand times
slower. cshogi writes a packed position into a given array; the other boards return bytes.
"""

import argparse
import random
from collections.abc import Callable, Iterator
from typing import Any

from shogi_engine.games.othello.board import ENTRIES as OTHELLO_ENTRIES, Board as OthelloBoard
from shogi_engine.games.shogi.board import Board
from shogi_engine.games.shogi.board.board import ENTRIES
from tools.measure.speed.harness import Subjects, each, is_there, rate

POSITIONS = 20
GAME_PLIES = 256  # maximum number of plies of a random game

Batch = tuple[Callable[[], Any], int]  # the function to time, and how many operations it does


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take none of its own."""


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


def of_each(function: Callable[[Any], Any], items: list[Any]) -> Batch:
    """Return the batch that calls `function` for each of `items`."""
    return each(function, items), len(items)


def asked(boards: list[Any], name: str) -> Batch:
    """Return the batch that calls the method `name` of each board, bound beforehand to reduce overhead."""
    return of_each(lambda method: method(), [getattr(board, name) for board in boards])


def common(make: Callable[[], Any], boards: list[Any], games: int) -> dict[str, Batch]:
    """Return the batches with the same code for every board."""
    steps = [(board, move) for board in boards for move in list(board.legal_moves)[:20]]

    def step(board_and_move: tuple[Any, Any]) -> None:
        board, move = board_and_move
        board.push(move)
        board.pop()

    return {
        "list(legal_moves)": of_each(lambda board: list(board.legal_moves), boards),
        "push + pop": of_each(step, steps),
        "random games": of_each(lambda seed: random_game(make, seed, GAME_PLIES), list(range(games))),
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
        "push_usi + pop": of_each(step, texts),
        "is_check": asked(boards, "is_check"),
        "is_game_over": asked(boards, "is_game_over"),
        "- after 100 plies": asked(played, "is_game_over"),
        "zobrist_hash": asked(boards, "zobrist_hash"),
        "Board(SFEN)": of_each(make, positions),
        "SFEN out": of_each(lambda board: board.sfen(), boards),
        "SFEN in": of_each(make().set_sfen, positions),
    }
    if hasattr(make, "copy"):
        batches["copy"] = asked(boards, "copy")
        batches["copy, 100 plies"] = asked(played, "copy")
    return batches


def ours(positions: list[str]) -> dict[str, Batch]:
    """Return the batches for this package's Board."""
    boards, board = [Board(sfen) for sfen in positions], Board()
    return of_shogi(Board, positions, 10) | {
        "hcp out": of_each(lambda each_board: each_board.to_hcp(), boards),
        "hcp in": of_each(board.set_hcp, [each_board.to_hcp() for each_board in boards]),
        "psfen out": of_each(lambda each_board: each_board.to_psfen(), boards),
        "psfen in": of_each(board.set_psfen, [each_board.to_psfen() for each_board in boards]),
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
        "hcp out": of_each(lambda each_board: each_board.to_hcp(hcp), boards),
        "hcp in": of_each(board.set_hcp, list(hcps)),
        "psfen out": of_each(lambda each_board: each_board.to_psfen(psfen), boards),
        "psfen in": of_each(board.set_psfen, list(psfens)),
    }


def of_python_shogi(positions: list[str]) -> dict[str, Batch]:
    """Return the batches for python-shogi's Board."""
    import shogi

    return of_shogi(shogi.Board, positions[::10], 1)


def of_othello() -> dict[str, Batch]:
    """Return the batches for this package's Othello Board."""
    boards = [random_game(OthelloBoard, seed, 2 + 2 * seed) for seed in range(POSITIONS)]
    board = OthelloBoard()
    return common(OthelloBoard, boards, 10) | {
        "OBF out": of_each(lambda each_board: each_board.obf(), boards),
        "OBF in": of_each(board.set_obf, [each_board.obf() for each_board in boards]),
        "packed out": of_each(lambda each_board: each_board.to_packed(), boards),
        "packed in": of_each(board.set_packed, [each_board.to_packed() for each_board in boards]),
    }


def subjects(args: argparse.Namespace) -> Iterator[tuple[str, Subjects]]:
    """Yield the Shogi boards, then the Othello board."""
    ENTRIES.warmup()
    OTHELLO_ENTRIES.warmup()
    positions = sfens()
    batches = {"ours": ours(positions)}
    if is_there("cshogi"):
        batches["cshogi"] = of_cshogi(positions)
    if is_there("shogi"):
        batches["python-shogi"] = of_python_shogi(positions)
    for title, named in (("Shogi, 1/s", batches), ("Othello, 1/s", {"ours": of_othello()})):
        yield (
            title,
            {
                name: {operation: rate(*batch, args.seconds) for operation, batch in operations.items()}
                for name, operations in named.items()
            },
        )
