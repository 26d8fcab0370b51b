"""The exact solver, against published scores and against a search that knows no trick."""

import functools
import json
import random
import threading

import numpy as np
import pytest

from shogi_engine.games.othello import GAME
from shogi_engine.games.othello.endgame.deep_search import DEEP
from shogi_engine.games.othello.endgame.search import NEAR_EMPTIES, SORTED_START, ending_key, last_flips
from shogi_engine.games.othello.endgame.solver import SELECTIVE_EMPTIES, Solver, after
from shogi_engine.games.othello.movegen import flips
from shogi_engine.games.othello.names import DISC
from shogi_engine.games.othello.notation import discs_of, format_move, format_obf, legal_moves, parse_obf
from shogi_engine.games.othello.types import MAX_MOVES
from shogi_engine.jit import JIT_DISABLED, cache_folder
from shogi_engine.search.context import context_dtype
from shogi_engine.search.timeman import Limits
from shogi_engine.search.tt import TranspositionTable
from shogi_engine.suites import check_endgame as check, read_endgame as read
from shogi_engine.types.limits import TimeBudget
from tests.support import processes
from tests.support.clock import within
from tests.support.othello_cases import random_game
from tests.support.processes import TESTS, needs_workshop
from tests.support.text_engine import TextEngine
from tests.support.twins.naive_othello import DIRECTIONS, State

ENDGAMES = TESTS / "data" / "othello_endgame.json"
SUITE = read(str(ENDGAMES))
# FFO 50, 26 empty squares: twenty seconds of a core, so that what is stopped or has little time cannot have the score.
LONG = parse_obf("----X-----XXX----OOOXOOO-OOOXOOO-OXOXOXO-OOXXOOO--OOXO----O--O-- X")
LONG_SCORE = 10
DOCUMENTED = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"  # FFO 1, 14 empty squares
RAYS = [
    [
        [
            8 * (rank + step * ranks) + file + step * files
            for step in range(1, 8)
            if 0 <= file + step * files < 8 and 0 <= rank + step * ranks < 8
        ]
        for files, ranks in DIRECTIONS
    ]
    for rank in range(8)
    for file in range(8)
]


def empties(position):
    return 64 - int(position.own | position.opponent).bit_count()


def score_of(position):
    """Return the final score of a finished game."""
    return State.from_text(format_obf(position)).score()


def test_the_sorted_moves_of_all_plies_fit_into_the_buffer():
    assert context_dtype(GAME, GAME.evaluation())["scores"].shape[0] >= SORTED_START + (64 + 1) * MAX_MOVES


def turned(own, opponent, square):
    """Return the discs that turn, found one by one."""
    found = 0
    for ray in RAYS[square]:
        run = 0
        for at in ray:
            if own >> at & 1:
                found |= run
                break
            if not opponent >> at & 1:
                break
            run |= 1 << at
    return found


@functools.cache
def naive_score(own, opponent):
    """Return the exact score by looking at every line to the end of the game."""
    best = None
    for square in range(64):
        if not (own | opponent) >> square & 1 and (discs := turned(own, opponent, square)):
            value = -naive_score(opponent ^ discs, own ^ discs ^ 1 << square)
            best = value if best is None else max(best, value)
    if best is not None:
        return best
    if any(turned(opponent, own, square) for square in range(64) if not (own | opponent) >> square & 1):
        return -naive_score(opponent, own)
    mine, theirs = own.bit_count(), opponent.bit_count()
    empty = 64 - mine - theirs
    return mine - theirs + (empty if mine > theirs else -empty if mine < theirs else 0)


def naive_best(position):
    """Return the moves that reach the exact score."""
    score = naive_score(int(position.own), int(position.opponent))
    children = ((move, after(position, move)) for move in legal_moves(position))
    return {move for move, child in children if -naive_score(int(child.own), int(child.opponent)) == score}


def late_positions(count, most, seed):
    """Return positions with 0 to `most` empty squares: from random games, and arranged at random.

    Of the arranged ones many have passes, few discs of a colour, or none, so that games end early.
    """
    rng = random.Random(seed)
    found = []
    while len(found) < count:
        if rng.random() < 0.5:
            line = [pos.copy() for pos, _ in random_game(rng)]
            found.append(rng.choice(line[-most:] if empties(line[-1]) < most else line[-1:]))
        else:
            share = rng.choice([0.02, 0.1, 0.3, 0.5])
            cells = ["O" if rng.random() < share else "X" for _ in range(64)]
            for square in rng.sample(range(64), rng.randrange(most + 1)):
                cells[square] = "-"
            found.append(parse_obf("".join(cells) + rng.choice("XO")))
    return [position for position in found if empties(position) <= most]


