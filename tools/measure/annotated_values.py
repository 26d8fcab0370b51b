"""Measure how well Shogi evaluations rank positions valued by strong engines, and how well they tell games' results.

    python -m tools.measure.annotated_values --weights work/gen0/network.bin
    python -m tools.measure.annotated_values --nodes 30000 --count 500
    python -m tools.measure.annotated_values --positions work/gen1/data --static --count 20000

The positions are records of YaneuraOu's PackedSfenValue, by default those of tools/data: 2000 from games of strong
engines on floodgate, with the values, moves and results recorded there. They are for measuring only, not for training.
A file `.jsonl` has objects with "sfen", "eval" for the side to move, "bestmove" (USI), "turn" and "gameResult" (0 a
draw, 1 black has won, 2 white). Of a folder of training data, random searched positions are taken.

The bundled evaluation comes first. Printed, after a search of one ply, of --nodes or none, in total and by phase and
pieces in hand: Spearman's rank correlation; the log loss of the results, with the scale of the logistic function that
fits them best; and the share of best moves that were played.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.batch import Batch, labelled_positions, to_records, training_games
from shogi_engine.batch.games import PSV, open_records
from shogi_engine.games.shogi import GAME
from shogi_engine.training.recipe import load
from shogi_engine.training.shogi.games import Annotated

FILE = Path(__file__).resolve().parents[1] / "data" / "floodgate.psv"
RESULTS = {0: 0, 1: 1, 2: -1}  # for black, by "gameResult"
SEED = 1


def records_of(path: Path, count: int | None) -> Any:
    """Return psv records of positions, at most `count`. Raises ValueError."""
    batch = Batch("shogi", "psfen")
    if path.is_dir():
        parts = (labelled_positions(batch, games) for games in training_games(batch, path))
        found = np.concatenate([to_records(batch, part, "psv") for part in parts])
        return np.random.default_rng(SEED).permutation(found)[:count]
    if path.suffix != ".jsonl":
        return open_records(path, "psv")[:count]
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[:count]]
    found = np.zeros(len(rows), PSV)
    found["sfen"] = batch.pack([row["sfen"] for row in rows])
    ids = [GAME.parse_move(GAME.parse_position(row["sfen"]), row["bestmove"]) & batch.code_mask for row in rows]
    found["move"] = batch.relabel(found["sfen"], np.array(ids, np.int32), "ids", "yaneuraou")
    found["score"] = [row["eval"] for row in rows]
    found["game_result"] = [RESULTS[row["gameResult"]] * (-1 if row["turn"] else 1) for row in rows]
    return found


def main(argv: list[str] | None = None) -> int:
    """Search and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=Path, default=FILE, metavar="PATH", help="psv, .jsonl or a folder of games")
    parser.add_argument("--count", type=int, default=None, help="number of positions, from the first; default: all")
    parser.add_argument("--nodes", type=int, default=0, help="nodes of a search after the first ply; default 0")
    parser.add_argument("--static", action="store_true", help="no search")
    parser.add_argument("--weights", nargs="*", default=[], metavar="WHAT", help="evaluations or files")
    args = parser.parse_args(argv)
    annotated, recipe = Annotated(records_of(args.positions, args.count)), load("shogi")
    for what in ("network", *args.weights):
        begin, evaluator = time.process_time(), recipe.named_evaluator(what)
        if args.static:
            values, agreed = annotated.static(evaluator), np.zeros(0)
        else:
            values, agreed = annotated.searched(evaluator, args.nodes)
        moves = f", moves {agreed.mean():.1%}" if len(agreed) else ""
        correlations, losses = annotated.correlations(values), annotated.log_losses(values)
        (loss, scale), seconds = losses["all"], time.process_time() - begin
        print(f"{what}: rank correlation {correlations['all'][1]:.4f}{moves}, ", end="")
        print(f"log loss {loss:.4f} (scale {scale:.0f}), {seconds:.1f} s of CPU")
        for name, (count, value) in list(correlations.items())[1:]:
            loss, scale = losses[name]
            print(f"  {value:6.3f}  {loss:.3f} ({scale:.0f})  {name}, {count} positions", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
