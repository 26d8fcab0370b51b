"""Shapes of files as sites and GUIs write them. All games here are made up for these tests."""

# ruff: noqa: E501  (a kanji counts for two, and lines are as files have them)

import pytest

from shogi_engine.records import RecordError, loads
from shogi_engine.types.results import Score

MOVES = ["7g7f", "3c3d", "2g2f"]


def one(text, encoding="utf-8", **options):
    """Return the only game of a text."""
    (record,) = loads(text.replace("\n", "\r\n").encode(encoding), **options)
    return record


def test_81dojo():
    record = one(
        "\ufeff#KIF version=2.0 encoding=UTF-8\n開始日時：2020/01/02\n場所：81Dojo\n持ち時間：10分+30秒\n手合割：平手\n先手：alice\n後手：bob\n"
        "手数----指手---------消費時間--\n   1   ７六歩(77)   (0:3/0:0:3)\n   2   ３四歩(33)   (0:2/0:0:2)\n"
        "   3   ２六歩(27)   (1:10/0:1:13)\n   4   投了   (0:5/0:0:7)\n"
    )
    assert record.moves == MOVES and record.seconds == [3, 2, 70] and record.names == ["alice", "bob"]
    assert record.headers == {"started": "2020/01/02", "site": "81Dojo", "time": "10分+30秒"}
    assert (record.ending, record.main_line[-1].ending_seconds, record.result) == ("resignation", 5, "1-0")


def test_shogi_wars():
    record = one(
        "先手：alice 三段\n後手：bob 二段\n棋戦：将棋ウォーズ(10分切れ負け)\n開始日時：2020/01/02 10:00:00\n手合割：平手\n"
        "手数----指手---------消費時間--\n1 ７六歩(77)\n2 ３四歩(33)\n3 ２六歩(27)\n4 切れ負け\nまで3手で時間切れにより先手の勝ち\n"
    )
    assert record.moves == MOVES and record.names[0] == "alice 三段"
    assert (record.ending, record.result, record.seconds) == ("time", "1-0", [None] * 3)


def test_shogi_club_24():
    record = one(
        "#KIF version=2.0 encoding=Shift_JIS\n開始日時：2012/04/03 22:34:17\n棋戦：レーティング対局室(早指し)\n"
        "場所：将棋倶楽部24\n手合割：平手　　\n先手：alice(1800)\n後手：bob(1750)\n手数----指手---------消費時間--\n"
        "*対局開始\n   1 ７六歩(77)   ( 0:02/00:00:02)\n   2 ３四歩(33)   ( 0:01/00:00:01)\n"
        "   3 ２六歩(27)   ( 0:03/00:00:05)\n   4 中断   ( 0:00/00:00:01)\nまで3手で中断\n",
        "cp932",
    )
    assert record.moves == MOVES and record.seconds == [2, 1, 3] and record.headers["site"] == "将棋倶楽部24"
    assert record.comments == {0: "対局開始"} and (record.ending, record.result) == ("interrupted", "*")


def test_headers_of_the_association():
    record = one(
        "開始日時：2020/01/02 9:00\n終了日時：2020/01/03 18:00\n棋戦：第一期名人戦\n戦型：矢倉\n持ち時間：各9時間\n消費時間：100▲320△330\n"
        "場所：東京都・将棋会館\n表題：名人戦\n図：投了\n手合割：平手\n先手：甲野太郎\n後手：乙川次郎\n先手省略名：甲野\n後手省略名：乙川\n"
        "*棋戦詳細：第一期名人戦第一局\n手数----指手---------消費時間--\n   1 ７六歩(77)   ( 0:00/00:00:00)\n*「始まった」\n"
        "   2 ３四歩(33)   ( 1:00/00:01:00)\n   3 封じ手   (10:00/00:10:00)\n"
    )
    assert record.headers["opening"] == "矢倉" and record.headers["先手省略名"] == "甲野"
    assert record.comments == {0: "棋戦詳細：第一期名人戦第一局", 1: "「始まった」"}
    assert (record.ending, record.main_line[-1].ending_seconds, record.result) == ("sealed move", 600, "*")


