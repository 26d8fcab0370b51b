"""The kernels against the naive twin, move by move: random games, and boards that no game reaches."""

import copy
import itertools
import pickle
import random

import numpy as np
import pytest
from hypothesis import given

from shogi_engine.common.bits import ZERO
from shogi_engine.games.othello import GAME
from shogi_engine.games.othello.board import Board, Move
from shogi_engine.games.othello.endgame.search import ending_key
from shogi_engine.games.othello.movegen import (
    RAYS,
    flips,
    flips_filled,
    flips_line_by_line,
    mobility,
    mobility_filled,
    run_by_filling,
    run_by_leading_bits,
)
from shogi_engine.games.othello.names import DISC
from shogi_engine.games.othello.notation import START, format_obf, legal_moves, parse_obf
from shogi_engine.games.othello.types import BLACK, PASS, WHITE, placed_disc
from shogi_engine.interface.game import count_moves, do_move, generate_moves, key, terminal_value, undo_move
from shogi_engine.jit import new_record
from shogi_engine.perft import perft_context
from tests.support.othello_cases import POSITIONS, random_game
from tests.support.twins.naive_othello import State

# Starts that make what random play from the usual start seldom has: passes, wipe-outs, ends with empty squares.
STARTS = (
    GAME.start,
    "--------OOOOOOO-OXXXXXXOOXXXXXXOOXXXXXXOOXXXXXXO-OOOOOO--------- X",
    "---------XXXX----XOOOO---XOOOO---XOOOX---XXXXX------------------ O",
    "X------OOO----OOOOO--OOOOOOOOOOOOO-OOO-OO---O---O----O--X------O X",
    "-------------------X------XXX----XXOXX-----X-------------------- O",
)


def play(rng, start, ctx):
    """Play a random game, compare every position with the twin; return (passes, finished early, wiped out)."""
    ctx.pos = parse_obf(start)
    twin = State.from_text(start)
    line, undo, passes = [], np.zeros(128, dtype=GAME.undo).view(np.recarray), 0
    while True:
        text = format_obf(ctx.pos)
        assert text == twin.text()
        count = generate_moves(ctx, 0)
        moves = [int(move) for move in ctx.moves[:count]]
        assert [GAME.format_move(ctx.pos, move) for move in moves] == twin.legal_moves(), text
        assert count_moves(ctx, 0) == count and legal_moves(ctx.pos) == moves
        if not moves:
            break
        move = rng.choice(moves)
        line.append((text, move, int(key(ctx.pos))))
        do_move(ctx.pos, np.uint32(move), undo[len(line)])
        assert int(undo[len(line)].flips).bit_count() == twin.push(GAME.format_move(ctx.pos, move))
        passes += move == PASS
    assert terminal_value(ctx) == DISC * twin.score()
    ending = passes, "-" in twin.text(), 0 in (twin.count("X"), twin.count("O"))
    for number in range(len(line), 0, -1):
        text, move, known = line[number - 1]
        undo_move(ctx.pos, np.uint32(move), undo[number])
        assert format_obf(ctx.pos) == text and key(ctx.pos) == known == key(parse_obf(text))
    return ending


@pytest.mark.parametrize("games", [120, pytest.param(4000, marks=pytest.mark.slow)])
def test_random_games(games):
    ctx = perft_context(GAME)
    endings = [play(random.Random(number), STARTS[number % len(STARTS)], ctx) for number in range(games)]
    passes, early, wiped_out = (sum(bool(ending[what]) for ending in endings) for what in range(3))
    assert passes and early and wiped_out, "the games should show passes, early ends and wipe-outs"


@given(POSITIONS)
def test_mobility_and_flips_of_any_board(text):
    pos, twin = parse_obf(text), State.from_text(text)
    wanted = 0
    for square in range(64):
        file, rank = square % 8, square // 8
        if twin.rows[rank][file] != "-":
            continue
        flipped = sum(1 << (8 * r + f) for f, r in twin.flips(file, rank, twin.side))
        assert flips(pos.own, pos.opponent, square) == flipped
        assert flips_filled(pos.own, pos.opponent, np.uint64(1 << square)) == flipped
        wanted |= (flipped != 0) << square
        along = pos.own, pos.opponent, np.uint64(square), RAYS[2 * square + 1]
        assert flips_line_by_line(pos.own, pos.opponent, np.uint64(square)) == flipped
        assert (run_by_leading_bits(*along) == run_by_filling(*along)).all()
    assert mobility(pos.own, pos.opponent) == mobility_filled(pos.own, pos.opponent) == wanted
    assert flips_filled(pos.own, pos.opponent, ZERO) == 0


@given(POSITIONS)
def test_moves_and_back_on_any_board(text):
    ctx, undo = perft_context(GAME), new_record(GAME.undo)
    ctx.pos = pos = parse_obf(text)
    for move in ctx.moves[: generate_moves(ctx, 0)].copy():
        twin = State.from_text(text)
        twin.push(GAME.format_move(pos, move))
        do_move(ctx.pos, move, undo)
        assert format_obf(ctx.pos) == twin.text()
        assert key(ctx.pos) == key(parse_obf(twin.text())) != key(pos)
        undo_move(ctx.pos, move, undo)
        assert ctx.pos.tobytes() == pos.tobytes()


def test_a_pass_places_nothing():
    assert placed_disc(PASS) == 0 and PASS != 0


def test_the_colour_of_any_two_squares_is_in_the_key():
    """Positions that differ in two squares have different keys: h8's two colours once cancelled each other."""
    own, opponent = 0x0000_3C5A_1824_0000, 0x0000_0024_663C_1800
    positions = set()
    for pair in itertools.combinations((1 << square for square in range(64)), 2):
        empty = ~(pair[0] | pair[1])
        for contents in itertools.product(range(3), repeat=2):
            boards = [own & empty, opponent & empty, 0]
            for disc, owner in zip(pair, contents, strict=True):
                boards[owner] |= disc
            positions.add((np.uint64(boards[0]), np.uint64(boards[1])))
    pos, keys, endings = new_record(GAME.position), set(), set()
    for pos.own, pos.opponent in positions:
        keys.add(int(key(pos)))
        endings.add(int(ending_key(pos.own, pos.opponent)))
    assert len(keys) == len(endings) == len(positions) > 8000


def test_keys_differ():
    """Twenty thousand different positions have different keys, whose halves look random."""
    rng = random.Random(7)
    ctx, undo, keys = perft_context(GAME), new_record(GAME.undo), {}
    for _ in range(400):
        ctx.pos = parse_obf(GAME.start)
        while count := generate_moves(ctx, 0):
            do_move(ctx.pos, ctx.moves[rng.randrange(count)], undo)
            keys[int(ctx.pos.own), int(ctx.pos.opponent), int(ctx.pos.side)] = int(key(ctx.pos))
    assert len(keys) > 20_000 and len(set(keys.values())) == len(keys)
    for bit in range(64):
        ones = sum(value >> bit & 1 for value in keys.values())
        assert abs(ones / len(keys) - 0.5) < 0.02, bit


# ---- boards ------------------------------------------------------------------------------------------------------


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
