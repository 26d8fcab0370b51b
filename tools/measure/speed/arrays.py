"""Thousands of positions at once: batches, PUCT and the vector environment."""

import argparse
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from shogi_engine.batch import Batch, LiveGames, Puct, positions_of, random_games
from tools.measure.speed import Measurement, Subjects, comparison, is_there, rate

LABELS, PLANES = 2187, (62, 57)  # dlshogi's


def batch_arguments(parser: argparse.ArgumentParser) -> None:
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


@comparison(batch_arguments)
def batch(args: argparse.Namespace) -> Iterator[tuple[str, Subjects]]:
    """Batches and a Python loop that calls cshogi (`pip install cshogi`; optional): positions per second.

        python -m tools.measure.speed batch --positions 4096 --threads 2

    Both start with positions of random games, packed as HuffmanCodedPos, and write into existing arrays. Seconds are
    CPU time, and wall time to show the gain from several threads, which needs idle cores.
    """

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


LAYOUTS = {"othello": ("squares+pass", ("planes",)), "shogi": ("dlshogi", ("dlshogi1", "dlshogi2"))}


def puct_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the size of the searches."""
    parser.add_argument("--trees", type=int, default=256)
    parser.add_argument("--simulations", type=int, default=400)


@comparison(puct_arguments)
def puct(args: argparse.Namespace) -> Iterator[tuple[str, Subjects]]:
    """PUCT's simulations per second of CPU time, with a network that takes no time and one that reads planes.

    python -m tools.measure.speed puct --trees 256 --simulations 400
    """
    found: Subjects = {"no network": {}, "planes": {}}
    for game, (layout, features) in LAYOUTS.items():
        for name, read in (("no network", ()), ("planes", features)):

            def network(leaves: LiveGames, read: tuple[str, ...] = read) -> tuple[None, np.ndarray]:
                if read:
                    leaves.features(*read)
                return None, np.zeros(len(leaves))

            def searched(game: str = game, layout: str = layout, network=network) -> None:
                Puct(Batch(game), args.trees, network, layout=layout).run(args.simulations)

            Puct(Batch(game), args.trees, network, layout=layout).run(10)  # compiles, or loads
            found[name][game] = rate(searched, args.trees * args.simulations, 0)
    yield "simulations/s", found


GAMES = ("shogi", "othello")
PGX_GAMES, LONGEST = 64, 512  # games at once; plies of a game of cshogi's

KINDS: dict[str, dict[str, Any]] = {
    "planes uint8, masks": {},
    "planes float32, masks": {"dtype": np.float32},
    "masks": {"planes": False},
    "neither": {"planes": False, "masks": False},
}


def vector_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the numbers of games."""
    parser.add_argument("--games", type=int, nargs="+", default=[64, 256], help="at once")


def moves_rate(choose: Callable[[], Any], step: Callable[[Any], object], count: int, seconds: float) -> Measurement:
    """Return the measurement of the moves per CPU second of `step(choose())`, which makes `count`, without `choose`."""

    def measured() -> float:
        spent, made = 0.0, 0
        while not made or spent < seconds:
            chosen = choose()
            began = time.process_time()
            step(chosen)
            spent += time.process_time() - began
            made += count
        return made / max(spent, 1e-9)

    return measured


def steps(env: Any, seconds: float) -> Measurement:
    """Return the measurement of the moves per CPU second."""
    return moves_rate(env.random_actions, env.step, env.num_envs, seconds)


def steps_of_pgx(game: str, seconds: float) -> Measurement:
    """Return the measurement of pgx, which begins a new game where one has ended."""
    import jax
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(game)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(1), PGX_GAMES))
    step = jax.jit(jax.vmap(auto_reset(env.step, env.init)))
    choose = jax.jit(lambda state, key: jax.random.categorical(key, jax.numpy.log(state.legal_action_mask), axis=-1))
    keys = jax.random.PRNGKey(2)

    def chosen() -> tuple[Any, Any]:
        nonlocal keys
        keys, one, other = jax.random.split(keys, 3)
        return jax.block_until_ready(choose(state, one)), jax.random.split(other, PGX_GAMES)

    def play(actions_and_keys: tuple[Any, Any]) -> None:
        nonlocal state
        state = jax.block_until_ready(step(state, *actions_and_keys))

    measured = moves_rate(chosen, play, PGX_GAMES, seconds)
    measured()  # compiles
    return measured


def steps_of_cshogi(seconds: float) -> Measurement:
    """Return the measurement of one of cshogi's Boards."""
    import cshogi

    board, rng = cshogi.Board(), random.Random(1)
    moves = list(board.legal_moves)

    def play(move: int) -> None:
        nonlocal moves
        board.push(move)
        if board.is_game_over() or board.move_number > LONGEST:
            board.reset()
        moves = list(board.legal_moves)

    return moves_rate(lambda: rng.choice(moves), play, 1, seconds)


@comparison(vector_arguments)
def vector(args: argparse.Namespace) -> Iterator[tuple[str, Subjects]]:
    """Moves per CPU second in random games, without the choice of the moves: the vector environment, pgx and cshogi.

        python -m tools.measure.speed vector --games 64 256

    pgx and cshogi are measured if they are installed (`pip install pgx cshogi`): pgx with 64 games at once, as its
    planes and masks are always there; cshogi's Board in a loop, with a list of the legal moves in place of the masks.
    """
    from shogi_engine.environments.vector import VectorGames

    found: Subjects = {f"{count} games": {} for count in args.games}
    for game in GAMES:
        for kind, options in KINDS.items():
            for count in args.games:
                env = VectorGames(game, count, **options)
                env.reset(seed=1)
                steps(env, 0.0)()  # compiles, or loads
                found[f"{count} games"][f"{game}, {kind}"] = steps(env, args.seconds)
    if is_there("pgx"):
        found["pgx"] = {f"{game}, {next(iter(KINDS))}": steps_of_pgx(game, args.seconds) for game in GAMES}
    if is_there("cshogi"):
        found["cshogi"] = {"shogi, masks": steps_of_cshogi(args.seconds)}
    yield "moves/s", found
