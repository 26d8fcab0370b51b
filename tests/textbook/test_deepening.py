"""The search between the textbook's and the engine's: minimax's values, what each part adds, and what it plays."""

import json

import numpy as np
import pytest

from shogi_engine import games
from shogi_engine.interface.game import MAX_PLY, VALUE_INFINITE, VALUE_MATE, do_move
from shogi_engine.jit import new_record
from shogi_engine.play.game import Game
from shogi_engine.play.players import play
from shogi_engine.search.context import USE_REPETITION, USE_TT, new_context, set_root, write_root_moves
from shogi_engine.search.tt import TranspositionTable
from shogi_engine.textbook.player import TextbookPlayer, parse_player
from shogi_engine.textbook.searches import ALL_PARTS, ORDERED, PLAIN, deepen, minimax, negascout, quiescence, search
from tests.support.processes import TESTS, needs_workshop
from tests.support.searching import place, random_positions

MATES = json.loads((TESTS / "data/shogi_short_mates.json").read_text(encoding="utf-8"))["positions"]
SEEN, KILLERS = (MAX_PLY + 2,), (MAX_PLY + 2, 2)  # shapes


def value_of(ctx, depth, killers=None):
    killers = np.zeros(KILLERS, np.uint32) if killers is None else killers
    visits = np.zeros(SEEN, np.int64)
    value = int(search(ctx, -VALUE_INFINITE, VALUE_INFINITE, depth, 0, visits, killers))
    return value, int(visits.sum())


@pytest.fixture(scope="module")
def shogi():
    """Return a context of Shogi with a table, and a function that puts a position into it."""
    game, table = games.load("shogi"), TranspositionTable(4)
    ctx = new_context(game)

    def at(text, flags=ALL_PARTS):
        table.clear()
        place(ctx, game.parse_position(text), PLAIN | flags, table)
        return ctx

    return at


@needs_workshop
@pytest.mark.parametrize(("name", "depth", "longest", "count"), [("othello", 4, 50, 30), ("shogi", 2, 120, 60)])
def test_without_extensions_the_value_is_that_of_minimax(name, depth, longest, count):
    game = games.load(name)
    ctx, table, killers = new_context(game), TranspositionTable(1), np.zeros(KILLERS, np.uint32)
    fewer = 0
    for position in random_positions(game, count, 2026, longest):
        table.clear()
        for plies in range(1, depth + 1):  # table and killers are those of before: they change no value
            place(ctx, position)
            visits = np.zeros(SEEN, np.int64)
            wanted = int(minimax(ctx, plies, 0, visits))
            assert value_of(ctx, plies, killers)[0] == wanted
            place(ctx, position, USE_TT, table)
            value, nodes = value_of(ctx, plies, killers)
            assert value == wanted, (game.format_position(position), plies)
            fewer += nodes < visits.sum()
            assert ctx.pos.tobytes() == position.tobytes() and not ctx.repetition_filter.any()
    assert fewer and killers.any()


@needs_workshop
def test_table_and_killers_save_nodes():
    """On 20 positions of Othello, all depths up to 5 together take fewer nodes than ordered NegaScout at depth 5."""
    game, table = games.load("othello"), TranspositionTable(4)
    ctx, with_both, without = new_context(game), 0, 0
    for position in random_positions(game, 20, 5, 40):
        table.clear()
        killers = np.zeros(KILLERS, np.uint32)
        place(ctx, position, PLAIN | USE_TT, table)
        with_both += sum(value_of(ctx, plies, killers)[1] for plies in range(1, 6))
        place(ctx, position, PLAIN | ORDERED)
        visits = np.zeros(SEEN, np.int64)
        negascout(ctx, -VALUE_INFINITE, VALUE_INFINITE, 5, 0, visits)
        without += int(visits.sum())
    assert with_both < without


@needs_workshop
@pytest.mark.parametrize("problem", [each for each in MATES if each["mate"] <= 3], ids=lambda each: each["sfen"])
def test_mates_are_found(problem, shogi):
    plies = problem["mate"]
    value, _ = value_of(shogi(problem["sfen"]), plies)
    assert value == VALUE_MATE - plies
    ctx = shogi(problem["sfen"])
    move = deepen(ctx, write_root_moves(ctx), plies, np.zeros(SEEN, np.int64), np.zeros(KILLERS, np.uint32))
    do_move(ctx.pos, move, new_record(games.load("shogi").undo))
    place(ctx, ctx.pos.copy(), PLAIN | ALL_PARTS)
    assert value_of(ctx, plies - 1)[0] == -VALUE_MATE + plies - 1


def test_quiescence_sees_the_recapture(shogi):
    """The rook can take a pawn that a gold guards: plain counting wants it, quiescence does not."""
    sfen = "4k4/4g4/4p4/9/4R4/9/9/9/4K4 b - 1"
    game = games.load("shogi")
    chosen = {}
    for flags in (0, ALL_PARTS):
        ctx = shogi(sfen, flags)
        move = deepen(ctx, write_root_moves(ctx), 1, np.zeros(SEEN, np.int64), np.zeros(KILLERS, np.uint32))
        chosen[flags] = game.format_move(ctx.pos, int(move))
    assert chosen[0] in ("5e5c", "5e5c+") and chosen[ALL_PARTS] not in ("5e5c", "5e5c+")


def test_quiescence_stands_pat_but_not_in_check(shogi):
    visits = np.zeros(SEEN, np.int64)
    quiet = shogi("4k4/9/9/9/9/9/9/9/4K4 b G 1")
    assert quiescence(quiet, -VALUE_INFINITE, VALUE_INFINITE, 0, visits) > 0 and visits.sum() == 1
    mated = shogi("4k4/4G4/4P4/9/9/9/9/9/4K4 w R 1")
    assert quiescence(mated, -VALUE_INFINITE, VALUE_INFINITE, 0, visits) == -VALUE_MATE


def test_a_repetition_is_seen_only_if_asked_for(shogi):
    """Black is a rook down, and can reach a position for the fourth time."""
    game, start = games.load("shogi"), "4k1r2/9/9/9/9/9/9/9/5K3 w - 1"
    position, undo, moves, values = game.parse_position(start), new_record(game.undo), [], []
    for text in (["5a4a", "4i5i", "4a5a", "5i4i"] * 3)[:-1]:
        moves.append(game.parse_move(position, text))
        do_move(position, np.uint32(moves[-1]), undo)
    for flags in (0, USE_REPETITION):
        ctx = shogi(start, flags)
        set_root(ctx, game.parse_position(start), moves)
        values.append(value_of(ctx, 1)[0])
    assert values[0] < values[1] == 0


def test_it_plays_and_depends_on_the_seed_alone():
    sides = tuple(TextbookPlayer("othello", parse_player(text)) for text in ("deepening:3", "alphabeta:1"))
    played = [play(Game.begin("othello"), sides, seed).game.moves for seed in ("a", "a", "b")]
    assert played[0] == played[1] != played[2]
