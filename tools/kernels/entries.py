"""The kernels that Python calls, and the types of the arguments with which it calls them.

This list is what the compiled module holds. A kernel that Python calls in another way, or that is missing here, is
compiled by the workshop, or refused where that is not installed: the tests in an environment without numba find it.

An argument is a type of numpy's (np.int64, np.uint32, ...) or bool, the dtype of a record, or an Array. Numbers may be
any of Python's; kernels take int64 unless they need the bits of a uint64 or the type of an array's element.
"""

import importlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from shogi_engine import games
from shogi_engine.batch import kernels as batch_kernels, puct_kernels
from shogi_engine.games.othello.bitboard import stable_discs, transform
from shogi_engine.games.othello.endgame import deep_search, search
from shogi_engine.games.othello.endgame.search import solve_all
from shogi_engine.games.othello.evaluation.patterns import shallow_depth
from shogi_engine.games.othello.movegen import flips, mobility
from shogi_engine.games.othello.position import final_score, make_canonical, transform_position
from shogi_engine.games.shogi import (
    bitboard,
    movegen,
    ordering,
    packed_kernels as packed_moves,
    position as shogi_position,
    rules as legality,
    texts,
)
from shogi_engine.games.shogi.evaluation import nnue, nnue_file
from shogi_engine.games.shogi.mate import search as mate_search, table as mate_table
from shogi_engine.games.shogi.mate.table import MATE_SEARCH
from shogi_engine.games.shogi.records import csa_kernels, kif_kernels
from shogi_engine.interface import game as rules
from shogi_engine.interface.game import Game
from shogi_engine.jit.intrinsics import stubs
from shogi_engine.perft import count_leaves, count_or_list, perft_context
from shogi_engine.search import alphabeta, context, deepening, tt
from shogi_engine.textbook import searches
from shogi_engine.training import adamw, game_kernels
from shogi_engine.training.othello import kernels as othello_training
from shogi_engine.training.shogi import kernels as training, own_kernels, sfnn_kernels, standard_kernels

I8, I16, I32, I64 = np.int8, np.int16, np.int32, np.int64
U8, U16, U32, U64 = np.uint8, np.uint16, np.uint32, np.uint64
F32, F64 = np.float32, np.float64
GAMES = ("shogi", "othello")


@dataclass(frozen=True)
class Array:
    """The type of a C-contiguous array."""

    dtype: Any
    axes: int = 1


@dataclass(frozen=True)
class Entry:
    """A kernel, and the types of its arguments."""

    kernel: Any
    arguments: tuple[Any, ...]


def entries() -> Iterator[Entry]:
    """Yield all of them, each once."""
    for name in GAMES:
        game = games.load(name)
        yield from _of_boards(name)
        yield from _of_rules(game)
        for evaluation in _evaluations(game):
            yield from _of_search(game, evaluation)
        terms = Array(U64), game_kernels.TERMS, Array(U32), Array(I16)
        for players in itertools.product(_contexts(game), repeat=2):
            yield Entry(game_kernels.play_game, (*players, *terms))
        yield from _of_batches(name, game)
    yield from _of_shogi(games.load("shogi"))
    yield from _of_othello(games.load("othello"))
    yield from _of_training()
    nodes, edges = (Array(puct_kernels.NODE, 2), Array(puct_kernels.EDGE, 2))
    yield Entry(puct_kernels.add_noise, (nodes, edges, Array(I32, 2), F64, Array(F64, 2)))
    nodes, edges = (Array(puct_kernels.NODE), Array(puct_kernels.EDGE))
    yield Entry(puct_kernels.keep_subtree, (nodes, edges, Array(I32), U32, nodes, edges))


def rule(stub: Any, dtype: np.dtype) -> Any:
    """Return the kernel that a stub calls for records of `dtype`."""
    return stubs[stub](dtype)


def _evaluations(game: Game) -> list[Any]:
    """Return the package's evaluations of a game."""
    own: Any = game.evaluations
    return [game.evaluation(each) for each in own if own.module(each).startswith("shogi_engine.")]


def _contexts(game: Game) -> list[np.dtype]:
    """Return the search contexts of a game, one for each evaluation."""
    return [context.context_dtype(game, evaluation) for evaluation in _evaluations(game)]


def _of_boards(name: str) -> Iterator[Entry]:
    """Kernels that take a Board's address."""
    for kernel in games.board_entries(name)._kernels:
        yield Entry(kernel, (I64,) * kernel.py_func.__code__.co_argcount)


