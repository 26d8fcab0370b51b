"""Play short games with a front end as GUIs do, with all their quirks, to find faults that appear only after hours.

    python -m tools.measure.soak usi --games 10000 --out soak.jsonl      # continues an interrupted run
    python -m tools.measure.soak gtp --games 1000 --out soak.jsonl
    python -m tools.measure.soak nboard --games 1000 --out soak.jsonl
    python -m tools.measure.soak fuzz-usi --games 500 --out soak.jsonl   # fuzz-gtp, fuzz-nboard: 1000 lines a "game"
    python -m tools.measure.soak usi --summary --out soak.jsonl

One process plays all games of a run; --seconds ends the run early, and the next run plays the rest. Each game is
random, from --seed and its number: clocks, ponder hits and misses, stops at any moment, options changed between games,
several best moves, mates, perft, a table that changes its size, 1 to 4 threads, broken lines. Checked: exactly one
answer to each request, in time; legal moves and lines (by cshogi if it is installed); no internal errors; and, over all
games, constant memory, open files and threads. The requests are in soak_games.py and soak_fuzz.py. A row of the log is
a game: its number, requests (of fuzzing: lines), faults, seconds, and kB, files, threads and CPU seconds of the process
after it.
"""

import argparse
import json
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol

from tools.measure.soak_fuzz import GtpFuzz, NboardFuzz, UsiFuzz
from tools.measure.soak_games import GtpGame, NboardGame, UsiGame
from tools.measure.soak_talk import PATIENCE, Conversation, FaultError


class Play(Protocol):
    """A game, or a batch of lines; `requests` counts the requests sent."""

    requests: int

    def play(self) -> None:
        """Play it; raises FaultError."""


COMMANDS = {
    "usi": [sys.executable, "-m", "usi"],
    "gtp": [sys.executable, "-m", "shogi_engine", "gtp"],
    "nboard": [sys.executable, "-m", "shogi_engine", "nboard"],
}
GAMES: dict[str, Callable[[Conversation, random.Random], Play]] = {
    "usi": UsiGame,
    "gtp": GtpGame,
    "nboard": NboardGame,
    "fuzz-usi": UsiFuzz,
    "fuzz-gtp": GtpFuzz,
    "fuzz-nboard": NboardFuzz,
}


def read_log(path: Path, protocol: str, seed: int) -> list[dict[str, Any]]:
    """Return the rows of one run; an incomplete line is dropped."""
    rows = []
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if (row["protocol"], row["seed"]) == (protocol, seed):
            rows.append(row)
    return rows


def play_one(talk: Conversation, protocol: str, seed: int, number: int) -> dict[str, Any]:
    """Play one game and return its row."""
    began, fault = time.monotonic(), ""
    game = GAMES[protocol](talk, random.Random(f"{seed} {number}"))
    try:
        game.play()
    except FaultError as failure:
        fault = str(failure)
    row = {"protocol": protocol, "seed": seed, "game": number, "run": f"{os.getpid()}-{talk.pid}",
           "requests": game.requests, "fault": fault, "seconds": round(time.monotonic() - began, 3)}  # fmt: skip
    return row | talk.usage() | {"sent": talk.sent if fault else []}


def run(
    protocol: str, numbers: Iterable[int], seed: int, path: Path, seconds: float, patience: float = PATIENCE
) -> None:
    """Play the games of these numbers, and append their rows to the log."""
    end = time.monotonic() + seconds
    talk: Conversation | None = None
    with path.open("a") as log:
        for number in numbers:
            if time.monotonic() > end:
                break
            talk = talk or Conversation(COMMANDS[protocol.removeprefix("fuzz-")], patience)
            row = play_one(talk, protocol, seed, number)
            log.write(json.dumps(row) + "\n")
            log.flush()
            if sys.stderr.isatty():
                print(f"\r{number} {row['fault']}", end="", file=sys.stderr)
            if row["fault"]:  # start a new process, in a known state
                talk.kill()
                talk = None
    if talk is not None:
        talk.close()


def summary(rows: list[dict[str, Any]]) -> str:
    """Return a summary of the rows. A process's resources are compared between its second and its last quarter."""
    requests, faults = sum(row["requests"] for row in rows), sum(bool(row["fault"]) for row in rows)
    seconds = sum(row["seconds"] for row in rows)
    lines = [f"{len(rows)} games, {requests} requests, {faults} faults, {seconds:.0f} s"]
    lines += [f"game {row['game']}: {row['fault']}" for row in rows if row["fault"]]
    for process in dict.fromkeys(row["run"] for row in rows):
        own = [row for row in rows if row["run"] == process]
        quarter = len(own) // 4
        if quarter:
            early, late = own[quarter : 2 * quarter], own[-quarter:]
            growth = statistics.median(row["kb"] for row in late) - statistics.median(row["kb"] for row in early)
            files, threads = (
                max(row[name] for row in late) - max(row[name] for row in early) for name in ("files", "threads")
            )
            lines.append(
                f"{len(own)} games in one process: {growth / 1024:+.1f} MB, {files:+d} files, {threads:+d} threads, "
                f"{own[-1]['cpu'] / len(own):.2f} s of CPU each"
            )
    return "\n".join(lines)


def main() -> int:
    """Play and print the summary; 1 if there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("protocol", choices=GAMES)
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no game after this time")
    parser.add_argument("--only", type=int, help="play this game only, again, and log nothing else")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--patience", type=float, default=PATIENCE, help="seconds without an answer that are a fault; more if starved"
    )
    parser.add_argument("--out", type=Path, default=Path("soak.jsonl"))
    parser.add_argument("--summary", action="store_true", help="only show what the log has")
    arguments = parser.parse_args()
    known = {row["game"] for row in read_log(arguments.out, arguments.protocol, arguments.seed)}
    if arguments.only is not None:
        numbers = [arguments.only]
    else:
        numbers = [] if arguments.summary else [number for number in range(arguments.games) if number not in known]
    run(arguments.protocol, numbers, arguments.seed, arguments.out, arguments.seconds, arguments.patience)
    rows = read_log(arguments.out, arguments.protocol, arguments.seed)
    print(summary(rows))
    return int(any(row["fault"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
