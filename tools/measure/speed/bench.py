"""The bench of this checkout and of another: nodes per second, and the nodes. Unix only.

    python -m tools.measure.speed bench ../other-checkout --rounds 5
    python -m tools.measure.speed bench ../other-checkout --game othello

A first round, which is not counted, fills the caches. Equal nodes mean equal searches; otherwise the speeds are for
different trees.
"""

import argparse
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tools.measure.speed.harness import ROOT, Checkout, Subjects


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the other checkout."""
    parser.add_argument("other", type=Path, metavar="CHECKOUT")
    parser.add_argument("--game", default="", help="all if not given")
    parser.add_argument("--other-cache", type=Path, help="folder of the other's kernels, if not the usual one")


def subjects(args: argparse.Namespace) -> Iterator[tuple[str, Subjects]]:
    """Yield both checkouts, and the nodes of their first benches. Raises ValueError."""

    def bench(checkout: Checkout) -> dict[str, float]:
        words = "-m", "shogi_engine", "bench", *filter(None, [args.game]), "--json"
        found: dict[str, float] = json.loads(checkout.run(*words).splitlines()[-1])
        return found

    def nps(checkout: Checkout) -> float:
        return bench(checkout)["nps"]

    checkouts = [Checkout(ROOT), Checkout(args.other, args.other_cache)]
    first = {str(each): bench(each)["nodes"] for each in checkouts}
    yield "nodes/s", {str(each): {"bench": partial(nps, each)} for each in checkouts}
    yield "nodes", {name: {"bench": partial(float, nodes)} for name, nodes in first.items()}
