"""A registry of what a game offers several of: names now, modules when first asked for. Standard library only.

A front end lists the names before numba is imported; a name's module, and what it imports, is loaded by `load`.
"""

import importlib
from collections.abc import Iterator
from typing import Any


class Registry:
    """Names and the modules that define them, in the order of registration.

    kind : what the names are of, for messages    attribute : what `load` takes from a module
    default : the name meant by ''
    """

    def __init__(self, kind: str, attribute: str, modules: dict[str, str], default: str) -> None:
        self.kind, self.attribute, self.default = kind, attribute, default
        self._modules: dict[str, str] = {}
        for name, module in modules.items():
            self.register(name, module)
        if default not in self._modules:
            raise ValueError(f"the default {kind} {default!r} is not registered")

    def register(self, name: str, module: str) -> None:
        """Add `name`, defined by `module` (its full name, as `import` takes it). Raises ValueError if it is taken."""
        if self._modules.setdefault(name, module) != module:
            raise ValueError(f"there is an {self.kind} {name!r} already, of {self._modules[name]}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)

    def __contains__(self, name: object) -> bool:
        return name in self._modules

    def load(self, name: str = "") -> Any:
        """Return what `name` stands for, '' for the default. Raises ValueError, listing the names, if it is unknown."""
        name = name or self.default
        if name not in self._modules:
            raise ValueError(f"there is no {self.kind} {name!r}; there are {', '.join(self)}")
        return getattr(importlib.import_module(self._modules[name]), self.attribute)
