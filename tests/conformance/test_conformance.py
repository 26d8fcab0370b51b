"""What the search relies on, for every game in cases.py: random play against the interface and a naive twin."""

import random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shogi_engine.interface.game import (
    HISTORY_SLOTS,
    VALUE_INFINITE,
    VALUE_MATE,
    VALUE_MAX,
    VALUE_NONE,
    count_moves,
    declaration_value,
    do_move,
    do_null,
    endgame_solve,
    evaluate,
    finished_leaves,
    generate_captures,
    generate_evasions,
    generate_moves,
    generate_quiets,
    history_slot,
    is_in_check,
    is_legal,
    is_legal_tt_move,
    is_quiet,
    key,
    move_cost,
    null_allowed,
    refresh_line,
    repetition_key,
    repetition_value,
    score_moves,
    see_ge,
    terminal_value,
    undo_move,
    undo_null,
)
from shogi_engine.jit import JIT_DISABLED
from shogi_engine.perft import perft
from shogi_engine.search.context import ALL_FLAGS, USE_TT, new_context, set_root
from tests.support.cases import CASES, ConformanceCase, random_positions
from tests.support.move_lists import legal_moves

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")  # JIT off: numpy's scalars wrap and say so
every_game = pytest.mark.parametrize("case", CASES, ids=str)
UNTOUCHED = np.uint32(0xDEADBEEF)
NEVER = np.zeros(1, dtype=np.uint64)  # a stop word that is never set


def fields(record) -> dict:
    """Return a record's fields as Python's values, without what lies between them."""
    return {name: np.asarray(record[name]).tolist() for name in record.dtype.names}


def at(case: ConformanceCase, text: str, ctx=None):
    """Return a context (`ctx`, or a new one) at the position `text`, the root of a search without a table."""
    ctx = new_context(case.game) if ctx is None else ctx
    ctx.search_flags = ALL_FLAGS & ~USE_TT
    ctx.stop_address = NEVER.ctypes.data
    set_root(ctx, case.game.parse_position(text))
    refresh_line(ctx)
    return ctx


def check_record(case: ConformanceCase, pos) -> None:
    """Check that a position that was played to is the one its notation describes, hash keys and all."""
    text = case.game.format_position(pos)
    fresh = case.game.parse_position(text)
    assert case.game.format_position(fresh) == text
    assert fields(pos) == fields(fresh)
    assert (key(pos), repetition_key(pos)) == (key(fresh), repetition_key(fresh))


@every_game
def test_positions_equal_those_parsed_afresh(case):
    for ctx in random_positions(case):
        check_record(case, ctx.pos)


@every_game
@settings(max_examples=30, derandomize=True)
@given(number=st.integers(0, 999), choices=st.lists(st.integers(0, 999), max_size=60))
def test_a_game_taken_back_is_where_it_began(case, number, choices):
    """Hypothesis chooses the moves, so that a failure is a short game."""
    ctx = at(case, case.starts[number % len(case.starts)])
    line = []
    for choice in choices:
        moves = legal_moves(ctx)
        if not moves:
            break
        line.append((moves[choice % len(moves)], ctx.pos.tobytes()))
        do_move(ctx.pos, line[-1][0], ctx.undo[ctx.game_ply])
        ctx.game_ply += 1
        check_record(case, ctx.pos)
    for move, before in reversed(line):
        ctx.game_ply -= 1
        undo_move(ctx.pos, move, ctx.undo[ctx.game_ply])
        assert ctx.pos.tobytes() == before


@every_game
def test_every_move_taken_back_restores_every_byte(case):
    for ctx in random_positions(case):
        pos, undo = ctx.pos, ctx.undo[ctx.game_ply]
        before = pos.tobytes()
        keys = {int(key(pos))}
        for move in legal_moves(ctx):
            do_move(pos, move, undo)
            assert pos.tobytes() != before
            keys.add(int(key(pos)))
            undo_move(pos, move, undo)
            assert pos.tobytes() == before, case.game.format_move(pos, move)
        assert len(keys) == 1 + len(legal_moves(ctx))  # positions one move on differ, and so do their keys


@every_game
def test_legal_moves_equal_the_naive_twins(case):
    for ctx in random_positions(case):
        text = case.game.format_position(ctx.pos)
        pos, moves = ctx.pos, legal_moves(ctx)
        assert moves == [move for move in ctx.moves[: generate_moves(ctx, 0)] if is_legal(pos, move)]
        texts = [case.game.format_move(pos, move) for move in moves]
        assert sorted(texts) == sorted(case.naive_moves(text)), text


