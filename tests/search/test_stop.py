"""Searches that are stopped at any moment: they always have a legal move, and they return at once."""

import random
import threading
import time

import pytest

from shogi_engine.search.root import Searcher
from shogi_engine.search.timeman import Limits
from tests.support.clock import within
from tests.support.games import game_of
from tests.support.searching import final_position, random_positions
from tests.support.sizes import sized

LONGEST = {"othello": 50, "shogi": 120}


class Stopper:
    """A thread that stops one search after another, each some time after it was announced."""

    def __init__(self, searcher):
        self.searcher, self.stopped_at = searcher, 0.0
        self._delay, self._wanted, self._done = 0.0, threading.Semaphore(0), threading.Semaphore(0)
        threading.Thread(target=self._run, daemon=True).start()

    def stop_after(self, seconds):
        self._delay = seconds
        self._wanted.release()

    def wait(self):
        """Wait until the stop was said; return when that was."""
        self._done.acquire()
        return self.stopped_at

    def _run(self):
        while True:
            self._wanted.acquire()
            time.sleep(self._delay)
            self.stopped_at = time.perf_counter()
            self.searcher.stop()
            self._done.release()


def stop_at_random(name, count, threads, longest_ms):
    """Stop `count` searches at random times; return the milliseconds from each stop to the search's return."""
    rng = random.Random(count)
    searcher = Searcher(game_of(name), hash_mb=4, threads=threads)
    searcher.warmup()
    stopper, waits, empty = Stopper(searcher), [], 0
    positions = list(random_positions(searcher.game, 50, 47, LONGEST[name]))
    for number in range(count):
        position = positions[number % len(positions)]
        if number % 20 == 0:
            searcher.new_game()
        searcher.prepare()
        stopper.stop_after(rng.choice((0, 0.0002, rng.random() * longest_ms / 1000)))
        limits = Limits(multipv=rng.choice((1, 1, 3)), depth=None if number % 3 else 40)
        result = searcher.search(position, (), limits)
        returned = time.perf_counter()
        waits.append(1000 * (returned - stopper.wait()))  # below 0 if the search had ended by itself
        assert result.bestmove == result.pv[0]
        final_position(searcher.game, position, result.pv)
        assert len({info.pv[0] for info in result.infos}) == len(result.infos)
        empty += result.depth == 0
    assert empty < count  # most had begun to search
    return sorted(waits)


def check(waits):
    """Compare with a bound that a busy machine keeps; print what was measured."""
    print(f"{len(waits)} stops: median {waits[len(waits) // 2]:.2f} ms, largest {waits[-1]:.2f} ms")
    assert waits[len(waits) // 2] < 20
    assert waits[int(0.98 * len(waits))] < 200


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", ["othello", "shogi"])
def test_searches_stopped_at_random_times(name, threads):
    check(stop_at_random(name, sized(40, 100), threads, 20))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "threads", "count"), [("othello", 1, 3000), ("shogi", 1, 5000), ("shogi", 2, 2000)])
def test_ten_thousand_searches_stopped_at_random_times(name, threads, count):
    check(stop_at_random(name, count, threads, 30))


def test_a_stop_before_the_search_began_holds_and_an_older_one_does_not():
    searcher = Searcher(game_of("shogi"), hash_mb=1)
    position = searcher.game.parse_position(searcher.game.start)
    searcher.warmup()
    searcher.prepare()
    searcher.stop()
    with within(1):
        result = searcher.search(position, ())
    assert result.bestmove in searcher.root_moves(position)
    assert searcher.search(position, (), Limits(depth=4)).depth == 4
    searcher.stop()  # there is no search to stop
    assert searcher.search(position, (), Limits(depth=4)).depth == 4
    searcher.stop()
    searcher.prepare()
    assert searcher.search(position, (), Limits(depth=4)).depth == 4


def test_a_stop_while_the_first_position_is_searched():
    """The listener stops the search at its first word: the move found so far is played."""
    searcher = Searcher(game_of("shogi"), hash_mb=1)
    position = searcher.game.parse_position(searcher.game.start)
    said = []

    def stop(info):
        said.append(info)
        searcher.stop()

    result = searcher.search(position, (), Limits(depth=50), stop)
    assert said[0].depth == 1
    assert result.nodes <= said[0].nodes + 600  # the word is looked for every 512 nodes
    final_position(searcher.game, position, result.pv)
