"""Who plays on a server: the thread in which a player thinks, our engine's times, a USI engine as a process."""

import queue
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from shogi_engine.clients.base import EngineError
from shogi_engine.clients.usi import SimpleEngine, go_words
from shogi_engine.csa.game import PlayerThread, ServerClock
from shogi_engine.csa.protocol import ServerTime
from shogi_engine.games.shogi.board import Move
from shogi_engine.games.shogi.names import CSA_27, NO_ENTERING_KING
from shogi_engine.play.game import Game, Terms
from shogi_engine.play.players import EnginePlayer, UsiPlayer
from shogi_engine.search.timeman import TimeOptions, plan
from shogi_engine.types.limits import Clock, Limit, TimeBudget
from shogi_engine.types.results import Score
from tests.csa.scripted import ScriptedPlayer
from tests.support.answers import answered

LONGEST = 10.0
STUB = Path(__file__).with_name("usi_echo.py")


class Watch:
    """A watch that a test sets."""

    now = 100.0

    def __call__(self):
        return self.now


def a_clock(left=(60_000, 50_000), total=60_000, byoyomi=0, increment=0, delay=20, overhead=0, **more):
    """Return a ServerClock; the times left come without the increment."""
    times = ServerTime(Clock(total, byoyomi, increment), **more)
    clock = ServerClock((times, times), delay)
    clock._now = Watch()
    clock.restore([*((ms + increment) / 1000 for ms in left), 0.0])
    clock.overhead = overhead
    return clock


ONE_MOVE = "k7R/9/2G6/9/9/9/9/9/8K w - 1"


def a_game(*moves, start="", rule="CSARule27", clock=None, **times):
    """Return a game on a server; its clock runs."""
    game = Game.begin("shogi", start, moves, clock=clock or a_clock(**times), terms=Terms(256), judged=False, rule=rule)
    game.start()
    return game


def asked(player, game):
    """Return what a player answers in a game."""
    answers = queue.Queue()
    thread = player if isinstance(player, PlayerThread) else PlayerThread(player)
    thread.think(game, answers.put)
    search = answers.get(timeout=LONGEST)
    return search.fault or search.result()


# ---- the thread


def test_what_is_halted_is_not_delivered():
    thread, answers = PlayerThread(ScriptedPlayer("7g7f", "2g2f")), queue.Queue()
    thread._working.acquire()
    thread.think(a_game(), lambda answer: answers.put("halted"))
    thread.think(a_game(), answers.put)
    thread._working.release()
    assert answers.get(timeout=LONGEST).result().move == "7g7f" and answers.empty()
    thread.close()


def test_a_failure_is_an_answer():
    thread = PlayerThread(ScriptedPlayer(KeyError("what"), "7g7f"))
    assert repr(asked(thread, a_game())) == "KeyError('what')"
    assert asked(thread, a_game()).move == "7g7f"
    thread.close()


# ---- our engine


def found(score="cp 25", move="7g7f"):
    """Return what a search found."""
    return answered(move, 0.5, "3c3d", Score.parse(score), 4, 1000, ("7g7f", "3c3d"))


class FakeEngine:
    """What EnginePlayer needs of an Engine; keeps what it was told."""

    def __init__(self, answer=None, declares=False):
        self.answer, self.declares = answer or found(), declares
        self.limits, self.rules = [], {}

    def check_level(self, level):
        if level > 19:
            raise ValueError("levels are 0 to 19")

    def may_declare(self, board):
        return self.declares and self.rules.get("entering_king_rule") != NO_ENTERING_KING

    def new_game(self):
        pass

    def configure(self, **values):
        self.rules = values

    def play(self, board, limit, *, search):
        self.limits.append(limit)
        return self.answer

    def clock_budget(self, clock, board, options, max_ply):
        self.asked = options.ponder, max_ply
        return plan(clock, board.game_ply(), options, max_ply)

    def close(self):
        pass


def playing(engine, **settings):
    """Return an EnginePlayer that plays by `engine`."""
    player = EnginePlayer("shogi", **settings)
    player._engine = engine
    return player


def test_a_move_stays_within_the_clock():
    engine = FakeEngine()
    player = playing(engine)
    player.new_game(a_game(), 0, "")
    assert engine.rules == {"entering_king_rule": CSA_27, "max_moves": 256}
    for left, byoyomi, increment in (((60_000, 0), 0, 0), ((0, 0), 10_000, 0), ((0, 0), 0, 5000)):
        answer = player.think(a_game(left=left, total=1, byoyomi=byoyomi, increment=increment, delay=200))
        assert (answer.move, answer.ponder, answer.info.score) == ("7g7f", "3c3d", Score(25))
        assert (answer.info.depth, answer.info.nodes, answer.info.pv) == (4, 1000, ("7g7f", "3c3d"))
        budget = engine.limits[-1].budget
        available = left[0] + byoyomi + increment
        assert 0 < budget.soft_ms <= budget.hard_ms <= available - 200
        assert budget.second_ms <= 800  # the server counts full seconds


