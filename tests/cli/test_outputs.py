"""Outputs that would overwrite an input or each other, and secrets that no output shows."""

import errno
import json
import os
import subprocess
import sys

import pytest

from shogi_engine import records
from shogi_engine.__main__ import main
from shogi_engine.analysis import analyst
from shogi_engine.cli import analyse, doctor
from shogi_engine.cli.analyse import check_files
from shogi_engine.cli.common import check_outputs
from shogi_engine.records import GameRecord
from tests.support.conversation import ROOT

RECORD = GameRecord.from_moves("shogi", ["7g7f", "3c3d"])
RUN = '{"depth": 1, "width": 1, "margin": 4, "max_ply": 1}\n'


@pytest.mark.parametrize(
    "words",
    [
        ["convert", "game.kif", "game.kif"], ["convert", "game.kif", "./game.kif"], ["convert", "game.kif", "link.kif"],
        ["convert", "game.kif", "folder/../game.kif", "--encoding", "utf-8"], ["convert", "game.kif", "folder"],
        ["analyse", "game.kif", "--out", "link.kif"], ["analyse", "game.kif", "--html", "game.kif"],
        ["analyse", "game.kif", "--save", "new", "--html", "./new"],
        ["book", "othello", "export", "run", "--out", "run"], ["book", "othello", "import", "run", "--out", "run"],
        ["book", "othello", "build", "run", "--out", "./run"],
        ["book", "othello", "extend", "run", "--records", "game.kif", "--out", "game.kif"],
        ["match", "engine", "engine", "--log", "new", "--html", "new"],
        ["match", "engine", "engine", "--openings", "run", "--out", "run"],
        ["match", "engine", "engine", "--log", "game.kif"],
        ["mate", "game.kif", "--out", "link.kif"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_no_output_overwrites_what_is_read_or_another_output(tmp_path, monkeypatch, capsys, words):
    monkeypatch.chdir(tmp_path)
    records.save(RECORD, "game.kif")
    (tmp_path / "folder").mkdir()
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "link.kif").symlink_to("game.kif")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    assert main(words) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert {
        path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file() and path.name[0] != "."
    } == before


def test_outputs_are_refused_with_their_options(tmp_path):
    for outputs, inputs, reason in (
        ({"--a": tmp_path / "none" / "a"}, [], "there is no folder"),
        ({"--a": tmp_path}, [], "--a must be a file"),
        ({"--a": tmp_path / "x", "--b": tmp_path / "." / "x"}, [], "--a and --b would write the same file"),
        ({"--a": tmp_path / "x"}, [None, tmp_path / "x"], "--a would overwrite"),
    ):
        with pytest.raises(ValueError, match=reason):
            check_outputs("it", outputs, inputs)
    check_outputs("it", {"--a": tmp_path / "x", "--b": None, "--c": ""}, ["", None, tmp_path / "y"])


def test_doctor_shows_no_secret(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "examine_engine", lambda *_: None)
    for name in ("SHOGI_ENGINE_CSA_PASSWORD", "SHOGI_ENGINE_TOKEN", "SHOGI_ENGINE_LATER", "NUMBA_SECRET"):
        monkeypatch.setenv(name, "hunter2secret")
    monkeypatch.setenv("NUMBA_NUM_THREADS", "2")
    for words in (["doctor"], ["doctor", "--json"]):
        main(words)
        shown = capsys.readouterr().out
        assert "hunter2secret" not in shown and "NUMBA_NUM_THREADS" in shown
    assert json.loads(shown.splitlines()[-1])["settings"]["NUMBA_NUM_THREADS"] == "2"


def test_the_token_of_a_server_is_not_in_its_words():
    from shogi_engine.web.access import Guard

    guard = Guard.of("0.0.0.0", "hunter2secret")
    assert "hunter2secret" not in repr(guard) and guard.is_token("hunter2secret")


def test_the_token_can_come_from_the_environment(monkeypatch):
    from shogi_engine.cli import serve
    from shogi_engine.web import access as guard

    asked = []

    def refuse(host, token):
        asked.append((host, token))
        raise ValueError("enough")

    monkeypatch.setattr(guard.Guard, "of", refuse)
    monkeypatch.setenv(serve.TOKEN_VARIABLE, "hunter2secret")
    assert main(["serve", "--host", "127.0.0.1"]) == 2
    assert asked == [("127.0.0.1", "hunter2secret")] and serve.TOKEN_VARIABLE not in os.environ


def test_the_folder_of_several_annotated_records_is_made(tmp_path):
    files = [str(tmp_path / name) for name in ("a.kif", "b.kif")]
    for file in files:
        records.save(RECORD, file)
    check_files(files, str(tmp_path / "new" / "annotated"), {})
    assert (tmp_path / "new" / "annotated").is_dir()
    with pytest.raises(ValueError, match="--out must be a folder for 2 files"):
        check_files(files, files[0], {})


def test_each_output_is_tried_and_each_fault_told(tmp_path, monkeypatch, capsys):
    """On a full disk: what was analysed for hours is shown, and goes to those files that can be written."""
    for name in ("one.kif", "two.kif"):
        records.save(RECORD, tmp_path / name)
    (tmp_path / "out").mkdir()
    written = []

    def write(path, content):
        written.append(os.path.basename(path))
        if written[-1] != "two.kif":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    for module in (analyse, analyse, analyst):
        monkeypatch.setattr(module, "write_whole", write)
    words = [
        "--out", str(tmp_path / "out"), "--html", str(tmp_path / "page.html"), "--save", str(tmp_path / "kept.json"),
    ]  # fmt: skip
    status = main(
        ["analyse", str(tmp_path / "one.kif"), str(tmp_path / "two.kif"), "--limit", "nodes=10", "--json", *words]
    )
    out, err = capsys.readouterr()
    assert status == 2 and len(json.loads(out.splitlines()[-1])["games"]) == 2
    assert {"one.kif", "two.kif", "page.html", "kept.json"} == set(written)
    told = [line for line in err.splitlines() if os.strerror(errno.ENOSPC) in line]
    assert len(told) == 3 and all(any(name in line for line in told) for name in ("one.kif", "page.html", "kept.json"))


def test_a_closed_pipe_ends_a_command_without_a_word():
    for words in (["match", "shogi", "--list"], ["--help"]):
        reading, writing = os.pipe()
        os.close(reading)
        command = [sys.executable, "-m", "shogi_engine", *words]
        done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, timeout=300, cwd=ROOT)
        os.close(writing)
        assert done.stderr == b"" and done.returncode in (0, 141), words  # argparse ignores it
        assert done.returncode == 141 or words == ["--help"]
