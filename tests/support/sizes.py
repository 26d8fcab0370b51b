"""How many: fewer by day than by night. `pytest -m ""`, which runs all tests, is the night."""

from typing import Any

NIGHT = False  # set by conftest


def sized(day: Any, night: Any) -> Any:
    """Return the number, or the cases, tried now."""
    return night if NIGHT else day
