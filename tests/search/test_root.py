"""The search from the root: limits, MultiPV, mates, passes, repetition, and positions with one move or none."""

import functools
import json
import math
import time
from dataclasses import replace

import numpy as np
import pytest

from shogi_engine.interface.game import VALUE_MATE, VALUE_MATE_IN_MAX
from shogi_engine.search.context import ALL_FLAGS, EXACT, new_context
from shogi_engine.search.root import MAX_DEPTH, Searcher, Timer
from shogi_engine.search.timeman import Limits
from shogi_engine.types.limits import TimeBudget
from tests.support.clock import within
from tests.support.games import game_of
from tests.support.processes import TESTS
from tests.support.searching import answer, final_position, random_positions, searched_moves

NAMES = ("tictactoe", "othello4", "othello", "shogi")
LONGEST = {"tictactoe": 4, "othello4": 6, "othello": 40, "shogi": 80}
MATES = json.loads((TESTS / "data" / "shogi_short_mates.json").read_text())["positions"]
every_game = pytest.mark.parametrize("name", NAMES)


@functools.cache
def searcher_of(name, threads=1):
    return Searcher(game_of(name), hash_mb=8, threads=threads)


def fresh(name, flags=ALL_FLAGS, threads=1):
    """Return a searcher that has learned nothing yet."""
    searcher = searcher_of(name, threads)
    searcher.search_flags = flags
    searcher.new_game()
    return searcher


def played(name, moves, text=""):
    """Return the position `text` (or the start) and the encoded `moves` made from it."""
    game = game_of(name)
    root = game.parse_position(text or game.start)
    pos, encoded = root, []
    for move in moves.split():
        encoded.append(game.parse_move(pos, move))
        pos = final_position(game, root, encoded)
    return root, encoded


# ---- limits ------------------------------------------------------------------------------------------------------


@every_game
@pytest.mark.parametrize("depth", [1, 2, 5])
def test_a_depth_limit_is_the_last_depth(name, depth):
    searcher, seen = fresh(name), []
    position = searcher.game.parse_position(searcher.game.start)
    result = searcher.search(position, (), Limits(depth=depth), seen.append)
    assert [info.depth for info in seen if not info.bound] == list(range(1, depth + 1))
    assert result.depth == depth
    pv = result.infos[0].pv[: len(seen[-1].pv)]  # the table may extend the line
    last = replace(result.infos[0], pv=pv, seconds=seen[-1].seconds)
    assert (last,) == (seen[-1],) and len(result.infos) == 1
    assert all(first.nodes < second.nodes for first, second in zip(seen, seen[1:], strict=False))


@every_game
def test_a_node_limit_is_kept(name):
    """A node of each ply of the line may be entered once or twice more on the way back, and left at once."""
    for nodes in (1, 2, 100, 3000):
        searcher = fresh(name)
        for position in random_positions(searcher.game, 5, 3, LONGEST[name]):
            result = searcher.search(position, (), Limits(nodes=nodes))
            assert result.nodes <= nodes + 64
            assert result.nodes >= nodes or result.depth == MAX_DEPTH or abs(result.score) >= VALUE_MATE_IN_MAX
            assert result.bestmove in searcher.root_moves(position)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", ["othello", "shogi"])
def test_a_hard_limit_ends_the_search_in_time(name, threads):
    searcher = fresh(name, threads=threads)
    searcher.warmup()  # may compile kernels
    position = searcher.game.parse_position(searcher.game.start)
    plies_left = searcher.game.plies_left
    for hard_ms in (1, 20, 100):
        began = time.perf_counter()
        with within(threads * (hard_ms + 300) / 1000):
            result = searcher.search(position, (), Limits(budget=TimeBudget.exactly(hard_ms)))
        used = 1000 * (time.perf_counter() - began)
        # Counting discs alone, a search of Othello's start may reach the end of the game within 100 ms.
        assert hard_ms <= used or plies_left and result.depth == plies_left(position)
        assert result.bestmove in searcher.root_moves(position)


