"""Engine: positions in text, searches with limits, stops from other threads."""

import copy
import pickle
import subprocess
import sys
import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from shogi_engine import Engine, Limit, games
from shogi_engine.common.threads import Search
from shogi_engine.engine.engine import score_of
from shogi_engine.interface.game import VALUE_MATE, VALUE_MATE_IN_MAX
from shogi_engine.types.limits import TimeBudget
from shogi_engine.types.results import ForcedWin, Score
from tests.support.clock import within
from tests.support.games.tictactoe import GAME as TICTACTOE
from tests.support.processes import environment, run
from tests.support.text_engine import TextEngine

MATE_IN_3 = "4k4/9/4P4/9/9/9/9/9/4K4 b GS2g 1"


@pytest.fixture(scope="module")
def shogi():
    with TextEngine("shogi", hash_mb=8) as engine:
        engine.warmup()
        yield engine


@pytest.fixture(autouse=True)
def start(request):
    if "shogi" in request.fixturenames:
        engine = request.getfixturevalue("shogi")
        engine.set_position()
        engine.new_game()


def test_games_are_loaded_by_name():
    assert games.load("shogi").name == "shogi" and games.load("othello").name == "othello"
    with pytest.raises(ValueError, match="there is no game 'go'; there are shogi, othello"):
        games.load("go")
    assert games.board(TICTACTOE, TICTACTOE.parse_position(TICTACTOE.start), ["5"]).position() == "----X----"


def test_positions_and_moves(shogi):
    shogi.set_position(moves=["7g7f", "3c3d"])
    assert shogi.position_text.split()[1:] == ["b", "-", "3"] and len(shogi.legal_moves()) == 39
    shogi.push("8h2b+")
    assert shogi.move_texts == ["7g7f", "3c3d", "8h2b+"] and shogi.position_text.split()[2] == "B"
    assert shogi.pop() == "8h2b+" and len(shogi.moves) == 2


@pytest.mark.parametrize(
    ("text", "moves", "fault"),
    [("", ["7g7f", "7g7f"], "move 2: "), ("", ["7g7e"], "move 1: "), ("", ["x"], "move 1: "), ("9/9", [], "sfen")],
)
def test_a_position_in_text_that_is_none(shogi, text, moves, fault):
    with pytest.raises(ValueError, match=fault):
        shogi.board(text, moves)


def replay(engine, line):
    for move in line:
        assert move in engine.legal_moves(), line
        engine.push(move)
    for _ in line:
        engine.pop()


def test_search_reports_lines_that_can_be_played(shogi):
    lines = []
    found = shogi.search(depth=6, on_info=lines.append)
    assert [line.depth for line in lines if not line.bound] == [1, 2, 3, 4, 5, 6]
    assert found.depth == 6 and found.bestmove == found.pv[0] == lines[-1].pv[0] and found.nodes == lines[-1].nodes
    for line in lines:
        replay(shogi, line.pv)
    assert found.ponder == (found.pv[1] if len(found.pv) > 1 else "")
    assert found.move == shogi.here.parse_usi(found.bestmove)
    assert repr(lines[-1].info).startswith("Info(depth=6, ") and found.ponder in repr(lines[-1].info)


def test_multipv_and_searchmoves(shogi):
    found = shogi.search(depth=4, multipv=3)
    assert [line.multipv for line in found.lines] == [1, 2, 3] and len({line.pv[0] for line in found.lines}) == 3
    assert found.lines[0].value >= found.lines[1].value >= found.lines[2].value
    assert shogi.search(depth=3, searchmoves=["9g9f"]).bestmove == "9g9f"
    with pytest.raises(ValueError, match="7g7e"):
        shogi.search(depth=3, searchmoves=["7g7e"])


