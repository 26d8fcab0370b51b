"""Environments for reinforcement learning: PettingZoo's for two agents, Gymnasium's against an opponent.

agents  games in progress, `BoardState` of Shogi and Othello and `SmallOthello` on 4 x 4 or 6 x 6 squares, and their
        environments: `TwoAgents`, for PettingZoo, and `OneAgent`, for Gymnasium
vector  `VectorGames`, hundreds of games at once, for Gymnasium

They need the extra `rl`: pip install '.[rl]'

Importing this package registers Gymnasium's ids, as `shogi_engine/Othello-v0`.
"""

import contextlib
from typing import Any

NAMESPACE, PACKAGE = "shogi_engine", "shogi_engine.environments"


def small_othello(opponent: Any = None, **arguments: Any) -> Any:
    """Return Othello on a small board, against a random opponent if none is given."""
    from shogi_engine.environments.agents import OneAgent, random_opponent

    return OneAgent("othello", random_opponent() if opponent is None else opponent, **arguments)


with contextlib.suppress(ImportError):  # games in progress need no Gymnasium
    from gymnasium.envs.registration import register

    for game in ("Shogi", "Othello"):
        arguments = {"game": game.lower()}
        register(f"{NAMESPACE}/{game}-v0", entry_point=f"{PACKAGE}.agents:OneAgent", kwargs=arguments)
        register(f"{NAMESPACE}/{game}SelfPlay-v0", vector_entry_point=f"{PACKAGE}.vector:VectorGames", kwargs=arguments)
    for size in (4, 6):
        register(f"{NAMESPACE}/Othello{size}x{size}-v0", entry_point=small_othello, kwargs={"size": size})
