"""What the list of games is searched by: the words of a game, and those that a user types, in one form."""

import unicodedata

from shogi_engine import openings
from shogi_engine.language import LANGUAGES
from shogi_engine.records import GameRecord

HEADERS_MAX, WORD_MAX = 50, 200  # headers that are searched, characters of each
SEARCH_MAX = 100  # characters that a user may type
_DATES = str.maketrans("/.", "--")  # as files write dates: 2026/11/26


def plain(text: str) -> str:
    """Return a text without what does not matter to a search: width, case, how dates are separated."""
    return unicodedata.normalize("NFKC", text).casefold().translate(_DATES)


def words_of(record: GameRecord) -> str:
    """Return what a game is found by: its kind, players and headers."""
    headers = list(record.headers.values())[:HEADERS_MAX]
    return plain("\n".join(text[:WORD_MAX] for text in (record.game, *record.names, *headers)))


def openings_of(record: GameRecord) -> str:
    """Return the names of a game's openings and castles, in all languages."""
    try:
        names = openings.names_of(record)
    except ValueError:  # an illegal move
        return ""
    found = [each.name for sides in (names.openings, names.castles) for side in sides for each in side] if names else []
    return plain("\n".join(name.text(language) for name in dict.fromkeys(found) for language in LANGUAGES))


def terms(text: str) -> list[str]:
    """Return the words that a game must have, each as a part of its own, to be found."""
    return plain(text[:SEARCH_MAX]).split()
