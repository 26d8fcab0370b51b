"""What the browser's server promises: all that a page showed is on disk, clocks keep what was used, late answers do no
harm. Disks fail and are slow, engines answer when they are let, servers are killed."""

import functools
import random
import threading
import time

import pytest

from shogi_engine import records
from shogi_engine.web import saving
from shogi_engine.web.access import HEADERS, Bucket, Guard
from shogi_engine.web.hub import Hub
from shogi_engine.web.pool import EnginePool
from shogi_engine.web.saving import SavedGame
from shogi_engine.web.session import Session
from shogi_engine.web.store import GameStore
from shogi_engine.web.tree import Tree
from tests.web.fake_engine import FakeEngine, FakeExaminer, fake_hub, wait_for
from tests.web.page import Page


class SlowStore(GameStore):
    """A store whose writes take `seconds`, wait while `gate` is closed, and fail while `fault` is an exception."""

    fault, seconds = None, 0.0

    def __init__(self, folder):
        super().__init__(folder)
        self.gate, self.waiting = threading.Event(), threading.Event()
        self.gate.set()

    def _delay(self):
        time.sleep(self.seconds)
        if self.fault is not None:
            raise self.fault
        if not self.gate.is_set():
            self.waiting.set()
            assert self.gate.wait(60)

    def write(self, *arguments):
        self._delay()
        return super().write(*arguments)

    def write_record(self, *arguments):
        self._delay()
        super().write_record(*arguments)


class PatientEngine(FakeEngine):
    """Answers a search only when `gate` is open, or it is stopped."""

    gate = threading.Event()

    def play(self, *arguments, **named):
        while not self.gate.is_set() and not self._stopped.wait(0.005):
            pass
        return super().play(*arguments, **named)


@pytest.fixture
def start(tmp_path):
    """Return a function that starts a server on one folder; the one before is killed."""
    hubs = []

    def start():
        for hub in hubs:
            hub.store.close()
        make = functools.partial(Session, examiner=FakeExaminer)
        hubs.append(Hub(EnginePool(1, PatientEngine), make=make, store=SlowStore(tmp_path / "games")))
        return hubs[-1]

    PatientEngine.gate = threading.Event()
    yield start
    PatientEngine.gate.set()
    for hub in hubs:
        hub.pool.close()


@pytest.fixture
def page(start):
    return Page.of(start())


FULL = OSError(28, "No space left on device")


def later(hub):
    """Do what the server does when everything is due."""
    for _ in range(2):
        hub.save(max((each.autosave._due for each in hub.sessions.values()), default=0) + 100)


def kept(hub):
    """Return the games on disk: the name and the moves of each."""
    found = []
    for row in hub.store.games("me"):
        found.append((row["game"], tuple(SavedGame.parse(hub.store.content(row["id"])).record().moves)))
    return sorted(found)


# ---- saving


@pytest.mark.parametrize("seed", range(8))
def test_whatever_the_disk_does_in_between_every_game_is_kept_to_its_last_move(start, seed):
    rng, hub = random.Random(seed), start()
    page, name, moves, left = Page.of(hub), "shogi", [], []
    for _ in range(25):
        action = rng.choice(["move"] * 4 + ["leave", "full", "full", "free", "save", "back"])
        if action == "move":
            moves.append(rng.choice(sorted(map(str, page.session.tree.board.legal_moves))))
            page.do("move", move=moves[-1])
        elif action == "leave":
            left += [(name, tuple(moves))] if moves else []
            name, moves = rng.choice(["shogi", "othello"]), []
            page.do("game", game=name)
        elif action == "back" and moves:
            moves.pop()
            page.do("undo")
        elif action == "save":
            later(hub)
        hub.store.fault = {"full": FULL, "free": None}.get(action, hub.store.fault)
        if action == "back" and not moves:
            break  # an empty board that was saved once stays a game
    hub.store.fault = None
    later(hub)
    wanted = sorted([*left, *([(name, tuple(moves))] if moves else [])])
    assert [each for each in kept(hub) if each[1]] == wanted
    if moves:  # an empty board is no game
        again = Page.of(start(), page.state["session"])
        assert again.session.tree.moves() == moves and again.state["game"] == name
    assert not page.session.autosave.unsaved and page.state["unsaved"] == ""


