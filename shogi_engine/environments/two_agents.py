"""PettingZoo's environment: two agents that move in turn (https://pettingzoo.farama.org/api/aec/)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from shogi_engine.environments.states import State, new_state
from shogi_engine.types.limit import SIDES

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
except ImportError:
    raise ImportError("environments need PettingZoo and Gymnasium: pip install pettingzoo gymnasium") from None

AGENTS = SIDES  # black begins
LONGEST = 512  # plies
RENDER_MODES = ("ansi", "human")
GAME_OVER = "the game is over: call reset() before step()"


class TwoAgents(AECEnv):  # type: ignore[misc]  # without the extra it has no type
    """Shogi or Othello for two agents, 'black' and 'white'.

    An observation is {"observation": float32 planes, "action_mask": int8}: the position from the point of view of the
    side to move, and the legal actions. The mask of the agent that is not to move is 0. The winner's reward is 1, the
    loser's is -1; in a draw both are 0. An illegal action loses the game, as in PettingZoo's TerminateIllegalWrapper:
    the agent's reward is -1, the other's is 0, and `infos` has "illegal_action". A game is truncated after `longest`
    plies.

    Args:
        game: 'shogi' or 'othello'
        size: the size of a small Othello board, 4 or 6
        state: the start of each game, instead of `game` and `size`
    """

    metadata = {"name": "shogi_engine_v0", "render_modes": list(RENDER_MODES), "is_parallelizable": False}

    def __init__(
        self,
        game: str = "othello",
        size: int | None = None,
        *,
        state: State | None = None,
        longest: int = LONGEST,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        check_render_mode(render_mode, RENDER_MODES)
        self._start = state or new_state(game, size)
        self.state_of_game: State = self._start.copy()
        self.render_mode, self.longest = render_mode, longest
        self.possible_agents = list(AGENTS)
        space = observation_space(self._start)
        self.observation_spaces = dict.fromkeys(AGENTS, space)
        self.action_spaces = {agent: spaces.Discrete(self._start.actions) for agent in AGENTS}

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game. Nothing is random, so the seed is ignored."""
        self.state_of_game = self._start.copy()
        self.plies = 0
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[self.state_of_game.turn]
        self._show()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return what `agent` observes."""
        to_move = AGENTS[self.state_of_game.turn] == agent
        return observation(self.state_of_game, to_move)

    def step(self, action: Any) -> None:
        """Make the action of the agent whose turn it is."""
        check_running(not self.agents if hasattr(self, "agent_selection") else None)
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        if is_illegal(self.state_of_game, action):
            self.rewards[agent] = -1.0
            self.terminations = dict.fromkeys(AGENTS, True)
            self.infos[agent] = {"illegal_action": int(action)}
            self._accumulate_rewards()
            return
        self.state_of_game.play(int(action))
        self.plies += 1
        result = self.state_of_game.result()
        if result is not None:
            self.rewards = {"black": float(result), "white": float(-result)}
            self.terminations = dict.fromkeys(AGENTS, True)
        elif self.plies >= self.longest:
            self.truncations = dict.fromkeys(AGENTS, True)
        self.agent_selection = AGENTS[self.state_of_game.turn]
        self._accumulate_rewards()
        self._show()

    def _show(self) -> None:
        """Print the board if the render mode is 'human'."""
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """Return the board as text if the mode is 'ansi', print it if it is 'human', as `step` and `reset` do."""
        return rendered(self.state_of_game, self.render_mode)

    def close(self) -> None:
        """Do nothing: memory is freed with the object."""


def rendered(state: State, mode: str | None) -> str | None:
    """Return the board as text if the render mode is 'ansi', print it if it is 'human'."""
    if mode == "human":
        print(state.text(), flush=True)
    return state.text() if mode == "ansi" else None


def check_render_mode(mode: str | None, modes: Sequence[str]) -> None:
    """Raise ValueError if `modes` has no such render mode."""
    if mode not in (None, *modes):
        raise ValueError(f"a render mode must be None or {', '.join(map(repr, modes))}, not {mode!r}")


def check_running(over: bool | None) -> None:
    """Raise RuntimeError unless a game is running; `over` is None before the first."""
    if over is not False:
        raise RuntimeError("no game has begun: call reset() before step()" if over is None else GAME_OVER)


def is_illegal(state: State, action: Any) -> bool:
    """Tell whether an action is illegal."""
    return int(action) not in state.legal()


def observation_space(state: State) -> Any:
    """Return the space of the observations of a game."""
    return spaces.Dict(
        {
            "observation": spaces.Box(0.0, 1.0, state.shape, np.float32),
            "action_mask": spaces.Box(0, 1, (state.actions,), np.int8),
        }
    )


def observation(state: State, to_move: bool) -> dict[str, np.ndarray]:
    """Return what the side to move observes; for the other side (not `to_move`) no action is legal."""
    return {"observation": state.observation(), "action_mask": action_mask(state, to_move)}


def action_mask(state: State, to_move: bool) -> np.ndarray:
    """Return the legal actions of the side to move, as int8; for the other side none is legal."""
    mask = np.zeros(state.actions, dtype=np.int8)
    if to_move:
        mask[state.legal()] = 1
    return mask
