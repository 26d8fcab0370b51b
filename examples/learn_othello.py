"""Learn Othello on 6 x 6 squares from scratch, as AlphaZero does: a network guides a search and learns from its games.

    python examples/learn_othello.py [generations] [games]

It needs `pip install pettingzoo gymnasium`. The network has one hidden layer and is trained with NumPy; you can use any
other library instead. The game is examples/games/othello6.py; any other registered game can take its place.
"""

import sys
from pathlib import Path

import numpy as np

from shogi_engine import games as all_games
from shogi_engine.environments.agents import TwoAgents

GAME = "othello6"
HIDDEN, VISITS, EXPLORATION, RATE = 96, 24, 1.5, 0.003
rng = np.random.default_rng(1)


class Network:
    """From planes to probabilities of the actions and a value for the side to move. Trained by Adam."""

    def __init__(self, inputs, actions):
        shapes = (inputs, HIDDEN), (HIDDEN,), (HIDDEN, actions), (actions,), (HIDDEN, 1), (1,)
        self.weights = [rng.normal(0, 0.1, shape) if len(shape) > 1 else np.zeros(shape) for shape in shapes]
        self.moments = [(np.zeros(shape), np.zeros(shape)) for shape in shapes]
        self.steps = 0

    def __call__(self, planes, masks):
        """Return (hidden, probabilities, values) of n positions."""
        inner, bias, policy, policy_bias, value, value_bias = self.weights
        hidden = np.maximum(planes @ inner + bias, 0)
        logits = np.where(masks, hidden @ policy + policy_bias, -1e9)
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        return hidden, chances / chances.sum(axis=1, keepdims=True), np.tanh(hidden @ value + value_bias)[:, 0]

    def train(self, planes, masks, targets, results):
        """Take one training step towards the visits of the searches and the results of the games."""
        hidden, chances, values = self(planes, masks)
        to_logits = (chances - targets) / len(planes)
        to_value = ((values - results) * (1 - values**2) / len(planes))[:, None]
        back = (to_logits @ self.weights[2].T + to_value @ self.weights[4].T) * (hidden > 0)
        slopes = (
            planes.T @ back,
            back.sum(0),
            hidden.T @ to_logits,
            to_logits.sum(0),
            hidden.T @ to_value,
            to_value.sum(0),
        )
        self.steps += 1
        for weight, slope, (mean, square) in zip(self.weights, slopes, self.moments, strict=True):
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope**2 - square)
            scale = np.sqrt(square / (1 - 0.999**self.steps)) + 1e-8
            weight -= RATE * mean / (1 - 0.9**self.steps) / scale


class Node:
    """A position in the search: its legal actions and their statistics."""

    def __init__(self, state, network):
        self.state, self.actions, self.children = state, state.legal(), {}
        self.result = state.result()
        if self.result is not None:  # for the side to move
            self.value = self.result if state.turn == 0 else -self.result
            return
        mask = state.mask().astype(bool)[None]
        _, chances, values = network(state.planes().reshape(1, -1), mask)
        self.chances, self.value = chances[0, self.actions], values[0]
        self.visits, self.sums = np.zeros(len(self.actions)), np.zeros(len(self.actions))

    def visit(self, network):
        """Search one more line; return its value for the side to move."""
        if self.result is not None:
            return self.value
        means = self.sums / np.maximum(self.visits, 1)
        bonus = EXPLORATION * self.chances * np.sqrt(self.visits.sum() + 1) / (1 + self.visits)
        best = int(np.argmax(means + bonus))
        if best in self.children:
            value = -self.children[best].visit(network)
        else:
            state = self.state.copy()
            state.play(self.actions[best])
            self.children[best] = Node(state, network)
            value = -self.children[best].value
        self.visits[best] += 1
        self.sums[best] += value
        return value


def choice(state, network, exploring):
    """Return (action, shares): the choice of a search of `state`, and each action's share of the visits."""
    root = Node(state, network)
    if exploring:
        root.chances = 0.75 * root.chances + 0.25 * rng.dirichlet(np.full(len(root.actions), 0.5))
    for _ in range(VISITS):
        root.visit(network)
    shares = np.zeros(state.actions)
    shares[root.actions] = root.visits / root.visits.sum()
    return int(rng.choice(state.actions, p=shares)) if exploring else int(np.argmax(shares)), shares


def self_play(env, network):
    """Play a self-play game; return [(planes, mask, shares, result)]."""
    env.reset()
    seen = []
    while not any(env.terminations.values()):
        agent, observed = env.agent_selection, env.observe(env.agent_selection)
        action, shares = choice(env.state_of_game, network, exploring=True)
        seen.append((agent, observed["observation"].ravel(), observed["action_mask"].astype(bool), shares))
        env.step(action)
    return [(planes, mask, shares, env.rewards[agent]) for agent, planes, mask, shares in seen]


def score_against_chance(env, network, games):
    """Return the network's share of the points against random moves, with colours alternating."""
    points = 0.0
    for game in range(games):
        env.reset()
        mine = env.possible_agents[game % 2]
        while not any(env.terminations.values()):
            if env.agent_selection == mine:
                action, _ = choice(env.state_of_game, network, exploring=False)
            else:
                action = env.action_space(mine).sample(env.observe(env.agent_selection)["action_mask"])
            env.step(action)
        points += (env.rewards[mine] + 1) / 2
    return points / games


def main(generations=20, games=30):
    """Learn and print the progress."""
    sys.path.insert(0, str(Path(__file__).parent / "games"))
    all_games.register(GAME, GAME)
    env = TwoAgents(GAME)
    env.reset()
    env.action_space("black").seed(1)
    state = env.state_of_game
    network = Network(state.planes().size, state.actions)
    before = score_against_chance(env, Network(state.planes().size, state.actions), 2 * games)
    memory = []
    for generation in range(1, generations + 1):
        for _ in range(games):
            memory += self_play(env, network)
        memory = memory[-8000:]
        for _ in range(60):
            rows = rng.integers(len(memory), size=64)
            network.train(*(np.array(column) for column in zip(*(memory[row] for row in rows), strict=True)))
        if generation % 5 == 0 or generation == generations:
            print(f"generation {generation}: {score_against_chance(env, network, 2 * games):.2f} of the points")
    after = score_against_chance(env, network, 200 if generations > 1 else 2)
    print(f"against random moves: {before:.2f} of the points before, {after:.2f} after")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
