"""The page's texts: each name that the scripts use has a text, and no text stands in the scripts themselves."""

import re
from pathlib import Path
from typing import get_args

import pytest

from shogi_engine.games.shogi.board.drawing import SETS
from shogi_engine.language import LANGUAGES
from shogi_engine.tsume.exercise import ANSWERED, DONE, GOOD, REFUTING, RETRY, WRONG
from shogi_engine.web import app
from shogi_engine.web.analyses import NAMES_OF_VERDICTS
from shogi_engine.web.links import Kind

STATIC = Path(app.__file__).parent / "static"
SCRIPTS = {path.name: path.read_text(encoding="utf-8") for path in STATIC.glob("*.js")}
PAGE = (STATIC / "index.html").read_text(encoding="utf-8")
TSUME = (
    *("searching", "yours", "open", "right", "longer", "slow", "defending", "solved", "unknown", "lost", "no mate"),
    *(REFUTING, WRONG, DONE, GOOD, "praised", "not_yet", ANSWERED, RETRY),
)
# Names that the scripts put together, and those that messages bring.
MADE = {
    *(f"tsume_{status}" for status in TSUME),
    *(f"called_{verdict}" for verdict in NAMES_OF_VERDICTS),
    *("nomate", "timeout"),
    *("gamesCount_one", "movesMade_one"),
    *(f"link_{kind}" for kind in get_args(Kind)),
    *(f"set_{name}" for name in SETS),
    *(f"board_{name}" for name in ("wood", "light", "dark", "paper")),
    *(f"theme_{name}" for name in ("auto", "light", "dark")),
}


def used():
    """Return the names that the page and its scripts ask for."""
    found = set(re.findall(r'data-(?:t|label)="(\w+)"', PAGE))
    for script in SCRIPTS.values():
        for call in re.findall(r"\bt\(([^)]*)", script):
            found |= set(re.findall(r'"(\w+)"', call))
        found |= set(re.findall(r'\b(?:button\("[^"]*"|row)(?:, |\()"(\w+)"', script))
    return found


def test_every_name_has_a_text():
    known = set(app.WORDS)
    assert {name for name in used() if name not in known and name not in ("ja", "black", "white")} == set()
    assert known >= MADE


def test_every_text_is_used():
    everything = PAGE + "".join(SCRIPTS.values())
    unused = [name for name in app.WORDS if name not in MADE and not re.search(rf'["`]{name}["`]', everything)]
    assert unused == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_served_texts_are_complete(language):
    texts = app.words(language)
    assert set(texts) == set(app.WORDS) and all(texts.values())
    if language == "ja":
        left = [name for name, text in texts.items() if re.search("[A-Za-z]{3} [a-z]{2}", text)]
        assert left == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_shares_and_losses_are_written_by_one_function(language):
    """The same sign everywhere, and no blank before %: `percent` of panels.js writes both."""
    assert [text for text in app.words(language).values() if re.search("%|\u2212", text)] == []
    assert [name for name, script in SCRIPTS.items() if re.search(r"\}\s*%", script)] == ["panels.js"]


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_no_script_has_texts_of_its_own(name):
    text = SCRIPTS[name].replace('"日本語"', "")
    assert not re.search("[\u3040-\u30ff\u4e00-\u9fff]", text)
