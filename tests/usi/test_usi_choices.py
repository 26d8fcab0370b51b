"""What a line or an option asks of the engine: limits, rules, the book, and which of its lines are shown.

The loop speaks to an engine that notes what it is asked and answers at once. Time stands still unless a test moves it,
so budgets are exact; `plan` and `fixed`, which divide the clock, have tests of their own (test_clock.py).
"""

import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from shogi_engine.games.shogi.names import ENTERING_KING_RULES
from shogi_engine.search.timeman import TimeOptions, fixed, in_full_seconds, plan
from shogi_engine.types.limits import LEAST_MS, Clock
from shogi_engine.types.results import ForcedWin, Info, PlayResult, Score
from tests.support.usi_fake import FakeEngine
from usi.loop import Loop
from usi.options import OPTIONS
from usi.protocol import FALLBACK_MS, UsiOutput

BLACK, WHITE = "position startpos", "position startpos moves 7g7f"
TIMES = "btime 60000 wtime 30000 byoyomi 1000"
CLOCKS = {BLACK: Clock(60_000, 1000), WHITE: Clock(30_000, 1000)}
NO_BOOK = "setoption name USI_OwnBook value false"
LINES = [("", 250), ("lower", 200), ("", 0), ("upper", 400), ("", 10)]  # the bound of each line, and the ms before it


class Recorder(FakeEngine):
    """Notes what it is asked. A search without a limit lasts until it is stopped or gets a budget."""

    def __init__(self, value=10):
        super().__init__()
        self.value, self.now = value, 1000.0
        self.searches, self.extended, self.mates, self.books, self.sizes = [], [], [], [], {}
        self.rules, self.solver = {}, 0
        self.work_ms = 0.0  # which each change of the table's size takes
        self.begun = threading.Event()
        self.book.choice = lambda board, **lookup: self.books.append(lookup)

    def resize(self, **sizes):
        self.sizes |= sizes
        self.now += self.work_ms / 1000 * ("hash_mb" in sizes)

    def load_solver(self):
        self.solver += 1

    def configure(self, **values):
        self.rules |= values

    def extend(self, budget):
        self.extended.append(budget)
        self._stop.set()

    def warmup_mate(self):
        self.now += 30  # to compile is not to think

    def mate(self, board, limit, *, progress, search):
        with search.searching(self):
            self.mates.append(None if limit.time is None else 1000 * limit.time)
            self.begun.set()
            return ForcedWin("timeout")

    def continued_pv(self, board, line, length):
        return [*line, "continued"]

    def _play(self, moves, limit, on_info):
        self.begun.set()
        if all(getattr(limit, name) is None for name in ("depth", "nodes", "budget")):
            assert self._stop.wait(60)
        for depth, (bound, ms) in enumerate(LINES, 1):
            self.now += ms / 1000
            lines = [
                Info(depth, depth, number, Score(self.value), bound, time=0.1, nodes=100, hashfull=0, pv=(move,))
                for number, move in enumerate(moves, 1)
            ]
            for line in lines:
                on_info(line)
        return PlayResult(moves[0], None, lines[0], tuple(lines), time=0.1)

    def play(self, board, limit, *, multipv, root_moves=(), **named):
        asked = {"multipv": multipv, "searchmoves": list(root_moves), "moves": list(map(str, board.move_stack))}
        self.searches.append(vars(limit) | asked)
        return super().play(board, limit, multipv=multipv, root_moves=root_moves, **named)


@pytest.fixture
def converse(monkeypatch):
    """Return a function that sends lines to a new session; it returns the engine, with what was said in `said`.

    A line may also be a function, which is called with the engine when that line's turn comes.
    """

    def converse(*lines, value=10, work_ms=0.0, **environment):
        for name, text in environment.items():
            monkeypatch.setenv(name, text)
        engine, written = Recorder(value), []
        engine.work_ms = work_ms
        watch = SimpleNamespace(
            monotonic=lambda: engine.now, sleep=lambda seconds: None, time=time.time, localtime=time.localtime,
            strftime=time.strftime,
        )  # fmt: skip
        for module in ("usi.loop", "usi.protocol", "shogi_engine.frontends.core", "shogi_engine.common.threads"):
            monkeypatch.setattr(f"{module}.time", watch)

        def script():
            for line in lines:
                if callable(line):
                    line(engine)
                else:
                    yield line.encode()

        output = UsiOutput(written.append, lambda: None)
        Loop(output, load=lambda: engine, leave=lambda status: None).run(script())
        engine.said = b"".join(written).decode().splitlines()
        return engine

    return converse


