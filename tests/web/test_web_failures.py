"""Whatever fails is told, ends only what it concerns, and can be tried again: an exception at each boundary."""

import asyncio
import functools
import threading
from types import SimpleNamespace

import pytest

from shogi_engine.web.conversation import DELTAS_MAX, SendQueue
from shogi_engine.web.hub import Hub
from shogi_engine.web.pool import EnginePool, PoolClient, PoolSearch, Priority
from shogi_engine.web.saving import SavedGame
from shogi_engine.web.session import Session
from shogi_engine.web.store import GameStore
from tests.web.fake_engine import FakeEngine, FakeExaminer, fake_hub, wait_for
from tests.web.page import Page

MATE_IN_ONE = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1"


class Fault(Exception):  # noqa: N818  (it is one)
    """What is injected."""


class FailingEngine(FakeEngine):
    """Fails in each of these calls once. faults : their names"""

    faults: list[str] = []

    def play(self, *arguments, **named):
        self._may_fail("play")
        return super().play(*arguments, **named)

    def analyse(self, *arguments, **named):
        self._may_fail("analyse")
        return super().analyse(*arguments, **named)

    def mate(self, *arguments, **named):
        self._may_fail("mate")
        return super().mate(*arguments, **named)

    def may_declare(self, board):
        self._may_fail("may_declare")
        return super().may_declare(board)

    def _may_fail(self, name):
        if name in self.faults:
            self.faults.remove(name)
            raise Fault(name)


class FailingExaminer(FakeExaminer):
    """Fails when it is asked to."""

    fails = False

    def examine(self, record, ply):
        if self.fails:
            raise Fault
        return super().examine(record, ply)


@pytest.fixture
def page():
    FailingEngine.faults, FailingExaminer.fails = [], False
    pool = EnginePool(2, FailingEngine)
    yield Page(Session(pool, FailingExaminer))
    pool.close()


@pytest.mark.parametrize("call", ["play", "may_declare"])
def test_an_engine_that_fails_at_its_move_is_asked_again(page, call):
    FailingEngine.faults = [call]
    page.do("new", game="shogi", players=[None, 3]).do("move", move="7g7f")
    failed = wait_for(lambda: page.last("failed"))
    assert failed["what"] == "move" and "try again" in failed["text"]
    wait_for(lambda: not page.state["playing"]["thinking"])
    assert page.state["playing"]["on"] and page.state["ply"] == 1
    page.do("think")
    wait_for(lambda: page.state["ply"] == 2)


def test_a_reload_asks_again_too(page):
    FailingEngine.faults = ["play"]
    page.do("new", game="shogi", players=[None, 3]).do("move", move="7g7f")
    wait_for(lambda: page.last("failed"))
    again = Page(page.session)
    wait_for(lambda: again.state["ply"] == 2)


def test_a_mate_search_that_fails_is_asked_again(page):
    FailingEngine.faults = ["mate"]
    page.do("paste", text=MATE_IN_ONE).do("mate")
    assert wait_for(lambda: page.last("failed"))["what"] == "mate"
    wait_for(lambda: not page.state["mating"])
    page.do("mate")
    assert wait_for(lambda: page.last("mate"))["result"] == "mate"


def test_live_analysis_that_fails_is_off_and_can_be_turned_on(page):
    FailingEngine.faults = ["analyse"]
    page.do("analyse", on=True)
    assert wait_for(lambda: page.last("failed"))["what"] == "analysis"
    wait_for(lambda: not page.state["analysis"]["on"])
    page.do("analyse", on=True)
    assert wait_for(lambda: page.last("info"))


def test_judging_that_fails_ends_and_is_asked_again(page):
    FailingExaminer.fails = True
    page.do("paste", text="startpos moves 7g7f 3c3d").do("judge", on=True)
    assert wait_for(lambda: page.last("failed"))["what"] == "judging"
    wait_for(lambda: page.state["judging"] is None)
    FailingExaminer.fails = False
    page.do("judge", on=True)
    wait_for(lambda: page.state["summary"])


