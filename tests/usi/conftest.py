"""What tests of the conversation share.

A test takes `engine`, a process that is a module's COMMAND or only pretends to think, and then the engine for pages in
node; with a mark `process("why")` only the former.
"""

import shutil

import pytest

from tests.embedded.test_wasm import FOLDER
from tests.support.usi_driver import FAKE, ROOT, Process

PAGE = ["node", str(ROOT / "tests/embedded/host.mjs"), str(FOLDER), "shogi"]


def pytest_generate_tests(metafunc):
    if "engine" in metafunc.fixturenames:
        only = metafunc.definition.get_closest_marker("process")
        metafunc.parametrize("engine", ["process"] if only else ["process", "page"], indirect=True)


@pytest.fixture
def engine(request):
    """An engine that is ready and shows every line at once."""
    command = getattr(request.module, "COMMAND", FAKE)
    if request.param == "page":
        command = PAGE
        if shutil.which("node") is None or not (FOLDER / "shogi.wasm").is_file():
            pytest.skip(f"no node, or no modules in {FOLDER}")
    with Process(command) as process:
        yield process.ready("setoption name USI_Hash value 16", "setoption name PvInterval value 0")
