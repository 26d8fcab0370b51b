"""Engines as processes: the bench, USI engines, and the cost of a first start."""

import argparse
import json
import math
import shlex
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from shogi_engine.clients.base import EngineError
from shogi_engine.clients.usi import SimpleEngine
from shogi_engine.match.plan import NO_BOOK
from shogi_engine.types.limits import Limit
from tools.measure.speed import ROOT, Checkout, Measurement, Subjects, child_seconds, comparison


def bench_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the other checkout."""
    parser.add_argument("other", type=Path, metavar="CHECKOUT")
    parser.add_argument("--game", default="", help="all if not given")
    parser.add_argument("--other-cache", type=Path, help="folder of the other's kernels, if not the usual one")


@comparison(bench_arguments)
def bench(args: argparse.Namespace) -> Iterator[tuple[str, Subjects]]:
    """The bench of this checkout and of another: nodes per second, and the nodes. Unix only.

        python -m tools.measure.speed bench ../other-checkout --rounds 5
        python -m tools.measure.speed bench ../other-checkout --game othello

    A first round, which is not counted, fills the caches. Equal nodes mean equal searches; otherwise the speeds are for
    different trees.
    """

    def benched(checkout: Checkout) -> dict[str, float]:
        words = "-m", "shogi_engine", "bench", *filter(None, [args.game]), "--json"
        found: dict[str, float] = json.loads(checkout.run(*words).splitlines()[-1])
        return found

    def nps(checkout: Checkout) -> float:
        return benched(checkout)["nps"]

    checkouts = [Checkout(ROOT), Checkout(args.other, args.other_cache)]
    first = {str(each): benched(each)["nodes"] for each in checkouts}
    yield "nodes/s", {str(each): {"bench": partial(nps, each)} for each in checkouts}
    yield "nodes", {name: {"bench": partial(float, nodes)} for name, nodes in first.items()}


POSITIONS = (
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "ln1g5/1r2S1k2/p2pppn2/2ps2p2/1p7/2P6/PPSPPPPLP/2G2K1pr/LN4G1b w BGSLPnp 62",
    "lnsgk1snl/1r4gb1/p1pppp2p/6pp1/1p7/2P4P1/PPSPPPP1P/1B5R1/LN1GKGSNL b - 13",
    "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
)
GAMES = Path(__file__).resolve().parents[2] / "data" / "game_positions.txt"
LEAST_SHARE = 0.9  # of the requested nodes; a search with fewer has ended early


def usi_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the engines, their limit and the positions."""
    parser.add_argument("engines", nargs="+", help="'command:Option=value,Option=value'")
    parser.add_argument("--movetime", type=int, default=1000, help="ms a search")
    parser.add_argument("--nodes", type=int, help="nodes of a search, measured in CPU time, in place of --movetime")
    parser.add_argument("--positions", metavar="FILE", type=Path, help="other positions, one SFEN per line")
    parser.add_argument("--games", dest="positions", action="store_const", const=GAMES, help="200 positions of games")


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process, threads that have ended included. Raises OSError if there is no such process.

    The clock of a process is that of clock_getcpuclockid(3) on Linux.
    """
    return time.clock_gettime((~pid << 3) | 2)


def searched(engine: SimpleEngine, sfen: str, limit: Limit, depths: dict[str, int]) -> Measurement:
    """Return the measurement of nodes per second from an empty table; nan if the search ends early."""

    def measured() -> float:
        engine.new_game()
        assert engine.pid is not None
        began = cpu_seconds(engine.pid) if limit.nodes else 0.0
        answer = engine.play(sfen, limit)
        depths[sfen] = answer.info.depth or 0
        if limit.nodes is None:
            return answer.info.nps or math.nan
        seconds, score, nodes = cpu_seconds(engine.pid) - began, answer.info.score, answer.info.nodes or 0
        if score is not None and score.mate and nodes < LEAST_SHARE * limit.nodes:
            return math.nan
        return max(nodes, limit.nodes) / seconds  # some engines send their report before the last node

    return measured


@comparison(usi_arguments)
def usi(args: argparse.Namespace) -> Iterator[tuple[str, Subjects]]:
    """The search speed of USI engines: nodes per second and depth on five positions, or those of a file.

        python -m tools.measure.speed usi "shogi-usi" "fairy-stockfish:UCI_Variant=shogi" --movetime 1000 --rounds 3
        python -m tools.measure.speed usi "shogi-usi" "yaneuraou:Threads=1" --nodes 50000 --rounds 1 --games

    An engine is a command, then a colon and its options. With --nodes, seconds are CPU time of all the engine's threads
    (Linux only), so other load hardly matters. Searches that end early, for example with a mate, do not count.
    """
    positions = args.positions.read_text().splitlines() if args.positions else POSITIONS
    limit = Limit(nodes=args.nodes) if args.nodes else Limit(time=args.movetime / 1000)
    engines = [SimpleEngine.described(each, defaults=NO_BOOK) for each in args.engines]
    try:
        speeds: Subjects = {}
        depths: Subjects = {}
        for number, engine in enumerate(engines, 1):
            reached: dict[str, int] = {}
            name = f"{number}. {engine.name}"
            speeds[name] = {sfen[:40]: searched(engine, sfen, limit, reached) for sfen in positions}
            depths[name] = {sfen[:40]: partial(reached.__getitem__, sfen) for sfen in positions}
        yield "nodes/s", speeds
        args.rounds = 1
        yield "depth of the last round", depths
    finally:
        for engine in engines:
            engine.close()


WARMUP = "import sys; from shogi_engine.engine import Engine; Engine(sys.argv[1]).warmup()"


def cold_start_arguments(parser: argparse.ArgumentParser) -> None:
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


@comparison(cold_start_arguments)
def cold_start(args: argparse.Namespace) -> Iterator[tuple[str, Subjects]]:
    """The cost of a first start: CPU seconds until the engine is ready without a kernel cache, and with one. Unix only.

        python -m tools.measure.speed cold_start --rounds 1               # Shogi: `isready` over USI
        python -m tools.measure.speed cold_start --game othello --rounds 3 --against ../other-checkout

    Each round begins with an empty cache in a temporary folder. It measures in this order: the first `isready`
    (Engine.warmup for a game without USI), the cache's megabytes after it, `shogi-engine warmup` after that, the
    megabytes then, the same start again with the warm cache, and `import numba` alone, which is a lower bound for any
    start.
    """
    checkouts = [Checkout(folder) for folder in (ROOT, args.against) if folder]
    with tempfile.TemporaryDirectory() as folder:
        for checkout in checkouts:
            checkout.run("-c", "import shogi_engine.engine")  # Python compiles the sources now
        yield f"{args.game}, CPU s", {str(each): operations(each, args.game, Path(folder)) for each in checkouts}
