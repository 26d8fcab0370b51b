"""Kill `shogi-engine serve` in games (kill -9) and start it again: what is lost?

    python -m tools.measure.web_kills --kills 10

A visitor makes random moves and comments, and has deleted a game. After each kill the position must have all moves and
comments for which the server has said `done`, and the deleted game must not be back.
"""

import argparse
import asyncio
import json
import random
import sys
import time
from typing import Any

from tools.measure.web_load import Page, Server, ask, connect, next_of

GAME_KILLS = 5  # after which another game is begun: most random games are longer


class Player:
    """The visitor.

    Attributes:
        moves, comments: those for which the server has said `done`
    """

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self.session = self.deleted = ""
        self.moves: list[str] = []
        self.comments: dict[int, str] = {}

    async def _ask(self, kind: str, **message: Any) -> dict[str, Any]:
        """Send a message; when it is done, return the reply of a kind."""
        came = await ask(self._socket, self._page, message)
        assert came[-1]["kind"] == "done", came[-1]
        return [each for each in came if each["kind"] == kind][-1]

    async def arrive(self, address: str) -> dict[str, Any]:
        """Open the page; return the state."""
        self._socket, self._page = await connect(address), Page()
        await self._socket.send(json.dumps({"do": "hello", "session": self.session, "owner": "me"}))
        state = await next_of(self._socket, "state", self._page)
        self.session = state["session"]
        return state

    async def begin(self) -> None:
        """Delete a game, and begin another."""
        self.moves, self.comments = [], {}
        await self._ask("state", do="new", game="shogi", players=[None, None])
        await self._ask("state", do="move", move="7g7f")
        self.deleted = (await self._ask("left", do="game", game="shogi"))["id"]
        await self._ask("kept", do="forget", id=self.deleted)
        await self._ask("state", do="new", game="shogi", players=[None, None])

    async def play(self, seconds: float) -> None:
        """Make moves and comments."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            targets = self._page.state["targets"].values()
            moves = [move for each in targets for some in each.values() for move in some]
            if not moves:
                return
            state = await self._ask("state", do="move", move=self._rng.choice(moves))
            self.moves.append(state["line"][-1]["text"])
            if self._rng.random() < 0.2:
                await self._ask("state", do="comment", text=f"comment {len(self.moves)}")
                self.comments[len(self.moves)] = f"comment {len(self.moves)}"
            await asyncio.sleep(self._rng.uniform(0.01, 0.1))

    async def check(self, state: dict[str, Any]) -> None:
        """Raise AssertionError if anything is lost."""
        there = [move["text"] for move in state["line"][1:]]
        assert there == self.moves, (there, self.moves)
        comments = {ply: move["comment"] for ply, move in enumerate(state["line"]) if move.get("comment")}
        assert comments == self.comments, (comments, self.comments)
        kept = await self._ask("kept", do="kept")
        assert self.deleted not in [game["id"] for game in kept["games"]]


async def measure(server: Server, kills: int, rng: random.Random) -> None:
    """Kill the server this often. Raises AssertionError if anything is lost."""
    player, moves = Player(rng), 0
    await player.arrive(server.address)
    for number in range(kills):
        if number % GAME_KILLS == 0:
            await player.begin()
        before = len(player.moves)
        await player.play(rng.uniform(0.8, 1.6))
        moves += len(player.moves) - before
        server.kill()
        server.start()
        await player.check(await player.arrive(server.address))
    print(f"{kills} kills, {moves} moves: none is lost")


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=10)
    args = parser.parse_args()
    with Server(1) as server:
        asyncio.run(measure(server, args.kills, random.Random(1)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
