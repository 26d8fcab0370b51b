"""Kernels for Python programs that call them a million times a second."""

from collections.abc import Callable
from typing import Any

from shogi_engine.jit.folders import cache_folder
from shogi_engine.jit.policy import is_saved
from shogi_engine.jit.settings import JIT_DISABLED

PATIENCE = 2000  # the number of calls declined before a kernel that is not in the cache is compiled


class Entries:
    """Kernels by name, as attributes: a call runs their machine code directly, without numba's dispatcher.

    Such a call takes a third of the usual time, and avoids the 10 microseconds that numba needs for a subclass of int.
    All arguments are int64; only their number is checked. A kernel is compiled, or loaded, when it is first called.

    Args:
        kernels: kernels with only int64 arguments
        patient: those that may decline by returning 0, so that the caller uses Python instead; their first PATIENCE
            calls are declined unless the machine code is in the cache
    """

    def __init__(self, kernels: list[Any], patient: list[Any]) -> None:
        self._kernels = [*kernels, *patient]
        for kernel in kernels:
            setattr(self, kernel.__name__, self._first_call(kernel))
        for kernel in patient:
            setattr(self, kernel.__name__, self._declines(kernel))

    def _first_call(self, kernel: Any) -> Callable[..., int]:
        return lambda *arguments: self._ready(kernel)(*arguments)

    def _declines(self, kernel: Any) -> Callable[..., int]:
        """Return a function that declines until `kernel` is worth compiling."""
        calls = 0

        def decline(*arguments: int) -> int:
            nonlocal calls
            calls += 1
            known = calls == 1 and cache_folder() is not None and is_saved(kernel)
            if JIT_DISABLED or not (known or calls > PATIENCE):
                return 0
            return self._ready(kernel)(*arguments)

        return decline

    def _ready(self, kernel: Any) -> Callable[..., int]:
        """Compile or load `kernel`, put it in place and return it."""
        entry = kernel if JIT_DISABLED else kernel.for_integers()
        setattr(self, kernel.__name__, entry)
        return entry  # type: ignore[no-any-return]

    def warmup(self) -> None:
        """Compile or load all of them now."""
        for kernel in self._kernels:
            self._ready(kernel)
