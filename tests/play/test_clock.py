"""GameClock, next to a ledger that adds up every interval in which a clock ran."""

import pytest
from hypothesis import example, given, strategies as st

from shogi_engine.play.clock import GameClock
from shogi_engine.types.limits import Clock


class Ledger:
    """What each side has left, in seconds, and what the current move has taken."""

    def __init__(self, settings):
        self.settings = settings
        self.main = [0.0 if each is None else each.time / 1000 for each in settings]
        self.used, self.mover, self.running = 0.0, None, False

    def spend(self, seconds):
        if self.running:
            self.used += seconds

    def charge(self, side, seconds):
        setting = self.settings[side] or Clock()
        self.main[side] = max(self.main[side] - seconds, 0.0) + setting.increment / 1000

    def stop(self):
        used = self.used if self.running else None
        if self.running:
            self.charge(self.mover, self.used)
        self.used, self.mover, self.running = 0.0, None, False
        return used

    def allowed(self, side):
        setting = self.settings[side]
        return None if setting is None else self.main[side] + setting.byoyomi / 1000


seconds = st.integers(0, 400).map(lambda tenths: tenths / 10)
settings = st.one_of(
    st.none(), st.builds(Clock, st.integers(0, 90_000), st.sampled_from([0, 5000]), st.sampled_from([0, 0, 3000]))
)
actions = st.one_of(
    st.tuples(st.just("wait"), seconds),
    st.tuples(st.sampled_from(["start", "pause", "stop", "keep"]), st.just(0.0)),
    st.tuples(st.just("charge"), seconds),
    st.tuples(st.just("late start"), seconds),
)


MOVE = [("start", 0.0), ("wait", 5.0), ("pause", 0.0), ("wait", 3.0), ("start", 0.0), ("wait", 2.0), ("stop", 0.0)]
LONG_MOVE = [("start", 0.0), ("wait", 30.0), ("stop", 0.0)]


@example((Clock(60_000), None), MOVE)
@example((Clock(10_000, 5000), Clock(10_000, 0, 3000)), LONG_MOVE + LONG_MOVE + MOVE)
@given(st.tuples(settings, settings), st.lists(actions, max_size=30))
def test_every_second_of_a_running_clock_counts_and_no_other(both, steps):
    now, turn = [50.0], 0
    clock, ledger = GameClock(both, lambda: now[0]), Ledger(both)
    for action, value in steps:
        if action == "wait":
            now[0] += value
            ledger.spend(value)
        elif action in ("start", "late start"):
            side = turn if ledger.mover is None else ledger.mover
            if action == "late start" and not ledger.running:  # from an earlier moment on
                clock.start(side, now[0] - value)
                ledger.used += value
            else:
                clock.start(side)
            ledger.mover, ledger.running = side, True
        elif action == "pause":
            clock.pause()
            ledger.running = False
        elif action == "stop":
            turn = 1 - turn if ledger.running else turn
            used = ledger.stop()
            assert clock.stop() == (None if used is None else pytest.approx(used))
        elif action == "charge":
            clock.charge(turn, value)
            ledger.charge(turn, value)
        else:  # saved, and continued by another object: paused
            kept = clock.times()
            clock = GameClock(both, lambda: now[0])
            clock.restore(kept)
            ledger.running = False
        assert clock.times() == pytest.approx([*ledger.main, ledger.used])
        assert clock.elapsed == pytest.approx(ledger.used)
        for side in range(2):
            allowed = ledger.allowed(side)
            assert clock.allowed(side) == (None if allowed is None else pytest.approx(allowed))
            runs = ledger.used if ledger.running and ledger.mover == side else 0.0
            assert clock.seconds(side) == pytest.approx(ledger.main[side] - runs)
            assert (clock.for_search(side) is None) == (both[side] is None)
        limited = ledger.running and both[ledger.mover] is not None
        left = ledger.allowed(ledger.mover) - ledger.used if limited else None
        assert clock.left() == (None if left is None else pytest.approx(left))
    clock.reset()
    assert clock.times() == [*Ledger(both).main, 0.0] and clock.side is None


@pytest.mark.parametrize(
    ("setting", "passed", "text"),
    [
        (None, 3.0, ""),
        (Clock(600_000), 0.0, "10:00"),
        (Clock(600_000), 2.0, "9:58"),
        (Clock(600_000), 1.5, "9:59"),  # a started second counts as a whole one
        (Clock(7_384_000), 0.0, "2:03:04"),
        (Clock(60_000), 60.0, "0:00"),
        (Clock(60_000), 65.0, "0:00"),
        (Clock(60_000, 30_000), 59.0, "0:01"),
        (Clock(60_000, 30_000), 60.0, "byoyomi 0:30"),
        (Clock(60_000, 30_000), 63.2, "byoyomi 0:27"),
        (Clock(60_000, 30_000), 95.0, "byoyomi 0:00"),
        (Clock(60_000, 0, 5_000), 61.0, "0:00"),
    ],
)
def test_what_is_shown(setting, passed, text):
    now = [0.0]
    clock = GameClock((None, setting), lambda: now[0])
    clock.start(1)
    now[0] = passed
    assert (clock.text(0), clock.text(1)) == ("", text)
