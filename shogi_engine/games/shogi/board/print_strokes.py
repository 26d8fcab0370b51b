"""Strokes as printed kanji have them: thin horizontals that end in a triangle, thick verticals, tapered curves."""

import math
import re

THIN, THICK = 5.5, 11.0  # widths of the strokes, in a box of 100 by 100
FALLS = (1.25, 0.35)  # the share of THICK at the beginning and at the end of a stroke that falls to the left
SWEEPS = (0.4, 1.3)  # and of one that sweeps to the right
POINTS = 5  # of a curve
SERIF = 9.0  # the size of the triangle
LEAST = 24.0  # the shortest stroke that gets one

Point = tuple[float, float]


def printed(strokes: str) -> tuple[str, str, str]:
    """Return strokes as (thin lines, thick lines, filled areas).

    Args:
        strokes: a path of the commands M, L, H, V, Q and Z, all absolute
    """
    thin, thick, filled = [], [], []
    pieces = _segments(strokes)
    for number, points in enumerate(pieces):
        (x0, y0), (x1, y1) = points[0], points[-1]
        if len(points) == 3:
            filled.append(_tapered(points, *(FALLS if x1 < x0 else SWEEPS)))
        elif abs(y1 - y0) <= 0.3 * abs(x1 - x0):
            thin.append(f"M{x0:g} {y0:g}L{x1:g} {y1:g}")
            ends = number + 1 == len(pieces) or pieces[number + 1][0] != points[-1]
            if ends and abs(x1 - x0) >= LEAST:
                x, y = max(points)
                filled.append(f"M{x - SERIF:g} {y:g}L{x - 1:g} {y - SERIF:g}L{x + 2:g} {y + 1.5:g}Z")
        else:
            thick.append(f"M{x0:g} {y0:g}L{x1:g} {y1:g}")
    return "".join(thin), "".join(thick), "".join(filled)


def _segments(strokes: str) -> list[list[Point]]:
    """Return the segments of a path: two points of a line, three of a curve."""
    found: list[list[Point]] = []
    at = start = (0.0, 0.0)
    for command, text in re.findall(r"([MLHVQZ])([^MLHVQZ]*)", strokes):
        numbers = [float(each) for each in re.findall(r"-?[0-9.]+", text)]
        if command == "H":
            points = [(x, at[1]) for x in numbers]
        elif command == "V":
            points = [(at[0], y) for y in numbers]
        elif command == "Z":
            points = [start]
        else:
            points = list(zip(numbers[::2], numbers[1::2], strict=True))
        if command == "M":
            at = start = points.pop(0)
        size = 2 if command == "Q" else 1
        for first in range(0, len(points), size):
            found.append([at, *points[first : first + size]])
            at = points[first + size - 1]
    return found


def _tapered(curve: list[Point], begin: float, end: float) -> str:
    """Return the area of a curve whose width goes from `begin` to `end`, in shares of THICK."""
    left, right = [], []
    for step in range(POINTS):
        t = step / (POINTS - 1)
        weights = (1 - t) ** 2, 2 * t * (1 - t), t * t
        slopes = t - 1, 1 - 2 * t, t
        (x, y), (dx, dy) = (
            tuple(sum(share * point[axis] for share, point in zip(shares, curve, strict=True)) for axis in (0, 1))
            for shares in (weights, slopes)
        )
        half = THICK * (begin + (end - begin) * t) / 2 / (math.hypot(dx, dy) or 1)
        left.append(f"{x - dy * half:.0f} {y + dx * half:.0f}")
        right.append(f"{x + dy * half:.0f} {y - dx * half:.0f}")
    return f"M{'L'.join(left + right[::-1])}Z"
