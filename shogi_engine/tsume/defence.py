"""The defence against a mate by checks: the reply that escapes, or holds out longest."""

import time
from collections.abc import Callable
from typing import Any

REPLY_MS = 4_000  # for each defence
DEFENCE_SECONDS = 12.0  # for all of them, once one was unresolved


def best_defence(engine: Any, stopped: Callable[[], bool] = lambda: False) -> tuple[str, int | None]:
    """Return the reply that holds out longest against a mate by checks, and the plies to mate after it.

    The plies are 0 if it is proven that there is no mate, None if no mate was found.

    Args:
        engine: its position has the defence to move; the reply is '' if there is none
        stopped: ends this when true
    """
    best, longest, unproven = "", -1, ""
    end = time.monotonic() + DEFENCE_SECONDS
    for reply in engine.legal_moves():
        if stopped() or (unproven and time.monotonic() > end):
            break
        engine.push(reply)
        found = engine.find_mate(max_ms=REPLY_MS, shortest=True)
        engine.pop()
        if found.result == "nomate":
            return reply, 0
        if not found:
            unproven = unproven or reply
        elif found.length > longest:
            best, longest = reply, found.length
    return (unproven, None) if unproven else (best, longest)
