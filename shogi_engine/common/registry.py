"""Registries of names, such as games: a name's module is imported when it is first requested.

Standard library only: a front end can list the names before numba is imported. `load` imports a name's module.
Installed packages add names by entry points, programs by `register`.
"""

import importlib
from collections.abc import Iterator
from typing import Any


class Registry:
    """Names and the modules that define them, in the order of registration.

    Args:
        kind: what the names stand for, for messages
        attribute: the attribute of a module that `load` returns
        default: the name that '' stands for
        group: the entry points' group, by which installed packages add names after the others
    """

    def __init__(self, kind: str, attribute: str, modules: dict[str, str], default: str, group: str = "") -> None:
        self.kind, self.attribute, self.default = kind, attribute, default
        self._modules: dict[str, str] = {}
        self._group = group  # '' once its entry points have been read
        for name, module in modules.items():
            self.register(name, module)
        if default not in self._modules:
            raise ValueError(f"the default {kind} {default!r} is not registered")

    def register(self, name: str, module: str) -> None:
        """Add `name`, defined by `module` (its full name, as `import` takes it). Raises ValueError if it is taken."""
        if self._modules.setdefault(name, module) != module:
            raise ValueError(f"{self.kind} {name!r}: {self._modules[name]} defines it already")

    def _read_entry_points(self) -> dict[str, str]:
        """Return the modules by name, including those of installed packages, which cannot replace an existing name."""
        if self._group:
            group, self._group = self._group, ""
            metadata = importlib.import_module("importlib.metadata")  # slow, and a front end may start without it
            for entry in metadata.entry_points(group=group):
                self._modules.setdefault(entry.name, entry.module)
        return self._modules

    def __iter__(self) -> Iterator[str]:
        return iter(self._read_entry_points())

    def __len__(self) -> int:
        return len(self._read_entry_points())

    def __contains__(self, name: object) -> bool:
        return name in self._modules or name in self._read_entry_points()

    def module(self, name: str = "") -> str:
        """Return the module of `name` ('' for the default). Raises ValueError, listing the names, if it is unknown."""
        name = self.default if name == "" else name
        if name not in self:
            raise ValueError(f"there is no {self.kind} {name!r}; there are {', '.join(self)}")
        return self._modules[name]

    def load(self, name: str = "") -> Any:
        """Return what `name` ('' for the default) refers to. Raises ValueError, listing the names, if it is unknown."""
        return getattr(importlib.import_module(self.module(name)), self.attribute)
