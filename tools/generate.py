"""Write every file that is made of the source: texts to translate, tables and pictures of the docs, types of the page.

    python -m tools.generate [--check]

They are the catalogue (`tools.catalogue`; translate what it reports first, and run this again), the command-line
reference, the tables of USI options, the map of the packages, the pictures of boards and the page's types. With
`--check` nothing is written; the status is 1 if a file is out of date. A test does the same.
"""

import argparse
import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path

from shogi_engine.__main__ import parser
from shogi_engine.cli.common import Formatter, Setting
from shogi_engine.web import app
from tools import board_pictures, catalogue, page_types
from usi.options import options_table

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"

# ---- The command-line reference, from the parsers of the commands

COMMAND_LINE = DOCS / "command-line.md"

PREFACE = """# Command line

`shogi-usi` is the engine for Shogi GUIs; it takes no arguments. Everything else is a command of `shogi-engine`.

* Every command has `--help`.
* Wrong arguments end the command with status 2 and one line on stderr.
* With `--json` the last line of stdout is one JSON object.
* Progress goes to stderr, and only on a terminal.
* Each tool of `dev` is also a command of its own: `shogi-engine perft`, `bench`, `search`, `compare`, `warmup`.
* `mate` is another name of `solve`. `gtp` is `nboard` with GTP as its protocol.

This page is written from the commands' parsers by `python -m tools.generate`.
"""


def subcommands(of: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of a parser's subcommands by name, empty if it has none."""
    for action in of._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def leaves(of: argparse.ArgumentParser) -> dict[argparse.ArgumentParser, str]:
    """Return the parser of each command that takes options, with the words after `shogi-engine`, without aliases."""
    found: dict[argparse.ArgumentParser, str] = {}
    for word, inner in subcommands(of).items():
        for each, words in (leaves(inner) or {inner: ""}).items():
            found.setdefault(each, f"{word} {words}".strip())
    return found


def cell(text: str) -> str:
    """Return text as a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def row(action: argparse.Action, formatter: Formatter) -> str:
    """Return a table's row for one option or argument."""
    value = formatter._format_args(action, formatter._get_default_metavar_for_optional(action))
    if action.option_strings:
        name = ", ".join(action.option_strings) + (f" {value}" if value and action.nargs != 0 else "")
    else:
        name = formatter._format_args(action, formatter._get_default_metavar_for_positional(action))
    meaning = formatter._expand_help(action) if action.help else ""
    return f"| `{cell(name)}` | {cell(meaning)} |"


def section(name: str, of: argparse.ArgumentParser) -> str:
    """Return the section of one command."""
    formatter = Formatter(prog=of.prog, width=100)
    shown = [
        each for each in of._actions if each.help != argparse.SUPPRESS and not isinstance(each, argparse._HelpAction)
    ]
    tables = {"argument": shown} | {
        group.title: [each for each in group._group_actions if isinstance(each, Setting)] for group in of._action_groups
    }
    lines = [f"## {name}", "", f"`{of.prog}`: {' '.join((of.description or '').split())}", ""]
    for title, actions in tables.items():
        if actions:
            lines += [f"| {title} | meaning |", "|---|---|", *(row(each, formatter) for each in actions), ""]
    return "\n".join(lines)


def command_line() -> str:
    """Return the whole page."""
    return "\n".join([PREFACE, *(section(name, inner) for inner, name in leaves(parser()).items())])


# ---- The tables of USI options, in both languages, from their declarations

OPTION_PAGES = {"en": DOCS / "usi-options.md", "ja": DOCS / "ja" / "usi-options.md"}


def options_page(language: str) -> str:
    """Return the page in `language` with the table as it should be."""
    text = OPTION_PAGES[language].read_text(encoding="utf-8")
    table = options_table(language)
    return re.sub(r"^\|.*\|\n\|---.*?(?=\n\n|\Z)", lambda _: table, text, count=1, flags=re.DOTALL | re.MULTILINE)


# ---- The glossary of players' words, which the page has too

GLOSSARY = DOCS / "glossary.md"


def glossary() -> str:
    """Return the page with the tables of app.GLOSSARY as they should be."""
    text = GLOSSARY.read_text(encoding="utf-8")
    for section, rows in app.GLOSSARY.items():
        table = "\n".join(f"| {' | '.join(row[:3])} |" for row in rows)
        head, title, rest = text.partition(f"## {section}\n\n| word | Japanese | meaning |\n|---|---|---|\n")
        after = rest.find("\n\n")
        text = head + title + table + (rest[after:] if after >= 0 else "\n")
    return text


# ---- The picture of the packages, from the import contracts in pyproject.toml

PACKAGE_MAP = DOCS / "images" / "map.svg"
CONTRACT = "imports point downwards"
WIDTH, MARGIN, GAP = 820, 16, 8  # pixels
LOW, HIGH = 30, 48  # of a row without and with a description
STYLE = """\
rect { fill: #ffffff; stroke: #5b6770; stroke-width: 1.5 }
.name { fill: #1b1f23; font-weight: bold; font-size: 13px; text-anchor: middle }
.what { fill: #444c53; font-size: 12px; text-anchor: middle }"""


def layers() -> list[list[str]]:
    """Return the modules of each layer, the highest layer first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    (rows,) = (contract["layers"] for contract in settings["contracts"] if contract["name"] == CONTRACT)
    return [row.split(" | ") for row in rows]


def purpose(module: str) -> str:
    """Return the first sentence of a module's docstring."""
    path = ROOT / module.replace(".", "/")
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split()).split(". ")[0].rstrip(".").replace("`", "")


