"""Old module names of version 0.1.0: importing one gives a warning and the module under its current name.

Other modules are imported only for a name that has moved, so that `safe_path` comes first.
"""

import sys
from importlib.machinery import ModuleSpec
from typing import Any

MOVED = {  # in shogi_engine
    "board_search": "engine.board_search",
    "book": "interface.extras.book",
    "engine_client": "clients.base",
    "evaluation": "interface.evaluation",
    "forced_win": "search.forced_win",
    "game": "interface.game",
    "games.shogi.move_notation": "games.shogi.notation.moves",
    "games.shogi.usi_moves": "games.shogi.notation.usi_moves",
    "gtp_client": "clients.gtp",
    "levels": "interface.extras.levels",
    "limit": "types.limit",
    "match_statistics": "common.match_statistics",
    "nboard_client": "clients.nboard",
    "parameters": "engine.parameters",
    "registry": "common.registry",
    "results": "engine.results",
    "round_robin": "textbook.round_robin",
    "score": "types.score",
    "search.textbook": "textbook.searches",
    "search.trace": "textbook.trace",
    "stop": "common.stop",
    "stubs": "interface.stubs",
    "termination": "types.termination",
    "usi_client": "clients.usi",
}


class _Moved:
    """Finds modules by their old names, if no other finder does."""

    @staticmethod
    def find_spec(fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(fullname, _Moved) if _today(fullname) else None  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        return None

    @staticmethod
    def exec_module(module: Any) -> None:
        sys.modules[module.__name__] = load(module.__name__)


def load(name: str) -> Any:
    """Return the module that was called `name`, with a warning."""
    import importlib
    import warnings

    warnings.warn(f"{name} is {_today(name)} now", DeprecationWarning, stacklevel=3)
    return importlib.import_module(_today(name))


def _today(name: str) -> str:
    """Return the current name of the module that was called `name`, '' if it has not moved."""
    package, _, old = name.partition(".")
    for moved, to in MOVED.items():
        if package == "shogi_engine" and (old == moved or old.startswith(f"{moved}.")):
            return f"{package}.{to}{old[len(moved) :]}"
    return ""


def install() -> None:
    """Make old names importable."""
    sys.meta_path.append(_Moved)
