"""Timed games between USI engines, as GUIs play them, to find faults: late, illegal, missing or second answers.

    python -m tools.match.timed_games shogi-usi shogi-usi --limit clock=5s+0+100ms --games 20 --ponder --out games.jsonl
    python -m tools.match.timed_games shogi-usi "fairy-stockfish:UCI_Variant=shogi" --limit movetime=50 --out f.jsonl

An engine is a command, then a colon and its options. A limit is as in `shogi-engine match`. With --ponder an engine
ponders on the move it names. After a hit it gets `ponderhit`, with or without a clock, and sometimes stop and go; after
a miss it gets stop. At the end of a game it gets gameover without stop. A move loses on time if it is more than
--margin ms late, as the machine may be busy; all late moves are counted. An interrupted run continues where it stopped.
"""

import argparse
import json
import random
import sys
from dataclasses import dataclass
from pathlib import Path

from shogi_engine.clients.usi import SimpleEngine
from shogi_engine.match import (
    GameLog,
    Match,
    OpeningPlan,
    Openings,
    Record,
    Schedule,
    Terms,
    TimeControl,
    parse_time_control,
)
from shogi_engine.match.engines import NO_BOOK
from shogi_engine.match.programs import UsiPlayer
from shogi_engine.match.workers import EngineWorker

PLIES = 4  # random moves of an opening
SILENCE = 15.0  # seconds beyond its time after which an answer counts as missing


@dataclass(frozen=True)
class TimedGames:
    """Makes the workers that play the games."""

    engines: tuple[str, str]
    control: TimeControl
    ponder: bool
    terms: Terms
    seed: int

    def __call__(self) -> EngineWorker:
        """Return a worker with its own engines."""
        option = (("USI_Ponder", self.ponder),)
        engines = [
            SimpleEngine.described(text, option, patience=SILENCE, unlisted=True, defaults=NO_BOOK)
            for text in self.engines
        ]
        players = tuple(UsiPlayer(engine, self.control, ponder=self.ponder) for engine in engines)
        opening = Openings(OpeningPlan("shogi", ("startpos",), self.seed, PLIES)).__getitem__

        def gui(game: int) -> random.Random:
            return random.Random(f"{self.seed} {game}")

        return EngineWorker("shogi", players, Schedule(), opening, self.terms, gui)

    def warm_up(self) -> None:
        """Do nothing."""


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
    """Play the missing games and print a summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engines", nargs=2)
    parser.add_argument(
        "--limit", required=True, help="clock=MAIN+BYOYOMI+INCREMENT as in 5s+0+100ms, movetime=MS, ..."
    )
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--ponder", action="store_true")
    parser.add_argument("--margin", type=float, default=100.0, help="grace period in ms before a late move loses")
    parser.add_argument("--max-plies", type=int, default=320, help="plies after which a game is drawn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args(words)
    settings = {
        name: getattr(arguments, name) for name in ("engines", "limit", "ponder", "margin", "max_plies", "seed")
    }
    try:
        control = parse_time_control(arguments.limit)
        log = GameLog(arguments.out, settings)
    except (ValueError, OSError) as fault:
        print(f"{parser.prog}: {fault}", file=sys.stderr)
        return 2
    terms = Terms(max_plies=arguments.max_plies, margin=arguments.margin)
    maker = TimedGames(tuple(arguments.engines), control, arguments.ponder, terms, arguments.seed)
    for record in Match(log, range(arguments.games), maker).run():
        print(json.dumps(record), file=sys.stderr)
    summary = totals(list(log.records.values()))
    print(json.dumps(summary))
    return 1 if summary["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
