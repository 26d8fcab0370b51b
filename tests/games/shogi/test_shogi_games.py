"""Random games and random positions, move by move, against cshogi, python-shogi and the naive twin."""

import itertools
import random

import numpy as np
import pytest

from shogi_engine.games.shogi.game import GAME
from shogi_engine.games.shogi.movegen import is_searched
from shogi_engine.games.shogi.position import rebuild
from shogi_engine.games.shogi.sfen import format_sfen, format_usi, parse_sfen
from shogi_engine.games.shogi.types import UNDO, move_captured
from shogi_engine.interface.game import count_moves, do_move, generate_captures, undo_move
from shogi_engine.jit import JIT_DISABLED, new_record
from shogi_engine.perft import perft
from tests.support.shogi_cases import assert_same_record, kernel_moves, perft_positions, rule_cases
from tests.support.shogi_moves import legal_moves, scratch
from tests.support.sizes import sized
from tests.support.twins.naive_shogi import SET, START, State

STARTS = [
    START,
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",  # two pieces' handicap
    "lnsgkgsnl/1r5b1/9/9/9/9/9/1B5R1/LNSGKGSNL b 9P9p 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
]
PLIES = 20 if JIT_DISABLED else 250


def games(count, plies=PLIES, seed=1):
    """Play random games, captures and promotions twice as likely; yield (pos, usi moves to it, its legal moves in USI).

    `pos` lives on: it is changed when the next one is requested.
    """
    rng = random.Random(seed)
    for number in range(count):
        start = STARTS[number % len(STARTS)]
        pos, played = parse_sfen(start), []
        for _ in range(plies):
            moves = [int(move) for move in legal_moves(pos)]
            yield start, pos, played, [format_usi(pos, move) for move in moves]
            if not moves:
                break
            lively = [move for move in moves if move_captured(move) or format_usi(pos, move).endswith("+")]
            move = rng.choice(lively if lively and rng.random() < 0.3 else moves)
            played.append(format_usi(pos, move))
            do_move(pos, np.uint32(move), new_record(UNDO))


def composed(count, seed=2):
    """Yield the SFENs of random positions of few or many pieces, mostly with both kings, that are valid."""
    rng = random.Random(seed)
    made = 0
    while made < count:
        state = State(turn=rng.choice("bw"))
        squares = [(file, rank) for file in range(1, 10) for rank in range(1, 10)]
        rng.shuffle(squares)
        for colour in "bw":
            if rng.random() < 0.95:
                state.board[squares.pop()] = (colour, "K")
        density, in_hand = rng.random(), rng.random()
        for piece, total in SET.items():
            for _ in range(total):
                colour = rng.choice("bw")
                if rng.random() < in_hand / 2:
                    state.hands[colour][piece] = state.hands[colour].get(piece, 0) + 1
                elif rng.random() < density:
                    promoted = piece != "G" and rng.random() < 0.4
                    state.board[squares.pop()] = (colour, "+" * promoted + piece)
        try:
            parse_sfen(state.sfen())
        except ValueError:
            continue
        made += 1
        yield state.sfen()


def test_naive_twin_along_games():
    for _, pos, _, moves in games(sized(2, 4), seed=3):
        state = State.from_sfen(format_sfen(pos))
        assert set(state.legal_moves()) == set(moves), format_sfen(pos)
        assert len(set(moves)) == len(moves)
        assert state.in_check(state.turn) == bool(pos.checkers.any())


def test_naive_twin_on_composed_positions():
    for sfen in composed(30 if JIT_DISABLED else sized(120, 400)):
        moves = kernel_moves(sfen)
        assert set(moves) == set(State.from_sfen(sfen).legal_moves()), sfen
        assert len(set(moves)) == len(moves), sfen


def test_moves_are_made_and_taken_back():
    """After every legal move all fields, keys too, are as if set up afresh; taken back, they are the old ones."""
    along = (pos.copy() for _, pos, played, _ in games(sized(3, 8), seed=4) if len(played) % 5 == 0)
    for pos in itertools.chain(along, map(parse_sfen, composed(10 if JIT_DISABLED else sized(20, 60), seed=5))):
        state = State.from_sfen(format_sfen(pos))
        for move in legal_moves(pos):
            after, undo = pos.copy(), new_record(UNDO)
            do_move(after, move, undo)
            fresh = after.copy()
            rebuild(fresh)
            assert_same_record(fresh, after)
            assert format_sfen(after) == state.after(format_usi(pos, move)).sfen()
            undo_move(after, move, undo)
            assert_same_record(after, pos)


