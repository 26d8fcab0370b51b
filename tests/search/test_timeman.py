"""Clocks that count full seconds only: what is charged for is used, no more than there is."""

import time

import pytest
from hypothesis import given, strategies as st

from shogi_engine.search.root import Timer
from shogi_engine.search.timeman import Limits, TimeOptions, cap, in_full_seconds, limit, plan
from shogi_engine.types.limits import Clock, TimeBudget

OPTIONS = TimeOptions(network_delay=100, network_delay2=1000)
clocks = st.builds(
    Clock,
    time=st.integers(0, 3_600_000),
    byoyomi=st.sampled_from((0, 0, 1000, 30_000)),
    increment=st.sampled_from((0, 0, 2000)),
)


@given(clocks, st.integers(0, 300))
def test_times_end_with_a_second_or_with_the_clock(clock, ply):
    plain = plan(clock, ply, OPTIONS)
    budget = in_full_seconds(plain, clock, OPTIONS)
    whole = limit(cap(clock), OPTIONS)
    assert 0 <= budget.least_ms <= budget.soft_ms <= budget.hard_ms <= whole
    assert budget.hard_ms >= plain.hard_ms and budget.soft_ms >= plain.soft_ms
    for ms in (budget.hard_ms, budget.least_ms):
        assert ms == whole or (ms + OPTIONS.network_delay) % 1000 == pytest.approx(0)
    assert budget.least_ms >= min(900, whole)  # the first second is charged for whatever the move


def test_the_second_a_move_is_charged_for_is_known_to_the_search():
    clock = Clock(time=600_000)
    budget = in_full_seconds(plan(clock, 0, OPTIONS), clock, OPTIONS)
    assert budget.second_ms == 900 and plan(clock, 0, OPTIONS).second_ms is None
    assert budget.less(150).second_ms == 750  # the search begins 150 ms after the clock
    assert budget.after_pondering(5000).second_ms == 900  # which starts with ponderhit
    assert budget.for_only_move().second_ms == 900
    assert budget.for_only_move().soft_ms >= budget.least_ms


def timer(stopped, ago, **times):
    """Return a Timer of a search that began `ago` seconds before now."""
    return Timer(time.perf_counter() - ago, Limits(budget=TimeBudget(**times)), stopped)


def test_a_search_that_could_end_goes_on_to_the_end_of_the_second():
    ends = []
    watch = timer(lambda: ends.append(time.perf_counter()), 1.2, soft_ms=1000, hard_ms=60_000, second_ms=900)
    assert not watch.may_continue() and watch.finish_second()
    began = watch.since
    assert watch.last - began == pytest.approx(1.9)
    watch.cap(None)  # each iteration does so: the end stays
    assert watch.finish_second() and watch.last - began == pytest.approx(1.9)
    while not ends and time.perf_counter() - began < 30:
        time.sleep(0.01)
    assert ends and ends[0] - began >= 1.9
    assert not watch.finish_second()  # the next second is not charged for
    watch.close()


def test_other_clocks_have_no_seconds_and_the_hard_limit_holds():
    watch = timer(lambda: None, 1.2, soft_ms=1000, hard_ms=60_000)
    assert not watch.may_continue() and not watch.finish_second()
    watch.close()
    watch = timer(lambda: None, 1.2, soft_ms=1000, hard_ms=1500, second_ms=900)
    assert watch.finish_second() and watch.last - watch.since == pytest.approx(1.5)
    watch.close()
    watch = timer(lambda: None, 5.0, soft_ms=1000, hard_ms=1500, second_ms=900)
    assert not watch.finish_second()
    watch.close()


def test_an_easy_move_ends_with_a_second_too():
    watch = timer(lambda: None, 0.0, soft_ms=5000, hard_ms=60_000, second_ms=900)
    watch.cap(0.4)
    assert watch.deadline._end - watch.since == pytest.approx(2.9)
    watch.set(watch.since, TimeBudget(5000, 60_000))
    watch.cap(0.4)
    assert watch.deadline._end - watch.since == pytest.approx(2.0)
    watch.close()
