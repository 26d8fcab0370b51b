"""Quiet ends: where quiescence search ends, with the value of the search; handicap games from data to blocks."""

import io
from dataclasses import replace

import numpy as np
import pytest

from shogi_engine.games.shogi import GAME
from shogi_engine.interface.game import VALUE_INFINITE, VALUE_MATE_IN_MAX, do_move, is_in_check, is_quiet
from shogi_engine.jit import JIT_DISABLED, new_record
from shogi_engine.search.context import set_root, start_search, static_value
from shogi_engine.search.quiescence import quiescence
from shogi_engine.search.tt import TranspositionTable
from shogi_engine.training.data import SearchState, Workbench, read_shard, shard_path
from shogi_engine.training.recipe import load
from shogi_engine.training.shogi.games import LARGEST, Games
from shogi_engine.training.shogi.kernels import STARTS, write_position
from shogi_engine.training.shogi.recipe import DataOptions
from shogi_engine.training.shogi.trainer import TrainOptions
from tests.support.training_data import SMALL, data_folder

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="whole games, searched")
TABLES = TrainOptions().model.feature_tables
EVALUATOR = load("shogi").named_evaluator("network")


def walked(games, count):
    """Yield (game, ply, position, move, value, line to the end or None) of the first games, by the rules alone."""
    undo = new_record(GAME.undo)
    for game in range(count):
        pos, at = GAME.parse_position(STARTS[games.starts[game]]), games.line_begins[game]
        for place in range(games.begins[game], games.begins[game + 1]):
            known = int(games.ends[place])
            line = games.lines[at : at + max(known - 1, 0)] if known else None
            at += max(known - 1, 0)
            yield game, place - games.begins[game], pos, games.moves[place], int(games.values[place]), line
            do_move(pos, games.moves[place], undo)
        assert at == games.line_begins[game + 1]


def test_an_end_is_where_quiescence_search_stands_pat():
    games, player, undo = Games.load([data_folder()], 1, EVALUATOR), None, new_record(GAME.undo)
    player = SearchState(EVALUATOR, TranspositionTable(1), GAME)
    ctx, found = player.ctx, {"moves": 0, "none": 0, "in place": 0}
    for _, _, pos, move, value, line in walked(games, 100):
        if line is None:
            found["none"] += 1
            continue
        assert abs(value) < VALUE_MATE_IN_MAX and not is_in_check(pos) and not is_quiet(pos, move)
        assert len(line) == 0 or line[0] != move  # else the next position has this end
        found["moves" if len(line) else "in place"] += 1
        end = GAME.parse_position(GAME.format_position(pos))
        for each in line:
            assert not is_quiet(end, each) or is_in_check(end)
            do_move(end, each, undo)
        player.new_game()
        set_root(ctx, end)
        start_search(ctx)
        assert not is_in_check(end)
        assert quiescence(ctx, -VALUE_INFINITE, VALUE_INFINITE, 0) == static_value(ctx)
    assert min(found.values()) > 50 and found["none"] > found["moves"] + found["in place"]


def test_blocks_have_quiet_positions_and_ends_with_the_values_of_their_searches():
    games = Games.load([data_folder()], 1, EVALUATOR)
    _, block = next(games.blocks(np.arange(30), 1 << 14, TABLES))
    row, seen, undo, odd = 0, np.zeros((2, 40), np.uint16), new_record(GAME.undo), 0
    for game, ply, pos, move, value, line in walked(games, 30):
        quiet = not is_in_check(pos) and is_quiet(pos, move)
        if abs(value) > LARGEST or not (quiet or line is not None):
            continue
        end, sign = GAME.parse_position(GAME.format_position(pos)), 1
        for each in () if line is None else line:
            do_move(end, each, undo)
            sign = -sign
        odd += sign < 0
        write_position(end, TABLES[0], seen)
        assert np.array_equal(block.features[row], seen)
        assert block.scores[row] == sign * value and block.plies[row] == ply
        assert block.outcomes[row] == games.results[game] * (1 if end.side == 0 else -1)
        row += 1
    assert row == len(block.scores) and odd > 5
    plain = sum(len(each.scores) for _, each in Games.load([data_folder()]).blocks(np.arange(30), 1 << 14, TABLES))
    assert plain < row < 1.5 * plain


def test_threads_find_the_same_ends():
    one, two = (Games.load([data_folder()], 1, EVALUATOR, threads) for threads in (1, 2))
    assert np.array_equal(one.ends, two.ends) and np.array_equal(one.lines, two.lines)


def test_handicap_games_begin_where_they_say(tmp_path):
    options = replace(SMALL, piece_games=40, handicap_share=0.5)
    content = Workbench(options).shard(0)
    file = shard_path(tmp_path, options.seed, 0)
    file.write_bytes(content)
    shard = read_shard(file)
    assert 5 < (shard["starts"] > 0).sum() < 35 and len(set(shard["starts"])) > 3
    games = Games.of(shard)
    for game, ply, pos, move, _, _ in walked(games, 40):
        assert pos.side == (ply + (games.starts[game] > 0)) % 2  # white begins with a handicap
        assert GAME.parse_move(pos, GAME.format_move(pos, int(move))) == move
    _, block = next(games.blocks(np.arange(40), 1 << 14, TABLES))
    missing = (block.features[:, 0] == 2344).sum(axis=1)
    assert (missing[block.plies == block.plies.min()] <= 6).all() and {0, 1, 2} <= set(missing)
    weaker = games.results[games.starts >= STARTS.index(STARTS[-3])]
    assert len(weaker) > 2 and weaker.mean() < 0  # white gives two pieces or more, and begins


def test_shards_without_starts_begin_at_the_usual_one(tmp_path):
    with np.load(io.BytesIO(Workbench(SMALL).shard(0))) as stored:
        arrays = {name: stored[name] for name in stored.files if name != "starts"}
    np.savez(tmp_path / "piece-1-00000.npz", **arrays)
    assert not Games.load([tmp_path]).starts.any()
    assert DataOptions.starts()[0] == GAME.start