@every_game
def test_generators_keep_to_their_buffer_and_say_nothing_twice(case):
    start, bound = 5, case.game.max_moves
    for ctx in random_positions(case):
        before = ctx.pos.tobytes()
        ctx.moves[: start + 2 * bound] = UNTOUCHED
        count = generate_moves(ctx, start)
        moves = ctx.moves[start : start + count].tolist()
        assert 0 <= count <= bound
        assert (ctx.moves[:start] == UNTOUCHED).all()
        assert (ctx.moves[start + bound : start + 2 * bound] == UNTOUCHED).all()
        assert len(set(moves)) == count and 0 not in moves
        ctx.moves[: start + 2 * bound] = UNTOUCHED
        count = generate_captures(ctx, start)
        captures = ctx.moves[start : start + count].tolist()
        assert (ctx.moves[:start] == UNTOUCHED).all()
        assert (ctx.moves[start + bound : start + 2 * bound] == UNTOUCHED).all()
        assert len(set(captures)) == count and set(captures) <= set(moves)
        quiet = ctx.moves[start : start + generate_quiets(ctx, start)].tolist()
        assert len(set(captures + quiet)) == len(captures + quiet) and set(quiet) <= set(moves)
        assert ctx.pos.tobytes() == before


@every_game
def test_a_search_looks_at_all_moves_but_the_needless_ones(case):
    left_out = 0
    for ctx in random_positions(case):
        text, legal = case.game.format_position(ctx.pos), legal_moves(ctx)
        needed = {int(move) for move in legal if not case.is_needless(text, case.game.format_move(ctx.pos, move))}
        captures = ctx.moves[: generate_captures(ctx, 0)].tolist()
        quiet = ctx.moves[: generate_quiets(ctx, 0)].tolist()
        evasions = ctx.moves[: generate_evasions(ctx, 0)].tolist()
        assert needed or not legal, text
        assert needed == {move for move in captures + quiet if is_legal(ctx.pos, np.uint32(move))}, text
        if is_in_check(ctx.pos):
            assert needed == {move for move in evasions if is_legal(ctx.pos, np.uint32(move))}, text
        left_out += len(legal) - len(needed)
    assert left_out or case.game.name != "shogi"


@every_game
def test_moves_of_other_positions_are_played_only_where_they_are_legal(case):
    seen: list[int] = []
    for ctx in random_positions(case):
        pos, moves = ctx.pos, [int(move) for move in legal_moves(ctx)]
        told = [move for move in moves if is_legal_tt_move(pos, np.uint32(move))]
        assert told in ([], moves), case.game.format_position(pos)
        others = random.Random(len(seen)).sample(seen, min(40, len(seen)))
        assert not any(is_legal_tt_move(pos, np.uint32(move)) for move in set(others) - set(moves))
        seen.extend(moves)


@every_game
def test_count_moves_counts_the_legal_moves(case):
    for ctx in random_positions(case):
        moves = legal_moves(ctx)
        assert count_moves(ctx, 3) == len(moves), case.game.format_position(ctx.pos)


@every_game
def test_moves_and_their_notation_are_inverse(case):
    others: set[str] = set()
    for ctx in random_positions(case):
        game, pos, moves = case.game, ctx.pos, legal_moves(ctx)
        texts = [game.format_move(pos, move) for move in moves]
        assert len(set(texts)) == len(moves)
        assert [game.parse_move(pos, text) for text in texts] == [int(move) for move in moves]
        for text in random.Random(len(others)).sample(sorted(others - set(texts)), min(5, len(others - set(texts)))):
            with pytest.raises(ValueError):
                game.parse_move(pos, text)
        others.update(texts)
        for text in ("", "?", "none such"):
            with pytest.raises(ValueError):
                game.parse_move(pos, text)


@every_game
def test_odd_positions_are_refused_at_the_door(case):
    for text in case.odd_texts:
        with pytest.raises(ValueError):
            case.game.parse_position(text)


@every_game
def test_mirrored_positions_have_mirrored_values(case):
    seen, evaluator = 0, case.game.evaluation(case.evaluation).load()
    first, second = (new_context(case.game, evaluator=evaluator) for _ in range(2))
    for ctx in random_positions(case):
        text = case.game.format_position(ctx.pos)
        here = at(case, text, first)
        value, count = evaluate(here), count_moves(here, 0)
        for mirror in case.mirrors:
            there = at(case, mirror(text), second)
            assert evaluate(there) == value, (text, mirror(text))
            assert count_moves(there, 0) == count, (text, mirror(text))
            assert is_in_check(there.pos) == is_in_check(here.pos)
            if count == 0:
                assert terminal_value(there) == terminal_value(here)
            seen += mirror(text) != text
    assert seen > 100


