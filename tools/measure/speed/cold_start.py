"""The cost of a first start: CPU seconds until the engine is ready without a kernel cache, and with one. Unix only.

    python -m tools.measure.speed cold_start --rounds 1               # Shogi: `isready` over USI
    python -m tools.measure.speed cold_start --game othello --rounds 3 --against ../other-checkout

Each round begins with an empty cache in a temporary folder. It measures in this order: the first `isready`
(Engine.warmup for a game without USI), the cache's megabytes after it, `shogi-engine warmup` after that, the megabytes
then, the same start again with the warm cache, and `import numba` alone, which is a lower bound for any start.
"""

import argparse
import shlex
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from shogi_engine.clients.base import EngineError
from shogi_engine.clients.usi import SimpleEngine
from shogi_engine.match.plan import NO_BOOK
from tools.measure.speed.harness import ROOT, Checkout, Measurement, Subjects, child_seconds

WARMUP = "import sys; from shogi_engine.engine import Engine; Engine(sys.argv[1]).warmup()"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the game and another checkout."""
    parser.add_argument("--game", default="shogi")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="another checkout to compare with")


def start(checkout: Checkout, game: str) -> None:
    """Start the engine until it is ready, and end it. Raises ValueError."""
    if game != "shogi":
        checkout.run("-c", WARMUP, game)
        return
    engine = SimpleEngine(shlex.join(checkout.command("-m", "usi")), defaults=NO_BOOK)
    try:
        engine.ready()
    except EngineError as fault:
        raise ValueError(str(fault)) from None
    finally:
        engine.close()


def operations(checkout: Checkout, game: str, folder: Path) -> dict[str, Measurement]:
    """Return what is measured, in order; the first one empties the cache."""

    def seconds(work: Callable[[], object]) -> Measurement:
        return lambda: child_seconds(work)

    def megabytes() -> float:
        assert checkout.cache is not None
        return sum(file.stat().st_size for file in checkout.cache.rglob("*") if file.is_file()) / 1e6

    def first() -> float:
        checkout.cache = Path(tempfile.mkdtemp(dir=folder))
        return child_seconds(lambda: start(checkout, game))

    return {
        "first start": first,
        "cache MB after it": megabytes,
        "warmup after it": seconds(lambda: checkout.run("-m", "shogi_engine", "warmup", game)),
        "cache MB after warmup": megabytes,
        "warm start": seconds(lambda: start(checkout, game)),
        "import numba": seconds(lambda: checkout.run("-c", "import numba")),
    }


def subjects(args: argparse.Namespace) -> Iterator[tuple[str, Subjects]]:
    """Yield the checkouts. Raises ValueError."""
    checkouts = [Checkout(folder) for folder in (ROOT, args.against) if folder]
    with tempfile.TemporaryDirectory() as folder:
        for checkout in checkouts:
            checkout.run("-c", "import shogi_engine.engine")  # Python compiles the sources now
        yield f"{args.game}, CPU s", {str(each): operations(each, args.game, Path(folder)) for each in checkouts}
