"""Games with a front end as GUIs play them, with all their quirks: random requests, and checks of every answer."""

import os
import random
import sys
import time
from pathlib import Path

from shogi_engine.games.othello.board import Board
from shogi_engine.games.shogi.board import Board as ShogiBoard
from tests.support.conversation import Process

TIMEOUT = 120.0  # seconds for an answer that is due: the mate solver may have to be compiled
LATE = 15.0  # seconds by which a move may be late, as machines are busy
KEPT = 12  # number of last lines sent, for a report

PAUSES = (0.0, 0.0, 0.0, 0.001, 0.005, 0.02)  # seconds before a stop or a ponderhit
BROKEN = ("", "xyzzy", "position", "position sfen 9/9 b - 1", "setoption", "position startpos moves 9z9z", "stop",
          "ponderhit", "gameover win", "setoption name MultiPV value many", "\u5c06\u68cb", "stop stop", "\0", "info x",
          "position sfen lnsgkgsnl/9/9/9/9/9/9/9/9 b - 1 moves 1a1b", "setoption name value")  # fmt: skip
ROOTS = ("startpos", "startpos", "startpos",
         "sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
         "sfen 8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124",
         "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1", "sfen 4k4/9/9/9/9/9/9/9/4K4 b - 0",
         "sfen 1+P+P+P+P+P3/1K+P+P5/9/9/9/9/9/7k1/9 b RB2G2S2N2Lrb2g2s2n2l10p 1",
         "sfen 1nsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1")  # fmt: skip
OPTIONS = {
    "USI_Hash": (1, 4, 16, 32), "Threads": (1, 1, 1, 2, 3, 4), "MultiPV": (1, 1, 1, 2, 3, 5),
    "SkillLevel": (20, 20, 20, 0, 7, 12), "MateSearch": ("true", "false"), "PvInterval": (0, 100, 300),
    "ConsiderationMode": ("true", "false"), "OutputFailLHPV": ("true", "false"),
    "Stochastic_Ponder": ("true", "false", "false"), "USI_Ponder": ("true", "false"),
    "USI_OwnBook": ("true", "false"), "BookIgnoreRate": (0, 30),
    "EvalType": ("network",) * 8 + ("king-piece", "material"), "EnteringKingRule": ("CSARule27", "TryRule"),
    "MaxMovesToDraw": (0, 20, 320), "NodesLimit": (0, 0, 3000), "DepthLimit": (0, 0, 3),
    "RoundUpToFullSecond": ("false",) * 29 + ("true",), "ResignValue": (99999, 99999, 500),
    "DrawValueBlack": (-2, -100), "NetworkDelay": (20, 0), "FlippedBook": ("true", "false"),
}  # fmt: skip


class FrontEnd(Process):
    """A front end as a process, and the last lines sent to it."""

    def __init__(self, protocol: str) -> None:
        super().__init__([sys.executable, "-m", *(["usi"] if protocol == "usi" else ["shogi_engine", protocol])])
        self.last: list[str] = []

    def send(self, *lines: str) -> None:
        """Send lines."""
        self.last = [*self.last, *lines[-KEPT:]][-KEPT:]
        super().send(*lines)

    def until(self, *starts: str) -> list[str]:
        """Return the lines up to the first that begins with one of `starts`."""
        self.seen.clear()
        lines: list[str] = super().until(starts, TIMEOUT)
        assert not any("internal error" in line for line in lines), (lines[-3:], self.last)
        return lines

    def usage(self) -> tuple[int, int, int]:
        """Return the process's kB, open files and threads (Linux)."""
        folder = Path(f"/proc/{self.process.pid}")
        status = (folder / "status").read_text()
        kb, threads = (int(status.partition(name)[2].split()[0]) for name in ("VmRSS:", "Threads:"))
        return kb, len(os.listdir(folder / "fd")), threads


def shogi_legal(root: str, moves: list[str]) -> set[str]:
    """Return the legal moves after `moves` from `root` (as in `position`), all of which must be legal."""
    board = ShogiBoard(root.removeprefix("sfen ")) if root != "startpos" else ShogiBoard()
    for move in moves:
        assert move in {each.usi() for each in board.legal_moves}, f"{move} is not legal after {root} {moves}"
        board.push_usi(move)
    return {each.usi() for each in board.legal_moves}