@every_game
def test_a_value_kept_along_a_line_is_the_value_of_a_fresh_position(case):
    """Moves are made and taken back between the evaluations, as in a search."""
    for number, start in enumerate(case.starts):
        rng = random.Random(number)
        ctx = at(case, start)
        line: list = []
        for _ in range(60):
            moves = legal_moves(ctx)
            if line and (not moves or rng.random() < 0.4):
                ctx.game_ply, ctx.ply = ctx.game_ply - 1, ctx.ply - 1
                undo_move(ctx.pos, line.pop(), ctx.undo[ctx.game_ply])
                ctx.computed_ply = min(ctx.computed_ply, ctx.ply)
            elif moves:
                line.append(rng.choice(moves))
                do_move(ctx.pos, line[-1], ctx.undo[ctx.game_ply])
                ctx.game_ply, ctx.ply = ctx.game_ply + 1, ctx.ply + 1
            if rng.random() < 0.5:
                text = case.game.format_position(ctx.pos)
                assert evaluate(ctx) == evaluate(at(case, text)), text


@every_game
def test_values_are_in_range_and_no_question_changes_the_position(case):
    for ctx in random_positions(case):
        here = at(case, case.game.format_position(ctx.pos))
        before = here.pos.tobytes()
        assert -VALUE_MAX <= evaluate(here) <= VALUE_MAX
        here.ply = 3
        here.game_ply = 0
        moves = legal_moves(here)
        if not moves:
            assert -VALUE_MATE + here.ply <= terminal_value(here) <= VALUE_MATE - here.ply
        assert finished_leaves(here.pos) in (0, 1)
        solved = endgame_solve(here, -VALUE_INFINITE, VALUE_INFINITE)
        for value in (repetition_value(here), declaration_value(here), solved):
            assert value == VALUE_NONE or -VALUE_MATE <= value <= VALUE_MATE
        assert is_in_check(here.pos) in (False, True) and null_allowed(here.pos) in (False, True)
        assert not (is_in_check(here.pos) and null_allowed(here.pos))
        assert here.pos.tobytes() == before


@every_game
def test_what_the_search_asks_of_a_move(case):
    thresholds = (-30000, -1000, -100, -1, 0, 1, 100, 1000, 30000)
    for ctx in random_positions(case):
        pos = ctx.pos
        before = pos.tobytes()
        count = generate_moves(ctx, 0)
        moves = ctx.moves[:count].copy()
        ctx.scores[: count + 2] = 1 << 30
        score_moves(ctx, 1, count - 1) if count else None
        assert (np.abs(ctx.scores[1:count]) < 1 << 20).all()
        assert (ctx.scores[[0, count, count + 1]] == 1 << 30).all() if count else True
        assert (ctx.moves[:count] == moves).all()
        for move in moves[:: max(1, count // 20)]:
            if not is_legal(pos, move):
                continue
            assert 0 <= history_slot(pos, move) < HISTORY_SLOTS
            assert move_cost(pos, move) in (0, 1)
            assert is_quiet(pos, move) in (False, True)
            gains = [bool(see_ge(ctx, move, threshold)) for threshold in thresholds]
            assert gains == sorted(gains, reverse=True)  # what gains much gains little
        assert pos.tobytes() == before


@every_game
def test_a_null_move_gives_the_turn_away_and_back(case):
    for ctx in random_positions(case):
        if not null_allowed(ctx.pos):
            continue
        before, hashed = ctx.pos.tobytes(), key(ctx.pos)
        do_null(ctx.pos, ctx.undo[ctx.game_ply])
        assert key(ctx.pos) != hashed
        check_record(case, ctx.pos)
        undo_null(ctx.pos, ctx.undo[ctx.game_ply])
        assert ctx.pos.tobytes() == before


@every_game
@pytest.mark.parametrize("free_pass", [False, True])
def test_perft_counts_the_same_in_every_way(case, free_pass):
    for text in case.starts:
        position = case.game.parse_position(text)
        before = position.tobytes()
        depth = 3 if JIT_DISABLED else case.depth if text == case.game.start else case.depth - 1
        bulk = perft(case.game, position, depth, free_pass=free_pass)
        if bulk.divide:
            assert sum(bulk.divide.values()) == bulk.nodes
        for options in ({"bulk": False}, {"threads": 2}, {"bulk": False, "threads": 3}):
            again = perft(case.game, position, depth, free_pass=free_pass, **options)
            assert again.divide == bulk.divide, (text, options)
        assert position.tobytes() == before
