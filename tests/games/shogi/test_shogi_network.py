"""Shogi's network: beside numpy on a plain list of features, seen in mirrors, with extreme weights."""

import random
import re

import numpy as np
import pytest

from shogi_engine.games.shogi.evaluation.king_piece import MIRROR
from shogi_engine.games.shogi.evaluation.network import (
    ACTIVE,
    FEATURES,
    FILE,
    HELD_BUCKETS,
    OUTPUT_BUCKETS,
    QAS,
    SIDE,
    WEIGHTS,
    WIDTH,
    output_bucket,
    quantise,
)
from shogi_engine.games.shogi.game import GAME
from shogi_engine.games.shogi.names import flip_sfen
from shogi_engine.games.shogi.rules import VALUE_LIMIT
from shogi_engine.games.shogi.sfen import START, format_sfen, parse_sfen
from shogi_engine.games.shogi.types import KING, move_from, move_kind, move_to
from shogi_engine.interface.game import do_move, do_null, evaluate, is_in_check, refresh_line, undo_move, undo_null
from shogi_engine.interface.stubs import Evaluator
from shogi_engine.jit import new_record
from shogi_engine.search.context import new_context, set_root
from shogi_engine.training.shogi.games import SCALE
from shogi_engine.training.shogi.trainer import LIMIT
from tests.support.networks import random_network
from tests.support.shogi_moves import legal_moves

SFENS = (
    START,
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
    "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1",  # a hand holds all
    "4k4/9/9/9/9/9/9/9/9 b RB2G2S2N2L9Prb2g2s2n2l9p 1",  # black has no king
)
HANDS = {1: (18, 0), 2: (4, 18), 3: (4, 22), 4: (4, 26), 5: (4, 30), 6: (2, 34), 7: (2, 36)}  # by kind: pieces, place


def context(network):
    """Return a context that evaluates by `network`, which must outlive it."""
    return new_context(GAME, evaluator=Evaluator(GAME.evaluation("network"), network))


def fresh(ctx, pos):
    """Return the value of `pos` as the root of a search."""
    set_root(ctx, pos)
    refresh_line(ctx)
    return int(evaluate(ctx))


def active(pos, colour):
    """Return the features that `colour` sees, by the layout in network_features' docstring."""
    king, found = int(pos.king[colour]), []
    seen = [square if colour == 0 else 80 - square for square in range(81)]
    if king != 81 and seen[king] % 9 > 4:
        seen = [int(MIRROR[square]) for square in seen]
    for square, piece in enumerate(pos.board.tolist()):
        if piece:
            found.append(SIDE * ((piece >> 4) != colour) + ((piece & 15) - 1) * 81 + seen[square])
    for owner in (0, 1):
        for kind, (_, place) in HANDS.items():
            count = int(pos.hand[owner]) >> 8 * kind & 255
            found += [SIDE * (owner != colour) + 14 * 81 + place + number for number in range(count)]
    return np.array(found)


def expected(network, pos):
    """Return the value that the network has for `pos` by numpy."""
    us = int(pos.side)
    value = network.output((active(pos, us), active(pos, 1 - us)))
    return min(max(value, -VALUE_LIMIT), VALUE_LIMIT)


def mirrored(pos):
    """Return the mirror image of a position."""
    board, side, hands = format_sfen(pos).split()[:3]
    rows = ["".join(reversed(re.findall(r"\+?.", row))) for row in board.split("/")]
    return parse_sfen(f"{'/'.join(rows)} {side} {hands} 1")


def test_features_are_numbered_without_gaps():
    assert HANDS[7][1] + HANDS[7][0] == 38
    assert SIDE == 14 * 81 + 38 == 1172
    assert FEATURES == 2 * SIDE
    assert ACTIVE == 40


def test_output_buckets_go_by_the_pieces_in_both_hands():
    assert HELD_BUCKETS.tolist() == [0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, *[7] * 29]
    assert set(HELD_BUCKETS) == set(range(OUTPUT_BUCKETS))
    for sfen, bucket in zip(SFENS, (0, 6, 7, 7, 7), strict=True):
        assert output_bucket(parse_sfen(sfen)) == bucket


