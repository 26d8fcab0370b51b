"""Training data: seeded to the byte, whole or not at all, made anew where damaged, the same after a kill or on Ray."""

import io
import json
import random
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from shogi_engine.games.shogi import GAME
from shogi_engine.interface.game import VALUE_MATE_IN_MAX, VALUE_MAX, VALUE_NONE, do_move, is_in_check, is_quiet
from shogi_engine.jit import JIT_DISABLED, new_record
from shogi_engine.jobs import do_piece, load_ray
from shogi_engine.search.alphabeta import open_window, search_root
from shogi_engine.search.context import set_root, start_search, write_root_moves
from shogi_engine.search.tt import TranspositionTable
from shogi_engine.training.data import SearchState, Workbench, read_shard, shard_path
from shogi_engine.training.game_kernels import LONGEST, think
from shogi_engine.training.pipeline import ShardMaker, make_data
from shogi_engine.training.shogi.games import Games, Openings, book_line
from shogi_engine.training.shogi.recipe import DataOptions
from tests.support.processes import ROOT, needs_workshop
from tests.support.shogi_moves import legal_moves
from tests.support.training_data import GAMES, OPTIONS, SMALL, data_folder

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="whole games, searched")
RUN = """
import sys
from pathlib import Path
from tests.support.training_data import SMALL
from shogi_engine.training.pipeline import make_data
make_data(Path(sys.argv[1]), SMALL, 18, threads=2)
"""


def contents(folder):
    """Return the bytes of a folder's files by name."""
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_a_piece_depends_on_options_seed_and_number_only():
    first, second = Workbench(SMALL), Workbench(SMALL)
    second.shard(5)  # what was searched before does not matter
    assert first.shard(0) == second.shard(0) != first.shard(1)
    assert Workbench(replace(SMALL, seed=12)).shard(0) != first.shard(0)


def test_games_are_legal_and_openings_as_wanted():
    games = Games.load([data_folder()])
    undo, randoms = new_record(GAME.undo), 0
    for game in range(40):
        begin, end = games.begins[game], games.begins[game + 1]
        moves, values = games.moves[begin:end], games.values[begin:end]
        pos = GAME.parse_position(GAME.start)
        for move in moves:
            assert move in legal_moves(pos)
            do_move(pos, move, undo)
        opening = int((values == VALUE_NONE).sum())
        assert (values[:opening] == VALUE_NONE).all()
        assert 2 <= opening <= 30
        randoms += opening < 12  # most of those at random, few of the sensible ones
        assert len(moves) <= LONGEST
    assert 5 <= randoms <= 35


def test_a_searched_move_has_the_value_of_a_search():
    games = Games.load([data_folder()])
    ends = games.begins[1:] - 1
    lost = np.abs(games.values[ends]) > 1500  # most games are decided when they end
    assert lost.mean() > 0.5
    assert (games.values == 0).mean() < 0.05  # a search that finds nothing says 0
    decided = ends[lost]
    sides = np.where((decided - games.begins[:-1][lost]) & 1, -1, 1)
    assert (np.sign(games.values[decided]) * sides == games.results[lost]).mean() > 0.9


@needs_workshop
def test_a_label_is_the_last_value_found():
    """Also in an iteration that is stopped, where it may have fallen. By a twin that keeps each value found."""
    player = SearchState(GAME.evaluation().load(), TranspositionTable(1), GAME)
    ctx, games = player.ctx, Games.load([data_folder()])
    fell = rose = 0
    for number in range(0, len(games), 3):
        nodes = 300 + 40 * number
        for run in range(2):
            player.new_game()
            set_root(ctx, GAME.parse_position(GAME.start), games.moves[games.begins[number] :][:30])
            write_root_moves(ctx)
            if run == 0:
                label = int(think(ctx, nodes))
                continue
            start_search(ctx)
            finished, last = 0, 0
            for depth in range(1, 64):
                ctx.node_limit = nodes if depth > 1 else np.iinfo(np.int64).max
                open_window(ctx, 0, depth)
                while True:
                    alpha = int(ctx.window.alpha)
                    value = int(search_root(ctx, alpha, ctx.window.beta, ctx.window.depth, 0))
                    if ctx.stopped:
                        last = int(ctx.root_scores[0]) if ctx.root_scores[0] > max(alpha, -VALUE_MATE_IN_MAX) else last
                        break
                    last = value
                    if not ctx.window.failed:
                        finished = value
                        break
                if ctx.stopped or abs(finished) >= VALUE_MATE_IN_MAX:
                    break
            assert label == last
            fell, rose = fell + (label < finished), rose + (label > finished)
    assert fell > 3 and rose > 3


def test_book_lines_are_played_from_the_start():
    random_numbers = np.random.default_rng(1)
    lines = {tuple(book_line(random_numbers, 6)) for _ in range(20)}
    assert len(lines) > 5
    assert all(len(line) <= 6 for line in lines)
    assert {len(line) for line in lines} & {5, 6}


