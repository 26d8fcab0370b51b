"""Files and functions are short enough to be read at once; pytest can tell the files of the tests apart."""

import ast
from collections import Counter

from tests.support.processes import ROOT

FILE_LINES = 500
FUNCTION_LINES = 80
LONGER = {"shogi_engine/search/alphabeta.py:search"}  # its numbered steps are read from top to bottom


def python_files():
    """Yield (name, source) of all Python files of the repository."""
    for folder in ("shogi_engine", "usi", "tools", "tests", "examples"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def long_functions(source):
    """Yield the names of functions and methods in `source` with more than FUNCTION_LINES lines of code."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            described = node.body[0] if ast.get_docstring(node) else None
            docstring = described.end_lineno - described.lineno + 1 if described else 0
            if node.end_lineno - node.lineno - docstring >= FUNCTION_LINES:
                yield node.name


def test_long_functions_are_found():
    line = "    x = 1\n"
    assert list(long_functions("class A:\n  def f(self):\n" + line * FUNCTION_LINES)) == ["f"]
    assert list(long_functions("def g():\n" + line * (FUNCTION_LINES - 1))) == []
    docstring = '    """First.\n\n    Third.\n    """\n'
    assert list(long_functions("def h():\n" + docstring + line * (FUNCTION_LINES - 1))) == []
    assert list(long_functions("def i():\n" + docstring + line * FUNCTION_LINES)) == ["i"]


def test_no_file_is_long():
    assert [name for name, source in python_files() if len(source.splitlines()) > FILE_LINES] == []


def test_only_the_search_is_a_long_function():
    assert {f"{name}:{function}" for name, source in python_files() for function in long_functions(source)} == LONGER


def test_no_two_test_files_have_one_name():
    """Outside packages pytest imports a test file by its base name; of two with one name it refuses the second."""
    files = [file for file in (ROOT / "tests").rglob("test_*.py") if not (file.parent / "__init__.py").exists()]
    twice = [name for name, count in Counter(file.name for file in files).items() if count > 1]
    assert len(files) > 50 and [file for file in files if file.name in twice] == []
