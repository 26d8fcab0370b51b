"""A search: whom its `stop` and `ponderhit` reach, and when; its result, or what it raised."""

import pytest

from shogi_engine.common.threads import Search
from shogi_engine.types.limits import TimeBudget


class Engine:
    """Writes down its calls."""

    def __init__(self):
        self.calls = []

    def prepare(self):
        self.calls.append("prepare")

    def stop(self):
        self.calls.append("stop")

    def extend(self, budget):
        self.calls.append(budget)


def test_a_stop_reaches_only_the_running_search():
    engine, handle, later = Engine(), Search(), Search()
    handle.stop()
    assert handle.stopped and engine.calls == []
    with later.searching(engine) as stopped:
        handle.stop()
        assert not stopped and engine.calls == ["prepare"]
        later.stop()
        assert engine.calls == ["prepare", "stop"]
    later.stop()
    assert engine.calls == ["prepare", "stop"]


def test_a_search_that_begins_after_a_stop_knows_of_it():
    engine, handle = Engine(), Search(pondering=True)
    handle.stop()
    assert handle.decided.is_set()
    with handle.searching(engine) as stopped:
        assert stopped


@pytest.mark.parametrize(("budget", "left"), [(TimeBudget(5000, 9000), 3000), (TimeBudget.exactly(5000), 5000)])
def test_pondering_counts_as_thinking_except_in_a_fixed_time(budget, left):
    engine, handle = Engine(), Search(pondering=True, requested=10.0)
    with handle.searching(engine):
        assert not handle.decided.is_set()
        handle.ponderhit(budget, now=12.0)
    assert engine.calls[1].soft_ms == left and engine.calls[1].hard_ms == budget.hard_ms
    assert (handle.pondering, handle.requested, handle.decided.is_set()) == (False, 12.0, True)


@pytest.mark.parametrize("planned", ["before", "after"])
def test_a_ponderhit_before_the_search_begins_changes_only_a_plan_made_before(planned):
    engine, handle = Engine(), Search(pondering=True)
    assert handle.ponders()
    handle.ponderhit(TimeBudget(500, 900))
    if planned == "after":
        assert not handle.ponders()
    with handle.searching(engine):
        pass
    assert [call for call in engine.calls if call != "prepare"] == engine.calls[1:]
    assert [round(call.hard_ms, -2) for call in engine.calls[1:]] == ([900] if planned == "before" else [])


def test_searches_within_one_another_reach_their_own_engine():
    one, other, handle = Engine(), Engine(), Search()
    with handle.searching(one):
        with handle.searching(other):
            handle.stop()
        handle.stop()
    assert (one.calls, other.calls) == (["prepare", "stop"], ["prepare", "stop"])


def test_what_runs_elsewhere_can_be_followed():
    engine, handle = Engine(), Search()
    assert handle.follow(engine)
    handle.stop()
    assert engine.calls == ["stop"] and not handle.follow(None)


def test_the_work_s_result_or_fault_is_told_once():
    told = []
    search = Search(lambda engine, search: engine + 1, done=told.append).start(4, "test")
    assert search.result() == 5 and search.ended and told == [search]
    failing = Search(lambda engine, search: 1 // engine, done=told.append)
    failing.run(0)
    with pytest.raises(ZeroDivisionError):
        failing.result()
    assert told == [search, failing] and isinstance(failing.fault, ZeroDivisionError)
    rounds = iter([True, False])
    again = Search(lambda engine, search: engine, done=told.append)
    again.run(1, lambda: next(rounds))
    assert not again.ended and len(told) == 2
    again.run(2, lambda: next(rounds))
    assert again.result() == 2 and told[2:] == [again]
