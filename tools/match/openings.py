"""The openings of a match: as many as it needs, each the same whenever asked for by its number.

A file's lines in a seeded order; when they are used up, or where there is no file, with some random moves added that
leave the game balanced by a small search: engines that play by nodes would else repeat their games.
"""

import random
import threading
from pathlib import Path

from shogi_engine.game import Game
from shogi_engine.search.limits import Limits
from tools.match.arena import Referee, SearchPlayer

SHIPPED = Path(__file__).parent.parent / "data" / "shogi_openings.txt"
TRIES = 50
BALANCE_NODES = 3000
RANDOM_PLIES = 8  # of each opening, for a game without a file of openings


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

    path : of a file for `read`; None for the game's shipped one, or none.   plies : random moves added to each; 0: two
    in each further round through the file, or RANDOM_PLIES without one.   balance : the most that either side may be
    ahead after random moves, in the game's unit. Raises OSError, ValueError.
    """

    def __init__(
        self, game: Game, path: Path | None = None, *, seed: int = 1, plies: int = 0, balance: int = 300
    ) -> None:
        self.path = path or (SHIPPED if game.name == "shogi" else None)
        self.lines = read(self.path) if self.path else ["startpos"]
        self.plies = plies or (0 if self.path else RANDOM_PLIES)
        self.game, self.seed, self.balance = game, seed, balance
        random.Random(seed).shuffle(self.lines)
        self._lock = threading.Lock()
        self._referee: Referee | None = None
        self._judge: SearchPlayer | None = None

    def __getitem__(self, number: int) -> str:
        """Return the opening, its moves alone, of pair `number`."""
        line = self.lines[number % len(self.lines)].removeprefix("startpos").removeprefix(" moves").strip()
        plies = self.plies or (2 if number >= len(self.lines) else 0)
        if not plies:
            return line
        with self._lock:
            return self._lengthened(line, plies, random.Random(f"{self.seed} {number}"))

    def _lengthened(self, line: str, plies: int, rng: random.Random) -> str:
        referee = self._referee = self._referee or Referee(self.game)
        judge = self._judge = self._judge or SearchPlayer(self.game, hash_mb=1)
        judge.limits = Limits(nodes=BALANCE_NODES)
        base = referee.parse(line)
        for _ in range(TRIES):
            moves = list(base)
            while len(moves) < len(base) + plies and (legal := referee.legal_moves(moves)):
                moves.append(rng.choice(legal))
            if not referee.legal_moves(moves):
                continue
            judge.new_game()
            _, score = judge.choose(moves)
            if score is not None and abs(score) <= self.balance:
                return referee.format(moves)
        raise ValueError(f"no balanced position {plies} random moves after {line or 'the start'!r} in {TRIES} tries")
