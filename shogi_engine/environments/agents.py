"""Games in progress, and environments of them: two agents for PettingZoo, one against an opponent for Gymnasium."""

import copy
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shogi_engine import games
from shogi_engine.batch import Batch
from shogi_engine.batch.batch import defaulted, planes_most, planes_shape, side_by_side
from shogi_engine.engine import Engine
from shogi_engine.types.limits import SIDES, Limit

try:
    import gymnasium
    from gymnasium import spaces
    from pettingzoo import AECEnv
except ImportError:
    raise ImportError("environments need PettingZoo and Gymnasium: pip install pettingzoo gymnasium") from None

AGENTS = SIDES  # black begins
LONGEST = 512  # plies
RENDER_MODES = ("ansi", "human")


class GameState:
    """A game in progress, on a Board of any registered game: numbered actions, observations as planes, the result.

    Args:
        game: its name
        layout: the layout of actions, one of `Batch.layouts`; None for the default of `batch.layouts`
        features: the features of an observation (planes of one size), see `Batch.feature_names`; None for the defaults

    Attributes:
        actions: the number of actions
        shape: the shape of an observation's planes
        space: the space of observations
    """

    def __init__(self, game: str, layout: str | None = None, features: tuple[str, ...] | None = None) -> None:
        layout, self.features = defaulted(game, layout, features)
        self.batch = Batch(game)
        self.actions, self.shape = self.batch.layouts[layout], planes_shape(self.batch, self.features)
        self._labels = self.batch.labels(layout)
        self.board = games.game_module(game, "board").Board()
        self._moves: dict[int, Any] | None = None
        planes = spaces.Box(0.0, planes_most(self.batch), self.shape, np.float32)
        mask = spaces.Box(0, 1, (self.actions,), np.int8)
        self.space = spaces.Dict({"observation": planes, "action_mask": mask})

    @property
    def turn(self) -> int:
        """The side to move, 0 for the one that began."""
        return int(self.board.turn)

    def _legal(self) -> dict[int, Any]:
        """Return the legal moves by their actions."""
        if self._moves is None:
            labels = self._labels[self.turn]
            over = self.board.outcome() is not None
            self._moves = {} if over else {int(labels[move]): move for move in self.board.legal_moves}
        return self._moves

    def legal(self) -> list[int]:
        """Return the legal actions; none if the game is over."""
        return list(self._legal())

    def play(self, action: int) -> None:
        """Make a legal action; raises ValueError if it is illegal."""
        move = self._legal().get(int(action))
        if move is None:
            raise ValueError(f"the action {action} is not legal here")
        self.board.push(move)
        self._moves = None

    def action(self, move: str) -> int:
        """Return the action of a legal move in the game's notation; raises ValueError if it is not legal."""
        return int(self._labels[self.turn, self.board.parse_text(move)])

    def moves(self) -> list[str]:
        """Return the moves made, in the game's notation."""
        return [str(move) for move in self.board.move_stack]

    def result(self) -> int | None:
        """Return 1, 0, -1 for the side that began, None while the game continues."""
        outcome = self.board.outcome()
        if outcome is None:
            return None
        return 0 if outcome.winner is None else 1 if outcome.winner == 0 else -1

    def is_illegal(self, action: Any) -> bool:
        """Tell whether an action is illegal."""
        return int(action) not in self._legal()

    def planes(self) -> NDArray[np.float32]:
        """Return float32[shape], the planes of `features`, as the side to move sees the position."""
        packed = getattr(self.board, f"to_{self.batch.packing}")()
        found = self.batch.features(np.frombuffer(packed, np.uint8)[None], *self.features, dtype=np.float32)
        planes: NDArray[np.float32] = side_by_side(found)[0]
        return planes

    def mask(self, to_move: bool = True) -> NDArray[np.int8]:
        """Return int8[actions], 1 for each legal action of the side to move; for the other side none is legal."""
        mask = np.zeros(self.actions, dtype=np.int8)
        if to_move:
            mask[self.legal()] = 1
        return mask

    def observation(self, to_move: bool = True) -> dict[str, NDArray[Any]]:
        """Return what the side to move observes; for the other side (not `to_move`) no action is legal."""
        return {"observation": self.planes(), "action_mask": self.mask(to_move)}

    def copy(self) -> Self:
        """Return an independent state."""
        other = copy.copy(self)
        other.board, other._moves = self.board.copy(), None
        return other

    def text(self) -> str:
        """Return the board."""
        return str(self.board.diagram())


