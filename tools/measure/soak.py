"""Play short games with a front end as GUIs do, with all their whims, and look for what goes wrong only after hours.

    python -m tools.measure.soak usi --games 200 --out soak.jsonl       # goes on where an interrupted run stopped
    python -m tools.measure.soak gtp --games 50 --out soak.jsonl
    python -m tools.measure.soak nboard --games 50 --out soak.jsonl
    python -m tools.measure.soak usi --games 0 --out soak.jsonl         # only the summary

One process plays all games of a run. Each game is made by chance from --seed and its number: clocks, ponder hits and
misses, stops at any moment, options changed between games, several best moves, mates, perft, a table that changes its
size, 1 to 4 threads, broken lines. Checked: one answer to each request, in time, no second one; legal moves and lines
(by cshogi if it is there); no internal error; and, over all games, that memory and open files stay what they were.
A row of the log is a game: its number, requests, faults, seconds, and kB and files of the process after it.
"""

import argparse
import json
import os
import queue
import random
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

COMMANDS = {
    "usi": [sys.executable, "-m", "usi"],
    "gtp": [sys.executable, "-m", "shogi_engine", "gtp"],
    "nboard": [sys.executable, "-m", "shogi_engine", "nboard"],
}
PATIENCE = 120.0  # seconds without the answer that is due: it hangs (the mate solver may have to be compiled)
BROKEN = ("", "xyzzy", "position", "position sfen 9/9 b - 1", "go depth x", "setoption", "position startpos moves 9z9z",
          "go", "play", "genmove red", "set game (;", "move Z9", "hint x", "setoption name MultiPV value many",
          "\u5c06\u68cb", "stop", "ponderhit", "gameover win", "time_left b x")  # fmt: skip


class FaultError(Exception):
    """Something the front end must not do; its text says what."""


