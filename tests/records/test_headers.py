"""Headers that formats share: their names and the forms of their values in each format."""

import pytest

from shogi_engine import records
from shogi_engine.records import GameRecord, dumps, load_format, loads

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
