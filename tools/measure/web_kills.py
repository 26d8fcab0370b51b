"""Kill `shogi-engine serve` in games (kill -9) and start it again: what is lost?

    python -m tools.measure.web_kills --kills 10

A visitor makes random moves and comments, and has deleted a game. After each kill the position must have all moves and
comments that are older than half a second, and the deleted game must not be back. Prints how many moves were lost.
"""

import argparse
import asyncio
import json
import random
import sys
import time
from typing import Any

from tools.measure.web_load import Page, Server, connect, next_of

OLD = 0.5  # seconds
GAME_KILLS = 5  # after which another game is begun: most random games are longer


class Player:
    """The visitor.

    Attributes:
        moves, comments: with the times at which the server has answered
    """

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self.session = self.deleted = ""
        self.moves: list[tuple[str, float]] = []
        self.comments: dict[int, tuple[str, float]] = {}

    async def _say(self, kind: str, **message: Any) -> dict[str, Any]:
        await self._socket.send(json.dumps(message))
        return await next_of(self._socket, kind, self._page)

    async def arrive(self, address: str) -> dict[str, Any]:
        """Open the page; return the state."""
        self._socket, self._page = await connect(address), Page()
        state = await self._say("state", do="hello", session=self.session, owner="me")
        self.session = state["session"]
        return state

    async def begin(self) -> None:
        """Delete a game, and begin another."""
        self.moves, self.comments = [], {}
        await self._say("state", do="new", game="shogi", players=[None, None])
        await self._say("state", do="move", move="7g7f")
        self.deleted = (await self._say("left", do="game", game="shogi"))["id"]
        await self._say("kept", do="forget", id=self.deleted)
        await self._say("state", do="new", game="shogi", players=[None, None])

    async def play(self, seconds: float) -> None:
        """Make moves and comments."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            targets = self._page.state["targets"].values()
            moves = [move for each in targets for some in each.values() for move in some]
            if not moves:
                return
            state = await self._say("state", do="move", move=self._rng.choice(moves))
            self.moves.append((state["line"][-1]["text"], time.monotonic()))
            if self._rng.random() < 0.2:
                text = f"comment {len(self.moves)}"
                await self._say("state", do="comment", text=text)
                self.comments[len(self.moves)] = text, time.monotonic()
            await asyncio.sleep(self._rng.uniform(0.01, 0.1))

    async def missing(self, state: dict[str, Any], killed: float) -> int:
        """Return how many moves are missing. Raises AssertionError if one of them is old, or anything else is lost."""
        there, made = [move["text"] for move in state["line"][1:]], [text for text, _ in self.moves]
        old = sum(at < killed - OLD for _, at in self.moves)
        assert there == made[: len(there)] and len(there) >= old, (there, made)
        for ply, (text, at) in self.comments.items():
            assert at >= killed - OLD or state["line"][ply].get("comment") == text, (ply, text)
        kept = await self._say("kept", do="kept")
        assert self.deleted not in [game["id"] for game in kept["games"]]
        self.moves = self.moves[: len(there)]
        self.comments = {ply: said for ply, said in self.comments.items() if ply <= len(there)}
        return len(made) - len(there)


async def measure(server: Server, kills: int, rng: random.Random) -> list[int]:
    """Return how many moves were lost at each kill."""
    player, lost, moves = Player(rng), [], 0
    await player.arrive(server.address)
    for number in range(kills):
        if number % GAME_KILLS == 0:
            await player.begin()
        before = len(player.moves)
        await player.play(rng.uniform(0.8, 1.6))
        moves += len(player.moves) - before
        killed = time.monotonic()
        server.kill()
        server.start()
        lost.append(await player.missing(await player.arrive(server.address), killed))
    print(f"{moves} moves; lost at each kill: {lost}")
    return lost


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=10)
    args = parser.parse_args()
    server = Server(1)
    try:
        asyncio.run(measure(server, args.kills, random.Random(1)))
    finally:
        server.process.terminate()
        server.process.wait(20)
    return 0


if __name__ == "__main__":
    sys.exit(main())