def test_a_game_that_never_came_to_disk_is_written_after_it_was_left(start):
    hub = start()
    hub.store.fault = FULL
    page = Page.of(hub)
    page.do("move", move="7g7f").do("game", game="othello").do("move", move="f5")
    later(hub)
    assert kept(hub) == [] and page.session.autosave.unsaved
    hub.store.fault, failed = None, time.monotonic()
    hub.save(failed)
    assert kept(hub) == []  # a full disk is not tried all the time
    hub.save(failed + saving.RETRY_SECONDS)
    assert kept(hub) == [("othello", ("f5",)), ("shogi", ("7g7f",))]


@pytest.mark.parametrize("written", ["game", "record"])
def test_a_move_during_a_write_is_written_by_the_next(start, written):
    hub = start()
    page = Page.of(hub)
    page.do("move", move="7g7f")
    later(hub)
    page.session.autosave._took = 1.0  # a disk so slow that nothing is written at once
    page.do("move", move="3c3d")
    if written == "record":
        page.session.autosave.write()
    hub.store.gate.clear()
    writer = threading.Thread(target=page.session.autosave.write, kwargs={"whole": written == "record"})
    writer.start()
    assert hub.store.waiting.wait(60)
    page.do("move", move="2g2f")
    hub.store.gate.set()
    writer.join()
    assert page.session.autosave.unsaved
    later(hub)
    assert not page.session.autosave.unsaved and kept(hub) == [("shogi", ("7g7f", "3c3d", "2g2f"))]
    (record,) = hub.store.folder.glob("*.kifu")
    assert records.load(record)[0].moves == ["7g7f", "3c3d", "2g2f"]


def test_a_slow_disk_has_pauses(start):
    hub, seconds = start(), 0.1
    page, hub.store.seconds = Page.of(hub), seconds
    began = time.monotonic()
    page.do("move", move="7g7f")
    wait_for(lambda: not page.session.autosave.unsaved)
    pause = saving.SHARE * seconds
    hub.save(began + pause)  # that long after the write has ended, and not after it has begun
    page.do("move", move="3c3d")
    hub.save(began + pause)
    assert page.session.autosave.unsaved and kept(hub) == [("shogi", ("7g7f",))]
    later(hub)
    assert kept(hub) == [("shogi", ("7g7f", "3c3d"))]


def test_a_game_that_is_forgotten_during_its_first_write_is_nobodys(start):
    hub = start()
    page = Page.of(hub)
    autosave = page.session.autosave
    autosave._took = 1.0  # nothing is written at once
    page.do("move", move="7g7f")
    hub.store.gate.clear()
    writer = threading.Thread(target=autosave.write)
    writer.start()
    assert hub.store.waiting.wait(60)
    with page.session.lock:
        autosave.leave(hidden=True)
    hub.store.gate.set()
    writer.join()
    (row,) = hub.store.games("me")
    assert hub.store.holders.of(row["id"]) is None


def test_a_session_is_freed_only_when_all_is_written(start):
    hub = start()
    page = Page.of(hub)
    hub.store.fault = FULL
    page.do("move", move="7g7f")
    page.session.detach(page.viewer)
    hub.save(now=page.session.seen + 10_000)
    assert hub.sessions
    hub.store.fault = None
    later(hub)
    hub.save(now=page.session.seen + 100_000)
    assert not hub.sessions and kept(hub) == [("shogi", ("7g7f",))]


# ---- clocks


