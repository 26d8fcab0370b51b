"""The search's queries about checks and mates in one, compared with the legal moves of many positions."""

import json
from functools import cache

import numpy as np
import pytest

from shogi_engine.games.shogi.game import GAME
from shogi_engine.games.shogi.movegen import generate_checks
from shogi_engine.games.shogi.sfen import parse_sfen
from shogi_engine.games.shogi.types import KNIGHT, NO_SQUARE, move_kind
from shogi_engine.interface.game import gives_check, mate_in_one, set_check_info
from shogi_engine.search.context import new_context
from tests.games.shogi.test_shogi_mates import after, in_check, middle_games
from tests.support.processes import ARE_PLAIN, ROOT
from tests.support.shogi_moves import legal_moves

COUNT = 40 if ARE_PLAIN else 600


@pytest.fixture(scope="module")
def ctx():
    return new_context(GAME)


@cache
def positions():
    """Return each position with its legal moves and those of them that give check.

    They are those of the middle game with a king to mate and no check, and those of short mates.
    """
    problems = json.loads((ROOT / "tests/data/shogi_short_mates.json").read_text())
    rows = problems if isinstance(problems, list) else problems["positions"]
    found = []
    for position in [*middle_games(COUNT, 11), *(parse_sfen(row["sfen"]) for row in rows[:COUNT])]:
        if not in_check(position) and position.king[1 - int(position.side)] != NO_SQUARE:
            moves = legal_moves(position).tolist()
            found.append((position, moves, {move for move in moves if in_check(after(position, move))}))
    return found


def test_mate_in_one_mates_and_most_mates_are_found(ctx):
    found = there = 0
    ctx.params.mate_in_one_max_escapes = 8
    for position, _, checks in positions():
        mates = {move for move in checks if len(legal_moves(after(position, move))) == 0}
        ctx.pos = position
        move = int(mate_in_one(ctx, 0))
        assert GAME.format_position(ctx.pos) == GAME.format_position(position)
        if move:
            assert move in mates, GAME.format_position(position)
        found += bool(move)
        there += any(move_kind(each) != KNIGHT for each in mates)
    assert found > (0 if ARE_PLAIN else 20)
    assert found >= 0.7 * there


def test_a_king_with_room_to_flee_is_not_looked_at(ctx):
    ctx.params.mate_in_one_max_escapes = -1
    for position, _, _ in positions():
        ctx.pos = position
        assert mate_in_one(ctx, 0) == 0


def test_generated_checks_are_the_moves_that_give_check(ctx):
    seen = 0
    for position, _, checks in positions():
        ctx.pos = position
        threats = ctx.moves[: int(generate_checks(ctx, 0, ctx.states[0], ctx.undo[0]))].tolist()
        assert len(threats) == len(set(threats)) and set(threats) == checks
        assert GAME.format_position(ctx.pos) == GAME.format_position(position)
        seen += len(threats)
    assert seen > 50


def test_checks_are_told(ctx):
    """Direct ones, and those that a piece discovers as it leaves."""
    there = 0
    for position, moves, checks in positions():
        ctx.pos = position
        set_check_info(ctx)
        for move in moves:
            check = move in checks
            assert check == bool(gives_check(ctx, np.uint32(move))), GAME.format_move(position, move)
            there += check
    assert there > 100
