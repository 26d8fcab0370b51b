"""Write every file that is made of the source: texts to translate, tables and pictures of the docs, types of the page.

    python -m tools.generate [--check]

They are the catalogue (`tools.catalogue`; translate what it reports first, and run this again), the command-line
reference, the tables of USI options, the map of the packages, the pictures of boards and the page's types. With
`--check` nothing is written; the status is 1 if a file is out of date. A test does the same.
"""

import argparse
import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from msgspec import inspect

from shogi_engine import othello, shogi
from shogi_engine.__main__ import parser
from shogi_engine.cli.common import Formatter, Setting
from shogi_engine.games.shogi.bitboard import NORTH, RAYS, ROOK_LINES, SQUARE_BITS, between
from shogi_engine.jit.bitboards import Bitboard, from_highest
from shogi_engine.web import app
from shogi_engine.web.conversation import KINDS
from shogi_engine.web.replies import Reply
from tools import catalogue
from usi.options import options_table

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"

# ---- The pictures of the page "How the boards work", from the boards and tables that the engine uses

IMAGES = DOCS / "images"
CELL, SPACE, TOP = 28, 24, 26  # pixels: a square, between boards, above a board
BOARD_STYLE = """\
text { fill: #1b1f23; font: 12px sans-serif; text-anchor: middle }
.title { font-size: 13px; font-weight: bold }
rect { stroke: #5b6770 }
.o { fill: #ffffff } .a { fill: #f2c14e } .b { fill: #8fb8de } .c { fill: #a8d08d }"""


def board(title: str, size: int, texts: Mapping[int, str], **shades: Iterable[int]) -> tuple[str, int, list[str]]:
    """Return a board to draw: texts by square, and sets of squares by their shade, a, b or c."""
    cells = []
    shade_of = {square: name for name, squares in reversed(shades.items()) for square in squares}
    for square in range(size * size):
        x, y = square % size * CELL, square // size * CELL
        cells.append(f'<rect class="{shade_of.get(square, "o")}" x="{x}" y="{y}" width="{CELL}" height="{CELL}"/>')
        if square in texts:
            cells.append(f'<text x="{x + CELL // 2}" y="{y + CELL // 2 + 4}">{texts[square]}</text>')
    return title, size, cells


def picture(title: str, *boards: tuple[str, int, list[str]]) -> str:
    """Return an SVG of boards side by side."""
    x, drawn = SPACE // 2, []
    for name, size, cells in boards:
        middle = size * CELL // 2
        drawn += [f'<g transform="translate({x} {TOP})"><text class="title" x="{middle}" y="-9">{name}</text>']
        drawn += [*cells, "</g>"]
        x += size * CELL + SPACE
    width, height = x - SPACE // 2, TOP + max(size for _, size, _ in boards) * CELL + 8
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    background = f'<rect x="0" y="0" width="{width}" height="{height}" fill="#ffffff" style="stroke: none"/>'
    style = f"<style>\n{BOARD_STYLE}\n</style>"
    return "\n".join([head, f"<title>{title}</title>", style, background, *drawn, "</svg>", ""])


def squares() -> str:
    """Return the picture of the numbers of the squares."""
    numbers = board("Shogi: two words", 9, {square: str(square) for square in range(81)}, a=range(64), b=range(64, 81))
    return picture("Numbers of squares", numbers, board("Othello: one word", 8, {n: str(n) for n in range(64)}))


def rays() -> str:
    """Return the picture of a slider's ray."""
    rook, occupied = shogi.E5, Bitboard(sum(1 << square for square in (shogi.C5, shogi.B5, shogi.E2)))
    pieces = {rook: "R"} | dict.fromkeys(occupied, "x")
    ray = RAYS[rook, NORTH]
    beyond = from_highest(ray & occupied)
    return picture(
        "A ray, and where it ends",
        board("1. the ray", 9, pieces, a=ray),
        board("2. from the highest piece up", 9, pieces, b=beyond),
        board("3. both: what is attacked", 9, pieces, c=ray & beyond),
    )


def pins() -> str:
    """Return the picture of a pin and a check along the lines of the king."""
    king, pinned, rook, other = shogi.G5, shogi.E5, shogi.B5, shogi.G1
    snipers = SQUARE_BITS[rook] | SQUARE_BITS[other]
    texts = {king: "K", pinned: "S", rook: "r", other: "r"}
    ways = [between.py_func(king, sniper) for sniper in snipers]
    return picture(
        "A check and a pin",
        board("the king's lines, and the snipers", 9, texts, b=snipers, a=ROOK_LINES[king]),
        board("between: none is check, one is a pin", 9, texts, c=ways[0] | ways[1]),
    )


def flips() -> str:
    """Return the picture of a move of Othello."""
    start = othello.Board.from_transcript("f5d6c3d3c4")
    move = next(iter(start.legal_moves))
    texts = {square: "●" if colour == start.turn else "○" for square, colour in start.piece_map().items()}
    places = [each.square for each in start.legal_moves if each.square is not None]
    assert move.square is not None
    return picture(
        "A move of Othello",
        board("mobility", 8, texts, a=places),
        board("a move, and what it flips", 8, texts | {move.square: "●"}, a=[move.square], b=start.flipped(move)),
    )