def test_after_the_soft_limit_no_iteration_begins():
    searcher, depths = fresh("shogi"), []

    def wait(info):
        depths.append(info.depth)
        if info.depth == 3:
            time.sleep(0.4)

    position = searcher.game.parse_position(searcher.game.start)
    result = searcher.search(position, (), Limits(budget=TimeBudget(400, math.inf)), wait)
    assert result.depth == 3 == max(depths)


def test_time_limits_can_be_given_to_a_running_search():
    searcher = fresh("shogi")
    searcher.warmup()
    position = searcher.game.parse_position(searcher.game.start)
    began = time.perf_counter()
    with within(1.0):
        searcher.search(
            position, (), Limits(), lambda info: info.depth == 4 and searcher.extend(TimeBudget.exactly(50))
        )
    assert time.perf_counter() - began >= 0.05


ONE_EVASION = "lnsgkgsnl/9/ppppppppp/9/9/9/9/4r4/3NKN3 b - 1"  # the king can only take the rook; no mate is near
LOOSE_ROOK = "4k4/9/9/9/4r4/4P4/9/9/4K4 b 2G2g 1"  # there for the taking


def seconds(text, **limits):
    """Return how long the search of a position takes, its CPU time, and its result."""
    searcher = fresh("shogi")
    position = searcher.game.parse_position(text)
    began, used = time.perf_counter(), time.process_time()
    result = searcher.search(position, (), Limits(**limits))
    return time.perf_counter() - began, time.process_time() - used, result


def test_a_single_legal_move_is_played_early():
    assert len(fresh("shogi").root_moves(game_of("shogi").parse_position(ONE_EVASION))) == 1
    _, used, result = seconds(ONE_EVASION, budget=TimeBudget(1500, 3000))
    assert used < 1.0 and result.depth >= 1
    assert seconds(ONE_EVASION, budget=TimeBudget(1500, 3000, 1200))[0] >= 1.2


def test_equal_limits_are_used_up_even_by_a_single_move():
    for text in (ONE_EVASION, LOOSE_ROOK):
        taken, _, result = seconds(text, budget=TimeBudget(400, 400))
        assert taken >= 0.4 or result.depth == MAX_DEPTH


def test_an_easy_move_takes_less(monkeypatch):
    """Half the time once it is clear. The depth is fixed, so that the load of the machine does not matter."""
    factors = []

    def asked(timer, factor=1.0, may_continue=Timer.may_continue):
        factors.append(factor)
        return may_continue(timer, factor)

    monkeypatch.setattr(Timer, "may_continue", asked)
    _, _, result = seconds(LOOSE_ROOK, depth=12, budget=TimeBudget(1_000_000, 1_500_000))
    assert game_of("shogi").format_move(game_of("shogi").parse_position(LOOSE_ROOK), result.bestmove) == "5f5e"
    assert result.depth == 12 == len(factors) + 1  # nothing is asked after the last depth
    assert factors[0] > 1 and factors[-1] < 0.5


@every_game
def test_the_nodes_of_the_root_moves_are_all_nodes(name):
    searcher = fresh(name)
    for limits in (Limits(depth=4), Limits(depth=3, multipv=3)):
        result = searcher.search(*played(name, ""), limits)
        ctx = searcher._contexts[0]
        assert ctx.root_nodes[: ctx.root_count].sum() == result.nodes > 0


def test_a_doubtful_move_takes_longer_but_never_past_the_hard_limit():
    limits = Limits(budget=TimeBudget(100_000, 150_000))
    timer = Timer(time.perf_counter() - 120, limits, lambda: None)
    assert not timer.may_continue() and timer.may_continue(2.5) and not timer.may_continue(1.1)
    timer.close()
    timer = Timer(time.perf_counter() - 160, limits, lambda: None)
    assert not timer.may_continue(2.5)
    timer.close()
    for budget in (TimeBudget(100_000, math.inf), TimeBudget.exactly(100_000)):  # nothing to stretch
        timer = Timer(time.perf_counter() - 50, Limits(budget=budget), lambda: None)
        assert timer.may_continue(0.1)
        timer.close()


