"""The problems, easiest first, and the one of a day. Standard library only."""

import datetime
import functools
import random
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("problems.txt")
GRADES = 10
DAILY_LENGTHS = range(3, 10)  # plies of the daily problems
_SHUFFLE = 20260  # the seed of the order of the daily problems


@dataclass(frozen=True)
class Problem:
    """A mate problem; black mates. It has one solution, and some longest defence leaves black no piece in hand.

    Attributes:
        number: from 1, the easiest first
        length: plies of the mate
        grade: 1 (easy) to GRADES, as measured
        source: 'composed', or 'game' if it comes from a game of this engine
        moves: the solution, in USI
    """

    number: int
    sfen: str
    length: int
    grade: int
    source: str
    moves: tuple[str, ...]


@functools.cache
def problems(length: int | None = None, grade: int | None = None) -> tuple[Problem, ...]:
    """Return the problems, optionally only those of a length or a grade."""
    if length is not None or grade is not None:
        return tuple(each for each in problems() if length in (None, each.length) and grade in (None, each.grade))
    lines = [line for line in FILE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return tuple(_problem(number, line) for number, line in enumerate(lines, 1))


def _problem(number: int, line: str) -> Problem:
    grade, length, source, sfen, moves = line.split("\t")
    return Problem(number, sfen, int(length), int(grade), source, tuple(moves.split()))


def daily(day: datetime.date | None = None) -> Problem:
    """Return the problem of a day, by default today: the same everywhere; none repeats before all were used."""
    day = day or datetime.date.today()
    some = [each for each in problems() if each.length in DAILY_LENGTHS]
    random.Random(_SHUFFLE).shuffle(some)
    return some[day.toordinal() % len(some)]