def test_missing_and_damaged_pieces_are_made_again(tmp_path):
    make_data(tmp_path, SMALL, 9)
    before = contents(tmp_path)
    assert len(before) == 3
    first, second, third = (shard_path(tmp_path, SMALL.seed, number) for number in range(3))
    first.unlink()
    second.write_bytes(before[second.name][: len(before[second.name]) // 2])
    changed = bytearray(before[third.name])
    changed[100] ^= 255
    third.write_bytes(changed)
    (tmp_path / f".piece-{SMALL.seed}-00000.npz.1.tmp").write_bytes(b"half")
    seen = []
    make_data(tmp_path, SMALL, 9, progress=lambda done, whole: seen.append((done, whole)))
    assert contents(tmp_path) == before
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_pieces_made_otherwise_are_refused(tmp_path):
    make_data(tmp_path, SMALL, 3)
    with pytest.raises(ValueError, match="other options"):
        make_data(tmp_path, replace(SMALL, nodes=51), 3)
    make_data(tmp_path, replace(SMALL, seed=12), 3)  # files of another seed are in the folder
    assert len(contents(tmp_path)) == 2


def test_what_is_no_piece_is_refused(tmp_path):
    file = shard_path(tmp_path, 1, 0)
    file.write_bytes(b"nothing")
    with pytest.raises(ValueError, match="cannot be read"):
        read_shard(file)
    shard = {"moves": np.zeros(5, np.uint32), "values": np.zeros(5, np.int16), "options": np.array("{}")}
    for lengths in ([4], [6, -1], [LONGEST + 1]):
        np.savez(file, **shard, lengths=np.array(lengths), results=np.zeros(len(lengths), np.int8))
        with pytest.raises(ValueError, match="do not fit|impossible"):
            read_shard(file)


def test_options_say_all_that_a_piece_depends_on():
    told = json.loads(DataOptions(weights=b"x").text)
    assert set(told) >= {"nodes", "seed", "evaluation", "weights", "openings", "decided", "piece_games", "format"}
    assert len(told["weights"]) == 64
    assert replace(OPTIONS, openings=Openings(margin=61)).text != OPTIONS.text


def test_enlarged_values_are_labelled_in_the_networks_unit():
    options = replace(SMALL, piece_games=20, evaluation="network")
    factor = replace(options, value_factor=2.5)
    assert factor.evaluator().weights.scale == round(2.5 * options.evaluator().weights.scale)
    middles = []
    for each in (options, factor):
        with np.load(io.BytesIO(Workbench(each).shard(0))) as shard:
            values = shard["values"].astype(int)
        usual = np.abs(values[np.abs(values) <= VALUE_MAX])
        assert 1000 < usual.max() <= VALUE_MAX / 2.5 or each is options
        middles.append(np.median(usual))
    assert 0.5 < middles[1] / middles[0] < 1.5  # other searches and games, but the same unit


def test_a_share_of_the_quiet_positions_is_searched_anew():
    options = replace(SMALL, piece_games=20)
    again = replace(options, label_nodes=1000, label_share=0.25)
    with (
        np.load(io.BytesIO(Workbench(options).shard(0))) as first,
        np.load(io.BytesIO(Workbench(again).shard(0))) as second,
    ):
        moves, values, labels, lengths = first["moves"], first["values"], second["values"], first["lengths"]
        assert np.array_equal(moves[: lengths[0]], second["moves"][: lengths[0]])
    length = lengths[0]  # the searches of labels leave their traces in the table for the games after the first
    pos, undo, quiet = GAME.parse_position(GAME.start), new_record(GAME.undo), []
    for move in moves[:length]:
        quiet.append(not is_in_check(pos) and is_quiet(pos, move))
        do_move(pos, move, undo)
    labelled, known = labels[:length] != VALUE_NONE, values[:length] != VALUE_NONE
    assert not (labelled & ~(np.array(quiet) & known)).any()
    assert 0.05 < labelled.sum() / known.sum() < 0.3
    assert (labels[:length] != values[:length])[labelled].mean() > 0.5


def test_an_impossible_factor_is_refused():
    with pytest.raises(ValueError, match="a value factor is from 0.1 to 10, not 11"):
        replace(SMALL, value_factor=11)
    with pytest.raises(ValueError, match="the values of king-piece cannot be multiplied"):
        replace(SMALL, value_factor=2).evaluator()


@pytest.mark.parametrize("kills", [2, pytest.param(10, marks=pytest.mark.slow)])
def test_killed_and_resumed_is_the_same_data(tmp_path, kills):
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    make_data(whole, SMALL, 18)
    command, rng = [sys.executable, "-c", RUN, str(torn)], random.Random(kills)
    for _ in range(kills):
        process = subprocess.Popen(command, cwd=ROOT)
        time.sleep(rng.uniform(0.5, 3))
        process.kill()
        process.wait()
    subprocess.run(command, cwd=ROOT, check=True)
    assert contents(torn) == contents(whole)


def test_workers_make_the_pieces_that_threads_make(tmp_path):
    make_data(tmp_path, SMALL, 6, threads=2)
    for number in range(2):
        assert do_piece(ShardMaker(SMALL), number) == (number, shard_path(tmp_path, SMALL.seed, number).read_bytes())


def test_a_cluster_needs_ray(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ValueError, match=r"pip install ray"):
        load_ray()


@pytest.mark.slow
def test_two_workers_of_ray_make_the_same_data(tmp_path):
    pytest.importorskip("ray", reason="ray is not installed")
    make_data(tmp_path / "here", SMALL, 12, threads=1)
    make_data(tmp_path / "there", SMALL, 12, threads=2, cluster="local")
    assert contents(tmp_path / "here") == contents(tmp_path / "there")


def test_games_without_pieces_are_refused(tmp_path):
    with pytest.raises(ValueError, match="no shards"):
        Games.load([tmp_path])


def test_of_older_games_a_share_is_taken():
    folder = data_folder()
    assert len(Games.load([folder])) == GAMES
    assert len(Games.load([folder, folder], older_share=0.5)) == GAMES + GAMES // 2
