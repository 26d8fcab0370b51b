"""Engine as python-chess has it: Boards and Limits in, Moves out; a search under way as a handle."""

import pickle
import random
import threading
import time

import pytest

from shogi_engine import Engine, Limit, Score, othello, shogi
from shogi_engine.common.threads import Search
from shogi_engine.engine import engine as analysis
from shogi_engine.jit import cache_folder
from shogi_engine.search.timeman import TimeOptions, budget_of, plan
from shogi_engine.types.limits import Clock
from shogi_engine.types.results import PlayResult
from tests.support.clock import within
from tests.support.processes import ROOT, environment, run

MATE = "7nk/9/7GP/9/9/9/9/9/9 b - 1"
ENDING = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"


@pytest.fixture(scope="module")
def engines():
    with Engine("shogi", hash_mb=4) as one, Engine("othello", hash_mb=4) as two:
        yield {"shogi": (one, shogi.Board), "othello": (two, othello.Board)}


@pytest.mark.parametrize("game", ["shogi", "othello"])
def test_play(engines, game):
    engine, new_board = engines[game]
    board = new_board()
    for _ in range(6):
        found = engine.play(board, Limit(depth=3))
        assert found.move in board.legal_moves and isinstance(found.move, type(next(iter(board.legal_moves))))
        assert found.info.depth == 3 and found.info.pv[0] == found.info["pv"][0] == found.move
        board.push(found.move)
        assert found.ponder is None or found.ponder in board.legal_moves
    only = next(iter(board.legal_moves))
    assert engine.play(board, Limit(depth=2), root_moves=[only]).move == only
    assert engine.play(board, Limit(time=0.05)).move in board.legal_moves


def test_play_and_analyse_are_one_search(engines):
    engine, new_board = engines["shogi"]
    board = new_board()
    board.push_usi("2g2f")
    engine.new_game()
    found = engine.play(board, Limit(nodes=3000))
    engine.new_game()
    again = engine.analyse(engine.board(moves=["2g2f"]), Limit(nodes=3000))
    assert (found.move, found.info.nodes, found.info.score) == (again.pv[0], again.nodes, again.score)


def test_moves_that_led_to_the_position_count_for_repetition(engines):
    engine, new_board = engines["shogi"]
    board, again = new_board(), ["4i4h", "4a4b", "4h4i", "4b4a"]
    for move in 3 * again:
        board.push_usi(move)
    (repeats,) = engine.analyse(board, Limit(depth=1), multipv=1, root_moves=[again[0]])
    assert repeats.score == Score(0) != engine.analyse(new_board(), Limit(depth=1), root_moves=[again[0]]).score
    board.push(shogi.Move.null())
    with pytest.raises(ValueError, match="move 13: illegal move '0000'"):
        engine.play(board, Limit(depth=1))


@pytest.mark.parametrize("game", ["shogi", "othello"])
def test_results_tell_of_the_whole_search(engines, game):
    """Also when the limit ends an iteration half-way: not of the last finished one."""
    engine, new_board = engines[game]
    for multipv in (1, 2):
        lines = engine.analyse(new_board(), Limit(nodes=3333), multipv=multipv)
        assert all(3333 <= line.nodes < 3400 for line in lines)
    assert 3333 <= engine.play(new_board(), Limit(nodes=3333)).info.nodes < 3400


@pytest.mark.parametrize("game", ["shogi", "othello"])
def test_analyse(engines, game):
    engine, new_board = engines[game]
    lines = engine.analyse(new_board(), Limit(depth=4), multipv=3)
    assert [line.multipv for line in lines] == [1, 2, 3] and len({line["pv"][0] for line in lines}) == 3
    assert sorted((line.score for line in lines), reverse=True) == [line.score for line in lines]
    info = engine.analyse(new_board(), Limit(depth=4))
    assert (info["depth"], info["score"], info["time"], info["nodes"]) == (4, info.score, info.time, info.nodes)
    assert isinstance(info["score"], Score) and info["nps"] == info.nps >= 0
    with pytest.raises(KeyError):
        info["lines"]
    assert pickle.loads(pickle.dumps(info)) == info


