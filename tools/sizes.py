"""Compare the sizes of the packages with their budgets: `python -m tools.sizes`.

The budget of a package bounds its lines of code and signatures: blank lines, comments, docstrings and imports are free.
`tools/budgets.toml` has the budgets, and bounds of the number of files, their length and their imports. If a change
needs more, it raises the number there and says why in the same line. The status is 1 if a bound is exceeded.
"""

import ast
import statistics
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BUDGETS = ROOT / "tools" / "budgets.toml"
COUNTED = ("shogi_engine", "usi", "tools")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class Size(NamedTuple):
    """Lines of a file: those that are not blank, of code and signatures, of imports."""

    filled: int
    code: int
    imports: int


def size(source: str) -> Size:
    """Return the size of a file's text."""
    lines = source.split("\n")
    filled = {number for number, line in enumerate(lines, 1) if line.strip()}
    comments = {number for number in filled if lines[number - 1].lstrip().startswith("#")}
    imports: set[int] = set()
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports |= line_numbers(node)
        elif isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            docstrings |= line_numbers(node.body[0])
    return Size(len(filled), len(filled - comments - imports - docstrings), len(filled & imports))


def line_numbers(node: ast.stmt) -> set[int]:
    """Return the numbers of a statement's lines."""
    return set(range(node.lineno, (node.end_lineno or node.lineno) + 1))


def package(path: str) -> str:
    """Return the package whose budget pays for a file: a game, a package of shogi_engine, or a top folder."""
    folders = path.split("/")[:-1]
    return "/".join(folders[: 3 if folders[1:2] == ["games"] else 2 if folders[0] == "shogi_engine" else 1])


def read(root: Path) -> dict[str, Size]:
    """Return the size of each Python file of a checkout that git knows."""
    command = ["git", "-C", str(root), "ls-files", "*.py"]
    paths = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True).stdout.split()
    return {path: size((root / path).read_text(encoding="utf-8")) for path in paths if (root / path).exists()}


class Row(NamedTuple):
    """Something measured, with its bound: the most that it may be, or the least."""

    name: str
    value: float
    bound: float
    least: bool = False

    @property
    def left(self) -> float:
        """What it may still grow, or shrink; negative if it is out of bounds."""
        return self.value - self.bound if self.least else self.bound - self.value


def table(sizes: Mapping[str, Size], budgets: Mapping[str, Any]) -> list[Row]:
    """Return what is measured, the packages first. A package without a budget has one of no lines."""
    counted = {path: found for path, found in sizes.items() if path.split("/")[0] in COUNTED}
    code, most, files = Counter[str](), budgets["code"], budgets["files"]
    for path, found in counted.items():
        code[package(path)] += found.code
    filled = [found.filled for found in counted.values()]
    imports = 100 * sum(found.imports for found in counted.values()) / sum(filled)
    return [
        *(Row(name, code[name], most.get(name, 0)) for name in sorted({*code, *most})),
        Row("all packages", code.total(), sum(most.values())),
        Row("files", len(filled), files["count"]),
        Row("median lines of a file, at least", statistics.median(filled), files["median"], least=True),
        Row("imports, percent of the lines", round(imports, 2), files["imports"]),
    ]


def too_long(sizes: Mapping[str, Size], budgets: Mapping[str, Any]) -> list[str]:
    """Return a line for each file that is too long, and for each reason that is not needed any more."""
    most, excused = budgets["files"]["longest"], budgets["longer"]
    long = {path: found.filled for path, found in sizes.items() if found.filled > most}
    lines = [f"{path} has {long[path]} lines, more than {most}" for path in sorted(long.keys() - excused)]
    return lines + [f"{path} has a reason to be longer than {most} lines, but is not" for path in excused.keys() - long]


def main() -> int:
    """Print the table and what exceeds its bound; return the exit status."""
    sizes, budgets = read(ROOT), tomllib.loads(BUDGETS.read_text(encoding="utf-8"))
    faults = too_long(sizes, budgets)
    print(f"{'code and signatures, lines':36}{'now':>8}{'bound':>8}{'left':>8}")
    for row in table(sizes, budgets):
        print(f"{row.name:36}{row.value:8g}{row.bound:8g}{round(row.left, 2):8g}")
        if row.left < 0:
            faults.append(f"{row.name}: {row.value:g}, the bound is {row.bound:g}")
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        print(f"{BUDGETS.relative_to(ROOT)} has the bounds; one that must grow gets its reason there", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