def test_scores_of_mates_count_plies(shogi):
    shogi.set_position(MATE_IN_3)
    found = shogi.search(depth=6)
    assert found.score == Score.mate_in(len(found.pv)) and found.value == VALUE_MATE - len(found.pv)
    shogi.push(found.bestmove)
    after = shogi.search(depth=6)
    assert after.score == Score.mated_in(len(found.pv) - 1)
    shogi.set_position("8k/8G/8G/9/9/9/9/9/K8 w - 1")
    over = shogi.search(depth=3)
    assert (over.bestmove, str(over.score), over.pv) == ("", "mate -0", ())


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "cp 0"), (-120, "cp -120"), (VALUE_MATE - 5, "mate 5"), (5 - VALUE_MATE, "mate -5"), (-VALUE_MATE, "mate -0"),
     (VALUE_MATE_IN_MAX - 1, f"cp {VALUE_MATE_IN_MAX - 1}")],
)  # fmt: skip
def test_score_of(value, text):
    assert str(score_of(games.load("shogi"), value)) == text


def test_stop_from_another_thread(shogi):
    search = Search()
    threading.Timer(0.2, search.stop).start()
    began = time.monotonic()
    with within(1):
        found = shogi.play(shogi.here, Limit(), search=search)
    assert time.monotonic() - began > 0.15 and found.move in shogi.here.legal_moves


def test_a_stop_between_arm_and_search_is_not_lost(shogi):
    shogi.prepare()
    shogi.stop()
    with within(0.5):
        found = shogi.search()
    assert found.bestmove in shogi.legal_moves()
    assert found.lines and found.lines[0].pv[0] == found.bestmove
    shogi.stop()  # after the search: the next one is not harmed
    assert shogi.search(depth=5).depth == 5


def test_an_extension_between_arm_and_search_is_not_lost(shogi):
    shogi.prepare()
    shogi.extend(TimeBudget(100, 200))
    with within(1):
        shogi.search()
    shogi.prepare()
    threading.Timer(0.2, lambda: shogi.extend(TimeBudget(0, 100))).start()
    began = time.monotonic()
    with within(1):
        shogi.search()
    assert time.monotonic() - began > 0.15


def test_a_search_that_no_one_would_end_is_refused(shogi):
    for wanted in ({}, {"multipv": 2}, {"root_moves": ["7g7f"]}):
        for call in (shogi.play, shogi.analyse):
            with pytest.raises(ValueError, match="a limit is needed"):
                call(shogi.here, Limit(), **wanted)
    assert shogi.search(nodes=100).bestmove
    search = Search()
    search.stop()
    assert shogi.play(shogi.here, Limit(), search=search).info.depth == 1  # and not any move


def test_more_moves_than_any_game_has_are_refused_at_once(shogi):
    with pytest.raises(ValueError, match="there are 240000 moves, more than 30000"), within(0.1):
        shogi.set_position(moves=["4i4h", "4a4b", "4h4i", "4b4a"] * 60_000)
    shogi.set_position(moves=["4i4h", "4a4b", "4h4i", "4b4a"] * 700)
    assert len(shogi.moves) == 2800


def test_limits(shogi):
    assert shogi.search(nodes=5000).nodes <= 6000
    began = time.monotonic()
    with within(0.5):
        shogi.search(movetime=200)
    assert time.monotonic() - began > 0.1
    with pytest.raises(ValueError, match="multipv must be at least 1"):
        shogi.search(depth=1, multipv=0)
    for wrong in (-5, float("nan")):
        with pytest.raises(ValueError, match=f"movetime must be at least 0, not {wrong}"):
            shogi.search(movetime=wrong)


def test_one_search_at_a_time(shogi):
    threading.Timer(0.3, shogi.stop).start()
    refused = []

    def second(line):
        if not refused:
            with pytest.raises(RuntimeError):
                shogi.search(depth=1)
            refused.append(True)

    shogi.search(depth=60, on_info=second)
    assert refused


@pytest.mark.parametrize(
    "change",
    [
        lambda engine: engine.resize(hash_mb=16),
        lambda engine: engine.resize(threads=2),
        lambda engine: engine.set_evaluation("material"),
        Engine.new_game,
    ],
)
def test_nothing_is_changed_under_a_search(shogi, change):
    """The search holds the addresses of the memory that these would free."""
    refused = []

    def meddle(line):
        if not refused:
            with pytest.raises(RuntimeError, match="already searching"):
                change(shogi)
            refused.append(True)

    table = shogi.searcher.tt
    shogi.search(nodes=20000, on_info=meddle)
    assert refused and shogi.searcher.tt is table
    shogi.search(nodes=1)


