"""Attack `shogi-engine serve` in several ways at once, and measure how soon another visitor's moves are answered.

    python -m tools.measure.web_attacks --seconds 60

The attacks: files that are slow to read; 300 sockets on a game of thousands of moves, which steps; requests without an
end; connections that send garbage instead of hello; sessions that look for mates; 30 pages that save a game of 18 000
moves. The visitor's moves are answered by the server (both sides are hers), and in another session by the engine at
level 3.

    python -m tools.measure.web_attacks --contests 500

lets two pages ask at one instant: to continue one game, to return to one session, and to delete a game that the other
continues. It counts confirmed moves that are lost.
"""

import argparse
import asyncio
import base64
import contextlib
import json
import random
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from shogi_engine import records
from shogi_engine.records import GameRecord, Node
from tools.measure.web_load import Page, Server, ask, connect, next_of

SLOW_KIF = "先手：" + "\n先手：" * 8000
SLOW_SGF = "(;GM[2]" + ")\n" * 8000
MATELESS = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1"


async def hello(address: str, session: str = "", owner: str = "") -> tuple[Any, Page, dict[str, Any]]:
    """Open a page; return its socket, what it knows, and the state."""
    socket, page = await connect(address), Page()
    await socket.send(json.dumps({"do": "hello", "session": session, "owner": owner}))
    return socket, page, await next_of(socket, "state", page)


async def upload(address: str) -> None:
    """Open files that are slow to read, one after another."""
    socket, page, _ = await hello(address)
    for number in range(1000):
        text = (SLOW_KIF, SLOW_SGF)[number % 2]
        data = base64.b64encode(text.encode()).decode()
        await socket.send(json.dumps({"do": "open", "name": f"a{('.kif', '.sgf')[number % 2]}", "data": data, "re": 1}))
        while page.receive(json.loads(await socket.recv()))["kind"] not in ("done", "error"):
            pass


async def look_on(address: str) -> None:
    """Let 300 sockets show one long game, and step through it."""
    socket, page, state = await hello(address)
    rng = random.Random(1)
    for _ in range(150):
        moves = [move for each in state["targets"].values() for some in each.values() for move in some]
        await socket.send(json.dumps({"do": "move", "move": rng.choice(moves)}))
        state = await next_of(socket, "state", page)
    await asyncio.gather(*(_look(address, state["session"]) for _ in range(300)))


async def _look(address: str, session: str) -> None:
    socket, _, _ = await hello(address, session)
    while True:
        await socket.send('{"do": "step", "to": "back"}')
        await asyncio.sleep(0.05)


async def half_requests(address: str) -> None:
    """Open connections without the head of a request."""
    host, port = "127.0.0.1", int(address.split(":")[2].split("/")[0])
    while True:
        async with asyncio.TaskGroup() as group:
            for _ in range(300):
                group.create_task(_half(host, port))


async def _half(host: str, port: int) -> None:
    with contextlib.suppress(OSError):
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(b"GET / HTT")
        await reader.read()
        writer.close()


async def garbage(address: str) -> None:
    """Never say hello."""
    socket = await connect(address)
    while True:
        await socket.send("garbage")
        await asyncio.sleep(1)


async def mates(address: str) -> None:
    """Look for mates."""
    socket, page, _ = await hello(address)
    await socket.send(json.dumps({"do": "paste", "text": MATELESS}))
    await next_of(socket, "state", page)
    while True:
        await socket.send('{"do": "mate"}')
        await next_of(socket, "mate", page)


def long_game() -> str:
    """Return a record of 18 000 moves: a long line with variations."""
    record = GameRecord("shogi")
    node, line = record.root, ("2h3h", "8b7b", "3h2h", "7b8b")
    for ply in range(300):
        for _ in range(59):
            node.add("9g9f" if ply % 2 == 0 else "9c9d")
        node.children.insert(0, Node(line[ply % 4]))
        node = node.children[0]
    return records.dumps(record, "kif", "utf-8").decode()


async def savers(address: str) -> None:
    """Let 30 pages of one game of 18 000 moves save it as KI2."""
    socket, page, _ = await hello(address)
    data = base64.b64encode(long_game().encode()).decode()
    await socket.send(json.dumps({"do": "open", "name": "a.kifu", "data": data}))
    state = await next_of(socket, "state", page)
    await asyncio.gather(*(_save(address, state["session"]) for _ in range(30)))


async def _save(address: str, session: str) -> None:
    socket, page, _ = await hello(address, session)
    while True:
        await socket.send('{"do": "save", "format": "ki2"}')
        await next_of(socket, "file", page)


# ---- two at one instant


