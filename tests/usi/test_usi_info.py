"""The info lines of a search: several best moves sorted and together, bounds apart, the last lines exact."""

from shogi_engine.types.results import Info, Score
from usi.protocol import InfoWriter


def line(depth, multipv, value, *pv, bound="", nodes=1):
    return Info(depth, depth, multipv, Score(value), bound, time=0.1, nodes=nodes, hashfull=0, pv=pv)


class Lines(list):
    line = list.append


def writer(**named):
    """Return an InfoWriter and the list of what it shows: depth, multipv, value, bound and first move of each line."""
    lines = Lines()
    return InfoWriter(lines, interval_ms=0, **named), lines


def shown(lines):
    """Return depth, multipv, value, bound and first move of each line."""
    rows = []
    for text in lines:
        words = text.split()
        number = words[words.index("multipv") + 1] if "multipv" in words else ""
        bound = next((word for word in words if word.endswith("bound")), "")
        value = int(words[words.index("cp") + 1])
        rows.append((int(words[2]), number, value, bound, words[words.index("pv") + 1]))
    return rows


def test_the_lines_of_a_depth_are_shown_together_and_sorted():
    write, lines = writer(numbered=True, count=3)
    write(line(5, 1, -2, "a"))
    write(line(5, 2, 39, "b"))
    assert not lines
    write(line(5, 3, 10, "c"))
    assert shown(lines) == [(5, "1", 39, "", "b"), (5, "2", 10, "", "c"), (5, "3", -2, "", "a")]


def test_the_first_lines_are_shown_at_once_and_the_others_now_and_then():
    lines = Lines()
    write = InfoWriter(lines, interval_ms=1_000_000, numbered=True, count=2)
    for each in (line(1, 1, 5, "a"), line(1, 2, 4, "b"), line(2, 1, 6, "a"), line(2, 2, 3, "b")):
        write(each)
    assert shown(lines) == [(1, "1", 5, "", "a"), (1, "2", 4, "", "b")]


def test_bounds_belong_to_no_order():
    write, lines = writer(numbered=True, count=2)
    for each in (line(9, 1, 5, "a", bound="lower"), line(9, 1, 30, "a"), line(9, 2, 1, "b", bound="upper"),
                 line(9, 2, -7, "b")):  # fmt: skip
        write(each)
    assert shown(lines) == [(9, "1", 30, "", "a"), (9, "2", -7, "", "b")]


def test_a_depth_that_was_broken_off_is_not_mixed_with_the_next_search():
    write, lines = writer(numbered=True, count=2)
    for each in (line(3, 1, 5, "a"), line(3, 2, 4, "b"), line(4, 1, 9, "c")):
        write(each)
    write.finish([line(4, 1, 9, "c"), line(3, 2, 5, "a")])
    assert shown(lines)[2:] == [(4, "1", 9, "", "c"), (3, "2", 5, "", "a")]


def test_the_last_lines_are_exact_where_there_is_an_exact_one():
    write, lines = writer(numbered=True, count=2)
    for each in (line(7, 1, 40, "a", "x", "y"), line(7, 2, 20, "b")):
        write(each)
    write.finish([line(8, 1, 31, "a", bound="lower"), line(7, 2, 20, "b")])
    assert shown(lines)[2:] == [(7, "1", 40, "", "a"), (7, "2", 20, "", "b")]
    assert lines[2].endswith("pv a x y")


def test_no_move_is_shown_twice_at_the_end():
    write, lines = writer(numbered=True, count=3)
    write.finish([line(8, 1, 9, "a"), line(7, 2, 8, "b"), line(7, 3, 7, "a")])
    assert [row[4] for row in shown(lines)] == ["a", "b"]


def test_the_last_line_of_a_search_that_was_stopped_at_a_bound_is_exact_where_bounds_are_not_wanted():
    for bounds, last in ((True, (10, "", 50, "lowerbound", "a")), (False, (9, "", 5, "", "a"))):
        write, lines = writer(bounds=bounds)
        write(line(9, 1, 5, "a", "b"))
        write.finish([line(10, 1, 50, "a", bound="lower", nodes=70)])
        assert shown(lines)[-1] == last
        assert " nodes 70 " in lines[-1]  # of the whole search
        write.finish([line(10, 1, 50, "c", bound="lower")])  # another move: there is only the bound
        assert shown(lines)[-1] == (10, "", 50, "lowerbound", "c")
