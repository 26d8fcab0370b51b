"""Measure how well Shogi evaluations rank positions valued by strong engines, and how often they find the move played.

    python -m tools.measure.annotated_values --weights work/gen0/network.bin
    python -m tools.measure.annotated_values --nodes 30000 --count 500

The positions are records of YaneuraOu's PackedSfenValue, by default those of tools/data: 2000 from games of strong
engines on floodgate, with the values, moves and results recorded there. They are for measuring only, not for training.
The bundled evaluation comes first. Printed: Spearman's rank correlation after a search of one ply or of --nodes, in
total and by phase and pieces in hand; and the share of best moves that were played.
"""

import argparse
import sys
import time
from pathlib import Path

from shogi_engine.batch.games import open_records
from shogi_engine.training.recipe import load
from shogi_engine.training.shogi.games import Annotated

FILE = Path(__file__).resolve().parents[1] / "data" / "floodgate.psv"


def main(argv: list[str] | None = None) -> int:
    """Search and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=Path, default=FILE, metavar="FILE")
    parser.add_argument("--count", type=int, default=None, help="number of positions, from the first; default: all")
    parser.add_argument("--nodes", type=int, default=0, help="nodes of a search after the first ply; default 0")
    parser.add_argument("--weights", nargs="*", default=[], metavar="WHAT", help="evaluations or files")
    args = parser.parse_args(argv)
    annotated, recipe = Annotated(open_records(args.positions, "psv")[: args.count]), load("shogi")
    for what in ("network", *args.weights):
        begin = time.process_time()
        values, agreed = annotated.searched(recipe.named_evaluator(what), args.nodes)
        seconds = time.process_time() - begin
        correlations = annotated.correlations(values)
        print(
            f"{what}: rank correlation {correlations['all'][1]:.4f}, moves {agreed.mean():.1%}, {seconds:.1f} s of CPU"
        )
        for name, (count, value) in list(correlations.items())[1:]:
            print(f"  {value:6.3f}  {name}, {count} positions", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
