"""Mate problems as files: a line each with the position and the solution, and records."""

from collections.abc import Iterable

from shogi_engine.language import mark, translate
from shogi_engine.records import GameRecord
from shogi_engine.tsume.problems import Problem

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
