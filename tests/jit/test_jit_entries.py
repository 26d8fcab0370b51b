"""Kernels called without numba's dispatcher."""

import threading

import pytest

from shogi_engine.jit import JIT_DISABLED, Entries, entries, njit


@njit(brief=True)
def add_numbers(first, second):
    return first + second


@njit
def always_seven(first):
    return 7


class Number(int):
    """An int of a class of its own."""


@pytest.mark.parametrize("kernel", [add_numbers, njit(add_numbers.py_func) if not JIT_DISABLED else add_numbers])
def test_entries_take_ints_of_any_class(kernel):
    called = Entries([kernel], [])
    assert [called.add_numbers(2, 3), called.add_numbers(Number(-2), 1 << 40)] == [5, (1 << 40) - 2]


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
def test_entries_notice_what_is_no_int():
    with pytest.raises(ValueError, match="int"):
        Entries([add_numbers], []).add_numbers("a", 1)
    with pytest.raises(TypeError):
        Entries([add_numbers], []).add_numbers(1)


def test_a_patient_kernel_is_compiled_when_it_is_worth_it(monkeypatch):
    monkeypatch.setattr(entries, "is_saved", lambda kernel: False)
    called = Entries([], [always_seven])
    results = [called.always_seven(0) for _ in range(entries.PATIENCE + 2)]
    worth = 0 if JIT_DISABLED else 7
    assert results == [0] * entries.PATIENCE + [worth, worth]
    ready = Entries([], [always_seven])
    ready.warmup()
    assert ready.always_seven(0) == 7


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
def test_a_patient_kernel_in_the_cache_is_used_at_once(monkeypatch, tmp_path):
    monkeypatch.setattr(entries, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(entries, "is_saved", lambda kernel: True)
    assert Entries([], [always_seven]).always_seven(0) == 7


def test_threads_may_be_the_first_to_call():
    called, found = Entries([add_numbers], []), []
    threads = [threading.Thread(target=lambda: found.append(called.add_numbers(1, 2))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [3] * 4
