"""Faulty lines to each front end, many at once: every line that requires an answer gets exactly one.

The number of answers due is computed here from the lines by the protocols' rules. Lines that request the impossible (a
table as large as the memory, a count that takes years) or that end the session are left out. `SOAK_EXAMPLES=10000
pytest tests/soak` sends many batches.
"""

import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.soak.front_end_games import FrontEnd

EXAMPLES = int(os.environ.get("SOAK_EXAMPLES", "10"))
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


FAULTS = st.tuples(
    st.integers(0, 9),
    st.sampled_from(TOKENS)
    | st.sampled_from((lambda word: word[::-1], lambda word: word * 3, lambda word: word[: len(word) // 2], str.upper)),
)


@st.composite
def mutated(draw, lines):
    """Draw a line unchanged or with a few faults: a token inserted, or a word changed."""
    words = draw(st.sampled_from(lines)).split(" ")
    for place, fault in draw(st.lists(FAULTS, max_size=4)):
        at = place % (len(words) + 1)
        if isinstance(fault, str):
            words.insert(at, fault)
        elif at < len(words):
            words[at] = fault(words[at])
    return " ".join(words)


NOISE = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FFF), max_size=40)


class Usi:
    """USI: each `go` one bestmove or checkmate, each `usi` one usiok, each `isready` one readyok."""

    lines, rare = USI_LINES, USI_RARE
    START = {"7g7f", "2g2f", "6i7h", "4i3h", "6i5h", "4i5h", "5i5h", "5i4h", "5i6h", "7i6h", "7i7h", "3i3h", "3i4h",
             "6i6h", "4i4h", "1g1f", "3g3f", "4g4f", "5g5f", "6g6f", "8g8f", "9g9f", "1i1h", "9i9h", "2h1h", "2h3h",
             "2h4h", "2h5h", "2h6h", "2h7h"}  # fmt: skip

    @classmethod
    def is_harmless(cls, line):
        """Tell whether a line neither ends the session nor requests the impossible."""
        words = line.split()
        if "perft" in words:
            return line in cls.rare
        lower = line.lower()
        safe = line in cls.rare or not any(name in lower for name in ("hash", "thread", "evaltype", "file"))
        return safe and not {"quit", "bench"} & set(words)

    @classmethod
    def settle(cls, talk, batch):
        """Send the lines and compare the answers; then request a move from the start."""
        talk.send(*batch, "stop", "setoption name MultiPV value soak")
        answers = talk.until("info string setoption: MultiPV is a number, not 'soak'")
        kinds = {"bestmove": "go", "checkmate": "go", "usiok": "usiok", "readyok": "readyok"}
        came = Counter(filter(None, (kinds.get(line.partition(" ")[0], "") for line in answers)))
        assert came == Counter(filter(None, map(cls.wants, batch)))
        talk.send("setoption name ResignValue value 99999", "setoption name MultiPV value 1",
                  "setoption name NodesLimit value 0", "setoption name NetworkDelay value 0", "isready",
                  "position startpos", "go nodes 100")  # fmt: skip
        answer = talk.until("bestmove")
        assert "readyok" in answer and answer[-1].split()[1] in cls.START

    @staticmethod
    def wants(line):
        """Return the answer that a line requires, '' for none."""
        words = line.strip("\ufeff \t\r\n\0").split()
        while words and words[0] not in USI_WORDS:
            words.pop(0)
        if not words or words[0] == "go" and "perft" in words:
            return ""
        return {"go": "go", "usi": "usiok", "isready": "readyok"}.get(words[0], "")


class Gtp:
    """GTP: each command one answer, with its number."""

    lines, rare = GTP_LINES, GTP_RARE

    @classmethod
    def is_harmless(cls, line):
        """Tell whether a line neither ends the session nor requests the impossible."""
        return "quit" not in line and ("level" not in line or line in cls.rare)

    @classmethod
    def settle(cls, talk, batch):
        """Send the lines, some with a number, and compare the answers; then request a move from the start."""
        numbered = [f"{number} {line}" if number % 3 else line for number, line in enumerate(batch, 1)]
        talk.send("set_level 1", *numbered, "77777777 known_command soak")
        answers = [line for line in talk.until("=77777777") if line.startswith(("=", "?"))]
        due = Counter(filter(None, map(cls.wants, ["set_level 1", *numbered, "77777777 x"])))
        assert Counter("=" + line.split(" ")[0][1:] for line in answers) == due
        talk.send("77777778 clear_board", "77777779 genmove b")
        talk.until("=77777778")
        assert talk.until("=77777779")[-1].split()[-1] in ("D3", "C4", "F5", "E6")

    @staticmethod
    def wants(line):
        """Return the answer that a line requires without its kind, '' for none."""
        words = line.strip("\ufeff \t\r\n\0").partition("#")[0].split()
        number = ""
        if words and words[0].isascii() and words[0].isdecimal() and len(words[0]) < 12:
            number = words.pop(0)
        return f"={number}" if words else ""


class Nboard:
    """NBoard: each ping one pong, and no more moves than were requested."""

    lines, rare = NBOARD_LINES, NBOARD_RARE

    @classmethod
    def is_harmless(cls, line):
        """Tell whether a line neither ends the session nor requests the impossible."""
        return "quit" not in line and ("depth" not in line or line in (*cls.lines, *cls.rare))

    @classmethod
    def settle(cls, talk, batch):
        """Send the lines and compare the answers; then request a move from the start."""
        talk.send("set depth 1", *batch, "ping settled")  # not a number: a mutated line might begin with it
        answers = talk.until("pong settled")
        pings = [line for line in batch if line.strip("\ufeff \t\r\n\0").partition(" ")[0] == "ping"]
        assert sum(line.startswith("pong") for line in answers) == len(pings) + 1
        assert sum(line.startswith("===") for line in answers) <= sum("go" in line for line in batch)
        talk.send(NBOARD_START, "go")
        assert talk.until("===")[-1].split()[1][:2] in ("C4", "D3", "E6", "F7")


PROTOCOLS = {"usi": Usi, "gtp": Gtp, "nboard": Nboard}


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_line_gets_its_answers(name):
    protocol = PROTOCOLS[name]
    common = mutated(protocol.lines) | NOISE
    batches = st.lists(st.one_of(*[common] * 9, mutated(protocol.rare)).filter(protocol.is_harmless), max_size=100)
    with FrontEnd(name) as front_end:

        @settings(max_examples=EXAMPLES, database=None, suppress_health_check=list(HealthCheck))
        @given(batches)
        def send(batch):
            protocol.settle(front_end, batch)

        send()


@pytest.mark.parametrize(
    ("protocol", "line", "answer"),
    [
        (Usi, "go depth 1", "go"), (Usi, "\ufeffxyz go depth 1", "go"), (Usi, "go perft 1", ""),
        (Usi, "go perft x", ""), (Usi, "position startpos go", ""), (Usi, "isready go", "readyok"), (Usi, "", ""),
        (Gtp, "7 fly", "=7"), (Gtp, "play b d3 # 1", "="), (Gtp, "# interrupt", ""), (Gtp, "12", ""),
    ],
)  # fmt: skip
def test_how_many_answers_a_line_wants(protocol, line, answer):
    assert protocol.wants(line) == answer
