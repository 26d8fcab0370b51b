"""The door: every kind of bad SFEN, bad position and illegal move is refused, and the message says what and where."""

import pytest

from shogi_engine.games.shogi.board import Board
from shogi_engine.games.shogi.sfen import format_sfen, parse_sfen, parse_usi

EMPTY = "9/9/9/9/9"
BARE = "4k4/9/9/9/9/9/9/9/4K4"

BAD_SFENS = [
    ("sfen", "3 or 4 fields", "not 0"),
    (BARE, "3 or 4 fields", "not 1"),
    (f"{BARE} b", "3 or 4 fields", "not 2"),
    (f"{BARE} b - 1 7g7f", "3 or 4 fields", "not 5"),
    (f"{BARE}/9 b - 1", "9 ranks", "not 10"),
    ("4k4/9/9/9/9/9/9/4K4 b - 1", "9 ranks", "not 8"),
    ("4k4/9/9/9/8/9/9/9/4K4 b - 1", "rank e", "8 squares wide"),
    ("4k4/9/pppppppppp/9/9/9/9/9/4K4 b - 1", "rank c", "10 squares wide"),
    ("4k4/9//9/9/9/9/9/4K4 b - 1", "rank c", "0 squares wide"),
    ("4k5/9/9/9/9/9/9/9/4K4 b - 1", "rank a", "10 squares wide"),
    ("4k4/9/9/9/4x4/9/9/9/4K4 b - 1", "rank e", "'x'"),
    ("4k4/9/0p8/9/9/9/9/9/4K4 b - 1", "rank c", "'0'"),
    ("4k4/9/9/9/9/9/4-4/9/4K4 b - 1", "rank g", "'-'"),
    ("4k4/9/9/+9/9/9/9/9/4K4 b - 1", "rank d", "'+' before the number 9"),
    ("4k4/9/9/++P8/9/9/9/9/4K4 b - 1", "rank d", "'++'"),
    ("4k4/9/9/8P+/9/9/9/9/4K4 b - 1", "rank d", "ends with '+'"),
    ("4k4/4+G4/9/9/9/9/9/9/4K4 b - 1", "rank b", "'+G': a gold cannot promote"),
    ("4k4/9/9/9/9/9/9/9/4+K4 b - 1", "rank i", "'+K': a king cannot promote"),
    (f"{BARE} x - 1", "side to move", "'x'"),
    (f"{BARE} W - 1", "side to move", "'W'"),
    (f"{BARE} b X 1", "hands", "'X'"),
    (f"{BARE} b +P 1", "hands", "'+'"),
    (f"{BARE} b P- 1", "hands", "'-'"),
    (f"{BARE} b K 1", "hands 'K'", "king"),
    (f"{BARE} b PP 1", "hands 'PP'", "'P' twice"),
    (f"{BARE} b 0P 1", "hands '0P'", "begins with 0"),
    (f"{BARE} b P2 1", "hands 'P2'", "ends with the number 2"),
    (f"{BARE} b 19P 1", "hands '19P'", "19 pawns, but a set has 18"),
    (f"{BARE} b {'9' * 5000}P 1", "hands", "pawns, but a set has 18"),
    (f"{BARE} b - -1", "move number", "'-1'"),
    (f"{BARE} b - x", "move number", "'x'"),
    (f"{BARE} b - 1.5", "move number", "'1.5'"),
    (f"{BARE} b - 30001", "move number", "must be 1 to 30000"),
    (f"{BARE} b - {'9' * 5000}", "move number", "must be 1 to 30000"),
    (f"{BARE.replace('K', 'ſ')} b - 1", "character 20", "'ſ'"),
    (f"{BARE} b - \x001", "character 27", "x00"),
]