def test_a_problem_whose_search_fails_can_still_be_tried(page):
    FailingEngine.faults = ["mate"]
    page.do("tsume", on=True, problem=1)
    assert wait_for(lambda: page.last("failed"))["what"] == "tsume"
    wait_for(lambda: page.state["tsume"]["status"] == "unknown")
    FailingEngine.faults = ["mate"]
    page.session.tsume.exercise.status = "yours"
    page.do("hint")
    wait_for(lambda: not page.session.tsume.search.on and not FailingEngine.faults)
    page.do("hint")
    assert wait_for(lambda: page.last("hint"))


def test_a_job_whose_failure_cannot_be_reported_ends_no_thread():
    pool = EnginePool(1, FakeEngine)
    done = threading.Event()

    def fail(*_):
        raise Fault

    pool.submit(PoolSearch("shogi", fail, fail, PoolClient(), Priority.GAME))
    pool.submit(PoolSearch("shogi", lambda *_: done.set(), fail, PoolClient(), Priority.GAME))
    assert done.wait(10)
    pool.close()


# ---- saving


class FailingStore(GameStore):
    """A store that fails while `fault` is one; when : which call"""

    fault, when = None, "write"

    def write(self, *arguments):
        if self.fault and self.when == "write":
            raise self.fault
        return super().write(*arguments)

    def write_record(self, *arguments):
        if self.fault and self.when == "write_record":
            raise self.fault
        super().write_record(*arguments)


@pytest.fixture
def hub(tmp_path):
    hub = Hub(
        EnginePool(1, FakeEngine),
        make=functools.partial(Session, examiner=FakeExaminer),
        store=FailingStore(tmp_path / "games"),
    )
    yield hub
    hub.store.fault = None
    hub.close()


def later(hub):
    """Return a time at which everything is due."""
    return max((session.autosave._due for session in hub.sessions.values()), default=0) + 100


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), Fault("within")])
@pytest.mark.parametrize("when", ["write", "write_record"])
def test_a_failed_write_is_shown_and_retried_and_nothing_is_written_twice(hub, fault, when):
    page = Page.of(hub)
    hub.store.fault, hub.store.when = fault, when
    page.do("move", move="7g7f")
    hub.save(later(hub))
    hub.save(later(hub))
    assert "cannot be saved" in page.state["unsaved"] and "1 games" in hub.fault()
    assert sum(message["kind"] == "error" for message in page.sent) == 1  # once, not at each attempt
    page.do("comment", text="meanwhile")
    hub.store.fault = None
    hub.save(later(hub))
    hub.save(later(hub))
    assert page.state["unsaved"] == "" and hub.fault() == "" and not page.session.autosave.unsaved
    (game,) = page.games()
    nodes = SavedGame.parse(hub.store.content(game["id"])).game["nodes"]
    assert nodes[1]["comment"] == "meanwhile"
    assert len(list(hub.store.folder.glob("*.kifu"))) == 1


def test_what_cannot_be_dumped_stays_changed(hub, monkeypatch):
    page = Page.of(hub)

    def fail(record):
        raise Fault

    monkeypatch.setattr("shogi_engine.web.session.values_of", fail)
    page.do("move", move="7g7f")
    hub.save(later(hub))
    assert page.session.autosave.unsaved
    monkeypatch.undo()
    hub.save(later(hub))
    assert not page.session.autosave.unsaved and len(page.games()) == 1


def test_a_game_that_was_left_unsaved_is_saved_later(hub):
    page = Page.of(hub)
    page.do("move", move="7g7f")
    hub.store.fault = OSError(28, "No space left on device")
    page.do("game", game="othello").do("move", move="f5")
    page.session.detach(page.viewer)
    hub.save(now=page.session.seen + 10_000)
    assert hub.sessions  # a session with unsaved games is not freed
    hub.store.fault = None
    hub.save(later(hub))
    hub.save(later(hub))
    assert sorted(game["game"] for game in hub.store.games("")) == ["othello", "shogi"]
    hub.save(now=page.session.seen + 100_000)
    assert not hub.sessions


