"""Layers of bytes against numpy: every instruction this CPU has for them, all sizes, the largest numbers."""

import numba
import numpy as np
import pytest
from hypothesis import given, strategies as st
from llvmlite import binding as llvm, ir

from shogi_engine.jit import njit, vectors
from shogi_engine.jit.workshop import vectors as code
from shogi_engine.jit.workshop.emitting import target_has

MINE = [name for name, dot in code.DOT_PRODUCTS.items() if all(map(target_has, dot.needs))]


def address(array):
    return np.uint64(array.ctypes.data)


@njit
def pair_products(out, values, count):
    vectors.pair_products(out, values, count)


@njit
def squares_and_clipped(out, sums, count):
    vectors.squares_and_clipped(out, sums, count)


def kernels(taken, name):
    """Return kernels of the intrinsics of a layer: dense, sparse, the list of blocks, and a dot product."""
    names = {
        "dense": vectors.layer_of(taken, name),
        "sparse": vectors.sparse_layer_of(taken, name),
        "listed": vectors.nonzero_blocks_of(taken),
        "dot": vectors.dot_of(name),
    }
    parameters = ("a, b, c, d, e, f", "a, b, c, d, e, f, g, h", "a, b, c", "a, b, c")
    made = zip(names, parameters, strict=True)
    return [numba.njit(eval(f"lambda {taking}: {each}({taking})", dict(names))) for each, taking in made]


@pytest.mark.parametrize("taken", [vectors.inputs_in_block(8), vectors.inputs_in_block(16)])
@pytest.mark.parametrize("name", MINE)
def test_layers(taken, name):
    dense, sparse, listing, dot = kernels(taken, name)

    @given(
        seed=st.integers(0, 2**32 - 1),
        outputs=st.sampled_from([8] if taken == vectors.inputs_in_block(8) else [9, 16, 32, 48, 64, 128]),
        inputs=st.sampled_from([7, 8, 30, 32, 64, 128, 1024, 1536]),
        zeros=st.sampled_from([0.0, 0.5, 0.95, 1.0]),
        extreme=st.booleans(),
    )
    def check(seed, outputs, inputs, zeros, extreme):
        rng = np.random.default_rng(seed)
        weights = rng.choice([-128, 127], (outputs, inputs)) if extreme else rng.integers(-128, 128, (outputs, inputs))
        values = rng.choice([0, 127], inputs) if extreme else rng.integers(0, 128, inputs)
        values = values * (rng.random(inputs) >= zeros)
        bias = rng.integers(-(2**30), 2**30, outputs, np.int32)
        arranged_bias, arranged = vectors.arrange_layer(bias, weights.astype(np.int8))
        groups, blocks = arranged.shape[0], arranged.shape[1] - 1
        memory = rng.integers(0, 128, (blocks + 1) * taken).astype(np.uint8)  # what is behind the inputs has no weight
        memory[:inputs] = values
        out = np.zeros(groups * 64 // taken + 1, dtype=np.int32)
        places = [address(each) for each in (out, memory, arranged, arranged_bias)]
        dense(*places, blocks, groups)
        assert (out[:outputs] == bias + weights @ values).all() and out[-1] == 0
        if blocks % vectors.STEP == 0:
            listed = np.zeros(blocks + 2 * vectors.STEP, dtype=np.uint16)
            count = int(listing(address(listed), address(memory), blocks))
            used = np.flatnonzero(memory[: blocks * taken].reshape(-1, taken).any(axis=1))
            assert listed[: len(used)].tolist() == used.tolist()
            assert count % vectors.UNROLL == 0 and (listed[len(used) : count] == blocks).all()
            out[:] = 0
            sparse(*places, blocks, groups, address(listed), count)
            assert (out[:outputs] == bias + weights @ values).all() and out[-1] == 0
        if inputs % vectors.ALIGNMENT == 0:
            row = weights[0].astype(np.int8)
            assert int(dot(address(memory), address(row), inputs)) == int(weights[0] @ values)

    check()


@given(seed=st.integers(0, 2**32 - 1), count=st.sampled_from([32, 96, 768]))
def test_pair_products(seed, count):
    rng = np.random.default_rng(seed)
    values = rng.integers(-32768, 32768, 2 * count).astype(np.int16) >> rng.integers(0, 9, 2 * count).astype(np.int16)
    out = np.zeros(count + 1, dtype=np.uint8)
    pair_products(address(out), address(values), count)
    low, high = values.astype(np.int64).clip(0, 254).reshape(2, -1)
    assert (out[:count] == low * high // 512).all() and out[count] == 0 and out.max() <= 126


@given(seed=st.integers(0, 2**32 - 1), count=st.sampled_from([7, 15, 16, 31]))
def test_squares_and_clipped(seed, count):
    rng = np.random.default_rng(seed)
    sums = rng.integers(-(2**31), 2**31, 32, dtype=np.int64) >> rng.integers(0, 24, 32)
    sums[: count // 4] = rng.choice([-(2**31), 2**31 - 1, 8191, 8192, -8192, 0], count // 4)
    stored, out = sums.astype(np.int32), np.zeros(80, dtype=np.uint8)
    squares_and_clipped(address(out), address(stored), count)
    assert (out[:count] == (sums * sums // 2**19).clip(0, 127)[:count]).all()
    assert (out[count : 2 * count] == (sums // 64).clip(0, 127)[:count]).all()


# For each CPU, what its product of a block is, and what it must not need.
INSTRUCTIONS = {
    "vnni": ("x86_64-unknown-linux-gnu", "x86-64-v4", "+avx512vnni", "vpdpbusd"),
    "avx-vnni": ("x86_64-unknown-linux-gnu", "x86-64-v3", "+avxvnni", "vpdpbusd"),
    "avx2": ("x86_64-unknown-linux-gnu", "x86-64-v3", "", "vpmaddubsw"),
    "neon": ("aarch64-unknown-linux-gnu", "apple-m1", "", "sdot"),
    "any": ("x86_64-unknown-linux-gnu", "x86-64", "", "pmull"),
}


@pytest.mark.parametrize("name", code.DOT_PRODUCTS)
def test_each_product_is_that_instruction(name):
    """Compiled for CPUs that this one may not be."""
    triple, cpu, features, instruction = INSTRUCTIONS[name]
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module, sums, whole = ir.Module(), ir.VectorType(code.I32, 16), ir.VectorType(code.I8, 64)
    function = ir.Function(
        module, ir.FunctionType(ir.VoidType(), [each.as_pointer() for each in (sums, whole, whole)]), "f"
    )
    builder = ir.IRBuilder(function.append_basic_block())
    total, values, weights = (builder.load(argument) for argument in function.args)
    builder.store(code.DOT_PRODUCTS[name].emit(builder, total, values, weights), function.args[0])
    builder.ret_void()
    parsed = llvm.parse_assembly(str(module))
    machine = llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, features=features, opt=3)
    assembly = machine.emit_assembly(parsed)
    assert instruction in assembly and "call" not in assembly and "\tbl\t" not in assembly
