"""Games of the Shogi engine against itself, as data for tools/tuning/tune.py.

    python -m tools.training.selfplay FOLDER --games 4000 --nodes 800 --seed 1 [--weights FILE]

Games begin with moves at random and go on with a small search; they end by the rules or when decided. FOLDER gets
pieces of 100 games, piece-SEED-NUMBER.npz: `moves` uint32 and `values` int16 of all games one after the other (from the
starting position; the value is what the search found for the side to move, VALUE_NONE for a move made at random),
`lengths` and `results` (1, 0, -1 for black) by game. A position is thus six bytes. A piece that is there is not made
again, so a run that was stopped goes on when started again; a piece depends on seed, number and options only.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.evaluation import Evaluator
from shogi_engine.games.shogi import GAME
from shogi_engine.search.context import ALL_FLAGS, new_context
from shogi_engine.search.history import Histories, forget
from shogi_engine.search.tt import TranspositionTable
from tools.training.selfplay_kernels import ABANDONED, play_game

PIECE_GAMES = 100
LONGEST = 320
NEVER = np.zeros(1, dtype=np.uint64)  # a stop word that is never set


def search_context(evaluator: Evaluator, table: TranspositionTable, histories: Histories) -> Any:
    """Return a context that searches with `evaluator`, `table` and `histories`, which must all outlive it."""
    ctx = new_context(GAME, histories, evaluator)
    ctx.search_flags = ALL_FLAGS
    ctx.stop_address = NEVER.ctypes.data
    ctx.tt_address, ctx.tt_clusters, ctx.generation = table.address, table.clusters, table.generation
    return ctx


def play_piece(players: list[Any], seed: int, number: int, arguments: argparse.Namespace) -> dict[str, np.ndarray]:
    """Return the arrays of one piece."""
    random = np.random.default_rng([seed, number])
    start = GAME.parse_position(GAME.start)
    moves, values = np.zeros(LONGEST, dtype=np.uint32), np.zeros(LONGEST, dtype=np.int16)
    games: list[tuple[np.ndarray, np.ndarray, int]] = []
    while len(games) < PIECE_GAMES:
        state = random.integers(1, 1 << 63, size=1, dtype=np.uint64)
        plies = int(random.integers(arguments.random[0], arguments.random[1] + 1))
        for ctx in players:
            ctx.pos = start
        result, length = play_game(
            *players, state, arguments.nodes, plies, arguments.balance, arguments.decided, LONGEST, moves, values
        )
        if result != ABANDONED:
            games.append((moves[:length].copy(), values[:length].copy(), result))
    return {
        "moves": np.concatenate([game[0] for game in games]),
        "values": np.concatenate([game[1] for game in games]),
        "lengths": np.array([len(game[0]) for game in games], dtype=np.int32),
        "results": np.array([game[2] for game in games], dtype=np.int8),
    }


def main() -> int:
    """Play and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--nodes", type=int, default=800, help="a move")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--weights", type=Path, help="of tune.py; those of the package if not given")
    parser.add_argument("--random", type=int, nargs=2, default=(4, 14), help="fewest and most moves made at random")
    parser.add_argument("--balance", type=int, default=500, help="most centipawns either side is ahead after them")
    parser.add_argument("--decided", type=int, default=2000, help="centipawns")
    arguments = parser.parse_args()
    evaluator = GAME.evaluation("king-piece").load(arguments.weights)
    table = TranspositionTable(8)
    histories = [Histories(GAME) for _ in range(2)]
    players = [search_context(evaluator, table, each) for each in histories]
    arguments.folder.mkdir(parents=True, exist_ok=True)
    pieces = -(-arguments.games // PIECE_GAMES)
    began, positions = time.process_time(), 0
    for number in range(pieces):
        file = arguments.folder / f"piece-{arguments.seed}-{number:04}.npz"
        if file.exists():
            continue
        table.clear()
        for ctx in players:
            forget(ctx)
        piece = play_piece(players, arguments.seed, number, arguments)
        aside = file.with_suffix(".tmp.npz")
        np.savez_compressed(aside, **piece)  # type: ignore[arg-type]
        aside.rename(file)
        positions += len(piece["moves"])
        rate = positions / (time.process_time() - began)
        share = [float(np.mean(piece["results"] == result)) for result in (1, 0, -1)]
        line = f"{number + 1} of {pieces} pieces: {positions} positions, {rate:.0f} a CPU second"
        print(f"{line}; won, drawn, lost by black: {share}", file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