def test_shogi_gui_with_analysis_and_variations():
    record = one(
        "# ---- Kifu for Windows V7 V7.28 棋譜ファイル ----\n手合割：平手\n先手：\n後手：\n手数----指手---------消費時間--\n"
        "   1 ７六歩(77)        ( 0:01/00:00:01)\n*対局 時間 00:01.0 深さ 20/30 ノード数 1234567 評価値 45 読み筋 △３四歩(33) ▲２六歩(27)\n"
        "*解析 0 候補1 深さ 18 評価値 50 読み筋 △８四歩(83)\n   2 ３四歩(33)        ( 0:01/00:00:01)+\n&序盤\n   3 ２六歩(27)   ( 0:01/00:00:02)\n"
        "   4 中断            ( 0:01/00:00:02)\n\n変化：2手\n   2 ８四歩(83)   ( 0:00/00:00:00)\n   3 ２六歩(27)   ( 0:00/00:00:00)+\n\n"
        "変化：3手\n   3 ６八銀(79)   ( 0:00/00:00:00)\n"
    )
    assert record.moves == MOVES and record.main_line[2].label == "序盤" and "評価値 50" in record.comments[1]
    assert [(ply, [node.move for node in line]) for ply, line in record.lines()][1:] == [
        (2, ["8c8d", "2g2f"]), (3, ["7i6h"]),
    ]  # fmt: skip
    assert record.main_line[1].children[1].children[1].move == "7i6h"


def test_kifu_for_windows_with_a_diagram():
    record = one(
        "後手の持駒：金四　銀二　香四　歩十七　\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n"
        "| ・ ・ ・ ・ ・ ・ ・v桂v玉|一\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|二\n| ・ ・ ・ ・ ・ ・ ・ 銀 歩|三\n"
        + "".join(f"| ・ ・ ・ ・ ・ ・ ・ ・ ・|{rank}\n" for rank in "四五六七八九")
        + "+---------------------------+\n先手の持駒：飛二　角二　桂三　銀　\n先手番\n手数----指手---------消費時間--\n"
        "   1 １二歩成(13)   ( 0:00/00:00:00)\n   2 詰み\n"
    )
    assert record.start == "7nk/9/7SP/9/9/9/9/9/9 b 2R2BS3N4g2s4l17p 1"
    assert record.moves == ["1c1b+"] and (record.ending, record.result) == ("mate", "1-0")


def test_floodgate():
    record = one(
        "V2\nN+alice\nN-bob\n'Max_Moves:256\n'Least_Time_Per_Move:0\n'Increment:10\n$EVENT:wdoor+floodgate-300-10F+alice+bob+20200102\n"
        "$START_TIME:2020/01/02 10:00:01\nP1-KY-KE-GI-KI-OU-KI-GI-KE-KY\nP2 * -HI *  *  *  *  * -KA * \nP3-FU-FU-FU-FU-FU-FU-FU-FU-FU\n"
        "P4 *  *  *  *  *  *  *  *  * \nP5 *  *  *  *  *  *  *  *  * \nP6 *  *  *  *  *  *  *  *  * \n"
        "P7+FU+FU+FU+FU+FU+FU+FU+FU+FU\nP8 * +KA *  *  *  *  * +HI * \nP9+KY+KE+GI+KI+OU+KI+GI+KE+KY\n+\n'rating:alice:2500\n"
        "+7776FU\nT1\n'** 30 -3334FU +2726FU\n-3334FU\nT12\n'** -25 +2726FU\n+2726FU\nT3\n%TORYO\n'summary:toryo:alice win:bob lose\n"
        "'$END_TIME:2020/01/02 10:01:00\n"
    )
    assert record.moves == MOVES and record.seconds == [1, 12, 3] and record.result == "1-0"
    assert set(record.comments) == {0, 3} and record.headers["event"].startswith("wdoor+")
    first, second = record.main_line[1:3]
    assert (first.evaluation, first.pv) == (Score(30), ("3c3d", "2g2f"))
    assert (second.evaluation, second.pv) == (Score(25), ("2g2f",))  # white's own view


