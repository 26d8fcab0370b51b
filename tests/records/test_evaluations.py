"""Evaluations in Shogi's records: what other programs write is read, and what we write draws their graphs."""

import json
import re

import pytest

from shogi_engine.games.shogi.records.words import score_in
from shogi_engine.records import GameRecord, dumps, games, load_format, loads
from shogi_engine.types.results import Score
from tests.records.random_records import random_record

FORMATS = ("kif", "ki2", "jkf", "csa")
# ShogiHome's rules, src/renderer/store/record.ts of electron-shogi: what it takes from a line of a comment.
PLAYERS_VALUES = (r"^\*評価値=([+-]?[.0-9]+)", r"^\* *([+-]?[.0-9]+)", r"^\*対局 .* 評価値 ([+-]?[0-9]+)")
ANALYSES_VALUES = (
    *(r"^#評価値=([+-]?[.0-9]+)", r"^\*解析 .* 評価値 ([+-]?[0-9]+)", r"^\* .* 評価値 ([+-]?[0-9]+)"),
    r"^#(?:形勢|指し手)\[([+-]?[0-9]+)\]",
)
MATE = r"^{}詰み=(先手勝ち|後手勝ち)(?::([0-9]+)手)?"
LINE = r"^[#*]読み筋="
# Kifu for JS's grammar of KIF and CSA, packages/json-kifu-format/src/peg: a line is one of these.
KIF_LINES = (
    r"[^：\r\n]+：.*|[先後上下]手番|盤面回転",  # headers
    r"手数----指手--(-------消費時間--)?",
    r" *[0-9]+ *([１-９][一二三四五六七八九]|同　?)成?[歩香桂銀金角飛王玉と杏圭全馬竜龍]成?(打|\([1-9][1-9]\)) *"
    r"(\( *[0-9]+:[0-9]+ */ *[0-9]+:[0-9]+:[0-9]+\))?\+?",
    r" *[0-9]+ *(中断|封じ手|投了|持将棋|千日手|詰み|不詰|切れ負け|反則勝ち|反則負け) *(\(.*\))?",
    r"\*.*|&.*",
    r"まで[0-9]+手で.*",
    r"変化：.*手",
    "",
)
CSA_LINES = (
    r"V2(\.[12])?", r"N[+-].*", r"\$[^:]+:.*", r"PI|P[1-9].*", r"[+-]", r"[+-]\d{4}[A-Z]{2}", r"'.*", r"T\d*",
    r"%\S+",
)  # fmt: skip


def shogihome(comment):
    """Return what ShogiHome draws for a comment: (the player's value, the analysis' value, their mates by sign)."""
    found = {}
    for line in comment.split("\n"):
        for name, rules, mark in (("player", PLAYERS_VALUES, r"\*"), ("analysis", ANALYSES_VALUES, "#")):
            if mate := re.match(MATE.format(mark), line):
                found[name + " mate"] = int(mate[2] or 10000) * (1 if mate[1] == "先手勝ち" else -1)
            value = next((match[1] for rule in rules if (match := re.match(rule, line))), None)
            if value is not None:
                found[name] = float(value)
    return found


def comments_of(record, name):
    """Return the comments of the main line as they are written in a format, as a GUI reads them."""
    text = dumps(record, name, "utf-8").decode()
    if name == "jkf":
        return ["\n".join(each.get("comments", ())) for each in json.loads(text)["moves"]]
    comments, mark = [""], {"csa": "'*", "kif": "*"}[name]
    for line in text.replace("\r", "").split("\n"):
        if line.startswith("変化"):
            break
        if line.startswith(mark):
            comments[-1] += ("\n" if comments[-1] else "") + line.removeprefix(mark)
        elif re.match(r"[+-]\d{4}|%| *\d+ ", line):
            comments.append("")
    return comments


@pytest.fixture
def evaluated():
    """A game of three moves with a value, a mate with its length, a mate without, and lines."""
    record = GameRecord.from_moves("shogi", ["7g7f", "3c3d", "2g2f"], comments={2: "a word"}, ending="resignation")
    one, two, three = record.main_line[1:]
    one.evaluation, one.pv, one.depth = Score(83), ("3c3d", "8h2b+", "3a2b"), 12
    two.evaluation = Score.mate_in(15)
    three.evaluation, three.depth = Score.mated_in(None), 3
    record.root.evaluation = Score(20)
    variation = one.add("8c8d")
    variation.evaluation = Score(-41)
    return record


@pytest.mark.parametrize("name", FORMATS)
def test_they_come_back(evaluated, name):
    (again,) = loads(dumps(evaluated, name))
    if name == "csa":
        del evaluated.root.next.children[1:]
    assert again == evaluated
    assert not {"evaluations", "depths and lines of searches"} & set(load_format(name).losses(evaluated))


@pytest.mark.parametrize("name", ["kif", "jkf", "csa"])
def test_shogihome_draws_them(evaluated, name):
    root, one, two, three = comments_of(evaluated, name)[:4]
    assert shogihome(root)["player"] == 20 and shogihome(one)["player"] == 83
    assert shogihome(two)["player mate"] == -15  # white mates; values are black's
    if name == "csa":
        assert "'** 83 -3334FU +8822UM -3122GI" in dumps(evaluated, name).decode()
        assert shogihome(three)["player"] == -100_000  # floodgate's clients have no other word
    else:
        assert shogihome(three)["player mate"] == -10000
        assert "*読み筋=△３四歩▲２二角成△同　銀" in one.split("\n") and "*深さ=12" in one.split("\n")


