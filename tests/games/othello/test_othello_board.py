"""Board: the game's face for Python programs."""

import copy
import inspect
import pickle
import random
import xml.etree.ElementTree as ElementTree

import pytest

from shogi_engine.engine import Engine
from shogi_engine.games.othello import GAME, board
from shogi_engine.games.othello.board import Board, Move
from shogi_engine.games.othello.notation import format_move
from shogi_engine.games.othello.types import BLACK, WHITE
from shogi_engine.types.limits import Clock, Limit
from tests.support.othello_cases import random_game
from tests.support.twins.naive_othello import State

MUST_PASS = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXOX- X"
WIPE_OUT = "e6f4e3f6g5d6e7f5c5"  # nine moves, the shortest win there is


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
    assert "f5" in game.legal_moves and "a1" not in game.legal_moves and game.flipped(Move(37)) == [36]


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


def some_games():
    for number in range(6):
        game = Board()
        for pos, move in random_game(random.Random(number)):
            game.push(Move.from_text(format_move(pos, move)))
            yield game


def test_copies_of_every_kind():
    game = Board.from_transcript("f5d6c3")
    for twin in (game.copy(), copy.copy(game), copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
        assert twin == game and twin.move_stack == game.move_stack
        twin.pop()
        assert twin != game and game.ply() == 3
    assert game.root() == Board() and game.root().ply() == 0


def test_a_game_that_starts_late_is_as_far_as_its_discs_are():
    game = Board.from_transcript("f5d6c3")
    assert game.game_ply() == Board(game.obf()).game_ply() == 3 and Board(game.obf()).ply() == 0
    clock, late = Clock(60_000, increment=1000), Board(MUST_PASS)
    with Engine("othello", hash_mb=1) as engine:
        limit = Limit(black_clock=60, white_clock=60)
        assert engine.time_budget(late, limit).soft_ms > engine.time_budget(Board(), limit).soft_ms
        assert engine.clock_budget(clock, late).soft_ms > engine.clock_budget(clock, Board()).soft_ms


def test_equal_boards_are_the_same_position():
    one, other = Board.from_transcript("f5d6c3d3c4"), Board.from_transcript("f5d6c4d3c3")
    assert one == other and hash(one) == hash(other) and one.key() == other.key() and len({one, other}) == 1
    assert one != one.obf() and Board("X" * 64 + " X") != Board("X" * 64 + " O")


def test_keys():
    assert Board().key() == START_KEY
    keys = {game.key(): game.obf() for game in some_games()}
    assert len(keys) == len(set(keys.values())) > 300 and all(0 <= key < 1 << 64 for key in keys)


START_KEY = 9794613788777587769


def test_mirror_exchanges_the_colours():
    for game in some_games():
        other = game.mirror()
        assert other.obf() == game.obf().translate(str.maketrans("XO", "OX")) and other.move_stack == []
        assert list(other.legal_moves) == list(game.legal_moves) and other.mirror() == game
        if game.is_game_over():
            assert other.outcome().score == -game.outcome().score


def test_piece_map_and_discs():
    for game in some_games():
        text = game.obf()
        assert game.piece_map() == {s: "XO".index(cell) for s, cell in enumerate(text[:64]) if cell != "-"}
        assert game.discs(BLACK) == sum(1 << square for square in range(64) if text[square] == "X")
        assert [game.disc_at(square) for square in (board.A1, board.D4, board.H8)] == [
            game.piece_map().get(square) for square in (0, 27, 63)
        ]


def test_edits():
    for game in list(some_games())[::20]:
        built = Board()
        built.clear()
        assert built.obf() == "-" * 64 + " X" and built.is_game_over()
        for square, colour in game.piece_map().items():
            built.set_disc_at(square, 1 - colour)
            built.set_disc_at(square, colour)
        built.turn = game.turn
        assert built == game and built.obf() == game.obf()
    game = Board.from_transcript("f5")
    assert game.remove_disc_at(board.F5) == BLACK and game.remove_disc_at(board.F5) is None
    assert game.move_stack == [] and game.turn == WHITE
    with pytest.raises(ValueError, match="colour"):
        game.turn = 2


def test_finding_moves():
    game = Board()
    assert game.find_move(37) == game.parse_text("F5") == Move(37) and game.move_stack == []
    assert Board(MUST_PASS).find_move(None) == Board(MUST_PASS).parse_text("pass") == Move(None)


def test_results():
    assert Board().result() == "*"
    assert Board.from_transcript(WIPE_OUT).result() == "1-0"
    assert Board.from_transcript(WIPE_OUT).mirror().result() == "0-1"
    assert Board("X" * 32 + "O" * 32 + " X").result() == "1/2-1/2"


def test_svg_says_what_stands_where():
    for game in some_games():
        root = ElementTree.fromstring(game._repr_svg_())
        circles = [element for element in root.iter() if element.tag.endswith("circle")]
        for fill, count in (
            ("#151515", game.count(BLACK)),
            ("#f4f4f4", game.count(WHITE)),
            ("none", sum(move.square is not None for move in game.legal_moves)),
            ("#d8322a", game.peek().square is not None),
        ):
            assert sum(element.get("fill") == fill for element in circles) == count
    assert ElementTree.fromstring(Board().svg(size=99)).get("width") == "99"


def test_every_public_name_is_documented():
    for kind in (Board, Move, board.Outcome, board.LegalMoves):
        assert inspect.getdoc(kind)
        for name, value in inspect.getmembers(kind):
            if not name.startswith("_") and (callable(value) or isinstance(value, property)):
                assert inspect.getdoc(value), name


@pytest.mark.parametrize(
    ("act", "error", "reason"),
    [
        (lambda game: game.pop(), IndexError, "no move to take back"),
        (lambda game: game.peek(), IndexError, "no move has been made"),
        (lambda game: game.push(Move(0)), ValueError, "flips no disc"),
        (lambda game: game.push(Move(None)), ValueError, "cannot pass"),
        (lambda game: game.push_text("z9"), ValueError, "neither a square"),
        (lambda game: game.flipped(Move(27)), ValueError, "already"),
        (lambda game: game.flipped("f5"), TypeError, "expected a Move"),
        (lambda game: game.flipped(1 << 100), ValueError, "not a move"),
        (lambda game: game.set_obf("X"), ValueError, "64 squares"),
        (lambda game: game.disc_at(64), ValueError, "0 to 63"),
        (lambda game: game.disc_at(-1), ValueError, "0 to 63"),
        (lambda game: game.count(2), ValueError, "colour"),
        (lambda game: game.transformed(8), ValueError, "0 to 7"),
        (lambda game: game.find_move(0), ValueError, "flips no disc"),
        (lambda game: game.find_move(None), ValueError, "cannot pass"),
        (lambda game: game.parse_text("f4"), ValueError, "flips no disc"),
        (lambda game: game.set_disc_at(64, BLACK), ValueError, "0 to 63"),
        (lambda game: game.set_disc_at(0, 2), ValueError, "colour"),
        (lambda game: Move(64), ValueError, "0 to 63"),
        (lambda game: Board.from_transcript("f5f5"), ValueError, "move 2"),
    ],
)
def test_refusals_leave_the_board_as_it_was(act, error, reason):
    game = Board()
    with pytest.raises(error) as raised:
        act(game)
    assert reason in str(raised.value) and game.obf() == GAME.start and game.move_stack == []


def test_texts_of_moves_are_read_where_moves_are_asked_for():
    board = Board()
    assert "f5" in board.legal_moves and board.is_legal("f5") and board.is_legal("F5")
    assert 1 << 100 not in board.legal_moves and not board.is_legal(-(1 << 100))
    for text in ("a1", "pass", "rubbish", "", "37"):
        assert text not in board.legal_moves and not board.is_legal(text)