def _of_rules(game: Game) -> Iterator[Entry]:
    """Rules on a position, and perft."""
    position, counting = game.position, perft_context(game).dtype
    move = I64 if game.name == "othello" else U32
    yield Entry(rule(rules.do_move, position), (position, move, game.undo))
    yield Entry(deepening.choose_lines, (deepening.run_dtype(game),))
    yield Entry(rule(rules.finished_leaves, position), (position,))
    yield Entry(rule(rules.move_cost, position), (position, U32))
    yield Entry(count_leaves, (counting, I64))
    yield Entry(count_or_list, (counting, I64, I64, I64, bool, bool))


def _of_search(game: Game, evaluation: Any) -> Iterator[Entry]:
    """The search with one evaluation, the textbook's searches, and whole games of training."""
    ctx = context.context_dtype(game, evaluation)
    for kernel in (
        *(context.write_root_moves, context.static_value, rules.refresh_line),
        *(rule(stub, ctx) for stub in (rules.declaration_value, rules.evaluate, rules.terminal_value)),
    ):
        yield Entry(kernel, (ctx,))
    yield Entry(context.replay_game, (ctx, Array(U32)))
    run = deepening.run_dtype(game)
    yield Entry(deepening.begin, (ctx, run))
    yield Entry(deepening.advance, (ctx, run))
    yield Entry(deepening.extend_line, (ctx, Array(U32), I64, I64, Array(U64)))
    if game.name == "othello":
        yield Entry(alphabeta.search_root, (ctx, I64, I64, I64, I64))
    nodes = Array(batch_kernels.node_dtype(game))
    yield Entry(batch_kernels.write_evaluations, (ctx, I64, I64, nodes, I64, Array(I32)))
    if evaluation is game.evaluation(""):
        yield from _of_lessons(game, ctx)
        yield Entry(searches.answer, (Array(ctx), Array(U32), I64, I64, I64, Array(U64), Array(I64), Array(U32, 2)))
        yield Entry(batch_kernels.play_random, (ctx, Array(U64), I64, Array(U32)))
    yield Entry(game_kernels.think, (ctx, I64))


def _of_lessons(game: Game, ctx: np.dtype) -> Iterator[Entry]:
    """The parts of the search that the textbook's tracer calls one by one."""
    yield Entry(searches.minimax, (ctx, I64, I64, Array(I64)))
    yield Entry(context.generate_searched_moves, (ctx, I64))
    for kernel in (context.make_move, context.unmake_move, rule(rules.capture_value, ctx)):
        yield Entry(kernel, (ctx, U32))
    yield Entry(rule(rules.score_moves, ctx), (ctx, I64, I64))
    yield Entry(rule(rules.see_ge, ctx), (ctx, U32, I64))
    for stub in (rules.is_legal, rules.is_quiet):
        yield Entry(rule(stub, game.position), (game.position, U32))
    yield Entry(rule(rules.is_in_check, game.position), (game.position,))
    yield Entry(rule(rules.key, game.position), (game.position,))


