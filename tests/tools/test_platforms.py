"""The checks of an installation notice faults; the portable folder holds what it should."""

import os
import subprocess
import sys
import zipfile

import pytest

from shogi_engine import __version__
from tests.support.processes import ROOT, environment
from tools import build_portable, platforms
from tools.platforms import checks, windows

FAKE = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "quit":
        break
    if word == {deaf!r}:
        continue
    print({{"usi": "usiok", "isready": "readyok", "go": "bestmove 7g7f"}}.get(word, "info"), flush=True)
"""


@pytest.fixture
def engine(tmp_path):
    """Return a function that makes an engine without answer to one command."""

    def make(deaf, time_factor=1.0):
        program = tmp_path / "fake.py"
        program.write_text(FAKE.format(deaf=deaf), encoding="utf-8")
        return checks.Engine([sys.executable, str(program)], [], tmp_path, time_factor=time_factor)

    return make


@pytest.mark.parametrize("deaf", ["usi", "isready", "go"])
def test_without_an_answer_the_first_start_fails_and_nothing_else_is_tried(engine, capsys, deaf):
    made = engine(deaf, 1.0 / checks.ANSWERED)  # a second
    assert checks.run_checks(made, ["first_start", "later_start"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("first_start") and "FAILED  no " in out and "later_start" not in out


def test_an_engine_that_answers_passes_and_one_without_a_search_fails(engine, capsys):
    made = engine("")
    assert checks.run_checks(made, ["first_start", "script"]) == 0
    made = engine("go")
    assert checks.run_checks(made, ["script"]) == 1
    assert "FAILED  status 0, answers ['usiok', 'readyok']" in capsys.readouterr().out


def test_other_counts_fail(engine, monkeypatch):
    made = engine("")
    monkeypatch.setattr(checks.Engine, "run", lambda self, *words: '{"nodes": 719731}')
    with pytest.raises(checks.CheckError, match="perft othello 7 is 719731, not 55092"):
        checks.counts(made)
    monkeypatch.setattr(checks, "PERFT", {})
    made.bench = 5
    with pytest.raises(checks.CheckError, match="bench is 719731, not 5"):
        checks.counts(made)


def test_a_check_that_does_not_exist_is_refused():
    result = subprocess.run(
        [sys.executable, checks.__file__, "frist_start"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 2 and result.stderr.endswith("error: no such check: frist_start\n")


def test_the_workflow_names_options_that_the_tools_have():
    files = (ROOT / ".github" / "workflows").glob("*.yml")
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    for name, tool in (("checks.py", checks), ("build_portable", build_portable)):
        options = {word for line in lines if name in line for word in line.split() if word.startswith("--")}
        command = [sys.executable, "-m", tool.__name__, "--help"]
        helped = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        assert options and all(f" {option} " in helped for option in options), options


def test_what_cannot_be_downloaded_is_said_and_not_checked(tmp_path, monkeypatch, capsys):
    for name, value in (("INDEX_URL", "http://127.0.0.1:9/simple"), ("FIND_LINKS", ""), ("RETRIES", "0")):
        monkeypatch.setenv(f"PIP_{name}", value)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    with pytest.raises(SystemExit) as end:
        platforms.pip("windows", "download", "--no-deps", f"--dest={tmp_path}", "no-such-package")
    assert end.value.code == platforms.UNAVAILABLE
    assert capsys.readouterr().err == "not checked: pip download failed\n"


@pytest.mark.parametrize("name", build_portable.PROGRAMS)
def test_a_program_of_the_portable_folder_starts_the_python_beside_it(tmp_path, name):
    pytest.importorskip("distlib")
    build_portable.write_programs(tmp_path)
    program = tmp_path / f"{name}.exe"
    content = program.read_bytes()
    assert content.startswith(b"MZ") and content.count(b"#!<launcher_dir>\\python\\python.exe\r\n") == 1
    assert zipfile.ZipFile(program).namelist() == ["__main__.py"]
    words, sent = ([], "usi\nquit\n") if name == "shogi-usi" else (["--version"], "")
    command = [sys.executable, str(program), *words]  # as the launcher does
    result = subprocess.run(command, input=sent, env=environment(tmp_path), capture_output=True, text=True, timeout=120)
    assert result.returncode == 0 and __version__ in result.stdout


def test_python_of_another_version_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "embedded.zip", "w") as archive:
        archive.writestr("python302.dll", "")
    with pytest.raises(SystemExit, match="is not Python 3"):
        build_portable.put_python(tmp_path / "python", tmp_path / "embedded.zip")


def test_every_part_comes_with_its_licence(tmp_path):
    pytest.importorskip("distlib")
    installed = tmp_path / "python" / build_portable.PACKAGES
    (tmp_path / "python" / "LICENSE.txt").parent.mkdir(parents=True)
    (tmp_path / "python" / "LICENSE.txt").write_text("PSF")
    parts = ("LICENSE", "licenses/LICENSE", "licenses/part/LICENSE", "licenses/part/other.txt")
    for name in (*(f"one-1.0.dist-info/{part}" for part in parts), "one-1.0.dist-info/METADATA"):
        (installed / name).parent.mkdir(parents=True, exist_ok=True)
        (installed / name).write_text(name)
    build_portable.write_licences(tmp_path / "licences", tmp_path / "python")
    found = {path.relative_to(tmp_path / "licences") for path in (tmp_path / "licences").rglob("*") if path.is_file()}
    assert {path.as_posix() for path in found if path.parts[0] == "one-1.0"} == {f"one-1.0/{part}" for part in parts}
    assert {path.parts[0].split()[0] for path in found} == {"Python", "one-1.0", "distlib"}


def test_the_page_to_read_first_names_the_version_and_the_programs(tmp_path):
    build_portable.write_page(tmp_path)
    (page,) = tmp_path.iterdir()
    text = page.read_text(encoding="utf-8")
    assert page.name == build_portable.PAGE_NAME and f"shogi_engine {__version__}" in text and "VERSION" not in text
    assert text.count("shogi-usi.exe") == 2


def test_the_readmes_name_the_page():
    for name in ("README.md", "README.ja.md"):
        assert build_portable.PAGE_NAME in (ROOT / name).read_text(encoding="utf-8")


def test_a_file_is_named_as_wine_names_it():
    assert windows.windows_path(ROOT).startswith("Z:\\") or sys.platform == "win32"
