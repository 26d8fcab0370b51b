"""The settings that decide how kernels are compiled: numba's switches, its version and a variable of this package."""

import os
import warnings

import numba
from numba.core import config

JIT_DISABLED = bool(config.DISABLE_JIT)  # type: ignore[attr-defined]
if JIT_DISABLED:  # kernels let integers overflow, of which NumPy warns in Python
    warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning, r"shogi_engine\.")
PLAIN_VARIABLE = "SHOGI_ENGINE_PLAIN_COMPILE"

# The lean compiler (compiler.py, library.py, dispatcher.py) relies on internals of numba. These are the first and last
# versions with which the tests passed; with any other version, numba's own compiler is used.
LEAN_FIRST, LEAN_LAST = (0, 68), (0, 68)


def is_verified(version: str) -> bool:
    """Tell whether the lean compiler is known to work with this `version` of numba."""
    parts = version.split(".")[:2]
    return all(part.isdigit() for part in parts) and LEAN_FIRST <= tuple(map(int, parts)) <= LEAN_LAST


# Whether to use the lean compiler; any value of the variable except 0 forces numba's own compiler.
LEAN = is_verified(numba.__version__) and os.environ.get(PLAIN_VARIABLE, "0") in ("", "0")
