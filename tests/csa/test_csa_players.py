"""Who plays: our engine's times, a USI engine as a process, and the thread both think in."""

import queue
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from shogi_engine.clients.usi.searches import go_words
from shogi_engine.csa.engine_player import CsaEnginePlayer, Strength
from shogi_engine.csa.players import Job, ServerTurn
from shogi_engine.csa.summary import ServerTime
from shogi_engine.csa.usi_player import CsaUsiPlayer
from shogi_engine.games.shogi.names import CSA_27, NO_ENTERING_KING
from shogi_engine.games.shogi.notation.sfen import START
from shogi_engine.play.answer import Answer
from shogi_engine.play.game import Game
from shogi_engine.play.terms import Terms
from shogi_engine.types.clock import Clock
from shogi_engine.types.score import Score
from tests.csa.scripted import ScriptedPlayer

LONGEST = 10.0
STUB = Path(__file__).with_name("usi_echo.py")


def turn(
    *moves, side=0, clocks=(60_000, 50_000), elapsed=0.0, total=60_000, byoyomi=0, increment=0, overhead=0, **more
):
    """Return a ServerTurn; the clocks come without the increment."""
    both = ServerTime(Clock(total, byoyomi, increment), **more)
    before = tuple(Clock(main + increment, byoyomi, increment) for main in clocks)
    return ServerTurn(START, moves, side, before, (both, both), time.monotonic() - elapsed, overhead)


def game(rule="CSARule27"):
    return Game.begin("shogi", terms=Terms(256), judged=False, rule=rule)


def asked(player, position):
    """Return what a player answers in a position."""
    answers = queue.Queue()
    player.think(position, answers.put)
    return answers.get(timeout=LONGEST)


# ---- the thread


def test_what_is_halted_is_not_delivered():
    player, answers = ScriptedPlayer("7g7f", "2g2f"), queue.Queue()
    player.ponder(turn(), answers.put)
    player.halt()
    player.think(turn(), answers.put)
    assert answers.get(timeout=LONGEST).move in ("7g7f", "2g2f")
    assert answers.empty()
    player.close()


def test_a_failure_is_an_answer():
    player = ScriptedPlayer(KeyError("what"), "7g7f")
    assert repr(asked(player, turn())) == "KeyError('what')"
    assert asked(player, turn()).move == "7g7f"
    player.close()


def test_nothing_can_be_hit_that_is_not_pondered_on():
    with pytest.raises(RuntimeError):
        ScriptedPlayer().hit(turn())


# ---- our engine


class Searched:
    """What a search found."""

    def __init__(self, score="cp 25"):
        self.bestmove, self.ponder, self.pv, self.depth, self.nodes = "7g7f", "3c3d", ["7g7f", "3c3d"], 4, 1000
        self.score, self.seconds = Score.parse(score), 0.5


class FakeEngine:
    """What CsaEnginePlayer needs of an Engine; keeps what it was told."""

    def __init__(self, found=None, moves=("7g7f", "2g2f"), declares=False):
        self.found, self.moves, self.declares = found or Searched(), list(moves), declares
        self.limits, self.rules, self.extended, self.stopped = [], {}, [], 0

    def check_level(self, level):
        if level > 19:
            raise ValueError("levels are 0 to 19")

    def set_position(self, start, moves):
        self.position = (start, moves)

    def legal_moves(self):
        return self.moves

    def may_declare(self):
        return self.declares and self.rules.get("entering_king_rule") != NO_ENTERING_KING

    def prepare(self):
        pass

    def new_game(self):
        pass

    def configure(self, **values):
        self.rules = values

    def search(self, **limits):
        self.limits.append(limits)
        return self.found

    def extend(self, budget):
        self.extended.append(budget)

    def stop(self):
        self.stopped += 1

    def close(self):
        pass


