"""Many at once, and garbage: the server answers, forgets who leaves, and does not grow.

SECONDS in the environment says how long the crowd stays, 20 without it.
"""

import asyncio
import os
import random
import threading
import time
from pathlib import Path

import pytest
import uvicorn

from shogi_engine.web.app import application
from tests.web.fake_engine import FakeEngine, fake_hub, wait_for
from tools.measure.web_load import crowd, throw, throw_requests

pytestmark = pytest.mark.slow
SECONDS = float(os.environ.get("SECONDS", "20"))
SESSIONS, FRAMES = 50, 10_000
GROWTH_MB = 60


def megabytes():
    """Return the memory of this process, 0 where the system does not say."""
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20 if status.exists() else 0


@pytest.fixture
def served():
    hub = fake_hub()
    server = uvicorn.Server(uvicorn.Config(application(hub), port=0, log_level="warning", ws_per_message_deflate=False))
    threading.Thread(target=server.run, daemon=True).start()
    wait_for(lambda: server.started, 60)
    yield hub, f"ws://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/ws"
    server.should_exit = True


def test_fifty_at_once(served):
    hub, address = served

    asyncio.run(crowd(address, SESSIONS, 3))
    before = megabytes()
    made = asyncio.run(crowd(address, SESSIONS, SECONDS))
    after = megabytes()
    left = time.monotonic()
    wait_for(lambda: hub.pool.load == (0, 0) and FakeEngine.running == 0)
    print(f"{len(made)} moves, {before} -> {after} MB, searches ended {time.monotonic() - left:.2f} s later")
    assert len(made) > 0 and after - before < GROWTH_MB


def test_ten_thousand_frames_of_garbage(served):
    _, address = served
    asyncio.run(asyncio.wait_for(throw(address, FRAMES, random.Random(1)), 600))


def test_ten_thousand_requests(served):
    _, address = served
    port = int(address.split(":")[2].split("/")[0])
    statuses, leaked = asyncio.run(throw_requests(port, FRAMES, random.Random(2)))
    print(statuses)
    assert not leaked and statuses["200"] > 0 and not any(status.startswith("5") for status in statuses)
    asyncio.run(throw(address, 10, random.Random(3)))  # it answers still