class UsiGame:
    """A game over USI: a few turns, from any position."""

    def __init__(self, talk: FrontEnd, rng: random.Random) -> None:
        self.talk, self.rng = talk, rng
        self.root = rng.choice(ROOTS)
        self.moves: list[str] = []

    def play(self) -> None:
        """Play one game, and restore the table size at which memory is measured."""
        talk, rng = self.talk, self.rng
        for name, values in OPTIONS.items():
            if rng.random() < 0.4:
                talk.send(f"setoption name {name} value {rng.choice(values)}")
        talk.send("isready", "usinewgame")
        talk.until("readyok")
        for _ in range(rng.choice((0, 0, 4, 10, 30))):
            legal = shogi_legal(self.root, self.moves)
            if not legal:
                break
            self.moves.append(rng.choice(sorted(legal)))
        for _ in range(rng.randrange(1, 5)):
            legal = shogi_legal(self.root, self.moves)
            if not legal:
                break
            answer = self._turn(legal)
            self.moves.append(answer if answer in legal and rng.random() < 0.8 else rng.choice(sorted(legal)))
        talk.send(f"gameover {rng.choice(('win', 'lose', 'draw'))}")
        talk.send("setoption name USI_Hash value 16", "setoption name Threads value 1", "isready")
        talk.until("readyok")

    def _turn(self, legal: set[str]) -> str:
        """Send a request in the position; return the move, '' if the request was not for a move."""
        rng, talk = self.rng, self.talk
        if rng.random() < 0.1:
            talk.send(*rng.choices(BROKEN, k=3))
        talk.send(f"position {self.root} moves {' '.join(self.moves)}".removesuffix(" moves "))
        kind = rng.random()
        if kind < 0.07:
            return self._perft(len(legal))
        if kind < 0.14:
            return self._mate()
        clock, seconds = rng.choice(
            (("btime 1000 wtime 1000 byoyomi 10", 1.01), ("btime 0 wtime 0 byoyomi 30", 0.03), ("movetime 20", 0.02),
             ("btime 300 wtime 300 binc 10 winc 10", 0.3), ("nodes 1000", 5), ("depth 3", 5), ("depth 1", 5),
             ("byoyomi 1", 0), ("btime -5 wtime -5 byoyomi 20", 0.02), ("nodes 1", 5))
        )  # fmt: skip
        if rng.random() < 0.1:
            clock += f" searchmoves {' '.join(rng.choices(sorted(legal), k=3))}"
        began = time.monotonic()
        if kind < 0.3:
            talk.send(rng.choice(("go infinite", "go infinite", "go", "go ponder")))
            self._pass_time()
            talk.send(rng.choice(("stop", "stop", "stop", "gameover win")))
            if rng.random() < 0.1:
                talk.send("stop")
        elif kind < 0.6 and "time" in clock:
            self._ponder(clock)
        else:
            talk.send(f"go {clock}")
            if rng.random() < 0.2:
                self._pass_time()
                talk.send("stop")
        lines = talk.until("bestmove", "checkmate")
        taken = time.monotonic() - began
        assert taken - seconds < LATE, f"{taken:.1f} s instead of {seconds} after {talk.last}"
        return self._check(lines, legal)

    def _ponder(self, clock: str) -> None:
        """Let it ponder; then the opponent plays the expected move or another one, or the GUI stops the search."""
        talk, rng = self.talk, self.rng
        early = rng.random() < 0.5
        talk.send("go ponder" if early else f"go ponder {clock}")
        self._pass_time()
        hit = f"ponderhit {clock if early else ''}".strip()
        talk.send(*rng.choice((["stop"], ["stop"], [hit], [hit], [hit], [hit, "stop"], ["gameover lose"])))

    def _pass_time(self) -> None:
        time.sleep(self.rng.choice(PAUSES))
        if self.rng.random() < 0.2:
            self.talk.send(self.rng.choice(("isready", "setoption name MultiPV value 2", "usi", "ponderhitt")))

    def _check(self, lines: list[str], legal: set[str]) -> str:
        """Return the move of a bestmove; check that there is only one."""
        self.talk.send("setoption name MultiPV value soak")
        after = self.talk.until("info string setoption: MultiPV is a number, not 'soak'")
        assert not any(line.startswith(("bestmove", "checkmate")) for line in after), (
            f"two answers: {lines[-1]}, {after}"
        )
        words = lines[-1].split()
        assert words[0] == "bestmove" and len(words) > 1, f"{lines[-1]} after {self.talk.last}"
        move = words[1]
        if move in ("resign", "win"):
            return ""
        assert move in legal, f"{move} is not legal after {self.root} {self.moves}"
        last = next((line for line in reversed(lines) if " pv " in line), "")
        shogi_legal(self.root, [*self.moves, *last.partition(" pv ")[2].split()])
        if len(words) > 3:
            shogi_legal(self.root, [*self.moves, move, words[3]])
        return move

    def _perft(self, count: int) -> str:
        if self.rng.random() < 0.5:
            self.talk.send("go perft 1")
            assert f"perft 1: {count} nodes" in self.talk.until("perft 1:")[-1], (
                f"perft 1 is not {count} after {self.root} {self.moves}"
            )
        else:
            self.talk.send("go perft 99")
            self._pass_time()
            self.talk.send("stop")
            self.talk.until("info string perft 99: stopped", "perft 99:")  # the game may end before the count
        return ""

    def _mate(self) -> str:
        self.talk.send(self.rng.choice(("go mate 20", "go mate infinite", "go mate")))
        self._pass_time()
        self.talk.send("stop")
        words = self.talk.until("checkmate", "bestmove")[-1].split()
        assert words[0] == "checkmate" and len(words) > 1, f"{words} after go mate"
        if words[1] not in ("timeout", "nomate"):
            left = shogi_legal(self.root, [*self.moves, *words[1:]])
            assert not left, f"{words} is no mate after {self.root} {self.moves}"
        return ""


