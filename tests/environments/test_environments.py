"""Environments: PettingZoo's own test, whole games, what is refused, small boards of Othello."""

import random
import warnings

import numpy as np
import pytest

from shogi_engine.environments import agents
from shogi_engine.games.othello.board import Board


def random_game(state, seed):
    """Play `state` to its end at random; return the actions."""
    rng, actions = random.Random(seed), []
    while state.result() is None:
        actions.append(rng.choice(state.legal()))
        state.play(actions[-1])
    return actions


def test_small_othello_has_the_rules_of_the_large_one(monkeypatch):
    monkeypatch.setattr(agents, "SMALL_SIZES", (8,))
    passes = 0
    for seed in range(10):
        small, board, rng = agents.SmallOthello(8), Board(), random.Random(seed)
        while small.result() is None:
            moves = list(board.legal_moves)
            assert small.legal() == [64 if move.square is None else move.square for move in moves]
            assert small.discs == [board.discs(0), board.discs(1)] and small.turn == board.turn
            move = rng.choice(moves)
            passes += move.square is None
            board.push(move)
            small.play(64 if move.square is None else move.square)
        winner = board.outcome().winner
        assert small.result() == (0 if winner is None else 1 if winner == 0 else -1)
    assert passes > 0


def best(state, seen):
    """Return the most discs by which the side to move can win, by trying everything."""
    key = (*state.discs, state.turn)
    if key not in seen:
        values = []
        for action in state.legal():
            after = state.copy()
            after.play(action)
            values.append(-best(after, seen))
        lead = state.discs[state.turn].bit_count() - state.discs[1 - state.turn].bit_count()
        seen[key] = max(values) if values else lead
    return seen[key]


@pytest.mark.slow
def test_perfect_play_on_four_by_four_ends_3_to_11():
    assert best(agents.SmallOthello(4), {}) == -8


def test_observations_of_a_small_board():
    state = agents.SmallOthello(4)
    state.play(state.legal()[0])
    own, other, colour = state.observation()
    assert (own.sum(), other.sum(), colour.min(), colour.dtype) == (1, 4, 1, np.float32)
    assert state.text().count("X") == 4
    copied = state.copy()
    copied.play(copied.legal()[0])
    assert copied.discs != state.discs


@pytest.mark.parametrize(
    ("game", "size", "said"), [("othello", 5, "4 or 6"), ("shogi", 4, "only one board size"), ("go", None, "go")]
)
def test_games_that_there_are_not(game, size, said):
    with pytest.raises(ValueError, match=said):
        agents.new_state(game, size)


class TestTwoAgents:
    @pytest.fixture
    def two_agents(self):
        pytest.importorskip("pettingzoo")
        from shogi_engine.environments.agents import TwoAgents

        return TwoAgents

    @pytest.mark.parametrize("size", [4, 6])
    def test_pettingzoos_own_test(self, two_agents, size):
        from pettingzoo.test import api_test

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the names of agents, and observations with masks
            api_test(two_agents("othello", size), num_cycles=200)

    @pytest.mark.slow
    @pytest.mark.parametrize("game", ["shogi", "othello"])
    def test_pettingzoos_own_test_of_whole_boards(self, two_agents, game):
        from pettingzoo.test import api_test

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            api_test(two_agents(game), num_cycles=700)

    def test_a_game_and_its_rewards(self, two_agents):
        env = two_agents("othello", 4, render_mode="ansi")
        env.reset()
        state = agents.SmallOthello(4)
        for action in random_game(agents.SmallOthello(4), 1):
            agent = env.agent_selection
            assert agent == ("black", "white")[state.turn]
            seen, waiting = env.observe(agent), env.observe("black" if agent == "white" else "white")
            assert np.flatnonzero(seen["action_mask"]).tolist() == sorted(state.legal())
            assert not waiting["action_mask"].any() and seen in env.observation_space(agent)
            env.step(action)
            state.play(action)
        assert all(env.terminations.values()) and not any(env.truncations.values())
        assert env.rewards == {"black": state.result(), "white": -state.result()} and env.render() == state.text()

    def test_a_person_sees_every_position(self, two_agents, capsys):
        env = two_agents("othello", 4, render_mode="human")
        env.reset()
        shown = [env.state_of_game.text()]
        for _ in range(3):
            env.step(env.state_of_game.legal()[0])
            shown.append(env.state_of_game.text())
        assert capsys.readouterr().out == "".join(f"{text}\n" for text in shown)

    def test_pettingzoos_own_test_of_rendering(self, two_agents, capsys):
        from pettingzoo.test import render_test

        render_test(lambda render_mode: two_agents("othello", 4, render_mode=render_mode))
        assert capsys.readouterr().out.startswith("- - - -\n- O X -\n- X O -\n- - - -\n")
        with pytest.raises(ValueError, match="'ansi', 'human', not 'rgb_array'"):
            two_agents("othello", 4, render_mode="rgb_array")

    def test_an_illegal_action_loses(self, two_agents):
        env = two_agents("othello", 4)
        env.reset()
        env.step(env.state_of_game.legal()[0])
        env.step(5)  # a square that is taken
        assert env.rewards == {"black": 0, "white": -1} and all(env.terminations.values())
        assert env.infos["white"] == {"illegal_action": 5}
        for _ in env.agent_iter():
            env.step(None)
        assert not env.agents

    def test_a_long_game_is_cut_off(self, two_agents):
        env = two_agents("othello", 6, longest=3)
        env.reset()
        for _ in range(3):
            env.step(env.state_of_game.legal()[0])
        assert all(env.truncations.values()) and not any(env.terminations.values())


