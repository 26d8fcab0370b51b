"""A match as a self-contained page: the table, the course of Elo, the cross table, and every game."""

from collections.abc import Mapping, Sequence
from html import escape

from shogi_engine.common.match_statistics import Sprt
from shogi_engine.match import report
from shogi_engine.match.runner import Record

WIDTH, HEIGHT, EDGE = 720, 260, 40
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em; color: #222 }
table { border-collapse: collapse; margin: 1em 0 } td, th { padding: .2em .7em; border-bottom: 1px solid #ddd }
td { text-align: right } td:first-child, .text td { text-align: left } .moves { font: 12px monospace; color: #555 }
svg { background: #fafafa; border: 1px solid #ddd } summary { cursor: pointer }
@media (prefers-color-scheme: dark) { body { background: #1b1b1b; color: #ddd } svg { background: #eee } }
"""


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["".join(f"<th>{escape(cell)}</th>" for cell in head)]
    lines += ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
    return "<table>" + "".join(f"<tr>{line}</tr>\n" for line in lines) + "</table>"


def _graph(scores: Mapping[int, float], sprt: Sprt | None) -> str:
    """Return a graph of Elo and its interval over the games as SVG, '' before the second pair."""
    steps = report.course(scores, sprt)
    if len(steps) < 2:
        return ""
    last = steps[-1][1]
    span = 6 * max(last.error, 5)
    games = steps[-1][0]

    def point(count: int, elo: float) -> str:
        x = EDGE + (WIDTH - 2 * EDGE) * count / games
        y = HEIGHT / 2 - (HEIGHT / 2 - EDGE / 2) * max(-1.0, min(1.0, (elo - last.elo) / span))
        return f"{x:.1f},{y:.1f}"

    band = [point(count, each.high) for count, each, _ in steps]
    band += [point(count, each.low) for count, each, _ in reversed(steps)]
    line = " ".join(point(count, each.elo) for count, each, _ in steps)
    zero = [point(0, 0.0), point(games, 0.0)] if abs(last.elo) < span else []
    texts = "".join(
        f"<text x='2' y='{float(point(0, last.elo + shift).split(',')[1]) + 4:.0f}' font-size='11'>"
        f"{last.elo + shift:+.0f}</text>"
        for shift in (-span, 0.0, span)
    )
    return (
        f"<h2>Elo of the first by games</h2><svg viewBox='0 0 {WIDTH} {HEIGHT}' width='{WIDTH}'>"
        f"<polygon points='{' '.join(band)}' fill='#9cf' opacity='.5'/>"
        f"<polyline points='{' '.join(zero)}' stroke='#888'/>"
        f"<polyline points='{line}' fill='none' stroke='#036' stroke-width='2'/>{texts}"
        f"<text x='{WIDTH - EDGE}' y='{HEIGHT - 4}' font-size='11'>{games} games</text></svg>"
    )


def _games(records: Mapping[int, Record], names: Sequence[str]) -> str:
    rows = []
    for game, record in sorted(records.items()):
        first, second = report.meeting_of(record)
        black, white = (second, first) if game % 2 else (first, second)
        points = record["score"] if game % 2 == 0 else 1 - record["score"]
        result = {1.0: "1-0", 0.5: "1/2", 0.0: "0-1"}[points]
        moves = f"<details><summary>{record['plies']} plies</summary><div class='moves'>{escape(record['moves'])}</div>"
        cells = [str(game), names[black], names[white], result, record["reason"]]
        rows.append("".join(f"<td>{escape(cell)}</td>" for cell in cells) + f"<td>{moves}</details></td>")
    head = "".join(f"<th>{cell}</th>" for cell in ("game", "black", "white", "result", "why", "moves"))
    return f"<table class='text'><tr>{head}</tr>" + "".join(f"<tr>{row}</tr>\n" for row in rows) + "</table>"


def page(title: str, records: Mapping[int, Record], names: Sequence[str], sprt: Sprt | None = None) -> str:
    """Return the page's HTML.

    Args:
        names: the players' names, by number
    """
    parts = [f"<h1>{escape(title)}</h1>"]
    if len(names) == 2:
        summary = report.summarise(records, sprt)
        parts.append(f"<p>{escape(names[0])} against {escape(names[1])}: {escape(report.line(summary))}</p>")
    parts.append(_table(report.COLUMNS, [report.cells(row) for row in report.standings(records, names)]))
    if len(names) == 2:
        parts.append(_graph({game: record["score"] for game, record in records.items()}, sprt))
        parts.append("<h2>How games ended</h2>")
        parts.append(_table(("", "games"), [(reason, str(n)) for reason, n in summary["reasons"].items()]))
    else:
        table = report.crosstable(records, len(names))
        rows = [
            [name, *("" if sum(cell) == 0 else "+{} ={} -{}".format(*cell) for cell in line)]
            for name, line in zip(names, table, strict=True)
        ]
        parts += ["<h2>Who met whom</h2>", _table(("", *names), rows)]
    parts += ["<h2>Games</h2>", _games(records, names)]
    body = "\n".join(filter(None, parts))
    return (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{escape(title)}</title>"
        f"<style>{STYLE}</style><body>\n{body}\n</body></html>\n"
    )
