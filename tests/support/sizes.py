"""How many: fewer by day than by night. `pytest -m ""`, which runs all tests, is the night."""

NIGHT = False  # set by conftest


def sized(day: int, night: int) -> int:
    """Return the number that is tried now."""
    return night if NIGHT else day