class TestOneAgent:
    @pytest.fixture
    def module(self):
        pytest.importorskip("pettingzoo")
        from shogi_engine.environments import agents

        return agents

    @pytest.mark.parametrize("colour", ["black", "white", None])
    def test_games(self, module, colour):
        env = module.OneAgent("othello", module.random_opponent(1), size=4, colour=colour)
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

    def test_a_step_after_the_end_says_so(self, module):
        from shogi_engine.environments.agents import TwoAgents

        for illegal in (False, True):
            env = module.OneAgent("othello", module.random_opponent(1), size=4, colour="black")
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
        short = module.OneAgent("othello", module.random_opponent(1), size=4, colour="black", longest=1)
        short.reset()
        assert short.step(short.state_of_game.legal()[0])[3]
        with pytest.raises(RuntimeError, match="the game is over"):
            short.step(0)
        both = TwoAgents("othello", 4)
        both.reset()
        while not any(both.terminations.values()):
            both.step(both.state_of_game.legal()[0])
        while both.agents:
            both.step(None)
        for action in (None, 0):
            with pytest.raises(RuntimeError, match="the game is over"):
                both.step(action)

    def test_refusals(self, module):
        with pytest.raises(ValueError, match="black or white"):
            module.OneAgent("othello", module.random_opponent(), size=4, colour="red")
        with pytest.raises(ValueError, match="full boards"):
            module.OneAgent("othello", 0, size=4)
        with pytest.raises(ValueError, match="'human', not 'rgb_array'"):
            module.OneAgent("othello", module.random_opponent(), size=4, render_mode="rgb_array")

    def test_a_person_sees_every_position(self, module, capsys):
        env = module.OneAgent("othello", module.random_opponent(), size=4, colour="black", render_mode="human")
        seen, _ = env.reset(seed=1)
        shown = env.state_of_game.text()
        env.step(int(seen["action_mask"].argmax()))
        assert capsys.readouterr().out == f"{shown}\n{env.state_of_game.text()}\n" and env.render() is None

    def test_an_illegal_action_loses(self, module):
        env = module.OneAgent("othello", module.random_opponent(), size=4, colour="black")
        env.reset(seed=1)
        seen, reward, terminated, truncated, info = env.step(5)
        assert (reward, terminated, truncated, info["illegal_action"]) == (-1, True, False, 5)
        assert seen in env.observation_space and not seen["action_mask"].any()

    def test_masks_as_sb3_contrib_asks_for_them(self, module):
        """MaskablePPO calls `env.get_wrapper_attr("action_masks")()` before each action."""
        import gymnasium

        env = gymnasium.make("shogi_engine/Othello4x4-v0", colour="white")
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
        [("Othello4x4", {}), ("Othello6x6", {"render_mode": "ansi"}), ("Othello", {"opponent": 1}), ("Shogi", {})],
    )
    def test_gymnasiums_own_test(self, module, name, arguments):
        import gymnasium
        from gymnasium.utils.env_checker import check_env

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", message=".*(different from the unwrapped version|render mode).*")
            check_env(gymnasium.make(f"shogi_engine/{name}-v0", **arguments).unwrapped)

    def test_vectors_have_an_id(self, module):
        import gymnasium

        env = gymnasium.make_vec("shogi_engine/OthelloSelfPlay-v0", num_envs=3)
        observations, _ = env.reset(seed=1)
        assert observations["action_mask"].sum(axis=1).tolist() == [4, 4, 4]

    @pytest.mark.slow
    @pytest.mark.parametrize("game", ["othello", "shogi"])
    def test_a_game_against_a_level(self, module, game):
        env = module.OneAgent(game, 0, colour="white", longest=40)
        seen, _ = env.reset(seed=1)
        over = truncated = False
        while not (over or truncated):
            seen, _, over, truncated, _ = env.step(int(env.action_space.sample(seen["action_mask"])))
        assert env.plies >= 40
        env.close()