def _of_batches(name: str, game: Game) -> Iterator[Entry]:
    """Batches of positions, games in progress and PUCT."""
    node, live = Array(batch_kernels.node_dtype(game)), Array(puct_kernels.live_dtype(game))
    labels = Array(I32, 2), U32  # a layout's table and the mask of a move's code
    yield Entry(batch_kernels.list_nodes, (node, I64))
    yield Entry(batch_kernels.write_labels, (node, I64, *labels, Array(I32, 2), Array(I32)))
    for nodes in (node, live):
        yield Entry(batch_kernels.write_masks, (nodes, I64, *labels, Array(U8, 2)))
    for kernel in (batch_kernels.choose_labels, batch_kernels.label_chosen):
        yield Entry(kernel, (node, I64, *labels, Array(I32)))
    yield Entry(batch_kernels.make_chosen, (node, I64))
    yield Entry(batch_kernels.write_checks, (node, I64, Array(U8)))
    yield Entry(batch_kernels.write_results, (node, I64, Array(I8), Array(I32)))
    yield Entry(puct_kernels.begin_games, (live, Array(I64), live, I64))
    yield Entry(puct_kernels.list_games, (live,))
    yield Entry(puct_kernels.choose_moves, (live, *labels, Array(I32), Array(U32)))
    yield Entry(puct_kernels.make_moves, (live, Array(U32), I64, Array(I8), Array(I8), Array(U8)))
    yield Entry(puct_kernels.random_labels, (live, *labels, Array(U64), Array(I32)))
    trees = Array(puct_kernels.NODE, 2), Array(puct_kernels.EDGE, 2), Array(I32, 2)
    ways = Array(I32, 2), Array(I32), Array(I8), Array(F32)
    yield Entry(puct_kernels.descend, (live, I64, *trees, Array(U8), *ways, Array(F64)))
    yield Entry(puct_kernels.judge_ends, (live, Array(I8), Array(F32)))
    yield Entry(puct_kernels.backup, (live, I64, *trees, *ways, *labels, Array(F32, 2), Array(F64)))
    yield Entry(puct_kernels.list_roots, (live, Array(U8)))
    yield Entry(puct_kernels.write_visits, (live, I64, *trees, *labels, Array(I32, 2), Array(F32)))
    kernels = importlib.import_module(f"shogi_engine.games.{name}.batch_kernels")
    for nodes in (node, live):
        yield Entry(kernels.read_rows, (Array(U8, 2), I64, nodes, I64))
        yield Entry(kernels.write_rows, (nodes, I64, I64, Array(U8, 2)))
    yield Entry(kernels.read_texts, (Array(U8), Array(I64), node, I64, Array(U8)))
    yield Entry(kernels.write_texts, (node, I64, Array(U8)))
    for features in importlib.import_module(f"shogi_engine.games.{name}.batch").RULES.features.values():
        for nodes in (node, live):
            yield Entry(features.write, (nodes, I64, Array(features.dtype, 2)))


def _of_shogi(game: Game) -> Iterator[Entry]:
    """Shogi's rules that notations and messages need, mates, records and packed positions."""
    position, positions, undo = game.position, Array(game.position), Array(game.undo)
    yield Entry(movegen.complete_move, (position, I64))
    yield Entry(legality.position_faults, (position,))
    yield Entry(texts.source_halves, (position, I64, I64))
    yield Entry(texts.qualified_halves, (U64, U64, I64, I64, I64))
    yield Entry(texts.write_name, (position, U32, I64, I64, Array(U8), I64))
    for kernel in (legality.attackers_on_board, bitboard.is_pinned):
        yield Entry(kernel, (position, I64, I64))
    yield Entry(bitboard.attack_halves, (I64, I64, I64, U64, U64))
    for stub in (rules.do_null, rules.undo_null):
        yield Entry(rule(stub, position), (position, game.undo))
    yield Entry(shogi_position.rebuild, (position,))
    yield Entry(ordering.exchange_ge, (position, game.params, U32, I64))
    yield Entry(legality.declaration, (position, I64))
    yield Entry(legality.occurrence, (position, undo, I64, I64))
    yield Entry(nnue.shown_value, (context.context_dtype(game, nnue.EVALUATION),))
    yield Entry(nnue_file.decompress, (Array(U8), Array(I16), I64))
    yield Entry(movegen.generate_checks, (MATE_SEARCH, I64, MATE_SEARCH, game.undo))
    yield Entry(rule(rules.generate_moves, MATE_SEARCH), (MATE_SEARCH, I64))
    yield Entry(mate_search.solve, (MATE_SEARCH, mate_search.LINE, I64, I64))
    yield Entry(mate_table.clear_generation, (MATE_SEARCH,))
    yield Entry(rule(rules.usual_slots, position), (position,))
    yield Entry(packed_moves.apply_rows, (Array(U8, 2), I64, Array(I32), Array(U8), Array(U8, 2)))
    yield Entry(packed_moves.apply_legal, (Array(U8, 2), I64, Array(I32), position, Array(U8, 2)))
    places = positions, positions, undo, Array(U64), Array(I8, 2)
    table_of_games = Array(I32, 2), Array(I16, 2), Array(F32, 2), Array(I64, 2), Array(U8, 2), I64
    csa = Array(U8), I64, I64, bool, *places, *table_of_games
    yield Entry(csa_kernels.read_games, (*csa, Array(U64), Array(U64, 2), Array(I8, 2)))
    kif = Array(U16), I64, I64, bool, *places, *table_of_games
    yield Entry(kif_kernels.read_games, (*kif, Array(U64), Array(I64, 2)))
    line = positions, positions, positions, undo, undo, Array(I32), Array(I32, 2), Array(I32)
    yield Entry(csa_kernels.read_lines, (Array(U8), Array(I32), Array(I32), *line))
    yield Entry(batch_kernels.read_games, (Array(U8), I64, Array(I64), Array(I64, 2)))


