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
    with later.searching(engine, lambda: later.stopped) as stopped:
        handle.stop()
        assert not stopped and engine.calls == ["prepare"]
        later.stop()
        assert engine.calls == ["prepare", "stop"]
    later.stop()
    assert engine.calls == ["prepare", "stop"]


def test_a_plan_made_after_a_stop_knows_of_it():
    engine, handle = Engine(), Search(pondering=True)
    handle.stop()
    assert handle.decided.is_set()
    with handle.searching(engine, lambda: handle.stopped) as stopped:
        assert stopped


@pytest.mark.parametrize(("budget", "left"), [(TimeBudget(5000, 9000), 3000), (TimeBudget.exactly(5000), 5000)])
def test_pondering_counts_as_thinking_except_in_a_fixed_time(budget, left):
    engine, handle = Engine(), Search(pondering=True, requested=10.0)
    with handle.searching(engine, lambda: None):
        assert not handle.decided.is_set()
        handle.ponderhit(budget, now=12.0)
    assert engine.calls[1].soft_ms == left and engine.calls[1].hard_ms == budget.hard_ms
    assert (handle.pondering, handle.requested, handle.decided.is_set()) == (False, 12.0, True)


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
