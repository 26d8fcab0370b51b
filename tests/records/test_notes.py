"""Positions in the words of USI, passes of other programs, and what commands say about lines that they pass over."""

import numpy as np
import pytest

from shogi_engine import records
from shogi_engine.__main__ import main
from shogi_engine.games.othello.notation import split_transcript
from shogi_engine.games.shogi.board import Board
from shogi_engine.games.shogi.records.formats import kif
from shogi_engine.games.shogi.sfen import START, format_sfen, parse_sfen
from shogi_engine.records import GameRecord, RecordError, dumps, games, load_format, loads

AFTER = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2"


@pytest.mark.parametrize(
    ("text", "sfen"),
    [
        ("startpos", START), ("position startpos", START), (f"sfen {START}", START),
        (f"position sfen {START}", START), (START.replace(" ", "_"), START), ("startpos moves 7g7f", AFTER),
        ("position startpos moves 7g7f", AFTER), (f"sfen {START} moves 7g7f", AFTER), (f"{START} moves 7g7f", AFTER),
        (f"  position   sfen {START} moves 7g7f\n", AFTER),
    ],
)  # fmt: skip
def test_a_position_may_be_a_command_of_usi(text, sfen):
    assert format_sfen(parse_sfen(text)) == sfen
    board = Board(text)
    assert board.sfen() == sfen and [str(move) for move in board.move_stack] == ["7g7f"] * (sfen == AFTER)
    board = Board()
    board.set_sfen(text)
    assert board.sfen() == sfen


@pytest.mark.parametrize("text", ["startpos moves 7g7e", "startpos 7g7f", "position", "sfen", "moves 7g7f", ""])
def test_other_words_are_refused(text):
    for read in (parse_sfen, Board):
        with pytest.raises(ValueError):
            read(text)


def test_passes_of_other_programs():
    assert split_transcript("f5ps@@--pa") == ["f5", "ps", "@@", "--", "pa"]
    for text in ("pa", "ps", "--", "@@"):
        with pytest.raises(ValueError, match="can place a disc and so cannot pass"):
            load_format("transcript").parse([(1, f"f5{text}")])


def test_notes_are_not_part_of_a_game():
    one, other = loads("1 ７六歩(77)\n# memo\n2 ３四歩(33)\n")[0], loads("1 ７六歩(77)\n2 ３四歩(33)\n")[0]
    assert one == other and one.notes and not other.notes


@pytest.mark.parametrize(
    ("ending", "closing", "result", "note"),
    [
        ("投了", "後手の勝ち", "0-1", ""),
        ("投了", "先手の勝ち", "1-0", "'先手の勝ち' counts, although the ending before it names the other side"),
        ("切れ負け", "先手の勝ち", "1-0", "'先手の勝ち' counts, although the ending before it names the other side"),
        ("切れ負け", "後手の勝ち", "0-1", ""),
        ("中断", "先手の勝ち", "1-0", ""),
        ("投了", "千日手", "0-1", "'千日手' is passed over: the game ended otherwise"),
    ],
)
def test_a_closing_line_that_names_the_other_side_is_noted(ending, closing, result, note):
    """Black is to move; the reader of lines and the one with moves from kernels, which a variation rules out."""
    game = f"1 ７六歩(77)\n2 ３四歩(33)\n3 {ending}\nまで2手で{closing}\n"
    for text in (game, f"{game}変化：1手\n1 ２六歩(27)\n"):
        record = loads(text, format="kif")[0]
        assert (record.result, record.notes) == (result, [f"line 4: {note}"] if note else [])


TWO = "1 ７六歩(77)\n2 ３四歩(33)\n"


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        (f"{TWO}まで5手で先手の勝ち\n", (5, 2)), (f"{TWO}3 投了\nまで3手で後手の勝ち\n", (3, 2)),
        (f"{TWO}（まで5手で先手の勝ち）\n", (5, 2)), ("▲７六歩 △３四歩\nまで１手で先手の勝ち\n", (1, 2)),
        (f"{TWO}まで2手で後手の勝ち\n", ()), (f"{TWO}まで、後手の勝ち\n", ()),
        (f"{TWO}3 ７六歩(77)\n4 反則負け\nまで3手で後手の勝ち\n", ()),
        (f"{TWO}3 ７六歩(77)\nまで2手で先手の反則負け\n", ()),
        ("51 ７六歩(77)\n52 ３四歩(33)\nまで52手で後手の勝ち\n", ()), ("51 ７六歩(77)\nまで1手で先手の勝ち\n", ()),
    ],
)  # fmt: skip
def test_a_closing_line_that_counts_other_moves_is_noted(text, counts):
    """By the reader of lines, and for KIF by the one with moves from kernels."""
    number = text.count("\n")
    wanted = [f"line {number}: the closing line counts {counts[0]} moves, but there are {counts[1]}"] if counts else []
    assert loads(text)[0].notes == wanted
    if text.startswith("1 ") and "反則" not in text and "（" not in text and "、" not in text:
        board, block = Board(), list(enumerate(text.splitlines(), 1))
        moves = np.array([int(board.push_usi(move)) for move in ("7g7f", "3c3d")], np.int32)
        assert kif._tree(block, moves).notes == wanted