class Environment:
    """What both environments have: a game in progress, `state_of_game`, and its picture.

    Args:
        game: the name of a game, or the state that each game begins with
        longest: a game is truncated after this number of plies
        render_mode: 'ansi' or 'human', see `render`
    """

    def __init__(self, game: str | GameState, longest: int, render_mode: str | None) -> None:
        if render_mode not in (None, *RENDER_MODES):
            modes = ", ".join(map(repr, RENDER_MODES))
            raise ValueError(f"a render mode must be None or {modes}, not {render_mode!r}")
        self._start = game if isinstance(game, GameState) else GameState(game)
        self.longest, self.render_mode = longest, render_mode
        self.actions = spaces.Discrete(self._start.actions)
        self._begin()

    def _begin(self) -> None:
        """Begin a game."""
        self.state_of_game, self.plies = self._start.copy(), 0

    def _play(self, action: int) -> None:
        """Make a legal action."""
        self.state_of_game.play(action)
        self.plies += 1

    def _show(self) -> None:
        """Print the board if the render mode is 'human'."""
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """Return the board as text if the mode is 'ansi', print it if it is 'human', as `step` and `reset` do."""
        if self.render_mode == "human":
            print(self.state_of_game.text(), flush=True)
        return self.state_of_game.text() if self.render_mode == "ansi" else None


def check_running(over: bool | None) -> None:
    """Raise RuntimeError unless a game is running; `over` is None before the first."""
    if over is not False:
        reason = "no game has begun" if over is None else "the game is over"
        raise RuntimeError(f"{reason}: call reset() before step()")


# ---- PettingZoo's environment: two agents that move in turn (https://pettingzoo.farama.org/api/aec/)


class TwoAgents(Environment, AECEnv):  # type: ignore[misc]  # without the extra it has no type
    """A game for two agents, 'black' and 'white'.

    An observation is {"observation": float32 planes, "action_mask": int8}: the position from the point of view of the
    side to move, and the legal actions. The mask of the agent that is not to move is 0. The winner's reward is 1, the
    loser's is -1; in a draw both are 0. An illegal action loses the game, as in PettingZoo's TerminateIllegalWrapper:
    the agent's reward is -1, the other's is 0, and `infos` has "illegal_action". A game is truncated after `longest`
    plies.

    Args:
        game: the name of a game, or the `GameState` that each game begins with
    """

    metadata = {"name": "shogi_engine_v0", "render_modes": list(RENDER_MODES), "is_parallelizable": False}

    def __init__(
        self, game: str | GameState = "othello", *, longest: int = LONGEST, render_mode: str | None = None
    ) -> None:
        super().__init__(game, longest, render_mode)
        self.possible_agents = list(AGENTS)
        self.observation_spaces = dict.fromkeys(AGENTS, self._start.space)
        self.action_spaces = dict.fromkeys(AGENTS, self.actions)

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game. Nothing is random, so the seed is ignored."""
        self._begin()
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[self.state_of_game.turn]
        self._show()

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """Return what `agent` observes."""
        return self.state_of_game.observation(AGENTS[self.state_of_game.turn] == agent)

    def step(self, action: Any) -> None:
        """Make the action of the agent whose turn it is."""
        check_running(not self.agents if hasattr(self, "agent_selection") else None)
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        if self.state_of_game.is_illegal(action):
            self.rewards[agent] = -1.0
            self.terminations = dict.fromkeys(AGENTS, True)
            self.infos[agent] = {"illegal_action": int(action)}
            self._accumulate_rewards()
            return
        self._play(action)
        result = self.state_of_game.result()
        if result is not None:
            self.rewards = {"black": float(result), "white": float(-result)}
            self.terminations = dict.fromkeys(AGENTS, True)
        elif self.plies >= self.longest:
            self.truncations = dict.fromkeys(AGENTS, True)
        self.agent_selection = AGENTS[self.state_of_game.turn]
        self._accumulate_rewards()
        self._show()

    def close(self) -> None:
        """Do nothing: memory is freed with the object."""


# ---- Gymnasium's environment: one agent against an opponent


Opponent = Callable[[GameState], int]  # returns the action to take


class LevelPlayer:
    """An opponent: a level of the engine. The first move compiles or loads the search."""

    def __init__(self, game: str, level: int) -> None:
        self._engine, self._level = Engine(game, hash_mb=4), level
        self._engine.check_level(level)

    def __call__(self, state: GameState) -> int:
        """Return the action of the engine's move."""
        return state.action(str(self._engine.analyse(state.board, Limit(level=self._level)).pv[0]))

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

    def __call__(self, state: GameState) -> int:
        """Return an action."""
        return int(self._rng.choice(state.legal()))

    def begin(self, seed: int) -> None:
        """Begin a game; equal seeds lead to equal choices."""
        self._rng = np.random.default_rng(seed)


