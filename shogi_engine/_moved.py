"""Modules under the names they had in version 0.1.0: importing one warns, and gives the module of today's name.

Other modules are loaded only for a name that moved: `safe_path` comes first.
"""

import sys
from importlib.machinery import ModuleSpec
from typing import Any

_MOVED = {
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
    """Finds a module of an old name where no other finder does."""

    @staticmethod
    def find_spec(fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(fullname, _Moved) if _today(fullname) else None  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        return None

    @staticmethod
    def exec_module(module: Any) -> None:
        import importlib
        import warnings

        name, today = module.__name__, _today(module.__name__)
        warnings.warn(f"{name} is {today} now", DeprecationWarning, stacklevel=2)
        sys.modules[name] = importlib.import_module(today)


def _today(name: str) -> str:
    """Return today's name of the module that was called `name`, '' if it has not moved."""
    package, _, old = name.partition(".")
    for moved, to in _MOVED.items():
        if package == "shogi_engine" and (old == moved or old.startswith(f"{moved}.")):
            return f"{package}.{to}{old[len(moved) :]}"
    return ""


def install() -> None:
    """Let old names be imported."""
    sys.meta_path.append(_Moved)
