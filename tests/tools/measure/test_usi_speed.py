"""tools/measure/usi_speed.py: engines take turns, by the clock or by CPU time; searches that end early do not count."""

import os
import re
import sys
import threading
import time
from pathlib import Path

import pytest

from shogi_engine.jit import JIT_DISABLED
from tools.measure import usi_speed

ENGINE = f"{Path(sys.executable).as_posix()} -P -m usi"
POSITIONS = (usi_speed.POSITIONS[1], "7nk/9/7GP/9/9/9/9/9/9 b - 1")  # the second one is a mate in one


@pytest.mark.clock_sensitive
@pytest.mark.skipif(JIT_DISABLED, reason="takes long without JIT")
@pytest.mark.skipif(sys.platform != "linux", reason="Linux has these clocks")
@pytest.mark.parametrize(("limit", "counted"), [(("--nodes", "4000"), {1}), (("--movetime", "30"), {1, 2})])
def test_two_engines_side_by_side(limit, counted, tmp_path, capsys):
    file = tmp_path / "positions.txt"
    file.write_text("\n".join(POSITIONS))
    assert usi_speed.main([ENGINE, ENGINE, *limit, "--rounds", "1", "--positions", str(file)]) == 0
    first, second, ratio = capsys.readouterr().out.splitlines()
    for line in (first, second):
        speed = float(re.search(r": ([\d.]+) M/s depth \d", line)[1])
        assert 0.005 < speed < 50, line
    found = re.search(r"median ([\d.]+) of (\d+)$", ratio)
    assert 0.05 < float(found[1]) < 20 and int(found[2]) in counted, ratio


@pytest.mark.skipif(sys.platform != "linux", reason="Linux has these clocks")
def test_cpu_time_is_that_of_all_threads_ended_ones_too():
    used = []

    def work():
        begin = time.thread_time()
        sum(number * number for number in range(300_000))
        used.append(time.thread_time() - begin)

    before = usi_speed.cpu_seconds(os.getpid())
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert before + used[0] < usi_speed.cpu_seconds(os.getpid()) < before + 60
