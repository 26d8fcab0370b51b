"""Mates: the published problems, random positions against brute force, and the rules that make mates hard to judge."""

import json
import random
import threading
import time
from functools import cache

import numpy as np
import pytest

from shogi_engine.games.shogi.board import Board, Move
from shogi_engine.games.shogi.mate.solver import LENGTH_MAX, MateSolver, line_texts
from shogi_engine.games.shogi.sfen import format_sfen, parse_sfen
from shogi_engine.games.shogi.types import UNDO
from shogi_engine.interface.game import do_move
from shogi_engine.jit import JIT_DISABLED, new_record
from tests.support.clock import within
from tests.support.processes import TESTS
from tests.support.shogi_moves import legal_moves
from tests.support.twins.brute_mates import shortest_mate

DATA = TESTS / "data"
PROBLEMS = json.loads((DATA / "shogi_mate.json").read_text())["positions"]
START = parse_sfen("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1")
NODES = 200_000


@pytest.fixture(scope="module")
def solver():
    return MateSolver(64)


def after(position, move):
    pos = position.copy()
    do_move(pos, np.uint32(move), new_record(UNDO))
    return pos


def in_check(position):
    return bool(position.checkers.any())


def walk(rng, moves):
    """Return the positions of a game of random moves, checks among them preferred; it ends early at a mate."""
    line = [START]
    while len(line) <= moves:
        legal = legal_moves(line[-1])
        if not len(legal):
            break
        choices = (after(line[-1], move) for move in [rng.choice(legal) for _ in range(4)])
        first = next(choices)
        line.append(first if in_check(first) else next((each for each in choices if in_check(each)), first))
    return line


@cache
def middle_games(count, seed):
    """Return positions of random games, where they ended in mate one of the last with the winner to move.

    Who asks again is given the same records: no one changes them.
    """
    rng = random.Random(seed)
    found = []
    while len(found) < count:
        line = walk(rng, rng.randrange(30, 200))
        if len(legal_moves(line[-1])):
            found.append(line[-1])
        elif len(line) > 20:
            found.append(line[-2 * rng.randrange(1, 8)])
    return found


def replays(solver, position, length, deepest):
    """Check that the solver's mate of `position` holds against every defence, within `length` plies."""
    found = solver.solve(position, keep=True)
    assert found.result == "mate" and found.length <= length, deepest
    checked = after(position, found.moves[0])
    assert found.moves[0] in legal_moves(position) and in_check(checked)
    replies = legal_moves(checked)
    assert (len(replies) == 0) == (found.length == 1)
    for reply in replies:
        replays(solver, after(checked, reply), length - 2, [*deepest, int(reply)])


def compare(solver, positions):
    """Check the solver's answers on `positions`; return how many were mates, no mates, open."""
    counts = {"mate": 0, "nomate": 0, "timeout": 0}
    for position in positions:
        found = solver.solve(position, nodes=NODES, shortest=True)
        counts[found.result] += 1
        if found.result == "nomate":
            assert shortest_mate(position, 5) == 0
        elif found.result == "mate":
            if found.shortest:
                assert shortest_mate(position, min(found.length, 7)) == (found.length if found.length <= 7 else 0)
            else:
                assert shortest_mate(position, 5) in (0, found.length)
            solver.new_problem()
            first = solver.solve(position)
            replays(solver, position, first.length, [])
    return counts


@pytest.mark.skipif(JIT_DISABLED, reason="takes too long without JIT")
def test_random_positions_beside_brute_force(solver):
    counts = compare(solver, middle_games(100, 1))
    assert counts["mate"] > 5 and counts["nomate"] > 50


@pytest.mark.slow
@pytest.mark.skipif(JIT_DISABLED, reason="takes too long without JIT")
def test_2000_random_positions_beside_brute_force(solver):
    counts = compare(solver, middle_games(2000, 2))
    print(counts)
    assert counts["mate"] > 150 and counts["timeout"] < 40


def quick(problem):
    return 0 <= problem["mate"] <= 11


@pytest.mark.skipif(JIT_DISABLED, reason="takes too long without JIT")
@pytest.mark.parametrize(
    "problem",
    [pytest.param(each, id=each["sfen"][:12], marks=() if quick(each) else pytest.mark.slow) for each in PROBLEMS],
)
def test_published_problems(solver, problem):
    position = parse_sfen(problem["sfen"])
    before = position.tobytes()
    found = solver.solve(position, shortest=problem["mate"] > 0, max_ms=60_000)
    assert position.tobytes() == before
    assert found.result == ("nomate" if problem["mate"] == 0 else "mate")
    if problem["mate"] > 0:
        assert (found.length, found.shortest) == (problem["mate"], True)
    board = Board(problem["sfen"])
    for number, text in enumerate(line_texts(position, found.moves)):
        board.push_usi(text)
        assert board.is_check() == (number % 2 == 0)
    assert board.is_checkmate() == (found.result == "mate")


