"""Games with each front end in one process, as GUIs play them: faults and leaks that appear only after many of them.

A few games are played by default. `SOAK_EXAMPLES=10000 pytest tests/soak` plays many.
"""

import os
import random
import sys

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.soak.front_end_games import FrontEnd, GtpGame, NboardGame, UsiGame

EXAMPLES = int(os.environ.get("SOAK_EXAMPLES", "4"))
GAMES = {"usi": UsiGame, "gtp": GtpGame, "nboard": NboardGame}
GROWTH_KB = 20_000


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_games_find_no_fault_and_leave_nothing_behind(name):
    usage = []
    with FrontEnd(name) as front_end:

        @settings(max_examples=EXAMPLES, database=None, suppress_health_check=list(HealthCheck))
        @given(st.integers(0, 2**32))
        def play(seed):
            GAMES[name](front_end, random.Random(seed)).play()
            if sys.platform == "linux":
                usage.append(front_end.usage())

        play()
    early, late = usage[len(usage) // 4 : len(usage) // 2], usage[-(len(usage) // 4) :]
    if len(early) > 20:
        growth = [
            max(after) - max(before)
            for before, after in zip(zip(*early, strict=True), zip(*late, strict=True), strict=True)
        ]
        assert growth[0] < GROWTH_KB and growth[1] <= 0 and growth[2] <= 0, growth
