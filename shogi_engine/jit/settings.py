"""What decides how kernels are compiled: numba's own switches, its version, and one variable of this package."""

import os

import numba
from numba.core import config

JIT_DISABLED = bool(config.DISABLE_JIT)  # type: ignore[attr-defined]
PLAIN_VARIABLE = "SHOGI_ENGINE_PLAIN_COMPILE"

# The lean compiler (compiler.py, library.py, dispatcher.py) hooks into numba where numba promises nothing. These are
# the versions that the tests passed with, first and last; with any other, kernels are compiled as numba does it.
LEAN_FIRST, LEAN_LAST = (0, 68), (0, 68)


def is_verified(version: str) -> bool:
    """Tell whether the lean compiler is known to work with this `version` of numba."""
    parts = version.split(".")[:2]
    return all(part.isdigit() for part in parts) and LEAN_FIRST <= tuple(map(int, parts)) <= LEAN_LAST


# Whether kernels are compiled the lean way; the variable set to anything but 0 forces numba's.
LEAN = is_verified(numba.__version__) and os.environ.get(PLAIN_VARIABLE, "0") in ("", "0")