# ---- rules that make mates hard to judge -------------------------------------------------------------------------

CASES = [
    # A dropped pawn may not mate, a pushed one may.
    ("7nk/9/7G1/9/9/9/9/9/8K b P 1", 0),
    ("7nk/9/7GP/9/9/9/9/9/8K b - 1", 1),
    # Only the other king, or no own one: one is enough.
    ("7nk/9/7GP/9/9/9/9/9/9 b - 1", 1),
    ("9/9/9/9/9/9/7gp/9/7NK w - 1", 1),
    # The defender of the square is pinned.
    ("R2gkl3/9/4G4/9/9/9/9/9/4K4 b G 1", 1),
    # The attacker is in check and has to answer it with a check.
    ("6G1k/9/8P/9/9/9/9/9/r7K b G 1", 0),
    # Not promoting, so that the dropped pawn does not mate at once.
    ("5B1n1/8k/6Rpp/9/9/9/1+p7/9/K8 b rb4g4s3n4l15p 1", None),
    # Perpetual check is no mate.
    ("lnsg1gsnl/1r5b1/ppppppppp/4k4/9/5R3/PPPPPPPPP/1B7/LNSGKGSNL b - 1", 0),
    # Every square between rook and king can be filled: each costs two plies.
    ("k8/2S6/K8/8R/9/9/9/9/9 b r2b4g3s4n4l18p 1", None),
    ("9/9/9/9/9/9/9/9/K7k b - 1", 0),
]


@pytest.mark.parametrize("sfen, length", CASES)
def test_rules(solver, sfen, length):
    position = parse_sfen(sfen)
    found = solver.solve(position, shortest=True, nodes=1_000_000)
    if length is None:
        length = shortest_mate(position, 5)
        assert found.result == "mate" and (length == 0 and found.length > 5 or found.length == length)
    else:
        assert (found.result, found.length) == ("mate" if length else "nomate", length)
        assert length == shortest_mate(position, 5)


def test_nobody_to_mate(solver):
    with pytest.raises(ValueError, match="has no king"):
        solver.solve(parse_sfen("9/9/9/9/9/9/9/9/4K4 b G 1"))


@pytest.mark.skipif(JIT_DISABLED, reason="takes too long without JIT")
def test_conventional_length(solver):
    """The rook's check from afar can be delayed by eight useless interpositions or fewer; they do not count."""
    position = parse_sfen("k8/2S6/K8/8R/9/9/9/9/9 b r2b4g3s4n4l18p 1")
    whole, plain = solver.solve(position, shortest=True), solver.tsume(position)
    assert plain.result == "mate" and plain.length == 1 < whole.length
    near = parse_sfen("7nl/7pk/8p/6N2/9/9/9/9/9 b R 1")
    assert solver.tsume(near).length == solver.solve(near, shortest=True).length


@pytest.mark.skipif(JIT_DISABLED, reason="takes too long without JIT")
def test_all_solutions(solver):
    position = parse_sfen(PROBLEMS[6]["sfen"])
    found = solver.solve(position, shortest=True, every=True)
    firsts = {line[0] for line in found.solutions}
    assert len(firsts) == len(found.solutions) > 1 and found.moves == found.solutions[0]
    for check in solver.checks(position):
        mates = any(line[0] == check for line in found.solutions)
        pos = after(position, check)
        answered = all(shortest_mate(after(pos, reply), found.length - 2) > 0 for reply in legal_moves(pos))
        assert mates == answered


# ---- limits ------------------------------------------------------------------------------------------------------

HARD = "+R3sg1nl/4k4/pnpLg2p1/1p1pp3p/4g1L2/2P3PP1/PP1PPlS1P/3S3G1/2S5K b RB2N2Pbp 105"


@pytest.mark.skipif(JIT_DISABLED, reason="takes too long without JIT")
def test_a_small_table_gives_the_same_answers():
    small = MateSolver(1)
    for problem in PROBLEMS:
        if quick(problem) or problem["sfen"] == HARD:
            found = small.solve(parse_sfen(problem["sfen"]), max_ms=120_000)
            assert found.result == ("nomate" if problem["mate"] == 0 else "mate"), problem["sfen"]


@pytest.mark.skipif(JIT_DISABLED, reason="takes too long without JIT")
def test_limits_and_stop(solver):
    position = parse_sfen(HARD)
    assert solver.solve(position, nodes=1000).result == "timeout"
    with within(2):
        found = solver.solve(position, max_ms=100, shortest=True)
    assert found.result in ("mate", "timeout")
    solver.prepare()
    solver.stop()
    assert solver.solve(position).result == "timeout"
    for _ in range(5):
        solver.prepare()
        thread = threading.Thread(target=lambda: solver.solve(position, shortest=True))
        thread.start()
        time.sleep(0.1)
        with within(0.1):
            solver.stop()
            thread.join()
    assert solver.solve(position).result == "mate"


