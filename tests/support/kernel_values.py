"""Print, as JSON, what kernels answer to many arguments, so that runs with and without JIT can be compared."""

import json
import random
from typing import Any

import numpy as np

from shogi_engine.interface.game import count_moves, finished_leaves, generate_captures, key, move_cost
from shogi_engine.jit import bswap, clz, ctz, load_u64, njit, popcount, prefetch, store_u64
from shogi_engine.jit.bitboards import from_halves, from_highest, lowest, through_lowest
from shogi_engine.perft import perft, perft_context
from tests.support.games.tictactoe import GAME


@njit
def words(x):
    """Return what each intrinsic on one word says of `x` (uint64)."""
    return popcount(x), ctz(x), clz(x), bswap(x)


@njit
def exchange(address, value):
    """Write `value` at `address`, and return what was there and what is there now."""
    prefetch(address)
    before = load_u64(address)
    store_u64(address, value)
    return before, load_u64(address)


def numbers() -> list[int]:
    """Return 64-bit numbers: the edges, each single bit, and random ones with few and with many bits."""
    rng = random.Random(7)
    chosen = [0, 1, 2, 3, (1 << 64) - 1, (1 << 64) - 2, 1 << 63, (1 << 63) - 1, 0x0123456789ABCDEF]
    chosen += [1 << n for n in range(64)]
    for _ in range(100):
        chosen += [rng.getrandbits(64), rng.getrandbits(64) & rng.getrandbits(64) & rng.getrandbits(64)]
    return chosen


@njit
def bitboard_values(one, other, square):
    """Return what operators and functions say of two bitboards, the first one not empty, and a square, 0 to 127."""
    squares = 0
    for each in one:
        squares = squares * 3 + each & 0xFFFFFFFF
    whole = ~one & other | one ^ other, one << square, one >> square, through_lowest(one), from_highest(one)
    return whole, len(one), square in one, lowest(one), squares, one == other, one != other, bool(other), not other


def tictactoe_values() -> list:
    """Return counts, keys and the neutral rules' answers of tic-tac-toe."""
    start = GAME.parse_position(GAME.start)
    results: list[Any] = [perft(GAME, start, depth, bulk=bulk).divide for depth in range(6) for bulk in (True, False)]
    ctx = perft_context(GAME)
    for text in ("---------", "X---O----", "XXXOO----", "XOXXOOOXX"):
        ctx.pos = GAME.parse_position(text)
        results.append([key(ctx.pos), count_moves(ctx, 0), generate_captures(ctx, 0), finished_leaves(ctx.pos)])
        results.append([move_cost(ctx.pos, np.uint32(1)), GAME.format_position(ctx.pos)])
    return results


def plain(value):
    """Return `value` as JSON can hold it, numbers exactly."""
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    return value if isinstance(value, str) else int(value)


def main() -> None:
    """Print the values of all kernels."""
    with np.errstate(over="ignore"):  # a kernel's arithmetic wraps around; numpy's scalars do too, and say so
        chosen = [np.uint64(number) for number in numbers()]
        memory = np.zeros(1, np.uint64)
        address = np.uint64(memory.ctypes.data)
        values = {
            "words": [words(number) for number in chosen],
            "memory": [exchange(address, number) for number in chosen],
            "bitboards": [
                bitboard_values(
                    from_halves(one, 0) if n % 3 else from_halves(other, one | np.uint64(1)), board, n % 128
                )
                for n, (one, other) in enumerate(zip(chosen, chosen[::-1], strict=True))
                for board in (from_halves(other, one), from_halves(0, 0))
                if one
            ],
            "tictactoe": tictactoe_values(),
        }
    print(json.dumps(plain(values)))


if __name__ == "__main__":
    main()