@every_game
def test_only_the_moves_to_search_are_searched(name):
    searcher = fresh(name)
    position = searcher.game.parse_position(searcher.game.start)
    legal = searcher.root_moves(position)
    for chosen in (legal[-1:], legal[1:3]):
        result = searcher.search(position, (), Limits(depth=4, searchmoves=tuple(chosen), multipv=5))
        assert {info.pv[0] for info in result.infos} == set(chosen)
    twice = searcher.search(position, (), Limits(depth=4, searchmoves=(legal[0], legal[0]), multipv=5))
    assert [info.pv[0] for info in twice.infos] == legal[:1]
    assert searcher.search(position, (), Limits(depth=1)).bestmove in legal  # it can be used again


@every_game
def test_rules_may_be_asked_during_a_search(name):
    game = fresh(name).game
    position, limits, lines = game.parse_position(game.start), Limits(depth=5), []
    alone = fresh(name).search(position, (), limits)
    searcher = fresh(name)

    def ask(info):
        searcher.root_moves(position)
        lines.append(searcher.extended(position, info.pv, info.depth))

    result = searcher.search(position, (), limits, ask)
    assert (result.nodes, result.pv) == (alone.nodes, alone.pv)
    assert lines[-1][: len(result.infos[0].pv)] == result.pv[: len(lines[-1])]


# ---- MultiPV -----------------------------------------------------------------------------------------------------


@every_game
def test_multipv_gives_the_best_moves_and_their_values(name):
    """Without its shortcuts the search knows each line's value exactly: that of the move searched alone."""
    searcher, depth = fresh(name, 0), 2 if name == "shogi" else 4
    ctx = new_context(searcher.game)
    for position in random_positions(searcher.game, 6, 11, LONGEST[name]):
        ctx.pos = position
        moves = searched_moves(ctx) & set(searcher.root_moves(position))
        alone = {m: searcher.search(position, (), Limits(depth=depth, searchmoves=(m,))).score for m in moves}
        for count in (1, 3, len(moves) + 2):
            result = searcher.search(position, (), Limits(depth=depth, multipv=count))
            assert [info.multipv for info in result.infos] == list(range(1, min(count, len(moves)) + 1))
            scores = [info.score for info in result.infos]
            assert scores == sorted(alone.values(), reverse=True)[: len(scores)]
            assert [alone[info.pv[0]] for info in result.infos] == scores
            assert len({info.pv[0] for info in result.infos}) == len(scores)
            assert result.bestmove == result.infos[0].pv[0] and result.score == scores[0]


@pytest.mark.parametrize("name", ["othello", "shogi"])
def test_multipv_lines_are_distinct_and_sorted_wherever_the_search_is_stopped(name):
    searcher = fresh(name)
    for number, position in enumerate(random_positions(searcher.game, 30, 13, LONGEST[name])):
        result = searcher.search(position, (), Limits(nodes=200 + 977 * number, multipv=4))
        firsts = [info.pv[0] for info in result.infos]
        assert len(set(firsts)) == len(firsts)
        assert set(firsts) <= set(searcher.root_moves(position))
        scores = [info.score for info in result.infos]
        assert scores == sorted(scores, reverse=True) and {info.depth for info in result.infos} == {result.depth}
        for info in result.infos:
            final_position(searcher.game, position, info.pv)


def test_the_best_of_several_lines_is_as_good_as_the_only_one():
    """In openings; now and then a value depends on what happened to be pruned, as more is with one line only."""
    searcher = fresh("shogi")
    differences = []
    for position in random_positions(searcher.game, 20, 17, 16):
        searcher.new_game()
        several = searcher.search(position, (), Limits(depth=6, multipv=4))
        scores = [info.score for info in several.infos]
        assert scores == sorted(scores, reverse=True)
        searcher.new_game()
        differences.append(abs(searcher.search(position, (), Limits(depth=6)).score - scores[0]))
    assert sorted(differences)[17] < 300 and sorted(differences)[10] < 100


