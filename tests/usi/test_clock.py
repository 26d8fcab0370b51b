"""Time management never plans more than the clock has, and uses what would be lost."""

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from shogi_engine.search.timeman import TimeManager, TimeOptions, cap, fixed, limit, moves_to_go, plan
from shogi_engine.types.limits import Clock, TimeBudget

ms = st.integers(-1000, 36_000_000)
small = st.integers(0, 60_000)
clocks = st.builds(Clock, time=ms, byoyomi=st.one_of(st.just(0), small), increment=st.one_of(st.just(0), small))
settings = st.builds(
    TimeOptions,
    network_delay=st.integers(0, 10_000),
    network_delay2=st.integers(0, 10_000),
    minimum_thinking_time=st.integers(0, 100_000),
    slow_mover=st.integers(10, 1000),
    ponder=st.booleans(),
)
PLAIN = TimeOptions()


@given(clocks, st.integers(0, 1000), settings, st.sampled_from([0, 256, 320, 512]))
def test_a_budget_is_never_over_the_cap(clock, ply, options, max_ply):
    budget = plan(clock, ply, options, max_ply)
    assert 0 <= budget.least_ms <= budget.soft_ms <= budget.hard_ms <= cap(clock)
    # The delay is kept back, but for clocks that are shorter than the delay itself.
    assert budget.hard_ms <= max(cap(clock) - options.network_delay, cap(clock) / 4)


@given(st.integers(0, 10_000_000), settings)
def test_movetime_is_never_passed(movetime, options):
    budget = fixed(movetime, options)
    assert 0 <= budget.soft_ms == budget.hard_ms <= movetime


@given(st.integers(0, 10_000_000), settings)
def test_what_is_kept_back_for_delays_is_never_most_of_the_time(time, options):
    delay, most = options.network_delay, max(options.network_delay, options.network_delay2)
    assert time - limit(time, options) == pytest.approx(min(delay + time / 20, most, 0.75 * time))


@given(st.integers(0, 600_000), st.integers(0, 60_000))
def test_the_cap_holds_whether_the_increment_is_in_the_time_or_not(time, increment):
    """A GUI that adds the increment before sending sends time >= increment; one that does not lets the player use
    time + increment only if its clock adds before the move. The shorter of the two readings is always safe."""
    most = cap(Clock(time=time, increment=increment))
    assert most == (time if time >= increment else time + increment)


@given(clocks, small)
def test_pondering_shortens_but_never_lengthens(clock, pondered):
    budget = plan(clock, 20, PLAIN)
    after = budget.after_pondering(pondered)
    assert after.least_ms <= after.soft_ms <= budget.soft_ms and after.hard_ms == budget.hard_ms
    late = budget.less(pondered)
    assert 0 <= late.least_ms <= late.soft_ms <= late.hard_ms <= budget.hard_ms


def test_byoyomi_alone_is_used_up():
    budget = plan(Clock(byoyomi=10_000), 40, PLAIN)
    assert budget.soft_ms == budget.hard_ms == limit(10_000, PLAIN) >= 9_400
    short = plan(Clock(byoyomi=100), 40, PLAIN)
    assert 60 <= short.hard_ms <= 80
    assert budget.after_pondering(5_000) == budget  # unused byoyomi is lost


def test_a_move_without_alternative_need_not_use_up_its_byoyomi():
    budget = plan(Clock(byoyomi=10_000), 40, PLAIN)
    alone = budget.for_only_move()
    assert alone.soft_ms < budget.soft_ms / 3 and alone.hard_ms == budget.hard_ms
    assert alone.after_pondering(60_000).soft_ms == 0


def test_main_time_beside_byoyomi_is_used_early():
    """No move plans less than the byoyomi; thirty moves in, little is left of a main time of fifty byoyomis."""
    clock, used = Clock(time=5_000, byoyomi=100), []
    for ply in range(0, 60, 2):
        budget = plan(clock, ply, PLAIN)
        assert budget.soft_ms >= min(100, 0.7 * cap(clock))
        used.append(1.1 * budget.soft_ms)
        clock = replace(clock, time=max(0, clock.time - int(used[-1])))
    assert clock.time < 1_500 and used[0] > 130
    assert plan(Clock(time=600_000, byoyomi=1_000), 0, PLAIN).soft_ms < 12_000  # a small byoyomi changes little


@given(st.integers(1000, 36_000_000), st.integers(0, 400), st.sampled_from([0, 320, 402]))
def test_no_move_takes_more_than_three_tenths_of_the_main_time_or_four_shares(time, ply, max_ply):
    """Unless its share is larger: then the game is nearly over."""
    moves, delay = moves_to_go(ply, max_ply), PLAIN.network_delay
    share = max(time / moves - delay, time / moves / 10)
    hard = plan(Clock(time), ply, PLAIN, max_ply).hard_ms
    whole = limit(time, PLAIN)
    most = whole if moves == 1 else max(share, min(4 * share, 0.3 * (time - 2 * moves * delay)))
    assert hard == pytest.approx(min(most, whole))


def test_main_time_is_spread():
    budget = plan(Clock(time=600_000), 0, PLAIN)
    assert 600_000 / 120 < budget.soft_ms < 600_000 / 56 < budget.hard_ms < 600_000 / 6
    with_byoyomi = plan(Clock(time=600_000, byoyomi=10_000), 0, PLAIN)
    assert with_byoyomi.soft_ms > budget.soft_ms + 5_000
    with_increment = plan(Clock(time=600_000, increment=5_000), 0, PLAIN)
    assert with_increment.soft_ms > budget.soft_ms + 2_500