@pytest.mark.parametrize("seed", range(6))
def test_kifu_for_js_reads_the_lines(evaluated, seed):
    record = random_record(seed, plies=20, start="") if seed else evaluated
    record.root.comment = ""
    if record.ending not in ("resignation", "mate", "repetition", "time forfeit"):
        record.end(None)
    for node in record.nodes():
        node.evaluation, node.seconds, node.ending_seconds, node.label = Score(seed), 3.0, None, ""
        if node is not record.main_line[-1]:
            node.end(None)
    for name, rules in (("kif", KIF_LINES), ("csa", CSA_LINES)):
        for line in dumps(record, name, "utf-8").decode().replace("\r\n", "\n").split("\n")[1:-1]:
            assert any(re.fullmatch(rule, line) for rule in rules), (name, line)


@pytest.mark.parametrize(
    ("line", "black"),
    [
        ("*評価値=83", Score(83)),
        ("#評価値=-60", Score(-60)),
        ("#評価値=+5.5", Score(5.5)),
        ("**評価値=83", Score(83)),  # as Kifu for JS leaves `'**`
        ("* 78 -8384FU", Score(78)),
        ("** -78", Score(-78)),
        ("* -100000 -3334FU", Score.mated_in(None)),
        ("*詰み=先手勝ち:15手", Score.mate_in(15)),
        ("#詰み=後手勝ち", Score.mated_in(None)),
        ("*対局 時間 00:00.8 深さ 22/28 ノード数 744743 評価値 88 読み筋 ▲３四飛(24) △３三角(22)", Score(88)),
        ("*解析 0 △ 候補1 時間 00:00.0 深さ 32 ノード数 1 評価値 0 読み筋 △３三角(22) ", Score(0)),
        ("*解析 0  候補1 時間 00:00.0 深さ 32 ノード数 1 評価値 -詰 5 読み筋 △３三角(22) ", Score.mated_in(5)),
        ("* Engine suisho Version Suisho5 候補1 深さ 13/19 ノード数 596119 評価値 -47 読み筋 △７四金(63)", Score(-47)),
        ("#指し手[62]△７五歩  ▲３三桂成  △同金", Score(62)),
        ("#形勢[-7]", Score(-7)),
    ],
)
def test_forms_that_are_read(line, black):
    assert score_in(line) == black
    for name in ("kif", "csa", "jkf"):
        record = GameRecord.from_moves("shogi", ["7g7f", "3c3d"], comments={1: line, 2: line})
        (again,) = loads(dumps(record, name))
        assert [node.evaluation for node in again.main_line[1:]] == [black, -black]
        assert (1 not in again.comments) == bool(re.match(r"\*(?!対局|解析| Engine)", line))  # what says more is kept
        assert dumps(*loads(dumps(again, name)), name) == dumps(again, name)


@pytest.mark.parametrize("line", ["78", "+0.83 (black's 53%)", "*", "#", "*評価値=", "* word", "评价=3", "#KIF"])
def test_other_comments_tell_nothing(line):
    assert score_in(line) is None


def test_shogihomes_own_example():
    text = """手合割：平手
手数----指手---------消費時間--
   1 ２六歩(27)   ( 0:00/00:00:00)
   2 ８四歩(83)   ( 0:00/00:00:00)
**評価値=80
*
*#評価値=-60
   3 ７六歩(77)   ( 0:00/00:00:00)
**詰み=先手勝ち
*
*#詰み=後手勝ち
   4 ８五歩(84)   ( 0:00/00:00:00)
**詰み=先手勝ち:15手
*
*#詰み=後手勝ち:8手
"""
    (record,) = loads(text)
    values = [node.evaluation for node in record.main_line]
    assert values == [None, None, Score(-80), Score.mate_in(None), Score.mated_in(15)]  # the players', by who moved
    assert record.main_line[2].comment == "\n#評価値=-60"


def test_a_line_with_an_illegal_move_stays_a_comment():
    record = GameRecord.from_moves("shogi", ["7g7f"], comments={1: "* 30 -3334FU -8384FU\n*読み筋=△３四歩▲３四歩"})
    (again,) = loads(dumps(record, "csa"))
    assert again.root.next.evaluation == Score(30) and again.root.next.pv == ()
    assert again.comments == record.comments and dumps(again, "csa") == dumps(record, "csa")


def test_a_new_value_takes_the_place_of_the_one_in_the_comment():
    (record,) = loads(dumps(GameRecord.from_moves("shogi", ["7g7f"], comments={1: "#評価値=5\nso"}), "kif"))
    record.root.next.evaluation = Score(-300)
    for name in FORMATS:
        (again,) = loads(dumps(record, name))
        assert again.root.next.evaluation == Score(-300) and again.comments == {1: "#評価値=5\nso"}


@pytest.mark.parametrize("name", FORMATS)
def test_arrays_have_them(evaluated, name, tmp_path):
    path = tmp_path / f"a.{name}"
    path.write_bytes(dumps(evaluated, name))
    (found,) = games(path)
    assert found.values[0].tolist() == [83, 32000, -32000]
    annotated = GameRecord.from_moves("shogi", ["7g7f", "3c3d"], comments={1: "#評価値=7", 2: "*評価値=9"})
    path.write_bytes(dumps(annotated, name, "utf-8"))
    assert next(games(path)).values[0].tolist() == [7, -9]
