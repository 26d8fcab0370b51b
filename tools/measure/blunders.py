"""Measure how many nodes an engine needs to see that the last move was a mistake.

    python -m tools.measure.blunders "shogi-usi:EvalType=material" "YaneuraOu-by-gcc:BookFile=no_book,Threads=1"

tools/data/blunders.txt contains positions from lost games, right after a move that its side considered about equal and
that the opponent refuted. Each has the least value in centipawns that an engine reports once it sees the refutation. An
engine (a command, then a colon and its options) solves a position if its last value within --nodes is that high. The
nodes counted are those after which the value stayed that high. Printed: the number solved, and the geometric mean of
the nodes, with twice --nodes for unsolved positions. It takes half a minute, so it is a cheap measure of a change to
the search, but no substitute for games: breaking ties differently changes the mean by a few per cent.
"""

import argparse
import math
import sys
from collections.abc import Iterable
from pathlib import Path

from shogi_engine.clients.usi import SimpleEngine
from shogi_engine.match.plan import NO_BOOK
from shogi_engine.types.limits import Limit
from shogi_engine.types.results import Info

POSITIONS = Path(__file__).parent.parent / "data" / "blunders.txt"


def nodes_needed(infos: Iterable[Info], value: int) -> int | None:
    """Return the nodes from which on the engine that wrote `infos` reported at least `value`, or None."""
    first = None
    for info in infos:
        if info.score is not None and info.nodes is not None and info.bound != "upper":
            first = (first or info.nodes) if info.score.value >= value else None
    return first


def main() -> int:
    """Search each position with each engine and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engines", nargs="+", help="'command:Option=value,Option=value'")
    parser.add_argument("--nodes", type=int, default=60_000)
    parser.add_argument("--positions", type=Path, default=POSITIONS)
    arguments = parser.parse_args()
    rows = [line.split(maxsplit=1) for line in arguments.positions.read_text(encoding="utf-8").splitlines()]
    for description in arguments.engines:
        engine = SimpleEngine.described(description, {"PvInterval": 0}, unlisted=True, defaults=NO_BOOK)
        needed = []
        for value, sfen in rows:
            engine.new_game()
            needed.append(nodes_needed(engine.analysis(sfen, Limit(nodes=arguments.nodes)), int(value)))
        mean = math.exp(sum(math.log(max(found or 2 * arguments.nodes, 1)) for found in needed) / len(needed))
        solved = sum(found is not None for found in needed)
        print(f"{engine.name}: {solved} of {len(needed)} solved, geometric mean {mean:.0f} nodes")
        engine.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
