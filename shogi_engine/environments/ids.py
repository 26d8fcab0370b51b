"""The environments' Gymnasium ids. Importing this module registers them."""

from typing import Any

from gymnasium.envs.registration import register

NAMESPACE, PACKAGE = "shogi_engine", "shogi_engine.environments"


def small_othello(opponent: Any = None, **arguments: Any) -> Any:
    """Return Othello on a small board, against a random opponent if none is given."""
    from shogi_engine.environments.one_agent import OneAgent, random_opponent

    return OneAgent("othello", random_opponent() if opponent is None else opponent, **arguments)


for game in ("Shogi", "Othello"):
    arguments = {"game": game.lower()}
    register(f"{NAMESPACE}/{game}-v0", entry_point=f"{PACKAGE}.one_agent:OneAgent", kwargs=arguments)
    register(f"{NAMESPACE}/{game}SelfPlay-v0", vector_entry_point=f"{PACKAGE}.vector:VectorGames", kwargs=arguments)
for size in (4, 6):
    register(f"{NAMESPACE}/Othello{size}x{size}-v0", entry_point=small_othello, kwargs={"size": size})