@pytest.fixture(scope="module")
def solver():
    return Solver(GAME, hash_mb=16)


def test_the_last_flips_are_those_of_the_flips_kernel():
    rng = random.Random(5)
    for _ in range(3000):
        square = rng.randrange(64)
        own = rng.getrandbits(64) & ~(1 << square)
        opponent = ~own & (1 << 64) - 1 & ~(1 << square)
        expected = int(flips(np.uint64(own), np.uint64(opponent), square)).bit_count()
        assert last_flips(np.uint64(own), np.uint64(square)) == expected == turned(own, opponent, square).bit_count()


def test_the_naive_score_is_that_of_the_rules():
    """The twin itself, against the rules on lists of characters, over games to their end."""
    for position in late_positions(30, 4, 1):
        state = State.from_text(format_obf(position))

        def value(state):
            moves = state.legal_moves()
            if not moves:
                return state.score()
            children = [state.copy() for _ in moves]
            for child, move in zip(children, moves, strict=True):
                child.push(move)
            return max(-value(child) for child in children)

        assert naive_score(int(position.own), int(position.opponent)) == value(state)


@pytest.mark.parametrize("most, count", [(5, 400), (8, 60)])
def test_scores_and_moves_are_those_of_a_full_search(solver, most, count):
    passes = over = wiped = 0
    for position in late_positions(count, most, most):
        solved = solver.solve(position, pv=True)
        score = naive_score(int(position.own), int(position.opponent))
        assert solved.exact and solved.score == solved.lower == solved.upper == score, format_obf(position)
        moves = legal_moves(position)
        if moves:
            assert solved.move in naive_best(position), format_obf(position)
            passes += len(moves) == 1 and format_move(position, moves[0]) == "pass"
        else:
            assert solved.move == 0
            over += 1
        end = position
        for move in solved.pv:
            assert move in naive_best(end)
            end = after(end, move)
        assert legal_moves(end) == []
        wiped += min(discs.bit_count() for discs in discs_of(end)) == 0
        outcome = solver.solve(position, wld=True)
        assert outcome.exact and outcome.score == (score > 0) - (score < 0)
        if moves:
            child = after(position, outcome.move)
            reached = -naive_score(int(child.own), int(child.opponent))
            assert (reached > 0) - (reached < 0) == outcome.score
    assert min(passes, over, wiped) >= count // 100, "passes, finished games and wipe-outs are to be among them"


def test_the_published_scores(solver):
    """FFO 1-19 and the public random positions of at most 14 empty squares."""
    suite = [ending for ending in SUITE if empties(ending.position) <= 14]
    assert len(suite) >= 40
    outcome = check(suite, solver)
    assert (outcome.passed, outcome.failures) == (len(suite), [])
    assert outcome.nodes == sum(row["nodes"] for row in outcome.results)


def test_the_table_changes_no_score():
    """What was proven before, a table of one cluster, and two threads: the same scores."""
    suite = [ending for ending in SUITE if 14 <= empties(ending.position) <= 15][:12]
    warm, tiny, two = Solver(GAME, hash_mb=4), Solver(GAME, hash_mb=1), Solver(GAME, hash_mb=4, threads=2)
    tiny.table.clusters = 1
    for ending in suite:
        for _ in range(2):
            solved = warm.solve(ending.position)
            assert (solved.score, solved.move in ending.best) == (ending.score, True)
        assert solved.nodes == 0
        solved = two.solve(ending.position)
        assert (solved.score, solved.move in ending.best) == (ending.score, True)
    for ending in suite[:3]:
        assert tiny.solve(ending.position).score == ending.score


def plant(table, position, selectivity, score):
    """Write an entry to the table's first place for `position`: its score is said to be `score`."""
    key = int(ending_key(position.own, position.opponent))
    data = selectivity << 16 | (score + 64) << 32 | (score + 64) << 40 | empties(position) << 48 | 3 << 56
    place = ((key >> 32) * table.clusters >> 32) * 8
    table.words[place : place + 2] = (key << 16) % 2**64 ^ data, data


