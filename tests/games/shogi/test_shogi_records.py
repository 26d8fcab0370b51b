"""KIF and CSA records: written ones are read back by python-shogi and cshogi, and what files in use hold is read."""

import random

import pytest

from shogi_engine.games.shogi.board import BLACK, STARTING_SFEN, WHITE, Board
from shogi_engine.games.shogi.records import HANDICAPS
from shogi_engine.records import GameRecord, decode, dumps, load, load_format, loads, save
from tests.records.random_records import HELD

shogi_kif = pytest.importorskip("shogi.KIF")
shogi_csa = pytest.importorskip("shogi.CSA")
cshogi = pytest.importorskip("cshogi")
cshogi_kif = pytest.importorskip("cshogi.KIF")
cshogi_csa = pytest.importorskip("cshogi.CSA")

MIDDLE = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1"


def random_game(seed, start=STARTING_SFEN):
    """Return a record of random moves with times, captures preferred so that pieces come into hand."""
    rng, board = random.Random(seed), Board(start)
    for _ in range(rng.randrange(1, 140)):
        moves = list(board.legal_moves)
        if not moves:
            break
        captures = [move for move in moves if board.is_capture(move)]
        board.push(rng.choice(captures if captures and rng.random() < 0.5 else moves))
    record = board.record("resignation")
    record.names = ["\u5148\u624b\u592a\u90ce", "Engine 2"]
    for node in record.main_line[1:]:
        node.seconds = float(rng.randrange(4000))
    return record


def text_of(record, name):
    """Return a record as text in a format."""
    return dumps(record, name, "utf-8").decode()


def read_one(text, name):
    """Return the only game of a text in a format."""
    (record,) = loads(text, format=name)
    return record


@pytest.mark.parametrize("seed", range(12))
def test_other_readers_read_what_is_written(seed):
    record = random_game(seed)
    for text, reader in ((text_of(record, "csa"), shogi_csa), (text_of(record, "kif"), shogi_kif)):
        (game,) = reader.Parser.parse_str(text)
        assert (game["moves"], game["sfen"], game["names"]) == (record.moves, STARTING_SFEN, record.names)
        assert game["win"] == {"1-0": "b", "0-1": "w"}[record.result]
    (game,) = cshogi_csa.Parser.parse_str(text_of(record, "csa"))
    assert ([cshogi.move_to_usi(move) for move in game.moves], game.times) == (record.moves, record.seconds)
    game = cshogi_kif.Parser.parse_str(text_of(record, "kif"))
    assert [cshogi.move_to_usi(move) for move in game.moves] == record.moves
    assert list(game.times[: len(record.moves)]) == record.seconds


@pytest.mark.parametrize("start", [STARTING_SFEN, MIDDLE, *HANDICAPS.values()])
def test_what_is_written_is_read_back(start, tmp_path):
    record = random_game(7, start)
    line = record.main_line
    line[0].comment, line[-1].comment = "before", "two\nlines"
    for name in ("game.csa", "game.kif", "game.kifu"):
        save(record, tmp_path / name)
        assert load(tmp_path / name) == [record]
    assert record.board().ply() == len(record.moves)


@pytest.mark.parametrize("ending", HELD)
def test_endings_keep_their_result(ending):
    for moves in ([], ["7g7f"], ["7g7f", "3c3d"]):
        record = GameRecord.from_moves("shogi", moves, ending=ending)
        for name in ("kif", "jkf", "ki2", "csa"):
            again = read_one(text_of(record, name), name)
            assert again.result == record.result
            assert again == record or name == "csa" or (name, ending) == ("jkf", "try")  # JKF has no word for it
        if ending not in ("default", "sealed move", "last move", "try"):  # no words of CSA's
            assert again == record


KIF_FILE = """\ufeff# ---- Kifu for Windows ----
\u958b\u59cb\u65e5\u6642\uff1a2020/01/02 10:00
\u624b\u5408\u5272\uff1a\u5e73\u624b\u3000\u3000
\u5148\u624b\uff1a\u7f8e\u6fc3 \u592a\u90ce\u3000
\u5f8c\u624b\uff1aB
\u624b\u6570----\u6307\u624b---------\u6d88\u8cbb\u6642\u9593--
*opening
   1 \uff17\u516d\u6b69(77)   ( 0:16/00:00:16)
   2 \uff13\u56db\u6b69(33)   ( 1:05/00:01:05)+
*a comment, * with a star
*and more
   3 \uff12\u4e8c\u89d2\u6210(88)
&bookmark
   4 \u540c\u3000\u9280(31)   ( 0:00/)
   5 45\u89d2\u6253   ( 0:07/00:00:23)
   6 \u6295\u4e86   ( 0:09/00:01:14)
\u307e\u30675\u624b\u3067\u5148\u624b\u306e\u52dd\u3061

\u5909\u5316\uff1a2\u624b
   2 \uff18\u56db\u6b69(83)
"""


