"""Kernels called without numba's dispatcher."""

import threading

import pytest

from shogi_engine.jit import JIT_DISABLED, Entries, njit


@njit(brief=True)
def add_numbers(first, second):
    return first + second


class Number(int):
    """An int of a class of its own."""


@pytest.mark.parametrize("kernel", [add_numbers, njit(add_numbers.py_func) if not JIT_DISABLED else add_numbers])
def test_entries_take_ints_of_any_class(kernel):
    called = Entries(kernel)
    assert [called.add_numbers(2, 3), called.add_numbers(Number(-2), 1 << 40)] == [5, (1 << 40) - 2]


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
def test_entries_notice_what_is_no_int():
    with pytest.raises(ValueError, match="int"):
        Entries(add_numbers).add_numbers("a", 1)
    with pytest.raises(TypeError):
        Entries(add_numbers).add_numbers(1)


def test_threads_may_be_the_first_to_call():
    called, found = Entries(add_numbers), []
    threads = [threading.Thread(target=lambda: found.append(called.add_numbers(1, 2))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [3] * 4


def test_all_are_compiled_beforehand():
    called = Entries(add_numbers)
    called.warmup()
    assert called.add_numbers is (add_numbers if JIT_DISABLED else add_numbers.for_integers())