def test_leaving_a_page_gives_no_time_back(start):
    hub = start()
    page = Page.of(hub)
    page.do("new", game="othello", players=[None, None], clock="60s")
    page.session.playing.clock._began -= 20
    page.session.detach(page.viewer)
    page.session.playing.clock._began -= 1000  # no page is open
    page.viewer = page.session.attach(page.receive)
    assert 30 < page.state["playing"]["clock"]["seconds"][0] <= 40
    page.do("move", move="f5")
    page.session.playing.clock._began -= 10
    page.do("comment", text="?")
    later(hub)
    again = Page.of(start(), page.state["session"])
    black, white = again.state["playing"]["clock"]["seconds"]
    assert 30 < black <= 40 and 40 < white <= 50 and again.state["playing"]["clock"]["side"] == 1


# ---- answers that come late, or belong elsewhere


def against_the_engine(page, game="shogi", move="7g7f"):
    """Begin a game and make a move; the engine thinks."""
    page.do("new", game=game, players=[None, 3]).do("move", move=move)
    assert page.state["playing"]["thinking"]
    return page


def test_undo_while_the_engine_thinks_takes_back_the_own_move_alone(page):
    against_the_engine(page)
    PatientEngine.gate.set()
    wait_for(lambda: page.state["ply"] == 2)
    PatientEngine.gate.clear()
    page.do("move", move="2g2f").do("undo")
    assert page.state["ply"] == 2 and page.state["playing"]["on"] and not page.state["playing"]["thinking"]
    page.do("undo")  # now the own move and the reply to it
    assert page.state["ply"] == 0 and page.session.tree.record.moves == []
    PatientEngine.gate.set()
    wait_for(lambda: page.session.pool.load == (0, 0))
    assert page.state["ply"] == 0


@pytest.mark.parametrize(("players", "back"), [([None, None], 1), ([None, 3], 2)])
def test_undo_takes_back_to_the_humans_last_move(page, players, back):
    PatientEngine.gate.set()
    page.do("new", game="othello", players=players).do("move", move="f5")
    if players[1] is None:
        page.do("move", move="d6")
    wait_for(lambda: page.state["ply"] == 2)
    page.do("undo")
    assert page.state["ply"] == 2 - back and page.state["playing"]["on"]


def test_the_engine_thinks_about_the_game_wherever_the_board_is(page):
    page.do("new", game="shogi", players=[None, None]).do("move", move="7g7f").do("move", move="3c3d")
    page.do("step", to="first").do("think")
    assert page.state["ply"] == 2 and page.state["playing"]["thinking"]  # it goes to the game's last move
    PatientEngine.gate.set()
    wait_for(lambda: page.state["ply"] == 3)
    assert page.session.tree.record.moves[:2] == ["7g7f", "3c3d"] and page.session.tree.branch() == 3


def test_outside_a_game_the_engine_thinks_about_the_position_on_the_board(page):
    page.do("paste", text="startpos moves 7g7f 3c3d").do("step", to="first").do("think")
    PatientEngine.gate.set()
    wait_for(lambda: not page.state["playing"]["thinking"] and page.state["ply"] == 1)
    assert page.session.tree.record.moves == ["7g7f", "3c3d"] and len(page.session.tree.record.root.children) == 2


def test_an_answer_does_not_move_the_board_of_who_has_gone_on(page):
    page.do("paste", text="startpos moves 7g7f 3c3d").do("step", to="first").do("think").do("step", to="last")
    PatientEngine.gate.set()
    wait_for(lambda: not page.state["playing"]["thinking"])
    assert page.state["ply"] == 2 and len(page.session.tree.record.root.children) == 2


def test_an_answer_to_a_move_that_was_deleted_meanwhile_is_dropped(page):
    page.do("paste", text="startpos moves 7g7f 3c3d").do("step", to="last").do("think").do("delete")
    assert page.state["ply"] == 1
    PatientEngine.gate.set()
    wait_for(lambda: not page.state["playing"]["thinking"])
    assert page.state["ply"] == 1 and page.session.tree.record.moves == ["7g7f"]
    assert not page.last("failed") and not page.last("error")
    page.do("move", move="8c8d")
    assert page.state["ply"] == 2