@pytest.mark.parametrize("saturating", [False, True])
def test_kept_along_random_games_as_numpy_has_it(saturating):
    """Drops, captures, promotions, null moves, kings that cross the middle, moves taken back."""
    network = random_network(3, WIDTH if saturating else 32, saturating)
    ctx, rng, undo_of = context(network), random.Random(5), []
    crossings = drops = nulls = 0
    for start in SFENS * 2:
        set_root(ctx, parse_sfen(start))
        refresh_line(ctx)
        undo_of.clear()
        for _ in range(120):
            moves = legal_moves(ctx.pos).tolist()
            if (not moves or rng.random() < 0.2 or ctx.ply > 100) and undo_of:
                move = undo_of.pop()
                ctx.game_ply, ctx.ply = ctx.game_ply - 1, ctx.ply - 1
                undo = ctx.undo[ctx.game_ply]
                undo_move(ctx.pos, np.uint32(move), undo) if move else undo_null(ctx.pos, undo)
                ctx.computed_ply = min(ctx.computed_ply, ctx.ply)
            elif moves:
                kings = [move for move in moves if move_kind(move) == KING]
                move = rng.choice(kings) if kings and rng.random() < 0.3 else rng.choice(moves)
                if rng.random() < 0.1 and not is_in_check(ctx.pos):
                    move, nulls = 0, nulls + 1
                else:
                    drops += move_from(move) >= 81
                    crossings += move_kind(move) == KING and (move_from(move) % 9 > 4) != (move_to(move) % 9 > 4)
                undo = ctx.undo[ctx.game_ply]
                do_move(ctx.pos, np.uint32(move), undo) if move else do_null(ctx.pos, undo)
                ctx.game_ply, ctx.ply = ctx.game_ply + 1, ctx.ply + 1
                undo_of.append(move)
            if rng.random() < 0.6:
                assert int(evaluate(ctx)) == expected(network, ctx.pos), format_sfen(ctx.pos)
    assert min(crossings, drops, nulls) > 10


def test_mirrored_and_colour_swapped_positions_are_worth_the_same():
    network = random_network(4)
    ctx, rng, undo = context(network), random.Random(6), new_record(GAME.undo)
    for start in SFENS[:4]:
        pos = parse_sfen(start)
        for _ in range(30):
            value = fresh(ctx, pos)
            assert fresh(ctx, parse_sfen(flip_sfen(format_sfen(pos)))) == value
            on_the_middle = any(int(king) % 9 == 4 for king in pos.king)
            if not on_the_middle:  # there a side sees the board as it is, mirrored or not
                assert fresh(ctx, mirrored(pos)) == value
            moves = legal_moves(pos).tolist()
            if not moves:
                break
            do_move(pos, np.uint32(rng.choice(moves)), undo)


def test_sums_fit_in_the_unit_that_is_chosen():
    rng = np.random.default_rng(1)
    for size, unit in ((LIMIT, 255), (0.7, 1023), (0.1, 2047)):
        rows, output = rng.uniform(-size, size, (FEATURES, 32)), rng.uniform(-1, 1, (OUTPUT_BUCKETS, 2, 32))
        rows[:ACTIVE, 0] = size
        network = quantise(rows, np.zeros(32), output, np.full(OUTPUT_BUCKETS, 0.5), 900)
        assert network.qa == unit
        assert network.rows[:ACTIVE, 0].astype(int).sum() < 2**15
        assert np.abs(network.output_weights).max() in (510, 511)
        assert network.output((np.arange(0), np.arange(0))) == pytest.approx(450, abs=1)
    assert all((qa << 15 - qa.bit_length()) < 2**15 for qa in QAS)


def test_the_network_that_comes_with_the_engine():
    """It says how it was made, is small, judges as a beginner would, and calls the start even."""
    network, evaluator = WEIGHTS.shipped, GAME.evaluation().load()
    assert evaluator.evaluation.name == "network" and evaluator.weights is network
    assert FILE.stat().st_size <= 8_000_000
    assert {"seed", "generation", "licence"} <= network.made.keys()
    assert network.made["command"].startswith("shogi-engine train shogi ")
    ctx = context(network)
    assert network.scale == SCALE
    assert abs(fresh(ctx, parse_sfen(START))) < 60
    without_rook = "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
    assert fresh(ctx, parse_sfen(without_rook)) > 300
