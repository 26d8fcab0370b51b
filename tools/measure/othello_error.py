"""Measure the mean error of searches in discs on solved endings, for evaluations of Othello.

    python -m tools.measure.othello_error --depth 10 --weights work/gen0/weights.bin

The endings are an OBF file with a score on each line, by default that of tools/data: one position per game, from games
at 2000 nodes a move after random openings of 8 to 14 moves, with exact scores. The package's evaluations come first.
Every position is searched separately, without Multi-ProbCut.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.games.othello.names import DISC
from shogi_engine.games.othello.notation import parse_obf
from shogi_engine.games.othello.records.formats.obf import parse_obf_line
from shogi_engine.training.othello.kernels import SAMPLE
from shogi_engine.training.othello.positions import empties_of, player_of, search_values
from shogi_engine.training.recipe import load

PACKAGE = "patterns", "network"  # the evaluations with weights of the package
ENDINGS = Path(__file__).resolve().parents[1] / "data" / "othello_endings.obf"


def read_endings(file: Path) -> Any:
    """Return the positions with their scores, record[SAMPLE]. Raises ValueError, naming the line, if one has none."""
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    samples = np.zeros(len(lines), dtype=SAMPLE)
    for number, (sample, line) in enumerate(zip(samples, lines, strict=True), 1):
        test = parse_obf_line(line)
        if test.score is None:
            raise ValueError(f"{file}, line {number}: no score")
        position = parse_obf(test.position)
        sample["own"], sample["opponent"], sample["value"] = position.own, position.opponent, DISC * test.score
    return samples


def errors(samples: Any, evaluation: str, depth: int) -> np.ndarray:
    """Return the error in discs of searches of `depth` plies with an evaluation, for each sample, float[n]."""
    values = search_values(player_of(load("othello").named_evaluator(evaluation)), samples, depth, depth)[:, 0]
    return np.abs(values - samples["value"]) / DISC


def main(argv: list[str] | None = None) -> int:
    """Search and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--endings", type=Path, default=ENDINGS)
    parser.add_argument("--depth", type=int, default=10)
    parser.add_argument("--weights", nargs="*", default=[])
    args = parser.parse_args(argv)
    samples = read_endings(args.endings)
    empties = empties_of(samples)
    for weights in (*PACKAGE, *args.weights):
        found = errors(samples, weights, args.depth)
        interval = 1.96 * found.std() / np.sqrt(len(found))
        by_count = " ".join(f"{count}: {found[empties == count].mean():.2f}" for count in np.unique(empties))
        mean = f"{found.mean():.3f} +- {interval:.3f} discs"
        print(f"{weights}: {mean}, {len(found)} positions, depth {args.depth}; {by_count}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
