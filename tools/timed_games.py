"""Games on the clock between USI engines, as a GUI plays them, to find faults: late, illegal, missing, second answers.

    python tools/timed_games.py shogi-usi shogi-usi --clock 5000+0+100 --games 20 --ponder --out games.jsonl
    python tools/timed_games.py shogi-usi "fairy-stockfish:UCI_Variant=shogi" --movetime 50 --games 50 --out games.jsonl

An engine is a command, and after a colon its options. --clock MAIN+BYOYOMI+INCREMENT in ms. With --ponder each engine
that names a ponder move thinks on it; a hit is answered by `ponderhit`, now and then by stop and go; a miss by stop; a
game that ends sends gameover without stop. A move may be --margin ms late for the machine's other work before it is
a loss on time; what was late at all is counted. An interrupted run goes on where it stopped.
"""

import argparse
import json
import queue
import random
import shlex
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from shogi_engine.games.shogi.board import Board

PLIES = 320
SILENCE = 15.0  # seconds after which a missing answer is a fault


class FaultError(Exception):
    """What an engine did wrong; args : 0 or 1, which of the two sides, and the fault."""


class Player:
    """One engine process."""

    def __init__(self, description: str, ponder: bool) -> None:
        command, _, options = description.partition(":")
        self._process = subprocess.Popen(
            shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
        self._lines: queue.Queue[tuple[float, str | None]] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.side = 0
        self.pondered = ""  # the position it ponders on
        self.send("usi")
        self.until("usiok", 60)
        for option in filter(None, [*options.split(","), f"USI_Ponder={str(ponder).lower()}"]):
            name, _, value = option.partition("=")
            self.send(f"setoption name {name} value {value}")

    def _read(self) -> None:
        assert self._process.stdout is not None
        for raw in self._process.stdout:
            self._lines.put((time.monotonic(), raw.decode("utf-8", "replace").rstrip("\r\n")))
        self._lines.put((time.monotonic(), None))

    def send(self, line: str) -> float:
        """Send a line and return the time it was written."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{line}\n".encode())
        except OSError:
            raise FaultError(self.side, "crash") from None
        return time.monotonic()

    def until(self, start: str, timeout: float, answers: int = 0) -> tuple[float, str]:
        """Return the first line that begins with `start`; more than `answers` bestmoves before it are a fault."""
        end = time.monotonic() + timeout
        while True:
            try:
                came, line = self._lines.get(timeout=max(0.001, end - time.monotonic()))
            except queue.Empty:
                raise FaultError(self.side, f"no {start}") from None
            if line is None:
                raise FaultError(self.side, "crash")
            if line.startswith(start):
                return came, line
            if line.startswith("bestmove"):
                answers -= 1
                if answers < 0:
                    raise FaultError(self.side, f"second answer {line!r}")

    def not_yet(self) -> None:
        """Take the lines so far, none of which may be a bestmove."""
        while not self._lines.empty():
            _, line = self._lines.get()
            if line is None:
                raise FaultError(self.side, "crash")
            if line.startswith("bestmove"):
                raise FaultError(self.side, f"answer without being asked {line!r}")

    def close(self) -> None:
        """End the process."""
        try:
            self.send("quit")
            self._process.wait(2)
        except (FaultError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()


def play(players: list[Player], moves: list[str], arguments: Any, rng: random.Random) -> dict[str, Any]:
    """Play one game, players[0] black; return how it ended and what was measured. Raises FaultError."""
    board = Board()
    for text in moves:
        board.push_usi(text)
    for side, player in enumerate(players):
        player.side, player.pondered = side, ""
        player.send("isready")
        player.until("readyok", 900)
        player.send("usinewgame")
    main, byoyomi, increment = arguments.clock
    clocks, late, hits, misses = [main, main], [0.0], 0, 0

    def times() -> str:
        extra = f"binc {increment} winc {increment}" if increment else f"byoyomi {byoyomi}"
        return f"btime {clocks[0]} wtime {clocks[1]} {extra}"

    result = "draw by length"
    while len(moves) < PLIES:
        ending = board.outcome()
        if ending is not None:
            result = str(ending)
            break
        side = board.turn
        player, position = players[side], f"position startpos moves {' '.join(moves)}"
        go = f"movetime {arguments.movetime}" if arguments.movetime else times()
        player.not_yet()
        if player.pondered == position and rng.random() < 0.9:
            with_times = rng.random() < 0.5 and not arguments.movetime
            began = player.send(f"ponderhit {times()}" if with_times else "ponderhit")
            hits += 1
        else:
            if player.pondered:
                misses += 1
                player.send("stop")
                player.until("bestmove", SILENCE)
            player.send(position)
            began = player.send(f"go {go}")
        player.pondered = ""
        came, answer = player.until("bestmove", SILENCE + (clocks[side] + byoyomi) / 1000)
        used, allowed = (came - began) * 1000, arguments.movetime or clocks[side] + byoyomi
        if used > allowed:
            late.append(used - allowed)
            if used > allowed + arguments.margin:
                raise FaultError(side, f"{used:.0f} ms of {allowed}")
        if not arguments.movetime:
            clocks[side] = max(0, clocks[side] - int(used)) + increment
        words = answer.split()
        if words[1] in ("resign", "win"):
            if words[1] == "win" and not board.can_declare_win():
                raise FaultError(side, "false declaration")
            result = f"{'black' if side == 0 else 'white'}: {words[1]}"
            break
        try:
            board.push_usi(words[1])
        except ValueError as fault:
            raise FaultError(side, str(fault)) from None
        moves.append(words[1])
        if arguments.ponder and len(words) > 3:
            player.pondered = f"position startpos moves {' '.join([*moves, words[3]])}"
            if words[3] not in {move.usi() for move in board.legal_moves}:
                raise FaultError(side, f"ponder move {words[3]} is not legal")
            player.send(player.pondered)
            player.send(f"go ponder {go}" if rng.random() < 0.5 or arguments.movetime else "go ponder " + times())
    for player in players:
        player.not_yet()
        player.send("gameover draw")
        if player.pondered:
            player.until("bestmove", SILENCE)
        player.send("isready")
        player.until("readyok", SILENCE)
        player.not_yet()
    measured = {"late": len(late) - 1, "worst": max(late), "hits": hits, "misses": misses}
    return {"result": result, "plies": len(moves), **measured}


def opening(rng: random.Random) -> list[str]:
    """Return a few random legal moves from the start."""
    board = Board()
    for _ in range(rng.randrange(2, 7)):
        board.push(rng.choice(list(board.legal_moves)))
    return [move.usi() for move in board.move_stack]


def main() -> int:
    """Play what is missing and print a summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engines", nargs=2)
    limit = parser.add_mutually_exclusive_group(required=True)
    limit.add_argument("--clock", type=lambda text: [int(part) for part in text.split("+")], default=[0, 0, 0])
    limit.add_argument("--movetime", type=int, default=0)
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--ponder", action="store_true")
    parser.add_argument("--margin", type=float, default=100.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    done = [json.loads(line) for line in arguments.out.read_text().splitlines()] if arguments.out.exists() else []
    players = [Player(engine, arguments.ponder) for engine in arguments.engines]
    with arguments.out.open("a", encoding="utf-8") as out:
        for game in range(len(done), arguments.games):
            rng = random.Random(f"{arguments.seed} {game}")
            order = players if game % 2 == 0 else players[::-1]
            try:
                record = play(order, opening(rng), arguments, rng)
            except FaultError as fault:
                side, text = fault.args
                record = {"fault": text, "engine": (side + game) % 2 + 1}
                for player in players:
                    player.close()
                players = [Player(engine, arguments.ponder) for engine in arguments.engines]
            record["game"] = game
            done.append(record)
            out.write(json.dumps(record) + "\n")
            out.flush()
            print(json.dumps(record), file=sys.stderr)
    for player in players:
        player.close()
    faults = [record for record in done if "fault" in record]
    totals = {name: sum(record.get(name, 0) for record in done) for name in ("plies", "late", "hits", "misses")}
    worst = max((record.get("worst", 0) for record in done), default=0)
    print(json.dumps({"games": len(done), **totals, "worst_late_ms": round(worst), "faults": faults}))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
