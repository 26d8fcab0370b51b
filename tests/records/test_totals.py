"""Numbers in files: of moves, of times and their running totals, counted again from the text; and those of messages."""

import json
import re
from decimal import Decimal

import pytest
from hypothesis import given, strategies as st

from shogi_engine import records
from shogi_engine.games.shogi.records.kakinoki import handicap
from shogi_engine.records import GameRecord
from tests.records.random_records import path_to, random_record

SEEDS = range(24)
NUMBERED = re.compile(r" *([0-9]+) (\S+).*?(?: +\( *(\d+):(\d\d)/(\d\d+):(\d\d):(\d\d)\))?")
FORK = re.compile(r"変化：(\d+)手")


def totals_of_kif(text, first_side):
    """Yield the seconds of each numbered line with a time, the total that it gives, and the one expected.

    It walks the lines alone: a variation goes back to the moves before it.
    """
    path = []  # (side, seconds) of each move
    for line in text.splitlines():
        if fork := FORK.fullmatch(line):
            del path[int(fork[1]) - 1 :]
        elif found := NUMBERED.fullmatch(line):
            assert int(found[1]) == len(path) + 1, line
            side = (first_side + len(path)) % 2
            used = int(found[3]) * 60 + int(found[4]) if found[3] else 0
            if found[3]:
                hours, minutes, seconds = map(int, found.groups()[4:])
                assert minutes < 60 and seconds < 60 and int(found[4]) < 60
                yield used, 3600 * hours + 60 * minutes + seconds, used + sum(s for who, s in path if who == side)
            if re.match("[同１-９]", found[2]):
                path.append((side, used))


def totals_of_jkf(elements, path, first_side):
    """Yield the same for a list of JKF's elements after the moves of `path`."""
    path = list(path)
    for element in elements:
        side = (first_side + len(path)) % 2
        for fork in element.get("forks", ()):
            yield from totals_of_jkf(fork, path, first_side)
        now, total = (element["time"][name] for name in ("now", "total")) if "time" in element else ({}, None)
        used = now.get("h", 0) * 3600 + now.get("m", 0) * 60 + now.get("s", 0)
        if total is not None:
            assert total["m"] < 60 and total["s"] < 60 and now["s"] < 60
            whole = 3600 * total["h"] + 60 * total["m"] + total["s"]
            yield used, whole, used + sum(s for who, s in path if who == side)
        if "move" in element:
            path.append((side, used))


@pytest.mark.parametrize("format", ["kif", "jkf"])
def test_running_totals_are_each_sides_along_each_line(format):
    seen = []
    for seed in SEEDS:
        record = random_record(seed)
        ends = [line[-1] for _, line in record.lines() if line[-1].ending]
        for number, node in enumerate(ends):
            node.ending_seconds = 17.0 + number
        text = records.dumps(record, format).decode("cp932" if format == "kif" else "utf-8")
        if format == "kif":
            seen += totals_of_kif(text, record.side(0))
        else:
            seen += totals_of_jkf(json.loads(text)["moves"][1:], [], record.side(0))
        written = sum(node.seconds is not None for node in record.nodes_in_preorder()) + len(ends)
        assert len(seen) == written or seen.clear(), seed
        assert all(total == expected for _, total, expected in seen)
        assert any(total > 3600 for _, total, _ in seen) or len(record.moves) < 12
        seen.clear()


fractions = st.one_of(
    st.integers(0, 10**6).map(lambda thousandths: thousandths / 1000),
    st.sampled_from([0.0, 0.1, 0.25, 0.001, 10.0, 100.0, 59.999, 0.1 + 0.2, 3599.5]),
)


@given(st.lists(st.one_of(st.none(), fractions), min_size=3, max_size=3), st.one_of(st.none(), fractions))
def test_csa_has_thousandths_of_seconds(seconds, ending):
    record = GameRecord.from_moves("shogi", ["7g7f", "3c3d", "2g2f"], ending="resignation", seconds=seconds)
    record.main_line[-1].ending_seconds = ending
    text = records.dumps(record, "csa").decode()
    times = [each for each in (*seconds, ending) if each is not None]
    assert [Decimal(line[1:]) for line in text.splitlines() if line[0] == "T"] == [
        Decimal(each).quantize(Decimal("0.001")) for each in times
    ]
    assert ("\nV3.0\n" in f"\n{text}") == any(each % 1 for each in times)
    (again,) = records.loads(text)
    assert again.seconds == [None if each is None else round(each, 3) for each in seconds]
    assert again.main_line[-1].ending_seconds == (None if ending is None else round(ending, 3))


KIF = """手合割：平手
手数----指手---------消費時間--
   {0} ７六歩(77)   ( 0:01/00:00:01)
   {1} ３四歩(33)   ( 0:02/00:00:02)
   {2} ２六歩(27)   ( 0:03/00:00:04)
   {3} ８四歩(83)   ( 0:04/00:00:06)

変化：{4}手
   {4} ４八銀(39)
   {5} ８四歩(83)
"""


@pytest.mark.parametrize("place", [1, 2, 3, 5])  # the first is where a game begins, the fifth where a variation does
@pytest.mark.parametrize("by", [1, -1, 2])
@pytest.mark.parametrize("first", [1, 51])
def test_a_move_with_another_number_than_the_next_is_refused_where_it_stands(place, by, first):
    numbers = [first + ply for ply in (0, 1, 2, 3)] + [3, 4]
    if first != 1 and place > 3:
        return
    expected, numbers[place] = numbers[place], numbers[place] + by
    with pytest.raises(records.RecordError, match=f"expected move {expected} next, not {expected + by}") as fault:
        records.loads(KIF.format(*numbers))
    assert fault.value.line == 3 + place + 2 * (place > 3)


def test_moves_with_the_right_numbers_are_read():
    (record,) = records.loads(KIF.format(1, 2, 3, 4, 3, 4))
    assert record.moves == ["7g7f", "3c3d", "2g2f", "8c8d"] and len(record.root.next.next.children) == 2


@pytest.mark.parametrize("seed", SEEDS)
def test_an_illegal_move_is_named_by_its_number_in_its_line(seed):
    record = random_record(seed, start=handicap("rook") if seed % 3 == 0 else None)
    nodes = list(record.nodes_in_preorder())[1:]
    record.check()
    for node in (nodes[seed % len(nodes)], nodes[-1]):
        before, node.move = node.move, "5e5e"
        ply = len(path_to(record, node)) - 1
        with pytest.raises(ValueError, match=rf"^move {ply}: "):
            record.check()
        node.move = before


def test_a_variation_of_a_move_that_is_not_there_is_named():
    text = KIF.format(1, 2, 3, 4, 9, 10)
    with pytest.raises(records.RecordError, match="a variation of move 9, but the line has only 4 moves"):
        records.loads(text)
