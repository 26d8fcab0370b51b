"""Translation of texts for people: one catalogue for commands, the terminal, records and pages.

    from shogi_engine.language import translate as _
    print(_("{count} positions").format(count=12))

The keys of the gettext catalogue, `locale/ja/LC_MESSAGES/shogi_engine.po`, are the English texts. `tools.catalogue`
collects them and compiles the `.mo` file that is read here. Exceptions are written in English and translated where they
are shown: `translate` recognises a message made from a pattern of the catalogue, in which {0} and {1} stand for values.
"""

import functools
import gettext
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

SAMPLES = {"en": "a", "ja": "あ漢"}  # characters of each language
LANGUAGES = tuple(SAMPLES)
DOMAIN = "shogi_engine"
FOLDER = Path(__file__).with_name("locale")
VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")  # in gettext's order
_PLACE = re.compile(r"\{(\d+)\}")
_DEPTH = 3  # of nested messages
_LISTS = {"{0} and {1}": "and", "{0} or {1}": "or"}  # of words; as patterns of sentences they would fit almost any

_current = "en"


def use(language: str) -> None:
    """Use a language from now on. Raises ValueError if it is not one of LANGUAGES."""
    global _current
    check(language)
    _current = language


def current() -> str:
    """Return the language in use."""
    return _current


def check(language: str) -> None:
    """Raise ValueError if `language` is not one of LANGUAGES."""
    if language not in LANGUAGES:
        raise ValueError(f"there is no language {language!r}; there are {', '.join(LANGUAGES)}")


def of_environment(environ: Mapping[str, str] = os.environ) -> str:
    """Return the language of the user's locale, or of Windows, 'en' if it is not one of LANGUAGES."""
    for variable in VARIABLES:
        for name in environ.get(variable, "").split(":"):
            if (language := re.split("[_.@]", name)[0]) in LANGUAGES:
                return language
            if name:
                return "en"
    if sys.platform == "win32":
        import ctypes
        import locale

        name = locale.windows_locale.get(ctypes.windll.kernel32.GetUserDefaultUILanguage(), "")
        if name[:2] in LANGUAGES:
            return name[:2]
    return "en"


def asked(arguments: Sequence[str]) -> str:
    """Return the language that the arguments of a command name, '' if they name none or an unknown one."""
    for number, word in enumerate(arguments):
        name, _, value = word.partition("=")
        if name == "--language":
            value = value or "".join(arguments[number + 1 : number + 2])
            return value if value in LANGUAGES else ""
    return ""


def translate(text: str, language: str = "", context: str = "") -> str:
    """Return a text in `language` ('' for the one in use), or unchanged if the catalogue does not have it.

    Args:
        context: distinguishes meanings that share an English word, such as 'othello' for the names of the sides
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
    """Return the text for `count` things."""
    return _catalogue(_current).ngettext(one, many, count)


def mark(text: str) -> str:
    """Return a text unchanged; it is collected for the catalogue and translated later."""
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
    """Return a text with values in place of {0}, {1} ... Braces in the values are left alone, unlike with format()."""
    return _PLACE.sub(lambda place: values[int(place[1])], text)


@functools.cache
def _patterns(language: str) -> list[tuple[re.Pattern[str], str]]:
    """Return the patterns of messages with values, and their translations, those with the most fixed text first."""
    texts: dict[str, str] = getattr(_catalogue(language), "_catalog", {})
    with_values = [key for key in texts if isinstance(key, str) and "{0}" in key]
    with_values.sort(key=lambda key: -len(_PLACE.sub("", key)))
    return [(_pattern(key), texts[key]) for key in with_values]


def _pattern(message: str) -> re.Pattern[str]:
    """Return the pattern of a message whose values are {0}, {1} ... in this order.

    A nested message comes last, after a colon, so values before the last contain no colon followed by a blank.
    """
    if word := _LISTS.get(message):
        return re.compile(rf"(\S+) {word} (\S+(?: {word} \S+)*)")
    *parts, last = map(re.escape, _PLACE.split(message)[::2])
    value = "((?:(?!: ).)*?)"
    return re.compile(value.join(parts) + ("(.*?)" if not last else value + last), re.DOTALL)
