"""The stored playthroughs of every game: the rules say what they said when the files were written; games end right."""

import pytest

from shogi_engine.interface.game import count_moves, generate_captures, generate_moves, generate_quiets, is_legal
from shogi_engine.jit import JIT_DISABLED
from tests.support.cases import CASES
from tests.support.playthroughs import begin, play, replay, stored

every_game = pytest.mark.parametrize("case", CASES, ids=str)


@every_game
def test_the_rules_are_as_stored(case):
    games = stored(case)
    assert len(games) == 4
    for game in games[: 1 if JIT_DISABLED else 4]:
        assert replay(case, game) == game


@every_game
def test_games_end_only_where_no_move_is_legal(case):
    ended = 0
    for game in stored(case):
        ctx = begin(case, game["start"])
        for text in game["moves"]:
            assert count_moves(ctx, 0) > 0
            play(ctx, case.game.parse_move(ctx.pos, text))
        over = game["final_value"] is not None
        text = case.game.format_position(ctx.pos)
        assert over == (count_moves(ctx, 0) == 0) == (not case.naive_moves(text)), text
        for generate in (generate_moves, generate_captures, generate_quiets):
            legal = [move for move in ctx.moves[: generate(ctx, 0)].copy() if is_legal(ctx.pos, move)]
            assert not (over and legal), text
        ended += over
    assert ended, "no stored game ends"
