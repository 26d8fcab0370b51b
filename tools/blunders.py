"""How many positions an engine has to look at until it sees that the last move was a mistake.

    python tools/blunders.py "shogi-usi:EvalType=material" "YaneuraOu-by-gcc:BookFile=no_book,Threads=1" --nodes 60000

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

from usi_speed import Engine

POSITIONS = Path(__file__).parent / "data" / "blunders.txt"
MATE = 30_000


def told(line: str) -> tuple[int, int] | None:
    """Return (value, nodes) of an info line, None of one that has none or only an upper bound."""
    words = line.split()
    if "score" not in words or "nodes" not in words or "upperbound" in words:
        return None
    kind, value = words[words.index("score") + 1 :][:2]
    if kind == "mate":
        value = str(-MATE if value.startswith("-") else MATE)
    return int(value), int(words[words.index("nodes") + 1])


def nodes_needed(lines: list[str], value: int) -> int | None:
    """Return at how many nodes the engine that wrote `lines` first said `value` or more and kept to it, or None."""
    first = None
    for line in lines:
        if found := told(line):
            first = (first or found[1]) if found[0] >= value else None
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
        engine = Engine(f"{description}{',' if ':' in description else ':'}PvInterval=0")
        needed = []
        for value, sfen in rows:
            engine.send("usinewgame")
            engine.send(f"position sfen {sfen}")
            needed.append(nodes_needed(engine.ask(f"go nodes {arguments.nodes}", "bestmove"), int(value)))
        mean = math.exp(sum(math.log(max(found or 2 * arguments.nodes, 1)) for found in needed) / len(needed))
        solved = sum(found is not None for found in needed)
        print(f"{engine.name}: {solved} of {len(needed)} solved, geometric mean {mean:.0f} nodes")
        engine.send("quit")
    return 0


if __name__ == "__main__":
    sys.exit(main())
