"""RecordError: why a file cannot be read as a record."""

from typing import Any

from shogi_engine.language import InputError, Message


def clipped(text: str, most: int = 40) -> str:
    """Return a text of a file quoted and shortened to `most` characters, for error messages."""
    return repr(text if len(text) <= most else f"{text[: most - 3]}...")


class RecordError(InputError):
    """A file that cannot be read as a record.

    Args:
        template, values: what is wrong, as a Message
        line: the line of the fault, from 1, None if unknown
        number: the game's number in the file, from 1
        record: the part of the GameRecord that could be read, or None
    """

    def __init__(
        self, template: str, *values: Any, line: int | None = None, record: Any = None, number: int | None = None
    ) -> None:
        reason = Message(template, *values)
        if "\n" in reason:  # it quotes the file
            reason = Message(" ".join(reason.split("\n")))
        self.reason, self.line, self.record, self.number = reason, line, record, number
        super().__init__(reason if line is None else Message("line {0}: {1}", line, reason))
