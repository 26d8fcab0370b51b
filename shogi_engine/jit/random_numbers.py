"""Random numbers in kernels: the state is the caller's, so that games can be repeated."""

import numpy as np

from shogi_engine.jit.policy import njit

# A xorshift generator. Source: G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003.
LEFT, RIGHT, LEFT_AGAIN, HIGH_BITS = np.uint64(13), np.uint64(7), np.uint64(17), np.uint64(33)


@njit
def random_below(state, count):
    """Return a random int64 from 0 to count - 1.

    Args:
        state: uint64[1], in-out, not 0
    """
    word = state[0]
    word ^= word << LEFT
    word ^= word >> RIGHT
    word ^= word << LEFT_AGAIN
    state[0] = word
    return np.int64(word >> HIGH_BITS) % count
