"""The cost of a first start: CPU seconds until the engine is ready without a kernel cache, and with one.

    python -m tools.measure.cold_start                                # Shogi: `isready` over USI
    python -m tools.measure.cold_start --game othello --runs 3 --against ../other-checkout

Each run has an empty cache in a temporary folder. It measures in this order: the first `isready` (Engine.warmup for a
game without USI), the cache's files after it, `shogi-engine warmup` after that, the files then, the same start again
with the warm cache, and `import numba` alone, which is a lower bound for any start. With --against both checkouts run
in turn. Printed: medians, and the medians of the ratios other / this. Unix only.
"""

import argparse
import json
import shlex
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from shogi_engine.clients.usi import EngineError, SimpleEngine
from shogi_engine.match.engines import NO_BOOK
from tools.measure.checkouts import ROOT, Checkout, child_seconds

WARMUP = "import sys; from shogi_engine.engine import Engine; Engine(sys.argv[1]).warmup()"
Figures = dict[str, float]


def start(checkout: Checkout, game: str) -> None:
    """Start the engine until it is ready, and end it. Raises ValueError, EngineError."""
    if game != "shogi":
        checkout.run("-c", WARMUP, game)
        return
    engine = SimpleEngine(shlex.join(checkout.command("-m", "usi")), defaults=NO_BOOK)
    try:
        engine.ready()
    finally:
        engine.close()


def cache_files(cache: Path) -> tuple[int, float]:
    """Return the number of files below a folder, and their size in megabytes."""
    sizes = [file.stat().st_size for file in cache.rglob("*") if file.is_file()]
    return len(sizes), sum(sizes) / 1e6


def measure(checkout: Checkout, game: str) -> Figures:
    """Return the figures of one run, from an empty cache on. Raises ValueError, EngineError."""
    found: Figures = {}

    def timed(name: str, work: Callable[[], object]) -> None:
        found[f"{name} (CPU s)"] = child_seconds(work)

    def counted(name: str) -> None:
        assert checkout.cache is not None
        found[f"cache files after {name}"], found[f"cache MB after {name}"] = cache_files(checkout.cache)

    with tempfile.TemporaryDirectory() as folder:
        checkout.cache = Path(folder)
        timed("first start", lambda: start(checkout, game))
        counted("it")
        timed("warmup after it", lambda: checkout.run("-m", "shogi_engine", "warmup", game))
        counted("warmup")
        timed("warm start", lambda: start(checkout, game))
        timed("import numba", lambda: checkout.run("-c", "import numba"))
    return found


def show(checkouts: list[Checkout], runs: list[list[Figures]]) -> None:
    """Print a line for each figure.

    Args:
        runs: the figures of each checkout, by run
    """
    for name in runs[0][0]:
        columns = list(zip(*([figures[name] for figures in run] for run in runs), strict=True))
        text = "".join(f"{statistics.median(column):10.2f}" for column in columns)
        if len(checkouts) > 1 and all(columns[0]):
            ratio = statistics.median(other / this for this, other in zip(*columns, strict=True))
            text += f"   ratio {ratio:.2f}"
        print(f"{name:32}{text}")


def main(words: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="shogi")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="another checkout to compare with")
    parser.add_argument("--json", action="store_true", help="all figures of all runs as one JSON object")
    arguments = parser.parse_args(words)
    try:
        checkouts = [Checkout(folder) for folder in (ROOT, arguments.against) if folder]
        for checkout in checkouts:
            checkout.run("-c", "import shogi_engine.engine")  # Python compiles the sources now
        runs: list[list[Figures]] = []
        for number in range(max(arguments.runs, 1)):
            order = checkouts if number % 2 == 0 else checkouts[::-1]
            found = {id(checkout): measure(checkout, arguments.game) for checkout in order}
            runs.append([found[id(checkout)] for checkout in checkouts])
    except (ValueError, OSError, EngineError) as fault:
        print(f"{parser.prog}: {fault}", file=sys.stderr)
        return 2
    if arguments.json:
        print(json.dumps({"checkouts": list(map(str, checkouts)), "runs": runs}))
    else:
        print(f"{arguments.game}, {len(runs)} runs: {', other: '.join(map(str, checkouts))}")
        show(checkouts, runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
