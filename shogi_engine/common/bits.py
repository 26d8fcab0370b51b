"""Constants for kernels that work with the bits of uint64.

They are np.uint64 on purpose: numba turns `uint64 & int64` into a signed number.
"""

import numpy as np

ZERO = np.uint64(0)
ONE = np.uint64(1)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
