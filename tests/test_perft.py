"""perft itself, over tic-tac-toe, whose counts are known: arguments, threads, divide, failures."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import shogi_engine.perft
from shogi_engine.common.stop import StopToken
from shogi_engine.interface.game import Game, provides
from shogi_engine.jit import JIT_DISABLED, new_record, record_dtype
from shogi_engine.perft import MAX_DEPTH, PerftStopped, perft
from tests.support.clock import within
from tests.support.games.tictactoe import GAME
from tests.support.processes import environment, needs_workshop
from tests.support.twins import naive_tictactoe

START = GAME.parse_position(GAME.start)
# By depth: the lines of that many moves. Of the 255168 games 1440 end at move 5, 5328 at 6, 47952 at 7, 72576 at 8 and
# 127872 at 9, so that 54720 = (15120 - 1440) * 4, and so on.
COUNTS = [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872, 0, 0]


def naive_perft(text: str, depth: int) -> int:
    """Count the leaves by the naive twin."""
    if depth == 0:
        return 1
    stone = "XO"[text.count("X") - text.count("O")]
    moves = [int(move) - 1 for move in naive_tictactoe.legal_moves(text)]
    return sum(naive_perft(text[:move] + stone + text[move + 1 :], depth - 1) for move in moves)


@pytest.mark.parametrize("depth", range(6))
def test_counts_equal_the_naive_twins(depth):
    assert perft(GAME, START, depth).nodes == naive_perft(GAME.start, depth) == COUNTS[depth]


@pytest.mark.parametrize(
    "options", [{}, {"bulk": False}, {"threads": 2}, {"threads": 64}, {"free_pass": True}], ids=str
)
@pytest.mark.parametrize("depth", [6, 7, 8, 9, 10, 11])
def test_counts_are_the_known_ones(depth, options):
    if JIT_DISABLED and depth > 6:
        pytest.skip("a minute without JIT")
    assert perft(GAME, START, depth, **options).nodes == COUNTS[depth]


def test_divide_holds_each_root_move_and_adds_up():
    result = perft(GAME, START, 5)
    assert list(result.divide) == [str(square) for square in range(1, 10)]
    assert set(result.divide.values()) == {15120 // 9}
    assert sum(result.divide.values()) == result.nodes
    assert result.seconds > 0


def test_depth_zero_is_one_leaf_and_a_finished_game_has_none():
    assert (perft(GAME, START, 0).nodes, perft(GAME, START, 0).divide) == (1, {})
    over = GAME.parse_position("XXXOO----")
    assert (perft(GAME, over, 3).nodes, perft(GAME, over, 3).divide) == (0, {})


@pytest.mark.parametrize("depth", [-1, MAX_DEPTH + 1])
def test_a_depth_out_of_range_is_refused(depth):
    with pytest.raises(ValueError, match=f"depth {depth} is not between 0 and {MAX_DEPTH}"):
        perft(GAME, START, depth)


@pytest.mark.parametrize("threads", [0, -3])
def test_less_than_one_thread_is_refused(threads):
    with pytest.raises(ValueError, match="at least one thread"):
        perft(GAME, START, 2, threads=threads)


def test_the_position_is_left_alone():
    position = GAME.parse_position("X---O----")
    before = position.tobytes()
    perft(GAME, position, 4, threads=2)
    assert position.tobytes() == before


def test_progress_is_told_of_each_root_move():
    calls = []
    perft(GAME, START, 3, threads=2, progress=lambda done, all_moves: calls.append((done, all_moves)))
    assert calls == [(n, 9) for n in range(1, 10)]


@pytest.mark.parametrize("threads", [1, 3])
def test_a_failing_worker_raises_and_ends_the_others(threads):
    def fail(done, all_moves):
        if done == 2:
            raise OSError("no listener")

    with pytest.raises(OSError, match="no listener"):
        perft(GAME, START, 6, threads=threads, progress=fail)
    deadline = time.monotonic() + 10
    while any(thread.name.startswith("perft-") for thread in threading.enumerate()) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(thread.name.startswith("perft-") for thread in threading.enumerate())


def test_a_kernel_that_fails_raises(monkeypatch):
    def broken(*arguments):
        raise RuntimeError("a broken rule") if threading.current_thread().name.startswith("perft-") else None

    monkeypatch.setattr(shogi_engine.perft._Count, "_make_move", broken)
    with pytest.raises(RuntimeError, match="a broken rule"):
        perft(GAME, START, 3, threads=2)


# A game with passes that cost nothing: a counter that each move raises by one or, once in a row, leaves alone.
COUNTER = record_dtype([("count", np.int64), ("passed", np.int64)])
COUNTER_UNDO = record_dtype([("passed", np.int64)])


@provides(COUNTER)
def generate_moves(ctx, start):
    ctx.moves[start] = 1
    if ctx.pos.passed:
        return 1
    ctx.moves[start + 1] = 2
    return 2


@provides(COUNTER)
def do_move(pos, move, undo):
    undo.passed = pos.passed
    pos.passed = move == 2
    pos.count += move == 1


@provides(COUNTER)
def undo_move(pos, move, undo):
    pos.passed = undo.passed
    pos.count -= move == 1


@provides(COUNTER)
def move_cost(pos, move):
    return 1 if move == 1 else 0


def counter_game() -> Game:
    """Return the game of passes."""
    return Game(
        name="counter",
        position=COUNTER,
        undo=COUNTER_UNDO,
        max_moves=2,
        start="",
        parse_position=lambda text: new_record(COUNTER),
        format_position=lambda pos: "",
        parse_move=lambda pos, text: int(text),
        format_move=lambda pos, move: str(int(move)),
        params=COUNTER_UNDO,
        default_params=lambda: new_record(COUNTER_UNDO),
    )


@pytest.mark.parametrize("bulk", [True, False])
@pytest.mark.parametrize("depth", [1, 2, 5, 12])
def test_passes_take_a_ply_or_none(depth, bulk):
    """A pass follows each move or not: sequences without two passes in a row, or 2 ways a step when passes are free."""
    game = counter_game()
    start = new_record(COUNTER)
    fibonacci = [1, 2]
    while len(fibonacci) <= depth:
        fibonacci.append(sum(fibonacci[-2:]))
    assert perft(game, start, depth, bulk=bulk).nodes == fibonacci[depth]
    assert perft(game, start, depth, bulk=bulk, free_pass=True).nodes == 2**depth


@pytest.mark.parametrize("threads", [1, 2])
def test_a_count_of_any_depth_is_stopped_at_once(threads):
    game, stop = counter_game(), StopToken()
    perft(game, game.parse_position(""), 1, free_pass=True, bulk=False)  # compiled
    timer = threading.Timer(0.3, stop.stop)
    timer.start()
    began = time.monotonic()
    with within(1.5 * threads), pytest.raises(PerftStopped, match="stopped after 0 of 2 moves"):
        perft(game, game.parse_position(""), 60, free_pass=True, bulk=False, threads=threads, stop_token=stop)
    assert time.monotonic() - began > 0.2


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to a process of its own group")
@needs_workshop
def test_an_interrupt_ends_a_long_count(tmp_path):
    # A job that a shell starts in the background ignores interrupts, and its children inherit that.
    source = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from tests.test_perft import counter_game
from shogi_engine.perft import perft
game = counter_game()
perft(game, game.parse_position(""), 1, free_pass=True)
print("begun", flush=True)
perft(game, game.parse_position(""), 60, free_pass=True, bulk=False)
"""
    command = [sys.executable, "-P", "-c", source]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(tmp_path))
    try:
        assert process.stdout.readline() == b"begun\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert b"KeyboardInterrupt" in err
    finally:
        process.kill()
