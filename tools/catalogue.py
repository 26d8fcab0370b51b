"""Collect the texts for users in the catalogue of translations, and compile it; `tools.generate` writes it.

Babel finds the texts in calls of KEYWORDS, also in templates of pages. Help is read from the parsers, other texts from
the package's tables.
"""

import argparse
import datetime
import io
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from shogi_engine import games, lessons
from shogi_engine.__main__ import parser
from shogi_engine.analysis.judgement import SENTENCES
from shogi_engine.clients import base
from shogi_engine.games.shogi.types import KIND_NAMES, SQUARE_NAMES
from shogi_engine.language import DOMAIN, FOLDER, Message
from shogi_engine.records import formats
from shogi_engine.types.outcomes import ENDINGS, Kind
from shogi_engine.web import app

ROOT = Path(__file__).resolve().parents[1]
PO = FOLDER / "ja" / "LC_MESSAGES" / f"{DOMAIN}.po"
MO = PO.with_suffix(".mo")
MADE = datetime.datetime(2000, 1, 1)  # for the headers, so that the files do not depend on the date
# Functions and exceptions whose first argument is a text for users.
KEYWORDS: dict[str, Any] = dict.fromkeys(
    ("translate", "_", "mark", "Message", "InputError", "RecordError", "BookError", "progress_bar", "note")
) | {"plural": (1, 2)}
KINDS = [("**.py", "python"), ("pages/**.html", "jinja2")]
# Why the system refuses a file, as strerror says it.
SYSTEM = (
    "No such file or directory", "Permission denied", "Is a directory", "Not a directory", "File exists",
    "No space left on device", "Read-only file system", "File name too long", "Address already in use",
    "Name or service not known",
)  # fmt: skip
# Python's messages about arguments; `argparse` looks them up as they stand here.
ARGPARSE = (
    "usage: ", "positional arguments", "options", "show this help message and exit",
    "show program's version number and exit", "argument %(argument_name)s: %(message)s",
    "not allowed with argument %s", "expected one argument", "expected at most one argument",
    "expected at least one argument", ("expected %s argument", "expected %s arguments"),
    "invalid choice: %(value)r (choose from %(choices)s)", "invalid %(type)s value: %(value)r",
    "ignored explicit argument %r", "the following arguments are required: %s",
    "one of the arguments %s is required",
)  # fmt: skip


Text = str | tuple[str, ...]  # or singular and plural


def of_tables() -> Iterator[tuple[Text, str | None]]:
    """Yield the texts in the package's tables, each with its context or None."""
    for game in games.NAMES:
        yield from ((text, game) for text in ("black", "white", "black's chance", "black's winning chance"))
    yield SENTENCES[Kind.BOOK_LEFT], "othello"
    yield from ((text, lessons.CONTEXT) for text in lessons.texts())
    yield from ((name, None) for name in SQUARE_NAMES)
    yield from ((str(ending), "ending") for ending in filter(None, ENDINGS))
    yield from ((text, app.CONTEXT) for text in app.TEXTS.values())
    yield from ((row[2], app.CONTEXT) for section in app.GLOSSARY.values() for row in section)
    yield from ((text, None) for text in (*filter(None, KIND_NAMES), *formats.ALL, formats.WINNERS, formats.OPEN))
    yield from ((text, None) for text in ("centipawns", "first wins", "second wins", "first", "second"))
    yield from ((text, None) for text in (*base.FAULTS, *SYSTEM, *ARGPARSE))


def of_parser(top: argparse.ArgumentParser) -> Iterator[str | None]:
    """Yield the help of a parser and its commands."""
    yield from (top.description, top.epilog)
    yield from (group.title for group in top._action_groups)
    yield from (action.help for group in top._action_groups for action in group._group_actions)
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from (each.help for each in action._choices_actions)
            for command in action.choices.values():
                yield from of_parser(command)


def of_sources(folder: Path) -> Iterator[Text]:
    """Yield the texts in the Python files and templates of a folder, but those that consist only of numbered values."""
    for _file, _line, text, _comments, _context in extract_from_dir(folder, KINDS, keywords=KEYWORDS):
        if isinstance(text, tuple) or re.search("[A-Za-z]", re.sub(r"\{\d[^{}]*\}", "", text)):
            yield text


def collected() -> Catalog:
    """Return the catalogue of all texts, without translations."""
    catalogue = Catalog(charset="utf-8", fuzzy=False, creation_date=MADE, revision_date=MADE)
    for text in itertools.chain(of_sources(ROOT / "shogi_engine"), of_sources(ROOT / "usi")):
        catalogue.add(text)
    for text, context in of_tables():
        catalogue.add(text, context=context)
    for help in filter(None, of_parser(parser())):
        catalogue.add(help.template if isinstance(help, Message) else help)
    return catalogue


def updated() -> Catalog:
    """Return the collected texts with the translations from the .po."""
    catalogue = collected()
    if PO.exists():
        with PO.open("rb") as file:
            known = read_po(file, locale="ja", domain=DOMAIN)
        for message in catalogue:
            if message.id and (found := known.get(message.id, message.context)) is not None:
                message.string = found.string
    catalogue.locale = "ja"
    return catalogue


def compiled(catalogue: Catalog) -> bytes:
    """Return the .mo of a catalogue."""
    buffer = io.BytesIO()
    write_mo(buffer, catalogue)
    return buffer.getvalue()


def written(catalogue: Catalog) -> bytes:
    """Return the .po of a catalogue without dates, so that it is the same on every machine."""
    buffer = io.BytesIO()
    write_po(buffer, catalogue, width=120, sort_output=True, no_location=True, omit_header=False)
    lines = buffer.getvalue().decode().splitlines()
    kept = [line for line in lines if not re.match(r'"(POT-Creation|PO-Revision)-Date|"Generated-By|#( |$)', line)]
    return ("\n".join(kept) + "\n").encode()


def missing(catalogue: Catalog) -> list[str]:
    """Return the texts without a translation."""
    return [str(each.id) for each in catalogue if each.id and not (each.string and all(_strings(each.string)))]


def _strings(string: str | tuple[str, ...] | list[str]) -> list[str]:
    return [string] if isinstance(string, str) else list(string)


def places(text: str) -> list[str]:
    """Return the placeholders in a text."""
    return sorted(re.findall(r"\{\w*[^{}]*\}|%\(\w+\)\w|%[rs]", text))
