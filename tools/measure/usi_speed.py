"""Compare the search speed of USI engines: nodes per second and depth on five positions, or those of a file.

    python -m tools.measure.usi_speed "shogi-usi" "fairy-stockfish:UCI_Variant=shogi,Hash=64" --movetime 1000 --rounds 3
    python -m tools.measure.usi_speed "shogi-usi" "yaneuraou:Threads=1" --nodes 50000 --rounds 1 --games

An engine is a command, then a colon and its options. The engines take turns at each position, so that a drifting
machine speed affects all equally. Printed: each engine's median nodes per second and depth by position, and for each
engine after the first the median of the ratios first / engine. With --nodes, seconds are CPU time of all the
engine's threads (Linux only), so other load hardly matters. Positions where a search ends early, for example with a
mate, are omitted.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

from shogi_engine.clients.usi import Limit, SimpleEngine
from shogi_engine.match.engines import NO_BOOK
from tools.measure.game_positions import FILE as GAMES

POSITIONS = (
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "ln1g5/1r2S1k2/p2pppn2/2ps2p2/1p7/2P6/PPSPPPPLP/2G2K1pr/LN4G1b w BGSLPnp 62",
    "lnsgk1snl/1r4gb1/p1pppp2p/6pp1/1p7/2P4P1/PPSPPPP1P/1B5R1/LN1GKGSNL b - 13",
    "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
)


LEAST_SHARE = 0.9  # of the requested nodes; a search with fewer has ended early


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process, threads that have ended included. Raises OSError if there is no such process.

    The clock of a process is that of clock_getcpuclockid(3) on Linux.
    """
    return time.clock_gettime((~pid << 3) | 2)


def measure(engine: SimpleEngine, sfen: str, limit: Limit) -> tuple[float, int]:
    """Return (nodes per second, depth) of a search from an empty table; 0 if it ended early. Raises EngineError."""
    engine.new_game()
    if limit.nodes is None:
        answer = engine.play(sfen, limit)
        return answer.last("nps") or 0, answer.last("depth") or 0
    assert engine.pid is not None
    began = cpu_seconds(engine.pid)
    answer = engine.play(sfen, limit)
    seconds, score = cpu_seconds(engine.pid) - began, answer.score
    nodes = answer.last("nodes") or 0
    if score is not None and score.mate and nodes < LEAST_SHARE * limit.nodes:
        return 0, answer.last("depth") or 0
    return max(nodes, limit.nodes) / seconds, answer.last(
        "depth"
    ) or 0  # some engines send their report before the last node


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engines", nargs="+", help="'command:Option=value,Option=value'")
    parser.add_argument("--movetime", type=int, default=1000, help="ms a search")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--nodes", type=int, help="nodes of a search, measured in CPU time, in place of --movetime")
    parser.add_argument("--positions", metavar="FILE", type=Path, help="other positions, one SFEN per line")
    parser.add_argument("--games", dest="positions", action="store_const", const=GAMES, help="200 positions of games")
    arguments = parser.parse_args(argv)
    positions = arguments.positions.read_text().splitlines() if arguments.positions else POSITIONS
    engines = [SimpleEngine.described(each, defaults=NO_BOOK) for each in arguments.engines]
    limit = Limit(nodes=arguments.nodes) if arguments.nodes else Limit(movetime=arguments.movetime)
    found: dict[tuple[int, int], list[tuple[float, int]]] = {}
    for _ in range(arguments.rounds):
        for place, sfen in enumerate(positions):
            for number, engine in enumerate(engines):
                found.setdefault((number, place), []).append(measure(engine, sfen, limit))
    speeds = {
        key: (statistics.median(speed for speed, _ in values), statistics.median(depth for _, depth in values))
        for key, values in found.items()
    }
    for number, engine in enumerate(engines):
        cells = [speeds[number, place] for place in range(len(positions))]
        shown = [f"{speed / 1e6:.2f} M/s depth {depth:.0f}" for speed, depth in cells[: len(POSITIONS)]]
        print(f"{engine.name}: {', '.join(shown)}{' ...' if len(cells) > len(POSITIONS) else ''}")
        if number:
            pairs = [(speeds[0, place][0], speeds[number, place][0]) for place in range(len(positions))]
            ratios = [first / other for first, other in pairs if first and other]
            print(f"    {engines[0].name} / {engine.name}: median {statistics.median(ratios):.2f} of {len(ratios)}")
        engine.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
