"""Files that once came out wrong, from tests/data/cases.toml: a command, and what it prints."""

import tomllib
from pathlib import Path

import pytest

from shogi_engine.__main__ import main

CASES = tomllib.loads((Path(__file__).parents[1] / "data" / "cases.toml").read_text(encoding="utf-8"))["case"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_command(case, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path(case["file"]).write_text(case["text"], encoding="utf-8")
    assert main(case["command"].split()) == 0
    said = capsys.readouterr()
    assert all(text in said.out for text in case["out"]), said.out
    assert all(text in said.err for text in case["err"]) and bool(said.err) == bool(case["err"]), said.err
