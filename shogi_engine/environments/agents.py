"""Games in progress, and environments of them: two agents for PettingZoo, one against an opponent for Gymnasium."""

import copy
from collections.abc import Callable, Sequence
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from shogi_engine import games
from shogi_engine.batch import Batch
from shogi_engine.batch.batch import Shape, defaulted, planes_shape, side_by_side
from shogi_engine.engine import Engine
from shogi_engine.types.limits import SIDES

# ---- The state of a game for an environment: numbered actions, observations as planes, the result


SMALL_SIZES = (4, 6)


class State(Protocol):
    """A game in progress.

    Attributes:
        actions: the number of actions
        shape: the shape of an observation
    """

    actions: int
    shape: Shape

    @property
    def turn(self) -> int:
        """The side to move, 0 for the one that began."""

    def legal(self) -> list[int]:
        """Return the legal actions; none if the game is over."""

    def play(self, action: int) -> None:
        """Make a legal action; raises ValueError if it is illegal."""

    def result(self) -> int | None:
        """Return 1, 0, -1 for the side that began, None while the game continues."""

    def observation(self) -> NDArray[np.float32]:
        """Return float32[shape], the position as the side to move sees it."""

    def copy(self) -> Self:
        """Return an independent state."""

    def text(self) -> str:
        """Return the position as text."""


class BoardState:
    """A game on a Board, with its rules on repetition.

    Args:
        layout: the layout of actions, one of `Batch.layouts`; None for the default of `batch.layouts`
        features: the features of an observation (planes of one size), see `Batch.feature_names`; None for the defaults
    """

    def __init__(self, game: str, layout: str | None = None, features: tuple[str, ...] | None = None) -> None:
        layout, self.features = defaulted(game, layout, features)
        self.batch = Batch(game)
        self.actions, self.shape = self.batch.layouts[layout], planes_shape(self.batch, self.features)
        self._labels = self.batch.labels(layout)
        self.board = games.board(self.batch.game, self.batch.game.parse_position(self.batch.game.start))
        self._moves: dict[int, Any] | None = None

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

    def observation(self) -> NDArray[np.float32]:
        """Return float32[shape], the planes of `features`, as the side to move sees the position."""
        packed = self.board.to_hcp() if self.batch.game.name == "shogi" else self.board.to_packed()
        found = self.batch.features(np.frombuffer(packed, np.uint8)[None], *self.features, dtype=np.float32)
        planes: NDArray[np.float32] = side_by_side(found)[0]
        return planes

    def copy(self) -> Self:
        """Return an independent state."""
        other = copy.copy(self)
        other.board, other._moves = self.board.copy(), None
        return other

    def text(self) -> str:
        """Return the board."""
        return str(self.board.diagram())


class SmallOthello:
    """Othello on 4 x 4 or 6 x 6 squares, in plain Python; small enough to be learnt in minutes.

    Actions are the squares, row by row, then the pass. An observation has three planes: own discs, the opponent's
    discs, and ones if the second player is to move.
    """

    def __init__(self, size: int) -> None:
        if size not in SMALL_SIZES:
            raise ValueError(
                f"small Othello boards have {' or '.join(map(str, SMALL_SIZES))} squares a side, not {size}"
            )
        self.size = size
        self.actions = size * size + 1
        self.shape: Shape = (3, size, size)
        self.turn = 0
        middle = size // 2
        first, second = (middle - 1) * size + middle, (middle - 1) * size + middle - 1
        self.discs = [1 << first | 1 << second + size, 1 << second | 1 << first + size]
        self._lines = _lines(size)

    def _flips(self, square: int, own: int, other: int) -> int:
        """Return the discs that are flipped when `own`'s side plays on the empty `square`."""
        flipped = 0
        for line in self._lines[square]:
            run = 0
            for disc in line:
                if not other & disc:
                    if own & disc:
                        flipped |= run
                    break
                run |= disc
        return flipped

    def _places(self, own: int, other: int) -> list[int]:
        """Return the squares where `own`'s side may place a disc."""
        taken = own | other
        return [square for square in range(self.size**2) if not taken >> square & 1 and self._flips(square, own, other)]

    def legal(self) -> list[int]:
        """Return the legal actions; none if the game is over."""
        own, other = self.discs[self.turn], self.discs[1 - self.turn]
        return self._places(own, other) or ([self.size**2] if self._places(other, own) else [])

    def play(self, action: int) -> None:
        """Make a legal action; raises ValueError if it is illegal."""
        if action not in self.legal():
            raise ValueError(f"the action {action} is not legal here")
        if action < self.size**2:
            flipped = self._flips(action, self.discs[self.turn], self.discs[1 - self.turn])
            self.discs[self.turn] |= flipped | 1 << int(action)
            self.discs[1 - self.turn] ^= flipped
        self.turn = 1 - self.turn

    def result(self) -> int | None:
        """Return 1, 0, -1 for the side that began, None while the game continues."""
        if self.legal():
            return None
        lead = self.discs[0].bit_count() - self.discs[1].bit_count()
        return (lead > 0) - (lead < 0)

    def observation(self) -> NDArray[np.float32]:
        """Return float32[3, size, size], the position as the side to move sees it."""
        planes = np.zeros((3, self.size**2), dtype=np.float32)
        for plane, discs in enumerate((self.discs[self.turn], self.discs[1 - self.turn])):
            planes[plane] = [discs >> square & 1 for square in range(self.size**2)]
        planes[2] = self.turn
        return planes.reshape(self.shape)

    def copy(self) -> Self:
        """Return an independent state."""
        other = copy.copy(self)
        other.discs = list(self.discs)
        return other

    def text(self) -> str:
        """Return the board with X, O and -."""
        cells = ["X" if self.discs[0] >> n & 1 else "O" if self.discs[1] >> n & 1 else "-" for n in range(self.size**2)]
        return "\n".join(" ".join(cells[row : row + self.size]) for row in range(0, len(cells), self.size))


def _lines(size: int) -> list[list[list[int]]]:
    """Return for each square its lines in eight directions, the nearest square first, as discs."""
    steps = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]
    lines = []
    for square in range(size * size):
        row, column = divmod(square, size)
        ways = [
            [
                1 << (row + n * down) * size + column + n * right
                for n in range(1, size)
                if 0 <= row + n * down < size and 0 <= column + n * right < size
            ]
            for down, right in steps
        ]
        lines.append([way for way in ways if len(way) > 1])
    return lines


def new_state(game: str, size: int | None = None) -> State:
    """Return the start of a game of 'shogi' or 'othello'.

    Args:
        size: the size of a small Othello board, 4 or 6; None for 8

    Raises:
        ValueError: there is no such game
    """
    if size in (None, 8):
        return BoardState(game)
    if game != "othello":
        raise ValueError(f"{game} has only one board size")
    return SmallOthello(size)


# ---- PettingZoo's environment: two agents that move in turn (https://pettingzoo.farama.org/api/aec/)


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
    """Shogi or Othello for one agent. Observations and actions are those of `TwoAgents`.

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
