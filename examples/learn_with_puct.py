"""Learn Othello from scratch with `batch.Puct`: hundreds of self-play games at once, guided by a small network.

    python examples/learn_with_puct.py [minutes] [games] [simulations]

It needs only NumPy; you can write the network with any other library. From time to time the network plays
against levels of the engine, with the same search. In ten minutes on a slow core it won all games against random moves,
85 % against level 0 and 25 % against level 1.
"""

import sys
import time

import numpy as np

from shogi_engine import Engine, Limit
from shogi_engine.batch import Batch, Puct
from shogi_engine.games.othello.board import Board

HIDDEN, RATE, BATCH, MEMORY = 256, 0.001, 512, 200_000
LAYOUT, LABELS = "squares+pass", 65
rng = np.random.default_rng(1)


class Network:
    """From planes to logits of the moves and a value for the side to move. One hidden layer, trained by Adam."""

    def __init__(self):
        shapes = (192, HIDDEN), (HIDDEN,), (HIDDEN, LABELS), (LABELS,), (HIDDEN, 1), (1,)
        self.weights = [rng.normal(0, 0.07, shape).astype(np.float32) for shape in shapes]
        self.moments = [(np.zeros_like(weight), np.zeros_like(weight)) for weight in self.weights]
        self.steps = 0

    def layers(self, planes):
        """Return (hidden, logits, values) of n positions."""
        inner, bias, policy, policy_bias, value, value_bias = self.weights
        hidden = np.maximum(planes @ inner + bias, 0)
        return hidden, hidden @ policy + policy_bias, np.tanh(hidden @ value + value_bias)[:, 0]

    def __call__(self, leaves):
        """Evaluate the leaves of a search."""
        _, logits, values = self.layers(leaves.features("planes", dtype=np.float32).reshape(len(leaves), -1))
        return logits, values

    def train(self, planes, targets, results):
        """Take one training step towards the visits of the searches and the results of the games."""
        hidden, logits, values = self.layers(planes)
        logits -= logits.max(axis=1, keepdims=True)
        chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        to_logits = (chances - targets) / len(planes)
        to_value = ((values - results) * (1 - values**2) / len(planes))[:, None]
        back = (to_logits @ self.weights[2].T + to_value @ self.weights[4].T) * (hidden > 0)
        gradients = []
        for layer, error in ((planes, back), (hidden, to_logits), (hidden, to_value)):
            gradients += [layer.T @ error, error.sum(0)]
        self.steps += 1
        for weight, gradient, (first, second) in zip(self.weights, gradients, self.moments, strict=True):
            first += 0.1 * (gradient - first)
            second += 0.001 * (gradient**2 - second)
            weight -= RATE * first / (1 - 0.9**self.steps) / (np.sqrt(second / (1 - 0.999**self.steps)) + 1e-8)


class SelfPlay:
    """Self-play games, and the training data from finished games."""

    def __init__(self, network, games, simulations):
        self.search = Puct(Batch("othello"), games, network, layout=LAYOUT, noise=(0.4, 0.25))
        self.simulations = simulations
        self.running = [[] for _ in range(games)]
        self.planes = np.zeros((MEMORY, 192), np.float32)
        self.targets, self.results = np.zeros((MEMORY, LABELS), np.float32), np.zeros(MEMORY, np.float32)
        self.learned = 0  # positions stored so far; the oldest are overwritten

    def play(self):
        """Make a move in every game."""
        search = self.search
        search.run(self.simulations)
        visits, turns = search.visits().astype(np.float32), search.turns
        planes = search.leaves.features("planes", dtype=np.float32).reshape(len(search), -1)
        plies = search.leaves.plies
        steps = search.step(search.choose(np.where(plies < 20, 1.0, 0.2)))
        for game, seen in enumerate(self.running):
            seen.append((planes[game], visits[game] / visits[game].sum(), turns[game]))
            if steps.ended[game]:
                for position, target, turn in seen:
                    at = self.learned % MEMORY
                    self.planes[at], self.targets[at] = position, target
                    self.results[at] = steps.results[game] * (1 if turn == turns[game] else -1)
                    self.learned += 1
                self.running[game] = []
        search.reset(steps.ended)

    def sample(self):
        """Return (planes, targets, results) of random positions, each randomly rotated or mirrored."""
        rows = rng.integers(min(self.learned, MEMORY), size=BATCH)
        planes, targets = self.planes[rows].reshape(-1, 3, 8, 8), self.targets[rows]
        squares = targets[:, :64].reshape(-1, 8, 8)
        quarters, mirrored = rng.integers(4), rng.integers(2)
        planes, squares = np.rot90(planes, int(quarters), (2, 3)), np.rot90(squares, int(quarters), (1, 2))
        if mirrored:
            planes, squares = planes[..., ::-1], squares[..., ::-1]
        targets = np.concatenate([squares.reshape(BATCH, 64), targets[:, 64:]], axis=1)
        return np.ascontiguousarray(planes).reshape(BATCH, 192), targets, self.results[rows]


def score_against(level, network, games, simulations):
    """Return the network's share of the points against a level of the engine, None for random moves."""
    batch, points = Batch("othello"), 0.0
    search, labels = Puct(batch, 1, network, layout=LAYOUT), batch.labels(LAYOUT)
    with Engine("othello", hash_mb=8) as engine:
        for number in range(games):
            board = Board()
            search.reset()
            for _ in range(4):  # different games each time
                move = rng.choice(list(board.legal_moves))
                search.step([labels[board.turn, int(move)]])
                board.push(int(move))
            while (outcome := board.outcome()) is None:
                legal = {int(labels[board.turn, int(move)]): move for move in board.legal_moves}
                if board.turn == number % 2:
                    search.run(simulations)
                    move = legal[int(search.choose()[0])]
                elif level is None:
                    move = rng.choice(list(legal.values()))
                else:
                    move = engine.play(board, Limit(level=level)).move
                assert move is not None  # in Othello no one resigns
                search.step([labels[board.turn, int(move)]])
                board.push(int(move))
            points += 0.5 if outcome.winner is None else outcome.winner == number % 2
    return points / games


def main(minutes=10.0, games=256.0, simulations=64.0):
    """Learn and print the progress."""
    network = Network()
    self_play = SelfPlay(network, int(games), int(simulations))
    begin = told = time.monotonic()
    matches = 40 if minutes >= 1 else 2
    print(f"before: {score_against(None, network, matches, int(simulations)):.2f} of the points against random moves")
    while (now := time.monotonic()) < begin + 60 * minutes:
        self_play.play()
        if self_play.learned > BATCH:
            for _ in range(8):
                network.train(*self_play.sample())
        if now > told + 120:
            told = now
            share = score_against(1, network, matches // 2, int(simulations))
            seen = f"{(now - begin) / 60:.0f} min, {self_play.learned} positions"
            print(f"{seen}: {share:.2f} against level 1", flush=True)
    for level in (None, 0, 1, 2, 3):
        share = score_against(level, network, matches, int(simulations))
        print(f"after: {share:.2f} against {'random moves' if level is None else f'level {level}'}")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