class OneAgent(Environment, gymnasium.Env[Any, Any]):
    """A game for one agent. Observations and actions are those of `TwoAgents`.

    The reward is 1, 0 or -1 at the end of a game, and 0 before. An illegal action loses the game: the reward is -1, and
    the info has "illegal_action". A game is truncated after `longest` plies.

    Args:
        game: the name of a game, or the `GameState` that each game begins with
        opponent: a level of the engine, or a function from a `GameState` to an action, such as `RandomPlayer()`
        colour: the agent's colour, 'black' (moves first) or 'white'; None to choose it at random at each `reset`
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}

    def __init__(
        self,
        game: str | GameState = "othello",
        opponent: int | Opponent = 0,
        *,
        colour: str | None = None,
        longest: int = LONGEST,
        render_mode: str | None = None,
    ) -> None:
        if colour is not None and colour not in AGENTS:
            raise ValueError(f"a colour must be {' or '.join(AGENTS)}, not {colour!r}")
        if not isinstance(opponent, int) and not callable(opponent):
            raise TypeError(f"an opponent is a level or a function from a GameState to an action, not {opponent!r}")
        super().__init__(game, longest, render_mode)
        name = self._start.batch.game.name
        self.opponent: Opponent = LevelPlayer(name, opponent) if isinstance(opponent, int) else opponent
        self._over: bool | None = None  # before the first game
        self._colour = colour
        self.observation_space, self.action_space = self._start.space, self.actions

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a game and make the opponent's first move if it is due; return (observation, info)."""
        gymnasium.Env.reset(self, seed=seed)
        self._begin()
        self._over = False
        self.agent = AGENTS.index(self._colour) if self._colour else int(self.np_random.integers(2))
        if isinstance(self.opponent, (LevelPlayer, RandomPlayer)):
            self.opponent.begin(int(self.np_random.integers(1 << 32)))
        self._let_opponent_play()
        self._show()
        return self.state_of_game.observation(), {"colour": AGENTS[self.agent]}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Make a move and the opponent's; return (observation, reward, terminated, truncated, info)."""
        check_running(self._over)
        info: dict[str, Any] = {"colour": AGENTS[self.agent]}
        if self.state_of_game.is_illegal(action):
            info["illegal_action"], self._over = int(action), True
            return self.state_of_game.observation(False), -1.0, True, False, info
        self._play(action)
        self._let_opponent_play()
        self._show()
        result = self.state_of_game.result()
        reward = 0.0 if result is None else float(result if self.agent == 0 else -result)
        over = result is not None
        truncated = not over and self.plies >= self.longest
        self._over = over or truncated
        return self.state_of_game.observation(not over), reward, over, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the agent's legal actions, as bool; sb3-contrib's MaskablePPO calls this method."""
        return self.state_of_game.mask(self.state_of_game.turn == self.agent).astype(bool)

    def _let_opponent_play(self) -> None:
        """Let the opponent move until it is the agent's turn or the game is over."""
        while self.state_of_game.turn != self.agent and self.state_of_game.result() is None:
            self._play(self.opponent(self.state_of_game))

    def close(self) -> None:
        """Close the engine, if the opponent is one."""
        if isinstance(self.opponent, LevelPlayer):
            self.opponent.close()
