"""Tsume: the package's mate problems, one for each day, and a record of which problems the user has solved.

    from shogi_engine import tsume
    problem = tsume.daily()
    print(problem.sfen, problem.length, problem.grade, problem.moves)

`docs/mates.md` describes how they were made and checked.
"""

import contextlib
import datetime
import functools
import json
import random
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from shogi_engine.common.files import data_folder, json_of, locked, write_whole
from shogi_engine.language import Message, mark, translate
from shogi_engine.records import GameRecord

# ---- The problems, easiest first, and the one of a day. Standard library only


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

    @property
    def key(self) -> str:
        """The name under which progress is kept: numbers may change between versions."""
        return self.sfen


class Solvable(Protocol):
    """Something of which progress is kept."""

    @property
    def key(self) -> str:
        """The name under which it is kept."""


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


@functools.cache
def daily_problems() -> tuple[Problem, ...]:
    """Return the problems of days, from one whose ordinal is a multiple of their number on."""
    some = [each for each in problems() if each.length in DAILY_LENGTHS]
    random.Random(_SHUFFLE).shuffle(some)
    return tuple(some)


def daily(day: datetime.date | None = None) -> Problem:
    """Return the problem of a day, by default today: the same everywhere; none repeats before all were used."""
    some = daily_problems()
    return some[(day or datetime.date.today()).toordinal() % len(some)]


# ---- Mate problems as files: a line each with the position and the solution, and records


TITLE = mark("No. {number}: mate in {length}, grade {grade}")
HEADINGS = (mark("Tsume"), mark("Tsume: mate in {length}"))


def title(problem: Problem, language: str = "") -> str:
    """Return a problem's number, plies and grade as text."""
    words = translate(TITLE, language)
    return words.format(number=problem.number, length=problem.length, grade=problem.grade)


def heading(problems: Iterable[Problem], language: str = "") -> str:
    """Return the title of a page of problems."""
    lengths = {each.length for each in problems}
    same = len(lengths) == 1
    return translate(HEADINGS[same], language).format(length=min(lengths, default=0))


def as_text(problems: Iterable[Problem]) -> str:
    """Return a line for each problem: the SFEN, a tab, and the solution, its moves separated by blanks."""
    return "".join(f"{each.sfen}\t{' '.join(each.moves)}\n" for each in problems)


def as_records(problems: Iterable[Problem], language: str = "") -> list[GameRecord]:
    """Return the problems as records, whose moves are the solution."""
    made = []
    for each in problems:
        made.append(GameRecord.from_moves("shogi", each.moves, start=each.sfen, comments={0: title(each, language)}))
    return made


# ---- Progress: which problems the user has solved, in a file of the user's folder. Standard library and platformdirs


NAME = "tsume.json"
TIMEOUT = 5.0  # seconds to wait for another process that writes the file


class Progress:
    """The problems that were solved: tsume, and lessons.

    Several processes can use a file. One that cannot be read counts as empty, and is not overwritten. What cannot be
    written is known until the end of the process.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.file = file or data_folder() / NAME
        self._rows: dict[str, dict[str, Any]] = {}
        with contextlib.suppress(OSError, ValueError):
            self._rows = self._read()

    def _read(self) -> dict[str, dict[str, Any]]:
        """Return the file's rows. Raises OSError, and ValueError if it is damaged."""
        try:
            found = json_of(self.file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        if not isinstance(found, dict) or not all(isinstance(row, dict) for row in found.values()):
            raise ValueError(self.file)
        return found

    def is_solved(self, problem: Solvable) -> bool:
        """Tell whether the problem was solved, with or without help."""
        return "solved" in self._rows.get(problem.key, {})

    def solve(self, problem: Solvable, helped: bool = False) -> None:
        """Note that the problem was solved. Raises OSError if it cannot be written.

        Args:
            helped: by a hint
        """
        self._note(problem, {"solved": datetime.date.today().isoformat(), "helped": helped})

    def fail(self, problem: Solvable) -> None:
        """Note a wrong move. Raises OSError if it cannot be written."""
        self._note(problem, {})

    def count(self, some: Iterable[Solvable]) -> int:
        """Return how many of the problems in `some` were solved."""
        return sum(map(self.is_solved, some))

    def next_of(self, some: Iterable[Problem]) -> Problem | None:
        """Return the first problem in `some` that was not solved, None if all were."""
        return next((each for each in some if not self.is_solved(each)), None)

    def _note(self, problem: Solvable, solution: dict[str, Any]) -> None:
        """Note a solution, or a wrong move if it is empty, together with what other processes have noted meanwhile."""
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with locked(self.file, TIMEOUT):
                rows = with_note(self._rows | self._read(), problem.key, solution)
                write_whole(self.file, json.dumps(rows, indent=1).encode())
                self._rows = rows
        except (OSError, ValueError) as fault:
            self._rows = with_note(self._rows, problem.key, solution)
            if isinstance(fault, OSError):
                raise
            raise OSError(Message("{0} is damaged, and nothing is written to it", self.file)) from None


def with_note(rows: dict[str, dict[str, Any]], key: str, solution: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return `rows` with a solution, or with one more wrong move if it is empty."""
    row = rows.get(key, {})
    return rows | {key: row | (solution or {"wrong": int(row.get("wrong", 0)) + 1})}


__all__ = ["FILE", "GRADES", "Problem", "Progress", "as_records", "as_text", "daily", "heading", "problems", "title"]
