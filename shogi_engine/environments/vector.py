"""Gymnasium's vector environment: hundreds of games, in which the learner moves for both sides."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shogi_engine.batch import Batch, LiveGames
from shogi_engine.batch.batch import defaulted, planes_most, planes_shape, side_by_side
from shogi_engine.environments.agents import LONGEST

try:
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise ImportError("environments need PettingZoo and Gymnasium: pip install pettingzoo gymnasium") from None


class VectorGames(VectorEnv[Any, Any, Any]):
    """`num_envs` games of any registered game with a `Batch` at once, with the rules of a Board, including repetition.

    An action is a move of the side to move. The reward is for the side that moved: 1 for a win, -1 for a loss, else 0.
    An observation is from the point of view of the side to move. A game that ends or is truncated restarts in the same
    step (Gymnasium's SAME_STEP), and the observation is of the new game. info["final_obs"] has the last observations of
    the games marked in info["_final_obs"]. info["turn"] is the side to move.

    >>> env = VectorGames("othello", 4)
    >>> observations, info = env.reset(seed=1)
    >>> observations["observation"].shape, observations["action_mask"].sum(axis=1).tolist()
    ((4, 3, 8, 8), [4, 4, 4, 4])

    Args:
        planes: whether an observation has "observation", planes of `dtype`
        masks: whether an observation has "action_mask", bool
        longest: the number of plies after which a game is truncated, at most 512
        layout: the layout of actions, one of `Batch.layouts`; None for the default
        features: the features of the planes, see `Batch.feature_names`; None for the defaults
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}

    def __init__(
        self,
        game: str = "othello",
        num_envs: int = 256,
        *,
        planes: bool = True,
        masks: bool = True,
        dtype: Any = np.uint8,
        longest: int = LONGEST,
        layout: str | None = None,
        features: tuple[str, ...] | None = None,
    ) -> None:
        layout, features = defaulted(game, layout, features)
        batch = Batch(game)
        self.games = LiveGames(batch, num_envs, layout=layout, longest=longest)
        self.num_envs = num_envs
        self._features, self._dtype = features if planes else (), np.dtype(dtype)
        self._masks = masks
        seen: dict[str, spaces.Space[Any]] = {}
        if planes:
            seen["observation"] = spaces.Box(0, planes_most(batch), planes_shape(batch, features), self._dtype.type)
        actions = batch.layouts[self.games.layout]
        if masks:
            seen["action_mask"] = spaces.Box(0, 1, (actions,), np.bool_)
        self.single_observation_space, self.single_action_space = spaces.Dict(seen), spaces.Discrete(actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def _observe(self, rows: NDArray[np.bool_] | None = None) -> dict[str, NDArray[Any]]:
        """Return the observations of all games, or of some of them."""
        seen: dict[str, NDArray[Any]] = {}
        if self._features:
            found = self.games.features(*self._features, dtype=self._dtype, rows=rows)
            seen["observation"] = side_by_side(found)
        if self._masks:
            masks = self.games.legal_masks()
            seen["action_mask"] = masks if rows is None else masks[rows]
        return seen

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Restart all games; return (observations, info).

        Args:
            seed: the seed of `random_actions`
            options: {"positions": packed starting positions}
        """
        super().reset(seed=seed, options=options)
        self.games.reset(positions=(options or {}).get("positions"))
        return self._observe(), {"turn": self.games.turns}

    def step(
        self, actions: Any
    ) -> tuple[dict[str, NDArray[Any]], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Make a move in each game; return (observations, rewards, terminations, truncations, info).

        Raises ValueError naming the first row whose action is not legal; nothing has changed then.
        """
        steps = self.games.step(actions)
        over, ended = steps.terminations != 0, steps.ended
        info: dict[str, Any] = {}
        if ended.any():
            last = self._observe(ended)
            final = np.full(self.num_envs, None, dtype=object)
            for place, row in enumerate(np.flatnonzero(ended).tolist()):
                final[row] = {name: values[place] for name, values in last.items()}
            info |= {"final_obs": final, "_final_obs": ended}
            self.games.reset(ended)
        info["turn"] = self.games.turns
        return self._observe(), steps.results.astype(np.float32), over, steps.truncations, info

    def random_actions(self) -> NDArray[np.int32]:
        """Return a random legal action for each game, from the generator that `reset` seeds."""
        return self.games.random_moves(self.np_random)
