"""HTML pages that load nothing from elsewhere: `render` fills a template, `chart` draws lines."""

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shogi_engine.language import plural, translate

if TYPE_CHECKING:
    from jinja2 import Environment

Point = tuple[float, float]
WIDTH, HEIGHT, EDGE = 720, 260, 40
COLOURS = ("#2f6fb8", "#c0501f", "#2f8f3f", "#7f4fa8")


@functools.cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    found = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.policies["json.dumps_kwargs"] = {"ensure_ascii": False}
    found.globals |= {"chart": chart, "_": translate, "plural": plural}
    return found


def render(template: str, **values: Any) -> str:
    """Return a page of this folder's `template`, filled with `values`; text in them is escaped."""
    return _environment().get_template(template).render(**values) + "\n"


def chart(
    title: str, lines: Mapping[str, Sequence[Point]], band: Sequence[tuple[float, float, float]] = (), clip: float = 0
) -> str:
    """Return lines through points as an SVG picture, '' without points.

    Args:
        lines: their points, by name
        band: (x, low, high) of an area around the lines
        clip: how far above and below the end of the first line the picture reaches; 0 for all points
    """
    from markupsafe import Markup

    points = [point for line in lines.values() for point in line]
    if not points:
        return ""
    (left, bottom), (right, top) = ([f(axis) for axis in zip(*points, strict=True)] for f in (min, max))
    if clip:
        end = next(iter(lines.values()))[-1][1]
        bottom, top = end - clip, end + clip
    wide, high = (right - left) or 1, (top - bottom) or 1

    def place(x: float, y: float) -> str:
        across, up = (x - left) / wide, min(max((y - bottom) / high, 0), 1)
        return f"{EDGE + across * (WIDTH - 2 * EDGE):.1f},{HEIGHT - EDGE - up * (HEIGHT - 2 * EDGE):.1f}"

    def path(points: Sequence[Point]) -> str:
        return " ".join(place(*point) for point in points)

    area = [(x, up) for x, _low, up in band] + [(x, low) for x, low, _high in reversed(band)]
    drawn = [(colour, name, path(line)) for colour, (name, line) in zip(COLOURS, lines.items(), strict=False)]
    zero = path([(left, 0), (right, 0)]) if bottom < 0 < top else ""
    size = {"width": WIDTH, "height": HEIGHT, "edge": EDGE, "left": left, "right": right, "bottom": bottom, "top": top}
    return Markup(render("chart.svg", title=title, lines=drawn, area=path(area), zero=zero, **size))
