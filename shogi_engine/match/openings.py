"""The openings of a match: any number of them, each determined by its number.

They are the lines of a file in a seeded order. When these are used up, or without a file, random moves are added that
leave the game balanced according to a small search. Otherwise, engines limited by nodes would repeat their games.
"""

import random
import threading
from dataclasses import dataclass
from pathlib import Path

from shogi_engine import games
from shogi_engine.common.text_files import read_text
from shogi_engine.engine import Engine
from shogi_engine.language import InputError

SHIPPED = Path(__file__).parent / "shogi_openings.txt"
TRIES = 50
BALANCE = 300  # the largest advantage after random moves, in the game's unit
BALANCE_NODES = 3000
RANDOM_PLIES = 8  # random moves in each opening, for a game without a file of openings


def read(path: Path) -> list[str]:
    """Return a file's openings: 'startpos moves ...' per line, '#' begins a comment. Raises OSError, ValueError."""
    text = read_text(path)
    lines = [line.split("#")[0].strip().removeprefix("position ") for line in text.splitlines()]
    openings = [line for line in lines if line]
    if not openings:
        raise InputError("there is no opening in {0}", path)
    for opening in openings:
        if not opening.startswith("startpos"):
            raise InputError("an opening must begin with startpos, not {0!r}", opening[:40])
    return openings


@dataclass(frozen=True)
class OpeningPlan:
    """The sources of a match's openings.

    Attributes:
        lines: the openings of a file
        plies: the number of random moves added to each; with 0, two are added once all lines are used
        balanced: whether the random moves must leave the game balanced; if not, none are added with 0 `plies`
    """

    game: str
    lines: tuple[str, ...]
    seed: int
    plies: int
    balanced: bool = True

    @classmethod
    def of(cls, game: str, path: Path | None = None, *, seed: int = 1, plies: int = 0) -> "OpeningPlan":
        """Return the plan for a file, by default the one shipped for the game if any. Raises OSError, ValueError."""
        games.check(game)
        path = path or (SHIPPED if game == "shogi" else None)
        lines = read(path) if path else ["startpos"]
        random.Random(seed).shuffle(lines)
        return cls(game, tuple(lines), seed, plies or (0 if path else RANDOM_PLIES))


class Openings:
    """Openings by number, for any thread."""

    def __init__(self, plan: OpeningPlan) -> None:
        self.plan = plan
        self._lock = threading.Lock()
        self._engine: Engine | None = None

    def __getitem__(self, number: int) -> str:
        """Return the moves of the opening of pair `number`. Raises ValueError if none is found."""
        plan = self.plan
        line = plan.lines[number % len(plan.lines)].removeprefix("startpos").removeprefix(" moves").strip()
        plies = plan.plies or (2 if plan.balanced and number >= len(plan.lines) else 0)
        if not plies:
            return line
        with self._lock:
            return self._lengthened(line, plies, random.Random(f"{plan.seed} {number}"))

    def _lengthened(self, line: str, plies: int, rng: random.Random) -> str:
        engine = self._engine = self._engine or Engine(self.plan.game, hash_mb=1)
        base = line.split()
        for _ in range(TRIES):
            engine.set_position(moves=base)
            while len(engine.moves) < len(base) + plies and (legal := engine.legal_moves()):
                engine.push(rng.choice(legal))
            if not engine.legal_moves():
                continue
            if not self.plan.balanced:
                return " ".join(engine.move_texts)
            engine.new_game()
            if abs(engine.search(nodes=BALANCE_NODES).value) <= BALANCE:
                return " ".join(engine.move_texts)
        raise InputError(
            "no balanced position was found {0} random moves after {1!r}, in {2} attempts",
            plies,
            line or "the start",
            TRIES,
        )
