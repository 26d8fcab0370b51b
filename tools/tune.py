"""Fits the weights of Shogi's king-piece evaluation to games of the engine against itself.

    python tools/tune.py OUT.npz --data FOLDER [FOLDER...] [--start FILE] [--plot FILE]
    python tools/tune.py OUT.npz --prior

A position's value is a sum over pieces and kings (shogi_engine/games/shogi/king_piece.py); through a sigmoid it is
fitted to what came of the position, by logistic regression: Adam on batches, the games split into training and
validation. Most of the 81 x 2896 cells are rare, so a cell is the sum of parts that share what they learn: material by
kind, piece-square, piece by the king's rank, piece relative to the king, and the cell itself, each drawn to where it
starts by a prior of its own width; mirrored boards share all parts. The run is seeded; after each epoch it is stored
beside OUT and goes on from there when started again with the same options.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from selfplay_kernels import PIECES, collect, gradient, later_results, losses

from shogi_engine.games.shogi import GAME, king_piece
from shogi_engine.games.shogi.king_piece import FEATURES, HAND_BASE, HAND_COUNTS, MIRROR, NO_KING, ROWS, UNIT
from shogi_engine.games.shogi.params import VALUES
from shogi_engine.games.shogi.types import GOLD, KING, SILVER, SQUARES, UNDO
from shogi_engine.jit import new_record

MIRRORED = king_piece.mirror_features()
OWN, ENEMY = 0, 1


def swapped() -> np.ndarray:
    """Return int64[FEATURES]: by feature of one king, the same piece as the other king sees it."""
    swap = np.empty(FEATURES, dtype=np.int64)
    pieces = np.arange(32) ^ 16
    swap[:HAND_BASE] = (pieces[:, None] * SQUARES + np.arange(SQUARES)[::-1]).ravel()
    hands = np.arange(16) ^ 8
    swap[HAND_BASE:] = (HAND_BASE + hands[:, None] * HAND_COUNTS + np.arange(HAND_COUNTS)).ravel()
    return swap


# ---- the parts of a cell -----------------------------------------------------------------------------------------


class Part:
    """One summand of the cells: `index` int64[81, FEATURES] says which of its parameters a cell has, -1 for none.

    width : centipawns, the standard deviation of its prior.   start : float64[count], the prior's middle.
    """

    def __init__(self, name: str, index: np.ndarray, width: float, start: np.ndarray | None = None) -> None:
        self.name = name
        self.index = np.where(index < 0, index.max() + 1, index)
        self.count = int(index.max()) + 1
        self.width = width
        self.start = np.zeros(self.count) if start is None else start
        self.values = self.start.copy()
        self.mean, self.square = np.zeros(self.count), np.zeros(self.count)

    def cells(self) -> np.ndarray:
        """Return what it adds to each cell, float64[81, FEATURES]."""
        return np.append(self.values, 0.0)[self.index]

    def slope(self, slopes: np.ndarray) -> np.ndarray:
        """Return the slope of its parameters from the cells'."""
        return np.bincount(self.index.ravel(), slopes.ravel(), self.count + 1)[: self.count]

    def step(self, slope: np.ndarray, rate: float, number: int) -> None:
        """Move one step of Adam against `slope`."""
        self.mean += 0.1 * (slope - self.mean)
        self.square += 0.001 * (slope * slope - self.square)
        mean = self.mean / (1 - 0.9**number)
        square = self.square / (1 - 0.999**number)
        self.values -= rate * mean / (np.sqrt(square) + 1e-9)


