"""Elements of board pictures for all games: SVG as text, without ids, so that a page can show many pictures."""

import math
from collections.abc import Sequence

from shogi_engine.language import InputError

Point = tuple[float, float]

COLOUR, BOOK = STYLES = ("colour", "book")  # of pictures: as on a screen, and as printed in books
BEST, SECOND, OTHER, REPLY = "best", "second", "other", "reply"  # kinds of arrows and rings, also their CSS classes
INKS = {BEST: "#1f6fd1", SECOND: "#d98a1f", OTHER: "#2f9e6b", REPLY: "#c2452d"}
BEHIND_TEXT = {BEST: "#14498a", SECOND: "#7a4a00", OTHER: "#17402a", REPLY: "#17402a"}  # the fill of a ring with a text
WIDTHS = {BEST: 9.0, SECOND: 6.0, OTHER: 6.0, REPLY: 6.0}
REPLIES = 2  # the number of moves drawn after the first move of the best line
PNG_FONTS = "Arial, Helvetica, Liberation Sans, DejaVu Sans, Noto Sans, sans-serif"  # for digits: one that is installed
_HEAD = 2.2  # an arrowhead's width, in widths of the arrow


def square_area(name: str, x: float, y: float, size: float) -> str:
    """Return an invisible square that receives clicks, for programs in which users make moves."""
    return (
        f'<rect class="square" data-square="{name}" x="{x:g}" y="{y:g}" width="{size:g}" height="{size:g}" '
        'fill="none" pointer-events="all"/>'
    )


def polygon(points: Sequence[Point]) -> str:
    """Return the path data of a polygon."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + "Z"


def arrow(start: Point, end: Point, kind: str) -> str:
    """Return an arrow of a kind between the centres of two squares; '' if they are the same."""
    length = math.dist(start, end)
    if length == 0:
        return ""
    width = WIDTHS[kind]
    along = ((end[0] - start[0]) / length, (end[1] - start[1]) / length)
    across = (-along[1], along[0])
    neck = max(length - 2 * width, 0.0)

    def at(distance: float, aside: float) -> Point:
        return (
            start[0] + along[0] * distance + across[0] * aside * width,
            start[1] + along[1] * distance + across[1] * aside * width,
        )

    half = _HEAD / 2
    points = (at(0, -0.35), at(neck, -0.5), at(neck, -half), at(length, 0), at(neck, half), at(neck, 0.5), at(0, 0.35))
    return f'<path class="arrow {kind}" d="{polygon(points)}" fill="{INKS[kind]}" fill-opacity=".72"/>'


def ring(centre: Point, radius: float, kind: str, text: str = "") -> str:
    """Return a ring of a kind around a square's centre, with a text in it, for a move without a source square."""
    x, y = centre
    width = WIDTHS[kind] / 2
    inside = f'"{BEHIND_TEXT[kind]}" fill-opacity=".8"' if text else '"none"'
    drawn = (
        f'<circle class="arrow {kind}" cx="{x:g}" cy="{y:g}" r="{radius:g}" fill={inside} stroke="{INKS[kind]}" '
        f'stroke-width="{width:g}" stroke-opacity=".8"/>'
    )
    if text:
        drawn += (
            f'<text class="arrow-text" x="{x:g}" y="{y:g}" dy=".36em" font-size="{radius * 0.8:g}" '
            f'font-family="sans-serif" text-anchor="middle" fill="#fff" stroke="#000" stroke-opacity=".35" '
            f'stroke-width=".4">{text}</text>'
        )
    return drawn


def kinds_of_lines(lines: Sequence[Sequence[str]]) -> list[tuple[str, str, int]]:
    """Return (move, kind, moves before it) for each move of `lines` (best first) to be drawn; the best comes last."""
    chosen = [(line[0], OTHER, 0) for line in lines[1:] if line]
    if lines:
        replies = [(move, REPLY, ply) for ply, move in enumerate(lines[0][1 : 1 + REPLIES], 1)]
        chosen += [*reversed(replies), *((move, BEST, 0) for move in lines[0][:1])]
    return chosen


def png(picture: str, zoom: float = 2.0) -> bytes:
    """Return an SVG picture as PNG. Needs the extra `png`.

    Args:
        zoom: pixels of the result for a pixel of the picture

    Raises:
        ValueError: the package that draws it is not installed
    """
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise InputError("a PNG needs a package that is not installed: pip install {0}", "resvg-py") from None
    text = picture.replace('font-family="sans-serif"', f'font-family="{PNG_FONTS}"')
    return bytes(svg_to_bytes(svg_string=text, zoom=zoom))
