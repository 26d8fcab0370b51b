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

from shogi_engine.study.attempt import Attempt, Retry, reply_line
from shogi_engine.study.files import as_records, as_text
from shogi_engine.study.problems import KINDS, Accepted, Examined, Problem, problems_of
from shogi_engine.study.sheet import diagram, is_problem, sheet
from shogi_engine.study.store import NAME, Store
from shogi_engine.study.turning import Source, TurningPoints

__all__ = [
    "KINDS", "NAME", "Accepted", "Attempt", "Examined", "Problem", "Rating", "Retry", "Source", "Store",
    "TurningPoints",
    "as_records", "as_text", "diagram", "is_problem", "problems_of", "reply_line", "sheet",
]  # fmt: skip