def test_csa_3():
    record = one(
        "'CSA encoding=UTF-8\nV3.0\nN+甲野\nN-乙川\n$EVENT:選手権\n$START_TIME:2024/05/03 10:30:00\n$TIME:300+10+0\n$MAX_MOVES:256\nPI\n+\n+7776FU\nT12.345\n"
        "'*コメント\n-3334FU\nT0.5\n%MAX_MOVES\n"
    )
    assert record.seconds == [12.345, 0.5] and record.comments == {1: "コメント"} and record.names[0] == "甲野"
    assert (record.ending, record.result) == ("max moves", "1/2-1/2")


def test_lishogi():
    record = one(
        "棋戦：lishogi\n開始日時：2024/01/02 03:04:05\n場所：https://lishogi.org/abcdefgh\n持ち時間：10分+0秒\n手合割：香落ち\n下手：alice\n上手：bob\n"
        "手数----指手---------消費時間--\n   1   ３四歩(33)   (0:01/00:00:01)\n   2   ７六歩(77)   (0:02/00:00:02)\n   3   投了\n"
    )
    assert (
        record.moves == ["3c3d", "7g7f"] and record.start.startswith("lnsgkgsn1/") and record.names == ["alice", "bob"]
    )
    assert record.result == "1-0"  # white, who began, resigned


def test_ki2_of_a_newspaper():
    record = one(
        "棋戦：竜王戦\n先手：甲野太郎\n後手：乙川次郎\n\n▲７六歩 △３四歩    ▲２二角成\n△同　銀    ▲３八銀△４二飛\n*ここで四間飛車\n▲６八玉    △６二玉\n"
        "まで8手で中断\n",
        "cp932",
    )
    assert record.moves == ["7g7f", "3c3d", "8h2b+", "3a2b", "3i3h", "8b4b", "5i6h", "5a6b"]
    assert record.comments == {6: "ここで四間飛車"} and record.ending == "interrupted"


@pytest.mark.parametrize(
    ("line", "ending", "result"),
    [("まで2手で後手の勝ち", "resignation", "0-1"), ("まで2手で時間切れにより後手の勝ち", "time", "0-1"),
     ("まで2手で先手の反則負け", "illegal move", "0-1"), ("まで2手で先手の反則勝ち", "illegal move", "1-0"),
     ("まで2手で千日手", "repetition", "1/2-1/2"), ("まで2手で持将棋", "impasse", "1/2-1/2"), ("まで2手で詰み", "mate", "0-1"),
     ("まで、2手で先手の入玉勝ち", "declaration", "1-0"), ("まで2手で後手の不戦勝", "default", "0-1")],
)  # fmt: skip
def test_last_lines(line, ending, result):
    for moves in ("1 ７六歩(77)\n2 ３四歩(33)\n", "▲７六歩 △３四歩\n"):
        record = one(moves + line + "\n")
        assert (record.ending, record.result) == (ending, result)


def test_the_last_line_tells_who_has_won():
    """Servers let a player resign while the opponent thinks."""
    for plies, line in ((2, "まで2手で先手の勝ち"), (1, "まで1手で後手の勝ち")):
        moves = "".join(("1 ７六歩(77)\n", "2 ３四歩(33)\n")[:plies])
        record = one(f"{moves}{plies + 1} 投了\n{line}\n")
        assert (record.ending, record.result) == ("resignation", "1-0" if plies == 2 else "0-1")
        assert one(f"{moves}{plies + 1} 投了\nまで2手でやめ\n").ending == "resignation"


