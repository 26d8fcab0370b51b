"""Board's quick ways: moves that are ints, kernels called by address, packed positions."""

import copy
import pickle
import random

import numpy as np
import pytest

from shogi_engine.games.othello.board import Board, Move
from shogi_engine.games.othello.notation import START, format_obf, legal_moves, parse_obf
from shogi_engine.games.othello.types import BLACK, PASS, WHITE
from tests.support.othello_cases import random_game


def test_moves_are_those_of_the_notation():
    for seed in range(10):
        game = Board()
        for pos, move in random_game(random.Random(seed)):
            assert [int(each) for each in game.legal_moves] == legal_moves(pos) and len(game.legal_moves)
            assert game.obf() == format_obf(pos) and game.key() == Board(game.obf()).key()
            assert {code for code in range(-5, 300) if game.is_legal(code)} == set(legal_moves(pos))
            game.push(Move.from_int(move))
            assert game.peek() == move
        for twin in (game.copy(), pickle.loads(pickle.dumps(game)), copy.deepcopy(game)):
            assert twin == game and hash(twin) == hash(game) and twin.move_stack == game.move_stack
            while twin.ply():
                twin.pop()
            assert twin == Board() == game.root() and game.ply()


def test_a_move_is_an_int():
    for square in (*range(64), None):
        move = Move(square)
        assert move is Move(square) is pickle.loads(pickle.dumps(move)) is copy.deepcopy(move)
        assert move and move.square == square and f"{move}" == str(move) and Move.from_text(str(move)) is move
        assert repr(move) == f"Move(square={square})"
    assert [int(Move(0)), int(Move(63)), int(Move(None))] == [64, 127, PASS]


def test_ints_are_moves():
    game = Board()
    while not game.is_game_over():
        move = next(iter(game.legal_moves))
        assert Move.from_int(int(move)) is Move.from_int(np.int64(move)) is move
        assert int(move) in game.legal_moves and np.uint32(move) in game.legal_moves
        game.push(int(move))
        assert game.move_stack[-1] is move
    assert len(game.move_stack) > 55


@pytest.mark.parametrize("what", [-1, 0, 37, 63, 129, 1 << 40, "a1", None])
def test_ints_that_are_no_moves(what):
    game = Board()
    with pytest.raises((TypeError, ValueError), match="expected a Move|is not a move"):
        game.push(what)
    assert what not in game.legal_moves
    assert game.obf() == START and game.move_stack == []


def test_packed_positions():
    for seed in range(5):
        for pos, _ in random_game(random.Random(seed)):
            game = Board(format_obf(pos))
            assert len(game.to_packed()) == 17 and Board.from_packed(game.to_packed()) == game
            assert Board.from_packed(bytearray(game.to_packed())).obf() == game.obf()
    assert Board().to_packed().hex() == "00000010080000000000000810000000" + "00"
    game = Board.from_transcript("f5d6")
    game.set_packed(Board().to_packed())
    assert game == Board() and game.move_stack == [] and (game.count(BLACK), game.count(WHITE)) == (2, 2)
    for data, reason in [(b"", "17 bytes"), (bytes(16) + b"\2", "side"), (b"\1" + bytes(7) + b"\1" + bytes(8), "a1")]:
        with pytest.raises(ValueError, match=reason):
            game.set_packed(data)
    assert game == Board()


def test_other_writings_are_read_alike():
    for text in (START, START.lower(), START.replace("X", "*"), START.replace("-", "."), f"{START[:8]} {START[8:]}"):
        assert format_obf(parse_obf(text)) == START
