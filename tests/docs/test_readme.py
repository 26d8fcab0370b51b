"""The README and the pages of docs/: "add a game" is the test game, all of it; commands and the folder map are true."""

import re
import shlex

import pytest

from shogi_engine import games
from shogi_engine.__main__ import parser
from shogi_engine.jit import cache_folder
from tests.support.processes import ROOT, environment, needs_workshop, run
from tools.generate import leaves, subcommands

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def lines(text):
    return [line for line in text.splitlines() if line.strip()]


def add_a_game():
    """Return the code of the page "Add a game"."""
    page = (ROOT / "docs/add-a-game.md").read_text(encoding="utf-8")
    return "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))


def test_add_a_game_is_literally_the_test_game():
    assert lines(add_a_game()) == lines((ROOT / "tests/support/games/tictactoe.py").read_text(encoding="utf-8"))


NEW_GAME = """
import json
from my_game import GAME
from shogi_engine import Engine, Limit
from shogi_engine.perft import perft
from shogi_engine.search.timeman import Limits
from shogi_engine.search.root import Searcher

with Engine(GAME, hash_mb=1) as engine:
    leaves = [engine.perft(engine.board(), depth).nodes for depth in range(1, 6)]
    drawn = engine.analyse(engine.board(), Limit(depth=10))
    won = engine.analyse(engine.board("XX-OO----"), Limit(depth=4))
found = Searcher(GAME, hash_mb=1).search(GAME.parse_position("-" * 9), (), Limits(depth=10))
print(json.dumps([leaves, str(drawn.score), len(drawn.pv), str(won.pv[0]), str(won.score), found.score]))
"""


@needs_workshop
def test_add_a_game_followed_literally_gives_a_game_that_plays(tmp_path):
    (tmp_path / "my_game.py").write_text(add_a_game(), encoding="utf-8")
    folder = cache_folder()
    found = run(NEW_GAME, environment(folder and folder.parent, ROOT, tmp_path), cwd=tmp_path)
    leaves, *played = found
    assert leaves == [9, 72, 504, 3024, 15120]
    assert played == ["cp 0", 9, "3", "mate 1", 0]


@each_page
def test_every_command_exists(page):
    assert set(re.findall(r"shogi-engine (\w+)", page.read_text(encoding="utf-8"))) <= set(subcommands(parser()))


def command_lines(text):
    """Return the words of the commands in a page's blocks of code."""
    blocks = re.findall(r"```(?:sh|powershell)\n(.*?)```", text, re.DOTALL)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    commands = [part for line in lines for part in re.split(r" && | \|+ |; | > | 2> ", line)]
    found = [re.match(r"\s*(?:\S*[/\\])?shogi-engine (\w.*)", command) for command in commands]
    return [shlex.split(each[1], comments=True) for each in found if each]


@each_page
def test_every_command_line_is_understood(page, monkeypatch):
    monkeypatch.setitem(games._registry._modules, "breakthrough", "breakthrough")  # `pip install ./examples/games`
    if page.parent.name != "notebook":  # its commands are those of their day
        for words in command_lines(page.read_text(encoding="utf-8")):
            parser().parse_args(words)


def test_commands_are_found_and_a_wrong_one_is_noticed():
    page = "```sh\ncd x && .venv/bin/shogi-engine play shogi --level 5 # 5\nshogi-engine perft shogi \\\n  3 | cat\n```"
    assert command_lines(page) == [["play", "shogi", "--level", "5"], ["perft", "shogi", "3"]]
    with pytest.raises(SystemExit):
        parser().parse_args(["book", "shogi", "explore", "kifu/"])


def test_every_command_is_on_its_page():
    page = (ROOT / "docs/command-line.md").read_text(encoding="utf-8")
    assert [name for name in leaves(parser()).values() if f"\n## {name}\n" not in page] == []


def folder_map():
    """Return the paths in the first column of the table of packages on the page "Architecture", a list a row."""
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    section = page.split("## The packages")[1].split("\n#")[0]
    cells = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    return [[ROOT / name for name in re.findall(r"`([^`]+)`", cell)] for cell in cells]


def test_the_folder_map_names_what_is_there():
    assert len(folder_map()) > 10
    for path in (path for row in folder_map() for path in row):
        assert path.exists(), path


def test_the_folder_map_names_all_of_the_package():
    named = {path.name for row in folder_map() for path in row} | {"py.typed"}
    there = {path.name for path in (ROOT / "shogi_engine").iterdir() if not path.name.startswith(("_", "."))}
    assert there - named == set()


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 100
