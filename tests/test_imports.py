"""The import contracts of pyproject.toml: they hold, and each one notices a violation."""

import ast
import graphlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from shogi_engine import games

pytest.importorskip("importlinter")

ROOT = Path(__file__).resolve().parent.parent
LINT = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"

VIOLATIONS = {  # the contract that is broken, by what is added where
    "imports point downwards": ("shogi_engine/common/bits.py", "import shogi_engine.interface.game"),
    "the imports of a game point downwards": (
        "shogi_engine/games/shogi/movegen.py",
        "import shogi_engine.games.shogi.game",
    ),
    "no game knows another game": ("shogi_engine/games/othello/__init__.py", "import shogi_engine.games.shogi.types"),
    "the search and perft know no game": ("shogi_engine/search/tt.py", "import shogi_engine.games.shogi.types"),
    "records know no game": ("shogi_engine/records/tree.py", "import shogi_engine.games.shogi.types"),
    "numba is the workshop's": ("shogi_engine/jit/policy.py", "import numba"),
    "usi loads no numba but through the engine": ("usi/protocol.py", "import shogi_engine.search.tt"),
}


def lint(folder: Path) -> subprocess.CompletedProcess:
    """Run import-linter on the packages in `folder`."""
    env = os.environ | {"PYTHONPATH": str(folder), "PYTHONIOENCODING": "utf-8"}
    return subprocess.run([sys.executable, "-c", LINT], cwd=folder, env=env, capture_output=True, encoding="utf-8")


def test_the_contracts_hold():
    result = lint(ROOT)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("contract", VIOLATIONS)
def test_a_violation_is_noticed(tmp_path, contract):
    file, line = VIOLATIONS[contract]
    for package in ("shogi_engine", "usi"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with open(tmp_path / file, "a") as source:
        source.write(f"\n\n{line}\n")
    result = lint(tmp_path)
    assert result.returncode == 1
    assert f"{contract} BROKEN" in result.stdout


def imports(folder: Path) -> dict[str, set[str]]:
    """Return what each module of the packages in `folder` imports of them.

    Imports under TYPE_CHECKING, in functions and by `importlib.import_module("name")` count too.
    """
    files = {}
    for file in (path for package in ("shogi_engine", "usi") for path in (folder / package).rglob("*.py")):
        parts = file.relative_to(folder).with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    graph = {}
    for name, file in files.items():
        found = set()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                inner = {f"{node.module}.{alias.name}" for alias in node.names}
                found |= inner & set(files) or {node.module}
            elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
                found |= {str(argument.value) for argument in node.args if isinstance(argument, ast.Constant)}
        graph[name] = {module for module in found if module in files and module != name}
    return graph


def scripts(folder: Path) -> dict[str, set[str]]:
    """Return what each script of the page in `folder` imports of the others."""
    return {file.name: set(re.findall(r'from "\./(.+?)"', file.read_text("utf-8"))) for file in folder.glob("*.js")}


@pytest.mark.parametrize(
    "graph", [imports(ROOT), scripts(ROOT / "shogi_engine" / "web" / "static")], ids=["modules", "scripts"]
)
def test_no_modules_import_each_other_in_a_circle(graph):
    assert any(graph.values())
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def test_a_circle_of_scripts_is_noticed(tmp_path):
    for name, other in (("one", "two"), ("two", "one")):
        (tmp_path / f"{name}.js").write_text(f'import {{line}} from "./{other}.js";\n')
    with pytest.raises(graphlib.CycleError):
        graphlib.TopologicalSorter(scripts(tmp_path)).prepare()


@pytest.mark.parametrize(
    "line",
    [
        "if TYPE_CHECKING:\n    import {}",
        "def load():\n    from {} import name",
        "def load():\n    return importlib.import_module('{}')",
    ],
)
def test_a_circle_is_noticed(tmp_path, line):
    (tmp_path / "shogi_engine").mkdir()
    for name, other in (("one", "two"), ("two", "one")):
        (tmp_path / "shogi_engine" / f"{name}.py").write_text(line.format(f"shogi_engine.{other}"))
    with pytest.raises(graphlib.CycleError):
        graphlib.TopologicalSorter(imports(tmp_path)).prepare()


@pytest.mark.parametrize("name", games.NAMES)
def test_a_game_comes_with_all_its_rules(name):
    """Rules are registered where they stand: of a module that no one imports the search would take the defaults."""
    folder = Path(games.__file__).parent / name
    modules = {
        f"shogi_engine.games.{name}.{'.'.join(file.relative_to(folder).with_suffix('').parts)}"
        for file in folder.glob("**/*.py")
        if "@provides(" in file.read_text()
    }
    code = f"import sys; from shogi_engine import games; games.load({name!r}); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    assert modules and modules <= set(loaded.stdout.split())
