"""How the kernels become an extension module that needs no compiler and no numba: `python -m tools.build_kernels`.

entries     the kernels that Python calls, with the types of their arguments: what the module holds
lowering    entries -> LLVM modules, by the workshop (shogi_engine/jit/workshop), for a set of CPU features
wrappers    a row of the module's method table for each: LLVM code that unpacks Python's arguments and calls it
linking     all of it in one LLVM module, optimised as a whole, emitted for a target and linked
"""

import os
from dataclasses import dataclass
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


# ---- The systems and CPUs for which the kernels can be made into a module


@dataclass(frozen=True)
class Level:
    """A kind of CPU within an architecture.

    Attributes:
        cpu: LLVM's name; LLVM uses all of its instructions
        product: the name of its fastest product of bytes (shogi_engine/jit/workshop/vectors.py: DOT_PRODUCTS)
    """

    cpu: str
    product: str = "any"


V2, V3 = Level("x86-64-v2"), Level("x86-64-v3", "avx2")


@dataclass(frozen=True)
class Target:
    """A system.

    Attributes:
        triple: LLVM's name
        zig: the linker's name
        levels: the kinds of CPU, the best last; with two, the module asks the CPU when it is loaded
        file: the module's file
        tags: the platform tags of a wheel
    """

    triple: str
    zig: str
    levels: tuple[Level, ...]
    tags: str
    file: str = "_kernels.abi3.so"

    @property
    def is_windows(self) -> bool:
        """Whether C's long has 32 bits, and Python is a DLL."""
        return "windows" in self.triple

    @property
    def is_macos(self) -> bool:
        """Whether the file is linked against Apple's system."""
        return "apple" in self.triple


GENERIC = (Level("generic"),)  # 64-bit ARM
LINUX_X86 = "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64"
LINUX_ARM = "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64"
TARGETS = {  # for Linux one file serves glibc and musl: it needs no library
    "linux-x86_64": Target("x86_64-unknown-linux-gnu", "x86_64-linux-gnu.2.17", (V2, V3), LINUX_X86),
    "linux-aarch64": Target("aarch64-unknown-linux-gnu", "aarch64-linux-gnu.2.17", GENERIC, LINUX_ARM),
    "macos-x86_64": Target("x86_64-apple-macosx11.0", "x86_64-macos", (V2, V3), "macosx_11_0_x86_64"),
    "macos-arm64": Target("arm64-apple-macosx11.0", "aarch64-macos", (Level("apple-m1", "neon"),), "macosx_11_0_arm64"),
    "windows-x86_64": Target("x86_64-pc-windows-gnu", "x86_64-windows-gnu", (V2, V3), "win_amd64", "_kernels.pyd"),
    "windows-arm64": Target("aarch64-pc-windows-gnu", "aarch64-windows-gnu", GENERIC, "win_arm64", "_kernels.pyd"),
}
