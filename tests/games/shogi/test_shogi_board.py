"""Board: the face for Python programs."""

import random
import threading

import pytest

from shogi_engine.games.shogi import board as board_module
from shogi_engine.games.shogi.board import (
    A9,
    BLACK,
    E5,
    GOLD,
    H2,
    KING,
    PAWN,
    PROM_BISHOP,
    PROM_ROOK,
    STARTING_SFEN,
    WHITE,
    Board,
    Move,
    Outcome,
    Piece,
    Termination,
)


def test_suicide_is_a_question_about_moves_that_exist():
    """A square without a piece, an enemy's piece, a move that the piece has not: python-shogi says False."""
    shogi = pytest.importorskip("shogi")
    board, other = Board(), shogi.Board()
    for text in ("5e5d", "7g7e", "7g7f", "8h2b+", "1a1b"):
        there = other.is_suicide_or_check_by_dropping_pawn(shogi.Move.from_usi(text))
        assert board.is_suicide_or_check_by_dropping_pawn(Move.from_usi(text)) is there is False
    assert Board("4k4/9/9/9/9/9/4r4/4G4/4K4 b - 1").is_suicide_or_check_by_dropping_pawn(Move.from_usi("5h4h"))


def test_start():
    board = Board()
    assert board.sfen() == STARTING_SFEN
    assert (board.turn, board.move_number, len(board.legal_moves)) == (BLACK, 1, 30)
    assert board.piece_at(A9) == Piece.from_symbol("l")
    assert board.piece_at(H2).symbol() == "R"
    assert board.piece_at(E5) is None
    assert board.piece_type_at(76) == KING
    assert board.king_squares == [76, 4]
    assert board.pieces_in_hand == [{}, {}]
    assert board.move_stack == []
    assert not board.is_check() and not board.is_game_over() and board.outcome() is None


def test_push_and_pop():
    board = Board()
    played = ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e"]
    for usi in played:
        assert board.push_usi(usi).usi() == usi
        assert board.peek().usi() == usi
    assert [move.usi() for move in board.move_stack] == played
    assert board.sfen() == "lnsgkg1nl/1r5s1/pppppp1pp/6p2/5B3/2P6/PP1PPPPPP/7R1/LNSGKGSNL w b 6"
    assert board.pieces_in_hand == [{}, {board_module.BISHOP: 1}]
    for usi in reversed(played):
        assert board.pop().usi() == usi
    assert board.sfen() == STARTING_SFEN
    with pytest.raises(IndexError, match="no move"):
        board.pop()
    with pytest.raises(IndexError, match="no move"):
        board.peek()


def test_push_checks():
    board = Board()
    with pytest.raises(ValueError, match="'5i5a': the king on 5i does not reach 5a"):
        board.push_usi("5i5a")
    with pytest.raises(ValueError, match="no pawn in hand"):
        board.push(Move(None, E5, drop_piece_type=PAWN))
    with pytest.raises(ValueError, match="not a square"):
        board.push_usi("7g7z")
    assert board.sfen() == STARTING_SFEN and board.move_stack == []


def test_legal_moves():
    board = Board()
    moves = list(board.legal_moves)
    assert len(moves) == len(set(moves)) == len(board.legal_moves) == 30
    assert all(move in board.legal_moves for move in moves)
    assert Move.from_usi("7g7e") not in board.legal_moves
    assert "7g7f" in board.legal_moves and "7g7e" not in board.legal_moves
    assert bool(board.legal_moves)
    mated = Board("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1")
    assert not mated.legal_moves and len(mated.legal_moves) == 0 and list(mated.legal_moves) == []


@pytest.mark.parametrize(
    ("sfen", "winner", "termination"),
    [
        ("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", BLACK, Termination.CHECKMATE),
        ("4k4/9/9/9/9/9/4p4/4g4/4K4 b - 1", WHITE, Termination.CHECKMATE),
        ("k8/4R4/9/9/9/9/9/9/1R2K4 w - 1", BLACK, Termination.STALEMATE),
    ],
)
def test_no_legal_move_loses(sfen, winner, termination):
    board = Board(sfen)
    assert board.is_game_over()
    assert board.outcome() == Outcome(winner, termination)
    assert board.outcome().result() == ("1-0" if winner == BLACK else "0-1")
    assert board.is_checkmate() == (termination == Termination.CHECKMATE)
    assert board.is_stalemate() == (termination == Termination.STALEMATE)


def test_set_sfen_and_reset():
    board = Board.from_sfen("4k4/9/9/9/9/9/9/9/4K4 b G")
    assert board.sfen() == "4k4/9/9/9/9/9/9/9/4K4 b G 1"
    assert board.pieces_in_hand[BLACK] == {GOLD: 1}
    board.push_usi("G*5b")
    with pytest.raises(ValueError, match="rank a"):
        board.set_sfen("4k5/9/9/9/9/9/9/9/4K4 b - 1")
    assert board.peek().usi() == "G*5b"  # a refused position changes nothing
    board.reset()
    assert board.sfen() == STARTING_SFEN and board.move_stack == []


def test_boards_in_two_threads():
    """Each thread generates in a buffer of its own."""
    failures = []

    def play(seed):
        rng, board = random.Random(seed), Board()
        try:
            for _ in range(100):
                moves = list(board.legal_moves)
                assert len(board.legal_moves) == len(moves)
                if not moves:
                    break
                board.push(rng.choice(moves))
        except Exception as failure:
            failures.append(failure)

    threads = [threading.Thread(target=play, args=(seed,)) for seed in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_moves():
    assert Move.from_usi("8h2b+") == Move(64, 16, True)
    assert Move.from_usi("P*5e") == Move(None, E5, drop_piece_type=PAWN)
    assert str(Move(64, 16, True)) == "8h2b+"
    assert len({Move.from_usi("7g7f"), Move.from_usi("7g7f")}) == 1
    for arguments in [(81, 0), (0, -1), (None, 40), (0, 1, False, PAWN), (None, 1, True, PAWN), (None, 1, False, KING)]:
        with pytest.raises(ValueError):
            Move(*arguments)


def test_pieces():
    assert Piece.from_symbol("+R") == Piece(PROM_ROOK, BLACK)
    assert Piece.from_symbol("+b") == Piece(PROM_BISHOP, WHITE)
    assert str(Piece(PROM_ROOK, WHITE)) == "+r"
    assert Piece(PROM_ROOK, WHITE).japanese_symbol() == "龍"
    for symbol in ("", "x", "+g", "PP"):
        with pytest.raises(ValueError, match="symbol"):
            Piece.from_symbol(symbol)
    with pytest.raises(ValueError, match="0 to 80"):
        Board().piece_at(81)


def test_text():
    board = Board(
        "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b 2GP 3".replace(
            "PPP/1B5R1/LNSGKGSNL", "PP1/1B5R1/LNS1K1SNL"
        )
    )
    lines = board.diagram().splitlines()
    assert lines[0] == "white: -"
    assert lines[2] == "  l  n  s  g  k  g  s  n  l a"
    assert lines[11:] == ["black: G2 P", "black to move"]
    assert "v香v桂v銀v金v玉v金v銀v桂v香 a" in board.unicode()
    assert "black: 金2 歩" in board.unicode()
    assert str(board).splitlines()[0] == " l  n  s  g  k  g  s  n  l"
    assert str(board).splitlines()[-2:] == ["", " G*2 P*1"]
    assert eval(repr(board), {"Board": Board}).sfen() == board.sfen()