def test_results_are_pickled(shogi):
    found = shogi.play(shogi.here, Limit(depth=4), multipv=2)
    again = pickle.loads(pickle.dumps(found))
    assert again == found and again.multipv == found.multipv and again.multipv[1].pv == found.multipv[1].pv


def test_a_line_is_that_of_the_position_searched_whatever_is_done_with_the_board(shogi):
    """Lines are converted when they are read, and by then the Board may be elsewhere."""
    lines = []
    shogi.play(shogi.here, Limit(depth=4), on_info=lines.append)
    shogi.here.push_usi("9g9f")
    assert all(info.pv[0] in shogi.board().legal_moves for info in lines)
    assert copy.copy(lines[-1]) == lines[-1] and replace(lines[-1], depth=3).pv == lines[-1].pv
    with pytest.raises(AttributeError):
        lines[-1].lines  # noqa: B018


SLOW_TO_COMPILE = """
import json, time
from shogi_engine.search import root
from tests.support.text_engine import TextEngine
advance = root.advance
def compiled_first(*arguments):
    time.sleep(1.5)
    root.advance = advance
    return advance(*arguments)
root.advance = compiled_first
engine, began = TextEngine("othello"), time.monotonic()
found = engine.search(movetime=300)
print(json.dumps([found.seconds, time.monotonic() - began]))
"""


def test_compiling_is_no_thinking():
    """A search thinks as long as it was told to, and tells so, however long it compiled before."""
    seconds, whole = run(SLOW_TO_COMPILE, environment(None))
    assert seconds < 1 < 1.5 < whole


def test_several_engines_do_not_disturb_each_other():
    depth, results = 7, {}

    def run(number):
        with TextEngine("shogi", hash_mb=4) as engine:
            engine.set_position(moves=["7g7f"])
            results[number] = engine.search(depth=depth).nodes

    threads = [threading.Thread(target=run, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(results.values())) == 1 and len(results) == 3


def test_a_game_of_ones_own():
    with TextEngine(TICTACTOE, hash_mb=1) as engine:
        engine.warmup()
        found = engine.search(depth=9)
        assert found.value == 0 and engine.here.diagram() == "-" * 9
        engine.set_position("XX-OO----")
        assert engine.search(depth=3).bestmove == "3"


def test_declaration_and_parameters(shogi):
    shogi.set_position("+R+R2K2+B+B/+P+P+P3+P+P+P/9/9/9/9/9/9/4k4 b 2P 1")
    assert shogi.may_declare(shogi.here)
    shogi.configure(entering_king_rule=0)
    assert not shogi.may_declare(shogi.here)
    shogi.configure(entering_king_rule=3)
    shogi.set_position("+R+R2K2+B+B/+P+P+P3+P+P+P/9/9/9/9/9/9/4k4 b P 1")
    assert not shogi.may_declare(shogi.here)
    shogi.set_position()
    shogi.configure(evaluation="material")
    assert shogi.evaluate(shogi.here) == 0


def test_solvers_are_told_the_time_in_milliseconds(shogi, monkeypatch):
    asked = []
    solver = SimpleNamespace(
        solve=lambda state, **named: asked.append(named) or ForcedWin("nomate"), clear=lambda: None
    )
    monkeypatch.setattr(shogi, "warmup_mate", lambda: solver)
    monkeypatch.setattr(shogi._root_solver, "solve", lambda state, limits, table: asked.append(limits.budget))
    for limit in (Limit(time=0.25, nodes=9), None):
        shogi.mate(shogi.here, limit)
        shogi.solve(shogi.here, limit)
    assert [(each["max_ms"], each["nodes"]) for each in asked[::2]] == [(250, 9), (None, None)]
    assert asked[1::2] == [TimeBudget.exactly(250), TimeBudget.exactly(float("inf"))]


def test_the_package_loads_numba_only_for_an_engine():
    code = "import sys, shogi_engine, usi.loop; sys.exit('numba' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