def test_counts_and_captures():
    """The counting kernel counts what the generator writes; generate_captures writes all captures that are searched."""
    for sfen in composed(30 if JIT_DISABLED else sized(200, 600), seed=6):
        pos = parse_sfen(sfen)
        legal = {int(move) for move in legal_moves(pos)}
        context = scratch()
        context.pos = pos
        assert count_moves(context, 0) == len(legal)
        captures = [int(move) for move in context.moves[: generate_captures(context, 0)]]
        assert len(set(captures)) == len(captures)
        assert set(captures) <= legal
        searched = {move for move in legal if is_searched(pos.side, np.uint32(move))}
        assert {move for move in searched if move_captured(move)} <= set(captures), sfen


def test_cshogi_along_games():
    cshogi = pytest.importorskip("cshogi")
    board = cshogi.Board()
    for start, pos, played, moves in games(4 if JIT_DISABLED else sized(12, 40), seed=7):
        if played:
            board.push_usi(played[-1])
        else:
            board.set_sfen(start)
        theirs = {cshogi.move_to_usi(move) for move in board.legal_moves}
        assert theirs == set(moves), format_sfen(pos)
        assert board.is_check() == bool(pos.checkers.any())
        assert board.sfen() == format_sfen(pos)


def test_cshogi_on_composed_positions():
    cshogi = pytest.importorskip("cshogi")
    board = cshogi.Board()
    compared = 0
    for sfen in composed(20 if JIT_DISABLED else sized(250, 800), seed=8):
        if "k" not in sfen.split()[0] or "K" not in sfen.split()[0]:
            continue  # cshogi wants both kings
        board.set_sfen(sfen)
        assert {cshogi.move_to_usi(move) for move in board.legal_moves} == set(kernel_moves(sfen)), sfen
        compared += 1
    assert compared > 10


def test_python_shogi_along_games():
    """python-shogi lets a pawn drop mate if the only defenders are pinned; there the naive twin has the last word."""
    shogi = pytest.importorskip("shogi")
    board = shogi.Board()
    for start, pos, played, moves in games(sized(2, 4), plies=min(PLIES, 150), seed=9):
        if played:
            board.push_usi(played[-1])
        else:
            board.set_sfen(start)
        assert board.sfen() == format_sfen(pos)
        theirs = {move.usi() for move in board.legal_moves}
        assert set(moves) <= theirs, format_sfen(pos)
        for usi in theirs - set(moves):
            assert usi.startswith("P*"), (format_sfen(pos), usi)
            assert not State.from_sfen(format_sfen(pos)).is_legal(usi)
        assert board.is_check() == bool(pos.checkers.any())


# ---- published counts --------------------------------------------------------------------------------------------


DEFAULT_NODES = 300 if JIT_DISABLED else 1_000_000_000  # larger counts are marked slow
ONE_BY_ONE_NODES = 300 if JIT_DISABLED else 5_000_000
NAIVE_NODES = 2_000


def counts():
    """Return each position's deepest count that is fast, with all below it, and the larger ones one by one."""
    found = {}
    for position in perft_positions():
        for depth, nodes in position["nodes"].items():
            found[position["sfen"], int(depth)] = nodes
    for sfen, nodes_by_depth in rule_cases()["perft"]:
        for depth, nodes in enumerate(nodes_by_depth, 1):
            assert found.setdefault((sfen, depth), nodes) == nodes
    assert len(found) > 200
    return [
        pytest.param(
            sfen, depth, nodes, id=f"{sfen}-d{depth}", marks=[pytest.mark.slow] if nodes > DEFAULT_NODES else []
        )
        for (sfen, depth), nodes in found.items()
    ]


def check(sfen, depth, nodes, bulk):
    result = perft(GAME, parse_sfen(sfen), depth, bulk=bulk)
    if result.nodes != nodes:
        divide = "\n".join(f"{usi}: {count}" for usi, count in sorted(result.divide.items()))
        pytest.fail(f"{sfen}\ndepth {depth}: {result.nodes} leaves, {nodes} published\n{divide}")


@pytest.mark.parametrize(("sfen", "depth", "nodes"), counts())
def test_published_count(sfen, depth, nodes):
    check(sfen, depth, nodes, bulk=True)


@pytest.mark.parametrize(("sfen", "depth", "nodes"), [case for case in counts() if case.values[2] <= ONE_BY_ONE_NODES])
def test_one_by_one(sfen, depth, nodes):
    check(sfen, depth, nodes, bulk=False)


@pytest.mark.parametrize(("sfen", "depth", "nodes"), [case for case in counts() if case.values[2] <= NAIVE_NODES])
def test_naive_twin(sfen, depth, nodes):
    assert (State.from_sfen(sfen).perft(depth) if nodes else 0) == nodes
