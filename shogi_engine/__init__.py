"""A Shogi engine over USI and an Othello engine on one search module, in Python with numba."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shogi_engine.engine import Engine

__version__ = "0.1.0"
__all__ = ["Engine", "__version__"]


def __getattr__(name: str) -> Any:
    """Load Engine, and numba with it, only when it is asked for: a front end answers first."""
    if name == "Engine":
        from shogi_engine.engine import Engine

        return Engine
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
