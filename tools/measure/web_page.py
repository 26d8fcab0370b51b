"""What a page makes of the messages of `shogi-engine serve`, as its script does, for programs that visit a server."""

from collections.abc import Sequence
from typing import Any


def patched(state: dict[str, Any], delta: dict[str, Any]) -> dict[str, Any]:
    """Return the state after a delta. Raises ValueError if the page has missed one before."""
    if state["seq"] != delta["base"]:
        raise ValueError("a change was missed")
    labels = {name: text for name, text in (state["labels"] | delta.get("labels", {})).items() if text is not None}
    made = state | delta["fields"] | {"seq": delta["seq"], "labels": labels}
    made["line"] = _spliced(state["line"], delta.get("line", []))
    made["svg"] = "\n".join(_spliced(state["svg"].split("\n"), delta.get("svg", [])))
    return made


def _spliced(items: Sequence[Any], splices: Sequence[tuple[int, int, list[Any]]]) -> list[Any]:
    made = list(items)
    for start, count, added in splices:
        made[start : start + count] = added
    return made


class Page:
    """What a page knows.

    Attributes:
        state: the state after the last message, empty before the first
    """

    def __init__(self) -> None:
        self.state: dict[str, Any] = {}

    def receive(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return a message, the whole state for a delta."""
        if message["kind"] == "delta":
            message = patched(self.state, message)
        if message["kind"] == "state":
            self.state = message
        return message
