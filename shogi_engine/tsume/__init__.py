"""Tsume: mate problems that come with the package, one for each day, and what somebody has solved of them.

    from shogi_engine import tsume
    problem = tsume.daily()
    print(problem.sfen, problem.length, problem.grade, problem.moves)

`docs/mates.md` says what is sound about them, and how they were made.
"""

from shogi_engine.tsume.problems import FILE, GRADES, Problem, daily, problems
from shogi_engine.tsume.progress import Progress

__all__ = ["FILE", "GRADES", "Problem", "Progress", "daily", "problems"]