def option(name, value):
    return f"setoption name {name} value {value}"


def pondering(seconds):
    """Return a line that waits for the search and lets `seconds` pass."""

    def pass_time(engine):
        assert engine.begun.wait(60)
        engine.now += seconds

    return pass_time


def approximately(budget):
    """Return a budget for a comparison: seconds and ms are floats."""
    return pytest.approx(vars(budget))


# ---- options: what each changes, in what the engine is asked or in what is shown

TIME_OPTIONS = {
    "NetworkDelay": (500, {"network_delay": 500}),
    "NetworkDelay2": (3000, {"network_delay2": 3000}),
    "MinimumThinkingTime": (9000, {"minimum_thinking_time": 9000}),
    "SlowMover": (250, {"slow_mover": 250}),
    "USI_Ponder": ("true", {"ponder": True}),
}


@pytest.mark.parametrize("name", TIME_OPTIONS)
@pytest.mark.parametrize("position", CLOCKS)
def test_options_of_time(converse, name, position):
    value, changed = TIME_OPTIONS[name]
    ply = int(position == WHITE)
    clock = Clock(byoyomi=20_000) if name == "NetworkDelay2" else CLOCKS[position]
    go = "go byoyomi 20000" if name == "NetworkDelay2" else f"go {TIMES}"
    found = [converse(NO_BOOK, *lines, position, go).searches[0]["budget"] for lines in ([], [option(name, value)])]
    assert found == [plan(clock, ply, options) for options in (TimeOptions(), replace(TimeOptions(), **changed))]
    assert found[0] != found[1]


def test_the_move_limit_and_full_seconds_change_the_plan(converse):
    limited = converse(NO_BOOK, option("MaxMovesToDraw", 7), WHITE, f"go {TIMES}")
    assert (
        limited.searches[0]["budget"]
        == plan(CLOCKS[WHITE], 1, TimeOptions(), 7)
        != plan(CLOCKS[WHITE], 1, TimeOptions())
    )
    assert limited.rules["max_moves"] == 7
    rounded = converse(NO_BOOK, option("RoundUpToFullSecond", "true"), BLACK, f"go {TIMES}").searches[0]["budget"]
    assert rounded == in_full_seconds(plan(CLOCKS[BLACK], 0, TimeOptions()), CLOCKS[BLACK], TimeOptions())
    assert rounded.second_ms is not None


LIMIT_OPTIONS = [  # the option, `go`, and what the search is limited to
    (("MultiPV", 3), "depth 5", {"multipv": 3, "depth": 5}),
    (("DepthLimit", 4), "depth 5", {"depth": 4}),
    (("DepthLimit", 6), "depth 5", {"depth": 5}),
    (("DepthLimit", 6), "nodes 9", {"depth": 6, "nodes": 9}),
    (("NodesLimit", 8), "nodes 9", {"nodes": 8}),
    (("NodesLimit", 10), "nodes 9", {"nodes": 9}),
    (("SkillLevel", 7), "depth 5", {"level": 7}),
    (("SkillLevel", 20), "depth 5", {"level": None}),
    (("SkillLevel", 7), "infinite", {"level": None}),
]


@pytest.mark.parametrize(("set_to", "go", "limits"), LIMIT_OPTIONS)
def test_options_of_limits(converse, set_to, go, limits):
    asked = converse(option(*set_to), BLACK, f"go {go}", pondering(0), "stop").searches[0]
    plain = {"multipv": 1, "searchmoves": [], "depth": None, "nodes": None, "level": None, "budget": None}
    words = dict(zip(go.split()[::2], map(int, go.split()[1::2]), strict=False))
    assert {name: asked.get(name) for name in plain} == plain | words | limits


RULE_OPTIONS = [  # the option, the position, and what the engine is configured to
    *(
        (("EnteringKingRule", rule), BLACK, {"entering_king_rule": number})
        for number, rule in enumerate(ENTERING_KING_RULES)
    ),
    (("MaxMovesToDraw", 256), BLACK, {"max_moves": 256}),
    (("DrawValueBlack", 50), BLACK, {"draw_value": (50, -50)}),  # black's value of a draw, and white's
    (("DrawValueBlack", 50), WHITE, {"draw_value": (2, -2)}),
    (("DrawValueWhite", 50), WHITE, {"draw_value": (-50, 50)}),
    (("DrawValueWhite", 50), BLACK, {"draw_value": (-2, 2)}),
]