BAD_POSITIONS = [
    ("4k4/9/9/9/9/9/9/4K4/4K4 b - 1", "2 black kings", "5h and 5i"),
    ("k3k3k/9/9/9/9/9/9/9/4K4 b - 1", "3 white kings", "9a and 5a and 1a"),
    ("4k4/9/9/9/9/9/9/9/RR2K4 b R 1", "3 rooks", "2 on the board, 1 in black's hand, 0 in white's"),
    ("4k4/9/9/9/+B+b7/9/9/9/4K4 b b 1", "3 bishops", "2 on the board, 0 in black's hand, 1 in white's"),
    ("4k4/9/9/9/9/9/9/9/GGGGK4 b g 1", "5 golds", "a set has 4"),
    ("4k4/9/9/9/9/9/9/9/SSS1K4 b Ss 1", "5 silvers", "3 on the board, 1 in black's hand, 1 in white's"),
    ("4k4/9/9/9/9/NNNNN4/9/9/4K4 b - 1", "5 knights", "5 on the board"),
    ("4k4/9/9/9/9/LLLL5/9/9/4K4 b l 1", "5 lances", "1 in white's"),
    ("4k4/9/+P+P+P+P+P+P+P+P+P/9/9/9/PPPPPPPPP/9/4K4 b p 1", "19 pawns", "18 on the board"),
    (f"{BARE} b 10P9p 1", "19 pawns", "10 in black's hand, 9 in white's"),
    ("4k4/9/9/9/4P4/9/4P4/9/4K4 b - 1", "two unpromoted black pawns", "file 5, on 5e and 5g (nifu)"),
    ("4k4/9/p8/9/9/9/9/p8/4K4 b - 1", "two unpromoted white pawns", "file 9, on 9c and 9h (nifu)"),
    ("P3k4/9/9/9/9/9/9/9/4K4 b - 1", "black pawn on 9a", "can never move"),
    ("4k4/9/9/9/9/9/9/9/4K3p b - 1", "white pawn on 1i", "can never move"),
    ("4k3L/9/9/9/9/9/9/9/4K4 b - 1", "black lance on 1a", "can never move"),
    ("4k4/9/9/9/9/9/9/9/l3K4 b - 1", "white lance on 9i", "can never move"),
    ("4k4/1N7/9/9/9/9/9/9/4K4 b - 1", "black knight on 8b", "can never move"),
    ("4k4/9/9/9/9/9/9/6n2/4K4 b - 1", "white knight on 3h", "can never move"),
    ("4k4/9/9/9/9/9/9/9/4R3K b - 1", "white's king on 5a is in check from 5i", "black is to move"),
    ("4k4/9/9/9/9/9/9/3r5/3K5 w - 1", "black's king on 6i is in check from 6h", "white is to move"),
    ("4k4/4G4/9/9/9/9/9/9/4R3K b - 1", "white's king on 5a is in check from 5b", "black is to move"),
    ("9/9/9/9/4k4/4K4/9/9/9 b - 1", "white's king on 5e is in check from 5f", "black is to move"),
    ("4k4/9/3N1N3/9/9/9/9/9/4K4 b - 1", "white's king on 5a", "from 6c and 4c"),
]

TO_MOVE = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3"  # after 7g7f 3c3d
BAD_MOVES = [
    ("startpos", "", "4 characters", "''"),
    ("startpos", "7g7", "4 characters", "'7g7'"),
    ("startpos", "7g7f++", "4 characters", "'7g7f++'"),
    ("startpos", "resign", "4 characters", "'resign'"),
    ("startpos", "0g7f", "'0g' is not a square", "'0g7f'"),
    ("startpos", "7j7f", "'7j' is not a square", "'7j7f'"),
    ("startpos", "7g7F", "'7F' is not a square", "'7g7F'"),
    ("startpos", "g7f7", "'g7' is not a square", "'g7f7'"),
    ("startpos", "7g7f=", "'='", "'7g7f='"),
    ("startpos", "7g7g", "goes to the square it comes from", "'7g7g'"),
    ("startpos", "K*5e", "'K'", "can be dropped"),
    ("startpos", "p*5e", "'p'", "can be dropped"),
    ("startpos", "*55e", "'*5' is not a square", "'*55e'"),
    ("startpos", "P*5j", "'5j' is not a square", "'P*5j'"),
    ("startpos", "P*5e+", "a dropped piece does not promote", "'P*5e+'"),
    ("startpos", "5e5d", "no piece on 5e", "'5e5d'"),
    ("startpos", "3c3d", "the piece on 3c is white's", "black is to move"),
    ("startpos", "1i1g", "own piece is on 1g", "'1i1g'"),
    ("startpos", "7g7e", "the pawn on 7g does not reach 7e", "'7g7e'"),
    ("startpos", "8h2b", "the bishop on 8h does not reach 2b", "'8h2b'"),
    ("startpos", "2h2b", "the rook on 2h does not reach 2b", "'2h2b'"),
    ("startpos", "2i3g", "own piece is on 3g", "'2i3g'"),
    ("startpos", "7g7f+", "neither 7g nor 7f is in black's promotion zone", "'7g7f+'"),
    ("startpos", "P*5e", "black has no pawn in hand", "'P*5e'"),
    (TO_MOVE, "8h7g+", "neither 8h nor 7g is in black's promotion zone", "'8h7g+'"),
    (f"{BARE} b G 1", "G*5a", "5a is not empty", "'G*5a'"),
    (f"{BARE} b g 1", "G*5b", "black has no gold in hand", "'G*5b'"),
    (f"{BARE} b N 1", "N*5b", "a knight on 5b could never move", "'N*5b'"),
    (f"{BARE} w l 1", "L*9i", "a lance on 9i could never move", "'L*9i'"),
    ("4k4/9/9/9/9/9/4P4/9/4K4 b P 1", "P*5e", "black already has a pawn on file 5, on 5g (nifu)", "'P*5e'"),
    ("7nk/9/7G1/9/9/9/9/9/8K b P 1", "P*1b", "a pawn drop may not mate", "'P*1b'"),
    ("R2gkl3/9/4G4/9/9/9/9/9/4K4 b P 1", "P*5b", "a pawn drop may not mate", "'P*5b'"),
    ("4r4/9/9/4N4/4K4/9/9/9/8k b - 1", "5d4b+", "leaves the king on 5e in check from 5a", "'5d4b+'"),
    ("4r4/9/9/9/4K4/9/9/9/8k b P 1", "P*4d", "leaves the king on 5e in check from 5a", "'P*4d'"),
    ("4r4/9/9/9/4K4/9/9/9/8k b - 1", "5e5f", "puts the king on 5f in check from 5a", "'5e5f'"),
    ("8k/4P4/9/9/9/9/9/9/K8 b - 1", "5b5a", "the pawn must promote on 5a", "'5b5a'"),
    ("8k/9/9/5N3/9/9/9/9/K8 b - 1", "4d3b", "the knight must promote on 3b", "'4d3b'"),
    ("8k/4G4/9/9/9/9/9/9/K8 b - 1", "5b5a+", "a gold cannot promote", "'5b5a+'"),
    ("8k/4+S4/9/9/9/9/9/9/K8 b - 1", "5b5a+", "a promoted silver cannot promote", "'5b5a+'"),
    ("8k/4+S4/9/9/9/9/9/9/K8 b - 1", "5b4c", "the promoted silver on 5b does not reach 4c", "'5b4c'"),
    ("8k/9/9/4S4/9/9/9/9/K8 b - 1", "5d4e+", "neither 5d nor 4e is in black's promotion zone", "'5d4e+'"),
    ("8k/9/9/9/9/9/9/9/K8 b - 1", "9i9h+", "a king cannot promote", "'9i9h+'"),
]

