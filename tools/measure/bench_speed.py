"""Compare the bench of this checkout with that of another, in turn: nodes per second, and their ratio.

    python -m tools.measure.bench_speed ../other-checkout --rounds 5
    python -m tools.measure.bench_speed ../other-checkout --game othello

A first round, which is not counted, fills the caches. The order alternates, so that a drifting machine speed affects
both equally. Printed: nodes, median nodes per second of each, and the median, lowest and highest of the rounds'
ratios this / other. Equal nodes mean equal searches; otherwise the speeds are for different trees. Unix only.
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

from tools.measure.checkouts import ROOT, Checkout


def bench(checkout: Checkout, game: str) -> tuple[int, float]:
    """Return (nodes, nodes per second) of one bench. Raises ValueError."""
    found = json.loads(checkout.run("-m", "shogi_engine", "bench", *filter(None, [game]), "--json").splitlines()[-1])
    return found["nodes"], found["nps"]


def main(words: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, metavar="CHECKOUT")
    parser.add_argument("--game", default="", help="all if not given")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--other-cache", type=Path, help="folder of the other's kernels, if not the usual one")
    arguments = parser.parse_args(words)
    rounds: list[tuple[float, float]] = []
    try:
        this, other = Checkout(ROOT), Checkout(arguments.other, arguments.other_cache)
        nodes = [bench(checkout, arguments.game)[0] for checkout in (this, other)]
        for number in range(max(arguments.rounds, 1)):
            order = (this, other) if number % 2 == 0 else (other, this)
            first, second = (bench(checkout, arguments.game)[1] for checkout in order)
            rounds.append((first, second) if number % 2 == 0 else (second, first))
    except (ValueError, OSError) as fault:
        print(f"{parser.prog}: {fault}", file=sys.stderr)
        return 2
    for checkout, count, speeds in zip((this, other), nodes, zip(*rounds, strict=True), strict=True):
        print(f"{checkout}: {count} nodes, median {statistics.median(speeds) / 1e6:.3f} M nodes/s")
    ratios = [ours / theirs for ours, theirs in rounds]
    text = f"this / other: median {statistics.median(ratios):.3f}, {min(ratios):.3f} to {max(ratios):.3f}"
    print(text + ("" if nodes[0] == nodes[1] else "   DIFFERENT NODES"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
