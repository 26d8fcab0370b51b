"""The headers that formats share, by one name each, and what each format calls them."""

from unicodedata import category

_BREAKS = ("Cc", "Cs", "Zl", "Zp")  # control characters, halves of surrogate pairs, ends of lines and paragraphs

# name: what it is
HEADERS = {
    "event": "the tournament, the match",
    "site": "where it was played",
    "started": "date and time of its start",
    "ended": "date and time of its end",
    "opening": "the opening's name",
    "time": "the time control",
}


def one_line(text: str) -> str:
    """Return a header's value as it can be written: on one line, no control characters."""
    return "".join(" " if category(letter) in _BREAKS else letter for letter in text).strip()


class HeaderNames:
    """What a format calls the headers: `to_shared` when reading, `to_own` when writing."""

    def __init__(self, own: dict[str, str]) -> None:
        self._own = own
        self._shared = {theirs: name for name, theirs in own.items()}

    def to_shared(self, name: str) -> str:
        """Return the shared name of the format's `name`, or itself."""
        return self._shared.get(name, name)

    def to_own(self, name: str) -> str:
        """Return what the format calls the shared `name`, or itself."""
        return self._own.get(name, name)

    def own_of(self, headers: dict[str, str]) -> dict[str, str]:
        """Return headers under the format's names, the values on one line, empty ones left out."""
        values = {self.to_own(name): one_line(value) for name, value in headers.items()}
        return {name: value for name, value in values.items() if value}
