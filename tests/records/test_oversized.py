"""Files of any size with one kind of line or text repeated: no reader takes more than linear time.

Processor time is compared, not limited: eight times the size may take at most three times as long as it should. A
quadratic reader takes eight times as long as it should. It also takes four times as long for twice the size, which
a single step does not, as from kernels to a reader in Python.
"""

# ruff: noqa: E501

import contextlib
import functools
import tempfile
import time

import pytest
from hypothesis import given, strategies as st

from shogi_engine.records import RecordError, all_formats, dumps, games, loads
from shogi_engine.records.brackets import split_games
from tests.records.random_records import random_record

START = "-" * 27 + "OX------XO" + "-" * 27 + " X"
SMALL, TIMES, SLACK = 1 << 12, 8, 3
LEAST = 0.1  # loops (see `spent_on_a_loop`); shorter times are not compared


def kif_moves(size):
    """Return a KIF game with rooks that move to and fro."""
    moves, lines, length = ("３八飛(28)", "７二飛(82)", "２八飛(38)", "８二飛(72)"), [], 0
    while length < size:
        lines.append(f"{len(lines) + 1} {moves[len(lines) % 4]}\n")
        length += 22
    return "".join(lines)


MOVES, MOVES2, CSA_MOVES = "1", "2", "3"  # games
GAMES = {
    MOVES: kif_moves,
    MOVES2: lambda size: "▲３八飛△７二飛\n▲２八飛△８二飛\n" * (size // 50),
    CSA_MOVES: lambda size: "PI\n+\n" + "+2838HI\nT1\n-8272HI\nT1\n+3828HI\nT1\n-7282HI\nT1\n" * (size // 44),
}
# The smallest games, and the smallest damaged ones, in the form of KINDS.
MANY = {
    "kif": ["1 投了\n", "1 ７六歩\nまで\n", "先手：\n先手：\n1 投了\n"],
    "ki2": ["▲７六歩\nまで\n", "７六歩\nまで投了\n"],
    "csa": ["+\n/\n", "V2\n+\n", "PI\n+\n+7776FU\n/\n"],
    "usi": ["startpos\n", "startpos moves 7g7f\n", "startpos resign\n", "k8/9/9/9/9/9/9/9/9 b\n"],
    "jkf": [("[", '{"moves":[]},', '{"moves":[]}]'), ("[", "[],", '{"moves":[]}]')],
    "sgf": ["(;)\n", ("", "(;)", ""), "(;GM[2]B[f5])\n"],
    "ggf": [("(;GM[Othello];)", "(;)", ""), ("(;GM[Othello];)", "(;B[F5];)", "")],
    "obf": [START + "\n"],
    "transcript": ["f5\n", "f4\n", "f5d6c3d3c4f4f6\n"],
}
# By format: a line to repeat, or (beginning, what is repeated, end).
KINDS = {
    "kif": [
        "先手：A\n", "#x\n", "*x\n", "&x\n", "備考：x\n", "x\n", "まで0手で中断\n", "変化：1手\n", " 1 ７六歩(77)\n",
        "1 投了\n", "1 投了\n先手：\n", "|・\n", "9 8\n", "後手の持駒：歩\n", "手合割：x\n", "手数--\n", "\n",
        "*#評価値=1\n", "*時間切れにて終局\n変化：1手\n", "\x1a\n", "**評価値=1\n", ("9" * 9, " ", "x"),
        ("先手：",) + (" ",) + ("",), ("1 ７六歩(77)", " ", "x"), ("1 ", " ", "７六歩(77)"),
        ("1 ７六歩(77) (", "1", ":1)"), ("1 投", "了", ""), ("まで", " ", "x"), ("まで1手で", "先手", "の"),
        ("まで1手で", "千日手により", ""), ("先手：A\n1 ７六歩(77)\nまで1手で", "の", "の勝ち"),
        ("1 ▲", "７", "六歩(77)"), ("変化：", " ", "x"), ("先手の持駒：", "歩", ""), ("*", "x", ""),
        ("**読み筋=", "▲７六歩", ""), ("** 1", " +7776FU", ""), ("手数＝", "1", ""), ("", "1", ""),
        ("", "１", " ７六歩(77)"), ("+", "-", ""), ("", "同　", ""), ("", "(", ""), ("1 同", " ", "歩"),
        ("先手", "　", "：x"), ("1 ▲", " ", "７六歩(77)"), ("後手", " ", "番"), ("手番：", " ", "x"),
        ("** 1 ", "x", ""), ("*対局 評価値 ", " 評価値 ", ""), ("*# 1 ", "詰み=", ""), ("手合割：", "1", ""),
        ("手合割：", "-", ""), MOVES,
    ],
    "ki2": [
        "▲７六歩\n", "先手：A\n", "#x\n", "*x\n", "備考：x\n", "x\n", "まで0手で中断\n", "変化：1手\n", "７六歩\n",
        ("▲", "７六歩", ""), ("", "７六歩 ", ""), ("", "７六歩 ", "x"), ("▲", " ", "x"), ("1", " ", "▲"),
        ("", "1 ", ""), ("▲", "▲", ""), ("", "▲７六歩△３四歩", ""), ("▲７六", "左", "歩"), ("▲７六歩", "左", ""),
        ("▲同", "　", ""), ("▲７六歩", "（x）", ""), ("▲７六歩", "まで", ""), MOVES2,
    ],
    "csa": [
        "%X\n", "%X\n%Y\n", "PI\n+\n/\n", "'x\n", "'*x\n", "N+A\n", "$EVENT:x\n", "P+00FU\n", "P1\n", "V2.2\n", "+\n",
        "T1\n", "%TORYO\n", "'** 1 +7776FU\n", ("N+", "x", ""), ("PI\n+\n", "+7776FU,", ""), ("P+", "00FU", ""),
        ("PI", "82HI", ""), ("PI\n+\n+7776FU\nT", "1", ""), ("'** 1", " +7776FU", ""), ("", "+7776FU", ""),
        ("'summary:", ":", ""), ("'summary:", " ", ""), ("'black_rate:", ":", ""), ("PI\n+\n%", " ", ""),
        ("P1", " ", ""), ("P1", "*", ""), CSA_MOVES,
    ],
    "usi": [
        "startpos\n", "#x\n", "startpos moves 7g7f\n", ("startpos moves ", "7g7f ", ""),
        ("startpos moves ", "2h3h 8b7b 3h2h 7b8b ", ""), ("", "9/", ""), ("sfen ", "9/", ""), ("", "lnsgkgsnl/", ""),
        ("sfen ", " ", "b"), ("startpos", " ", "x"), ("position ", "position ", ""),
    ],
    "bod": [
        "|・\n", "x\n", "後手の持駒：歩\n", ("|", " ・", "|一"), ("", "| ・", ""),
    ],
    "jkf": [
        ('{"moves":[{}', "{},", "]}"), ('{"moves":[{"comments":[', '"x",', '"x"]}]}'), ('{"moves":[{}]', "[", ""),
        ('{"header":{"a":', "[", "1"), ('{"header":{', '"a":"b",', '"c":"d"},"moves":[]}'),
        ('{"moves":[{}', ',{"special":"TORYO"}', "]}"),
        ('{"moves":[{},{"move":{"to":{"x":7,"y":6},"from":{"x":7,"y":7},"piece":"FU"},"forks":[[]', "", "]}]}"),
        ('{"moves":[{},{"move":{"to":{"x":7,"y":6},"from":{"x":7,"y":7},"piece":"FU"},"forks":[[]', ',[{"special":"TORYO"}]', "]}]}"),
        ("[", ' {"moves":[]},', '{"moves":[]}]'), ("{", " ", "}"),
        ('{"moves":[{"comments":["**読み筋=', "▲７六歩", '"]}]}'),
    ],
    "sgf": [
        "(;GM[2]B[f5])\n", "(;\n", ")\n", "x\n", ("(;", ";", ")"), ("(;", "(", ""), ("(;B[f5]", "(;W[d6])", ")"),
        ("(;C[", "x", "])"), ("(;C[", "\\", "])"), ("(;C[", "\\]", "])"), ("(;C", "[x]", ")"), ("(;AB", "[a1]", ")"),
        ("(;AB", "[a1:h8]", ")"), ("(;", "C[x]", ")"), ("(;", "N[x]", ")"), ("(", "(", ""), ("(", " ", ";)"),
        ("(;", "B[f5]", ")"), ("(;", "[", ")"), ("", "(;)", ""), ("(;", "(;)", ")"), ("(;B[", "f5", "])"),
        ("(;RE[", "B+", "])"), ("(;", " ", ")"), ("(;", "A", ")"),
    ],
    "ggf": [
        "(;GM[Othello];)\n", "(;\n", ")\n", ("(;GM[Othello]", "B[F5]", ";)"), ("(;GM[Othello]", "(", ";)"),
        ("(;GM[Othello]C[", "x", "];)"), ("(;GM[Othello]BO[", "8 ", "];)"), ("(;GM[Othello]BO[8 ", "-", "];)"),
        ("(;GM[Othello]B[F5/", "1", "];)"), ("(;GM[Othello]B", "[F5]", ";)"), ("(;GM[Othello]", "X[x]", ";)"),
        ("", "(;GM[Othello];)", ""), ("(;GM[Othello]RE[", "1", "];)"), ("(;GM[Othello]B[", "/", "];)"),
    ],
    "obf": [
        START + "\n", "%x\n", ("", "-", ""), (START + ";", " ", "x"), (START + ";", ";", ""),
        (START + ";", " --:-127;", ""), (START + ";", " f5:1;", ""), ("-", " ", "-"),
    ],
    "transcript": [
        "f5\n", "#x\n", ("", "f5", ""), ("", "pa", ""), ("f5", " ", "x"), ("f5d6", " -- ", ""), ("", "-", ""),
        ("f5#", "x", ""),
    ],
}  # fmt: skip


def made(kind, size):
    """Return a file of about `size` bytes."""
    if kind in GAMES:
        return GAMES[kind](size).encode()
    before, part, after = ("", kind, "") if isinstance(kind, str) else kind
    return f"{before}{part * (size // max(1, len(part.encode())))}{after}\n".encode()


def spent(data, format):
    """Return the processor time that reading takes, with and without the format's name."""
    began = time.process_time()
    for name in (format, ""):
        with contextlib.suppress(RecordError):
            loads(data, format=name, keep=True)
    return time.process_time() - began


def spent_on_a_loop():
    """Return the processor time of a loop in Python; on the machine where the limits were chosen, 0.1 s."""
    began, counts = time.process_time(), dict.fromkeys(range(1024), 0)
    for number in range(10**6):
        counts[number & 1023] += number
    return time.process_time() - began


@functools.cache
def least():
    """Return the processor time below which times are not compared on this machine."""
    return LEAST * spent_on_a_loop()


def check(format, kind, small, times, spent=spent):
    """Compare two sizes; a slow moment of the machine is tried again."""
    if spent(made(kind, times * small), format) <= SLACK * times * least():
        return
    first = max(min(spent(made(kind, small), format) for _ in range(2)), least())
    taken = float("inf")
    for _ in range(3):
        taken = min(taken, spent(made(kind, times * small), format))
        if taken <= SLACK * times * first:
            return
    half = min(spent(made(kind, times * small // 2), format) for _ in range(3))
    if taken > SLACK * half:
        raise AssertionError(f"{small} bytes take {first:.3f} s, {times} times as many {taken:.3f} s")


@pytest.mark.parametrize("speed", [1, 100])
@pytest.mark.parametrize("times", [8, 64])
def test_growth_is_noticed_and_a_step_is_not(times, speed):
    """The step is by a factor of a hundred, a little above the smaller size."""

    def linear(data, format):
        return speed * least() * len(data) / SMALL

    def stepped(data, format):
        return linear(data, format) * (100 if len(data) > 1.5 * SMALL else 1)

    def quadratic(data, format):
        return linear(data, format) * len(data) / SMALL

    check("", "x", SMALL, times, linear)
    check("", "x", SMALL, times, stepped)
    with pytest.raises(AssertionError, match=f"{times} times as many"):
        check("", "x", SMALL, times, quadratic)


def cases(table):
    return [
        pytest.param(format, kind, id=f"{format}: {str(kind)[:40]!r}")
        for format, kinds in table.items()
        for kind in kinds
    ]


CASES = cases(KINDS) + cases(MANY)


@pytest.mark.parametrize(("format", "kind"), CASES)
def test_reading_takes_linear_time(format, kind):
    spent(made(kind, 1 << 10), format)  # loads the format, and compiles
    check(format, kind, SMALL, TIMES)


@pytest.mark.slow
@pytest.mark.parametrize(("format", "kind"), CASES)
def test_reading_takes_linear_time_up_to_a_megabyte(format, kind):
    check(format, kind, SMALL, 64)


def spent_on_arrays(data, format):
    """Return the processor time that reading arrays takes, with and without the format's name."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        began = time.process_time()
        for name in (format, ""):
            with contextlib.suppress(RecordError):
                for _ in games(file.name, format=name, keep=True):
                    pass
        return time.process_time() - began


def check_a_megabyte(format, kind, spent=spent):
    """A megabyte takes at most 2 s, or 25 loops on a slow machine; it is estimated from a part. A slow moment is tried again."""
    data = kind if isinstance(kind, bytes) else made(kind, 1 << 17)
    spent(data[: 1 << 10], format)
    for _ in range(3):
        before = spent_on_a_loop()
        taken = spent(data, format) / 2 * (1 << 20) / max(len(data), 1 << 10)  # it reads them twice
        if taken <= max(2.0, 25 * max(before, spent_on_a_loop())):
            return
    raise AssertionError(f"a megabyte takes {taken:.1f} s, a loop {before:.3f} s")


@pytest.mark.parametrize(("format", "kind"), cases(MANY))
def test_arrays_of_very_many_games_take_linear_time(format, kind):
    spent_on_arrays(made(kind, 1 << 10), format)
    check(format, kind, SMALL, TIMES, spent_on_arrays)


@pytest.mark.slow
@pytest.mark.parametrize(("format", "kind"), cases(MANY) + cases(KINDS))
def test_arrays_are_read_quickly(format, kind):
    """A megabyte takes at most 50 loops: where kernels decline each of very many games, trees are read first."""
    check_a_megabyte(format, kind, lambda data, format: spent_on_arrays(data, format) / 2)


@pytest.mark.slow  # it measures time
@pytest.mark.parametrize(("format", "kind"), cases(MANY) + cases(KINDS))
def test_very_many_games_and_any_line_are_read_quickly(format, kind):
    check_a_megabyte(format, kind)


@pytest.mark.slow  # it measures time
@pytest.mark.parametrize("format", all_formats(), ids=lambda format: format.name)
def test_whole_games_are_read_quickly(format):
    """Random games have more comments, variations and values of searches than others."""
    games = [random_record(seed, format.game or "shogi", 120, start="") for seed in range(30)]
    data = dumps(games, format.name)
    check_a_megabyte(format.name, data * ((1 << 17) // len(data) + 1) if format.sure and not format.binary else data)


PARTS = {
    format: [
        part for kind in kinds for part in ([kind] if isinstance(kind, str) else kind) if part not in GAMES and part
    ]
    for format, kinds in KINDS.items()
}


@pytest.mark.parametrize("row", ["-", "- ", "--", "+-", "f5--", ".", "1..", "@", "pa", "!"])
def test_a_row_of_what_may_be_passes_is_read_in_one_way(row):
    """Two ways to read each would be as many as 2 to their number."""
    for text in (row * 60, f"{row * 60}x", f"f5{row * 60}-"):
        with contextlib.suppress(RecordError):
            loads(text)


@pytest.mark.parametrize("format", KINDS)
@given(data=st.data())
def test_any_mixture_is_read_or_refused(format, data):
    """Structure, size and damage at random: only RecordError is raised."""
    pieces = st.tuples(st.sampled_from([*PARTS[format], "\n", "\r\n", "\x00", "\ud800", "９"]), st.integers(1, 200))
    text = "".join(part * count for part, count in data.draw(st.lists(pieces, max_size=12)))
    for name in (format, ""):
        try:
            for record in loads(text, format=name):
                record.check()
        except RecordError as error:
            assert "\n" not in str(error)


def split_slowly(text, escapes):
    """Return the games of a text, character by character."""
    games, place = [], 0
    while (place := text.find("(;", place)) >= 0:
        depth, value, at = 0, False, place
        while at < len(text):
            letter = text[at]
            if value:
                at += escapes and letter == "\\"
                value = not (letter == "]" and text[at] == "]")
            else:
                value, depth = letter == "[", depth + (letter == "(") - (letter == ")")
                if not depth:
                    break
            at += 1
        games.append(text[place : at + 1])
        place = at + 1
    return games


@given(st.text("(;)[]\\a\n", max_size=40), st.booleans())
def test_games_in_brackets_are_split_as_by_a_slow_reader(text, escapes):
    found = [block.text for block in split_games(text.splitlines(keepends=True), escapes)]
    assert found == split_slowly(text, escapes)
