"""Write the command-line reference, docs/command-line.md, from the parsers of the commands.

    python -m tools.command_line

A test compares the page with the parsers, so run this after changing an option or its help.
"""

import argparse
from pathlib import Path

from shogi_engine.__main__ import parser
from shogi_engine.cli.common import Formatter, Setting

PAGE = Path(__file__).resolve().parents[1] / "docs" / "command-line.md"

PREFACE = """# Command line

`shogi-usi` is the engine for Shogi GUIs; it takes no arguments. Everything else is a command of `shogi-engine`.

* Every command has `--help`.
* Wrong arguments end the command with status 2 and one line on stderr.
* With `--json` the last line of stdout is one JSON object.
* Progress goes to stderr, and only on a terminal.
* Each tool of `dev` is also a command of its own: `shogi-engine perft`, `bench`, `search`, `compare`, `warmup`.
* `mate` is another name of `solve`. `gtp` is `nboard` with GTP as its protocol.

This page is written from the commands' parsers by `python -m tools.command_line`.
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


def page() -> str:
    """Return the whole page."""
    return "\n".join([PREFACE, *(section(name, inner) for inner, name in leaves(parser()).items())])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