def test_only_proofs_are_believed():
    """Entries of selective passes, here false ones of a position and all its children, prove nothing."""
    solver = Solver(GAME, hash_mb=4)
    for ending in [ending for ending in SUITE if DEEP < empties(ending.position) <= DEEP + 3][:6]:
        claimed = ending.score + (4 if ending.score < 0 else -4)
        for selectivity in (1, 2, 3, 0):
            solver.clear()
            plant(solver.table, ending.position, selectivity, claimed)
            for move in legal_moves(ending.position):
                plant(solver.table, after(ending.position, move), selectivity, -claimed)
            solved = solver.solve(ending.position)
            assert (solved.score, solved.exact) == (ending.score if selectivity else claimed, True)
            assert solved.move in ending.best or not selectivity


def test_selective_passes_change_no_score():
    endings = [ending for ending in SUITE if empties(ending.position) >= SELECTIVE_EMPTIES]
    solvers = Solver(GAME, hash_mb=16), Solver(GAME, hash_mb=4, threads=2)
    for ending in sorted(endings, key=lambda ending: empties(ending.position))[:2]:
        for solver in solvers:
            solved = solver.solve(ending.position)
            assert (solved.score, solved.exact, solved.move in ending.best) == (ending.score, True, True)
            solver.clear()
            outcome = solver.solve(ending.position, wld=True)
            assert (outcome.score, outcome.exact) == ((ending.score > 0) - (ending.score < 0), True)


@pytest.mark.parametrize("selectivity", [0, 1, 2, 3])
def test_an_attempt_goes_as_far_as_the_selectivity_allows(selectivity):
    """Selective passes are nearly right, and cheaper the more selective they are."""
    ending = next(ending for ending in SUITE if ending.id == "ffo-33")
    table = TranspositionTable(16)
    result = Solver(GAME, hash_mb=1).attempt(ending.position, Limits(), table, selectivity=selectivity)
    assert result.exact == (selectivity == 0) and result.depth == 20
    assert abs(result.score - DISC * ending.score) <= DISC * (0, 2, 4, 8)[selectivity]
    assert result.bestmove in (ending.best if selectivity == 0 else legal_moves(ending.position))
    if selectivity:
        surer = Solver(GAME, hash_mb=1).attempt(
            ending.position, Limits(), TranspositionTable(16), selectivity=selectivity - 1
        )
        assert surer.nodes > result.nodes


def test_an_attempt_in_time_keeps_what_the_last_pass_found():
    with TextEngine("othello", hash_mb=16) as engine:
        engine.set_position(format_obf(LONG))
        engine.warmup()
        for milliseconds in (1500, 6000, 24_000):  # on a busy machine a pass takes longer
            lines = []
            with within(milliseconds / 1000 + 1):
                found = engine.search(movetime=milliseconds, on_info=lines.append)
            if found.depth == 26:
                break
        assert found.depth == 26 and abs(found.value - DISC * LONG_SCORE) <= 8 * DISC
        assert found.bestmove in engine.legal_moves()
        assert len(lines) > 1 and lines[-1].pv == found.pv and not any(line.exact for line in lines)
        assert all(line.pv[0] in engine.legal_moves() and line.depth == found.depth for line in lines)
        nodes = [line.nodes for line in lines]
        assert nodes == sorted(nodes)


def test_an_attempt_needs_time_for_a_pass():
    solver, table = Solver(GAME, hash_mb=1), TranspositionTable(4)
    assert solver.attempt(LONG, Limits(budget=TimeBudget.exactly(20)), table) is None


def test_many_positions_at_once(solver):
    positions = late_positions(200, 7, 3)
    own, opponent = (np.array([pos[name] for pos in positions], np.uint64) for name in ("own", "opponent"))
    assert list(solver.scores(own, opponent)) == [naive_score(int(pos.own), int(pos.opponent)) for pos in positions]


def test_small_endings_leave_the_shared_table_alone():
    solver = Solver(GAME, hash_mb=1)
    positions = [position for position in late_positions(40, NEAR_EMPTIES, 4) if empties(position) >= NEAR_EMPTIES - 1]
    solver.scores(*(np.array([pos[name] for pos in positions], np.uint64) for name in ("own", "opponent")))
    tables = solver._histories[0].tables
    assert tables.near_table.any() and not solver.table.words.any()
    solver.solve(parse_obf(DOCUMENTED))
    assert solver.table.words.any()
    solver._histories[0].clear()
    assert not tables.near_table.any()


