"""StopToken and Deadline: what ends a search."""

import ctypes
import gc
import threading
import time

from shogi_engine.common.stop import FOREVER, Deadline, StopToken, end_of


def word(token):
    """Return what a kernel reads."""
    return int(ctypes.c_uint64.from_address(token.address).value)


def test_a_stop_holds_for_what_was_prepared_and_no_longer():
    token = StopToken()
    token.stop()
    assert token.stopped and word(token) == 1
    assert token.begin() is False and not token.stopped  # an older stop
    token.prepare()
    token.stop()
    assert token.begin() is True and token.stopped and word(token) == 1
    assert token.begin() is False and not token.stopped
    token.stop()
    token.prepare()
    assert not token.stopped and token.begin() is True


def test_a_parent_stops_its_children_and_a_child_itself_only():
    parent = StopToken()
    children = [StopToken(parent), StopToken(parent)]
    below = StopToken(children[0])
    children[0].stop()
    assert [token.stopped for token in (parent, *children, below)] == [False, True, False, True]
    parent.stop()
    assert all(token.stopped for token in children) and word(below) == 1
    children[1].clear()
    below.begin()
    assert children[1].stopped and below.stopped  # the parent is
    parent.begin()
    assert not any(token.stopped for token in (parent, *children, below))
    del children, below
    gc.collect()
    parent.stop()


def test_a_stop_before_can_be_ignored_and_one_meanwhile_holds():
    token = StopToken()
    token.stop()
    with token.ignored():
        assert not token.stopped
    assert token.stopped
    token.clear()
    with token.ignored():
        token.stop()
        assert token.stopped
    assert token.stopped


def came_true(condition):
    """Tell whether a condition holds within half a minute."""
    end = time.monotonic() + 30
    while not condition() and time.monotonic() < end:
        time.sleep(0.001)
    return condition()


def test_a_deadline_stops_once_can_be_moved_and_closed():
    token = StopToken()
    began = time.perf_counter()
    with Deadline(token.stop, end_of(50, began)):
        while not token.stopped and time.perf_counter() < began + 30:
            time.sleep(0.001)
    assert token.stopped and time.perf_counter() - began >= 0.05
    token.clear()
    deadline = Deadline(token.stop, end_of(20, time.perf_counter()))
    deadline.set(FOREVER)
    time.sleep(0.1)
    assert not token.stopped
    deadline.set(time.perf_counter() - 1)
    assert came_true(lambda: token.stopped)
    token.clear()
    with Deadline(token.stop, end_of(50, time.perf_counter())):
        pass
    time.sleep(0.1)
    assert not token.stopped and end_of(None, 3.0) == FOREVER


def test_a_deadline_ticks_until_it_is_closed():
    ticks = []
    with Deadline(lambda: None, on_tick=lambda: ticks.append(threading.current_thread().name), tick=0.02):
        assert came_true(lambda: len(ticks) >= 3)
    count = len(ticks)
    assert set(ticks) == {"search-clock"}
    time.sleep(0.1)
    assert len(ticks) == count
