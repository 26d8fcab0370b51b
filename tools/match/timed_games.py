"""Games on the clock between USI engines, as GUIs play them, to find faults: late, illegal, missing, second answers.

    python -m tools.match.timed_games shogi-usi shogi-usi --limit clock=5000+0+100 --games 20 --ponder --out games.jsonl
    python -m tools.match.timed_games shogi-usi "fairy-stockfish:UCI_Variant=shogi" --limit movetime=50 --out f.jsonl

An engine is a command, and after a colon its options; a limit is that of match.py. With --ponder each engine that names
a ponder move thinks on it; a hit is answered by `ponderhit`, with or without a clock, now and then by stop and go; a
miss by stop; a game that ends sends gameover without stop. A move may be --margin ms late for the machine's other work
before it is a loss on time; what was late at all is counted. An interrupted run goes on where it stopped.
"""

import argparse
import json
import random
import sys
from pathlib import Path

from shogi_engine.games import load
from tools.match.arena import Referee
from tools.match.limits import parse_limit
from tools.match.runner import GameLog, Match, Record
from tools.match.terms import Terms
from tools.match.usi_client import UsiEngine
from tools.match.usi_game import Player
from tools.match.workers import UsiWorker

MOST_PLIES = 6  # random moves of an opening
SILENCE = 15.0  # seconds over its time after which an answer is missing


def make_worker(arguments: argparse.Namespace) -> UsiWorker:
    """Return what plays the games. Raises ValueError for a limit that is none."""
    limit = parse_limit(arguments.limit)
    ponder = ("USI_Ponder", str(arguments.ponder).lower())
    one, other = (UsiEngine.described(text, ponder) for text in arguments.engines)
    one.patience = other.patience = SILENCE
    referee = Referee(load("shogi"))

    def opening(pair: int) -> str:
        rng = random.Random(f"{arguments.seed} {pair}")
        return referee.format(referee.random_opening(rng, rng.randint(2, MOST_PLIES)))

    return UsiWorker(
        (Player(one, limit, arguments.ponder), Player(other, limit, arguments.ponder)),
        opening,
        Terms(max_plies=arguments.max_plies, margin=arguments.margin),
        lambda game: random.Random(f"{arguments.seed} {game}"),
    )


def totals(records: list[Record]) -> Record:
    """Return the sums over both engines, and the games with a fault."""
    used = [record[side] for record in records for side in ("first", "second")]
    faults = [
        {"game": record["game"], "engine": 1 + int(record["score"]), "fault": record["reason"]}
        for record in records
        if record["fault"]
    ]
    return {
        "games": len(records),
        "plies": sum(record["plies"] for record in records),
        **{name: sum(each[name] for each in used) for name in ("late", "hits", "misses")},
        "worst_late_ms": round(max((each["latest"] for each in used), default=0)),
        "faults": faults,
    }


def main(words: list[str] | None = None) -> int:
    """Play what is missing and print a summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engines", nargs=2)
    parser.add_argument("--limit", required=True, help="clock=MAIN+BYOYOMI+INCREMENT, movetime=MS, ... (ms)")
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--ponder", action="store_true")
    parser.add_argument("--margin", type=float, default=100.0, help="ms over the time that are no loss yet")
    parser.add_argument("--max-plies", type=int, default=320, help="then the game is drawn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args(words)
    settings = {
        name: getattr(arguments, name) for name in ("engines", "limit", "ponder", "margin", "max_plies", "seed")
    }
    try:
        parse_limit(arguments.limit)
        log = GameLog(arguments.out, settings)
    except (ValueError, OSError) as fault:
        print(f"{parser.prog}: {fault}", file=sys.stderr)
        return 2
    for record in Match(log, arguments.games, lambda: make_worker(arguments)).run(1):
        print(json.dumps(record), file=sys.stderr)
    summary = totals(list(log.records.values()))
    print(json.dumps(summary))
    return 1 if summary["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
