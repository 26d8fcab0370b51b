"""Entering king: 27 and 24 points, handicaps, and the try rule."""

import random

import pytest

from shogi_engine.games.shogi.board import BLACK, WHITE, Board, Termination
from shogi_engine.games.shogi.names import ENTERING_KING_RULES
from tests.support.shogi_cases import mirrored, rule_cases
from tests.support.twins.naive_shogi import State

CASES = [pytest.param(sfen, wins, id=name) for name, sfen, wins, _ in rule_cases()["declaration"]]


@pytest.mark.parametrize(("sfen", "wins"), CASES)
def test_published_case(sfen, wins):
    assert Board(sfen).can_declare_win("CSARule27") == wins
    assert (State.from_sfen(sfen).declaration("CSARule27") == "win") == wins


@pytest.mark.parametrize("rule", ENTERING_KING_RULES)
@pytest.mark.parametrize(("sfen", "wins"), CASES)
def test_all_rules_against_the_naive_twin(sfen, wins, rule):
    for text in (sfen, mirrored(sfen)):
        expected = None if rule == "NoEnteringKing" else State.from_sfen(text).declaration(rule)
        assert Board(text).declaration(rule) == expected


def test_handicap_points():
    """White, who gave 12 points of pieces, has 15 points on the board and in hand: 27 in all."""
    sfen = next(sfen for name, sfen, _, _ in rule_cases()["declaration"] if name == "J11")
    board = Board(sfen)
    assert not board.can_declare_win("CSARule27")
    assert board.can_declare_win("CSARule27H")
    assert board.declaration("CSARule24") is None
    assert board.declaration("CSARule24H") == "draw"


@pytest.mark.parametrize(
    ("hand", "declared"), [("5P", "win"), ("4P", "draw"), ("3P", "draw"), ("2P", "draw"), ("P", "draw"), ("-", "draw")]
)
def test_24_points(hand, declared):
    """Four big pieces and six pawns, 26 points, and the pawns in hand."""
    assert Board(f"+R+R2K2+B+B/+P+P+P3+P+P+P/9/9/9/9/9/9/4k4 b {hand} 1").declaration("CSARule24") == declared


@pytest.mark.parametrize(
    ("hand", "points", "declared"),
    [("9P3L", 23, None), ("10P3L", 24, "draw"), ("16P3L", 30, "draw"), ("17P3L", 31, "win"), ("R9P3L", 28, "draw")],
)
def test_24_points_without_big_pieces_on_the_board(hand, points, declared):
    """Eleven small pieces in the zone, worth a point each, and a hand."""
    sfen = f"4K4/GGGSS4/SNNNNL3/9/9/9/9/9/k8 b {hand} 1"
    assert State.from_sfen(sfen).points("b") == (points, 11)
    assert Board(sfen).declaration("CSARule24") == declared


def test_try_rule():
    board = Board("9/4K4/9/9/9/9/9/9/k8 b - 1", entering_king_rule="TryRule")
    assert board.can_declare_win()
    board.push_usi("5b5a")
    assert board.outcome().winner == BLACK
    assert board.outcome().termination == Termination.TRY
    assert Board(board.sfen()).outcome() is None  # another rule holds there
    white = Board("K8/9/9/9/9/9/9/4k4/9 w - 1", entering_king_rule="tryrule")
    white.push_usi("5h5i")
    assert white.outcome().winner == WHITE


@pytest.mark.parametrize(
    "sfen",
    [
        "4r4/4K4/9/9/9/9/9/9/k8 b - 1",  # an enemy piece, unprotected: the king takes it
        "r8/4K4/9/9/9/9/9/9/k8 b - 1",  # the square is attacked
        "4G4/4K4/9/9/9/9/9/9/k8 b - 1",  # an own piece stands there
        "9/9/4K4/9/9/9/9/9/k8 b - 1",  # too far
        "9/4K4/9/9/9/9/9/4r4/k8 b - 1",  # in check along the file, which continues behind the king
        "9/3K5/9/9/9/9/9/9/k2r5 b - 1",  # in check, and trying escapes it
        "9/9/9/9/9/9/9/9/k8 b - 1",  # no king
    ],
)
def test_try_against_the_naive_twin(sfen):
    for text in (sfen, mirrored(sfen)):
        assert Board(text).declaration("TryRule") == State.from_sfen(text).declaration("TryRule")


def test_random_entered_kings_against_the_naive_twin():
    """Random pieces around a king in the zone; the counts must agree under every rule."""
    rng = random.Random(27)
    results = set()
    for _ in range(400):
        state = State(turn=rng.choice("bw"))
        zone = [(file, rank) for file in range(1, 10) for rank in ((1, 2, 3) if state.turn == "b" else (7, 8, 9))]
        far = [(file, rank) for file in range(1, 10) for rank in ((9,) if state.turn == "b" else (1,))]
        rng.shuffle(zone)
        state.board[zone.pop()] = (state.turn, "K")
        state.board[rng.choice(far)] = ("w" if state.turn == "b" else "b", "K")
        pieces = [
            p for p, n in {"+P": 10, "+L": 4, "+N": 4, "+S": 4, "G": 4, "+B": 2, "+R": 2}.items() for _ in range(n)
        ]
        rng.shuffle(pieces)
        for piece in pieces[: rng.randint(8, 13)]:
            state.board[zone.pop()] = (state.turn, piece)
        for piece in pieces[13 : rng.randint(13, len(pieces))]:
            hand = state.hands[rng.choice("bbbw") if state.turn == "b" else rng.choice("wwwb")]
            hand[piece.lstrip("+")] = hand.get(piece.lstrip("+"), 0) + 1
        if state.in_check("w" if state.turn == "b" else "b"):
            continue
        board = Board(state.sfen())
        for rule in ENTERING_KING_RULES[1:]:
            assert board.declaration(rule) == state.declaration(rule), (state.sfen(), rule)
            results.add((rule, board.declaration(rule)))
    assert {("CSARule27", "win"), ("CSARule27", None), ("CSARule24", "draw"), ("CSARule27H", "win")} <= results


def test_unknown_rule():
    with pytest.raises(ValueError, match="CSARule27"):
        Board().can_declare_win("28 points")
