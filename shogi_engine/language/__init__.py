"""Translation of texts for people: one catalogue for commands, the terminal, records and pages.

    from shogi_engine.language import translate as _
    print(_("{count} positions").format(count=12))

Exceptions and other texts that are shown later are English, and carry their template and values:

    raise InputError("there is no game {0!r}; there are {1}", name, ", ".join(names))
    translate(str(fault))

The keys of the gettext catalogue, `locale/ja/LC_MESSAGES/shogi_engine.po`, are the English texts and templates.
`tools.catalogue` collects them and compiles the `.mo` file that is read here.
"""

import functools
import gettext
import os
import re
import string
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

SAMPLES = {"en": "a", "ja": "あ漢"}  # characters of each language
LANGUAGES = tuple(SAMPLES)
DOMAIN = "shogi_engine"
FOLDER = Path(__file__).with_name("locale")
VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")  # in gettext's order

_current = "en"


class Message(str):
    """An English text that knows its template and values, so that `translate` can show it in another language.

    `str()` and exceptions keep it: `str(ValueError(message))` is a Message.

    Args:
        template: the text, with {0}, {1} ... for values as in `str.format`; without values, braces stand for themselves
        values: an exception stands for its message; a text that is in the catalogue is translated too
    """

    __slots__ = ("template", "values")

    template: str
    values: tuple[Any, ...]

    def __new__(cls, template: str, *values: Any) -> "Message":
        """Fill the template."""
        if isinstance(template, Message) and not values:
            return template
        for value in values:
            if isinstance(value, BaseException):
                values = tuple(str(value) if isinstance(value, BaseException) else value for value in values)
                break
        message = str.__new__(cls, template.format(*values) if values else template)
        message.template, message.values = template, values
        return message

    def __str__(self) -> str:
        """Return the message itself, which str would turn into a plain text."""
        return self


class InputError(ValueError):
    """Something that a user gave is wrong. The arguments are those of a Message."""

    def __init__(self, template: str, *values: Any) -> None:
        super().__init__(Message(template, *values))


class _Filler(string.Formatter):
    """Fills a translated template with translated values."""

    def __init__(self, language: str, context: str) -> None:
        self._language, self._context = language, context

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return a value as text."""
        if isinstance(value, str):
            value = translate(value, self._language, self._context)
        return format(value, format_spec)


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
        raise InputError("there is no language {0!r}; there are {1}", language, ", ".join(LANGUAGES))


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
    template, values = (text.template, text.values) if isinstance(text, Message) else (text, ())
    if language == "en" or not template:
        return str.__str__(text)  # not a Message, which encoders of JSON do not know
    catalogue = _catalogue(language)
    found = catalogue.pgettext(context, template) if context else template
    if found == template:
        found = catalogue.gettext(template)
    return _Filler(language, context).vformat(found, values, {}) if values else found


def fault_text(fault: BaseException) -> str:
    """Return the message of an exception; for a file that cannot be used, its name and the reason."""
    if isinstance(fault, OSError) and fault.strerror:
        return fault.strerror if fault.filename is None else Message("{0}: {1}", fault.filename, fault.strerror)
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