def test_a_move_stays_within_the_clock():
    engine = FakeEngine()
    player = CsaEnginePlayer(engine, delay_ms=200)
    player.begin(game())
    assert engine.rules == {"entering_king_rule": CSA_27, "max_moves": 256}
    for clocks, byoyomi, increment in (((60_000, 0), 0, 0), ((0, 0), 10_000, 0), ((0, 0), 0, 5000)):
        answer = asked(player, turn("7g7f", clocks=clocks, total=1, byoyomi=byoyomi, increment=increment))
        assert answer == Answer("7g7f", 0.5, "3c3d", Score(25), 4, 1000, ("7g7f", "3c3d"))
        budget = engine.limits[-1]["budget"]
        available = clocks[0] + byoyomi + increment
        assert 0 < budget.soft_ms <= budget.hard_ms <= available - 200
        assert budget.second_ms <= 800  # the server counts full seconds
    player.close()


def test_what_has_passed_of_a_move_is_gone_and_milliseconds_have_no_full_seconds():
    engine = FakeEngine()
    player = CsaEnginePlayer(engine)
    asked(player, turn(clocks=(0, 0), byoyomi=100_000, unit=1))
    asked(player, turn(clocks=(0, 0), byoyomi=100_000, unit=1, elapsed=60.0))
    before, after = (limits["budget"].hard_ms for limits in engine.limits)
    assert before - after == pytest.approx(60_000, abs=9000) and engine.limits[0]["budget"].second_ms is None
    player.close()


def test_what_moves_take_besides_thinking_is_kept_back():
    engine = FakeEngine()
    player = CsaEnginePlayer(engine, delay_ms=100)
    for overhead in (0, 60, 3000):
        asked(player, turn(clocks=(60_000, 60_000), increment=5000, unit=1, overhead=overhead))
    usual, small, large = (limits["budget"].hard_ms for limits in engine.limits)
    assert usual == pytest.approx(small, abs=3000) and large < usual / 2  # the delay covers the small one
    player.close()


def test_rounding_up_takes_a_unit_of_the_time():
    assert turn(clocks=(5000, 0), roundup=True).clock().time == 4000
    assert turn(clocks=(0, 0), byoyomi=10_000, roundup=True).clock().byoyomi == 9000


def test_pondering_has_no_limit_until_the_move_comes():
    engine = FakeEngine()
    player, answers = CsaEnginePlayer(engine, Strength(nodes=50)), queue.Queue()
    player.ponder(turn("7g7f"), answers.put)
    while not engine.limits:
        time.sleep(0.001)
    assert engine.limits == [{"nodes": 50}] and answers.empty()
    player.hit(turn("7g7f"))
    assert answers.get(timeout=LONGEST).move == "7g7f"
    player.close()


def test_a_running_search_is_given_its_time_when_the_move_comes():
    engine = FakeEngine()
    player = CsaEnginePlayer(engine)
    job = Job(turn(), print, pondering=True)
    player._job = job
    with job.searching(engine, lambda: None):
        player.hit(turn())
    assert engine.extended[0].hard_ms > 0 and not job.pondering
    player.close()


@pytest.mark.parametrize(
    ("engine", "strength", "expected"),
    [
        (FakeEngine(moves=()), Strength(), "resign"),
        (FakeEngine(declares=True), Strength(), "win"),
        (FakeEngine(Searched("cp -900")), Strength(resign=800), "resign"),
        (FakeEngine(Searched("cp -900")), Strength(resign=1000), "7g7f"),
        (FakeEngine(Searched("cp -900")), Strength(), "7g7f"),
    ],
)
def test_giving_up_and_declaring(engine, strength, expected):
    player = CsaEnginePlayer(engine, strength)
    assert asked(player, turn()).move == expected
    player.close()


def test_without_the_rule_nothing_is_declared():
    engine = FakeEngine(declares=True)
    player = CsaEnginePlayer(engine)
    player.begin(game("NoEnteringKing"))
    assert engine.rules["entering_king_rule"] == NO_ENTERING_KING
    assert asked(player, turn()).move == "7g7f"
    player.close()