@pytest.mark.parametrize(("patience", "waited"), [(None, -1), (0.5, 0.5)])
def test_another_write_is_waited_for_without_an_end_but_not_with_the_lock(hub, monkeypatch, patience, waited):
    autosave, waits, tries = Page.of(hub).session.autosave, [], iter([False, True])

    def acquire(blocking=True, timeout=None):
        return waits.append(timeout) is None if blocking else next(tries)

    with monkeypatch.context() as patch:
        patch.setattr(autosave, "_writing", SimpleNamespace(acquire=acquire, release=lambda: None))
        autosave._begin(False, patience)
    assert waits == [waited]


@pytest.mark.parametrize("work", ["tick", "save", "close"])
def test_one_session_that_fails_stops_no_round(hub, monkeypatch, work):
    pages = [Page.of(hub) for _ in range(3)]
    for page in pages:
        page.do("new", game="shogi", players=[None, None], clock="10s").do("move", move="7g7f")

    def fail(*_, **__):
        raise Fault

    bad = pages[0].session
    monkeypatch.setattr(bad, "tick", fail)
    monkeypatch.setattr(bad, "close", fail)
    monkeypatch.setattr(bad.autosave, "tick", fail)
    for page in pages[1:]:
        page.session.playing.clock._began -= 100
    if work == "tick":
        hub.tick()
        assert all(page.state["playing"]["over"] for page in pages[1:])
    elif work == "save":
        hub.save(later(hub))
        assert not any(page.session.autosave.unsaved for page in pages[1:])
    else:
        hub.close()
        assert not any(page.session.autosave.unsaved for page in pages[1:])


def test_a_problem_whose_root_is_deleted_ends_and_the_game_is_saved(tmp_path):
    hub = fake_hub(tmp_path)
    page = Page.of(hub)
    page.do("paste", text="4k4/9/4P4/9/9/9/9/9/4K4 b 2G 1").do("move", move="G*9i").do("move", move="5a4a")
    page.do("tsume", on=True).do("delete")
    assert page.state["tsume"] is None
    hub.save(later(hub))
    (game,) = page.games()
    assert SavedGame.parse(hub.store.content(game["id"])).record().moves == ["G*9i"]
    hub.close()


# ---- sending


def test_a_page_that_misses_a_change_asks_for_the_whole(page):
    sent = []
    page.viewer.send = sent.append  # lost
    page.do("move", move="7g7f")
    page.viewer.send = page.receive
    with pytest.raises(ValueError, match="missed"):
        page.do("move", move="3c3d")
    page.do("resync")
    assert page.texts == ["P-7f", "P-3d"]
    page.do("move", move="2g2f")
    assert page.texts[-1] == "P-2f"


def test_a_slow_browser_misses_changes_but_is_sent_the_last(page):
    async def taken():
        queue = SendQueue(asyncio.get_running_loop())
        page.viewer.send = queue.put
        for _ in range(DELTAS_MAX):
            page.do("step", to="first").do("step", to="last")
        return await queue.take()

    replies = asyncio.run(taken())
    assert len(replies) <= DELTAS_MAX and replies[-1].seq == page.session._seq


def test_a_state_is_made_once_for_all_pages_of_a_look(page, monkeypatch):
    pages = [page, *(Page(page.session, language=language) for language in ("en", "en", "ja", "ja"))]
    made = []
    state = page.session._state
    monkeypatch.setattr(page.session, "_state", lambda *given: made.append(given) or state(*given))
    for move in ("7g7f", "3c3d", "2g2f"):
        page.do("move", move=move)
    assert len(made) == 3 * 2
    assert [each.texts[0] for each in pages] == ["P-7f", "P-7f", "P-7f", "▲７六歩", "▲７六歩"]
    assert all(each.deltas >= 2 for each in pages)
