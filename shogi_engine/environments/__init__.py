"""Environments for reinforcement learning: PettingZoo's for two agents, Gymnasium's against an opponent.

states      a game in progress: `BoardState` of Shogi and Othello, `SmallOthello` on 4 x 4 or 6 x 6 squares
two_agents  `TwoAgents`, for PettingZoo      one_agent  `OneAgent`, for Gymnasium
vector      `VectorGames`, hundreds of games at once, for Gymnasium      ids  names for `gymnasium.make`

They need the extra `rl`: pip install '.[rl]'

Importing this package registers Gymnasium's ids, as `shogi_engine/Othello-v0`.
"""

import contextlib

with contextlib.suppress(ImportError):  # `states` needs no Gymnasium
    import shogi_engine.environments.ids  # noqa: F401
