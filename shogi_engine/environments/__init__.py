"""Environments for reinforcement learning: PettingZoo's for two agents, Gymnasium's against an opponent.

agents  `State`, a game in progress of any registered game that has a `Batch`, and its environments: `TwoAgents`, for
        PettingZoo, and `OneAgent`, for Gymnasium
vector  `VectorGames`, hundreds of games at once, for Gymnasium

They need the extra `rl`: pip install '.[rl]'

Importing this package registers Gymnasium's ids, as `shogi_engine/Othello-v0`, of all games that are installed.
"""

import contextlib

from shogi_engine import games

with contextlib.suppress(ImportError):  # a game in progress needs no Gymnasium
    from gymnasium.envs.registration import register

    for name in games.names():
        of, game = f"shogi_engine/{name.capitalize()}", {"game": name}
        register(f"{of}-v0", entry_point=f"{__name__}.agents:OneAgent", kwargs=game)
        register(f"{of}SelfPlay-v0", vector_entry_point=f"{__name__}.vector:VectorGames", kwargs=game)
