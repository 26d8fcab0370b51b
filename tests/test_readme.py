"""The README's "add a game" is the test game, all of it and nothing else; its commands exist."""

import re
from pathlib import Path

from shogi_engine.__main__ import parser

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def lines(text):
    return [line for line in text.splitlines() if line.strip()]


def test_add_a_game_is_literally_the_test_game():
    section = README.split("## Add a game")[1].split("\n## ")[0]
    blocks = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    assert lines("\n".join(blocks)) == lines((ROOT / "tests/games/tictactoe.py").read_text(encoding="utf-8"))


def test_every_command_in_the_readme_exists():
    known = parser().format_help()
    for name in set(re.findall(r"shogi-engine (\w+)", README)):
        assert f"\n    {name} " in known or f"\n    {name}\n" in known, name


def test_the_folder_map_names_what_is_there():
    rows = README.split("## The folders")[1].split("\n## ")[0]
    for cell in re.findall(r"^\| (`.*?) \|", rows, re.MULTILINE):
        names = re.findall(r"`([^`]+)`", cell)
        folder = Path(names[0]).parent if names[0].endswith(".py") else Path()
        for name in names:
            assert (ROOT / name).exists() or (ROOT / folder / name).exists(), name
