"""Collect the texts for users in the catalogue of translations, and compile it.

    python -m tools.catalogue            # after changing texts; then translate the new ones in the .po
    python -m tools.catalogue --check    # is anything missing, out of date or not compiled?

It collects the texts of `translate`, `plural` and `mark` (of `shogi_engine.language`), the help of commands and their
options, the messages of exceptions in the modules that players use (PLAYERS), and those of argparse.
"""

import argparse
import ast
import datetime
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from shogi_engine import games
from shogi_engine.games.shogi.symbols import KIND_NAMES
from shogi_engine.language import DOMAIN, FOLDER
from shogi_engine.records import formats
from shogi_engine.types.termination import ENDINGS
from shogi_engine.web import words

ROOT = Path(__file__).resolve().parents[1]
PO = FOLDER / "ja" / "LC_MESSAGES" / f"{DOMAIN}.po"
MO = PO.with_suffix(".mo")
MADE = datetime.datetime(2000, 1, 1)  # for the headers, so that the files do not depend on the date
FUNCTIONS = {"Message", "translate", "_", "mark", "progress_bar", "describe_task"}
# Modules whose exceptions players see. Others are for programmers, training and clusters.
PLAYERS = (
    "cli", "play", "analysis", "records", "tsume", "language", "games/shogi", "games/othello", "games/__init__.py",
    "engine", "interface/extras", "limit.py", "types", "common/locks.py", "common/memory.py", "common/safe_path.py",
    "common/text.py", "suites/mate_suite.py", "match/engines.py", "match/openings.py", "web",
)  # fmt: skip
PROGRAMMERS = (
    "batch", "kernels", "packed", "/evaluation/", "/board/", "/board.py", "arrays.py", "cli/train",
    "cli/csa", "mate/solver", "endgame/solver", "scanners", "board_memory", "cli/perft",
    "cli/compare", "cli/warmup", "play/programs", "play/loop", "web/messages", "web/saved_game",
)  # fmt: skip


Text = str | tuple[str, str] | tuple[str, None, str]  # (one, many), (text, None, context)
PATTERNS = ("{0}: {1}", "{0} and {1}", "{0} or {1}", "{mates}, {others}")  # of nested messages
# Files whose functions return or yield reasons for refusing something.
REASONS = (
    "games/shogi/rules/validation.py", "games/shogi/notation/usi_moves.py", "games/shogi/notation/sfen.py",
    "games/othello/notation.py", "games/shogi/notation/moves/candidates.py",
)  # fmt: skip
# Why the system refuses a file, as strerror says it.
SYSTEM = (
    "No such file or directory", "Permission denied", "Is a directory", "Not a directory", "File exists",
    "No space left on device", "Read-only file system", "File name too long", "Address already in use",
)  # fmt: skip
# Messages of argparse to players.
ARGPARSE = (
    "usage: ", "positional arguments", "options", "show this help message and exit",
    "show program's version number and exit", "argument {0}: {1}", "unrecognized arguments: {0}",
    "ambiguous option: {0} could match {1}", "not allowed with argument {0}", "expected one argument",
    "invalid choice: {0} (choose from {1})", "expected at most one argument", "expected at least one argument",
    "invalid {0} value: {1}", "ignored explicit argument {0}", "the following arguments are required: {0}",
    "one of the arguments {0} is required", "expected {0} arguments",
)  # fmt: skip


def names() -> Iterator[Text]:
    """Yield the texts in the package's tables, and the patterns of nested messages."""
    for game in games.NAMES:
        for text in ("black", "white", "black's chance", "black's winning chance"):
            yield text, None, game
    yield from ((str(ending), None, "ending") for ending in filter(None, ENDINGS))
    yield from ((text, None, words.CONTEXT) for text in words.WORDS.values())
    yield from filter(None, KIND_NAMES)
    yield from (*formats.ALL, formats.WINNERS)
    yield from ("centipawns", "first wins", "second wins", "first", "second", *PATTERNS)


