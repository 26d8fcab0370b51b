"""Moves per CPU second in random games, without the choice of the moves: the vector environment, pgx and cshogi.

    python -m tools.measure.speed vector --games 64 256

pgx and cshogi are measured if they are installed (`pip install pgx cshogi`): pgx with 64 games at once, as its planes
and masks are always there; cshogi's Board in a loop, with a list of the legal moves in place of the masks.
"""

import argparse
import random
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from shogi_engine.environments.vector import VectorGames
from tools.measure.speed.harness import Measurement, Subjects, is_there

GAMES = ("shogi", "othello")
PGX_GAMES, LONGEST = 64, 512  # games at once; plies of a game of cshogi's

KINDS: dict[str, dict[str, Any]] = {
    "planes uint8, masks": {},
    "planes float32, masks": {"dtype": np.float32},
    "masks": {"planes": False},
    "neither": {"planes": False, "masks": False},
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the numbers of games."""
    parser.add_argument("--games", type=int, nargs="+", default=[64, 256], help="at once")


def steps(env: VectorGames, seconds: float) -> Measurement:
    """Return the measurement of the moves per CPU second."""

    def measured() -> float:
        spent, made = 0.0, 0
        while not made or spent < seconds:
            actions = env.random_actions()
            began = time.process_time()
            env.step(actions)
            spent += time.process_time() - began
            made += env.num_envs
        return made / max(spent, 1e-9)

    return measured


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

    def measured() -> float:
        nonlocal state, keys
        spent, made = 0.0, 0
        while not made or spent < seconds:
            keys, one, other = jax.random.split(keys, 3)
            actions = jax.block_until_ready(choose(state, one))
            others = jax.random.split(other, PGX_GAMES)
            began = time.process_time()
            state = jax.block_until_ready(step(state, actions, others))
            spent += time.process_time() - began
            made += PGX_GAMES
        return made / max(spent, 1e-9)

    measured()  # compiles
    return measured


def steps_of_cshogi(seconds: float) -> Measurement:
    """Return the measurement of one of cshogi's Boards."""
    import cshogi

    board, rng = cshogi.Board(), random.Random(1)

    def measured() -> float:
        spent, made, moves = 0.0, 0, list(board.legal_moves)
        while not made or spent < seconds:
            move = rng.choice(moves)
            began = time.process_time()
            board.push(move)
            if board.is_game_over() or board.move_number > LONGEST:
                board.reset()
            moves = list(board.legal_moves)
            spent += time.process_time() - began
            made += 1
        return made / max(spent, 1e-9)

    return measured


def subjects(args: argparse.Namespace) -> Iterator[tuple[str, Subjects]]:
    """Yield the environments of each number of games."""
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