def test_what_has_passed_of_a_move_is_gone_and_milliseconds_have_no_full_seconds():
    engine = FakeEngine()
    for passed in (0, 60):
        game = a_game(left=(0, 0), byoyomi=100_000, unit=1)
        game.clock._now.now += passed
        playing(engine).think(game)
    before, after = (limit.budget.hard_ms for limit in engine.limits)
    assert before - after == pytest.approx(60_000, abs=1) and engine.limits[0].budget.second_ms is None


@pytest.mark.parametrize(
    ("times", "delay", "longest", "thinking"),
    [
        ({"least": 1000, "delay": 100}, 100, 600, 900),
        ({"least": 50, "delay": 100}, 100, 600, 0),
        ({"overhead": 60, "delay": 100}, 100, 600, 0),  # the delay covers it
        ({"overhead": 300}, 300, 1500, 0),  # a move that uses all the time may be as late several times over
    ],
)
def test_what_a_move_loses_and_the_least_that_it_costs(times, delay, longest, thinking):
    found = []
    a_clock(**times).budget(0, lambda _, options: found.append(options) or TimeBudget(1, 2))
    assert found == [TimeOptions(delay, longest, thinking)]


def test_rounding_up_takes_a_unit_of_the_time():
    def shared(**times):
        found = []
        a_clock(roundup=True, **times).budget(0, lambda clock, _: found.append(clock) or TimeBudget(1, 2))
        return found[0]

    assert shared(left=(5000, 0)).time == 4000
    assert shared(left=(0, 0), byoyomi=10_000).byoyomi == 9000


def test_a_game_without_a_clock_is_played_in_seconds():
    engine = FakeEngine()
    playing(engine).think(a_game(total=0))
    assert 4000 < engine.limits[0].budget.hard_ms < 5000


@pytest.mark.parametrize("ponders", [True, False])
def test_the_clock_is_divided_until_the_move_limit_and_for_who_ponders(ponders):
    engine = FakeEngine()
    playing(engine, ponders=ponders).think(a_game())
    assert engine.asked == (ponders, 256)


def test_a_forced_move_takes_no_byoyomi():
    engines = [FakeEngine(), FakeEngine()]
    for engine, start in zip(engines, ("", ONE_MOVE), strict=True):
        playing(engine).think(a_game(start=start, left=(0, 0), byoyomi=10_000))
    usual, forced = (engine.limits[0].budget.soft_ms for engine in engines)
    assert forced < usual / 2


@pytest.mark.parametrize(("reply", "hits"), [("3c3d", True), ("8c8d", False)])
def test_the_engine_ponders(reply, hits):
    player = EnginePlayer("shogi", Limit(nodes=20_000), hash_mb=1, ponders=True)
    game = a_game("7g7f", unit=1)
    player.new_game(game, 0, "")
    assert player.ponders_on(game) is None
    player.ponder(game, Move.from_usi("3c3d"))
    assert player.ponders_on(game) is False
    game.move(reply, seconds=1.0)
    game.start()
    assert player.ponders_on(game) is hits
    answer = player.think(game)
    assert game.is_legal(answer.move) and answer.info.nodes > 0 and player.ponders_on(game) is None
    player.ponder(game, answer.move)
    player.game_over("win")
    assert player.ponders_on(game) is None
    player.close()


def test_pondering_has_no_limit_until_the_move_comes():
    player = EnginePlayer("shogi", hash_mb=1, ponders=True)
    game = a_game("7g7f", left=(0, 0), byoyomi=300, unit=1)
    player.new_game(game, 0, "")
    player.ponder(game, Move.from_usi("3c3d"))
    running = player._pondered[1]
    time.sleep(0.5)
    assert not running.ended
    game.move("3c3d", seconds=0.5)
    game.start()
    answer = player.think(game)
    assert 0.05 < answer.time < 5 and running.ended
    player.close()


def test_a_search_is_stopped_by_another_thread():
    thread, answers = PlayerThread(EnginePlayer("shogi", hash_mb=1)), queue.Queue()
    thread.player.ready()  # compiled: the end of a search is waited for, not that
    thread.begin(a_game(), 0)
    for pondering in (False, True):
        game = a_game("7g7f", total=10**8)
        if pondering:
            thread.player._ponders = True
            thread.ponder(game, Move.from_usi("3c3d"))
            game.move("3c3d", seconds=1.0)
            game.start()
        thread.think(game, answers.put)
        time.sleep(0.05)
        began = time.monotonic()
        thread.over("lose")  # waits for the end of the search
        assert time.monotonic() - began < 5 and answers.empty()
    thread.close()


@pytest.mark.parametrize(
    ("engine", "resign", "expected"),
    [
        (FakeEngine(found("cp 0", "")), 0, "resign"),
        (FakeEngine(declares=True), 0, "win"),
        (FakeEngine(found("cp -900")), 800, "resign"),
        (FakeEngine(found("cp -900")), 1000, "7g7f"),
        (FakeEngine(found("cp -900")), 0, "7g7f"),
    ],
)
def test_giving_up_and_declaring(engine, resign, expected):
    answer = playing(engine, resign=resign).think(a_game())
    assert ("resign" if answer.resigned else "win" if answer.declares else answer.move) == expected


