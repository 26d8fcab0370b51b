"""Boards, perft, mates, records and the explorer, beside cshogi and python-shogi where they have them."""

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from shogi_engine import games, perft as counting, records
from shogi_engine.explorer import Explorer
from shogi_engine.games.othello.board import ENTRIES as OTHELLO_ENTRIES, Board as OthelloBoard
from shogi_engine.games.shogi.board import Board
from shogi_engine.games.shogi.board.board import ENTRIES
from shogi_engine.games.shogi.mate.solver import MateSolver
from shogi_engine.games.shogi.sfen import parse_sfen
from tools.measure.speed import Measurement, Subjects, comparison, each, is_there, rate
from tools.measure.speed.engines import POSITIONS

BOARDS = 20
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
    return [random_game(Board, seed, 5 + 8 * seed).sfen() for seed in range(BOARDS)]


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
    hcps, psfens = np.zeros((BOARDS, 32), np.uint8), np.zeros((BOARDS, 1), cshogi.PackedSfen)
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
    boards = [random_game(OthelloBoard, seed, 2 + 2 * seed) for seed in range(BOARDS)]
    board = OthelloBoard()
    return common(OthelloBoard, boards, 10) | {
        "OBF out": of_each(lambda each_board: each_board.obf(), boards),
        "OBF in": of_each(board.set_obf, [each_board.obf() for each_board in boards]),
        "packed out": of_each(lambda each_board: each_board.to_packed(), boards),
        "packed in": of_each(board.set_packed, [each_board.to_packed() for each_board in boards]),
    }


@comparison()
def board(args: argparse.Namespace) -> Iterator[tuple[str, Subjects]]:
    """Boards beside cshogi and python-shogi (`pip install cshogi python-shogi`; optional): operations per CPU second.

        python -m tools.measure.speed board --rounds 5

    All operations use the same positions of seeded random games; python-shogi has fewer of them, as it is a thousand
    times slower. cshogi writes a packed position into a given array; the other boards return bytes.
    """
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


def cshogi_perft(board: Any, depth: int) -> int:
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


@comparison()
def perft(args: argparse.Namespace) -> Iterator[tuple[str, Subjects]]:
    """Perft beside cshogi driven from Python (`pip install cshogi`): leaves per second of CPU time, in millions.

        python -m tools.measure.speed perft --rounds 3

    cshogi counts the last ply as `len(board.legal_moves)`. It searches one ply less, as it is slower.
    """
    import cshogi

    game = games.load("shogi")
    found: Subjects = {"ours": {}, "cshogi": {}, "every move made": {}}
    for name, sfen, depth in (("start", POSITIONS[0], 5), ("midgame", POSITIONS[1], 4)):
        position, board, what = game.parse_position(sfen), cshogi.Board(sfen), f"{name}, depth {depth}"
        counting.perft(game, position, 3)
        counting.perft(game, position, 3, bulk=False)
        found["ours"][what] = speed(counting.perft, game, position, depth)
        found["cshogi"][what] = speed(cshogi_perft, board, depth - 1)
        found["every move made"][what] = speed(counting.perft, game, position, depth - 1, bulk=False)
    yield "million leaves/s", found


NODES = 20_000_000  # at which both give up


def mate_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the problems."""
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--least", type=int, default=9, metavar="PLIES")


@comparison(mate_arguments)
def mate(args: argparse.Namespace) -> Iterator[tuple[str, Subjects]]:
    """The mate search beside cshogi's DfPn (`pip install cshogi`): problems per CPU second, by problem.

        python -m tools.measure.speed mate tests/data/shogi_mate.json

    Each solves every problem with empty tables, in memory that is already mapped. Problems of at least --least plies,
    of unknown length (-1) and without a mate (0) count. It is an error if the two disagree on a problem.
    """
    import cshogi

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


TREES = 50  # files read as trees, which takes longer


def record_arguments(parser: argparse.ArgumentParser) -> None:
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


@comparison(record_arguments)
def record(args: argparse.Namespace) -> Iterator[tuple[str, Subjects]]:
    """Reading records, beside cshogi and python-shogi (`pip install` them; optional): games per CPU second.

        python -m tools.measure.speed record --games 1000

    Random games are written as CSA and KIF, one per file, and as one CSA file. They are read as arrays, as trees and by
    the others' parsers.
    """
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


PLIES = 120  # of each game


def explorer_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the number of games."""
    parser.add_argument("--games", type=int, default=5000)


def add_all(file: Path) -> None:
    """Add a file's games to a new index."""
    with tempfile.TemporaryDirectory() as folder, Explorer(Path(folder) / "games.idx", "shogi") as explorer:
        explorer.add(file)


@comparison(explorer_arguments)
def explorer(args: argparse.Namespace) -> Iterator[tuple[str, Subjects]]:
    """The opening explorer: games added to an index per CPU second, and positions answered per CPU second.

        python -m tools.measure.speed explorer --games 20000

    Random games are added from one CSA file; the positions are the first of one of them.
    """
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
