"""Templates and charts: text is escaped, points stand where they belong, nothing is loaded from elsewhere."""

import re

import pytest
from jinja2 import UndefinedError

from shogi_engine.pages import EDGE, HEIGHT, WIDTH, chart, render

FACTS = {"facts": {"loss": [{"epoch": 1, "loss": 0.5}, {"epoch": 2, "loss": 0.25}], "none": []}, "problems": []}


def points(text, shape="polyline"):
    """Return the points of each line of a picture."""
    found = re.findall(rf'<{shape}[^>]* points="([^"]*)"', text)
    return [[tuple(map(float, point.split(","))) for point in each.split()] for each in found]


def test_lines_reach_from_corner_to_corner():
    drawn = chart("a title", {"up": [(0, 1), (5, 2), (10, 3)], "down": [(0, 3), (10, 1)]})
    left, right, top, bottom = EDGE, WIDTH - EDGE, EDGE, HEIGHT - EDGE
    middle = ((left + right) / 2, (top + bottom) / 2)
    assert points(drawn) == [[(left, bottom), middle, (right, top)], [(left, top), (right, bottom)]]
    assert 'aria-label="a title"' in drawn and ">up</text>" in drawn and ">10</text>" in drawn
    assert chart("nothing", {"none": []}) == ""


def test_a_clipped_picture_is_centred_on_the_end_and_shows_zero_if_it_is_near():
    drawn = chart("Elo", {"Elo": [(2, 500), (4, 10)]}, [(2, -900, 900), (4, 0, 20)], clip=30)
    zero, line = points(drawn)
    assert line == [(EDGE, EDGE), (WIDTH - EDGE, HEIGHT / 2)]
    assert zero[0][1] == zero[1][1] == pytest.approx(HEIGHT - EDGE - 20 / 60 * (HEIGHT - 2 * EDGE), abs=0.1)
    (area,) = points(drawn, "polygon")
    assert len(area) == 4 and area[0][1] == EDGE and area[-1][1] == HEIGHT - EDGE
    assert len(points(chart("Elo", {"Elo": [(2, 500), (4, 510)]}, clip=30))) == 1


def test_a_page_escapes_its_values_and_lacks_none():
    name = "<b>&\"'"
    text = render("training.html", title=name, made=name, curves={"loss": {name: [(1, 2), (2, 3)]}}, **FACTS)
    assert name not in text and text.count("&lt;b&gt;&amp;") == 4
    assert "<td>0.25000</td>" in text and "<li>nothing</li>" in text and not re.search("(src|href)=", text)
    with pytest.raises(UndefinedError):
        render("training.html", title=name)
