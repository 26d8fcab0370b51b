"""Lessons: the rules of both games as small boards, on which one moves oneself until the rules say that it is done.

    from shogi_engine import lessons
    for lesson in lessons.lessons("shogi"):
        print(lesson.title, lesson.goals, lesson.board())

They are data, in `lessons.toml`: a position, what is to be done there, and the words. The opponent answers as it says
there, without an engine.
"""

import datetime
import functools
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shogi_engine import study
from shogi_engine.games.othello.names import CORNERS
from shogi_engine.language import InputError, translate
from shogi_engine.tsume import DONE, WRONG, YOURS, Progress, Verdict

FILE = Path(__file__).with_name("lessons.toml")
CONTEXT = "lesson"  # of the texts in the catalogue

# What a goal asks of a move: `goal(before, after, move, number)` with the Boards before and after it.
GOALS: dict[str, Callable[[Any, Any, Any, int], bool]] = {
    "capture": lambda before, after, move, _: bool(before.is_capture(move)),
    "capture all": lambda before, after, move, _: (
        sum(piece.color == after.turn for piece in after.piece_map().values()) == 1
    ),
    "promote": lambda before, after, move, _: bool(move.promotion),
    "drop": lambda before, after, move, _: move.drop_piece_type is not None,
    "check": lambda before, after, move, _: bool(after.is_check()),
    "mate": lambda before, after, move, _: bool(after.is_checkmate()),
    "flip": lambda before, after, move, number: after.count(before.turn) - before.count(before.turn) > number,
    "corner": lambda before, after, move, _: str(move) in CORNERS,
    "keep the corners": lambda before, after, move, _: not {*map(str, after.legal_moves)} & {*CORNERS},
    "pass": lambda before, after, move, _: bool(after.must_pass()),
    "win": lambda before, after, move, _: (over := after.outcome()) is not None and over.winner == before.turn,
}
AFTER_REPLY: dict[str, Callable[[Any], bool]] = {  # what is asked of the Board after the opponent's reply
    "declare": lambda board: bool(board.can_declare_win()),
    "repetition": lambda board: bool(board.is_fourfold_repetition()),
}


@dataclass(frozen=True, kw_only=True)
class Lesson(study.Problem):
    """A board of a course. Its `line` has the moves of both sides; `kind` is ''.

    Attributes:
        name: within its game
        title, text, more: the words: what it is called, what is to be done, and what is said after that
        goals: of GOALS and AFTER_REPLY; a number is the least
    """

    name: str
    title: str
    text: str
    goals: tuple[str, ...]
    more: str = ""

    @property
    def key(self) -> str:
        """The name under which progress is kept."""
        return f"{self.game} {self.name}"

    @property
    def lines(self) -> Iterator[Sequence[str]]:
        """The lines that can be shown."""
        yield self.line

    def task(self, language: str) -> str:
        """Return what is to be done."""
        return translate(self.text, language, CONTEXT)

    def heading(self, language: str) -> str:
        """Return the title."""
        return translate(self.title, language, CONTEXT)

    def where(self, language: str) -> str:
        """Return '': a lesson has no source."""
        return ""

    def reasons(self, language: str) -> tuple[str, ...]:
        """Return what is said afterwards."""
        return (translate(self.more, language, CONTEXT),) if self.more else ()


@functools.cache
def lessons(game: str) -> tuple[Lesson, ...]:
    """Return a game's lessons, in the order of the course."""
    rows = tomllib.loads(FILE.read_text(encoding="utf-8")).get(game, [])
    return tuple(_lesson(game, **row) for row in rows)


def _lesson(game: str, **row: Any) -> Lesson:
    moves, goals = tuple(row.pop("line").split()), tuple(row.pop("goal").split(", "))
    return Lesson(game=game, kind="", answers=moves[:1], line=moves, played="", goals=goals, **row)


def texts() -> Iterator[str]:
    """Yield all texts, for the catalogue."""
    for game in tomllib.loads(FILE.read_text(encoding="utf-8")):
        for lesson in lessons(game):
            yield from filter(None, (lesson.title, lesson.text, lesson.more))


class Attempt(study.Attempt):
    """One attempt at a lesson: wrong moves are part of learning, only a shown answer is not."""

    problem: Lesson

    def mates(self, moves: Sequence[str]) -> bool:
        """Return False: no engine defends."""
        return False

    def tried(self, moves: Sequence[str], board: Any) -> Verdict:
        """Judge the user's last move by the rules; the opponent's reply comes with it."""
        lesson = self.problem
        before = lesson.board()
        for text in moves[:-1]:
            before.push_text(text)
        move, after = before.parse_text(moves[-1]), before.copy()
        after.push(move)
        if _reached(lesson, before, after, move):
            return Verdict(DONE)
        if len(moves) >= len(lesson.line) or after.is_game_over():
            return Verdict(WRONG)
        replies, wanted = [*map(str, after.legal_moves)], lesson.line[len(moves)]
        reply = wanted if wanted in replies else replies[0]
        after.push_text(reply)
        if all(goal in AFTER_REPLY and AFTER_REPLY[goal](after) for goal in lesson.goals):
            return Verdict(DONE, (reply,))
        return Verdict(YOURS if len(moves) + 1 < len(lesson.line) else WRONG, (reply,))

    def hint(self, moves: Sequence[str]) -> str:
        """Return the next move of the line, '' elsewhere."""
        made = len(moves)
        return self.line[made] if made < len(self.line) and tuple(moves) == self.line[:made] else ""


def _reached(lesson: Lesson, before: Any, after: Any, move: Any) -> bool:
    """Tell whether a move reaches all goals."""
    for goal in lesson.goals:
        name, _, number = goal.rpartition(" ") if goal[-1].isdigit() else (goal, "", "0")
        if goal in AFTER_REPLY or not GOALS[name](before, after, move, int(number)):
            return False
    return True


class Course:
    """The lessons of a game from one on: a study.Source.

    Args:
        first: the name of that lesson, '' for the first one that is not done
        progress: where it is noted, None for nowhere

    Attributes:
        size: how many lessons the game has
        found: how many of them are done
    """

    def __init__(self, game: str, first: str = "", progress: Progress | None = None) -> None:
        self.game, self._progress, every = game, progress, lessons(game)
        self.size = len(every)
        names = [each.name for each in every]
        if first not in ("", *names):
            raise InputError("there is no such lesson")
        begin = names.index(first) if first else next((place for place, done in enumerate(self.done()) if not done), 0)
        self._left = every[begin:]

    def done(self) -> list[bool]:
        """Tell of each lesson whether it was done."""
        progress = self._progress
        return [progress is not None and progress.is_solved(each) for each in lessons(self.game)]

    @property
    def found(self) -> int:
        """How many lessons are done."""
        return sum(self.done())

    def due(self, at: datetime.datetime | None = None) -> Sequence[Lesson]:
        """Return the lessons that are left."""
        return self._left

    def next_due(self) -> None:
        """Return None: they do not come back."""

    def attempt(self, problem: study.Problem) -> Attempt:
        """Return a new attempt at a lesson."""
        return Attempt(problem)

    def review(self, problem: Any, rating: study.Rating, at: datetime.datetime | None = None) -> None:
        """Note a lesson that was done."""
        if self._progress is not None and rating != study.Rating.Again:
            self._progress.solve(problem, helped=rating != study.Rating.Good)
