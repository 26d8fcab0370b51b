"""Faulty lines for soak.py: thousands at once. Every line that requires an answer must get exactly one.

The number of answers due is computed here from the lines by the protocols' rules. Lines that request the impossible (a
table as large as the memory, a count that takes years) or that end the session are omitted.
"""

import random
from collections import Counter
from collections.abc import Callable

from tools.measure.soak_talk import Conversation, FaultError

BATCH = 1000  # lines
TOKENS = ("moves", "go", "-1", "99999999999999999999", "x", "\u5c06", "+", "value", "name", "b", "w", "0", "1", "#",
          "//", "d3", "7g7f", "sfen", ";", "--", "\t", "nan", "1e9", "\ufeff", "pass")  # fmt: skip

USI_LINES = (
    "position startpos moves 7g7f 3c3d 2g2f", "position startpos", "ponderhit btime 5 wtime 5 byoyomi 5", "ponderhit",
    "position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1 moves G*5b", "position sfen 4k4/9/9/9/9/9/9/9/4K4 b - 0", "stop",
    "setoption name MultiPV value 3", "setoption name PvInterval value 0", "setoption name Nothing", "gameover win",
    "setoption name SkillLevel value 7", "setoption name EnteringKingRule value TryRule", "setoption", "position",
    "setoption name NetworkDelay value 100", "setoption name NodesLimit value 1000", "sfen", "startpos moves 2g2f",
    "setoption name MaxMovesToDraw value 20", "setoption name ResignValue value 500", "usinewgame", "info string x",
)  # fmt: skip
USI_RARE = ("usi", "isready", "d", "moves", "eval", "flip", "go", "go infinite", "go ponder", "go depth 2",
            "go perft 1", "go btime 100 wtime 100 byoyomi 50", "go mate 50", "go searchmoves 7g7f 2g2f", "go nodes 500",
            "go movetime 5", "go perft 2", "go perft x", "setoption name EvalType value material",
            "setoption name EvalType value network", "setoption name USI_Hash value 8")  # fmt: skip
USI_WORDS = {"usi", "isready", "setoption", "usinewgame", "position", "sfen", "startpos", "go", "stop", "gameover",
             "ponderhit", "d", "moves", "eval", "flip", "bench"}  # fmt: skip

GTP_LINES = (
    "play b d3", "play w c3", "play b pass", "undo", "clear_board", "komi 6.5", "boardsize 8", "name", "version",
    "protocol_version", "known_command genmove", "time_left b 10 0", "time_left w -1 3", "time_settings 10 5 1",
    "kgs-time_settings byoyomi 1 1 3", "kgs-time_settings none", "gogui-rules_side_to_move", "final_score", "cputime",
    "gogui-rules_game_id", "gogui-interrupt", "set_game Othello", "list_games", "# interrupt",
    "gogui-rules_final_result",
)  # fmt: skip
GTP_RARE = ("genmove b", "genmove w", "reg_genmove b", "showboard", "list_commands", "gogui-rules_legal_moves",
            "gogui-rules_board", "set_level 1", "set_level 2", "set_level x", "set_level")  # fmt: skip

NBOARD_START = "set game (;GM[Othello]PC[x]PB[a]PW[b]RE[?]TI[5:00]TY[8]BO[8 {} *]B[F5]W[F6//1.5];)".format(
    "---------------------------O*------*O---------------------------"
)
NBOARD_LINES = ("move F5", "move F6//0.5", "move PA", "f5", "nboard 2", "set contempt 5", "set depth", "ping 7",
                "learn", "set", "move", "hint", "set game", "d3/1.5/2", "move F5/nan/1", "pass",
                "analyze x")  # fmt: skip
NBOARD_RARE = (NBOARD_START, "go", "hint 3", "hint 1", "analyze", "set depth 1", "set depth 2", "set depth x")