@pytest.mark.parametrize(("set_to", "position", "rules"), RULE_OPTIONS)
def test_options_of_rules(converse, set_to, position, rules):
    found = converse(option(*set_to), position, "go depth 1").rules
    assert {name: found[name] for name in rules} == rules


@pytest.mark.parametrize(("skill", "mates", "solves"), [(20, "true", True), (20, "false", False), (5, "true", False)])
def test_mates_are_looked_for_beside_a_search(converse, skill, mates, solves):
    engine = converse(option("SkillLevel", skill), option("MateSearch", mates), "isready", BLACK, "go depth 1")
    assert engine.solve_roots is solves
    assert engine.solver == (mates == "true")


def test_sizes(converse):
    assert converse(BLACK).sizes == {"hash_mb": 64, "threads": 1}
    assert converse(option("USI_Hash", 8), option("Threads", 3), BLACK).sizes == {"hash_mb": 8, "threads": 3}


@pytest.mark.parametrize("named", [1, 300, 30_001, 31_999, 32_000, 99_999])
def test_it_resigns_at_the_value_named_and_below(converse, named):
    lost, not_lost = [-named - 1, -named], [1 - named, named, "mate 3"]
    (lost if named <= 31_999 else not_lost).append("mate -4")  # which counts as 31,999 centipawns
    for value in lost + not_lost:
        answer = converse(option("ResignValue", named), BLACK, "go depth 1", value=value).said[-1]
        assert (answer == "bestmove resign") is (value in lost), value


SHOWN = [  # options, and of each line that is shown its depth, its number and its last word
    ({"PvInterval": 0}, [(1, ""), (2, ""), (3, ""), (4, ""), (5, ""), (5, "")]),
    ({"PvInterval": 300}, [(2, ""), (4, ""), (5, "")]),  # after 450 and 850 ms
    ({"PvInterval": 2000}, [(5, "")]),
    ({"PvInterval": 0, "OutputFailLHPV": "false"}, [(1, ""), (3, ""), (5, ""), (5, "")]),
    ({"PvInterval": 0, "MultiPV": 2}, [(1, "1"), (1, "2"), (3, "1"), (3, "2"), (5, "1"), (5, "2"), (5, "1"), (5, "2")]),
    ({"PvInterval": 500, "MultiPV": 2}, [(1, "1"), (1, "2"), (5, "1"), (5, "2"), (5, "1"), (5, "2")]),
]


@pytest.mark.parametrize("longer", ["true", "false"])
@pytest.mark.parametrize(("options", "rows"), SHOWN)
def test_options_of_lines(converse, options, rows, longer):
    sent = [option(*each) for each in (*options.items(), ("ConsiderationMode", longer))]
    said = [line.split() for line in converse(*sent, BLACK, "go depth 9").said if line.startswith("info depth")]
    numbers = [words[words.index("multipv") + 1] if "multipv" in words else "" for words in said]
    assert list(zip([int(words[2]) for words in said], numbers, strict=True)) == rows
    assert all((words[-1] == "continued") == (longer == "true") for words in said)


PLAIN = {"best": 16, "margin": 30, "flipped": True, "any_ply": True}
BOOK_OPTIONS = [  # the option, and how the book is asked; None if it is not
    (("USI_OwnBook", "true"), PLAIN),
    (("USI_OwnBook", "false"), None),
    (("BookFile", "no_book"), None),
    (("BookMoves", 3), PLAIN | {"best": 3}),
    (("BookEvalDiff", 99), PLAIN | {"margin": 99}),
    (("BookIgnoreRate", 100), None),
    (("BookIgnoreRate", 0), PLAIN),
    (("IgnoreBookPly", "false"), PLAIN | {"any_ply": False}),
    (("FlippedBook", "false"), PLAIN | {"flipped": False}),
    (("ConsiderationMode", "true"), None),
    (("SkillLevel", 3), None),
    (("SkillLevel", 4), PLAIN),
]


@pytest.mark.parametrize(("set_to", "lookup"), BOOK_OPTIONS)
def test_options_of_the_book(converse, set_to, lookup):
    assert converse(option(*set_to), BLACK, "go movetime 1000").books == ([lookup] if lookup else [])


