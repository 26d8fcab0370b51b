"""Tsume: the package's mate problems, one for each day, and a record of which problems the user has solved.

    from shogi_engine import tsume
    problem = tsume.daily()
    print(problem.sfen, problem.length, problem.grade, problem.moves)

`docs/mates.md` describes how they were made and checked.
"""

from shogi_engine.tsume.files import as_records, as_text, heading, title
from shogi_engine.tsume.problems import FILE, GRADES, Problem, daily, problems
from shogi_engine.tsume.progress import Progress

__all__ = ["FILE", "GRADES", "Problem", "Progress", "as_records", "as_text", "daily", "heading", "problems", "title"]