def test_memory_may_hold_anything():
    rng = np.random.default_rng(1)
    memory = rng.integers(0, 1 << 64, size=1 << 17, dtype=np.uint64)
    solver = MateSolver(memory=memory)
    for sfen, length in CASES:
        if length is not None:
            assert solver.solve(parse_sfen(sfen)).result == ("mate" if length else "nomate")
    with pytest.raises(ValueError, match="hash_mb must be at least 1, not"):
        MateSolver(0)


@pytest.mark.skipif(JIT_DISABLED, reason="takes too long without JIT")
def test_the_board_finds_mates():
    board = Board(PROBLEMS[0]["sfen"])
    found = board.find_mate()
    assert found and found.moves[0] == Move.from_usi("G*6b") and found.length == PROBLEMS[0]["mate"]
    assert board.find_mate().moves == found.moves and repr(found).startswith(
        f"<ForcedWin mate in {found.length}: G*6b "
    )
    none, hard = Board().find_mate(), Board(HARD).find_mate(max_ms=1)
    assert (bool(none), none.result, none.moves) == (False, "nomate", ()) and "no mate" in repr(none)
    assert (bool(hard), hard.result, hard.moves) == (False, "timeout", ()) and "nothing proven" in repr(hard)


# ---- long mates: the table loses parts of a proof ------------------------------------------------------------------

SAWS = {  # the bishop saws, and the nodes in which a mate is proven
    "7k1/5+Bp2/7Ss/9/9/9/1n7/P8/9 b 2rb4g2s3n4l16p 1": 10_000_000,
    "1k7/2p+B5/sS7/9/9/9/7n1/9/9 b 2rb4g2s3n4l17p 1": 32_000_000,
}


@pytest.mark.skipif(JIT_DISABLED, reason="needs the speed of compiled kernels")
@pytest.mark.parametrize("sfen", [list(SAWS)[0], pytest.param(list(SAWS)[1], marks=pytest.mark.slow)])
def test_asked_for_more_the_answer_is_never_worse_than_the_plain_one(solver, sfen):
    position, nodes = parse_sfen(sfen), SAWS[sfen]
    plain = solver.solve(position, nodes=nodes)
    assert plain and plain.shortest is None and mates(position, plain.moves)
    for found in (
        solver.solve(position, nodes=nodes, shortest=True),
        solver.solve(position, nodes=nodes, shortest=True, every=True),
        solver.tsume(position, nodes=nodes),
    ):
        assert found and found.length <= plain.length and mates(position, found.moves)


def test_a_proof_without_a_line_is_searched_again(monkeypatch):
    """The line of the first proof is not found, as when the table has lost too much of it."""
    position, lost = parse_sfen("9/3S2+R1l/P1p1R3p/2Pkpp3/1p2PPppP/9/1P1S1SPP1/L2B5/BN1GKG1NL b 2GS2NL3P 87"), []
    solver = MateSolver(8)
    wanted = solver.solve(position, every=True)
    follow = MateSolver._follow

    def forgets(self, *arguments):
        lost.append(follow(self, *arguments))
        return None if len(lost) % 2 else lost[-1]

    monkeypatch.setattr(MateSolver, "_follow", forgets)
    for words in ({}, {"shortest": True}, {"every": True}):
        found = solver.solve(position, **words)
        assert found.length <= wanted.length and mates(position, found.moves)
    assert {line[0] for line in found.solutions} == {line[0] for line in wanted.solutions}


def test_a_shorter_proof_whose_line_is_lost_leaves_the_line_that_there_is(monkeypatch):
    position, lines = parse_sfen("9/3S2+R1l/P1p1R3p/2Pkpp3/1p2PPppP/9/1P1S1SPP1/L2B5/BN1GKG1NL b 2GS2NL3P 87"), []
    solver, line = MateSolver(8), MateSolver._follow

    def first(self, *arguments):
        lines.append(line(self, *arguments))
        return lines[0] if len(lines) == 1 else None

    monkeypatch.setattr(MateSolver, "_follow", first)
    prove = MateSolver._prove
    monkeypatch.setattr(MateSolver, "_prove", lambda self, pos, limit: prove(self, pos, LENGTH_MAX))  # always a mate
    found = solver.solve(position, shortest=True)
    assert found.result == "mate" and found.shortest is False and list(found.moves) == lines[0] and len(lines) > 1


def mates(position, moves):
    """Tell whether a line is of checks and legal replies, and ends in mate."""
    board = Board(format_sfen(position))
    for ply, text in enumerate(line_texts(position, moves)):
        board.push_usi(text)
        if ply % 2 == 0 and not board.is_check():
            return False
    return board.is_checkmate()
