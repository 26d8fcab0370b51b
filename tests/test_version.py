"""The version is written once, and every program names it."""

import re
import subprocess
import sys
import tomllib

import pytest

from shogi_engine import __version__
from tests.support.processes import ROOT, environment

PROGRAMS = {  # what is sent, and what the answer must contain
    ("shogi_engine", "--version"): ("", f"shogi-engine {__version__}"),
    ("usi",): ("usi\nquit\n", f"id name shogi_engine {__version__}"),
    ("shogi_engine", "gtp"): ("version\nquit\n", f"= {__version__}"),
    ("shogi_engine", "nboard"): ("nboard 2\nquit\n", f"set myname shogi_engine {__version__}"),
}


@pytest.mark.parametrize("words", PROGRAMS)
def test_every_program_names_the_version(tmp_path, words):
    sent, expected = PROGRAMS[words]
    command = [sys.executable, "-P", "-m", *words]
    result = subprocess.run(command, input=sent, env=environment(tmp_path), capture_output=True, text=True, timeout=120)
    assert result.returncode == 0 and expected in result.stdout.splitlines(), result


def test_the_version_is_that_of_the_last_release_in_the_changelog():
    assert re.findall(r"^## \[(\d\S*)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)[0] == __version__


def test_no_other_file_has_a_version_of_its_own():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["dynamic"] == ["version"] and "version" not in project["project"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "shogi_engine.__version__"}