# ---- trees


def test_an_ending_inside_a_line_that_is_promoted_goes():
    record = records.GameRecord.from_moves("shogi", ["7g7f", "3c3d"], ending="resignation")
    tree = Tree(record)
    first, last = tree.main()[1:]
    other = tree.add("8c8d", first)
    tree.promote(tree.add_line(["2g2f"], last)[0])
    assert record.moves == ["7g7f", "3c3d", "2g2f"] and not any(node.ending for node in record.main_line)
    assert record.outcome() is None and tree.outcome() is None
    tree[tree.main()[-1]].end(records.Outcome(0, records.Termination.RESIGNATION))
    tree.promote(other)
    assert record.moves == ["7g7f", "8c8d"] and record.outcome() is None
    ended = record.root.next.children[1].next
    assert ended.ending == "resignation"  # that of the line that is now a variation stays


# ---- guards


@pytest.mark.parametrize(("rate", "burst"), [(10.0, 3.0), (20.0, 100.0), (0.5, 1.0)])
def test_a_bucket_never_holds_more_than_its_burst(rate, burst):
    """However long the pause, `burst` messages come at once, and the others one by one."""
    bucket, rng = Bucket(rate, burst), random.Random(3)
    now, level = bucket._last, burst
    for pause in [0.0] * 5 + [3600.0] + [0.0] * int(burst + 5) + [rng.choice([0, 0, 0.1, 5, 1e5]) for _ in range(300)]:
        now += pause
        level = min(level + pause * rate, burst) - 1
        assert bucket.take(now) == pytest.approx(max(-level / rate, 0.0), abs=1e-6)


@pytest.mark.parametrize(
    ("host", "secure", "isolated"),
    [("127.0.0.1:8000", False, True), ("localhost", False, True), ("[::1]:80", False, True),
     ("engine.example", True, True), ("engine.example", False, False), ("192.168.1.5:8000", False, False),
     ("", False, False)],
)  # fmt: skip
def test_the_headers_of_every_response(host, secure, isolated):
    found = dict(Guard("0.0.0.0", "token").answer_headers({"host": host}, secure=secure))
    assert found.pop("Cross-Origin-Opener-Policy", None) == ("same-origin" if isolated else None)
    assert found == HEADERS
    policy = found["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert found["X-Frame-Options"] == "DENY" and found["X-Content-Type-Options"] == "nosniff"


# ---- lessons


def test_an_abandoned_lesson_is_no_game_and_keeps_no_session(tmp_path, monkeypatch):
    from shogi_engine.study.problems import Examined

    monkeypatch.setattr(Examined, "answers", lambda self, position, move: (move.best,))
    hub = fake_hub(tmp_path / "games")
    page = Page.of(hub)
    page.do("paste", text="startpos moves 7g7f 3c3d 2g2f 8c8d").do("judge", on=True)
    wait_for(lambda: page.state["judging"] is None and page.state["learn"] == "ready", 120)
    page.do("learn", side=0)
    wait_for(lambda: page.state["learn"] == "ready", 120)  # kernels may have to be compiled
    line = [move["text"] for move in page.state["line"]]
    page.do("lesson", on=True).do("move", move="1g1f")
    hub.save(time.monotonic() + 10)  # the game that was left, if the disk is slow
    assert not page.session.autosave.unsaved
    page.session.detach(page.viewer)
    hub.save(time.monotonic() + 10_000)
    assert not hub.sessions
    again = Page.of(hub, page.state["session"])
    assert [move["text"] for move in again.state["line"]] == line and again.state["tsume"] is None
    assert len(again.games()) == 1
    hub.close()