def test_without_the_rule_nothing_is_declared():
    engine = FakeEngine(declares=True)
    player = playing(engine)
    player.new_game(a_game(rule="NoEnteringKing"), 0, "")
    assert engine.rules["entering_king_rule"] == NO_ENTERING_KING
    assert player.think(a_game()).move == "7g7f"


def test_levels():
    engine = FakeEngine()
    playing(engine, limit=Limit(level=3, nodes=50)).think(a_game())
    assert (engine.limits[0].level, engine.limits[0].nodes) == (3, 50) and engine.limits[0].budget
    with pytest.raises(ValueError, match="level"):
        EnginePlayer("shogi", Limit(level=99), hash_mb=1).ready()


@pytest.mark.parametrize(("level", "searches"), [(3, 1), (4, 0), (None, 0)])
def test_a_beginner_plays_no_book(level, searches):
    engine = FakeEngine()
    engine.book = SimpleNamespace(play=lambda board: answered("2g2f"))
    playing(engine, limit=Limit(level=level), book=True).think(a_game())
    assert len(engine.limits) == searches


# ---- a USI engine


@pytest.fixture
def usi():
    engine = SimpleEngine.described(f"{sys.executable} -S {STUB}", defaults={"USI_Hash": 16, "Nowhere": 1})
    thread = PlayerThread(UsiPlayer(engine, ponders=True))
    yield thread
    thread.close()


def test_a_usi_engine_plays(usi):
    usi.player.ready()
    sent = []
    usi.player.engine.client.process._log = lambda way, line: sent.append(line) if way == ">" else None
    usi.begin(a_game(rule="NoEnteringKing"), 1)
    assert sent[:2] == [
        "setoption name MaxMovesToDraw value 256",
        "setoption name EnteringKingRule value NoEnteringKing",
    ]
    assert usi.player.engine.name == "echo"
    said = asked(usi, a_game("2g2f", "8c8d", increment=10_000))
    assert (said.move, said.ponder, said.info.score, said.info.pv) == ("7g7f", "3c3d", Score(42), ("7g7f", "3c3d"))
    usi.over("win")


def test_the_words_of_go():
    def words(**times):
        return go_words(a_clock(delay=100, **times).limited(Limit(), 0))

    assert words(byoyomi=10_000) == "btime 60000 wtime 50000 byoyomi 9900"
    assert words(byoyomi=10_000, increment=5000) == "btime 65000 wtime 50000 byoyomi 9900"  # USI has not both
    assert words(increment=5000) == "btime 59900 wtime 50000 binc 5000 winc 5000"
    assert words(left=(40, 50_000), increment=5000) == "btime 0 wtime 50000 binc 4940 winc 5000"
    assert words(left=(0, 0), total=0) == "btime 0 wtime 0 byoyomi 4900"
    # A busy machine's overhead costs the clock once, and each move its increment.
    assert words(left=(4000, 4000), increment=150, overhead=120) == "btime 3880 wtime 4000 binc 30 winc 150"
    assert words(left=(4000, 4000), increment=150, overhead=400) == "btime 3600 wtime 4000 binc 0 winc 150"
    assert words(left=(100, 4000), increment=150, overhead=200) == "btime 0 wtime 4000 binc 0 winc 150"
    late = a_clock(delay=100, byoyomi=10_000)
    late.start(0)
    late._now.now += 2
    assert go_words(late.limited(Limit(nodes=5), 0)) == "btime 60000 wtime 50000 byoyomi 7900 nodes 5"


@pytest.mark.parametrize("reply", ["3c3d", "8c8d"])
def test_pondering_of_a_usi_engine(usi, reply):
    usi.player.ready()
    game = a_game("2g2f", increment=1000)
    usi.ponder(game, Move.from_usi("3c3d"))
    game.move(reply, seconds=1.0)
    assert usi.player.ponders_on(game) is (reply == "3c3d")
    assert asked(usi, game).move == "7g7f"
    usi.ponder(game, Move.from_usi("7g7f"))
    usi.halt()
    assert asked(usi, a_game()).move == "7g7f" and usi.player.ponders_on(game) is None


def test_a_usi_engine_that_crashed_is_started_again(usi):
    usi.player.ready()
    crashing = a_game("2g2f", "8c8d", "2f2e", "8d8e")  # see usi_echo.py
    assert asked(usi, crashing).kind == "crash"
    usi.restart()
    usi.begin(a_game(), 0)
    assert asked(usi, a_game()).move == "7g7f"


def test_a_search_of_a_usi_engine_is_stopped_when_the_game_is_over(usi):
    usi.player.ready()
    answers = queue.Queue()
    usi.think(a_game("2g2f", "3c3d"), answers.put)  # see usi_echo.py
    time.sleep(0.05)
    began = time.monotonic()
    usi.over("lose")
    assert time.monotonic() - began < 5 and answers.empty()


def test_an_engine_that_is_not_there():
    player = UsiPlayer(SimpleEngine("/nowhere/engine"))
    with pytest.raises(EngineError, match="nowhere"):
        player.ready()
    player.close()