def test_an_illegal_move_that_ended_the_game():
    kif, csa = "1 ７六歩(77)\n2 ３五歩(33)\n3 反則勝ち\n", "+\n+7776FU\n-3335FU\nT3\n%-ILLEGAL_ACTION\n"
    for text in (kif, csa, csa.replace("-ILLEGAL_ACTION", "ILLEGAL_MOVE")):
        record = one(text)
        assert record.moves == ["7g7f"] and (record.ending, record.result) == ("illegal move", "1-0")
        assert "illegal move: " in record.comments[1]
    with pytest.raises(RecordError, match="line 2: .*does not reach"):
        one("1 ７六歩(77)\n2 ３五歩(33)\n3 ２六歩(27)\n")


def test_jkf_as_other_programs_write_it():
    record = one(
        '{"header":{"先手":"A","後手":"B","棋戦":"C"},"moves":[{"comments":["開始"]},{"move":{"to":{"x":7,"y":6},"from":{"x":7,"y":7},"piece":"FU"},'
        '"time":{"now":{"m":0,"s":16},"total":{"h":0,"m":0,"s":16}},"forks":[[{"move":{"to":{"x":2,"y":6},"from":{"x":2,"y":7},"piece":"FU"}}]]},'
        '{"move":{"from":{"x":3,"y":3},"to":{"x":3,"y":4},"color":1,"piece":"FU"}},{"move":{"from":{"x":8,"y":8},"to":{"x":2,"y":2},"color":0,'
        '"piece":"KA","capture":"KA","promote":true}},{"move":{"from":{"x":3,"y":1},"same":true,"piece":"GI"}},'
        '{"move":{"to":{"x":4,"y":5},"piece":"KA","relative":"H"}},{"move":{"to":{"x":5,"y":2},"piece":"KI","relative":"R"}},{"special":"CHUDAN"}]}'
    )
    assert record.moves == ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e", "6a5b"] and record.ending == "interrupted"
    assert record.root.children[1].move == "2g2f" and record.seconds[0] == 16 and record.headers == {"event": "C"}
    for fault, reason in (
        ('{"moves":[{},{"move":{"to":{"x":7,"y":5},"from":{"x":7,"y":7},"piece":"FU"}}]}', r"moves\[1\]: .*reach"),
        ('{"moves":[{},{"move":{"to":{"x":0,"y":5}}}]}', r"moves\[1\]: move.piece"), ("{", "not JSON"), ("[" * 100000, "cannot be read|begins with"),
        ('{"header":{}}', "'moves' is missing"),
    ):  # fmt: skip
        with pytest.raises(RecordError, match=reason):
            one(fault, format="jkf")
    assert one('{"moves":[{},{"special":"X"}]}', format="jkf").notes == ["moves[1]: 'X' is not an ending"]


def test_sgf_as_other_programs_write_it():
    record = one("(;FF[4]GM[2]SZ[8]\nPB[A]PW[B]RE[B+64]\n;B[fe]C[one\\]];W[FF](;B[e6])(;B[d3];W[c5]))")
    assert record.moves == ["f5", "f6", "e6"] and record.root.children[0].comment == "one]" and record.score == 64
    assert record.main_line[2].children[1].move == "d3"
    with pytest.raises(RecordError, match=r"GM\[1\]: the game must be Othello"):
        one("(;GM[1];B[dd])")
    with pytest.raises(RecordError, match="line 2: .*not a square"):
        one("(;GM[2]\n;B[zz])")


def test_usi_lines_and_files_with_many_games():
    text = "# two games\nposition startpos moves 7g7f 3c3d\nstartpos moves 2g2f resign\nsfen 7nk/9/7GP/9/9/9/9/9/9 b - 1\n7nk/9/7GP/9/9/9/9/9/9 b - 1\n"
    records = loads(text)
    assert [record.moves for record in records] == [["7g7f", "3c3d"], ["2g2f"], [], []]
    assert records[1].ending == "resignation" and records[2].start == records[3].start
    with pytest.raises(RecordError, match="^line 2: move 1 of 1: "):
        loads("startpos\nstartpos moves 7g7d\n")