@pytest.mark.parametrize("game", ["shogi", "othello"])
def test_an_analysis_goes_on_until_it_is_stopped(engines, game):
    engine, new_board = engines[game]
    board = new_board()
    with engine.analysis(board, multipv=2) as reports:
        for info in reports:
            assert info.pv[0] in board.legal_moves
            if info.depth >= 3 and len(reports.multipv) == 2:
                reports.stop()
        found = reports.wait()
    assert found.move in board.legal_moves and reports.info.depth >= 3
    assert list(reports) == []
    with engine.analysis(board) as reports:  # the end of the block ends the search
        with pytest.raises(RuntimeError, match="already searching"):
            engine.play(board, Limit(depth=1))
        with pytest.raises(RuntimeError, match="already searching"):
            engine.mate(board)
        with pytest.raises(RuntimeError, match="already searching"):
            engine.analysis(board)
    assert engine.play(board, Limit(depth=1)).move is not None


@pytest.mark.parametrize("wait", [list, lambda reports: reports.wait()])
def test_an_analysis_whose_wait_is_interrupted_ends(engines, monkeypatch, wait):
    """As by Ctrl-C at a prompt: no one may have the analysis any more, and the engine is free for the next call."""
    engine, new_board = engines["shogi"]

    def interrupted(*arguments):
        raise KeyboardInterrupt

    join = Search.join
    monkeypatch.setattr(analysis, "received", interrupted)
    waits = iter([interrupted])
    monkeypatch.setattr(Search, "join", lambda search: join(search) if wait is list else next(waits, join)(search))
    with pytest.raises(KeyboardInterrupt):
        wait(engine.analysis(new_board()))
    monkeypatch.undo()
    assert engine.play(new_board(), Limit(depth=1)).move is not None


def test_an_analysis_that_cannot_start_leaves_the_engine_free(engines, monkeypatch):
    def refuse(*arguments):
        raise RuntimeError("can't start new thread")

    engine, board = engines["othello"][0], othello.Board()
    with monkeypatch.context() as patch:
        patch.setattr("shogi_engine.common.threads.start_thread", refuse)
        with pytest.raises(RuntimeError, match="new thread"):
            engine.analysis(board, Limit(depth=1))
    assert engine.play(board, Limit(depth=1)).move in board.legal_moves


def test_an_analysis_with_a_limit_ends_by_itself(engines):
    engine, new_board = engines["shogi"]
    reports = engine.analysis(new_board(), Limit(depth=4))
    assert max(info.depth for info in reports) == 4 and reports.wait().move is not None
    reports.stop()  # too late, and no harm
    assert engine.play(new_board(), Limit(depth=2)).move is not None


@pytest.mark.parametrize("game", ["shogi", "othello"])
def test_a_ponderhit_gives_the_search_its_time(engines, game):
    engine, new_board = engines[game]
    with engine.analysis(new_board()) as pondering:
        next(iter(pondering))
        hit = time.monotonic()
        pondering.ponderhit(Limit(time=0.3))
        assert pondering.wait().move in new_board().legal_moves
    assert time.monotonic() - hit > 0.25
    with engine.analysis(new_board(), Limit(depth=1)) as other:
        pondering.stop()  # over: it stops no other search
        assert other.wait().info.depth == 1 and not other.stopped


def test_stops_and_ponderhits_at_any_time(engines):
    """Each search ends, with a legal move, and leaves the engine free for the next."""
    engine, new_board = engines["shogi"]
    board, rng = new_board(), random.Random(1)
    for _ in range(60):
        search = engine.analysis(board)
        calls = [lambda: search.ponderhit(Limit(time=0.02)), search.stop, lambda: search.ponderhit(Limit(time=0.01))]  # noqa: B023
        timers = [threading.Timer(rng.choice([0, rng.random() / 100]), call) for call in rng.sample(calls, 3)]
        for timer in timers:
            timer.start()
        with within(5):
            assert search.wait().move in board.legal_moves
        for timer in timers:
            timer.join()
    assert engine.play(board, Limit(depth=1)).info.depth == 1