def text_of(node: ast.expr) -> str:
    """Return the text of a literal, {0}, {1} ... for the values of an f-string; '' if it is not a literal."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.IfExp):
        return ""
    if not isinstance(node, ast.JoinedStr):
        return ""
    parts, number = [], 0
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
        else:
            parts.append(f"{{{number}}}")
            number += 1
    return "".join(parts)


def _name(call: ast.Call) -> str:
    function = call.func
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def texts_of_call(call: ast.Call) -> Iterator[Text]:
    """Yield the user's texts in a call: a text, (one, many), or (text, None, context)."""
    name = _name(call)
    if name in FUNCTIONS and call.args:
        contexts = [word.value for word in call.keywords if word.arg == "context"]
        yield text_of(call.args[0])
        if contexts and (context := text_of(contexts[0])):
            yield text_of(call.args[0]), None, context
    elif name == "plural":
        yield text_of(call.args[0]), text_of(call.args[1])
    elif name in ("add_command", "_action"):
        yield from map(text_of, call.args[-1:])
    yield from (text_of(word.value) for word in call.keywords if word.arg in ("help", "description", "epilog"))


def literals(node: ast.expr | None) -> Iterator[ast.expr]:
    """Yield the texts in the arguments of an exception, including both branches of a conditional."""
    if isinstance(node, ast.IfExp):
        yield from literals(node.body)
        yield from literals(node.orelse)
    elif node is not None:
        yield node


def texts_of_file(path: Path, exceptions: bool, reasons: bool) -> Iterator[Text]:
    """Yield the user's texts in a Python file.

    Args:
        exceptions, reasons: include exceptions' messages, returned reasons
    """
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            yield from texts_of_call(node)
        elif reasons and isinstance(node, ast.Return | ast.Yield | ast.Assign):
            value = node.value.elts[-1] if isinstance(node.value, ast.Tuple) else node.value
            yield from (text for text in map(text_of, literals(value)) if re.search("[a-z}] [a-z{]", text))
        elif exceptions and isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            yield from map(text_of, literals(node.exc.args[0]))


def is_for_players(name: str) -> bool:
    """Tell whether players see the exceptions of a file of the package."""
    return name.startswith(PLAYERS) and not any(part in name for part in PROGRAMMERS)


def collected() -> Catalog:
    """Return the catalogue of all texts, without translations."""
    catalogue = Catalog(charset="utf-8", fuzzy=False, creation_date=MADE, revision_date=MADE)
    package = ROOT / "shogi_engine"
    for path in sorted([*package.rglob("*.py"), *(ROOT / "usi").rglob("*.py")]):
        name = path.relative_to(package).as_posix() if path.is_relative_to(package) else f"usi/{path.name}"
        for text in texts_of_file(path, is_for_players(name), name in REASONS):
            add(catalogue, text)
    for text in (*ARGPARSE, *SYSTEM, *names()):
        add(catalogue, text)
    return catalogue


def add(catalogue: Catalog, text: Text) -> None:
    """Add a text, unless it consists only of values."""
    if isinstance(text, tuple) and len(text) == 3:
        catalogue.add(text[0], context=text[2])
    elif isinstance(text, tuple) or text in PATTERNS or re.search("[A-Za-z]", re.sub(r"\{\w*\}|%\(\w+\)\w", "", text)):
        catalogue.add(text)


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
    kept = [line for line in lines if not re.match(r'"(POT-Creation|PO-Revision)-Date|"Generated-By|# ', line)]
    return ("\n".join(kept) + "\n").encode()


def missing(catalogue: Catalog) -> list[str]:
    """Return the texts without a translation."""
    return [str(each.id) for each in catalogue if each.id and not (each.string and all(_strings(each.string)))]


def _strings(string: str | tuple[str, ...] | list[str]) -> list[str]:
    return [string] if isinstance(string, str) else list(string)


def places(text: str) -> list[str]:
    """Return the placeholders in a text."""
    return sorted(re.findall(r"\{\w*[^{}]*\}|%\(\w+\)\w", text))


def main() -> int:
    """Update or check the catalogue."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    catalogue = updated()
    po, mo = written(catalogue), compiled(catalogue)
    lacking = missing(catalogue)
    if args.check:
        stale = [path.name for path, data in ((PO, po), (MO, mo)) if not path.exists() or path.read_bytes() != data]
        print(f"{len(lacking)} texts without a translation; out of date: {', '.join(stale) or 'nothing'}")
        return 1 if lacking or stale else 0
    PO.write_bytes(po)
    MO.write_bytes(mo)
    print(f"{len(catalogue)} texts, {len(lacking)} without a translation")
    return 0


if __name__ == "__main__":
    sys.exit(main())
