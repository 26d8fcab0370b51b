"""JSON as other programs, or a damaged disk, leave it."""

import json
from typing import Any


def json_of(text: str | bytes) -> Any:
    """Return what a JSON text contains. Raises JSONDecodeError, a ValueError, also if it is nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError:
        raise json.JSONDecodeError("nested too deeply", "", 0) from None