# ---- mates -------------------------------------------------------------------------------------------------------


def mate_cases():
    """Yield the mates for one thread and for two; the longer ones for two are slow."""
    for number, row in enumerate(MATES):
        for threads in (1, 2):
            marks = [pytest.mark.slow] if threads * row["mate"] > 6 else []
            yield pytest.param(row, threads, marks=marks, id=f"{number}-mate{row['mate']}-threads{threads}")


@pytest.mark.parametrize(("row", "threads"), list(mate_cases()))
def test_mates_are_found_with_their_length(row, threads):
    """From the position, and from those after each two plies of its line, down to a mate in one."""
    game = game_of("shogi")
    root, line = played("shogi", row["pv"], row["sfen"])
    for made in range(0, row["mate"], 2):
        searcher, plies = fresh("shogi", threads=threads), row["mate"] - made
        position = final_position(game, root, line[:made])
        result = searcher.search(position, (), Limits(depth=24, mate=plies))
        assert VALUE_MATE - plies <= result.score <= VALUE_MATE - 1
        final = final_position(game, position, result.pv)
        if made + 1 == row["mate"]:
            assert result.score == VALUE_MATE - 1 and len(result.pv) == 1
            assert searcher.root_moves(final) == []


def test_a_mated_side_counts_the_plies_to_its_end():
    game = game_of("shogi")
    root, line = played("shogi", MATES[0]["pv"], MATES[0]["sfen"])
    result = fresh("shogi").search(final_position(game, root, line[:1]), (), Limits(depth=8))
    assert result.score == -VALUE_MATE + 2


def test_the_exact_search_proves_the_shortest_mate():
    """No mate in one is claimed where there is none, and the mate in three is found with four plies."""
    root, _ = played("shogi", "", MATES[1]["sfen"])
    searcher = fresh("shogi", EXACT)
    assert abs(searcher.search(root, (), Limits(depth=2)).score) < VALUE_MATE_IN_MAX
    result = searcher.search(root, (), Limits(depth=4))
    assert result.score == VALUE_MATE - 3 and len(result.pv) == 3


def test_a_mate_limit_ends_the_search_at_such_a_mate_only():
    root, _ = played("shogi", "", MATES[4]["sfen"])
    found = fresh("shogi").search(root, (), Limits(depth=30, mate=5))
    assert found.score == VALUE_MATE - 5 and found.depth < 30
    start = game_of("shogi").parse_position(game_of("shogi").start)
    assert fresh("shogi").search(start, (), Limits(depth=4, mate=5)).depth == 4


# ---- the rules at the root ---------------------------------------------------------------------------------------


@every_game
def test_a_position_with_one_move(name):
    searcher = fresh(name)
    texts = {
        "tictactoe": "XOXXOOOX-",
        "othello4": "OOOOXXXO-XOO--OO X",
        "othello": "-XXXXXXX" + "XXXXXXXX" * 6 + "XXXXXXO- X",
        "shogi": "8k/9/7G1/9/9/9/9/9/4K4 w - 1",
    }
    position = searcher.game.parse_position(texts[name])
    legal = searcher.root_moves(position)
    assert len(legal) == 1
    result = searcher.search(position, (), Limits(depth=3, multipv=3))
    assert (result.bestmove, len(result.infos)) == (legal[0], 1)