def parts(widths: dict[str, float]) -> list[Part]:
    """Return the parts of the cells."""
    kings = np.arange(SQUARES)[:, None]
    features = np.arange(FEATURES)[None, :]
    board = features < HAND_BASE
    piece, square = features // SQUARES, features % SQUARES
    hand, number = (features - HAND_BASE) // HAND_COUNTS, (features - HAND_BASE) % HAND_COUNTS
    kind = np.where(board, piece & 15, hand & 7)
    real = np.where(board, (kind > 0) & (kind < 15), (kind > 0) & (number > 0))
    real = np.broadcast_to(real, (SQUARES, FEATURES))

    def shared(index: np.ndarray) -> np.ndarray:
        """Return `index` with one number for a cell and its mirror image, numbered from 0."""
        index = np.broadcast_to(index, (SQUARES, FEATURES))
        index = np.minimum(index, index[MIRROR][:, MIRRORED])
        return np.where(real, np.unique(index, return_inverse=True)[1].reshape(index.shape), -1)

    material = np.where(board, piece, 32 + hand) + 0 * kings
    worth = np.zeros(48)
    for index in range(48):
        which, owner = (index & 15, index >> 4) if index < 32 else (index & 7, (index - 32) >> 3)
        worth[index] = (VALUES[which] if which < 15 else 0) * (0.5 if owner == OWN else -0.5)
    down, right = square // 9 - kings // 9 + 8, np.abs(square % 9 - kings % 9)
    return [
        Part("material", np.where(real, material, -1), widths["material"], worth[: int(material[real].max()) + 1]),
        Part("square", shared(features + 0 * kings), widths["square"]),
        Part("rank", shared(kings // 9 * FEATURES + features), widths["rank"]),
        Part("relative", np.where(real & board, (piece * 17 + down) * 9 + right, -1), widths["relative"]),
        Part("cell", shared(kings * FEATURES + features), widths["cell"]),
    ]


def compose(summands: list[Part]) -> np.ndarray:
    """Return the cells, float64[81, FEATURES], in centipawns."""
    return np.sum([part.cells() for part in summands], axis=0)


def export(summands: list[Part], tempo: float) -> king_piece.Weights:
    """Return the weights as the engine has them; a side without a king sees material and squares alone."""
    table = np.zeros((ROWS, FEATURES))
    table[:SQUARES] = compose(summands)
    table[NO_KING] = np.mean([part.cells() for part in summands[:2]], axis=1).sum(axis=0)
    limit = np.iinfo(np.int16).max
    return king_piece.Weights(np.clip(np.rint(table * UNIT), -limit, limit).astype(np.int16), round(tempo))


def set_prior(summands: list[Part]) -> None:
    """Give the parts what everybody knows: guards near the own king, no enemies there, and the king at home."""
    by_name = {part.name: part for part in summands}
    relative, square = by_name["relative"], by_name["square"]
    guards = (SILVER, GOLD, 9, 10, 11, 12)
    for piece in range(32):
        owner, kind = piece >> 4, piece & 15
        for down in range(17):
            for right in range(9):
                near = max(0, 3 - max(abs(down - 8), right))
                index = (piece * 17 + down) * 9 + right
                if index >= relative.count or kind in (0, KING, 15):
                    continue
                if owner == OWN and kind in guards:
                    relative.values[index] += 8 * near
                elif owner == ENEMY:
                    relative.values[index] -= 10 * near
    for place in range(SQUARES):
        index = square.index[0, KING * SQUARES + place]
        square.values[index] = 15 * (place // 9 - 8) + 8 * abs(place % 9 - 4)
    for part in summands:
        part.start = part.values.copy()


# ---- data --------------------------------------------------------------------------------------------------------


class Data:
    """The quiet positions of many games: arrays as `collect` writes them, by position.

    results : black's, 0 to 1.   games : the number of its game.   values : by game, what the search found.
    """

    def __init__(self, folders: list[Path], largest: int) -> None:
        files = sorted(file for folder in folders for file in folder.glob("piece-*-????.npz"))
        if not files:
            raise SystemExit(f"no pieces of selfplay.py in {', '.join(map(str, folders))}")
        pieces = [dict(np.load(file)) for file in files]
        most = sum(len(piece["moves"]) for piece in pieces)
        self.features = np.zeros((most, PIECES), dtype=np.uint16)
        self.kings = np.zeros((most, 2), dtype=np.uint8)
        self.sides = np.zeros(most, dtype=np.int8)
        self.scores = np.zeros(most, dtype=np.int16)
        self.plies = np.zeros(most, dtype=np.int16)
        self.results = np.zeros(most, dtype=np.float32)
        self.games = np.zeros(most, dtype=np.int32)
        start, undo = GAME.parse_position(GAME.start), new_record(UNDO)
        self.values: list[np.ndarray] = []  # by game
        end = 0
        for piece in pieces:
            place = 0
            for length, result in zip(piece["lengths"], piece["results"], strict=True):
                pos = start.copy()
                begin, last = end, place + int(length)
                moves, values = piece["moves"][place:last], piece["values"][place:last]
                arrays = self.features, self.kings, self.sides, self.scores, self.plies
                end = collect(pos, undo, moves, values, largest, *arrays, end)
                self.results[begin:end] = (float(result) + 1) / 2
                self.games[begin:end] = len(self.values)
                self.values.append(values)
                place = last
        for name in ("features", "kings", "sides", "scores", "plies", "results", "games"):
            setattr(self, name, getattr(self, name)[:end])

    def targets(self, fade: float, scale: float) -> np.ndarray:
        """Return float32[n]: what came of each position for black, 0 to 1, as `later_results` has it."""
        targets = np.empty(len(self.games), dtype=np.float32)
        begins = np.searchsorted(self.games, np.arange(len(self.values) + 1))
        for values, begin, end in zip(self.values, begins, begins[1:], strict=False):
            if begin < end:
                expected = np.empty(len(values))
                later_results(values, float(self.results[begin]), fade, scale, expected)
                targets[begin:end] = expected[self.plies[begin:end]]
        return targets


def fit_scale(scores: np.ndarray, results: np.ndarray) -> float:
    """Return the centipawns that make the odds e : 1, by the least cross-entropy of the results given the scores."""
    best = (np.inf, 0.0)
    for scale in range(200, 2001, 25):
        expected = np.clip(1 / (1 + np.exp(-scores / scale)), 1e-6, 1 - 1e-6)
        loss = -np.mean(results * np.log(expected) + (1 - results) * np.log(1 - expected))
        best = min(best, (float(loss), float(scale)))
    return best[1]


# ---- the fit -----------------------------------------------------------------------------------------------------


def fit(arguments: argparse.Namespace) -> None:
    """Fit, print the losses, write the weights and the plot."""
    random = np.random.default_rng(arguments.seed)
    data = Data(arguments.data, arguments.largest)
    scale = arguments.scale or fit_scale(data.scores, data.results)
    targets = data.targets(arguments.fade, scale)
    held_out = random.random(len(data.values)) < 0.1
    training = np.flatnonzero(~held_out[data.games])
    validation = np.flatnonzero(held_out[data.games])
    print(f"{len(data.values)} games, {len(targets)} quiet positions, {len(validation)} held out, scale {scale:.0f}")
    swap = swapped()
    summands = parts(dict(zip(("material", "square", "rank", "relative", "cell"), arguments.widths, strict=True)))
    set_prior(summands)
    tempo = 0.0
    tempo_moments = np.zeros(2)
    steps = -(-len(training) // arguments.batch)
    whole = steps * arguments.epochs
    evidence = len(training) / arguments.alike  # positions of a game are no independent witnesses
    state_file = arguments.out.with_suffix(".state.npz")
    first, number, history = 0, 0, []
    options = repr(sorted((key, str(value)) for key, value in vars(arguments).items() if key != "plot"))
    if state_file.exists():
        state = dict(np.load(state_file))
        if str(state["options"]) == options:
            first, number, tempo = int(state["epoch"]), int(state["number"]), float(state["tempo"])
            tempo_moments, history = state["tempo_moments"], state["history"].tolist()
            for part in summands:
                part.values, part.mean, part.square = (state[f"{part.name}_{n}"] for n in ("values", "mean", "square"))
    for epoch in range(first, arguments.epochs):
        order = np.random.default_rng([arguments.seed, epoch]).permutation(training)
        total, began = 0.0, time.process_time()
        for step in range(steps):
            rows = order[step * arguments.batch : (step + 1) * arguments.batch]
            number += 1
            rate = arguments.rate * (1 - (number - 1) / whole)
            table = compose(summands).astype(np.float32)
            slopes = np.zeros_like(table)
            loss, tempo_slope = gradient(
                table, swap, data.features, data.kings, data.sides, targets, rows, tempo, scale, slopes
            )
            total += loss
            slopes /= len(rows)
            for part in summands:
                pull = (part.values - part.start) / (part.width**2 * evidence)
                part.step(part.slope(slopes) + pull, rate * part.width, number)
            tempo_moments += [0.1, 0.001] * ([tempo_slope / len(rows), (tempo_slope / len(rows)) ** 2] - tempo_moments)
            tempo -= rate * 20 * tempo_moments[0] / (np.sqrt(tempo_moments[1]) + 1e-9)
        table = compose(summands).astype(np.float32)
        held = losses(table, swap, data.features, data.kings, data.sides, targets, validation, tempo, scale)
        outcome = losses(table, swap, data.features, data.kings, data.sides, data.results, validation, tempo, scale)
        history.append([total / len(training), held / len(validation), outcome / len(validation)])
        print(
            f"epoch {epoch + 1}: training {history[-1][0]:.5f}, validation {history[-1][1]:.5f}, "
            f"results alone {history[-1][2]:.5f}, tempo {tempo:.1f}, {time.process_time() - began:.1f} s",
            flush=True,
        )
        stored = {f"{part.name}_{n}": getattr(part, n) for part in summands for n in ("values", "mean", "square")}
        np.savez(
            state_file, options=options, epoch=epoch + 1, number=number, tempo=tempo, tempo_moments=tempo_moments,
            history=history, **stored,
        )  # fmt: skip
    for part in summands:
        print(f"{part.name}: {part.count} parameters, spread {np.std(part.values - part.start):.1f} centipawns")
    king_piece.save(arguments.out, export(summands, tempo))
    if arguments.plot:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots()
        for column, label in enumerate(("training", "validation", "validation, results alone")):
            axes.plot(range(1, len(history) + 1), [row[column] for row in history], label=label)
        axes.set(xlabel="epoch", ylabel="cross-entropy")
        axes.legend()
        figure.savefig(arguments.plot)


def main() -> int:
    """Fit, or write the prior."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the weights to write")
    parser.add_argument("--data", type=Path, nargs="+", default=[], help="folders of selfplay.py")
    parser.add_argument("--prior", action="store_true", help="write weights made by hand, to play the first games with")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch", type=int, default=16384)
    parser.add_argument("--rate", type=float, default=0.05, help="first step of Adam, as a share of a part's width")
    parser.add_argument("--widths", type=float, nargs=5, default=(60, 40, 15, 25, 10), help="centipawns: material, "
                        "square, rank, relative, cell")  # fmt: skip
    parser.add_argument("--alike", type=float, default=8, help="so many positions count as one independent witness")
    parser.add_argument("--fade", type=float, default=0.95, help="how much what comes later counts, by ply; 1: results")
    parser.add_argument("--scale", type=float, default=0, help="centipawns for odds of e : 1; 0 to fit it")
    parser.add_argument("--largest", type=int, default=2500, help="centipawns: no position beyond")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot", type=Path)
    arguments = parser.parse_args()
    if arguments.prior:
        summands = parts(dict.fromkeys(("material", "square", "rank", "relative", "cell"), 1.0))
        set_prior(summands)
        king_piece.save(arguments.out, export(summands, 20))
        return 0
    if not arguments.data:
        parser.error("--data or --prior is wanted")
    fit(arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
