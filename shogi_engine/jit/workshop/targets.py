"""Kernels compiled ahead of time, for a kind of CPU instead of the current CPU.

`build_kernels` compiles them in a separate process, because numba's CPU must be set before numba is imported. A package
may contain the result in its folder `_kernels`, which is searched for kernels missing from the user's cache. They are
used if Python, numba, the sources and numba's settings are the same as when they were compiled, and if this machine's
CPU has all features of the target. Otherwise kernels are compiled as usual.
"""

import functools
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm
from numba.core import config

from shogi_engine.common.files import json_of, write_whole
from shogi_engine.jit.folders import CACHE_VARIABLE
from shogi_engine.jit.sources import PACKAGE, source_stamp

PREBUILT = PACKAGE / "_prebuilt"
MANIFEST = "manifest.json"

# The levels of the x86-64 psABI, with LLVM's names; features not listed are switched off.
V2 = "cmov cx16 cx8 fxsr mmx popcnt sahf sse sse2 sse3 sse4.1 sse4.2 ssse3"
V3 = f"{V2} avx avx2 bmi bmi2 f16c fma lzcnt movbe xsave"
WASM = "wasm"  # no feature of LLVM's: kernels run in WebAssembly
FEATURES = {"x86-64-v2": V2.split(), "x86-64-v3": V3.split()}


@dataclass(frozen=True)
class Built:
    """The result of `build_kernels`: the number and total `bytes` of the `files` in `folder`, the kernels, the time."""

    target: str
    folder: str
    kernels: list[str]
    files: int
    bytes: int
    seconds: float


def feature_string(target: str) -> str:
    """Return the features of `target` in LLVM's syntax. Raises ValueError if it is unknown."""
    if target not in FEATURES:
        raise ValueError(f"there is no target {target!r}; there are {', '.join(sorted(FEATURES))}")
    return ",".join(f"+{name}" for name in FEATURES[target])


def build_kernels(target: str, folder: Path | str, program: str) -> Built:
    """Compile what a program compiles, for CPUs of the kind `target`, into `folder`/`target`, replacing files.

    Args:
        program: Python source, run in another process

    Raises:
        ValueError: the target is unknown, or not for this machine's architecture
        RuntimeError: compiling failed; the message has the compiler's output
    """
    features = feature_string(target)
    if platform.machine().lower() not in ("x86_64", "amd64"):
        raise ValueError(f"{target} is not a target for {platform.machine()}")
    began = time.perf_counter()
    place = Path(folder) / target
    if place.exists() and any(place.iterdir()) and not (place / MANIFEST).is_file():
        raise ValueError(f"{place} contains no compiled kernels, so it is not replaced")
    with tempfile.TemporaryDirectory() as cache:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
        own = {CACHE_VARIABLE: cache, "NUMBA_CPU_NAME": target, "NUMBA_CPU_FEATURES": features}
        paths = os.pathsep.join([str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
        command = [sys.executable, "-P", "-c", program]
        env = clean | own | {"PYTHONPATH": paths}
        result = subprocess.run(command, env=env, capture_output=True, text=True, errors="replace", check=False)
        if result.returncode:
            raise RuntimeError(f"the kernels could not be compiled:\n{result.stdout}{result.stderr}")
        files = sorted(Path(cache).glob("kernels-*/*.kernel"))
        if not files:
            raise RuntimeError(f"the kernels could not be saved in {cache}")
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        for file in files:
            write_whole(place / file.name, file.read_bytes(), durable=False)
    triple = llvm.get_process_triple()
    manifest = {"target": target, "triple": triple, "features": features, "stamp": source_stamp()}
    write_whole(place / MANIFEST, json.dumps(manifest, indent=1).encode())
    names = [file.name.rpartition("-")[0] for file in files]
    size = sum((place / file.name).stat().st_size for file in files)
    return Built(target, str(place), names, len(files), size, round(time.perf_counter() - began, 1))


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


def fits(manifest: Any) -> bool:
    """Tell whether kernels with this manifest were compiled from these sources with these versions, for such a CPU."""
    try:
        needed = {name.removeprefix("+") for name in manifest["features"].split(",")}
        same = (manifest["triple"], manifest["stamp"]) == (llvm.get_process_triple(), source_stamp())
    except (KeyError, TypeError, AttributeError):
        return False
    return same and needed <= host_features()


@functools.cache
def prebuilt_folders() -> tuple[tuple[Path, tuple[str, str, str]], ...]:
    """Return the folders of prebuilt kernels that can be used here, the most capable target first.

    Each comes with numba's `magic_tuple` from its compilation. None are usable if numba is set to a specific CPU.
    """
    if config.CPU_NAME is not None or config.CPU_FEATURES is not None:  # type: ignore[attr-defined]
        return ()
    return tuple(_usable_folders())


def _usable_folders() -> Iterator[tuple[Path, tuple[str, str, str]]]:
    for target in sorted(FEATURES, reverse=True):
        place = PREBUILT / target
        try:
            manifest = json_of((place / MANIFEST).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if fits(manifest):
            yield place, (manifest["triple"], target, manifest["features"])
