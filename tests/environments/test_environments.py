"""Environments: the tests of PettingZoo and Gymnasium, whole games, what is refused, a game that is registered."""

import random
import sys
import warnings

import numpy as np
import pytest

pytest.importorskip("pettingzoo")

import gymnasium
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, render_test

from shogi_engine import games
from shogi_engine.environments.agents import GameState, OneAgent, RandomPlayer, TwoAgents
from tests.support.processes import ROOT

SMALL = "othello6"  # of examples/games


@pytest.fixture(scope="module", autouse=True)
def registered():
    sys.path.insert(0, str(ROOT / "examples" / "games"))
    games.register(SMALL, SMALL)
    yield
    sys.path.remove(str(ROOT / "examples" / "games"))
    games._registry._modules.pop(SMALL)


def random_game(state, seed):
    """Play `state` to its end at random; return the actions."""
    rng, actions = random.Random(seed), []
    while state.result() is None:
        actions.append(rng.choice(state.legal()))
        state.play(actions[-1])
    return actions


def test_a_state_is_copied_and_has_a_point_of_view():
    state = GameState(SMALL)
    state.play(state.legal()[0])
    black, white, colour = state.planes()
    assert (black.sum(), white.sum(), colour.min(), colour.dtype) == (4, 1, 1, np.float32)
    copied = state.copy()
    copied.play(copied.legal()[0])
    assert copied.moves() != state.moves() and copied.text() != state.text()
    with pytest.raises(ValueError, match="the action 15 is not legal here"):
        state.play(15)


def test_other_actions_are_a_state_s():
    state = GameState("shogi", layout="ids")
    assert TwoAgents(state).action_space("black").n == state.actions != GameState("shogi").actions


def test_games_that_there_are_not():
    with pytest.raises(ValueError, match="go"):
        GameState("go")


class TestTwoAgents:
    @pytest.mark.parametrize("game", [SMALL, "othello"])
    def test_pettingzoos_own_test(self, game):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the names of agents, and observations with masks
            api_test(TwoAgents(game), num_cycles=200)

    @pytest.mark.slow
    @pytest.mark.parametrize("game", ["shogi", "othello"])
    def test_pettingzoos_own_test_of_long_games(self, game):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            api_test(TwoAgents(game), num_cycles=700)

    def test_a_game_and_its_rewards(self):
        env = TwoAgents(SMALL, render_mode="ansi")
        env.reset()
        state = GameState(SMALL)
        for action in random_game(GameState(SMALL), 1):
            agent = env.agent_selection
            assert agent == ("black", "white")[state.turn]
            seen, waiting = env.observe(agent), env.observe("black" if agent == "white" else "white")
            assert np.flatnonzero(seen["action_mask"]).tolist() == sorted(state.legal())
            assert not waiting["action_mask"].any() and seen in env.observation_space(agent)
            env.step(action)
            state.play(action)
        assert all(env.terminations.values()) and not any(env.truncations.values())
        assert env.rewards == {"black": state.result(), "white": -state.result()} and env.render() == state.text()

    def test_a_person_sees_every_position(self, capsys):
        env = TwoAgents(SMALL, render_mode="human")
        env.reset()
        shown = [env.state_of_game.text()]
        for _ in range(3):
            env.step(env.state_of_game.legal()[0])
            shown.append(env.state_of_game.text())
        assert capsys.readouterr().out == "".join(f"{text}\n" for text in shown)

    def test_pettingzoos_own_test_of_rendering(self, capsys):
        render_test(lambda render_mode: TwoAgents(SMALL, render_mode=render_mode))
        assert capsys.readouterr().out.startswith(GameState(SMALL).text())
        with pytest.raises(ValueError, match="'ansi', 'human', not 'rgb_array'"):
            TwoAgents(SMALL, render_mode="rgb_array")

    def test_an_illegal_action_loses(self):
        env = TwoAgents(SMALL)
        env.reset()
        env.step(env.state_of_game.legal()[0])
        env.step(15)  # a square that is taken
        assert env.rewards == {"black": 0, "white": -1} and all(env.terminations.values())
        assert env.infos["white"] == {"illegal_action": 15}
        for _ in env.agent_iter():
            env.step(None)
        assert not env.agents

    def test_a_long_game_is_cut_off(self):
        env = TwoAgents(SMALL, longest=3)
        env.reset()
        for _ in range(3):
            env.step(env.state_of_game.legal()[0])
        assert all(env.truncations.values()) and not any(env.terminations.values())


