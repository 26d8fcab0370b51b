"""The openings of a match: as many as it needs, each the same whenever asked for by its number.

A file's lines in a seeded order; when they are used up, or where there is no file, with some random moves added that
leave the game balanced by a small search: engines that play by nodes would else repeat their games.
"""

import random
import threading
from pathlib import Path

from arena import Arena

from shogi_engine.game import Game
from shogi_engine.search.limits import Limits

SHIPPED = Path(__file__).parent / "data" / "shogi_openings.txt"
TRIES = 50


def read(path: Path) -> list[str]:
    """Return a file's openings: 'startpos moves ...' a line, '#' begins a comment. Raises OSError, ValueError."""
    lines = [line.split("#")[0].strip().removeprefix("position ") for line in path.read_text().splitlines()]
    openings = [line for line in lines if line]
    if not openings:
        raise ValueError(f"there is no opening in {path}")
    for opening in openings:
        if not opening.startswith("startpos"):
            raise ValueError(f"an opening begins with startpos, unlike {opening[:40]!r}")
    return openings


class Openings:
    """Openings by number, for any thread.

    lines : as `read` returns them, or ["startpos"].   plies : random moves added to each; if 0, two in each further
    round through the lines.   balance : the most that either side may be ahead after random moves, in the game's unit.
    """

    def __init__(self, game: Game, lines: list[str], *, seed: int = 1, plies: int = 0, balance: int = 300) -> None:
        self.game, self.seed, self.plies, self.balance = game, seed, plies, balance
        self.lines = list(lines)
        random.Random(seed).shuffle(self.lines)
        self._lock = threading.Lock()
        self._arena: Arena | None = None

    def __getitem__(self, number: int) -> str:
        """Return the opening, its moves alone, of pair `number`."""
        line = self.lines[number % len(self.lines)].removeprefix("startpos").removeprefix(" moves").strip()
        plies = self.plies or (2 if number >= len(self.lines) else 0)
        if not plies:
            return line
        with self._lock:
            return self._lengthened(line, plies, random.Random(f"{self.seed} {number}"))

    def _lengthened(self, line: str, plies: int, rng: random.Random) -> str:
        if self._arena is None:
            self._arena = Arena(self.game, hash_mb=1)
        arena = self._arena
        judge, start = arena.players[0], self.game.parse_position(self.game.start)
        base = arena.parse(line)
        for _ in range(TRIES):
            moves = list(base)
            for _ in range(plies):
                legal = judge.root_moves(start, moves)
                if not legal:
                    break
                moves.append(rng.choice(legal))
            else:
                judge.new_game()
                if judge.root_moves(start, moves):
                    found = judge.search(start, moves, Limits(nodes=3000))
                    if abs(found.score) <= self.balance:
                        return arena.format(moves)
        raise ValueError(f"no balanced position {plies} random moves after {line or 'the start'!r} in {TRIES} tries")
