"""The kernels against the naive twin, move by move: random games, and boards that no game reaches."""

import itertools
import random

import numpy as np
import pytest
from hypothesis import given

from shogi_engine.common.bits import ZERO
from shogi_engine.games.othello import GAME
from shogi_engine.games.othello.endgame.search import ending_key
from shogi_engine.games.othello.movegen import (
    RAYS,
    flips,
    flips_filled,
    mobility,
    mobility_filled,
    run_by_filling,
    run_by_leading_bits,
)
from shogi_engine.games.othello.names import DISC
from shogi_engine.games.othello.notation import format_obf, legal_moves, parse_obf
from shogi_engine.games.othello.types import PASS, placed_disc
from shogi_engine.interface.game import count_moves, do_move, generate_moves, key, terminal_value, undo_move
from shogi_engine.jit import new_record
from shogi_engine.perft import perft_context
from tests.support.othello_cases import POSITIONS
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


@pytest.mark.parametrize("games", [60, pytest.param(4000, marks=pytest.mark.slow)])
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
