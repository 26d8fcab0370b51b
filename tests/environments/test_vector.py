"""The vector environment: what Gymnasium asks of one, and the same games as `TwoAgents` plays."""

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from gymnasium.vector import AutoresetMode

from shogi_engine.environments.agents import TwoAgents
from shogi_engine.environments.vector import VectorGames
from shogi_engine.jit import JIT_DISABLED

STEPS = 12 if JIT_DISABLED else 150


@pytest.mark.parametrize("game", ["othello", "shogi"])
def test_spaces_resets_and_rewards(game):
    env = VectorGames(game, 5, longest=60)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    seen, info = env.reset(seed=3)
    assert env.observation_space.contains(seen) and info["turn"].tolist() == [0] * 5
    ended = truncated = 0
    for _ in range(STEPS):
        actions = env.random_actions()
        assert env.action_space.contains(actions.astype(np.int64))
        assert seen["action_mask"][np.arange(5), actions].all()
        before = env.games.plies
        seen, rewards, over, cut, info = env.step(actions)
        assert env.observation_space.contains(seen) and rewards.dtype == np.float32 and rewards.shape == (5,)
        assert (rewards[~over] == 0).all() and not (over & cut).any()
        done = over | cut
        assert (env.games.plies == np.where(done, 0, before + 1)).all() and (info["turn"][done] == 0).all()
        assert ("final_obs" in info) == done.any()
        for row in np.flatnonzero(done):
            last = info["final_obs"][row]
            assert env.single_observation_space.contains(last) and info["_final_obs"][row]
            assert last["action_mask"].any() == cut[row]
        ended, truncated = ended + over.sum(), truncated + cut.sum()
    assert JIT_DISABLED or (ended if game == "othello" else truncated)


@pytest.mark.parametrize("game", ["othello", "shogi"])
def test_the_same_game_as_two_agents_play(game):
    env, single = VectorGames(game, 2, dtype=np.float32), TwoAgents(game)
    seen, _ = env.reset(seed=1)
    single.reset()
    for _ in range(STEPS // 3):
        expected = single.observe(single.agent_selection)
        for row in range(2):
            assert (seen["observation"][row] == expected["observation"]).all()
            assert (seen["action_mask"][row] == expected["action_mask"].astype(bool)).all()
        action, mover = int(env.random_actions()[0]), single.agent_selection
        single.step(action)
        seen, rewards, over, _, _ = env.step([action, action])
        assert rewards.tolist() == [single.rewards[mover]] * 2 and over[0] == single.terminations[mover]
        if over[0]:
            break


def test_seeds_positions_and_refusals():
    env = VectorGames("othello", 4, planes=False, masks=False)
    actions = []
    for _ in range(2):
        seen, _ = env.reset(seed=9)
        assert seen == {}
        actions.append(env.random_actions().tolist())
    assert actions[0] == actions[1]
    positions = env.games.batch.pack(["-" * 26 + "XXX-----XO" + "-" * 28 + " O"] * 4)
    _, info = env.reset(options={"positions": positions})
    assert info["turn"].tolist() == [1] * 4
    with pytest.raises(ValueError, match="row 2: the move 0"):
        env.step([*env.random_actions()[:2], 0, 0])
    with pytest.raises(ValueError, match="there is no game 'chess'"):
        VectorGames("chess")
