"""A match as a page: the table, the course of Elo, the cross table, and every game."""

from collections.abc import Mapping, Sequence
from typing import Any

from shogi_engine.common.match_statistics import Sprt
from shogi_engine.match import report
from shogi_engine.match.runner import Record
from shogi_engine.pages import render


def _game(game: int, record: Record, names: Sequence[str]) -> dict[str, Any]:
    """Return what the page says about a game."""
    first, second = report.meeting_of(record)
    black, white = (second, first) if game % 2 else (first, second)
    points = record["score"] if game % 2 == 0 else 1 - record["score"]
    result = {1.0: "1-0", 0.5: "1/2", 0.0: "0-1"}[points]
    cells = [game, names[black], names[white], result, record["reason"]]
    return {"cells": cells, "plies": record["plies"], "moves": record["moves"]}


def page(title: str, records: Mapping[int, Record], names: Sequence[str], sprt: Sprt | None = None) -> str:
    """Return the page's HTML.

    Args:
        names: the players' names, by number
    """
    summary, steps, meetings = None, [], []
    if len(names) == 2:
        summary = report.summarise(records, sprt)
        steps = report.course({game: record["score"] for game, record in records.items()}, sprt)
    else:
        meetings = [
            [name, *("" if sum(cell) == 0 else "+{} ={} -{}".format(*cell) for cell in line)]
            for name, line in zip(names, report.crosstable(records, len(names)), strict=True)
        ]
    return render(
        "match.html",
        title=title,
        names=names,
        summary=summary and report.line(summary),
        columns=report.COLUMNS,
        standings=[report.cells(row) for row in report.standings(records, names)],
        elo=[(count, each.elo) for count, each, _ in steps],
        course=[(count, each.low, each.high) for count, each, _ in steps],
        clip=6 * max(steps[-1][1].error, 5) if steps else 0,
        llr=[(count, ratio) for count, _, ratio in steps] if sprt else [],
        reasons=list(summary["reasons"].items()) if summary else [],
        meetings=meetings,
        games=[_game(game, record, names) for game, record in sorted(records.items())],
    )