def mutated(rng: random.Random, line: str) -> str:
    """Return a line unchanged or with a few faults."""
    if rng.random() < 0.02:
        return "".join(chr(rng.choice((rng.randrange(32, 127), rng.randrange(160, 0x3000)))) for _ in range(40))
    words = line.split(" ")
    for _ in range(rng.choice((0, 0, 1, 2, 5))):
        at = rng.randrange(len(words) + 1)
        kind = rng.randrange(6)
        if kind == 0:
            words.insert(at, rng.choice(TOKENS))
        elif at < len(words):
            word = words[at]
            words[at] = (word[::-1], word * 3, word[: len(word) // 2], word.upper(), "")[kind - 1]
    return " ".join(words).replace("\n", " ")


class Fuzz:
    """A batch of lines, sent at once. Each subclass implements a protocol."""

    lines: tuple[str, ...]
    rare: tuple[str, ...]  # commands that take longer

    def __init__(self, talk: Conversation, rng: random.Random) -> None:
        self.talk, self.rng, self.requests = talk, rng, 0

    def play(self) -> None:
        """Send a batch; check that everything was answered and that a game can be played."""
        batch: list[str] = []
        while len(batch) < BATCH:
            often = self.rng.random() < 0.97
            line = mutated(self.rng, self.rng.choice(self.lines if often else self.rare))
            if self.is_harmless(line):
                batch.append(line)
        self.requests = len(batch)
        self.settle(batch)

    def is_harmless(self, line: str) -> bool:
        """Tell whether a line neither ends the session nor requests the impossible."""
        raise NotImplementedError

    def settle(self, batch: list[str]) -> None:
        """Send the lines and compare the answers."""
        raise NotImplementedError

    def compare(self, due: Counter[str], answers: list[str], key: Callable[[str], str]) -> None:
        """Raise FaultError unless the number of answers of each kind is as due."""
        came = Counter(filter(None, map(key, answers)))
        if came != due:
            raise FaultError(f"answers due: {dict(due)}; answers: {dict(came)}")


class UsiFuzz(Fuzz):
    """USI: each `go` one bestmove or checkmate, each `usi` one usiok, each `isready` one readyok."""

    lines, rare = USI_LINES, USI_RARE
    START = {"7g7f", "2g2f", "6i7h", "4i3h", "6i5h", "4i5h", "5i5h", "5i4h", "5i6h", "7i6h", "7i7h", "3i3h", "3i4h",
             "6i6h", "4i4h", "1g1f", "3g3f", "4g4f", "5g5f", "6g6f", "8g8f", "9g9f", "1i1h", "9i9h", "2h1h", "2h3h",
             "2h4h", "2h5h", "2h6h", "2h7h"}  # fmt: skip

    def is_harmless(self, line: str) -> bool:
        """Tell whether a line neither ends the session nor requests the impossible."""
        words = line.split()
        if "perft" in words:
            return line in self.rare
        lower = line.lower()
        safe = line in self.rare or not any(name in lower for name in ("hash", "thread", "evaltype", "file"))
        return safe and not {"quit", "bench"} & set(words)

    def settle(self, batch: list[str]) -> None:
        """Send the lines and compare the answers; then request a move from the start."""
        due = Counter(filter(None, map(self.wants, batch)))
        self.talk.send(*batch, "stop", "setoption name MultiPV value soak")
        answers = self.talk.until("info string setoption: MultiPV is a number, not 'soak'")
        self.compare(due, answers, self.answers)
        self.talk.send("setoption name ResignValue value 99999", "setoption name MultiPV value 1",
                       "setoption name NodesLimit value 0", "setoption name NetworkDelay value 0", "isready",
                       "position startpos", "go nodes 100")  # fmt: skip
        answer = self.talk.until("bestmove")
        if "readyok" not in answer or answer[-1].split()[1] not in self.START:
            raise FaultError(f"{answer} after {self.talk.sent}")

    @staticmethod
    def wants(line: str) -> str:
        """Return the answer that a line requires, '' for none."""
        words = line.strip("\ufeff \t\r\n\0").split()
        while words and words[0] not in USI_WORDS:
            words.pop(0)
        if not words or words[0] == "go" and "perft" in words:
            return ""
        return {"go": "go", "usi": "usiok", "isready": "readyok"}.get(words[0], "")

    @staticmethod
    def answers(line: str) -> str:
        """Return the kind of answer in a line of output, '' for none."""
        word = line.partition(" ")[0]
        return {"bestmove": "go", "checkmate": "go", "usiok": "usiok", "readyok": "readyok"}.get(word, "")


class GtpFuzz(Fuzz):
    """GTP: each command one answer, with its number."""

    lines, rare = GTP_LINES, GTP_RARE

    def is_harmless(self, line: str) -> bool:
        """Tell whether a line neither ends the session nor requests the impossible."""
        return "quit" not in line and ("level" not in line or line in self.rare)

    def settle(self, batch: list[str]) -> None:
        """Send the lines, some with a number, and compare the answers; then request a move from the start."""
        numbered = [f"{number} {line}" if number % 3 else line for number, line in enumerate(batch, 1)]
        due = Counter(filter(None, map(self.wants, numbered)))
        self.talk.send("set_level 1", *numbered, "77777777 known_command soak")
        answers = self.talk.until("=77777777")
        due["="] += 1
        due["=77777777"] = 1
        self.compare(due, answers, self.answers)
        self.talk.send("77777778 clear_board", "77777779 genmove b")
        self.talk.until("=77777778")
        move = self.talk.until("=77777779")[-1].split()[-1]
        if move not in ("D3", "C4", "F5", "E6"):
            raise FaultError(f"{move} after {self.talk.sent}")

    @staticmethod
    def wants(line: str) -> str:
        """Return the answer that a line requires without its kind, '' for none."""
        text = line.strip("\ufeff \t\r\n\0")
        words = text.partition("#")[0].split()
        number = ""
        if words and words[0].isascii() and words[0].isdecimal() and len(words[0]) < 12:
            number = words.pop(0)
        return f"={number}" if words else ""

    @staticmethod
    def answers(line: str) -> str:
        """Return the kind of answer in a line of output, '' for none."""
        return "=" + line.split(" ")[0][1:] if line.startswith(("=", "?")) else ""


class NboardFuzz(Fuzz):
    """NBoard: each ping one pong, and no more moves than were requested."""

    lines, rare = NBOARD_LINES, NBOARD_RARE

    def is_harmless(self, line: str) -> bool:
        """Tell whether a line neither ends the session nor requests the impossible."""
        return "quit" not in line and ("depth" not in line or line in (*self.lines, *self.rare))

    def settle(self, batch: list[str]) -> None:
        """Send the lines and compare the answers; then request a move from the start."""
        due = Counter("pong" for line in batch if line.strip("\ufeff \t\r\n\0").partition(" ")[0] == "ping")
        self.talk.send("set depth 1", *batch, "ping settled")  # not a number: a mutated line might begin with it
        answers = self.talk.until("pong settled")
        due["pong"] += 1
        self.compare(due, answers, lambda line: "pong" if line.startswith("pong") else "")
        if sum(line.startswith("===") for line in answers) > sum("go" in line for line in batch):
            raise FaultError(f"more moves than requested in {batch}")
        self.talk.send(NBOARD_START, "go")
        move = self.talk.until("===")[-1].split()[1][:2]
        if move not in ("C4", "D3", "E6", "F7"):
            raise FaultError(f"{move} after {self.talk.sent}")