class Conversation:
    """The process and the lines it has said."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.sent: list[str] = []

    def _read(self) -> None:
        for raw in self._process.stdout or ():
            self._lines.put(raw.decode("utf-8", "replace").rstrip("\n"))
        self._lines.put(None)

    def send(self, *lines: str) -> None:
        """Send lines."""
        self.sent = [*self.sent, *lines][-12:]
        assert self._process.stdin is not None
        try:
            self._process.stdin.write("".join(f"{line}\n" for line in lines).encode())
            self._process.stdin.flush()
        except OSError:
            raise FaultError(f"the process is gone after {self.sent}") from None

    def until(self, *starts: str) -> list[str]:
        """Return the lines up to the first that begins with one of `starts`, that one the last."""
        lines: list[str] = []
        while True:
            try:
                line = self._lines.get(timeout=PATIENCE)
            except queue.Empty:
                raise FaultError(f"no {starts} after {self.sent}") from None
            if line is None:
                raise FaultError(f"the process ended ({self._process.wait()}) after {self.sent}")
            if "internal error" in line:
                raise FaultError(f"{line} after {self.sent}")
            lines.append(line)
            if line.startswith(starts):
                return lines

    def memory(self) -> tuple[int, int]:
        """Return the kB the process holds and how many files it has open; zeros where the system does not tell."""
        folder = Path(f"/proc/{self._process.pid}")
        try:
            text = (folder / "status").read_text()
            return int(text.partition("VmRSS:")[2].split()[0]), len(list((folder / "fd").iterdir()))
        except OSError:
            return 0, 0

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def close(self) -> None:
        """Send quit, and see that it ends."""
        self.send("quit")
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise FaultError("it does not end") from None


def shogi_legal(moves: list[str]) -> set[str]:
    """Return the legal moves after `moves` from the start; raises FaultError if one of those is not legal."""
    try:
        import cshogi

        board = cshogi.Board()
        for move in moves:
            if not board.is_legal(board.move_from_usi(move)):
                raise FaultError(f"{move} is not legal after {moves}")
            board.push_usi(move)
        return {cshogi.move_to_usi(move) for move in board.legal_moves}
    except ImportError:
        from shogi_engine.games.shogi.board import Board

        own = Board()
        for move in moves:
            own.push_usi(move)
        return {move.usi() for move in own.legal_moves}


class UsiGame:
    """A game over USI."""

    def __init__(self, talk: Conversation, rng: random.Random) -> None:
        self.talk, self.rng, self.requests = talk, rng, 0
        self.moves: list[str] = []

    def play(self) -> None:
        """Play one game, and leave the engine with the size it is measured with."""
        talk, rng = self.talk, self.rng
        self._options()
        talk.send("isready", "usinewgame")
        talk.until("readyok")
        for _ in range(rng.randrange(4, 30)):
            legal = shogi_legal(self.moves)
            if not legal:
                break
            answer = self._turn(legal)
            self.moves.append(answer if answer in legal and rng.random() < 0.8 else rng.choice(sorted(legal)))
        talk.send(f"gameover {rng.choice(('win', 'lose', 'draw'))}")
        talk.send("setoption name USI_Hash value 16", "setoption name Threads value 1", "isready")
        talk.until("readyok")

    def _options(self) -> None:
        choices = {
            "USI_Hash": (1, 4, 16, 64), "Threads": (1, 1, 1, 2, 3, 4), "MultiPV": (1, 1, 1, 2, 3, 5),
            "SkillLevel": (20, 20, 20, 0, 7, 12), "MateSearch": ("true", "false"), "PvInterval": (0, 100, 300),
            "ConsiderationMode": ("true", "false"), "OutputFailLHPV": ("true", "false"),
            "Stochastic_Ponder": ("true", "false", "false"), "USI_Ponder": ("true", "false"),
            "USI_OwnBook": ("true", "false"), "BookIgnoreRate": (0, 30), "EvalType": ("king-piece", "material"),
            "EnteringKingRule": ("CSARule27", "TryRule"), "MaxMovesToDraw": (0, 20, 320), "NodesLimit": (0, 0, 5000),
        }  # fmt: skip
        for name, values in choices.items():
            if self.rng.random() < 0.5:
                self.talk.send(f"setoption name {name} value {self.rng.choice(values)}")

    def _turn(self, legal: set[str]) -> str:
        """Ask for something in the position; return the move, '' if it was no move that was asked for."""
        rng, talk = self.rng, self.talk
        if rng.random() < 0.1:
            talk.send(*(line for line in rng.choices(BROKEN, k=3) if line not in ("go", "go depth x")))
        self.requests += 1
        talk.send(f"position startpos moves {' '.join(self.moves)}")
        kind = rng.random()
        if kind < 0.05:
            return self._perft(len(legal))
        if kind < 0.12:
            return self._mate()
        clock = rng.choice(("btime 3000 wtime 3000 byoyomi 20", "btime 0 wtime 0 byoyomi 60", "movetime 40",
                            "btime 900 wtime 900 binc 30 winc 30", "nodes 3000", "depth 4", "depth 1"))  # fmt: skip
        timed = clock.startswith("b")
        if kind < 0.3:
            talk.send("go infinite")
            self._pass_time()
            talk.send(rng.choice(("stop", "stop", "gameover win")))
        elif kind < 0.55 and timed:
            early = rng.random() < 0.5
            talk.send("go ponder" if early else f"go ponder {clock}")
            self._pass_time()
            talk.send("stop" if rng.random() < 0.4 else f"ponderhit {clock if early else ''}".strip())
        else:
            talk.send(f"go {clock}")
            if rng.random() < 0.2:
                self._pass_time()
                talk.send("stop")
        lines = talk.until("bestmove", "checkmate")
        return self._check(lines, legal)

    def _pass_time(self) -> None:
        time.sleep(self.rng.choice((0.0, 0.0, 0.001, 0.02, 0.1)))
        if self.rng.random() < 0.2:
            self.talk.send(self.rng.choice(("isready", "setoption name MultiPV value 2", "usi")))

    def _check(self, lines: list[str], legal: set[str]) -> str:
        """Return the move of a bestmove, which has to be the only one."""
        self.talk.send("setoption name MultiPV value soak")
        after = self.talk.until("info string setoption: MultiPV is a number, not 'soak'")
        if any(line.startswith(("bestmove", "checkmate")) for line in after):
            raise FaultError(f"two answers: {lines[-1]}, {after}")
        words = lines[-1].split()
        if words[0] != "bestmove" or len(words) < 2:
            raise FaultError(f"{lines[-1]} after {self.talk.sent}")
        move = words[1]
        if move in ("resign", "win"):
            return ""
        if move not in legal:
            raise FaultError(f"{move} is not legal after {self.moves}")
        last = next((line for line in reversed(lines) if " pv " in line), "")
        shogi_legal([*self.moves, *last.partition(" pv ")[2].split()])
        if len(words) > 3:
            shogi_legal([*self.moves, move, words[3]])
        return move

    def _perft(self, count: int) -> str:
        if self.rng.random() < 0.5:
            self.talk.send("go perft 1")
            if f"perft 1: {count} nodes" not in self.talk.until("perft 1:")[-1]:
                raise FaultError(f"perft 1 is not {count} after {self.moves}")
        else:
            self.talk.send("go perft 99")
            self._pass_time()
            self.talk.send("stop")
            self.talk.until("info string perft 99: stopped")
        return ""

    def _mate(self) -> str:
        self.talk.send(self.rng.choice(("go mate 50", "go mate infinite", "go mate")))
        self._pass_time()
        self.talk.send("stop")
        words = self.talk.until("checkmate", "bestmove")[-1].split()
        if words[0] != "checkmate" or len(words) < 2:
            raise FaultError(f"{words} after go mate")
        if words[1] not in ("timeout", "nomate"):
            shogi_legal([*self.moves, *words[1:]])
        return ""


class GtpGame:
    """A game over GTP: every command has one answer, with its number."""

    def __init__(self, talk: Conversation, rng: random.Random) -> None:
        self.talk, self.rng, self.requests = talk, rng, 0

    def ask(self, command: str) -> str:
        """Return the first line of the answer."""
        self.requests += 1
        self.talk.send(f"{self.requests} {command}")
        lines = self.talk.until(f"={self.requests}", f"?{self.requests}")
        rest = self.talk.until("")
        while rest[-1]:
            rest += self.talk.until("")
        if len(lines) > 1:
            raise FaultError(f"unasked for: {lines}")
        return lines[0].partition(" ")[2] if lines[0][0] == "=" else "?"

    def play(self) -> None:
        """Play one game."""
        from shogi_engine.games.othello.board import Board

        rng, board = self.rng, Board()
        self.ask("clear_board")
        self.ask(f"set_level {rng.randrange(5)}")
        self.ask(rng.choice(("kgs-time_settings none", "time_settings 0 1 20", "time_settings 2 0 0")))
        while board.legal_moves:
            if board.must_pass():
                board.push_text("pass")
                continue
            colour, legal = "bw"[board.turn], {str(move) for move in board.legal_moves}
            if rng.random() < 0.15:
                self.ask(rng.choice(("showboard", "komi 0", "fly", "play b z9", "list_commands", "cputime")))
            if rng.random() < 0.5:
                move = self.ask(f"genmove {colour}").lower()
                if rng.random() < 0.1:
                    self.talk.send("# interrupt")
                if move not in legal:
                    raise FaultError(f"{move} is not legal in {board}")
            else:
                move = rng.choice(sorted(legal))
                if self.ask(f"play {colour} {move}") == "?":
                    raise FaultError(f"{move} was refused in {board}")
            board.push_text(move)
        self.ask("final_score")


class NboardGame:
    """A game over NBoard: `go` names a legal move, a ping ends whatever is under way."""

    START = "set game (;GM[Othello]PC[soak]PB[a]PW[b]RE[?]TI[0:20]TY[8]BO[8 {} *];)".format(
        "---------------------------O*------*O---------------------------"
    )

    def __init__(self, talk: Conversation, rng: random.Random) -> None:
        self.talk, self.rng, self.requests, self._pings = talk, rng, 0, 0

    def settle(self) -> list[str]:
        """Send a ping; return what comes before its pong."""
        self._pings += 1
        self.talk.send(f"ping {self._pings}")
        return self.talk.until(f"pong {self._pings}")

    def play(self) -> None:
        """Play one game."""
        from shogi_engine.games.othello.board import Board

        rng, board = self.rng, Board()
        self.talk.send(f"set depth {rng.randrange(1, 5)}", self.START)
        while board.legal_moves:
            legal = {str(move) for move in board.legal_moves}
            kind = rng.random()
            self.requests += 1
            if kind < 0.2:
                self.talk.send(rng.choice(("hint 3", "go", "hint 1", "analyze", "learn")))
                time.sleep(rng.choice((0.0, 0.01, 0.05)))
                self.settle()
            elif kind < 0.3:
                self.talk.send(rng.choice(("fly", "move Z9", "set depth x", "hint x", "set game (;")))
                if not any("error" in line for line in self.settle()):
                    raise FaultError(f"no error after {self.talk.sent}")
            if kind < 0.6:
                self.talk.send("go")
                move = self.talk.until("===")[-1].removeprefix("===").strip().split("/")[0].lower()
                move = "pass" if move == "pa" else move
            else:
                move = "pass" if board.must_pass() else rng.choice(sorted(legal))
            if not board.must_pass() and move not in legal:
                raise FaultError(f"{move} is not legal in {board}")
            board.push_text(move)
            self.talk.send(f"move {'PA' if move == 'pass' else move.upper()}//0.1")
        if any("error" in line for line in self.settle()):
            raise FaultError("a move was refused")


GAMES: dict[str, Callable[[Conversation, random.Random], Any]] = {"usi": UsiGame, "gtp": GtpGame, "nboard": NboardGame}


def read_log(path: Path, protocol: str, seed: int) -> list[dict[str, Any]]:
    """Return the rows of one run; a line that was cut off is left out."""
    rows = []
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if (row["protocol"], row["seed"]) == (protocol, seed):
            rows.append(row)
    return rows


def run(protocol: str, games: int, seed: int, path: Path) -> None:
    """Play the games that the log does not have yet."""
    known = {row["game"] for row in read_log(path, protocol, seed)}
    talk: Conversation | None = None
    with path.open("a") as log:
        for number in (each for each in range(games) if each not in known):
            talk = talk or Conversation(COMMANDS[protocol])
            began, fault = time.monotonic(), ""
            game = GAMES[protocol](talk, random.Random(f"{seed} {number}"))
            try:
                game.play()
            except FaultError as failure:
                fault = str(failure)
            kilobytes, files = talk.memory()
            row = {"protocol": protocol, "seed": seed, "game": number, "run": os.getpid(), "requests": game.requests,
                   "fault": fault, "seconds": round(time.monotonic() - began, 2), "kb": kilobytes, "files": files,
                   "sent": talk.sent if fault else []}  # fmt: skip
            log.write(json.dumps(row) + "\n")
            log.flush()
            if sys.stderr.isatty():
                print(f"\r{number + 1}/{games} {fault}", end="", file=sys.stderr)
            if fault:  # begin again with a process in a known state
                talk.kill()
                talk = None
    if talk is not None:
        talk.close()


def summary(rows: list[dict[str, Any]]) -> str:
    """Return what the rows show. Memory is compared within each process: its last quarter with its second."""
    lines = [f"{len(rows)} games, {sum(row['requests'] for row in rows)} requests, "
             f"{sum(bool(row['fault']) for row in rows)} faults"]  # fmt: skip
    lines += [f"game {row['game']}: {row['fault']}" for row in rows if row["fault"]]
    for process in dict.fromkeys(row["run"] for row in rows):
        own = [row for row in rows if row["run"] == process]
        quarter = len(own) // 4
        if quarter:
            early, late = own[quarter : 2 * quarter], own[-quarter:]
            growth = statistics.median(row["kb"] for row in late) - statistics.median(row["kb"] for row in early)
            files = max(row["files"] for row in late) - max(row["files"] for row in early)
            lines.append(f"{len(own)} games in one run: {growth / 1024:+.1f} MB, {files:+d} files")
    return "\n".join(lines)


def main() -> int:
    """Play and print the summary; 1 if there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("protocol", choices=GAMES)
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("soak.jsonl"))
    arguments = parser.parse_args()
    run(arguments.protocol, arguments.games, arguments.seed, arguments.out)
    rows = read_log(arguments.out, arguments.protocol, arguments.seed)
    print(summary(rows))
    return int(any(row["fault"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
