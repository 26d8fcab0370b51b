"""Study: a player's own mistakes as problems, which come back until they are known.

    from shogi_engine import analysis, records, study
    game = analysis.analyse(records.load("game.kif")[0])
    with study.Store() as store:
        store.add(study.problems_of(game, side="black"))
        for problem in store.due():
            print(problem.position, problem.answers)
            store.review(problem, study.Rating.Good)

`docs/study.md` says which mistakes become problems, and when they come back.
"""

from fsrs import Rating

from shogi_engine.study.problems import (
    KINDS,
    Accepted,
    Attempt,
    Examined,
    Problem,
    Retry,
    Source,
    TurningPoints,
    as_records,
    as_text,
    problems_of,
    problems_of_lines,
    reply_line,
)
from shogi_engine.study.sheet import diagram, is_problem, sheet
from shogi_engine.study.store import NAME, Store

__all__ = [
    "KINDS", "NAME", "Accepted", "Attempt", "Examined", "Problem", "Rating", "Retry", "Source", "Store",
    "TurningPoints",
    "as_records", "as_text", "diagram", "is_problem", "problems_of", "problems_of_lines", "reply_line", "sheet",
]  # fmt: skip
