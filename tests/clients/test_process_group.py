"""A process and its children end together."""

import asyncio
import contextlib
import os
import subprocess
import sys
import time

import pytest

from shogi_engine import Engine, othello, shogi
from shogi_engine.batch import Batch
from shogi_engine.clients import base
from shogi_engine.clients.base import APART, EngineError, EngineProcess, ProcessGroup
from shogi_engine.clients.gtp import GtpClient, SimpleGtp
from shogi_engine.clients.nboard import NBoardClient, SimpleNBoard
from shogi_engine.clients.usi import SimpleEngine, UsiClient
from tests.support import typed_engines
from tests.support.processes import TESTS

# A launcher: its child holds the pipe open for as long as it lives.
LAUNCHER = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', {child!r}]).wait()"
CHILD = "import time; print('alive', flush=True); time.sleep(2); print('survived')"


def test_a_launcher_is_killed_with_what_it_started():
    command = [sys.executable, "-S", "-c", LAUNCHER.format(child=CHILD)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, **APART) as process:
        group = ProcessGroup(process.pid)
        assert process.stdout.readline().strip() == b"alive"
        group.kill()
        assert process.stdout.read() == b"" and process.wait() != 0
        group.close()
        group.close()


# It hears neither a line nor the end of its input.
DEAF = "import time\nprint('alive', flush=True)\nwhile True:\n    time.sleep(1)"


@pytest.mark.skipif(os.name == "nt", reason="signal 0 of POSIX")
def test_a_program_is_killed_even_if_its_closing_is_cancelled():
    async def run():
        process = await EngineProcess.start([sys.executable, "-S", "-c", DEAF])
        await process.receive(lambda: None)
        closing = asyncio.create_task(process.close("quit"))
        await asyncio.sleep(0.1)
        closing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await closing
        assert closing.cancelled()
        await asyncio.wait_for(process._pipes.exited.wait(), 60)
        return process.pid

    pid, end = asyncio.run(run()), time.monotonic() + 60
    with pytest.raises(ProcessLookupError):
        while time.monotonic() < end:
            os.kill(pid, 0)
            time.sleep(0.05)


# ---- names that are typed ----------------------------------------------------------------------------------------


def test_the_program_with_types_runs():
    board = shogi.Board()
    with Engine("shogi", hash_mb=4) as engine, Engine("othello", hash_mb=4) as other:
        assert len(typed_engines.program(engine, board)) == 2
        typed_engines.games(engine, other)
    with SimpleEngine([sys.executable, "-S", str(TESTS / "support" / "usi_stub.py")]) as client:
        assert typed_engines.program(client, board) == [shogi.Move.from_usi("7g7f")] * 2
        assert typed_engines.text(client) == ("7g7f", "3c3d")
    stub = [sys.executable, "-S", str(TESTS / "support" / "othello_stub.py")]
    with SimpleGtp([*stub, "gtp"]) as gtp, SimpleNBoard([*stub, "nboard"]) as nboard:
        assert typed_engines.programs(gtp, nboard) == [othello.Move.from_text("d3")] * 2
    typed_engines.features(Batch("shogi"))
    typed_engines.boards(board, othello.Board())
    assert not list(typed_engines.trees(board.record()))

    async def clients():
        async with (
            UsiClient([sys.executable, "-S", str(TESTS / "support" / "usi_stub.py")]) as usi,
            GtpClient([*stub, "gtp"]) as gtp,
            NBoardClient([*stub, "nboard"]) as nboard,
        ):
            await typed_engines.clients(usi, gtp, nboard)

    asyncio.run(clients())


# It writes until its pipe is closed, and answers nothing.
FLOODS = {
    "a line without an end": "while True: sys.stdout.write('x' * 65536)",
    "long lines": "while True: sys.stdout.write('x' * 99999 + chr(10))",
    "empty lines": "while True: sys.stdout.write(chr(10) * 9999)",
}


@pytest.mark.parametrize("flood", FLOODS)
def test_what_a_program_writes_without_end_is_bounded(flood, monkeypatch):
    monkeypatch.setattr(base, "MOST_LINES", 1000)
    monkeypatch.setattr(base, "MOST_BYTES", 1 << 20)
    monkeypatch.setattr(base, "LINE_BYTES", 1 << 16)

    async def run():
        process = await EngineProcess.start([sys.executable, "-S", "-c", f"import sys\n{FLOODS[flood]}"])
        pipes, kept = process._pipes, []
        try:
            while not pipes.lost:
                await asyncio.sleep(0)
                kept.append(sum(len(line) for _time, line in pipes.lines) + max(map(len, pipes._rest.values())))
                assert len(pipes.lines) <= 1000
            over = time.monotonic()
            with pytest.raises(EngineError, match="no answer: it has written more than can be kept"):
                while True:
                    await process.receive(lambda: over)
            assert max(kept) <= (1 << 20) + (1 << 16)
        finally:
            process.kill()
            await process.close()

    asyncio.run(run())