def test_what_a_search_raises_comes_out_of_the_analysis(engines, monkeypatch):
    engine, new_board = engines["shogi"]
    monkeypatch.setattr(engine, "_load_kernels", lambda *, timed: 1 // 0)
    with engine.analysis(new_board()) as reports, pytest.raises(ZeroDivisionError):
        list(reports)
    monkeypatch.undo()
    assert engine.play(new_board(), Limit(depth=1)).move is not None


def test_mate_and_solve(engines):
    engine, new_board = engines["shogi"]
    found = engine.mate(new_board(MATE), shortest=True)
    assert found and [move.usi() for move in found.moves] == ["2c1b"] and not engine.mate(new_board(), Limit(nodes=100))
    engine, new_board = engines["othello"]
    board = new_board(ENDING)
    info = engine.solve(board)
    assert info.exact and info.score == Score.discs(18) and info.pv[0] in board.legal_moves
    for move in info.pv:
        board.push(move)
    assert board.outcome().score == 18
    with pytest.raises(ValueError, match="the game is over"):
        engine.solve(board)
    with pytest.raises(ValueError, match="no endgame solver"):
        engines["shogi"][0].solve(shogi.Board())
    with pytest.raises(ValueError, match="no mate solver"):
        engine.mate(new_board())


def test_games_that_are_over_and_wins_that_are_declared(engines):
    engine, new_board = engines["shogi"]
    mated = new_board("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1")
    over = engine.play(mated, Limit(depth=1))
    assert (over.move, over.info.score, over.multipv) == (None, Score.mated_in(0), ()) and engine.analyse(
        mated, Limit(depth=1), multipv=2
    ) == []
    with pytest.raises(ValueError, match="no legal move"):
        engine.analyse(mated, Limit(depth=1))
    declared = new_board("4K4/GGGSS4/SNNNNL3/9/9/9/9/9/k8 b R2B2P 1")
    assert declared.can_declare_win() and engine.play(declared, Limit(depth=1)) == PlayResult(declares=True)


def test_wrong_limits_and_boards(engines):
    engine, _ = engines["shogi"]
    with pytest.raises(ValueError, match="a limit is needed"):
        engine.play(shogi.Board(), Limit())
    with pytest.raises(ValueError, match="a limit is needed"):
        engine.analyse(shogi.Board(), Limit(white_clock=3))  # black is to move
    with pytest.raises(ValueError, match="this Board is for othello, but the engine plays shogi"):
        engine.play(othello.Board(), Limit(depth=1))
    with pytest.raises(ValueError, match="is not legal|illegal"):
        engine.play(shogi.Board(), Limit(depth=1), root_moves=[shogi.Move.from_usi("7g7e")])
    for wanted in ({"root_moves": ["7g7e"]}, {"limit": Limit(level=99)}, {"multipv": 0}):
        with pytest.raises(ValueError, match="illegal|legal|level|multipv"):  # at once, not in the thread
            engine.analysis(shogi.Board(), **wanted)
    passed = shogi.Board()
    passed.push(shogi.Move.null())
    with pytest.raises(ValueError, match="null move"):
        engine.analysis(passed)
    for wrong in ({"depth": 0}, {"time": -1}, {"nodes": 0}, {"black_inc": -0.1}):
        with pytest.raises(ValueError, match="must be at least"):
            Limit(**wrong)
    assert engine.play(shogi.Board(), Limit(depth=1)).move is not None  # nothing is left claimed


def test_clocks():
    limit = Limit(black_clock=60, white_clock=3, white_inc=1, byoyomi=2)
    black, white = (budget_of(limit, side, 0) for side in (0, 1))
    assert black.soft_ms < black.hard_ms <= 62_000 and white.hard_ms <= 6000
    assert budget_of(limit, 0, 200) == plan(Clock(60_000, 2000), 200, TimeOptions()) != black
    assert budget_of(Limit(time=0.5), 0, 0).hard_ms == 500
    both = budget_of(Limit(time=0.5, black_clock=600), 0, 0)
    assert both.soft_ms <= both.hard_ms == 500
    assert budget_of(Limit(depth=4), 0, 0) is None


def test_time_is_kept(engines):
    engine, new_board = engines["shogi"]
    engine.play(new_board(), Limit(time=0.05))
    with within(2):
        engine.play(new_board(), Limit(time=0.3))


LAZY = """
import json, sys
import shogi_engine
from shogi_engine import Limit, Score
before = [name for name in ("numba", "numpy") if name in sys.modules]
from shogi_engine import othello, shogi
board = shogi.Board()
print(json.dumps([before, len(board.legal_moves), len(othello.Board().legal_moves), shogi_engine.__all__]))
"""


def test_importing_the_package_loads_no_numba():
    folder = cache_folder()
    assert run(LAZY, environment(folder and folder.parent, ROOT)) == [
        [],
        30,
        4,
        ["Engine", "Limit", "Score", "__version__", "othello", "shogi"],
    ]