def pictures() -> dict[Path, str]:
    """Return all pictures by their files."""
    made = (squares, rays, pins, flips)
    return {IMAGES / f"boards-{draw.__name__}.svg": draw() for draw in made}


# ---- The types of what server and page say to each other, for the page's scripts
#
# They are made of the classes that check it: `shogi_engine.web.replies`, and the messages of `conversation.KINDS`.

PAGE_TYPES = Path(__file__).parent / "page" / "protocol.d.ts"
MADE = "// Made by `python -m tools.generate`: what the server sends, and what the page may say."
SIMPLE: dict[type[inspect.Type], str] = {
    inspect.AnyType: "any", inspect.BoolType: "boolean", inspect.NoneType: "null", inspect.FloatType: "number",
}  # fmt: skip
RANGE = 3  # numbers that are listed one by one


def type_text(of: inspect.Type) -> str:
    """Return a type as TypeScript has it."""
    match of:
        case inspect.Metadata():
            return type_text(of.type)
        case inspect.StructType():
            return of.cls.__name__
        case inspect.LiteralType():
            return " | ".join(map(json.dumps, of.values))
        case inspect.StrType():
            inner = (of.pattern or "").removeprefix(r"\A(?:").removesuffix(r")\Z")
            return " | ".join(map(json.dumps, inner.split("|"))) if inner else "string"
        case inspect.IntType():
            few = of.ge is not None and of.le is not None and of.le - of.ge < RANGE
            return " | ".join(map(str, range(of.ge or 0, (of.le or 0) + 1))) if few else "number"
        case inspect.UnionType():
            return " | ".join(map(type_text, of.types))
        case inspect.TupleType():
            return f"[{', '.join(map(type_text, of.item_types))}]"
        case inspect.ListType() | inspect.CollectionType():
            item = type_text(of.item_type)
            return f"({item})[]" if " | " in item else f"{item}[]"
        case inspect.DictType():
            return f"Record<string, {type_text(of.value_type)}>"
    return SIMPLE[type(of)]


def fields_of(struct: inspect.Type, reply: bool) -> list[str]:
    """Return the fields of a struct.

    Args:
        reply: the server leaves out only what `omit_defaults` says, and then None too; a message may leave out more
    """
    assert isinstance(struct, inspect.StructType)
    sparse, fields = struct.cls.__struct_config__.omit_defaults, []
    for each in struct.fields:
        if each.name == "re" and not reply:
            continue  # `Link` adds it
        is_there, of = each.required or reply and not sparse, type_text(each.type)
        of = of.removesuffix(" | null") if sparse and each.default is None else of
        fields.append(f"{each.encode_name}{'' if is_there else '?'}: {of}")
    return fields


def structs_in(of: object, found: dict[str, inspect.StructType]) -> None:
    """Add the structs of a type to those found, each after those that it has."""
    if isinstance(of, inspect.StructType):
        for each in of.fields:
            structs_in(each.type, found)
        found[of.cls.__name__] = of
    elif isinstance(of, inspect.Type):
        for name in ("type", "item_type", "value_type", "types", "item_types"):
            inner = getattr(of, name, ())
            for each in inner if isinstance(inner, Sequence) else (inner,):
                structs_in(each, found)


def page_types() -> str:
    """Return the file."""
    replies = dict(zip(Reply.__subclasses__(), inspect.multi_type_info(Reply.__subclasses__()), strict=True))
    messages = dict(zip(KINDS, inspect.multi_type_info(KINDS.values()), strict=True))
    found: dict[str, inspect.StructType] = {}
    for each in replies.values():
        structs_in(each, found)
    lines = [MADE]
    for struct in found.values():
        if struct not in replies.values():
            lines += ["", f"/** {(struct.cls.__doc__ or '').partition(chr(10))[0]} */"]
            lines += [f"interface {struct.cls.__name__} {{", *(f"  {field};" for field in fields_of(struct, True)), "}"]
    lines += ["", "/** The messages to pages, by kind. */", "interface Replies {"]
    for kind, reply in replies.items():
        lines += [f"  /** {(kind.__doc__ or '').partition(chr(10))[0]} */"]
        lines += [f"  {kind.__struct_config__.tag}: {{", *(f"    {field};" for field in fields_of(reply, True)), "  };"]
    lines += ["}", "", "/** The fields of the pages' messages, by what they do. */", "interface Messages {"]
    lines += [f"  {tag}: {{{'; '.join(fields_of(message, False))}}};" for tag, message in messages.items()]
    return "\n".join([*lines, "}", ""])


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

PACKAGE_MAP = IMAGES / "map.svg"
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
    package = path / "__init__.py"
    file = package if package.is_file() else path.with_suffix(".py")
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
    yield PAGE_TYPES, page_types().encode()
    for file, drawn in pictures().items():
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
