"""What lies in the folder that an engine is started in is not imported."""

import os
import subprocess
import sys

import pytest

from shogi_engine.cli import doctor
from tests.support.processes import ROOT, environment

TRAP = "import sys\nsys.exit('imported from the folder that it was started in')\n"
NAMES = ("queue", "random", "select", "faulthandler", "argparse", "json", "dataclasses", "numpy", "numba")
STARTS = {"usi": ("usi\nquit\n", "usiok"), "shogi_engine nboard": ("ping 3\nquit\n", "pong 3")}


@pytest.fixture
def trapped(tmp_path):
    """Return a folder full of modules with the names of others."""
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(TRAP)
    return tmp_path


def talk(command, said, cwd, env=None):
    """Return the lines that `command` answers."""
    done = subprocess.run(command, input=said, capture_output=True, text=True, timeout=60, cwd=cwd, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.mark.parametrize("module", STARTS)
def test_a_module_started_with_m(trapped, module):
    said, answer = STARTS[module]
    assert answer in talk([sys.executable, "-m", *module.split()], said, trapped, environment(None))


@pytest.mark.parametrize("module", STARTS)
def test_a_checkout_need_not_be_installed(module):
    said, answer = STARTS[module]
    env = environment(None)
    del env["PYTHONPATH"]
    assert answer in talk([sys.executable, "-m", *module.split()], said, ROOT, env)


@pytest.mark.skipif(os.name == "nt", reason="a shell script")
def test_the_launcher(trapped, tmp_path_factory):
    file = tmp_path_factory.mktemp("launcher") / "engine"
    doctor.write_launcher(file)
    (trapped / "usi.py").write_text(TRAP)
    (trapped / "shogi_engine.py").write_text(TRAP)
    assert talk([str(file)], "usi\nquit\n", trapped)[-1] == "usiok"