@every_game
def test_a_position_without_a_move_has_its_final_value(name):
    searcher = fresh(name)
    finals = {
        "tictactoe": [("XOXXOOOXX", 0), ("XXXOO----", -VALUE_MATE)],
        "othello4": [("OOOXOOOOOOOOX--X X", -100), ("O" * 16 + " O", 160), ("X" * 8 + "O" * 8 + " X", 0)],
        "othello": [("X" * 40 + "O" * 24 + " X", 1600), ("-" * 63 + "O X", -6400)],
        "shogi": [("4k4/4G4/4G4/9/9/9/9/9/4K4 w - 1", -VALUE_MATE)],
    }
    for text, value in finals[name]:
        result = searcher.search(searcher.game.parse_position(text), (), Limits(depth=3))
        assert (result.bestmove, result.ponder, result.pv, result.nodes) == (0, 0, (), 0)
        assert result.score == value
        with_moves = searcher.game.parse_position(searcher.game.start)
        assert searcher.search(with_moves, (), Limits(depth=1)).bestmove  # it can be used again


# Rook handicaps, white to move; a game in which the kings go to and fro until black can bring the first position about
# for the fourth time. That is a draw: bad for black where white gave the rook, good where black gave it.
SHUFFLE = "5a5b 5i5h 5b5a 5h5i " * 2 + "5a5b 5i5h 5b5a"
WHITE_GAVE = "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
BLACK_GAVE = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B7/LNSGKGSNL w - 1"


@pytest.mark.parametrize("depth", [1, 3, 6])
def test_a_draw_by_repetition_of_the_game_is_known_at_the_root(depth):
    game = game_of("shogi")
    for text in (WHITE_GAVE, BLACK_GAVE):
        root, moves = played("shogi", SHUFFLE, text)
        position = final_position(game, root, moves)
        repeat = game.parse_move(position, "5h5i")
        searcher = fresh("shogi")
        assert searcher.search(root, moves, Limits(depth=depth, searchmoves=(repeat,))).score == 0
        without_history = fresh("shogi").search(position, (), Limits(depth=depth, searchmoves=(repeat,))).score
        result = searcher.search(root, moves, Limits(depth=depth))
        if text == WHITE_GAVE:
            assert result.bestmove != repeat and result.score > 200 and without_history > 200
        else:
            assert result.bestmove == repeat and result.score == 0 and without_history < -200


@pytest.mark.parametrize("flags", [0, ALL_FLAGS])
def test_a_pass_costs_no_depth(flags):
    """A position in which one side has to pass has the value of the one after it at the same depth."""
    game, found = game_of("othello4"), 0
    for position in random_positions(game, 200, 19, 11):
        moves = fresh("othello4").root_moves(position)
        if game.format_move(position, moves[0]) != "pass":
            continue
        after = final_position(game, position, moves)
        for depth in (1, 2, 3):
            before = fresh("othello4", flags).search(position, (), Limits(depth=depth))
            if flags == 0:
                assert before.score == -fresh("othello4", flags).search(after, (), Limits(depth=depth)).score
            assert before.depth == depth and len(before.pv) >= 2
        found += 1
    assert found > 3


@every_game
def test_what_was_learned_can_be_forgotten(name):
    searcher = fresh(name)
    for position in random_positions(searcher.game, 3, 23, LONGEST[name]):
        searcher.new_game()
        first = searcher.search(position, (), Limits(nodes=5000))
        searcher.search(position, (), Limits(nodes=777))
        searcher.new_game()
        assert answer(searcher.search(position, (), Limits(nodes=5000))) == answer(first)


def test_a_long_game_before_the_root():
    """More moves than the context holds: the last ones count."""
    root, cycle = played("shogi", "5a5b 5i5h 5b5a 5h5i", WHITE_GAVE)
    searcher = fresh("shogi")
    moves = cycle * 300 + cycle[:3]
    result = searcher.search(root, moves, Limits(depth=3))
    assert result.bestmove in searcher.root_moves(root, moves)
    repeat = searcher.search(root, moves, Limits(depth=3, searchmoves=(cycle[3],)))
    assert repeat.score == 0
    assert np.array_equal(searcher._contexts[0].pos, final_position(searcher.game, root, moves))
