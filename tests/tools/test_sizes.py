"""tools/sizes.py: what counts as code, whose budget pays for it, and what exceeds a bound."""

import pytest

from tools import sizes

SOURCE = '''"""Two lines
of text."""

import ast  # an import
from os import (
    path,
)

# a comment


class One:
    """A docstring."""

    def two(
        self,
    ) -> str:
        """Another."""
        import sys

        return """not
a docstring"""
'''


def test_code_is_what_is_left():
    assert sizes.size(SOURCE) == sizes.Size(filled=16, code=6, imports=5)


@pytest.mark.parametrize(
    ("path", "package"),
    [
        ("shogi_engine/jobs.py", "shogi_engine"),
        ("shogi_engine/web/app.py", "shogi_engine/web"),
        ("shogi_engine/training/shogi/trainer.py", "shogi_engine/training"),
        ("shogi_engine/games/svg.py", "shogi_engine/games"),
        ("shogi_engine/games/shogi/mate/table.py", "shogi_engine/games/shogi"),
        ("tools/measure/walks.py", "tools"),
        ("usi/loop.py", "usi"),
    ],
)
def test_a_package_pays(path, package):
    assert sizes.package(path) == package


def exceeded(code, median=1, longest=800, **more):
    """Return the names of what exceeds its bound if there are files of `code` lines, each in a package."""
    found = {f"{package}/a.py": sizes.Size(lines + 1, lines, 0) for package, lines in code.items()}
    budgets = {
        "files": {"count": len(found), "median": median, "imports": 5.0, "longest": longest},
        "longer": {},
        "code": {"usi": 10, "tools": 20},
        **more,
    }
    return [row.name for row in sizes.table(found, budgets) if row.left < 0], sizes.too_long(found, budgets)


def test_bounds():
    assert exceeded({"usi": 10, "tools": 20}) == ([], [])
    assert exceeded({"usi": 11, "tools": 19}) == (["usi"], [])
    assert exceeded({"usi": 10, "tools": 20, "tests": 99}) == ([], [])
    assert exceeded({"usi": 10, "tools": 20, "shogi_engine/new": 1})[0] == ["shogi_engine/new", "all packages"]
    assert exceeded({"usi": 4, "tools": 6}, median=7)[0] == ["median lines of a file, at least"]


def test_long_files_have_a_reason():
    assert exceeded({"usi": 9, "tests": 10}, longest=10)[1] == ["tests/a.py has 11 lines, more than 10"]
    assert exceeded({"usi": 9, "tests": 10}, longest=10, longer={"tests/a.py": "one table"})[1] == []
    (needless,) = exceeded({"usi": 9}, longer={"usi/a.py": "one table"})[1]
    assert needless.startswith("usi/a.py has a reason to be longer")
