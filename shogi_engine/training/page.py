"""The report of a training run as an HTML page."""

import html
import json
from collections.abc import Mapping, Sequence
from typing import Any

from shogi_engine.training.recipe import Report


def polylines(series: Mapping[str, Sequence[tuple[float, float]]], title: str) -> str:
    """Return lines through points as an SVG picture."""
    wide, high, edge = 480, 240, 40
    points = [point for line in series.values() for point in line]
    if not points:
        return ""
    (left, bottom), (right, top) = (tuple(f(axis) for axis in zip(*points, strict=True)) for f in (min, max))
    across, up = (right - left) or 1, (top - bottom) or 1
    parts = [f'<svg width="{wide}" height="{high}" role="img" aria-label="{html.escape(title)}">']
    colours = ("#1f5fa8", "#c0501f", "#2f8f3f", "#7f4fa8")
    for colour, (name, line) in zip(colours, series.items(), strict=False):
        places = [((x - left) / across * (wide - 2 * edge), (y - bottom) / up * (high - 2 * edge)) for x, y in line]
        placed = " ".join(f"{edge + x:.1f},{high - edge - y:.1f}" for x, y in places)
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{placed}"/>')
        parts.append(f'<text x="{edge}" y="{14 * (1 + list(series).index(name))}" fill="{colour}">{name}</text>')
    parts.append(f'<text x="4" y="{high - edge}">{bottom:.3g}</text><text x="4" y="{edge}">{top:.3g}</text>')
    parts.append(f'<text x="{edge}" y="{high - 8}">{left:.3g}</text>')
    parts.append(f'<text x="{wide - edge}" y="{high - 8}">{right:.3g}</text></svg>')
    return "".join(parts)


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Return rows of one kind as an HTML table."""
    if not rows:
        return ""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in rows[0])

    def cell(value: Any) -> str:
        return html.escape(f"{value:.5f}" if isinstance(value, float) else str(value))

    body = "".join("<tr>" + "".join(f"<td>{cell(value)}</td>" for value in row.values()) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def page(report: Report) -> str:
    """Return the report as a page: the problems, then each fact as a table, below its curves if it has any."""
    facts = report.facts
    verdict = "".join(f"<li>{html.escape(problem)}</li>" for problem in facts["problems"]) or "<li>nothing</li>"
    parts = [
        f"<!doctype html><meta charset='utf-8'><title>{html.escape(report.title)}</title>",
        "<style>body{font:14px sans-serif;margin:2em}td,th{padding:2px 10px;text-align:right}</style>",
        f"<h1>{html.escape(report.title)}</h1><pre>{html.escape(json.dumps(facts['made'], indent=1))}</pre>",
        f"<h2>What looks wrong</h2><ul>{verdict}</ul>",
    ]
    for name, fact in facts.items():
        if name in ("made", "problems"):
            continue
        parts.append(f"<h2>{html.escape(name[:1].upper() + name[1:])}</h2>")
        if name in report.curves:
            parts.append(polylines(report.curves[name], name))
        parts.append(table(fact if isinstance(fact, list) else [fact]))
    return "\n".join(parts) + "\n"
