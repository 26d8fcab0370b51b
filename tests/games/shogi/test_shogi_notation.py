"""SFEN and USI: what is read is what is written, and hands, move numbers and `position` are read generously."""

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from shogi_engine import records
from shogi_engine.games.shogi.board import Board
from shogi_engine.games.shogi.game import GAME
from shogi_engine.games.shogi.sfen import START, code_of_usi, format_sfen, format_usi, parse_sfen, parse_usi, usi_of
from shogi_engine.games.shogi.types import UNDO
from shogi_engine.interface.game import do_move
from shogi_engine.jit import JIT_DISABLED, new_record
from shogi_engine.records import GameRecord
from tests.support.shogi_cases import assert_same_record, mirrored, perft_positions, rule_cases
from tests.support.shogi_moves import legal_moves
from tests.support.text_engine import TextEngine
from tests.support.twins.naive_shogi import State

EXAMPLES = settings(max_examples=10 if JIT_DISABLED else 100)
SFENS = [position["sfen"] for position in perft_positions()] + [case["sfen"] for case in rule_cases()["legality"]]


@pytest.mark.parametrize("sfen", SFENS)
def test_published_positions(sfen):
    """Written as read, but for the order of pieces in hand, which others choose differently."""
    pos = parse_sfen(sfen)
    text = format_sfen(pos)
    assert text == State.from_sfen(sfen).sfen()
    assert_same_record(parse_sfen(text), pos)
    assert_same_record(parse_sfen(format_sfen(parse_sfen(mirrored(text)))), parse_sfen(mirrored(text)))
    assert format_sfen(parse_sfen(mirrored(mirrored(text)))) == text


def test_start():
    assert format_sfen(parse_sfen("startpos")) == START == GAME.start
    assert_same_record(parse_sfen(" startpos "), parse_sfen(START))


def test_the_move_number_0_is_1():
    """Several programs count from 0; every reader of SFENs takes it."""
    zero, one = START[:-1] + "0", START
    assert_same_record(parse_sfen(zero), parse_sfen(one))
    assert Board(zero) == Board(one) and Board(f"sfen {zero} moves 7g7f").sfen() == Board("startpos moves 7g7f").sfen()
    (record,) = records.loads(f"sfen {zero} moves 7g7f\n")
    assert record.moves == ["7g7f"] and record.start == GameRecord.from_moves("shogi", ["7g7f"]).start
    with TextEngine("shogi", hash_mb=1) as engine:
        engine.set_position(zero, ["7g7f"])
        assert engine.position_text == Board("startpos moves 7g7f").sfen()


def test_generous_reading():
    wanted = "4k4/9/9/9/9/9/9/9/4K4 w RB2G3P2s10p 1"
    for text in (
        "4k4/9/9/9/9/9/9/9/4K4 w 10p3P2sBR2G",
        "  4k4/9/9/9/9/9/9/9/4K4   w\t2GRB3P2s10p  1 \n",
        "1111k1111/333/18/81/9/9/9/9/4K4 w RB2G3P10p2s 01",
    ):
        assert format_sfen(parse_sfen(text)) == wanted


@st.composite
def random_games(draw):
    """Return a published position and a number that chooses the moves from there."""
    return draw(st.sampled_from(SFENS)), draw(st.integers(0, 2**32 - 1)), draw(st.integers(0, 40))


@EXAMPLES
@given(random_games())
def test_round_trips_along_games(game):
    sfen, seed, length = game
    rng = np.random.default_rng(seed)
    pos, played = parse_sfen(sfen), []
    for _ in range(length):
        moves = legal_moves(pos)
        if len(moves) == 0:
            break
        for move in moves[:50]:
            usi = format_usi(pos, move)
            assert parse_usi(pos, usi) == move
            assert usi_of(code_of_usi(usi)) == usi
        move = rng.choice(moves)
        played.append(format_usi(pos, move))
        do_move(pos, move, new_record(UNDO))
        assert_same_record(parse_sfen(format_sfen(pos)), pos)
    board = Board.from_usi_position(f"sfen {sfen} moves {' '.join(played)}")
    assert [move.usi() for move in board.move_stack] == played
    assert_same_record(board._pos, pos)


@pytest.mark.parametrize("text", ["startpos moves 7g7f", "position startpos_moves_7g7f", "startpos\tmoves\u20037g7f"])
def test_moves_are_those_of_the_board_however_the_words_are_joined(text):
    for board in (Board(text), Board.from_usi_position(text)):
        assert [move.usi() for move in board.move_stack] == ["7g7f"]


@pytest.mark.parametrize("text", ["x movesy", "startpos moves7g7f", f"{START} moves7g7f", "startpos xmoves 7g7f"])
def test_a_word_that_only_begins_or_ends_like_moves_is_none(text):
    for read in (Board, Board.from_usi_position, parse_sfen):
        with pytest.raises(ValueError, match=r"^(sfen|position): "):
            read(text)


@EXAMPLES
@example("A moves0")
@given(st.text(alphabet="plnsgbrkPLNSGBRK+/123456789 wb-", max_size=80) | st.text(max_size=40))
def test_any_text_is_read_or_refused_with_a_reason(text):
    for read in (parse_sfen, Board.from_usi_position, lambda usi: parse_usi(parse_sfen("startpos"), usi)):
        try:
            read(text)
        except ValueError as error:
            assert str(error).startswith(("sfen", "position", "move", "illegal move"))


@EXAMPLES
@given(st.sampled_from(SFENS), st.data())
def test_damaged_sfens_are_read_or_refused_with_a_reason(sfen, data):
    place = data.draw(st.integers(0, len(sfen) - 1))
    letter = data.draw(st.sampled_from("plnsgbrkPLNSGBRK+/123456789 wb-"))
    text = sfen[:place] + letter + sfen[place + 1 :]
    try:
        pos = parse_sfen(text)
    except ValueError as error:
        assert str(error).startswith(("sfen", "position"))
    else:
        assert sorted(State.from_sfen(format_sfen(pos)).legal_moves()) == sorted(
            format_usi(pos, move) for move in legal_moves(pos)
        )


@pytest.mark.parametrize(
    ("text", "sfen", "count"),
    [
        ("startpos", START, 0), ("startpos moves", START, 0), ("startpos moves 7g7f 3c3d", START, 2),
        (f"sfen {START}", START, 0), (f"sfen {START} moves", START, 0), (f"sfen {START} moves 7g7f", START, 1),
        (f"{START} moves 7g7f", START, 1), (f"sfen {START[:-2]} moves 7g7f", START, 1), (f"  {START}  ", START, 0),
    ],
)  # fmt: skip
def test_usi_position(text, sfen, count):
    board = Board.from_usi_position(text)
    assert board.root().sfen() == sfen
    assert len(board.move_stack) == count
