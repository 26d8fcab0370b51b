"""The settings that decide how kernels run: numba's switch, and variables of this package. Imports no numba."""

import importlib.util
import os
import warnings


def _is_set(variable: str) -> bool:
    return os.environ.get(variable, "0") not in ("", "0")


WORKSHOP_VARIABLE = "SHOGI_ENGINE_WORKSHOP"  # 0: as if numba were not installed
PLAIN_VARIABLE = "SHOGI_ENGINE_PLAIN_COMPILE"  # any value except 0: numba's own compiler, not the lean one

# Whether all kernels are plain Python functions.
JIT_DISABLED = _is_set("NUMBA_DISABLE_JIT")
if JIT_DISABLED:  # kernels let integers overflow, of which NumPy warns in Python
    warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning, r"shogi_engine\.")
# Whether kernels can be compiled here.
HAS_WORKSHOP = os.environ.get(WORKSHOP_VARIABLE) != "0" and importlib.util.find_spec("numba") is not None
PLAIN_COMPILE = _is_set(PLAIN_VARIABLE)
