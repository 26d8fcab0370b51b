"""Vector kernels against numpy: random numbers, the largest and smallest ones, any alignment, in place."""

import platform

import numba
import numpy as np
import pytest
from hypothesis import given, strategies as st

from shogi_engine import jit
from shogi_engine.jit import njit, vectors, workshop  # noqa: F401  (numba learns of the vectors)

# ---- kernels of the intrinsics, one for each ---------------------------------------------------------------------


@njit
def copy(out, first, count):
    vectors.copy_i16(out, first, count)


@njit
def add(out, first, added, count):
    vectors.add_i16(out, first, added, count)


@njit
def add_sub(out, first, added, removed, count):
    vectors.add_sub_i16(out, first, added, removed, count)


@njit
def add_add_sub_sub(out, first, added, added2, removed, removed2, count):
    vectors.add_add_sub_sub_i16(out, first, added, added2, removed, removed2, count)


@njit
def clip_i16_u8(out, values, high, count):
    vectors.clip_i16_u8(out, values, high, count)


@njit
def clip_i32_u8(out, values, shift, high, count):
    vectors.clip_i32_u8(out, values, shift, high, count)


@njit
def sum_rows(out, first, added, added_count, removed, removed_count, count):
    vectors.sum_rows_i16(out, first, added, added_count, removed, removed_count, count)


@njit
def screlu_dot_i16(values, weights, high, shift, count):
    return vectors.screlu_dot_i16(values, weights, high, shift, count)


ROWS = {copy: "", add: "+", add_sub: "+-", add_add_sub_sub: "++--"}


# ---- data --------------------------------------------------------------------------------------------------------


def address(array):
    return np.uint64(array.ctypes.data)


def numbers(rng, dtype, shape, extreme):
    """Return random numbers of the whole range of `dtype`, or only its largest and smallest."""
    limits = np.iinfo(dtype)
    if extreme:
        return rng.choice(np.array([limits.min, limits.max], dtype), shape)
    return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def shifted(array, by):
    """Return a copy that begins `by` elements beyond an aligned address."""
    memory = vectors.aligned_zeros(array.size + by, array.dtype)[by:]
    memory[:] = array.ravel()
    return memory.reshape(array.shape)


draws = given(
    seed=st.integers(0, 2**32 - 1),
    count=st.sampled_from([32, 64, 256, 512]),
    extreme=st.booleans(),
    shift=st.sampled_from([0, 0, 1, 7]),
)


@draws
def test_rows(seed, count, extreme, shift):
    rng = np.random.default_rng(seed)
    for kernel, signs in ROWS.items():
        first, *rows = (shifted(numbers(rng, np.int16, count, extreme), shift) for _ in range(1 + len(signs)))
        wide = first.astype(np.int64)
        for sign, row in zip(signs, rows, strict=True):
            wide += row.astype(np.int64) * (1 if sign == "+" else -1)
        expected = ((wide + 32768) % 65536 - 32768).astype(np.int16)
        out = vectors.aligned_zeros(count + 1, np.int16)
        kernel(address(out), address(first), *map(address, rows), count)
        assert (out[:count] == expected).all() and out[count] == 0
        kernel(address(first), address(first), *map(address, rows), count)  # in place
        assert (first == expected).all()


@draws
def test_clipped_activations(seed, count, extreme, shift):
    rng = np.random.default_rng(seed)
    high, bits = int(rng.integers(1, 256)), int(rng.integers(0, 32))
    out = vectors.aligned_zeros(count + 1, np.uint8)
    values = shifted(numbers(rng, np.int16, count, extreme), shift)
    clip_i16_u8(address(out), address(values), high, count)
    assert (out[:count] == values.clip(0, high)).all() and out[count] == 0
    wide = shifted(numbers(rng, np.int32, count, extreme), shift)
    clip_i32_u8(address(out), address(wide), bits, high, count)
    assert (out[:count] == (wide >> bits).clip(0, high)).all() and out[count] == 0


@draws
def test_many_rows(seed, count, extreme, shift):
    rng, count = np.random.default_rng(seed), count + 64
    first, *rows = (shifted(numbers(rng, np.int16, count, extreme), shift) for _ in range(1 + int(rng.integers(0, 9))))
    cut = int(rng.integers(0, len(rows) + 1))
    wide = first.astype(np.int64) + sum(row.astype(np.int64) for row in rows[:cut])
    wide -= sum(row.astype(np.int64) for row in rows[cut:])
    places = np.array([address(row) for row in rows] + [0], dtype=np.uint64)
    out = vectors.aligned_zeros(count + 1, np.int16)
    for target in (out, first):  # the second time in place
        sum_rows(address(target), address(first), address(places), cut, address(places[cut:]), len(rows) - cut, count)
        assert (target[:count] == ((wide + 32768) % 65536 - 32768).astype(np.int16)).all() and out[count] == 0


@draws
def test_squared_activations(seed, count, extreme, shift):
    rng = np.random.default_rng(seed)
    up = int(rng.integers(0, 8))
    high, count = int(rng.integers(1, 1 + (32767 >> up))), count * int(rng.integers(1, 5))
    most = vectors.SQUARE_WEIGHT_LIMIT
    values = shifted(numbers(rng, np.int16, count, extreme), shift)
    weights = rng.choice([-most, most], count) if extreme else rng.integers(-most, most + 1, count)
    weights = shifted(weights.astype(np.int16), shift)
    scaled = values.astype(np.int64).clip(0, high) << up
    expected = int(((scaled * scaled >> 16) * weights).sum())
    assert screlu_dot_i16(address(values), address(weights), high, up, count) == expected


def test_sums_at_their_largest():
    values, weights = vectors.aligned_zeros(4096, np.int16), vectors.aligned_zeros(4096, np.int16)
    values[:] = 32767
    for weight in (-vectors.SQUARE_WEIGHT_LIMIT, vectors.SQUARE_WEIGHT_LIMIT):
        weights[:] = weight
        assert screlu_dot_i16(address(values), address(weights), 32767, 0, 4096) == 16383 * weight * 4096


def test_aligned_memory():
    for shape, dtype in ((7, np.int8), ((3, 5), np.int16), ((0,), np.int32)):
        array = vectors.aligned_zeros(shape, dtype)
        assert array.ctypes.data % vectors.ALIGNMENT == 0 and not array.any() and array.dtype == dtype
    copied = vectors.aligned_copy(np.arange(6, dtype=np.int32).reshape(2, 3)[:, ::-1])
    assert copied.ctypes.data % vectors.ALIGNMENT == 0 and copied.tolist() == [[2, 1, 0], [5, 4, 3]]
    for given_address, expected in ((0, 0), (1, 64), (64, 64), (65, 128), (2**63 + 5, 2**63 + 64)):
        assert int(vectors.align_up(np.uint64(given_address))) == expected


@pytest.mark.skipif(jit.JIT_DISABLED, reason="with JIT off nothing is compiled")
@pytest.mark.skipif(platform.machine().lower() not in ("x86_64", "amd64"), reason="not an x86-64 machine")
def test_products_are_those_of_vectors():
    """LLVM has to recognise pairs of int16: else a network takes twice the time."""
    kernel = eval("lambda a, b: vectors.screlu_dot_i16(a, b, 1023, 5, 512)", {"vectors": vectors})
    compiled = numba.njit([(numba.uint64,) * 2], no_cfunc_wrapper=True)(kernel)
    (assembly,) = compiled.inspect_asm().values()
    assert "pmaddwd" in assembly or "pdpwssd" in assembly
    assert "pmulld" not in assembly and "pmuludq" not in assembly
