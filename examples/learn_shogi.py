"""Learn Shogi from records: a policy and value network in torch, trained on one core in ten minutes, against levels.

    python examples/learn_shogi.py [minutes] [games or a file or folder of records]
    shogi-engine match policy:learn_shogi.py level:3 --limit nodes=50 --games 10

The first command plays games of the engine against itself or reads records, trains, and writes learn_shogi.pt. The
second, in the same folder, plays with this file: `network` below is what `match policy:FILE` looks for. Times are CPU
times, so that a busy computer trains as much as an idle one. See docs/environments.md for what it learns.
"""

import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from shogi_engine import records
from shogi_engine.batch import Batch, iterate_self_play, positions_of

WEIGHTS, CHANNELS, BLOCKS, ROWS, RATE, HELD_OUT = Path("learn_shogi.pt"), 32, 3, 256, 0.002, 4096
torch.set_num_threads(1)


class Block(nn.Module):
    """Two convolutions and the way around them."""

    def __init__(self):
        super().__init__()
        layers = [[nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1), nn.BatchNorm2d(CHANNELS)] for _ in range(2)]
        self.layers = nn.Sequential(*layers[0], nn.ReLU(), *layers[1])

    def forward(self, planes):
        """Return the planes after the block."""
        return torch.relu(planes + self.layers(planes))


class Network(nn.Module):
    """From dlshogi's planes to the logits of its 2187 moves and the odds of the side to move."""

    def __init__(self):
        super().__init__()
        self.board, self.hands = nn.Conv2d(62, CHANNELS, 3, padding=1), nn.Conv2d(57, CHANNELS, 1)
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.policy = nn.Sequential(nn.Conv2d(CHANNELS, 27, 1), nn.Flatten())
        self.value = nn.Sequential(nn.Conv2d(CHANNELS, 8, 1), nn.ReLU(), nn.Flatten(), nn.Linear(648, 1))

    def forward(self, board, hands):
        """Return (float32[n, 2187], float32[n]) of the two kinds of planes."""
        found = self.blocks(torch.relu(self.board(board) + self.hands(hands)))
        return self.policy(found), self.value(found)[:, 0]


def planes_of(source, *positions):
    """Return the planes of a Batch's positions or of LiveGames."""
    return [torch.from_numpy(each) for each in source.features(*positions, "dlshogi1", "dlshogi2", dtype=np.float32)]


def network(leaves):
    """Evaluate the leaves of a search, see batch.Puct."""
    if not hasattr(network, "model"):
        network.model = Network()
        network.model.load_state_dict(torch.load(WEIGHTS))
        network.model.eval()
    with torch.inference_mode():
        logits, odds = network.model(*planes_of(leaves))
        return logits.numpy(), torch.tanh(odds / 2).numpy()


def examples(batch, source):
    """Return (positions, moves in dlshogi's layout, results for the side to move) of games."""
    made = iterate_self_play(batch, int(source), nodes=60, seed=1) if source.isdecimal() else records.games(source)
    parts = []
    for games in made:
        found = positions_of(batch, games)
        moves = batch.relabel(found.positions, games.moves[found.game, found.ply], "ids", "dlshogi")
        black = (games.results[found.game] + 1) / 2
        value = np.where(batch.sides(found.positions) == 0, black, 1 - black).astype(np.float32)
        parts.append((found.positions, moves.astype(np.int64), value))
        print(f"{sum(len(part[0]) for part in parts)} positions, {time.process_time():.0f} s", flush=True)
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


def found_of(model, batch, positions, moves, results):
    """Return the shares of positions whose move and whose winner the network finds."""
    model.eval()
    with torch.inference_mode():
        logits, odds = model(*planes_of(batch, positions))
    model.train()
    return (logits.argmax(1).numpy() == moves).mean(), ((odds.numpy() > 0) == (results > 0.5)).mean()


def main(minutes="8", source="1500"):
    """Train and print the course: how often the move and the winner of games that are held out are found."""
    torch.manual_seed(1)
    random, batch, model = np.random.default_rng(1), Batch("shogi"), Network()
    positions, moves, results = examples(batch, source)
    last = max(len(positions) - HELD_OUT, 1)  # the last games are held out
    optimiser = torch.optim.AdamW(model.parameters(), RATE, weight_decay=0.01)
    began, told, step, seconds, share = time.process_time(), 0.0, 0, 60 * float(minutes), 0.0
    while share < 1:
        rows = random.integers(last, size=ROWS)
        logits, odds = model(*planes_of(batch, positions[rows]))
        loss = nn.functional.cross_entropy(logits, torch.from_numpy(moves[rows]))
        loss += nn.functional.binary_cross_entropy_with_logits(odds, torch.from_numpy(results[rows]))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        step, share = step + 1, min((time.process_time() - began) / seconds, 1)
        optimiser.param_groups[0]["lr"] = RATE * (1.01 - share)
        if share > told or share == 1:
            told += 0.1
            right, winner = found_of(model, batch, positions[last:], moves[last:], results[last:])
            print(f"{share * seconds:.0f} s, step {step}: move {right:.1%}, winner {winner:.1%}", flush=True)
    torch.save(model.state_dict(), WEIGHTS)
    print(f"{WEIGHTS} after {step} steps of {ROWS} positions")


if __name__ == "__main__":
    main(*sys.argv[1:])
