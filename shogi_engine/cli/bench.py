"""`shogi-engine bench`: the search's signature."""

from shogi_engine import games
from shogi_engine.cli import common
from shogi_engine.cli.common import report
from shogi_engine.cli.progress import progress_bar
from shogi_engine.common.text import nodes_per_second


class Arguments(common.Arguments):
    """The game."""

    game: str | None = common.game_argument("?")
    json: bool = common.JSON


def run(args: Arguments) -> int:
    """Search the positions of one game, or of all."""
    from shogi_engine.suites import POSITIONS, bench

    names = [args.game] if args.game else [name for name in games.NAMES if name in POSITIONS]
    results = {}
    for name in names:
        with progress_bar(name) as line:
            results[name] = bench(name, line.count)
    nodes = sum(result.nodes for result in results.values())
    seconds = sum(result.seconds for result in results.values())
    values = {
        "nodes": nodes,
        "per_game": {name: result.nodes for name, result in results.items()},
        "seconds": seconds,
        "nps": nodes_per_second(nodes, seconds),
    }
    each = "".join(f"{name}: {result.nodes}\n" for name, result in results.items())
    report(args.json, values, f"{each}Bench: {nodes}   ({seconds:.2f} s, {values['nps']} nodes/s)")
    return 0
