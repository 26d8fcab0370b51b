"""The README's "add a game" is the test game, all of it and nothing else; its commands exist."""

import re

from processes import ROOT, environment, run

from shogi_engine.__main__ import parser
from shogi_engine.jit import cache_folder

README = (ROOT / "README.md").read_text(encoding="utf-8")


def lines(text):
    return [line for line in text.splitlines() if line.strip()]


def add_a_game():
    """Return the code of the section "Add a game"."""
    section = README.split("## Add a game")[1].split("\n## ")[0]
    return "\n".join(re.findall(r"```python\n(.*?)```", section, re.DOTALL))


def test_add_a_game_is_literally_the_test_game():
    assert lines(add_a_game()) == lines((ROOT / "tests/games/tictactoe.py").read_text(encoding="utf-8"))


NEW_GAME = """
import json
from my_game import GAME
from shogi_engine import Engine
from shogi_engine.perft import perft
from shogi_engine.search.limits import Limits
from shogi_engine.search.root import Searcher

with Engine(GAME, hash_mb=1) as engine:
    leaves = [engine.perft(depth).nodes for depth in range(1, 6)]
    drawn = engine.search(depth=10)
    engine.set_position("XX-OO----")
    won = engine.search(depth=4)
found = Searcher(GAME, hash_mb=1).search(GAME.parse_position("-" * 9), (), Limits(depth=10))
print(json.dumps([leaves, drawn.score, len(drawn.pv), won.bestmove, won.score, found.score]))
"""


def test_add_a_game_followed_literally_gives_a_game_that_plays(tmp_path):
    (tmp_path / "my_game.py").write_text(add_a_game(), encoding="utf-8")
    folder = cache_folder()
    found = run(NEW_GAME, environment(folder and folder.parent, ROOT, tmp_path), cwd=tmp_path)
    leaves, *played = found
    assert leaves == [9, 72, 504, 3024, 15120]
    assert played == ["cp 0", 9, "3", "mate 1", 0]


def test_every_command_in_the_readme_exists():
    known = parser().format_help()
    for name in set(re.findall(r"shogi-engine (\w+)", README)):
        assert f"\n    {name} " in known or f"\n    {name}\n" in known, name


def test_the_folder_map_names_what_is_there():
    rows = README.split("## The folders")[1].split("\n## ")[0]
    for cell in re.findall(r"^\| (`.*?) \|", rows, re.MULTILINE):
        names = re.findall(r"`([^`]+)`", cell)
        folder = (ROOT / names[0]).parent if names[0].endswith(".py") else ROOT
        for name in names:
            assert (ROOT / name).exists() or (folder / name).exists(), name
