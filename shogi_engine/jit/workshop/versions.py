"""The versions of numba with which the lean compiler is known to work."""

import numba

from shogi_engine.jit.settings import PLAIN_COMPILE

# The lean compiler (compiler.py, library.py, dispatcher.py) relies on internals of numba. These are the first and last
# versions with which the tests passed; with any other version, numba's own compiler is used.
LEAN_FIRST, LEAN_LAST = (0, 68), (0, 68)


def is_verified(version: str) -> bool:
    """Tell whether the lean compiler is known to work with this `version` of numba."""
    parts = version.split(".")[:2]
    return all(part.isdigit() for part in parts) and LEAN_FIRST <= tuple(map(int, parts)) <= LEAN_LAST


LEAN = is_verified(numba.__version__) and not PLAIN_COMPILE