@pytest.mark.parametrize(
    ("go", "used"),
    [(TIMES, True), ("movetime 100", True), ("byoyomi 100", True), ("depth 3", False), ("nodes 3", False),
     ("infinite", False), ("movetime 100 depth 3", False), ("movetime 100 nodes 3", False),
     ("movetime 100 searchmoves 7g7f", False), (f"infinite {TIMES}", False)],
)  # fmt: skip
def test_the_book_is_for_games(converse, go, used):
    assert bool(converse(BLACK, f"go {go}", pondering(0), "stop").books) is used


ELSEWHERE = {  # options that these tests do not reach, and where their tests are
    "Stochastic_Ponder": "here, with the clocks",
    "EvalType": "test_usi_evaluation, test_usi_scripts",
    "EvalDir": "test_usi_evaluation",
    "EvalFile": "test_usi_evaluation",
    "FV_SCALE": "test_usi_evaluation",
    "DebugLogFile": "test_usi_transcripts",
}
HERE = {
    *TIME_OPTIONS,
    *(each[0][0] for rows in (LIMIT_OPTIONS, RULE_OPTIONS, BOOK_OPTIONS) for each in rows),
    *(name for options, _ in SHOWN for name in options),
    "RoundUpToFullSecond", "MateSearch", "USI_Hash", "Threads", "ResignValue", "ConsiderationMode",
}  # fmt: skip


def test_every_option_that_changes_a_choice_is_tried():
    assert {each.name for each in OPTIONS} == HERE | set(ELSEWHERE), "add a row to a table of this file"


# ---- clocks

GO_CLOCKS = [  # words of `go`, and the clocks of black and white
    (TIMES, CLOCKS[BLACK], CLOCKS[WHITE]),
    ("btime 60000 wtime 30000 binc 500 winc 900", Clock(60_000, 0, 500), Clock(30_000, 0, 900)),
    ("btime 60000 wtime 30000 binc 500 winc 900 byoyomi 700", Clock(60_000, 700, 500), Clock(30_000, 700, 900)),
    ("wtime 30000 btime 60000", Clock(60_000), Clock(30_000)),
    ("byoyomi 5000", Clock(0, 5000), Clock(0, 5000)),
    ("btime -5 wtime 400", Clock(0), Clock(400)),
    ("binc 800 winc 300", Clock(0, 0, 800), Clock(0, 0, 300)),
]


@pytest.mark.parametrize(("words", "black", "white"), GO_CLOCKS)
def test_the_clock_is_that_of_the_side_to_move(converse, words, black, white):
    for position, clock, ply in (
        (BLACK, black, 0),
        (WHITE, white, 1),
        ("position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 81 moves 3c3d", black, 81),
        ("position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 81", white, 80),
    ):
        assert converse(NO_BOOK, position, f"go {words}").searches[0]["budget"] == plan(clock, ply, TimeOptions())


@pytest.mark.parametrize("movetime", [50, 700, 1500, 20_000, 100_000])
def test_of_a_movetime_and_a_clock_the_shorter_one_counts(converse, movetime):
    whole, planned = fixed(movetime, TimeOptions()), plan(CLOCKS[BLACK], 0, TimeOptions())
    found = converse(NO_BOOK, BLACK, f"go {TIMES} movetime {movetime}").searches[0]["budget"]
    assert found == min(whole, planned, key=lambda budget: budget.hard_ms)
    assert converse(NO_BOOK, BLACK, f"go movetime {movetime}").searches[0]["budget"] == whole


@pytest.mark.parametrize(("words", "counts"), [("byoyomi 9000", True), ("movetime 9000", False), ("mate 9000", False)])
def test_the_time_that_the_engine_takes_to_be_ready_counts_only_if_a_clock_runs(converse, words, counts):
    """A larger table is set up after `go` has come: a clock has run meanwhile, other times begin when all is ready."""
    engine = converse(NO_BOOK, BLACK, option("USI_Hash", 128), f"go {words}", work_ms=3000)
    if engine.mates:
        assert engine.mates == [9000]
        return
    budget = plan(Clock(0, 9000), 0, TimeOptions()) if counts else fixed(9000, TimeOptions())
    assert engine.searches[0]["budget"] == budget.less(3000 if counts else 0)


