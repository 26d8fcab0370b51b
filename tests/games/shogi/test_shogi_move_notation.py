"""Moves as people write them: every notation is read by one parser, and read back as it is written."""

# ruff: noqa: E501  (a kanji counts for two)

import random

import pytest

from shogi_engine.games.shogi import names
from shogi_engine.games.shogi.board import CSA, KIF, Board, Move
from shogi_engine.games.shogi.notation import NOTATIONS
from shogi_engine.games.shogi.records import HANDICAPS
from shogi_engine.records import dumps

cshogi = pytest.importorskip("cshogi")
cshogi_ki2 = pytest.importorskip("cshogi.KI2")

MIDDLE = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1"


@pytest.mark.parametrize(
    "text",
    ["7g7f", "7G7F", "７六歩", "7六歩", "76歩", "▲７六歩", "☗7六歩", "７六歩(77)", "76FU", "7776FU", "+7776FU", "7776fu",
     "P-7f", "P7f", "p-7f", "P-76", "P7g-7f", " ７六歩 ", "７ｇ７ｆ", "P–7f"],
)  # fmt: skip
def test_one_move_in_many_writings(text):
    assert Board().parse_text(text) == Move.from_usi("7g7f")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "is not a move"), ("hello", "is not a move"), ("同歩", "needs a previous move"), ("5八金", "▲５八金左 \\(6i5h\\), ▲５八金右 \\(4i5h\\)"),
        ("58KI", "\\+6958KI \\(6i5h\\), \\+4958KI"), ("G-5h", "G6i-5h \\(6i5h\\), G4i-5h"), ("△３四歩", "black's turn"),
        ("-3334FU", "black's turn"), ("5五歩", "no pawn of black reaches 5e"), ("Px7f", "nothing to capture on 7f"),
        ("76XX", "no piece XX"), ("P*5e", "no pawn in hand"), ("５五玉打", "no 玉 can be dropped"), ("+G-5h", "no piece \\+G"),
        ("７六歩(27)", "does not reach"), ("７六銀(77)", "77 holds 歩"), ("５八金上寄", "no gold matches '上寄'"),
        ("7776KI", "no piece on 7g can be"), ("5九金", "own piece is on 5i"), ("２二角成", "no bishop of black reaches"),
        ("7g7e", "does not reach"), ("７六歩左打", "a drop has no source square|is not a move"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(text, fault):
    with pytest.raises(ValueError, match=fault) as caught:
        Board().parse_text(text)
    assert "\n" not in str(caught.value)


def test_same_square_promotion_and_drops():
    board = Board()
    for text, usi in (("７六歩", "7g7f"), ("３四歩", "3c3d"), ("２二角不成", "8h2b"), ("同銀", "3a2b"), ("角打５五", ""), ("５五角", "B*5e"),
                      ("３三銀", "2b3c"), ("同角成", "5e3c+"), ("同　桂", "2a3c"), ("銀打", ""), ("S*6h", "S*6h")):  # fmt: skip
        if usi:
            assert board.push_text(text).usi() == usi
        else:
            with pytest.raises(ValueError):
                board.parse_text(text)
    assert board.text(Move.from_usi("B*4e"), "japanese") == "△４五角"
    assert Board("4k4/9/9/9/9/9/4P4/9/4K4 b P 1").text(Move.from_usi("P*4e")) == "▲４五歩"
    assert Board("4k4/1r7/9/9/9/9/9/9/4K4 w r 1").text(Move.from_usi("R*8e")) == "△８五飛打"


def test_a_move_that_does_not_say_promotes_only_if_it_has_to():
    board = Board("9/2P6/2P6/9/9/9/9/9/k3K4 b - 1".replace("2P6/2P6", "2P6/1P7"))
    assert board.parse_text("７一歩") == Move.from_usi("7b7a+") == board.parse_text("P-7a") == board.parse_text("71TO")
    assert board.parse_text("８二歩") == Move.from_usi("8c8b") != board.parse_text("８二歩成")
    assert (
        board.text(Move.from_usi("8c8b"), "western") == "P-8b="
        and board.text(Move.from_usi("8c8b+"), "western") == "P-8b+"
    )
    with pytest.raises(ValueError, match="must promote"):
        board.parse_text("７一歩(72)")  # a square that is written means what is written


@pytest.mark.parametrize(
    ("sfen", "usi", "text"),
    [
        # After the Japan Shogi Association's page on notation: the direction first, then left, right and straight.
        ("9/2G3G2/9/9/9/3S1S3/9/9/4K3k b - 1", "7b8a", "▲８一金"), ("8k/1G1G5/9/9/9/9/9/9/4K4 b - 1", "8b7b", "▲７二金左"),
        ("k8/9/9/9/9/9/9/3GG4/4K4 b - 1", "6h6g", "▲６七金直"), ("k8/9/9/9/9/9/9/3GG4/4K4 b - 1", "5h6g", "▲６七金右"),
        ("k8/9/9/9/9/9/3S5/9/K1S1S4 b - 1", "7i6h", "▲６八銀左"), ("k8/9/9/9/9/9/3S5/9/K1S1S4 b - 1", "6g7h", "▲７八銀引"),
        ("k8/9/9/9/9/9/3GGG3/4G4/8K b - 1", "5h6h", "▲６八金寄"), ("k8/9/9/9/9/9/3G1G3/3G1G3/8K b - 1", "6h5g", "▲５七金左上"),
        ("k8/9/9/9/9/9/3G1G3/3G1G3/8K b - 1", "4g5g", "▲５七金右寄"),
        ("8k/9/9/9/9/1+R7/9/2+R6/8K b - 1", "7h7g", "▲７七龍上"), ("8k/9/9/9/9/9/1+R7/2+R6/8K b - 1", "7h8h", "▲８八龍寄"),
        ("8k/9/9/9/9/9/9/1+R1+R5/8K b - 1", "8h7h", "▲７八龍左"), ("8k/9/9/9/9/9/9/2+B+B5/8K b - 1", "6h6g", "▲６七馬右"),
        ("8k/9/9/9/9/9/9/2+B+B5/8K b - 1", "7h6g", "▲６七馬左"), ("8K/3gg4/9/9/9/9/9/9/8k w - 1", "6b6c", "△６三金直"),
        ("8K/3gg4/9/9/9/9/9/9/8k w - 1", "5b6c", "△６三金左"), ("k8/9/9/9/9/9/9/9/2+N1+N3K b - 1", "7i6i", "▲６九成桂左"),
    ],
)  # fmt: skip
def test_the_words_that_tell_which_piece(sfen, usi, text):
    board = Board(sfen)
    assert board.text(Move.from_usi(usi)) == text
    assert board.parse_text(text).usi() == usi


UNKNOWN_THERE = (MIDDLE, HANDICAPS["右七枚落ち"], HANDICAPS["左七枚落ち"])  # what python-shogi's KIF does not know


def positions(count, plies, seed):
    """Yield boards of random games, promoted pieces and full hands among them."""
    rng = random.Random(seed)
    for start in [*HANDICAPS.values(), MIDDLE] * count:
        board = Board(start)
        for _ in range(rng.randrange(plies)):
            moves = list(board.legal_moves)
            if not moves:
                break
            captures = [move for move in moves if board.is_capture(move) or move.promotion]
            board.push(rng.choice(captures if captures and rng.random() < 0.6 else moves))
        yield board


def test_the_command_line_names_the_notations():
    assert tuple(NOTATIONS) == names.NOTATIONS


@pytest.mark.parametrize("notation", NOTATIONS)
def test_what_is_written_is_read(notation):
    for board in positions(1, 120, 3):
        moves = list(board.legal_moves)
        texts = [board.text(move, notation) for move in moves]
        assert len(set(texts)) == len(texts)
        assert [board.parse_text(text) for text in texts] == moves


def test_cshogi_writes_the_same_words():
    """Both ask which pieces could go there, legal or not; what it writes is read, and is what we write."""
    written = different = 0
    for board in positions(1, 120, 5):
        other = cshogi.Board(board.root().sfen())
        for move in board.move_stack:
            other.push_usi(move.usi())
        for move in board.legal_moves:
            theirs = cshogi_ki2.move_to_ki2(other.move_from_usi(move.usi()), other)
            assert board.parse_text(theirs) == move
            written += 1
            different += theirs.replace("\u3000", "") != board.text(move).replace("\u3000", "")
    assert written > 500 and different == 0


def test_python_shogis_exceptions():
    game = {"names": ["a", "b"], "sfen": Board().sfen(), "moves": ["7g7f"], "win": "b"}
    assert "投了" in KIF.Exporter.kif(game)
    with pytest.raises(KIF.ExporterException, match="Invalid win"):
        KIF.Exporter.kif(game | {"win": "w"})
    with pytest.raises(ValueError):
        KIF.Exporter.kif(game | {"moves": ["7g7e"]})
    with pytest.raises(KIF.ParserException):
        KIF.Parser.parse_str("手合割：無\n   1 ９九玉\n")


def test_python_shogi_and_kif():
    """What KIF has for a move is what python-shogi reads."""
    shogi_kif = pytest.importorskip("shogi.KIF")
    for board in positions(1, 80, 9):
        if not board.move_stack or board.root().sfen() in UNKNOWN_THERE:
            continue
        text = (
            dumps(board.record("interrupted"), "kif", "utf-8")
            .decode()
            .replace("#KIF version=2.0 encoding=UTF-8\r\n", "")
        )
        (game,) = shogi_kif.Parser.parse_str(text.replace("\r\n", "\n"))
        assert game["moves"] == [move.usi() for move in board.move_stack]
        assert KIF.Parser.parse_str(text) == [game | {"win": None}]  # an interrupted game is no draw


def test_the_names_of_python_shogi():
    game = {"names": ["A", "B"], "sfen": Board().sfen(), "moves": ["7g7f", "3c3d", "8h2b+"], "win": "b"}
    assert KIF.Parser.parse_str(KIF.Exporter.kif(game)) == [game]
    assert CSA.Parser.parse_str("N+A\nN-B\nPI\n+\n+7776FU\n-3334FU\n+8822UM\n%TORYO\n") == [game]
