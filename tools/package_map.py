"""Draw docs/images/map.svg, the picture of the packages, from the import contracts in pyproject.toml.

python -m tools.package_map
"""

import ast
import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "images" / "map.svg"
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


def picture() -> str:
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


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
