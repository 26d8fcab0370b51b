"""Board: the game's face for Python programs."""

import doctest
import random

import pytest
from othello.naive_othello import State
from othello_cases import random_game

from shogi_engine.games.othello import GAME, board
from shogi_engine.games.othello.board import BLACK, WHITE, Board, Move
from shogi_engine.games.othello.notation import format_move

MUST_PASS = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXOX- X"
WIPE_OUT = "e6f4e3f6g5d6e7f5c5"  # nine moves, the shortest win there is


def test_doctests():
    assert doctest.testmod(board).failed == 0


def test_push_pop_peek_give_every_position_back():
    for number in range(20):
        game, texts = Board(), [GAME.start]
        for pos, move in random_game(random.Random(number)):
            game.push(Move.from_text(format_move(pos, move)))
            assert str(game.peek()) == format_move(pos, move)
            texts.append(game.obf())
        assert game.is_game_over() and not game.legal_moves
        twin = State.from_text(game.obf())
        outcome = game.outcome()
        assert (outcome.black, outcome.white) == (twin.count("X"), twin.count("O"))
        assert outcome.score == (twin.score() if game.turn == BLACK else -twin.score())
        assert outcome.winner == (None if outcome.score == 0 else WHITE if outcome.score < 0 else BLACK)
        while texts:
            assert game.obf() == texts.pop()
            if texts:
                game.pop()
        assert game.move_stack == []


def test_the_start():
    game = Board()
    assert game.turn == BLACK and game.empties == 60 and game.outcome() is None and not game.must_pass()
    assert [str(move) for move in game.legal_moves] == ["d3", "c4", "f5", "e6"] and len(game.legal_moves) == 4
    assert (game.disc_at(27), game.disc_at(28), game.disc_at(0)) == (WHITE, BLACK, None)
    assert (game.count(BLACK), game.count(WHITE)) == (2, 2)
    assert Move.from_text("f5") in game.legal_moves and Move(0) not in game.legal_moves
    assert "f5" not in game.legal_moves and game.flipped(Move(37)) == [36]


def test_wipe_out():
    game = Board.from_transcript(WIPE_OUT)
    outcome = game.outcome()
    assert game.is_game_over() and game.count(WHITE) == 0 and outcome.winner == BLACK
    assert outcome.score == 64 and outcome.result() == "1-0" and game.empties == 51


def test_a_pass():
    game = Board(MUST_PASS)
    assert game.must_pass() and list(game.legal_moves) == [Move(None)]
    assert game.push_text("PASS") == Move(None) and game.turn == WHITE
    assert repr(game.legal_moves) == "<LegalMoves (h8)>"
    assert game.pop() == Move(None) and game.obf() == MUST_PASS


def test_copies_are_independent():
    game = Board.from_transcript("f5d6")
    other = game.copy()
    other.push_text("c3")
    assert game.transcript() == "f5d6" and other.transcript() == "f5d6c3"
    assert other.pop() == Move.from_text("c3") and other.obf() == game.obf()
    assert other.pop() == Move.from_text("d6") and game.transcript() == "f5d6"
    game.reset()
    assert game.obf() == GAME.start and repr(game) == f"Board({GAME.start!r})"


def test_a_transcript_from_another_start():
    assert Board.from_transcript("h8", MUST_PASS).move_stack == [Move(None), Move(63)]


def test_text():
    game = Board.from_transcript("f5")
    lines = str(game).splitlines()
    assert lines[0] == lines[9] == "  a b c d e f g h" and lines[5] == "5 - - - X X X - - 5"
    assert lines[10] == "X 4  O 1  white (O) to move"
    assert game.unicode().splitlines()[5] == "5 · · · ● ● ● · · 5"
    assert str(Board("X" * 64 + " O")).endswith("game over")


@pytest.mark.parametrize(
    ("act", "error", "reason"),
    [
        (lambda game: game.pop(), IndexError, "no move to take back"),
        (lambda game: game.peek(), IndexError, "no move has been made"),
        (lambda game: game.push(Move(0)), ValueError, "turns no disc"),
        (lambda game: game.push(Move(None)), ValueError, "may not pass"),
        (lambda game: game.push_text("z9"), ValueError, "neither a square"),
        (lambda game: game.flipped(Move(27)), ValueError, "already"),
        (lambda game: game.set_obf("X"), ValueError, "64 squares"),
        (lambda game: game.disc_at(64), ValueError, "0 to 63"),
        (lambda game: game.disc_at(-1), ValueError, "0 to 63"),
        (lambda game: game.count(2), ValueError, "colour"),
        (lambda game: game.transformed(8), ValueError, "0 to 7"),
        (lambda game: Move(64), ValueError, "0 to 63"),
        (lambda game: Board.from_transcript("f5f5"), ValueError, "move 2"),
    ],
)
def test_refusals_leave_the_board_as_it_was(act, error, reason):
    game = Board()
    with pytest.raises(error) as raised:
        act(game)
    assert reason in str(raised.value) and game.obf() == GAME.start and game.move_stack == []
