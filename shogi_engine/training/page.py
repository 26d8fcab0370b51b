"""The report of a training run as an HTML page."""

import json

from shogi_engine.pages import render
from shogi_engine.training.recipe import Report


def page(report: Report) -> str:
    """Return the report as a page: the problems, then each fact as a table, below its curves if it has any."""
    facts = {
        name: fact if isinstance(fact, list) else [fact]
        for name, fact in report.facts.items()
        if name not in ("made", "problems")
    }
    made, problems = json.dumps(report.facts["made"], indent=1), report.facts["problems"]
    return render("training.html", title=report.title, made=made, problems=problems, facts=facts, curves=report.curves)