def box(module: str, x: float, y: float, width: float, height: int, what: str) -> list[str]:
    """Return a package's box; its description is shown in it or as a tooltip."""
    name, middle = module.removeprefix("shogi_engine."), x + width / 2
    lines = [f'<text class="name" x="{middle:g}" y="{y + 20:g}">{escape(name)}</text>']
    if what:
        lines.append(f'<text class="what" x="{middle:g}" y="{y + 38:g}">{escape(what)}</text>')
    rect = f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height}" rx="6"/>'
    return [f"<g><title>{escape(purpose(module))}</title>{rect}", *lines, "</g>"]


def package_map() -> str:
    """Return the picture as SVG."""
    drawn: list[str] = []
    y = float(MARGIN)
    for row in layers():
        what = purpose(row[0]) if len(row) == 1 else ""
        height = HIGH if what else LOW
        width = (WIDTH - 2 * MARGIN - GAP * (len(row) - 1)) / len(row)
        for number, module in enumerate(row):
            drawn += box(module, MARGIN + number * (width + GAP), y, width, height, what)
        y += height + GAP
    size = f'viewBox="0 0 {WIDTH} {y + MARGIN - GAP:g}" width="{WIDTH}" height="{y + MARGIN - GAP:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif">'
    title = "<title>The packages of shogi_engine: each may import only what lies below it</title>"
    return "\n".join([head, title, f"<style>\n{STYLE}\n</style>", *drawn, "</svg>"]) + "\n"


# ---- All of them


def generated(messages: catalogue.Catalog) -> Iterator[tuple[Path, bytes]]:
    """Yield the files with the contents that they should have; the catalogue first, as the others have its texts."""
    yield catalogue.PO, catalogue.written(messages)
    yield catalogue.MO, catalogue.compiled(messages)
    yield COMMAND_LINE, command_line().encode()
    for language, file in OPTION_PAGES.items():
        yield file, options_page(language).encode()
    yield GLOSSARY, glossary().encode()
    yield PACKAGE_MAP, package_map().encode()
    yield page_types.FILE, page_types.text().encode()
    for file, drawn in board_pictures.pictures().items():
        yield file, drawn.encode()


def main() -> int:
    """Write or check the files."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--check", action="store_true")
    args = arguments.parse_args()
    stale = 0
    messages = catalogue.updated()
    for file, data in generated(messages):
        if not file.exists() or file.read_bytes() != data:
            stale += 1
            print(f"{'out of date' if args.check else 'written'}: {file.relative_to(ROOT)}")
            if not args.check:
                file.write_bytes(data)
    lacking = catalogue.missing(messages)
    print(f"{len(lacking)} texts without a translation in {catalogue.PO.relative_to(ROOT)}")
    return 1 if lacking or (args.check and stale) else 0


if __name__ == "__main__":
    sys.exit(main())