def _of_othello(game: Game) -> Iterator[Entry]:
    """Othello's endgame solver, with the default evaluation."""
    ctx = context.context_dtype(game, game.evaluation(""))
    for kernel in (mobility, stable_discs, final_score):
        yield Entry(kernel, (U64, U64))
    yield Entry(flips, (U64, U64, I64))
    yield Entry(transform, (U64, I64))
    yield Entry(make_canonical, (game.position,))
    yield Entry(transform_position, (game.position, I64))
    yield Entry(deep_search.solve_deep, (ctx, U64, I64, I64, I64))
    yield Entry(search.ending_key, (U64, U64))
    yield Entry(search.probe_ending, (ctx, U64, I64))
    yield Entry(shallow_depth, (I64,))
    for kernel in (
        search.entry_selectivity,
        search.entry_square,
        search.lower_bound,
        search.upper_bound,
        tt.entry_move,
    ):
        yield Entry(kernel, (U64,))


def _of_training() -> Iterator[Entry]:
    """Training of networks."""
    numbers, rows = Array(F32), Array(F32, 2)
    yield Entry(adamw.take_step, (numbers, numbers, numbers, rows, I64, I64, I64, F32, F32, F32, F32, F32))
    # Shogi
    features, replay = Array(U16, 3), training.REPLAY
    shard = Array(I64), Array(U32), Array(I16), Array(I8), Array(U8), Array(U8), Array(I64), Array(U32)
    blocks = features, Array(I16), Array(I8), Array(I16)
    yield Entry(training.write_positions, (replay, Array(I64), I64, I64, *shard, *blocks))
    yield Entry(own_kernels.write_outputs, (numbers, I64, features, numbers, rows, numbers))
    yield Entry(own_kernels.add_gradients, (numbers, I64, features, numbers, Array(I32), numbers, rows, numbers))
    yield Entry(standard_kernels.write_outputs, (numbers, features, numbers, numbers, rows))
    scratch = numbers, rows, numbers, rows, numbers
    yield Entry(standard_kernels.add_gradients, (numbers, features, numbers, Array(I32), numbers, *scratch))
    for ctx in _contexts(games.load("shogi")):
        yield Entry(training.relabel, (ctx, Array(U64), Array(U32), Array(I16), I64, I64))
        yield Entry(training.write_ends, (ctx, Array(U32), Array(I16), Array(U8), Array(U32)))
    stacked = rows, numbers, numbers, numbers, numbers  # scratch
    yield Entry(sfnn_kernels.stack_of, (Array(U16, 2),))
    yield Entry(sfnn_kernels.write_outputs, (numbers, I64, F32, features, numbers, *stacked))
    gradients = numbers, Array(I32), numbers, *stacked, *[numbers] * 5
    yield Entry(sfnn_kernels.add_gradients, (numbers, I64, F32, features, *gradients))
    # Othello
    othello = games.load("othello")
    samples, accumulator = Array(othello_training.SAMPLE), othello.evaluation("patterns").accumulator
    replay, exact = othello_training.REPLAY, (I64, I64)
    yield Entry(othello_training.write_boards, (replay, Array(U32), Array(U64), Array(U64)))
    games_of = Array(U32), Array(I16), Array(I64)
    yield Entry(othello_training.write_samples, (replay, othello.position, *games_of, *exact, samples))
    yield Entry(othello_training.write_features, (samples, Array(I32), accumulator, Array(I32, 2)))
    weighted = Array(I32, 2), Array(I64), numbers
    yield Entry(othello_training.apply_weights, (*weighted, rows, numbers))
    yield Entry(othello_training.gather_errors, (*weighted, numbers, rows))
    for ctx in _contexts(othello):
        yield Entry(solve_all, (ctx, Array(U64), Array(U64), Array(I8)))
        yield Entry(othello_training.write_values, (ctx, samples, Array(I32)))
        yield Entry(alphabeta.search, (ctx, I64, I64, I64, I64, I64))
    yield Entry(othello_training.write_rows, (samples, Array(I32), accumulator, Array(U16, 2), Array(U8)))
    yield Entry(othello_training.write_outputs, (numbers, Array(U16, 2), Array(U8), numbers, numbers))
    yield Entry(
        othello_training.add_gradients,
        (numbers, Array(U16, 2), Array(U8), numbers, Array(I32), numbers, numbers, numbers),
    )