@pytest.mark.parametrize("first", [f"{TWO}まで2手で後手の勝ち\n", "▲７六歩\nまで1手で先手の勝ち\n", "▲７六歩\n"])
@pytest.mark.parametrize(
    "other",
    [
        "V2.2\nPI\n+\n+7776FU\nT1\n%TORYO\n", "+7776FU,T1\n", "startpos moves 7g7f 3c3d\n",
        "sfen 8k/9/8P/9/9/9/9/9/9 b G 1 moves G*1b\n",
    ],
)  # fmt: skip
def test_a_game_of_another_format_that_follows_is_not_passed_over(first, other):
    with pytest.raises(RecordError, match=r"line \d: .*neither a header nor a move"):
        loads(first + other)
    assert loads(first + other, keep=True)[0].moves == loads(first)[0].moves


def test_convert_prints_notes(tmp_path, capsys):
    path = tmp_path / "a.kifu"
    path.write_text("先手：A\n1 ７六歩(77)\n" + "# memo\n" * 12 + "2 ３四歩(33)\n", encoding="utf-8")
    assert main(["convert", str(path), str(tmp_path / "a.csa")]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 11
    assert lines[0] == f"{path}: line 3: the remark '# memo' is passed over" and lines[-1] == f"{path}: 2 more notes"


@pytest.mark.parametrize(
    "command",
    [
        ["analyse", "FILE", "--limit", "nodes=50"],
        ["study", "FILE", "--limit", "nodes=50"],
        ["book", "shogi", "extend", "RUN", "--records", "FILE"],
    ],
    ids=lambda command: command[0],
)
def test_commands_that_read_records_print_notes(tmp_path, capsys, command):
    path = tmp_path / "a.kifu"
    path.write_text("1 ７六歩(77)\n# memo\n2 ３四歩(33)\n", encoding="utf-8")
    names = {"FILE": str(path), "RUN": str(tmp_path / "run.jsonl")}
    assert main(["book", "shogi", "build", names["RUN"], "--positions", "1", "--nodes", "50"]) == 0
    assert main([names.get(word, word) for word in command]) == 0
    said = capsys.readouterr().err.splitlines()
    assert said.count(f"{path}: line 2: the remark '# memo' is passed over") == 1


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_faults_have_the_line_of_the_file_with_all_line_ends(tmp_path, end):
    path = tmp_path / "a.csa"
    path.write_bytes(end.join(["PI", "+", "+7776FU", "%TORYO", "'x\r'y", "/", "PI", "+", "aCHUDAN", ""]).encode())
    for read in (lambda: loads(path.read_bytes()), lambda: list(games(path))):
        with pytest.raises(RecordError, match="line 10: 'aCHUDAN'"):
            read()


# ---- headers -----------------------------------------------------------------------------------------------------


GAME = {"kif": "shogi", "ki2": "shogi", "csa": "shogi", "jkf": "shogi", "sgf": "othello", "ggf": "othello"}
TIMES = [  # a value; in CSA, in SGF and GGF; '' where it cannot be said, * where not all of it can
    ("10分+30秒", "$TIME_LIMIT:00:10+30", "*TM[600]", "*TI[10:00]"),
    ("各9時間", "$TIME_LIMIT:09:00+00", "TM[32400]", "TI[9:00:00]"),
    ("１５分", "$TIME_LIMIT:00:15+00", "TM[900]", "TI[15:00]"),
    ("10分切れ負け", "$TIME_LIMIT:00:10+00", "TM[600]", "TI[10:00]"),
    ("1時間30分 秒読み60秒", "$TIME_LIMIT:01:30+60", "*TM[5400]", "*TI[1:30:00]"),
    ("6時間、切れたら一手60秒", "$TIME_LIMIT:06:00+60", "*TM[21600]", "*TI[6:00:00]"),
    ("00:25+00", "$TIME_LIMIT:00:25+00", "TM[1500]", "TI[25:00]"),
    ("30秒", "$TIME:30+0+0", "TM[30]", "TI[0:30]"),
    ("300+0+10", "$TIME:300+0+10", "*TM[300]", "TI[5:00/0:10]"),
    ("10分+5秒加算", "$TIME:600+0+5", "*TM[600]", "TI[10:00/0:05]"),
    ("600+300+0", "$TIME:600+300+0", "*TM[600]", "*TI[10:00]"),
    ("5:00/0:02/2:00", "$TIME:300+0+2", "*TM[300]", "TI[5:00/0:02/2:00]"),
    ("900", "$TIME_LIMIT:00:15+00", "TM[900]", "TI[15:00]"),
    ("早指し", "", "", "TI[早指し]"),
]
DATES = [  # a value, in CSA and SGF
    ("2024年1月2日(火) 10:11:12", "2024/01/02 10:11:12", "*2024-01-02"),
    ("2024/01/02(火)　10:11:12", "2024/01/02 10:11:12", "*2024-01-02"),
    ("2020/1/2 9:00", "2020/01/02 09:00:00", "*2020-01-02"),
    ("1990年3月5日 9時30分", "1990/03/05 09:30:00", "*1990-03-05"),
    ("2024.1.2", "2024/01/02", "2024-01-02"),
    ("2024-01-02", "2024/01/02", "2024-01-02"),
    ("2024-01-02T10:11:12Z", "*2024/01/02 10:11:12", "*2024-01-02"),
    ("1996-05-06,07", "*1996/05/06", "1996-05-06,07"),
    ("2024/13/01", "", ""),
    ("2024/01/02 25:00", "", ""),
    ("令和6年", "", ""),
]


def written(format, **headers):
    """Return the text of a game without moves, and whether the format says that it loses headers."""
    record = GameRecord(GAME[format], headers=headers)
    return dumps(record, format, "utf-8").decode(), "headers" in load_format(format).losses(record)


def check(format, wanted, text, lost):
    """Compare with what must be written; a star before it says that not all can be."""
    assert lost == (not wanted or wanted[0] == "*")
    assert wanted.lstrip("*") in text


@pytest.mark.parametrize(("value", "csa", "sgf", "ggf"), TIMES)
def test_time_controls_are_written_in_the_form_of_the_format(value, csa, sgf, ggf):
    for format, wanted in (("csa", csa), ("sgf", sgf), ("ggf", ggf)):
        text, lost = written(format, time=value)
        check(format, wanted, text, lost)
        assert ("TIME" in text or "TM[" in text or "TI[" in text) == bool(wanted)
        assert ("V3.0" in text) == wanted.startswith("$TIME:")
    for format in ("kif", "jkf"):
        (record,) = loads(dumps(GameRecord(headers={"time": value}), format))
        assert record.headers == {"time": value}


@pytest.mark.parametrize(("value", "csa", "sgf"), DATES)
def test_dates_are_written_in_the_form_of_the_format(value, csa, sgf):
    text, lost = written("csa", started=value, ended=value)
    check("csa", csa, text, lost)
    assert text.count(csa.lstrip("*") or "$") == (2 if csa else 0)
    check("sgf", sgf, *written("sgf", started=value))


def test_headers_of_csa_3():
    data = (
        b"'CSA encoding=UTF-8\nV3.0\n$TIME+:600+10+0\n$TIME-:300+0+5\n"
        b"$MAX_MOVES:256\n$JISHOGI:27\n$NOTE:a\\\\nb\\nc\nPI\n+\n"
    )
    (record,) = loads(data)
    assert record.headers == {
        "black_time": "600+10+0", "white_time": "300+0+5", "max_moves": "256", "impasse": "27", "note": "a\\nb\nc",
    }  # fmt: skip
    assert dumps(record, "csa") == data
    kif = dumps(record, "kif", "utf-8").decode()
    for line in ("先手持ち時間：600+10+0", "後手持ち時間：300+0+5", "最大手数：256", "持将棋：27", "備考：a\\nb c"):
        assert f"\n{line}\r\n" in kif
    assert loads(kif)[0].headers == record.headers | {"note": "a\\nb c"}
    assert loads(dumps(record, "jkf"))[0].headers == record.headers
    assert "$MAX_MOVES:256\n" in written("csa", max_moves="256手")[0] and written("csa", max_moves="none")[1]


def test_the_byoyomi_of_kif_is_a_part_of_the_time_of_csa():
    (record,) = loads("持ち時間：10分\n秒読み：30秒\n手合割：平手\n先手：a\n後手：b\n".encode())
    text = dumps(record, "csa").decode()
    assert "$TIME_LIMIT:00:10+30\n" in text and "headers" not in load_format("csa").losses(record)
    assert dumps(record, "kif", "utf-8").decode().count("秒") == 2
    record.headers["time"] = "早指し"
    assert "TIME" not in dumps(record, "csa").decode() and "headers" in load_format("csa").losses(record)


def test_what_is_left_out_is_said_by_each_format():
    """KIF's header must be read back as one; names that a format uses for other things cannot be headers."""
    for format, name in (("kif", "a：b"), ("kif", "先手"), ("ki2", "7"), ("csa", "a b"), ("sgf", "AB"), ("ggf", "BO")):
        text, lost = written(format, **{name: "value"})
        assert lost and "value" not in text
    assert records.HEADERS.keys() >= {"title", "event", "site", "started", "ended", "opening", "time", "note"}


def test_signs_of_moves_are_properties_of_sgf():
    """https://www.red-bean.com/sgf/properties.html#BM: in a comment they are its first word."""
    text = "(;FF[4]GM[2]BM[1];B[f5]TE[2];W[d6]C[so]DO[];B[c3]IT[]C[a]C[b];W[d3]BM[2]C[ x];B[c4]TE[]N[here])"
    (record,) = loads(text.encode(), format="sgf")
    comments = [node.comment for node in record.main_line]
    assert comments == ["", "!!", "?! so", "!? a\nb", "??  x", "!"] and not record.headers
    written = dumps(record, "sgf")
    assert loads(written, format="sgf") == [record]
    for value in (b"TE[2]", b"DO[]C[so]", b"BM[2]C[ x]", b"TE[1]N[here]"):
        assert value in written