def test_the_settings_mean_something():
    clock = Clock(time=600_000)
    plain = plan(clock, 0, PLAIN)
    assert plan(clock, 0, replace(PLAIN, slow_mover=200)).soft_ms > 1.9 * plain.soft_ms
    assert plan(clock, 0, replace(PLAIN, ponder=True)).soft_ms > plain.soft_ms
    assert plan(clock, 0, replace(PLAIN, minimum_thinking_time=60_000)).soft_ms == 60_000
    assert plan(Clock(time=5_000), 0, replace(PLAIN, minimum_thinking_time=60_000)).hard_ms < 5_000
    assert plan(Clock(byoyomi=1_000), 0, replace(PLAIN, network_delay=400)).hard_ms <= 600


def test_the_end_of_the_game_is_seen():
    assert moves_to_go(0) == 56 and moves_to_go(500) == 32
    assert moves_to_go(310, 320) == 5 and moves_to_go(319, 320) == moves_to_go(400, 320) == 1
    for ply in range(250, 320):  # a side's own moves, this one included
        assert moves_to_go(ply, 320) == min(len(range(ply, 320, 2)), moves_to_go(ply))
    assert plan(Clock(time=60_000), 319, PLAIN, 320) == TimeBudget(limit(60_000, PLAIN), limit(60_000, PLAIN))


@pytest.mark.parametrize(
    ("clock", "reading"),
    [(Clock(time=10_000), "sudden death"), (Clock(time=5_000, increment=100), "increment"),
     (Clock(time=1_000, byoyomi=100), "byoyomi")],
)  # fmt: skip
def test_a_game_of_400_moves_is_not_lost_on_time(clock, reading):
    """Every tenth move takes its hard limit, the others half more than the soft one; each costs 12 ms on top."""
    time = clock.time
    for ply in range(0, 800, 2):
        allowed = time + clock.byoyomi
        budget = plan(replace(clock, time=int(time)), ply, PLAIN)
        used = (budget.hard_ms if ply % 20 == 0 else min(1.5 * budget.soft_ms, budget.hard_ms)) + 12
        assert used <= allowed, f"{reading}: {used} of {allowed} ms at ply {ply}"
        time = max(0, time - used) + clock.increment
        if ply == 300 and reading == "sudden death":
            break  # without byoyomi or increment every game ends


# ---- doubt -------------------------------------------------------------------------------------------------------

iterations = st.lists(st.tuples(st.integers(1, 5), st.integers(-32000, 32000), st.floats(0, 1)), max_size=40)


def doubt_after(*iterations, unit=30, only=False):
    doubt = TimeManager(unit, only)
    for iteration in iterations:
        doubt.note(*iteration)
    return doubt


@given(iterations, st.integers(-5, 1000), st.booleans())
def test_the_factor_is_bounded(iterations, unit, only):
    doubt = doubt_after(*iterations, unit=unit, only=only)
    assert TimeManager.LEAST <= doubt.factor <= TimeManager.MOST
    assert doubt.cap in (None, doubt.factor) and (doubt.cap is None) == (doubt.factor > TimeManager.CLEAR)
    if only:
        assert doubt.cap == TimeManager.LEAST


@given(iterations, st.integers(1, 5), st.integers(-1000, 1000))
def test_doubt_is_forgotten(iterations, move, score):
    """However restless a search was, a move that stays with its value is no longer in doubt."""
    doubt = doubt_after(*iterations, *[(move, score)] * 12)
    assert doubt.factor == pytest.approx(1.0, abs=0.01)


def test_a_new_best_move_and_a_falling_value_take_longer():
    calm = doubt_after(*[(1, 50)] * 4)
    assert calm.factor == 1.0 and calm.cap is None
    changed = doubt_after(*[(1, 50)] * 4, (2, 50))
    assert changed.factor == 1.5
    assert doubt_after(*[(1, 50)] * 4, (2, 50), (1, 50)).factor > changed.factor
    assert doubt_after(*[(1, 50)] * 4, (2, 50), (2, 50)).factor < changed.factor
    fallen = doubt_after(*[(1, 50)] * 8, (1, -40))
    assert fallen.factor > 1.2
    assert doubt_after(*[(1, 50)] * 4, (2, -400)).factor > max(fallen.factor, changed.factor)
    assert doubt_after(*[(1, 50)] * 4, (1, 35)).factor == 1.0  # less than a unit
    assert doubt_after(*[(1, 50)] * 4, (1, 500)).factor == 1.0  # better is no reason to think


def test_the_larger_the_best_moves_share_of_the_nodes_the_shorter():
    factors = [doubt_after(*[(1, 50, share / 10)] * 4).factor for share in range(11)]
    assert factors == sorted(factors, reverse=True) and factors[0] > 1.4 and factors[10] < 0.5
    clear = doubt_after(*[(1, 50, 0.95)] * 8)
    assert clear.cap == clear.factor
    for move, score in ((2, 50), (1, -500)):  # clear no longer, once it is in doubt
        doubt = doubt_after(*[(1, 50, 0.95)] * 8, (move, score, 0.95))
        assert doubt.cap is None
