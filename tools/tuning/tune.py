"""Fits the weights of Shogi's king-piece evaluation to self-play games.

    python -m tools.tuning.tune OUT.npz --data FOLDER [FOLDER...] [--start FILE] [--plot FILE]
    python -m tools.tuning.tune OUT.npz --prior

A position's value is a sum over pieces and kings (evaluation/king_piece_weights.py of Shogi). Logistic regression fits
its sigmoid to the results: Adam on batches, with games split into training and validation. Most of the 81 x 2896 cells
are rare, so a cell is a sum of shared parts: material by kind, piece-square, piece by the king's rank, piece relative
to the king, and the cell itself. A prior of its own width pulls each part to its start; mirrored boards share all
parts. King safety and the tempo are fitted too. The run is seeded. Its state is saved in the folder of OUT after each
epoch. Start it again with the same options to continue.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from shogi_engine.games.shogi import GAME
from shogi_engine.games.shogi.evaluation import king_piece_weights as king_piece
from shogi_engine.games.shogi.evaluation.king_piece_weights import (
    ATTACKERS,
    FEATURES,
    GUARDS,
    HAND_BASE,
    HAND_COUNTS,
    HAND_PRESSURES,
    MIRROR,
    NO_KING,
    ROWS,
    SAFETIES,
    SAFETY,
    UNIT,
)
from shogi_engine.games.shogi.params import VALUES
from shogi_engine.games.shogi.types import GOLD, KING, SILVER, SQUARES, UNDO
from shogi_engine.jit import new_record
from tools.tuning.tune_kernels import PIECES, collect, cross_entropy, later_results

MIRRORED = king_piece.mirror_features()
OWN, ENEMY = 0, 1

# The fitted parameters in one vector: the cells of a king on each square, king safety, and the tempo.
SAFETY_CELLS = SQUARES * FEATURES
TEMPO_CELL = SAFETY_CELLS + SAFETIES
CELLS = TEMPO_CELL + 1

PARTS = ("material", "square", "rank", "relative", "cell", "safety")
SAVED = ("values", "first_moment", "second_moment")  # the saved arrays of a part
WIDTHS = (80.0, 35.0, 15.0, 35.0, 15.0, 50.0)
LOSSES = ("training", "validation", "validation on results")


def swapped() -> np.ndarray:
    """Return int64[FEATURES]: for each feature of one king, the other king's feature of the same piece."""
    swap = np.empty(FEATURES, dtype=np.int64)
    pieces = np.arange(32) ^ 16
    swap[:HAND_BASE] = (pieces[:, None] * SQUARES + np.arange(SQUARES)[::-1]).ravel()
    hands = np.arange(16) ^ 8
    swap[HAND_BASE:] = (HAND_BASE + hands[:, None] * HAND_COUNTS + np.arange(HAND_COUNTS)).ravel()
    return swap


# ---- the parts of a cell -----------------------------------------------------------------------------------------


class Part:
    """One summand of the cells: `index` int64[CELLS] gives its parameter in each cell, -1 for none.

    Args:
        width: centipawns, the standard deviation of its prior
        start: float64[count], the prior's mean
    """

    def __init__(self, name: str, index: np.ndarray, width: float, start: np.ndarray | None = None) -> None:
        self.name = name
        self.count = int(index.max()) + 1
        self.index = np.full(CELLS, self.count)
        self.index[: len(index)] = np.where(index < 0, self.count, index)
        self.width = width
        self.start = np.zeros(self.count) if start is None else start[: self.count]
        self.values = self.start.copy()
        self.first_moment, self.second_moment = np.zeros(self.count), np.zeros(self.count)

    def cells(self) -> np.ndarray:
        """Return its contribution to each cell, float64[CELLS]."""
        return np.append(self.values, 0.0)[self.index]

    def step(self, gradients: np.ndarray, evidence: float, rate: float, number: int) -> None:
        """Take one step of Adam by the cells' gradient and the prior.

        Args:
            rate: the step, as a share of the width
        """
        gradient = np.bincount(self.index, gradients, self.count + 1)[: self.count]
        gradient = gradient + (self.values - self.start) / (self.width**2 * evidence)
        self.first_moment += 0.1 * (gradient - self.first_moment)
        self.second_moment += 0.001 * (gradient * gradient - self.second_moment)
        mean = self.first_moment / (1 - 0.9**number)
        square = self.second_moment / (1 - 0.999**number)
        self.values -= rate * self.width * mean / (np.sqrt(square) + 1e-9)