class TestOneAgent:
    @pytest.mark.parametrize("colour", ["black", "white", None])
    def test_games(self, colour):
        env = OneAgent(SMALL, RandomPlayer(1), colour=colour)
        rewards, colours = [], set()
        for seed in range(20):
            seen, info = env.reset(seed=seed)
            over = False
            while not over:
                assert seen in env.observation_space and not env.state_of_game.result()
                seen, reward, over, truncated, info = env.step(int(np.flatnonzero(seen["action_mask"])[0]))
                assert not truncated and (over or reward == 0)
            result = env.state_of_game.result()
            assert reward == (result if info["colour"] == "black" else -result)
            rewards.append(reward)
            colours.add(info["colour"])
        assert {1, -1} <= set(rewards) and colours == ({colour} if colour else {"black", "white"})

    def test_a_step_after_the_end_says_so(self):
        for illegal in (False, True):
            env = OneAgent(SMALL, RandomPlayer(1), colour="black")
            with pytest.raises(RuntimeError, match="no game has begun"):
                env.step(0)
            env.reset(seed=1)
            over = False
            while not over:
                *_, over, truncated, info = env.step(0 if illegal else env.state_of_game.legal()[0])
            with pytest.raises(RuntimeError, match="the game is over"):
                env.step(env.state_of_game.legal()[0] if env.state_of_game.legal() else 0)
            env.reset()
            env.step(env.state_of_game.legal()[0])
        short = OneAgent(SMALL, RandomPlayer(1), colour="black", longest=1)
        short.reset()
        assert short.step(short.state_of_game.legal()[0])[3]
        with pytest.raises(RuntimeError, match="the game is over"):
            short.step(0)
        both = TwoAgents(SMALL)
        both.reset()
        while not any(both.terminations.values()):
            both.step(both.state_of_game.legal()[0])
        while both.agents:
            both.step(None)
        for action in (None, 0):
            with pytest.raises(RuntimeError, match="the game is over"):
                both.step(action)

    def test_refusals(self):
        with pytest.raises(ValueError, match="black or white"):
            OneAgent(SMALL, RandomPlayer(), colour="red")
        with pytest.raises(ValueError, match="level"):
            OneAgent(SMALL, 99)
        with pytest.raises(ValueError, match="'human', not 'rgb_array'"):
            OneAgent(SMALL, RandomPlayer(), render_mode="rgb_array")

    def test_a_person_sees_every_position(self, capsys):
        env = OneAgent(SMALL, RandomPlayer(), colour="black", render_mode="human")
        seen, _ = env.reset(seed=1)
        shown = env.state_of_game.text()
        env.step(int(seen["action_mask"].argmax()))
        assert capsys.readouterr().out == f"{shown}\n{env.state_of_game.text()}\n" and env.render() is None

    def test_an_illegal_action_loses(self):
        env = OneAgent(SMALL, RandomPlayer(), colour="black")
        env.reset(seed=1)
        seen, reward, terminated, truncated, info = env.step(15)
        assert (reward, terminated, truncated, info["illegal_action"]) == (-1, True, False, 15)
        assert seen in env.observation_space and not seen["action_mask"].any()

    def test_masks_as_sb3_contrib_asks_for_them(self):
        """MaskablePPO calls `env.get_wrapper_attr("action_masks")()` before each action."""
        env = gymnasium.make("shogi_engine/Othello-v0", opponent=RandomPlayer(), colour="white")
        seen, _ = env.reset(seed=1)
        over = False
        while not over:
            masks = env.get_wrapper_attr("action_masks")()
            assert masks.dtype == bool and masks.tolist() == seen["action_mask"].astype(bool).tolist() and masks.any()
            seen, _, over, truncated, _ = env.step(int(np.flatnonzero(masks)[0]))
            over = over or truncated
        assert not env.get_wrapper_attr("action_masks")().any()

    @pytest.mark.parametrize(
        ("name", "arguments"),
        [
            ("Othello", {"game": SMALL, "opponent": RandomPlayer(), "render_mode": "ansi"}),
            ("Othello", {"opponent": 1}),
            ("Shogi", {}),
        ],
    )
    def test_gymnasiums_own_test(self, name, arguments):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", message=".*(different from the unwrapped version|render mode).*")
            check_env(gymnasium.make(f"shogi_engine/{name}-v0", **arguments).unwrapped)

    def test_vectors_have_an_id(self):
        env = gymnasium.make_vec("shogi_engine/OthelloSelfPlay-v0", num_envs=3)
        observations, _ = env.reset(seed=1)
        assert observations["action_mask"].sum(axis=1).tolist() == [4, 4, 4]

    @pytest.mark.slow
    @pytest.mark.parametrize("game", ["othello", "shogi"])
    def test_a_game_against_a_level(self, game):
        env = OneAgent(game, 0, colour="white", longest=40)
        seen, _ = env.reset(seed=1)
        over = truncated = False
        while not (over or truncated):
            seen, _, over, truncated, _ = env.step(int(env.action_space.sample(seen["action_mask"])))
        assert env.plies >= 40
        env.close()