@pytest.mark.parametrize(("words", "clock"), [("movetime 9000", None), ("byoyomi 9000", Clock(0, 9000))])
def test_a_move_time_begins_when_the_search_before_is_answered(converse, words, clock):
    """The second `go` ends the first, which takes a while; only a clock has run meanwhile."""
    engine = converse(NO_BOOK, BLACK, "go infinite", pondering(0), f"go {words}")
    late = sum(ms for _, ms in LINES) if clock else 0
    budget = plan(clock, 0, TimeOptions()) if clock else fixed(9000, TimeOptions())
    assert vars(engine.searches[1]["budget"]) == approximately(budget.less(late))


@pytest.mark.parametrize(
    ("mate", "most"), [("mate 5000", 5000), ("mate infinite", None), ("mate", None), ("mate 0", None)]
)
def test_a_search_for_mate_has_the_time_it_is_given_without_what_has_passed(converse, mate, most):
    assert converse(BLACK, f"go {mate}", pondering(0)).mates == [most]
    engine = converse(BLACK, option("USI_Hash", 128), f"go {mate} byoyomi 1", pondering(0), work_ms=3000)
    assert engine.mates == [None if most is None else most - 3000]
    engine = converse(BLACK, option("USI_Hash", 128), f"go {mate} byoyomi 1", pondering(0), work_ms=9000)
    assert engine.mates == [None if most is None else LEAST_MS]


@pytest.mark.parametrize(
    ("go", "hit", "clock"),
    [
        (TIMES, "", CLOCKS[BLACK]),
        (TIMES, "btime 50000 wtime 20000 byoyomi 2000", Clock(50_000, 2000)),
        (TIMES, "btime 50000", Clock(50_000, 1000)),
        ("", "btime 50000 wtime 20000 binc 400 winc 300", Clock(50_000, 0, 400)),
        ("byoyomi 8000", "", Clock(0, 8000)),
    ],
)
def test_the_clock_of_a_ponderhit(converse, go, hit, clock):
    """The time of the move begins with ponderhit; what was thought before shortens it, unless byoyomi would be lost."""
    engine = converse(NO_BOOK, BLACK, f"go ponder {go}", pondering(1.25), f"ponderhit {hit}")
    assert engine.extended == [plan(clock, 0, TimeOptions()).after_pondering(1250)]
    assert engine.searches[0]["budget"] is None and engine.said[-1].startswith("bestmove")


@pytest.mark.parametrize(("hit", "ms"), [("ponderhit movetime 700", 700), ("ponderhit", FALLBACK_MS)])
def test_a_ponderhit_without_a_clock(converse, hit, ms):
    assert converse(NO_BOOK, BLACK, "go ponder", pondering(2), hit).extended == [fixed(ms, TimeOptions())]


def test_a_search_for_mate_that_fails_proves_nothing_and_one_that_finds_a_mate_shows_it(converse):
    found = ForcedWin("mate", ("7g7f", "3c3d", "2g2f"), nodes=100, seconds=0.5)

    def mate(board, limit, *, progress, search):
        if limit.time < 1:
            raise ArithmeticError("a bug")
        progress(50, 0.25)
        return found

    mated = "info depth 3 seldepth 3 score mate 3 nodes 100 nps 200 hashfull 0 time 500 pv 7g7f 3c3d 2g2f"
    said = converse(BLACK, lambda engine: setattr(engine, "mate", mate), "go mate 2000", "go mate 9").said
    assert said[:3] == ["info time 250 nodes 50 nps 200", mated, "checkmate 7g7f 3c3d 2g2f"]
    assert said[-1] == "checkmate timeout"


def test_the_speed_of_a_search_is_shown_with_the_value(converse):
    assert "nodes/s of the last search: 1000" in converse(BLACK, "go depth 1", "eval").said


def test_pondering_ahead_searches_the_position_before_and_then_has_its_time(converse):
    stochastic = [option("USI_Ponder", "true"), option("Stochastic_Ponder", "true")]
    engine = converse(NO_BOOK, *stochastic, WHITE, f"go ponder {TIMES}", pondering(4), "ponderhit")
    assert [asked["moves"] for asked in engine.searches] == [[], ["7g7f"]] and engine.extended == []
    assert engine.searches[0]["budget"] is None
    late = sum(ms for _, ms in LINES)  # the end of the first search
    budget = plan(CLOCKS[WHITE], 1, TimeOptions()).less(late)  # nothing was thought on this move before
    assert vars(engine.searches[1]["budget"]) == approximately(budget)
