"""How the kernels become an extension module that needs no compiler and no numba: `python -m tools.build_kernels`.

entries     the kernels that Python calls, with the types of their arguments: what the module holds
lowering    entries -> LLVM modules, by the workshop (shogi_engine/jit/workshop), for a set of CPU features
wrappers    a row of the module's method table for each: LLVM code that unpacks Python's arguments and calls it
targets     the systems and CPUs for which a module can be made
linking     all of it in one LLVM module, optimised as a whole, emitted for a target and linked
"""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def lowering_environment() -> dict[str, str]:
    """Return the environment of a process that lowers kernels.

    Compiled kernels must not stand in for their sources, sets must not change their order, and neither kernels nor
    LLVM's first passes, which numba runs, must ask what this machine can do.
    """
    own = {"PYTHONHASHSEED": "0", "SHOGI_ENGINE_KERNELS": "0", "PYTHONPATH": str(ROOT)}
    own |= {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    return {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")} | own