BAD_USI_POSITIONS = [
    ("", "'startpos' or an sfen is missing", ""),
    ("moves 7g7f", "'startpos' or an sfen is missing", ""),
    ("startpos 7g7f", "only 'moves' may follow 'startpos'", "'7g7f'"),
    ("start moves 7g7f", "3 or 4 fields", "start"),
    ("sfen", "'startpos' or an sfen is missing", ""),
    ("startpos moves 7g7f 7g7f", "move 2 of 2", "there is no piece on 7g"),
    ("startpos moves 7g7f 3c3d 8h2b+ 3a2b P*5e", "move 5 of 5", "black has no pawn in hand"),
    ("startpos moves 7g7f moves", "move 2 of 2", "'moves'"),
]


def refusal(read, *arguments):
    """Return the message of the ValueError that `read` raises."""
    with pytest.raises(ValueError) as caught:
        read(*arguments)
    message = str(caught.value)
    assert "\n" not in message
    return message


BAD = {"sfen": BAD_SFENS, "position": BAD_POSITIONS}


@pytest.mark.parametrize(
    ("kind", "sfen", "where", "what"), [(kind, *row) for kind, rows in BAD.items() for row in rows]
)
def test_bad_sfens_and_positions(kind, sfen, where, what):
    message = refusal(parse_sfen, sfen)
    assert message.startswith(f"{kind}: ") and where in message and what in message


@pytest.mark.parametrize(("sfen", "usi", "why", "what"), BAD_MOVES)
def test_bad_move(sfen, usi, why, what):
    pos = parse_sfen(sfen)
    message = refusal(parse_usi, pos, usi)
    assert message.startswith(("move ", "illegal move "))
    assert why in message and what in message
    assert format_sfen(pos) == format_sfen(parse_sfen(sfen))  # unchanged


@pytest.mark.parametrize(("text", "why", "what"), BAD_USI_POSITIONS)
def test_bad_usi_position(text, why, what):
    message = refusal(Board.from_usi_position, text)
    assert why in message and what in message


@pytest.mark.parametrize(
    "sfen",
    [
        "9/9/9/9/9/9/9/9/9 b - 1",  # nothing at all
        "9/9/9/9/9/9/9/9/4K4 w - 1",  # one king
        "7nl/9/5S1kp/6R1s/9/7p1/9/9/9 b Gr2b3g2s3n3l16p 1",  # a problem
        "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",  # a handicap
        "4k4/9/9/9/4P4/9/4+P4/9/4K4 b - 1",  # a promoted pawn makes no nifu
        "4k4/9/9/9/4P4/9/4p4/9/4K4 b - 1",  # nor does an enemy's
        "p3k4/9/9/9/9/9/9/9/P3K4 b - 1",  # pawns that may still move
        "4k4/9/2n6/9/9/9/2N6/9/4K4 b - 1",
        "4k4/4R4/9/9/9/9/9/9/4K4 w - 30000",  # the side to move in check
    ],
)
def test_let_in(sfen):
    assert format_sfen(parse_sfen(sfen)) == sfen
