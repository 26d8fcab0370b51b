"""The number of kernels compiled so far, for a user who has to wait."""

import pytest

from shogi_engine.jit import JIT_DISABLED
from tests.support.processes import environment, run

SOURCE = """
import json
from shogi_engine.jit import policy
seen = []
policy.watchers.append(seen.append)
from shogi_engine.games.shogi.bitboard import between, lance_attacks
lance_attacks(0, 76, between(4, 76))
policy.watchers.clear()
between(3, 75)
print(json.dumps(seen))
"""


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
@pytest.mark.parametrize("plain", ["0", "1"])
def test_kernels_that_are_compiled_are_counted(tmp_path, plain):
    env = environment(tmp_path, SHOGI_ENGINE_PLAIN_COMPILE=plain)
    seen = run(SOURCE, env)
    assert len(seen) >= 2 and seen == list(range(1, len(seen) + 1))
    assert run(SOURCE, env) == []  # all come from the cache
