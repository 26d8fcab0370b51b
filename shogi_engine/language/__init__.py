"""What people read, in their language: one catalogue for commands, the terminal, records and pages.

    from shogi_engine.language import translate as _
    print(_("{count} positions").format(count=12))

The catalogue is gettext's, `locale/ja/LC_MESSAGES/shogi_engine.po`; its keys are the English texts. tools/catalogue.py
collects them, and compiles what is read here. Exceptions are written in English and translated where they are shown:
`translate` recognises a message that was made from a pattern of the catalogue, {0} and {1} standing for its values.
"""

import functools
import gettext
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

LANGUAGES = ("en", "ja")
DOMAIN = "shogi_engine"
FOLDER = Path(__file__).with_name("locale")
VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")  # in the order in which gettext asks
_PLACE = re.compile(r"\{(\d+)\}")
_DEPTH = 3  # messages inside messages
_LISTS = {"{0} and {1}": "and", "{0} or {1}": "or"}  # of words; as patterns of sentences they would fit almost any

_current = "en"


def use(language: str) -> None:
    """Speak a language from now on. Raises ValueError if there is no such language."""
    global _current
    check(language)
    _current = language


def current() -> str:
    """Return the language that is spoken."""
    return _current


def check(language: str) -> None:
    """Raise ValueError if there is no such language."""
    if language not in LANGUAGES:
        raise ValueError(f"there is no language {language!r}; there are {', '.join(LANGUAGES)}")


def of_environment(environ: Mapping[str, str] = os.environ) -> str:
    """Return the language that the user's locale asks for, 'en' if that is none of LANGUAGES."""
    for variable in VARIABLES:
        for name in environ.get(variable, "").split(":"):
            if (language := re.split("[_.@]", name)[0]) in LANGUAGES:
                return language
            if name:
                return "en"
    return "en"


def asked(arguments: Sequence[str]) -> str:
    """Return the language that the arguments of a command ask for, '' if there is none, or none there is."""
    for number, word in enumerate(arguments):
        name, _, value = word.partition("=")
        if name == "--language":
            value = value or "".join(arguments[number + 1 : number + 2])
            return value if value in LANGUAGES else ""
    return ""


def translate(text: str, language: str = "", context: str = "") -> str:
    """Return a text in `language`, that in use if it is '', and itself if the catalogue does not have it.

    Args:
        context: tells meanings apart that English has one word for, such as 'othello' for the sides
    """
    language = language or _current
    return text if language == "en" else _translated(text, language, context, _DEPTH)


def fault_text(fault: BaseException) -> str:
    """Return the message of an exception; for a file that cannot be used, its name and the reason."""
    if isinstance(fault, OSError) and fault.strerror:
        return fault.strerror if fault.filename is None else f"{fault.filename}: {fault.strerror}"
    return str(fault)


def translate_fault(fault: BaseException) -> str:
    """Return an exception's message in the language in use."""
    return translate(fault_text(fault))


def plural(one: str, many: str, count: int) -> str:
    """Return the text for that many things."""
    return _catalogue(_current).ngettext(one, many, count)


def mark(text: str) -> str:
    """Return a text as it is; it is collected for the catalogue, and translated later."""
    return text


@functools.cache
def _catalogue(language: str) -> gettext.NullTranslations:
    return gettext.translation(DOMAIN, str(FOLDER), [language], fallback=language == "en")


def _translated(text: str, language: str, context: str, depth: int) -> str:
    catalogue = _catalogue(language)
    if context and (found := catalogue.pgettext(context, text)) != text:
        return found
    if not text or (found := catalogue.gettext(text)) != text or not depth:
        return found if text else text
    for pattern, translation in _patterns(language):
        if match := pattern.fullmatch(text):
            return _filled(translation, [_translated(each, language, context, depth - 1) for each in match.groups()])
    return text


def _filled(text: str, values: Sequence[str]) -> str:
    """Return a text with values in place of {0}, {1} ...; format() would look for more in them."""
    return _PLACE.sub(lambda place: values[int(place[1])], text)


@functools.cache
def _patterns(language: str) -> list[tuple[re.Pattern[str], str]]:
    """Return what messages with values look like, and their translations; those with more text of their own first."""
    texts: dict[str, str] = getattr(_catalogue(language), "_catalog", {})
    with_values = [key for key in texts if isinstance(key, str) and "{0}" in key]
    with_values.sort(key=lambda key: -len(_PLACE.sub("", key)))
    return [(_pattern(key), texts[key]) for key in with_values]


def _pattern(message: str) -> re.Pattern[str]:
    """Return what matches a message whose values are {0}, {1} ... in this order.

    A message inside another stands at its end, behind a colon; so no value before the last one has a colon and a blank.
    """
    if word := _LISTS.get(message):
        return re.compile(rf"(\S+) {word} (\S+(?: {word} \S+)*)")
    *parts, last = map(re.escape, _PLACE.split(message)[::2])
    value = "((?:(?!: ).)*?)"
    return re.compile(value.join(parts) + ("(.*?)" if not last else value + last), re.DOTALL)
