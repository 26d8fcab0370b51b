"""Several best moves, what is left of a search that was stopped, and promotions that no one declines."""

import json
from dataclasses import replace
from itertools import groupby, pairwise

import pytest

from shogi_engine.interface.game import VALUE_MATE, VALUE_MATE_IN_MAX
from shogi_engine.jit import new_record
from shogi_engine.search import deepening, root
from shogi_engine.search.timeman import Limits
from tests.search.test_root import fresh
from tests.support.games import game_of
from tests.support.processes import TESTS
from tests.support.searching import final_position, random_positions
from tests.support.sizes import sized

DATA = TESTS / "data"
COUNT = 5


def shogi_positions(count):
    """Return positions with two moves at least."""
    game, searcher = game_of("shogi"), fresh("shogi")
    texts = [row["sfen"] for row in json.loads((DATA / "shogi_perft.json").read_text())["positions"]]
    positions = [game.parse_position(text) for text in texts]
    return [position for position in positions if len(searcher.root_moves(position)) > 1][:count]


def depths_of(infos):
    """Return the lists of what was reported together, in order: of each depth those of one iteration."""
    sets = [list(group) for _, group in groupby(infos, key=lambda info: info.depth)]
    assert [each[0].depth for each in sets] == sorted({each[0].depth for each in sets})
    return sets


def check_lines(searcher, position, lines, count):
    """Check that lines are those of `count` moves: exact, sorted, numbered, distinct, legal."""
    assert [info.multipv for info in lines] == list(range(1, count + 1))
    assert not any(info.bound for info in lines)
    assert all(above.score >= below.score for above, below in pairwise(lines))
    assert len({info.pv[0] for info in lines}) == count
    for info in lines:
        final_position(searcher.game, position, info.pv)


def differences_from_a_single_line(positions, depth):
    """Search for COUNT moves, check each depth's lines; return how far the best values are from a single line's."""
    searcher, differences = fresh("shogi"), []
    for position in positions:
        seen = []
        searcher.new_game()
        result = searcher.search(position, (), Limits(depth=depth, multipv=COUNT), seen.append)
        count = min(COUNT, len(searcher.root_moves(position)))
        sets = depths_of(seen)
        assert [lines[0].depth for lines in sets] == list(range(1, result.depth + 1))
        for lines in sets:
            check_lines(searcher, position, lines, count)
        check_lines(searcher, position, result.infos, count)
        searcher.new_game()
        single = searcher.search(position, (), Limits(depth=result.depth))
        differences.append(abs(single.score - result.score))
    return sorted(differences)


