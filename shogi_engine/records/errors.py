"""RecordError: why a file cannot be read as a record. Standard library only."""

from typing import Any


def clipped(text: str, most: int = 40) -> str:
    """Return a text of a file quoted and shortened to `most` characters, for error messages."""
    return repr(text if len(text) <= most else f"{text[: most - 3]}...")


class RecordError(ValueError):
    """A file that cannot be read as a record.

    Args:
        reason: what is wrong
        line: the line of the fault, from 1, None if unknown
        number: the game's number in the file, from 1
        record: the part of the GameRecord that could be read, or None
    """

    def __init__(self, reason: str, *, line: int | None = None, record: Any = None, number: int | None = None) -> None:
        reason = " ".join(reason.split("\n"))  # one line, even if it quotes the file
        self.reason, self.line, self.record, self.number = reason, line, record, number
        super().__init__(reason if line is None else f"line {line}: {reason}")