def test_a_stop_is_obeyed_and_tells_what_is_proven():
    for threads in (1, 2):
        solver = Solver(GAME, hash_mb=16, threads=threads)
        threading.Timer(0.3, solver.stop).start()
        with within(2.5 * threads):
            solved = solver.solve(LONG)
        assert not solved.exact and solved.lower <= LONG_SCORE <= solved.upper
        assert solved.move in legal_moves(LONG)
        assert not solver.solve(LONG, limit_ms=50).exact


def test_progress_goes_up_to_the_number_of_moves():
    ending = next(ending for ending in SUITE if ending.id == "ffo-26")
    calls = []
    Solver(GAME, hash_mb=16).solve(ending.position, progress=lambda done, whole: calls.append((done, whole)))
    assert calls[-1][0] == calls[-1][1] == len(legal_moves(ending.position))


@pytest.mark.slow
def test_all_published_scores():
    for threads in (1, 2):
        outcome = check(SUITE, Solver(GAME, threads=threads))
        assert (outcome.passed, outcome.failures) == (99, [])
        assert outcome.nodes < 300_000_000


def test_a_suite_is_checked_at_the_door(tmp_path):
    good = json.loads(ENDGAMES.read_text())["positions"][0]
    file = tmp_path / "suite.json"
    for wrong in ("", "[]", "{}", '{"positions": [{}]}', '{"positions": 3}', "\x00"):
        file.write_text(wrong)
        with pytest.raises(ValueError, match=r"not a suite of Othello endings"):
            read(str(file))
    for change in ({"board": good["board"][1:]}, {"side": "Z"}, {"best": ["a9"]}, {"score": "x"}):
        file.write_text(json.dumps({"positions": [good, good | change]}))
        with pytest.raises(ValueError, match=r"position 2: "):
            read(str(file))
    file.write_text(json.dumps({"positions": [good | {"score": good["score"] + 2}, good | {"best": good["best"]}]}))
    outcome = check(read(str(file)), Solver(GAME, hash_mb=1))
    assert (outcome.passed, outcome.failed, len(outcome.failures)) == (1, 1, 1)


WARM_THEN_SOLVE = (
    processes.REPORT
    + f"""
from shogi_engine.games.othello import GAME
from shogi_engine.games.othello.endgame.solver import Solver
from shogi_engine.games.othello.notation import parse_obf
solver = Solver(GAME, hash_mb=1)
solver.warmup()
report()
for _ in range(2):  # the second time by what the table knows
    report(score=solver.solve(parse_obf({DOCUMENTED!r}), pv=True).score)
"""
)


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
@needs_workshop
def test_after_the_warmup_nothing_is_left_to_compile():
    """Else the first ending of a game would wait for it, by the clock."""
    process = processes.start(WARM_THEN_SOLVE, processes.environment(cache_folder().parent))
    out, errors = process.communicate(timeout=300)
    warm, *solved = map(json.loads, out.splitlines())
    assert (process.returncode, errors) == (0, "") and [each["score"] for each in solved] == [18, 18]
    for each in solved:
        assert each["hits"] + each["misses"] == warm["hits"] + warm["misses"]


def test_a_solver_has_at_least_one_thread():
    with pytest.raises(ValueError, match="threads"):
        Solver(GAME, threads=0)


def test_the_engine_plays_endings_exactly():
    """Whole endings by the clock: the score stays what it is to the end of the game."""
    with TextEngine("othello", hash_mb=16) as engine:
        for ending in [ending for ending in SUITE if empties(ending.position) == 16][:3]:
            engine.set_position(format_obf(ending.position))
            lines = []
            score, plies = ending.score, 0
            while engine.legal_moves():
                found = engine.search(movetime=5000, on_info=lines.append)
                assert str(found.score) == f"discs {score}" and found.seconds < 4
                assert lines[-1].pv == found.pv
                engine.push(found.bestmove)
                score, plies = -score, plies + 1
            assert plies >= 16 and score_of(engine.position) == score


def test_an_announced_search_is_stopped_in_the_solver_too():
    with TextEngine("othello", hash_mb=16) as engine:
        engine.set_position(format_obf(LONG))
        engine.warmup()
        for wait in (0.0, 0.2):
            engine.prepare()
            if wait:
                threading.Timer(wait, engine.stop).start()
            else:
                engine.stop()
            with within(wait + 1.5):
                found = engine.search(movetime=100_000)
            assert found.bestmove in engine.legal_moves()