def test_at_each_depth_the_lines_are_sorted_and_distinct_and_the_first_is_the_best_move():
    differences = differences_from_a_single_line(shogi_positions(40), 6)
    assert differences[len(differences) // 2] < 100


@pytest.mark.slow
def test_fifty_positions_to_depth_12():
    positions = shogi_positions(50)
    assert len(positions) == 50
    differences = differences_from_a_single_line(positions, 12)
    assert differences[25] < 60


def test_an_exact_search_gives_every_move_its_exact_value():
    """Othello with few empty squares left: the last iteration reaches the end without selectivity."""
    searcher = fresh("othello", game_of("othello").search_flags)
    game, checked = searcher.game, 0
    for position in random_positions(game, 200, 29, 54):
        legal = searcher.root_moves(position)
        if not 3 <= len(legal) <= 8 or game.plies_left(position) > 9:
            continue
        searcher.new_game()
        result = searcher.search(position, (), Limits(multipv=3))
        alone = {}
        for move in legal:
            searcher.new_game()
            alone[move] = searcher.search(position, (), Limits(searchmoves=(move,))).score
        assert result.exact and all(info.exact for info in result.infos)
        check_lines(searcher, position, result.infos, 3)
        assert [info.score for info in result.infos] == sorted(alone.values(), reverse=True)[:3]
        assert [alone[info.pv[0]] for info in result.infos] == [info.score for info in result.infos]
        searcher.new_game()
        assert searcher.search(position, (), Limits()).score == result.score
        checked += 1
    assert checked > 2


# ---- stopped -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("multipv", [1, 4])
@pytest.mark.parametrize("name", ["othello", "shogi"])
def test_a_search_that_is_stopped_has_the_lines_of_its_last_finished_depth(name, multipv):
    searcher, changed = fresh(name), 0
    for number, position in enumerate(random_positions(searcher.game, 600, 31, 40)):
        if number >= sized(30, 60) and (changed or multipv > 1 or name == "othello"):
            break
        seen = []
        searcher.new_game()
        result = searcher.search(position, (), Limits(nodes=300 + 777 * (number % 60), multipv=multipv), seen.append)
        exact = [info for info in seen if not info.bound]
        if not exact:
            continue
        lines = result.infos
        assert len(lines) == min(multipv, len(searcher.root_moves(position)))
        finished = depths_of(exact)[-1][-len(lines) :]  # a depth that reaches the end of the game is searched twice
        assert {(info.nodes, info.seconds) for info in lines} == {(result.nodes, result.seconds)}
        if multipv > 1:
            check_lines(searcher, position, lines, len(finished))
            assert {info.depth for info in lines} == {finished[0].depth}
            assert [info.score for info in lines] == [info.score for info in finished]
            assert all(line.pv[: len(info.pv)] == info.pv for line, info in zip(lines, finished, strict=True))
        else:  # a single line is the last one seen, if only with a bound
            last = seen[-1]
            if last.score <= -VALUE_MATE_IN_MAX:
                last = finished[-1]  # other moves have not been searched
            if not lines[0].bound or lines[0].depth > root.BOUNDS_AFTER:  # others are not reported
                assert (last.depth, last.score, last.bound) == (lines[0].depth, lines[0].score, lines[0].bound)
                assert lines[0].pv[: len(last.pv)] == last.pv
            assert lines[0].depth >= finished[0].depth
            changed += lines[0].pv[0] != finished[0].pv[0]
    assert changed or multipv > 1 or name == "othello"


@pytest.mark.parametrize(
    ("score", "bound", "believed"),
    [(-20, "", True), (40, "lower", True), (-VALUE_MATE + 4, "", False), (-VALUE_MATE + 4, "upper", True)],
)
def test_a_loss_is_believed_only_if_all_moves_have_been_searched(score, bound, believed):
    """The last value of an iteration that was stopped; an upper bound is that of a whole search."""
    run = new_record(deepening.run_dtype(game_of("shogi")))
    run.multipv, bounds = 1, {"": 0, "lower": 1, "upper": -1}
    run.complete[0].depth, run.complete[0].score = 5, 10
    run.running[0].depth, run.running[0].score, run.running[0].bound = 6, score, bounds[bound]
    assert deepening.choose_lines(run) == 1
    assert (run.complete[0].depth, run.complete[0].score) == ((6, score) if believed else (5, 10))


def test_each_line_keeps_its_own_values_and_principal_variation(monkeypatch):
    """What is known of a root move goes with it when the lines are sorted, and each line follows its own variation."""
    searcher, known, lines, looked, moved = fresh("shogi"), {}, [], 0, 0
    advance, kept = root.advance, ("root_averages", "root_squares", "root_nodes")

    def watched(ctx, run):
        nonlocal looked, moved
        moves = ctx.root_moves[: ctx.root_count].tolist()
        values = list(zip(*(getattr(ctx, name).tolist() for name in kept), strict=True))
        if known:
            assert dict(zip(moves, values, strict=False)) == known
        line, opens = int(run.line), not run.open
        found = advance(ctx, run)
        if opens and line < len(lines):
            looked += 1
            assert tuple(ctx.last_pv[: ctx.last_pv_end].tolist()) == lines[line].pv
        after = list(zip(*(getattr(ctx, name).tolist() for name in kept), strict=True))
        known.clear()
        known.update(zip(ctx.root_moves[: ctx.root_count].tolist(), after, strict=False))
        moved += ctx.root_moves[: ctx.root_count].tolist() != moves
        return found

    def note(info):
        if info.multipv == 1:
            lines.clear()
        lines.append(info)

    monkeypatch.setattr(root, "advance", watched)
    for position in shogi_positions(4):
        searcher.new_game()
        known.clear()
        lines.clear()
        searcher.search(position, (), Limits(depth=8, multipv=4), note)
    assert looked > 50 and moved > 10


# ---- promotions --------------------------------------------------------------------------------------------------


# Where bishops may be exchanged, with promotion or without it: the bishop is taken back at once.
EXCHANGES = (
    "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B3K1R1/LNSG1GSNL w - 4",
    "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3",
    "lnsg1gsnl/5krb1/pppppp1pp/6p2/2P6/8P/PP1PPPPP1/1B3S1R1/LNSGKG1NL w - 8",
    "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/1PP6/P2PPPPPP/1B3S1R1/LNSGKG1NL b - 7",
    "lnsgkgsnl/1r5b1/pppppp1pp/9/6p2/2P6/PP1PPPPPP/1B2G2R1/LNS1KGSNL b - 5",
    "lnsgkgsnl/1r5b1/1ppppp1pp/p5p2/9/2P1P4/PP1P1PPPP/1B5R1/LNSGKGSNL b - 5",
)


@pytest.mark.parametrize("limits", [Limits(depth=3), Limits(nodes=320), Limits(nodes=4000)])
def test_a_bishop_that_is_taken_back_promotes(limits):
    """To decline is as good there, and looks odd; it is played where `searchmoves` asks for it."""
    game, searcher = game_of("shogi"), fresh("shogi")
    searcher.set_evaluation("material")
    exchanged = 0
    for text in EXCHANGES:
        position = game.parse_position(text)
        searcher.new_game()
        result = searcher.search(position, (), limits)
        move = game.format_move(position, result.bestmove)
        assert move not in ("2b8h", "8h2b")
        exchanged += move in ("2b8h+", "8h2b+")
        final_position(game, position, result.pv)
        declined = game.parse_move(position, "2b8h" if " w " in text else "8h2b")
        assert searcher.search(position, (), replace(limits, searchmoves=(declined,))).bestmove == declined
    assert exchanged
