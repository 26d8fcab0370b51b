"""Learn a game from scratch by Gumbel AlphaZero: Othello on 6 x 6 squares, mini-Shogi, or another of examples/games.

    python examples/learn_by_gumbel.py [game] [minutes] [games at once] [simulations]

The method is that of Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by planning with Gumbel" (ICLR
2022), in the form of DeepMind's mctx: the root samples moves without replacement and halves them in turn, so that a
few simulations improve the policy; inner nodes follow the improved policy. The search is written with NumPy on a
`Batch`, which knows the rules, and the network with torch. Now and then it plays against random moves and against
searches of the engine. Times are CPU times. See docs/environments.md for what it reached.
"""

import math
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from shogi_engine import games as all_games
from shogi_engine.batch import Batch, LiveGames

CONSIDERED, VISIT_OFFSET, VALUE_SCALE = 8, 50, 0.5  # moves at the root; c_visit and c_scale of the paper
CHANNELS, BLOCKS, RATE, ROWS, MEMORY, LONGEST = 32, 2, 0.002, 256, 30_000, 200
NEVER = -1e9  # the logit of an illegal move
torch.set_num_threads(1)


class Network(nn.Module):
    """From planes to the logits of all moves and the expected result of the side to move."""

    def __init__(self, shape, labels):
        super().__init__()
        planes, squares = shape[0], shape[1] * shape[2]

        def layer(inputs, outputs=CHANNELS, size=3):
            return nn.Sequential(nn.Conv2d(inputs, outputs, size, padding=size // 2), nn.BatchNorm2d(outputs))

        self.first = layer(planes)
        self.blocks = nn.ModuleList(nn.Sequential(layer(CHANNELS), nn.ReLU(), layer(CHANNELS)) for _ in range(BLOCKS))
        self.policy = nn.Sequential(layer(CHANNELS, 8, 1), nn.ReLU(), nn.Flatten(), nn.Linear(8 * squares, labels))
        value = nn.Linear(4 * squares, 32), nn.ReLU(), nn.Linear(32, 1), nn.Tanh()
        self.value = nn.Sequential(layer(CHANNELS, 4, 1), nn.ReLU(), nn.Flatten(), *value)

    def forward(self, planes):
        """Return (float32[n, labels], float32[n])."""
        found = torch.relu(self.first(planes))
        for block in self.blocks:
            found = torch.relu(found + block(found))
        return self.policy(found), self.value(found)[:, 0]

    def judge(self, planes):
        """Return the same without training, as arrays."""
        self.eval()
        with torch.inference_mode():
            logits, values = self(torch.from_numpy(planes))
        return logits.numpy(), values.numpy()


def softmax(logits):
    """Return the probabilities of each row's logits."""
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    return chances / chances.sum(axis=1, keepdims=True)


def halving(considered, simulations):
    """Return the visits that a move of the root must have to be tried, for each simulation (Sequential Halving)."""
    if considered <= 1:
        return list(range(simulations))
    rounds, left, wanted, visits = math.ceil(math.log2(considered)), considered, [], [0] * considered
    while len(wanted) < simulations:
        for _ in range(max(1, simulations // (rounds * left))):
            wanted += visits[:left]
            visits[:left] = [count + 1 for count in visits[:left]]
        left = max(2, left // 2)
    return wanted[:simulations]


class Search:
    """Trees of `count` positions, one array per statistic: row = tree, column = node, the root first."""

    def __init__(self, batch, network, simulations, random):
        self.batch, self.network, self.simulations, self.random = batch, network, simulations, random
        self.labels = batch.layouts["ids"]
        self.wanted = np.array([halving(count, simulations) for count in range(CONSIDERED + 1)])

    def run(self, positions, noise=1.0):
        """Return (moves, improved policies) of packed positions, none of them at the game's end.

        Args:
            noise: what the Gumbel noise is multiplied by; 0 for the best move
        """
        count, nodes = len(positions), self.simulations + 1
        edges = count, nodes, self.labels
        self.positions = np.zeros((count, nodes, positions.shape[1]), np.uint8)
        self.logits, self.raw = np.zeros(edges, np.float32), np.zeros((count, nodes), np.float32)
        self.over, self.child = np.zeros((count, nodes), bool), np.full(edges, -1, np.int32)
        self.visits, self.sums = np.zeros(edges, np.int32), np.zeros(edges, np.float32)
        rows = np.arange(count)
        self._expand(rows, 0, positions)
        root = self.logits[:, 0]
        gumbel = noise * self.random.gumbel(size=root.shape)
        considered = np.minimum((root > NEVER).sum(axis=1), CONSIDERED)
        for step in range(self.simulations):
            due = self.visits[:, 0] == self.wanted[considered, step][:, None]
            score = np.where(due & (root > NEVER), gumbel + root + self._quality(rows, 0 * rows), -np.inf)
            self._simulate(step + 1, score.argmax(axis=1))
        improved = root + self._quality(rows, 0 * rows)
        most = self.visits[:, 0] == self.visits[:, 0].max(axis=1, keepdims=True)
        moves = np.where(most, gumbel + improved, -np.inf).argmax(axis=1)
        return moves, softmax(np.where(root > NEVER, improved, NEVER))

    def _expand(self, rows, node, positions):
        """Fill in node number `node` of the trees `rows`."""
        outcomes = self.batch.outcomes(positions)
        masks = self.batch.legal_masks(positions, "ids")
        logits, values = self.network.judge(self.batch.features(positions, "planes", dtype=np.float32))
        logits = np.where(masks, logits - logits.max(axis=1, keepdims=True), NEVER)
        self.positions[rows, node], self.logits[rows, node], self.over[rows, node] = positions, logits, outcomes.over
        self.raw[rows, node] = np.where(outcomes.over, outcomes.result, values)

    def _quality(self, rows, nodes):
        """Return the transformed values of all moves of nodes; moves without visits have the mixed value (eq. 33)."""
        visits, sums = self.visits[rows, nodes], self.sums[rows, nodes]
        prior, seen, raw = softmax(self.logits[rows, nodes]), visits > 0, self.raw[rows, nodes]
        means = sums / np.maximum(visits, 1)
        total, weight = visits.sum(axis=1), (prior * seen).sum(axis=1)
        mixed = (raw + total * (prior * means).sum(axis=1) / np.maximum(weight, 1e-9)) / (1 + total)
        completed = np.where(seen, means, mixed[:, None])
        return (VISIT_OFFSET + visits.max(axis=1, keepdims=True)) * VALUE_SCALE * (completed + 1) / 2

    def _simulate(self, new, moves):
        """Descend in each tree, from the root by `moves`, to a new node or the end of a game; back up its value."""
        count = len(moves)
        rows, nodes, path = np.arange(count), np.zeros(count, np.int32), []
        leaves = np.full(count, -1)  # the nodes whose values are backed up
        while len(rows):
            path.append((rows, nodes, moves))
            below = self.child[rows, nodes, moves]
            fresh = below < 0
            self.child[rows[fresh], nodes[fresh], moves[fresh]] = leaves[rows[fresh]] = new
            if fresh.any():
                grown = self.batch.apply(self.positions[rows[fresh], nodes[fresh]], moves[fresh])
                self._expand(rows[fresh], new, grown)
            ends = ~fresh & self.over[rows, below]
            leaves[rows[ends]] = below[ends]
            rows, nodes = rows[~fresh & ~ends], below[~fresh & ~ends]
            improved = softmax(self.logits[rows, nodes] + self._quality(rows, nodes))
            visits = self.visits[rows, nodes]
            shares = improved - visits / (1 + visits.sum(axis=1, keepdims=True))
            moves = np.where(self.logits[rows, nodes] > NEVER, shares, -np.inf).argmax(axis=1)
        values = self.raw[np.arange(count), leaves]
        depths = np.bincount(np.concatenate([rows for rows, _, _ in path]), minlength=count)
        for depth, (rows, nodes, moves) in enumerate(path):
            self.visits[rows, nodes, moves] += 1
            self.sums[rows, nodes, moves] += np.where((depths[rows] - depth) % 2, -1, 1) * values[rows]


class SelfPlay:
    """Games of the network against itself, and the positions of finished games to learn from."""

    def __init__(self, search, count):
        self.search, self.games = search, LiveGames(search.batch, count, longest=LONGEST)
        self.running, self.memory, self.seen = [[] for _ in range(count)], [], 0

    def play(self):
        """Make a move in every game."""
        moves, policies = self.search.run(self.games.positions())
        planes, turns = self.games.features("planes"), self.games.turns
        steps = self.games.step(moves)
        for row, game in enumerate(self.running):
            game.append((planes[row], policies[row].astype(np.float32), turns[row]))
            if steps.ended[row]:
                signs = ((seen, policy, 1 if turn == turns[row] else -1) for seen, policy, turn in game)
                self.memory += [(seen, policy, sign * float(steps.results[row])) for seen, policy, sign in signs]
                self.seen, self.running[row] = self.seen + len(game), []
        del self.memory[:-MEMORY]
        self.games.reset(steps.ended)


def learn(network, optimiser, memory, random):
    """Take one training step towards the improved policies and the results."""
    planes, policies, results = zip(*(memory[row] for row in random.integers(len(memory), size=ROWS)), strict=True)
    network.train()
    logits, values = network(torch.from_numpy(np.stack(planes).astype(np.float32)))
    loss = nn.functional.cross_entropy(logits, torch.from_numpy(np.stack(policies)))
    loss += nn.functional.mse_loss(values, torch.tensor(results))
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()


def score_against(depth, search, count, random):
    """Return the search's share of the points against random moves (0), or searches to a depth, as both colours."""
    batch, games, points = search.batch, LiveGames(search.batch, count, longest=LONGEST), np.full(count, 0.5)
    for _ in range(2):  # different games
        games.step(games.random_moves(random))
    mine, left = np.arange(count) % 2, np.ones(count, bool)
    while left.any():
        positions, turns, moves = games.positions(), games.turns, games.random_moves(random)
        own, other = left & (turns == mine), left & (turns != mine)
        if own.any():
            moves[own] = search.run(positions[own], noise=0)[0]
        if depth and other.any():
            moves[other] = batch.search(positions[other], depth=depth).moves
        steps = games.step(moves)
        ended = steps.ended & left
        points[ended] += np.where(turns == mine, 0.5, -0.5)[ended] * steps.results[ended]
        left &= ~ended
        games.reset(steps.ended)
    return points.mean()


def main(game="othello6", minutes="10", count="64", simulations="32"):
    """Learn and print the strength by time."""
    sys.path.insert(0, str(Path(__file__).parent / "games"))
    all_games.register(game, game)
    torch.manual_seed(1)
    random, batch = np.random.default_rng(1), Batch(game)
    network = Network(batch.feature_names["planes"], batch.layouts["ids"])
    search = Search(batch, network, int(simulations), random)
    self_play, told = SelfPlay(search, int(count)), -1.0
    optimiser = torch.optim.AdamW(network.parameters(), RATE, weight_decay=0.001)
    seconds, played = 60 * float(minutes), 0.0
    while told < 1:
        began = time.process_time()
        self_play.play()
        if len(self_play.memory) >= ROWS:
            learn(network, optimiser, self_play.memory, random)
        played += time.process_time() - began
        if played / seconds >= told + 0.1 or told < 0:
            told = min(played / seconds, 1) if told >= 0 else 0.0
            shares = (score_against(depth, search, int(count), random) for depth in (0, 1, 3))
            text = ", ".join(f"{share:.2f}" for share in shares)
            print(f"{played:.0f} s, {self_play.seen} positions: {text} of the points", flush=True)
    print("of the points: against random moves, searches of depth 1 and 3")
    torch.save(network.state_dict(), f"{game}.pt")


if __name__ == "__main__":
    main(*sys.argv[1:])
