"""The comparison of batches with a loop: what is timed and what is printed."""

import math
import time

from tools.measure import batch_speed


def test_the_best_time_counts():
    done = []
    times = batch_speed.measure({"ours": {"masks": lambda: done.append(1)}}, 3, 1, time.perf_counter)
    assert len(done) == 3 and 0 <= times["masks"]["ours"] < math.inf


def test_a_table_has_every_time_and_ratio():
    lines = batch_speed.table({"apply": {"one thread": 2.0, "cshogi": 21.0}}, ["one thread", "cshogi"]).splitlines()
    assert lines[1].split() == ["apply", "2.00", "21.00", "10.50"]