def test_a_kif_file_as_programs_write_them(tmp_path):
    path = tmp_path / "game"
    for encoding in ("utf-8", "cp932"):
        path.write_bytes(
            KIF_FILE.lstrip("\ufeff" if encoding == "cp932" else "").replace("\n", "\r\n").encode(encoding)
        )
        (record,) = load(path)
        assert record.moves == ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e"]
        assert record.seconds == [16, 65, None, 0, 7] and record.names == ["\u7f8e\u6fc3 \u592a\u90ce", "B"]
        assert record.comments == {0: "opening", 2: "a comment, * with a star\nand more"}
        assert (record.ending, record.result) == ("resignation", "1-0")
        assert record.headers == {"started": "2020/01/02 10:00"}
        assert record.main_line[3].label == "bookmark" and record.main_line[-1].ending_seconds == 9
        assert [line[-1].move for _, line in record.lines()] == ["B*4e", "8c8d"]


CSA_FILE = """'----------sample----------
V2.2
N+NAKAHARA
N-YONENAGA
$EVENT:13th World Computer Shogi Championship
PI82HI
-
-3334FU,T6
'** 30 3334FU +7776FU
+7776FU
T12.5
-2277UM
%TIME_UP
T30
/
P1 *  *  *  * -OU *  *  *  *\x20
P9 *  *  *  * +OU *  *  *  *\x20
P+55FU00KI
P-00AL
+
"""


def test_a_csa_file_as_servers_write_them(tmp_path):
    path = tmp_path / "games.csa"
    path.write_text(CSA_FILE, encoding="utf-8")
    first, second = load(path)
    assert first.start == "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
    assert first.moves == ["3c3d", "7g7f", "2b7g+"] and first.seconds == [6, 12.5, None]
    assert first.comments == {0: "----------sample----------", 1: "* 30 3334FU +7776FU"}
    assert (first.ending, first.result) == ("time", "0-1") and first.names == ["NAKAHARA", "YONENAGA"]
    assert first.headers == {"event": "13th World Computer Shogi Championship"}
    assert second.start == "4k4/9/9/9/4P4/9/9/9/4K4 b G2r2b3g4s4n4l17p 1" and second.result == "*"
    assert first.main_line[-1].ending_seconds == 30


FAULTS = {
    "csa": [
        ("+\n+7776FU\n+2726FU\n", "line 3: move '\\+2726FU': it is white's turn"),
        ("+\n+7775FU\n", "line 2: .*does not reach"), ("+\n+7775FU\n'\n-3334FU\n", "line 2: .*does not reach"),
        ("+\n+7776TO\n", "line 2: .*promotion zone"),
        ("+\n+7776KI\n", "line 2: .*no piece on 7g can be a gold"),
        ("+\n+0055FU\n", "line 2: .*no pawn in hand"),
        ("+\n+7776XX\n", "line 2: .*no piece XX"),
        ("T1\n+\n", "line 1: 'T1' before the line"),
        ("PI\nP+55XX\n+\n", "line 2: .*not a square and a piece"),
        ("PI55FU\n+\n", "line 1: .*FU to remove"),
        ("PI\n", "whose move"),
        ("+\nhello\n", "line 2: 'hello' is neither"),
    ],
    "kif": [
        ("1 \uff17\u4e94\u6b69(77)\n", "line 1: .*does not reach"),
        ("1 \uff17\u516d\u9280(77)\n", "line 1: .*77 holds \u6b69"),
        ("1 \uff17\u516d\u6b69\u6253\n", "line 1: .*in hand|line 1: .*"),
        ("1 \u540c\u3000\u6b69(77)\n", "line 1: .*needs a previous move"),
        ("1 \uff17\u516d\u6b69(77)\n2 nonsense\n", "line 2: 'nonsense' is not a move"),
        ("1 \uff17\u516d\u6b69(77)\n2 \u6295\u4e86\n3 \uff13\u56db\u6b69(33)\n", "line 3"),
        ("\u624b\u5408\u5272\uff1a\u4e5d\u679a\u843d\u3061\n", "line 1: there is no handicap"),
        ("|v\u9999v\u6842|\u4e00\n", "line 1: .*9 squares of two"),
        ("\u5148\u624b\u306e\u6301\u99d2\uff1a\u5c06\u4e8c\n", "line 1: .*cannot be held"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("format", "text", "fault"), [(format, *row) for format, rows in FAULTS.items() for row in rows]
)
def test_faults_are_named_with_their_line(format, text, fault):
    with pytest.raises(ValueError, match=fault):
        loads(text, format=format)


def test_text_in_no_known_encoding_is_refused(tmp_path):
    with pytest.raises(ValueError, match="must be in UTF-8, UTF-16, Shift JIS, EUC-JP or ISO-2022-JP"):
        decode(b"\xff\xff\x81\x00")
    with pytest.raises(ValueError, match="none of the formats of shogi"):
        save(GameRecord(), tmp_path / "game.txt")


def test_colours():
    record = GameRecord.from_moves("shogi", ["3c3d"], start=HANDICAPS["\u89d2\u843d\u3061"], ending="mate")
    assert record.result == "0-1" and record.board().turn == BLACK != WHITE
    text = text_of(record, "kif")
    assert "\u4e0b\u624b\uff1a" in text and "\u4e0a\u624b\uff1a" in text
    assert load_format("kif").losses(record) == []
