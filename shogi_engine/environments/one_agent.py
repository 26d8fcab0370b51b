"""Gymnasium's environment: one agent against an opponent, such as a level of the engine (https://gymnasium.farama.org)."""

from collections.abc import Callable
from typing import Any

import numpy as np

from shogi_engine.engine import Engine
from shogi_engine.environments.states import BoardState, State, new_state
from shogi_engine.environments.two_agents import (
    AGENTS,
    LONGEST,
    RENDER_MODES,
    action_mask,
    check_render_mode,
    check_running,
    is_illegal,
    observation,
    observation_space,
    rendered,
)

try:
    import gymnasium
except ImportError:
    raise ImportError("environments need PettingZoo and Gymnasium: pip install pettingzoo gymnasium") from None

Opponent = Callable[[State], int]  # returns the action to take


class LevelPlayer:
    """An opponent: a level of the engine, for games on a full board. The first move compiles or loads the search."""

    def __init__(self, game: str, level: int) -> None:
        self._engine, self._level = Engine(game, hash_mb=4), level
        self._engine.check_level(level)

    def __call__(self, state: State) -> int:
        """Return the action of the engine's move."""
        if not isinstance(state, BoardState):
            raise ValueError("the engine plays on full boards only")
        self._engine.set_position(moves=state.moves())
        return state.action(self._engine.search(level=self._level).bestmove)

    def begin(self, seed: int) -> None:
        """Begin a game; equal seeds lead to equal games."""
        self._engine.new_game()
        self._engine.rng.seed(seed)

    def close(self) -> None:
        """Close the engine."""
        self._engine.close()


class RandomPlayer:
    """An opponent that chooses a legal action uniformly at random."""

    def __init__(self, seed: int = 0) -> None:
        self.begin(seed)

    def __call__(self, state: State) -> int:
        """Return an action."""
        return int(self._rng.choice(state.legal()))

    def begin(self, seed: int) -> None:
        """Begin a game; equal seeds lead to equal choices."""
        self._rng = np.random.default_rng(seed)


class OneAgent(gymnasium.Env[Any, Any]):
    """Shogi or Othello for one agent. Observations and actions are those of `two_agents.TwoAgents`.

    The reward is 1, 0 or -1 at the end of a game, and 0 before. An illegal action loses the game: the reward is -1, and
    the info has "illegal_action". A game is truncated after `longest` plies.

    Args:
        opponent: a level of the engine, or a function from a `State` to an action
        colour: the agent's colour, 'black' (moves first) or 'white'; None to choose it at random at each `reset`
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}

    def __init__(
        self,
        game: str = "othello",
        opponent: int | Opponent = 0,
        *,
        size: int | None = None,
        colour: str | None = None,
        longest: int = LONGEST,
        render_mode: str | None = None,
    ) -> None:
        if colour is not None and colour not in AGENTS:
            raise ValueError(f"a colour must be {' or '.join(AGENTS)}, not {colour!r}")
        check_render_mode(render_mode, RENDER_MODES)
        if not isinstance(opponent, int) and not callable(opponent):
            raise TypeError(f"an opponent is a level or a function from a State to an action, not {opponent!r}")
        self._start = new_state(game, size)
        if isinstance(opponent, int) and not isinstance(self._start, BoardState):
            raise ValueError("levels of the engine play on full boards only")
        self.opponent: Opponent = LevelPlayer(game, opponent) if isinstance(opponent, int) else opponent
        self.state_of_game: State = self._start.copy()
        self.render_mode, self.longest, self._colour = render_mode, longest, colour
        self.observation_space = observation_space(self._start)
        self.action_space = gymnasium.spaces.Discrete(self._start.actions)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a game and make the opponent's first move if it is due; return (observation, info)."""
        super().reset(seed=seed)
        self.state_of_game, self.plies, self._over = self._start.copy(), 0, False
        self.agent = AGENTS.index(self._colour) if self._colour else int(self.np_random.integers(2))
        if isinstance(self.opponent, (LevelPlayer, RandomPlayer)):
            self.opponent.begin(int(self.np_random.integers(1 << 32)))
        self._let_opponent_play()
        self._show()
        return observation(self.state_of_game, True), {"colour": AGENTS[self.agent]}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Make a move and the opponent's; return (observation, reward, terminated, truncated, info)."""
        check_running(getattr(self, "_over", None))
        info: dict[str, Any] = {"colour": AGENTS[self.agent]}
        if is_illegal(self.state_of_game, action):
            info["illegal_action"], self._over = int(action), True
            return observation(self.state_of_game, False), -1.0, True, False, info
        self.state_of_game.play(int(action))
        self.plies += 1
        self._let_opponent_play()
        self._show()
        result = self.state_of_game.result()
        reward = 0.0 if result is None else float(result if self.agent == 0 else -result)
        over = result is not None
        truncated = not over and self.plies >= self.longest
        self._over = over or truncated
        return observation(self.state_of_game, not over), reward, over, truncated, info

    def action_masks(self) -> np.ndarray:
        """Return the agent's legal actions, as bool; sb3-contrib's MaskablePPO calls this method."""
        state = self.state_of_game
        return action_mask(state, state.turn == self.agent and state.result() is None).astype(bool)

    def _let_opponent_play(self) -> None:
        """Let the opponent move until it is the agent's turn or the game is over."""
        while self.state_of_game.turn != self.agent and self.state_of_game.result() is None:
            self.state_of_game.play(self.opponent(self.state_of_game))
            self.plies += 1

    def render(self) -> str | None:  # type: ignore[override, unused-ignore]
        """Return the board as text if the mode is 'ansi', print it if it is 'human', as `step` and `reset` do."""
        return rendered(self.state_of_game, self.render_mode)

    def _show(self) -> None:
        """Print the board if the render mode is 'human'."""
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Close the engine, if the opponent is one."""
        if isinstance(self.opponent, LevelPlayer):
            self.opponent.close()


def random_opponent(seed: int = 0) -> Opponent:
    """Return an opponent that plays at random."""
    return RandomPlayer(seed)
