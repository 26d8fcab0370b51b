"""Many at once, and garbage: the server answers, forgets who leaves, and does not grow.

SECONDS in the environment says how long the crowd stays, 20 without it.
"""

import asyncio
import json
import os
import random
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
uvicorn = pytest.importorskip("uvicorn", reason="uvicorn is not installed")
websockets = pytest.importorskip("websockets", reason="websockets is not installed")
from shogi_engine.web.app import application  # noqa: E402
from shogi_engine.web.hub import Hub  # noqa: E402
from shogi_engine.web.messages import MESSAGES  # noqa: E402
from shogi_engine.web.pool import EnginePool  # noqa: E402
from shogi_engine.web.session import Session  # noqa: E402
from web.fake_engine import FakeEngine, FakeExaminer, wait_for  # noqa: E402

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
    hub = Hub(EnginePool(2, FakeEngine), make=lambda pool: Session(pool, FakeExaminer))
    server = uvicorn.Server(uvicorn.Config(application(hub), port=0, log_level="warning", ws_per_message_deflate=False))
    threading.Thread(target=server.run, daemon=True).start()
    wait_for(lambda: server.started, 60)
    yield hub, f"ws://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/ws"
    server.should_exit = True


async def next_of(socket, kind):
    """Return the next message of a kind; an error that the server tells is one here."""
    while True:
        message = json.loads(await asyncio.wait_for(socket.recv(), 60))
        assert message["kind"] != "error", message
        if message["kind"] == kind:
            return message


async def visit(address, rng, end):
    """Play random moves with live analysis until the time `end`; return how many, and leave in the middle of it."""
    made = 0
    async with websockets.connect(address, max_size=None, compression=None) as socket:
        await socket.send('{"do": "hello"}')
        state = await next_of(socket, "state")
        await socket.send('{"do": "analyse", "on": true, "multipv": 2}')
        state = await next_of(socket, "state")
        while time.monotonic() < end:
            moves = [move for targets in state["targets"].values() for each in targets.values() for move in each]
            message = (
                {"do": "move", "move": rng.choice(moves)} if moves and made % 60 else {"do": "game", "game": "shogi"}
            )
            await socket.send(json.dumps(message))
            state = await next_of(socket, "state")
            made += 1
            await asyncio.sleep(0.2)
    return made


def test_fifty_at_once(served):
    hub, address = served

    async def crowd(seconds):
        end = time.monotonic() + seconds
        return await asyncio.gather(*(visit(address, random.Random(number), end) for number in range(SESSIONS)))

    asyncio.run(crowd(3))
    before = megabytes()
    made = asyncio.run(crowd(SECONDS))
    after = megabytes()
    left = time.monotonic()
    wait_for(lambda: hub.pool.load == (0, 0) and FakeEngine.running == 0)
    print(f"{sum(made)} moves, {before} -> {after} MB, searches ended {time.monotonic() - left:.2f} s later")
    assert sum(made) > 0 and after - before < GROWTH_MB


def garbage(rng):
    """Return a frame that is nearly a message, or none at all."""
    kind = rng.randrange(4)
    if kind == 0:
        return rng.randbytes(rng.randrange(300))
    name = rng.choice(list(MESSAGES))
    fields = {
        key: rng.choice([None, True, 0, -1, 2, "", "7g7f", "shogi", [None, 1], {}, 1e300]) for key in MESSAGES[name]
    }
    if name == "save":
        fields = {"format": rng.choice(["kif", "../x", ""])}
    text = json.dumps({"do": name, **fields})
    if kind == 1:
        place = rng.randrange(len(text))
        text = text[:place] + rng.choice('{}[]",:\\\u0000é') + text[place + 1 :]
    return text


def test_ten_thousand_frames_of_garbage(served):
    _, address = served
    rng = random.Random(1)

    async def throw():
        for _ in range(10):
            async with websockets.connect(address, max_size=None, compression=None) as socket:
                await socket.send('{"do": "hello"}')
                for _ in range(FRAMES // 10):
                    await socket.send(garbage(rng))
        async with websockets.connect(address, max_size=None) as socket:
            await socket.send('{"do": "hello"}')
            assert (await next_of(socket, "state"))["kind"] == "state"

    asyncio.run(asyncio.wait_for(throw(), 600))
