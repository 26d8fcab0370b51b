"""Positions, moves and transcripts as text: round trips, other writings of the same, and clear refusals."""

import random

import pytest
from hypothesis import given, strategies as st

from shogi_engine.games.othello import GAME
from shogi_engine.games.othello.board import Board, Move
from shogi_engine.games.othello.game import score
from shogi_engine.games.othello.notation import (
    START,
    format_move,
    format_obf,
    legal_moves,
    parse_move,
    parse_obf,
    parse_transcript,
    split_transcript,
)
from shogi_engine.games.othello.types import PASS
from tests.support.othello_cases import POSITIONS, random_game

CELLS = START[:64]
MUST_PASS = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXOX- X"
OVER = "X" * 64 + " O"


@given(POSITIONS)
def test_positions_round_trip(text):
    assert format_obf(parse_obf(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "startpos", START + ";", START + "; d3:+0; c4:+0; % from the start", f"  {CELLS}X\n", CELLS.lower() + " x",
        CELLS.replace("X", "*").replace("-", ".") + " *",
        "\n".join(CELLS[row : row + 8] for row in range(0, 64, 8)) + "\nX",
    ],
)  # fmt: skip
def test_other_writings_of_the_start(text):
    assert format_obf(parse_obf(text)) == START


def test_moves_round_trip():
    for number in range(20):
        for pos, _ in random_game(random.Random(number)):
            for move in legal_moves(pos):
                text = format_move(pos, move)
                assert parse_move(pos, text) == parse_move(pos, f" {text.upper()} ") == move


def test_squares_are_numbered_by_rows():
    assert [str(Move(square)) for square in (0, 1, 7, 8, 63)] == ["a1", "b1", "h1", "a2", "h8"]
    assert str(Move(None)) == "pass" and GAME.format_move(parse_obf(START), PASS) == "pass"


def test_transcripts_round_trip_without_their_passes():
    passed = 0
    for number in range(60):
        board = Board()
        for pos, move in random_game(random.Random(number)):
            board.push(Move.from_text(format_move(pos, move)))
        again = Board.from_transcript(board.transcript())
        assert again.obf() == board.obf() and again.move_stack == board.move_stack
        spelled_out = " ".join(map(str, board.move_stack))
        assert Board.from_transcript(spelled_out).move_stack == board.move_stack
        passed += Move(None) in board.move_stack
    assert passed > 5


def test_split_transcript():
    assert split_transcript("F5d6 C3\npassPA--e3") == ["f5", "d6", "c3", "pass", "pa", "--", "e3"]
    assert split_transcript("") == [] == parse_transcript("  ")


def test_score():
    assert [str(score(value)) for value in (0, 400, -6400, 125)] == ["discs 0", "discs 4", "discs -64", "discs 1.25"]


# What is refused, and words of the reason.
BAD_POSITIONS = [
    ("", "expected 64 squares, not 0"),
    ("X", "expected 64 squares, not 1"),
    ("-" * 63, "expected 64 squares, not 63"),
    (CELLS[:-1] + " X", "side to move, X or O, is missing"),
    (CELLS, "side to move, X or O, is missing"),
    (CELLS + ";X", "side to move, X or O, is missing"),
    (CELLS + " -", "side to move must be X or O, not '-'"),
    (CELLS + " .", "side to move must be X or O, not '.'"),
    (CELLS + " B", "side to move must be X or O, not 'B'"),
    (CELLS + " b", "side to move must be X or O, not 'b'"),
    (CELLS + " XX", "not 'XX'"),
    (CELLS + "- X", "not '-X'"),
    (CELLS + " X d3", "not 'Xd3'"),
    (CELLS.replace("OX", "OB") + " X", "'B' on e4"),
    ("0" + CELLS[1:] + " X", "'0' on a1"),
    (CELLS[:-1] + "? X", "'?' on h8"),
    (CELLS[:8] + "/" + CELLS[8:] + " X", "'/' on a2"),
    ("8/8/8/3OX3/3XO3/8/8/8 X", "'8' on a1"),
    ("●" + CELLS[1:] + " X", "'●' on a1"),
    (START.replace("-", "–", 1), "'–' on a1"),
    ("start", "'s' on a1"),
    (None, "not NoneType"),
    (START.encode(), "not bytes"),
    (7, "not int"),
]
BAD_MOVES = [
    (START, "", "neither a square"),
    (START, "e", "neither a square"),
    (START, "i1", "neither a square"),
    (START, "a0", "neither a square"),
    (START, "a9", "neither a square"),
    (START, "f55", "neither a square"),
    (START, "5f", "neither a square"),
    (START, "e２", "illegal move 'e2'"),
    (START, "e 6", "neither a square"),
    (START, "resign", "neither a square"),
    (START, None, "neither a square"),
    (START, 37, "neither a square"),
    (START, "a1", "flips no disc of white"),
    (START, "e3", "flips no disc of white"),
    (START, "d4", "already a disc of white"),
    (START, "E4", "already a disc of black"),
    (START, "pass", "black can place a disc and so cannot pass"),
    (START[:-1] + "O", "pass", "white can place a disc and so cannot pass"),
    (START[:-1] + "O", "d3", "flips no disc of black"),
    (MUST_PASS, "h8", "black can only pass"),
    (MUST_PASS, "a1", "already a disc of black"),
    (OVER, "pass", "the game is over"),
    (OVER, "a1", "the game is over"),
]
BAD_TRANSCRIPTS = [
    ("f5d6c", "move 3, character 5: 'c' is neither"),
    ("f5/d6", "move 2, character 3: '/d' is neither"),
    ("f5,,d6", "move 2, character 3"),
    ("1 f5", "move 1, character 1"),
    ("f5d6x9", "move 3, character 5: 'x9'"),
    ("f5f5", "move 2: illegal move 'f5': there is already a disc of black"),
    ("f5a1", "move 2: illegal move 'a1': it flips no disc of black"),
    ("f5pass", "move 2: illegal move 'pass': white can place"),
    ("f5f4c3f6g7f7f3h7f8b2h6e7h8e3d7g3f2f1a1c5a8", "move 21: illegal move 'a8': the game is over"),
    (None, "not NoneType"),
]


@pytest.mark.parametrize(("text", "reason"), BAD_POSITIONS)
def test_positions_refused(text, reason):
    with pytest.raises(ValueError) as error:
        parse_obf(text)
    assert reason in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(("position", "text", "reason"), BAD_MOVES)
def test_moves_refused(position, text, reason):
    with pytest.raises(ValueError) as error:
        parse_move(parse_obf(position), text)
    assert reason in str(error.value)


@pytest.mark.parametrize(("text", "reason"), BAD_TRANSCRIPTS)
def test_transcripts_refused(text, reason):
    with pytest.raises(ValueError) as error:
        parse_transcript(text)
    assert reason in str(error.value)


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused(text):
    for parse in (parse_obf, split_transcript, lambda text: parse_move(parse_obf(START), text)):
        try:
            parse(text)
        except ValueError as error:
            assert str(error)
