"""A Shogi engine over USI and an Othello engine on one search module, in Python with numba.

from shogi_engine import Engine, Limit, Score, othello, shogi
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shogi_engine.engine import Engine
    from shogi_engine.games.othello import board as othello
    from shogi_engine.games.shogi import board as shogi
    from shogi_engine.types.limits import Limit
    from shogi_engine.types.results import Score

__version__ = "1.0.0"  # the home of the version: pyproject.toml reads it here
__all__ = ["Engine", "Limit", "Score", "__version__", "othello", "shogi"]

_MODULES = {
    "Engine": "shogi_engine.engine",
    "Limit": "shogi_engine.types.limits",
    "Score": "shogi_engine.types.results",
    "othello": "shogi_engine.games.othello.board",
    "shogi": "shogi_engine.games.shogi.board",
}


def __getattr__(name: str) -> Any:
    """Load a module, and numba with it, when one of its names is first used, so that front ends answer quickly."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(_MODULES[name])
    return module if name in ("othello", "shogi") else getattr(module, name)


def __dir__() -> list[str]:
    """Return the public names, also of what is not loaded yet."""
    return sorted(__all__)
