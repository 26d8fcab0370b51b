"""The headers that formats share: one common name for each, and the name in each format."""

from unicodedata import category

_BREAKS = ("Cc", "Cs", "Zl", "Zp")  # control characters, surrogates, line and paragraph separators

# name: meaning
HEADERS = {
    "title": "the game's title",
    "event": "the tournament, the match",
    "site": "where it was played",
    "started": "date and time of its start",
    "ended": "date and time of its end",
    "opening": "the opening's name",
    "time": "the time control",
}


def one_line(text: str) -> str:
    """Return a header's value in writable form: one line without control characters."""
    return "".join(" " if category(letter) in _BREAKS else letter for letter in text).strip()


class HeaderNames:
    """A format's names of headers. Use `to_shared` when reading, `to_own` when writing."""

    def __init__(self, own: dict[str, str]) -> None:
        self._own = own
        self._shared = {theirs: name for name, theirs in own.items()}

    def to_shared(self, name: str) -> str:
        """Return the shared name for the format's `name`, or the name itself."""
        return self._shared.get(name, name)

    def to_own(self, name: str) -> str:
        """Return the format's name for the shared `name`, or the name itself."""
        return self._own.get(name, name)

    def own_of(self, headers: dict[str, str]) -> dict[str, str]:
        """Return headers under the format's names, with values on one line and without empty ones."""
        values = {self.to_own(name): one_line(value) for name, value in headers.items()}
        return {name: value for name, value in values.items() if value}