async def contest(address: str, owner: str, way: str) -> bool:
    """Let two pages ask at one instant; tell whether a confirmed move was lost."""
    (one, first, state), (two, second, _) = [await hello(address, owner=owner) for _ in range(2)]
    sockets = [(one, first), (two, second)]
    await ask(one, first, {"do": "move", "move": "7g7f"})
    (id,) = [each["id"] for each in await ask(one, first, {"do": "game", "game": "shogi"}) if each["kind"] == "left"]
    asked = {"do": "continue", "id": id}
    if way == "return":
        await ask(one, first, asked)
        await asyncio.gather(one.close(), two.close())
        back = await asyncio.gather(*(hello(address, state["session"], owner) for _ in range(2)))
        sockets = [(socket, page) for socket, page, _ in back]
    else:
        asks = [asked, {"do": "forget", "id": id} if way == "delete" else asked]
        await asyncio.gather(*(ask(*who, what) for who, what in zip(sockets, asks, strict=True)))
    has = [(socket, page) for socket, page in sockets if len(page.state["line"]) == 2]
    for socket, page in has[:1]:
        await ask(socket, page, {"do": "move", "move": "3c3d"})
    (kept,) = [each for each in await ask(*sockets[1], {"do": "kept"}) if each["kind"] == "kept"]
    there = {each["id"]: each["moves"] for each in kept["games"]}
    for socket, _ in sockets:
        await socket.close()
    return there.get(id) != 2 if has else way != "delete" or id in there


async def contests(server: Server, count: int) -> int:
    """Hold contests, five of each kind at the same time; print and return how many lost a move."""
    lost = 0
    for number in range(0, count, 5):
        held = [(f"{number + each} {way}", way) for each in range(5) for way in ("continue", "return", "delete")]
        lost += sum(await asyncio.gather(*(contest(server.address, owner, way) for owner, way in held)))
    print(f"{count} contests of each kind: {lost} moves lost")
    return lost


PLAYERS: list[list[int | None]] = [[None, None], [None, 3]]
ATTACKS: list[tuple[Callable[[str], Awaitable[None]], int]] = [
    (upload, 8), (look_on, 1), (half_requests, 1), (garbage, 20), (mates, 8), (savers, 1),
]  # fmt: skip


async def attack(work: Callable[[str], Awaitable[None]], address: str) -> None:
    """Attack again and again, as one that is disconnected would."""
    while True:
        with contextlib.suppress(Exception):
            await work(address)
        await asyncio.sleep(0.2)


async def visit(address: str, seconds: float, players: list[int | None]) -> list[float]:
    """Play; return how long the answers to moves took."""
    socket, page, _ = await hello(address)
    start = json.dumps({"do": "new", "game": "othello", "players": players})
    await socket.send(start)
    state = await next_of(socket, "state", page)
    taken, end, rng = [], time.monotonic() + seconds, random.Random(2)
    while time.monotonic() < end:
        if state["playing"]["over"]:
            await socket.send(start)
        if state["playing"]["over"] or state["playing"]["passing"] or not state["targets"]:
            state = await next_of(socket, "state", page)  # of the new game; or the server passes, or the engine moves
            continue
        moves = [move for each in state["targets"].values() for some in each.values() for move in some]
        asked = time.monotonic()
        await socket.send(json.dumps({"do": "move", "move": rng.choice(moves)}))
        state = await next_of(socket, "state", page)
        while not state["targets"] and not state["playing"]["over"]:  # the engine thinks
            state = await next_of(socket, "state", page)
        taken.append(time.monotonic() - asked)
        await asyncio.sleep(0.2)
    return sorted(taken)


async def measure(server: Server, seconds: float) -> None:
    """Measure without and with the attacks, and the memory before, during and afterwards."""
    for players in PLAYERS:  # the engines are ready afterwards
        await visit(server.address, 3, players)
    searches = [asyncio.create_task(attack(mates, server.address)) for _ in range(8)]
    await asyncio.sleep(10)  # the engines have their tables for mates afterwards
    for task in searches:
        task.cancel()
    before = server.megabytes()
    for under_attack in (False, True):
        tasks = [asyncio.create_task(attack(work, server.address)) for work, count in ATTACKS for _ in range(count)]
        if not under_attack:
            for task in tasks:
                task.cancel()
        else:
            await asyncio.sleep(5)
        visits = (visit(server.address, seconds, players) for players in PLAYERS)
        for who, taken in zip(("the server", "the engine"), await asyncio.gather(*visits), strict=True):
            median, most = (1000 * taken[len(taken) * share // 100] for share in (50, 95))
            when = "attacked" if under_attack else "left alone"
            print(f"{when}: {len(taken)} moves, median answer by {who} {median:.0f} ms, 95 % {most:.0f} ms", flush=True)
        during = server.megabytes()
        for task in tasks:
            task.cancel()
    await asyncio.sleep(15)
    print(f"memory: {before} MB before, {during} MB at the end of the attacks, {server.megabytes()} MB 15 s later")


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--engines", type=int, default=2)
    parser.add_argument("--contests", type=int, default=0, help="hold as many contests of two pages instead")
    args = parser.parse_args()
    with Server(args.engines) as server:
        if args.contests:
            return 1 if asyncio.run(contests(server, args.contests)) else 0
        asyncio.run(measure(server, args.seconds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