def make_parts(widths: dict[str, float]) -> list[Part]:
    """Return the parts of the cells, each at the mean of its prior."""
    kings = np.arange(SQUARES)[:, None]
    features = np.arange(FEATURES)[None, :]
    board = features < HAND_BASE
    piece, square = features // SQUARES, features % SQUARES
    hand, number = (features - HAND_BASE) // HAND_COUNTS, (features - HAND_BASE) % HAND_COUNTS
    kind = np.where(board, piece & 15, hand & 7)
    real = np.where(board, (kind > 0) & (kind < 15), (kind > 0) & (number > 0))
    real = np.broadcast_to(real, (SQUARES, FEATURES))

    def shared(index: np.ndarray) -> np.ndarray:
        """Return `index` with the same number for a cell and its mirror image, numbered from 0."""
        index = np.broadcast_to(index, (SQUARES, FEATURES))
        index = np.minimum(index, index[MIRROR][:, MIRRORED])
        return np.where(real, np.unique(index, return_inverse=True)[1].reshape(index.shape), -1).ravel()

    material = np.where(real, np.where(board, piece, 32 + hand) + 0 * kings, -1)
    worth = np.zeros(48)
    for index in range(48):
        which, owner = (index & 15, index >> 4) if index < 32 else (index & 7, (index - 32) >> 3)
        worth[index] = (VALUES[which] if which < 15 else 0) * (0.5 if owner == OWN else -0.5)
    down, right = square // 9 - kings // 9 + 8, np.abs(square % 9 - kings % 9)
    safety = np.full((3, CELLS), -1)
    attackers, guards, pressure = np.unravel_index(np.arange(SAFETIES), (ATTACKERS, GUARDS, HAND_PRESSURES))
    safety[0, SAFETY_CELLS:TEMPO_CELL] = attackers * GUARDS + guards
    safety[1, SAFETY_CELLS:TEMPO_CELL] = attackers * HAND_PRESSURES + pressure
    safety[2, SAFETY_CELLS:TEMPO_CELL] = np.arange(SAFETIES)
    tempo = np.full(CELLS, -1)
    tempo[TEMPO_CELL] = 0
    parts = [
        Part("material", material.ravel(), widths["material"], worth),
        Part("square", shared(features + 0 * kings), widths["square"]),
        Part("rank", shared(kings // 9 * FEATURES + features), widths["rank"]),
        Part("relative", np.where(real & board, (piece * 17 + down) * 9 + right, -1).ravel(), widths["relative"]),
        Part("cell", shared(kings * FEATURES + features), widths["cell"]),
        Part("attackers and guards", safety[0], widths["safety"]),
        Part("attackers and hand pressure", safety[1], widths["safety"]),
        Part("safety", safety[2], widths["safety"] / 4),
        Part("tempo", tempo, 20.0),
    ]
    set_prior({part.name: part for part in parts})
    return parts


def set_prior(parts: dict[str, Part]) -> None:
    """Initialise the parts with common knowledge: guards near the own king, no enemies there, and the king at home."""
    relative, square = parts["relative"].start, parts["square"].start
    guards = (SILVER, GOLD, 9, 10, 11, 12)
    for index in range(len(relative)):
        piece, down, right = index // 153, index // 9 % 17, index % 9
        near = max(0, 3 - max(abs(down - 8), right))
        owner, kind = piece >> 4, piece & 15
        if owner == OWN and kind in guards:
            relative[index] = 8 * near
        elif owner == ENEMY and 0 < kind < 15 and kind != KING:
            relative[index] = -10 * near
    for place in range(SQUARES):
        square[parts["square"].index[KING * SQUARES + place]] = 15 * (place // 9 - 8) + 8 * abs(place % 9 - 4)
    for part in parts.values():
        part.values = part.start.copy()


def compose(parts: list[Part]) -> np.ndarray:
    """Return the cells, float64[CELLS], in centipawns."""
    return np.sum([part.cells() for part in parts], axis=0)


def export(parts: list[Part], tempo: int) -> king_piece.Weights:
    """Return the weights in the engine's form; a side without a king gets material and piece-square values only.

    The fitted tempo is for quiet positions, in which the side to move cannot win material at once. The search uses the
    tempo differently (it prunes more with a higher one), so it is given instead.
    """
    cells = compose(parts)
    table = np.zeros((ROWS, FEATURES))
    table[:SQUARES] = cells[:SAFETY_CELLS].reshape(SQUARES, FEATURES)
    table[NO_KING] = np.sum([part.cells()[:FEATURES] for part in parts[:2]], axis=0)
    table[SAFETY, :SAFETIES] = cells[SAFETY_CELLS:TEMPO_CELL]
    limit = np.iinfo(np.int16).max
    return king_piece.Weights(np.clip(np.rint(table * UNIT), -limit, limit).astype(np.int16), tempo)


# ---- data --------------------------------------------------------------------------------------------------------


class Data:
    """The quiet positions of many games: arrays by position, as `collect` writes them.

    Attributes:
        results: black's results, 0 to 1
        games: the number of its game
        values: the values of the searches, by game
    """

    def __init__(self, folders: list[Path], largest: int) -> None:
        files = sorted(file for folder in folders for file in folder.glob("piece-*-*.npz"))
        if not files:
            raise SystemExit(f"no pieces of games in {', '.join(map(str, folders))}")
        pieces = [dict(np.load(file)) for file in files]
        most = sum(len(piece["moves"]) for piece in pieces)
        self.features = np.zeros((most, PIECES), dtype=np.uint16)
        self.kings = np.zeros((most, 2), dtype=np.uint8)
        self.safeties = np.zeros((most, 2), dtype=np.uint16)
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
                arrays = self.features, self.kings, self.safeties, self.sides, self.scores, self.plies
                end = collect(pos, undo, moves, values, largest, *arrays, end)
                self.results[begin:end] = (float(result) + 1) / 2
                self.games[begin:end] = len(self.values)
                self.values.append(values)
                place = last
        for name in ("features", "kings", "safeties", "sides", "scores", "plies", "results", "games"):
            setattr(self, name, getattr(self, name)[:end])

    def targets(self, fade: float, scale: float) -> np.ndarray:
        """Return float32[n]: the target of each position for black, 0 to 1, from `later_results`."""
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
    data = Data(arguments.data, arguments.largest)
    scale = arguments.scale or fit_scale(data.scores, data.results)
    targets = data.targets(arguments.fade, scale)
    held_out = np.random.default_rng(arguments.seed).random(len(data.values)) < 0.1
    training = np.flatnonzero(~held_out[data.games])
    validation = np.flatnonzero(held_out[data.games])
    print(f"{len(data.values)} games, {len(targets)} quiet positions, {len(validation)} held out, scale {scale:.0f}")
    parts = make_parts(dict(zip(PARTS, arguments.widths, strict=True)))
    swap = swapped()

    def loss(wanted: np.ndarray, rows: np.ndarray, gradients: np.ndarray) -> float:
        cells = compose(parts).astype(np.float32)
        arrays = data.features, data.kings, data.safeties, data.sides
        return cross_entropy(cells, swap, *arrays, wanted, rows, scale, gradients) / len(rows)

    steps = -(-len(training) // arguments.batch)
    evidence = len(training) / arguments.alike  # positions of a game are not independent
    state = arguments.out.with_suffix(".state.npz")
    options = repr(sorted((key, str(value)) for key, value in vars(arguments).items() if key != "plot"))
    history = resume(state, options, parts)
    for epoch in range(len(history), arguments.epochs):
        order = np.random.default_rng([arguments.seed, epoch]).permutation(training)
        total, began = 0.0, time.process_time()
        for step in range(steps):
            rows = order[step * arguments.batch : (step + 1) * arguments.batch]
            number = epoch * steps + step + 1
            gradients = np.zeros(CELLS, dtype=np.float32)
            total += loss(targets, rows, gradients) * len(rows)
            gradients /= len(rows)
            for part in parts:
                part.step(gradients, evidence, arguments.rate * (1 - (number - 1) / (steps * arguments.epochs)), number)
        none = np.zeros(0, dtype=np.float32)
        history.append([total / len(training), loss(targets, validation, none), loss(data.results, validation, none)])
        words = ", ".join(f"{name} {value:.5f}" for name, value in zip(LOSSES, history[-1], strict=True))
        print(f"epoch {epoch + 1}: {words}, {time.process_time() - began:.1f} s", flush=True)
        arrays = {f"{part.name}_{name}": getattr(part, name) for part in parts for name in SAVED}
        np.savez(state, options=options, history=history, **arrays)
    for part in parts:
        print(f"{part.name}: {part.count} parameters, spread {np.std(part.values - part.start):.1f} centipawns")
    king_piece.save(arguments.out, export(parts, arguments.tempo))
    if arguments.plot:
        plot(arguments.plot, history)


def resume(state: Path, options: str, parts: list[Part]) -> list[list[float]]:
    """Restore `parts` from a stopped run with the same options; return its losses by epoch."""
    if not state.exists():
        return []
    with np.load(state) as stored:
        if str(stored["options"]) != options:
            return []
        for part in parts:
            part.values, part.first_moment, part.second_moment = (stored[f"{part.name}_{name}"] for name in SAVED)
        return stored["history"].tolist()


def plot(file: Path, history: list[list[float]]) -> None:
    """Draw the losses by epoch."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    for name, values in zip(LOSSES, zip(*history, strict=True), strict=True):
        axes.plot(range(1, len(values) + 1), values, label=name)
    axes.set(xlabel="epoch", ylabel="cross-entropy")
    axes.legend()
    figure.savefig(file)


def main() -> int:
    """Fit, or write the prior."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the weights to write")
    parser.add_argument("--data", type=Path, nargs="+", default=[], help="folders of `shogi-engine train`")
    parser.add_argument("--prior", action="store_true", help="write handwritten weights, for the first games")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch", type=int, default=16384)
    parser.add_argument(
        "--rate", type=float, default=0.05, help="first step of Adam, as a share of the width of a part"
    )
    parser.add_argument(
        "--widths", type=float, nargs=len(PARTS), default=WIDTHS, help=f"centipawns: {', '.join(PARTS)}"
    )
    parser.add_argument(
        "--alike", type=float, default=0.4, help="number of positions that count as one independent observation"
    )
    parser.add_argument(
        "--fade", type=float, default=0.97, help="factor per ply by which later values count; 1 uses only results"
    )
    parser.add_argument("--scale", type=float, default=0, help="centipawns for odds of e : 1; 0 to fit it")
    parser.add_argument(
        "--largest", type=int, default=2500, help="centipawns; positions with larger values are not used"
    )
    parser.add_argument("--tempo", type=int, default=30, help="centipawns for the side to move")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot", type=Path)
    arguments = parser.parse_args()
    if arguments.prior:
        parts = make_parts(dict(zip(PARTS, WIDTHS, strict=True)))
        king_piece.save(arguments.out, export(parts, arguments.tempo))
        return 0
    if not arguments.data:
        parser.error("--data or --prior is needed")
    fit(arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
