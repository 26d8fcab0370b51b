"""KIF files of several games: Python and the kernel split them at the same lines, by one rule."""

# ruff: noqa: E501

import io
import re
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from shogi_engine.games.shogi.records import kif_kernels
from shogi_engine.games.shogi.records.formats.ki2 import FORMAT as KI2
from shogi_engine.games.shogi.records.formats.kif import FORMAT, KifReader
from shogi_engine.games.shogi.records.kakinoki import BLANKS, MOVE
from shogi_engine.records.formats import LINE_ENDS

LINES = (
    "1 ７六歩(77)", "2 ３四歩(33)", "　３　２六歩（２７）", "4 投了", "1 投了", "2 同　歩(11)", "5 P-7f", "6 ▲７六歩", "1234567890123 x",
    "# memo", "備考：x", "場所 : y", "先手：A", "手合割：平手", "手合割　：平手", "手数----指手", "手数--", "後手の持駒：歩", "先手の持ち駒:", "| ・",
    "*c", "&b", "まで2手で中断", "まで0手で", "まで", "まで先手の勝ち", "変化：2手", "変化：１手", "変化なし", "変化：x", "  9 8 7 6", "９ ８ ７", "prose",
    "+---+", "後手番", "\ufeff1 ７六歩(77)", "", "　", "'x", "1：2", "1", "１２：x", "\x0b：x", "x\x0b：", "駒：", "：", "あ" * 31 + "：", "あ" * 32 + "：",
)  # fmt: skip


def array_of(text):
    return np.frombuffer(text.encode("utf-16-le"), dtype=np.uint16)


@pytest.mark.parametrize("line", LINES)
def test_the_kernel_knows_the_same_kinds(line):
    text = line.lstrip(BLANKS)
    assert kif_kernels.kind_of(array_of(line), 0, len(line)) == (KifReader.kind_of_line(text) if text else (4, 0))


@given(st.lists(st.sampled_from(LINES), max_size=14))
@example(["1 ７六歩(77)", "後手の持駒：歩", "変化：2手", "先手：A"])  # a game without moves
def test_the_kernel_splits_at_the_same_lines(lines):
    text = "\n".join(lines)
    wanted = [[line for _, line in block] for block in FORMAT.split(io.StringIO(text))]
    data, begin, found = array_of(text), 0, []
    while begin < len(data):
        end, _ = kif_kernels.game_end(data, begin, len(data))
        found.append([line.strip(LINE_ENDS) for line in text[begin:end].split("\n") if line.strip(BLANKS)])
        begin = end
    assert [block for block in found if block] == wanted


@pytest.mark.parametrize("format", [FORMAT, KI2])
@pytest.mark.parametrize(
    "line", [*LINES, "▲７六歩", "１ 同　飛", "　12　76歩", "7 ９８ 7", "７六歩 ３四歩", "1 76", "３ 28"]
)
def test_usual_moves_are_moves(line, format):
    if format.reader.usual_moves.match(line):
        assert format.reader.kind_of_line(line.lstrip(BLANKS))[0] == MOVE


@pytest.mark.parametrize("format", [FORMAT, KI2])
@given(lines=st.lists(st.sampled_from([*LINES, "▲７六歩 △３四歩", "７六歩"]), max_size=14))
def test_usual_moves_change_no_split(format, lines):
    text = "\n".join(lines)
    quick = list(format.split(io.StringIO(text)))
    with mock.patch.object(format.reader, "usual_moves", re.compile("(?!)")):
        assert list(format.split(io.StringIO(text))) == quick
