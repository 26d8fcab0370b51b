"""The CPU that kernels are compiled for."""

import functools

from llvmlite import binding as llvm
from numba.core import config

WASM = "wasm"  # no feature of LLVM's: kernels run in WebAssembly

_named: frozenset[str] | None = None  # features of a CPU other than numba's


def set_features(features: frozenset[str]) -> None:
    """Let `target_has` answer for a CPU with only these features, of any architecture. Nothing may be compiled yet."""
    global _named
    _named = features


@functools.cache
def host_features() -> frozenset[str]:
    """Return the features of this machine's CPU, in LLVM's names."""
    try:
        return frozenset(name for name, there in llvm.get_host_cpu_features().items() if there)
    except RuntimeError:  # LLVM does not know this CPU
        return frozenset()


def target_has(feature: str) -> bool:
    """Tell whether the CPU that numba compiles for, usually this machine's, has `feature` (LLVM's name)."""
    if _named is not None:
        return feature in _named
    if feature.startswith("avx") and not config.ENABLE_AVX:  # type: ignore[attr-defined]
        return False
    named = config.CPU_FEATURES  # type: ignore[attr-defined]
    return feature in host_features() if named is None else f"+{feature}" in named.split(",")