class GtpGame:
    """A game over GTP: every command has one answer, with its number."""

    ODD = ("showboard", "komi 0", "fly", "play b z9", "list_commands", "cputime", "time_left b 5 0", "undo_ x",
           "genmove red", "play", "gogui-rules_legal_moves", "boardsize 9", "time_settings x")  # fmt: skip

    def __init__(self, talk: FrontEnd, rng: random.Random) -> None:
        self.talk, self.rng, self.requests = talk, rng, 0

    def ask(self, command: str, *others: str) -> str:
        """Return the first line of the answer; `others` are sent with it and have no answer."""
        self.requests += 1
        self.talk.send(f"{self.requests} {command}", *others)
        lines = self.talk.until(f"={self.requests}", f"?{self.requests}")
        while self.talk.until("")[-1]:
            pass
        assert len(lines) == 1, f"unexpected: {lines}"
        return lines[0].partition(" ")[2] if lines[0][0] == "=" else "?"

    def play(self) -> None:
        """Play one game from a random opening."""
        rng, board = self.rng, Board()
        self.ask("clear_board")
        self.ask(f"set_level {rng.randrange(5)}")
        self.ask(rng.choice(("kgs-time_settings none",) * 3 + ("time_settings 0 1 50", "time_settings 1 0 0")))
        opening = rng.choice((0, 10, 30, 50))
        while board.legal_moves:
            if board.must_pass():
                board.push_text("pass")
                continue
            if rng.random() < 0.1:
                self.ask(rng.choice(self.ODD))
            self._turn(board, opening)
            if rng.random() < 0.03:
                assert self.ask("undo") != "?", f"nothing to take back in {board}"
                board.pop()
        self.ask("final_score")

    def _turn(self, board: Board, opening: int) -> None:
        """Make one move, the engine's or a random one."""
        rng = self.rng
        colour, legal = "bw"[board.turn], {str(move) for move in board.legal_moves}
        if 60 - board.empties >= opening and rng.random() < 0.5:
            move = self.ask(f"genmove {colour}", *(["# interrupt"] if rng.random() < 0.2 else [])).lower()
            assert move in legal, f"{move} is not legal in {board}"
        else:
            move = rng.choice(sorted(legal))
            assert self.ask(f"play {colour} {move}") != "?", f"{move} was refused in {board}"
        board.push_text(move)


class NboardGame:
    """A game over NBoard: `go` returns a legal move, and a ping ends any search."""

    START = "set game (;GM[Othello]PC[soak]PB[a]PW[b]RE[?]TI[{}]TY[8]BO[8 {} *];)"
    BOARD = "---------------------------O*------*O---------------------------"

    def __init__(self, talk: FrontEnd, rng: random.Random) -> None:
        self.talk, self.rng, self._pings = talk, rng, 0

    def settle(self) -> list[str]:
        """Send a ping; return the lines before its pong."""
        self._pings += 1
        self.talk.send(f"ping {self._pings}")
        return self.talk.until(f"pong {self._pings}")

    def play(self) -> None:
        """Play one game from a random opening."""
        rng, board = self.rng, Board()
        clock = rng.choice(("5:00", "5:00", "0:01", "0:00/0:01"))
        self.talk.send(f"set depth {rng.randrange(1, 5)}", self.START.format(clock, self.BOARD))
        opening = rng.choice((0, 10, 30, 50))
        while board.legal_moves:
            legal = {str(move) for move in board.legal_moves}
            kind = rng.random()
            if kind < 0.2:
                self.talk.send(rng.choice(("hint 3", "go", "hint 1", "analyze", "learn")))
                time.sleep(rng.choice(PAUSES))
                self.settle()
            elif kind < 0.25:
                self.talk.send(rng.choice(("fly", "move Z9", "set depth x", "hint x", "set game (;")))
                assert any("error" in line for line in self.settle()), f"no error after {self.talk.last}"
            if kind < 0.6 and 60 - board.empties >= opening:
                self.talk.send("go")
                move = self.talk.until("===")[-1].removeprefix("===").strip().split("/")[0].lower()
                move = "pass" if move == "pa" else move
            else:
                move = "pass" if board.must_pass() else rng.choice(sorted(legal))
            assert board.must_pass() or move in legal, f"{move} is not legal in {board}"
            board.push_text(move)
            self.talk.send(f"move {'PA' if move == 'pass' else move.upper()}//0.01")
        assert not any("error" in line for line in self.settle()), "a move was refused"