def test_levels():
    engine = FakeEngine()
    player = CsaEnginePlayer(engine, Strength(level=3))
    asked(player, turn())
    assert engine.limits[0]["level"] == 3 and "budget" in engine.limits[0]
    player.close()
    with pytest.raises(ValueError):
        CsaEnginePlayer(FakeEngine(), Strength(level=20))


@pytest.mark.parametrize(("level", "searches"), [(3, 1), (4, 0), (None, 0)])
def test_a_beginner_plays_no_book(level, searches):
    engine = FakeEngine()
    engine.game = SimpleNamespace(extras=SimpleNamespace(score=Score))
    known = SimpleNamespace(move="2g2f", ponder="8c8d", value=9, depth=1)
    engine.book = SimpleNamespace(choice=lambda **_: known)
    player = CsaEnginePlayer(engine, Strength(level=level, book=True))
    asked(player, turn())
    assert len(engine.limits) == searches
    player.close()


# ---- a USI engine


@pytest.fixture
def usi():
    player = CsaUsiPlayer(f"{sys.executable} -S {STUB}", options={"USI_Hash": "16", "Nowhere": "1"}, delay_ms=100)
    yield player
    player.close()


def test_a_usi_engine_plays(usi):
    usi.load()
    usi.begin(game("NoEnteringKing"))
    assert usi.name == "echo"
    said = asked(usi, turn("7g7f", side=1, increment=10_000))
    assert (said.move, said.ponder, said.score, said.pv, said.depth) == ("7g7f", "3c3d", Score(42), ("7g7f", "3c3d"), 7)
    usi.over("win")


def test_the_words_of_go(usi, monkeypatch):
    def words(**values):
        position = turn(**values)
        monkeypatch.setattr("shogi_engine.csa.usi_player.monotonic", lambda: position.since)
        return go_words(usi._limit(position))

    assert words(clocks=(60_000, 50_000), byoyomi=10_000) == "btime 60000 wtime 50000 byoyomi 9900"
    assert words(clocks=(60_000, 50_000), increment=5000) == "btime 59900 wtime 50000 binc 5000 winc 5000"
    assert words(clocks=(40, 50_000), increment=5000) == "btime 0 wtime 50000 binc 4940 winc 5000"
    assert words(clocks=(0, 0), total=0) == "movetime 5000"
    # A busy machine's overhead costs the clock once, and each move its increment.
    assert words(clocks=(4000, 4000), increment=150, overhead=120) == "btime 3880 wtime 4000 binc 30 winc 150"
    assert words(clocks=(4000, 4000), increment=150, overhead=400) == "btime 3600 wtime 4000 binc 0 winc 150"
    assert words(clocks=(100, 4000), increment=150, overhead=200) == "btime 0 wtime 4000 binc 0 winc 150"


def test_pondering_of_a_usi_engine(usi):
    answers = queue.Queue()
    usi.load()
    usi.ponder(turn("7g7f", "3c3d"), answers.put)
    time.sleep(0.05)
    assert answers.empty()
    usi.hit(turn("7g7f", "3c3d"))
    assert answers.get(timeout=LONGEST).move == "7g7f"
    usi.ponder(turn("7g7f", "3c3d"), answers.put)
    usi.halt()
    assert asked(usi, turn()).move == "7g7f" and answers.empty()


def test_a_usi_engine_that_crashed_is_started_again(usi):
    usi.load()
    assert "crash" in str(asked(usi, turn("crash")))
    usi.restart()
    usi.begin(game())
    assert asked(usi, turn()).move == "7g7f"


def test_a_search_of_a_usi_engine_is_stopped_when_the_game_is_over(usi):
    usi.load()
    answers = queue.Queue()
    usi.think(turn("slow"), answers.put)
    time.sleep(0.05)
    began = time.monotonic()
    usi.over("lose")
    assert time.monotonic() - began < 5 and answers.empty()


def test_an_engine_that_is_not_there():
    player = CsaUsiPlayer("/nowhere/engine")
    with pytest.raises(ValueError, match="nowhere"):
        player.load()
    player.close()
