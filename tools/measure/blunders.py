"""How many positions an engine has to look at until it sees that the last move was a mistake.

    python -m tools.measure.blunders "shogi-usi:EvalType=material" "YaneuraOu-by-gcc:BookFile=no_book,Threads=1"

tools/data/blunders.txt holds positions from lost games, right after a move whose side thought itself about equal and
which the opponent refuted, each with a value, in centipawns, that whoever has understood gives at least. An engine (a
command, and after a colon its options) has solved a position if the last value it tells within --nodes is as high; the
nodes counted are those at which it first was, and remained. Printed: how many are solved, and the geometric mean of
the nodes, twice --nodes where one is not. It takes half a minute, so it is a cheap measure of changes to a search, but
no substitute for games: the mean of the same search with other ties is a few percent different.
"""

import argparse
import math
import sys
from pathlib import Path

from shogi_engine.clients.usi import Info, Limit, SimpleEngine
from shogi_engine.match.engines import NO_BOOK

POSITIONS = Path(__file__).parent.parent / "data" / "blunders.txt"


def nodes_needed(infos: list[Info], value: int) -> int | None:
    """Return at how many nodes the engine that wrote `infos` first said `value` or more and kept to it, or None."""
    first = None
    for info in infos:
        if info.score is not None and info.nodes is not None and info.bound != "upper":
            first = (first or info.nodes) if info.score.value >= value else None
    return first


def main() -> int:
    """Ask each engine about each position and print."""
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
            needed.append(nodes_needed(engine.play(sfen, Limit(nodes=arguments.nodes)).infos, int(value)))
        mean = math.exp(sum(math.log(max(found or 2 * arguments.nodes, 1)) for found in needed) / len(needed))
        solved = sum(found is not None for found in needed)
        print(f"{engine.name}: {solved} of {len(needed)} solved, geometric mean {mean:.0f} nodes")
        engine.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
