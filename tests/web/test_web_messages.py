"""What a browser may say to the server, and what is refused before anything looks at it."""

import json
import random
import re
from pathlib import Path
from typing import get_args

import pytest

from shogi_engine.games.shogi.board.drawing import SETS
from shogi_engine.language import LANGUAGES
from shogi_engine.records import all_formats
from shogi_engine.tsume import ANSWERED, DONE, GOOD, REFUTING, RETRY, WRONG
from shogi_engine.web import app, conversation, game_messages
from shogi_engine.web.access import Guard, Slow, is_loopback
from shogi_engine.web.analyses import NAMES_OF_VERDICTS
from shogi_engine.web.conversation import KINDS, parse
from shogi_engine.web.links import Kind
from shogi_engine.web.messages import Message, MessageError, Who
from shogi_engine.web.replies import Wish


@pytest.mark.parametrize(
    ("data", "word"),
    [
        ("", "truncated"), ("[]", "object"), ("null", "object"), ("{", "truncated"), ("[" * 100_000, "object"),
        ('{"do": 1}', "do"), ('{"do": "fly"}', "fly"), ('{"do": ["move"]}', "do"), ('{"do": "move"}', "move"),
        ('{"do": "move", "move": 7}', "move"), ('{"do": "move", "move": "x", "a": 1}', "unknown field `a`"),
        ('{"do": "move", "move": "1234567890123"}', "<= 12"), ('{"do": "go", "node": -1}', "node"),
        ('{"do": "go", "node": true}', "node"), ('{"do": "go", "node": 1e400}', "range"),
        ('{"do": "go", "node": 3.0}', "node"), ('{"do": "step", "to": {}}', "to"),
        ('{"do": "judge", "on": 1}', "on"), ('{"do": "new", "game": "go", "players": [null, 3]}', "game"),
        ('{"do": "game", "game": "shogi\\n"}', "game"), ('{"do": "new", "game": "shogi", "players": [3]}', "players"),
        ('{"do": "line", "node": 0, "moves": []}', "moves"),
        ('{"do": "line", "node": 0, "moves": [' + '"7g7f",' * 200 + '"3c3d"]}', "<= 200"),
        (b"\xff\xfe", "malformed"), (b'{"do": "comment", "text": "\xed\xa0\x80"}', "utf-8"),
        ('{"do": "comment", "text": "a\\ud800b"}', "malformed|truncated"),
        ('{"do": "comment", "text": "a\ud800b"}', "surrogates"),
        ('{"do": "comment", "text": "' + 2001 * "x" + '"}', "2000"),
    ],
)  # fmt: skip
def test_what_is_no_message_is_refused_with_a_reason(data, word):
    with pytest.raises(MessageError, match=word):
        parse(data)


def test_a_message_keeps_its_fields():
    message = '{"do": "new", "game": "shogi", "players": [null, 3], "clock": "10m", "re": 7}'
    assert parse(message) == game_messages.New(re=7, game="shogi", players=[None, 3], clock="10m")
    assert parse(b'{"do": "comment", "text": "\xe8\x89\xaf\\ud83d\\ude00"}') == game_messages.Comment(text="良😀")


def test_who_may_send_a_message_and_when():
    watchers = {"look", "hello", "resync", "ping", "preview", "save", "diagram", "step", "go", "name"}
    players = {"move", "undo", "resign", "declare", "ask", "answer_to"}
    helps = {"think", "analyse", "explore", "judge", "mate", "level"}
    not_while_setting_up = {"think", "move", "step", "go", "undo", "delete", "promote", "restore", "line", "mate"}
    not_while_setting_up |= {"better", "invite", "take", "hint", "repertoire"}
    # and some only at times, as `_permit_now` says
    assert {name for name, kind in KINDS.items() if kind.who == Who.WATCHER} == watchers
    assert {name for name, kind in KINDS.items() if kind.who == Who.PLAYER} == players
    assert {name for name, kind in KINDS.items() if kind.helps} == helps
    assert {name for name, kind in KINDS.items() if not kind.setting_up} == not_while_setting_up
    work, disk = {"open", "paste", "sheet", "save"}, {"explore", "kept", "continue", "forget", "recall", "problems"}
    disk |= {"course", "lessons", "lesson", "better", "take", "tsume", "repertoire", "learn", "invite", "revoke"}
    assert {name for name, kind in KINDS.items() if kind.slow is Slow.WORK} == work
    assert {name for name, kind in KINDS.items() if kind.slow is Slow.DISK} == disk


def test_each_message_is_obeyed():
    assert len(KINDS) == 58
    assert all(kind._obey is not Message._obey for kind in KINDS.values())


def test_too_long_a_message_is_refused(monkeypatch):
    monkeypatch.setattr(conversation, "MESSAGE_MAX", 10)
    with pytest.raises(MessageError, match="too long"):
        parse('{"do": "ping"}')


def random_value(rng, depth=0):
    """Return anything that JSON can say."""
    kind = rng.randrange(8 if depth < 3 else 6)
    if kind < 6:
        return rng.choice([None, True, -1, 0, 3, 1 << 70, 1.5, "", "7g7f", "shogi", "\0\ud7ff", "x" * 300])
    if kind == 6:
        return [random_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice(["do", "move", "on", "node"]): random_value(rng, depth + 1) for _ in range(rng.randrange(4))}


def test_random_messages_are_taken_or_refused():
    rng = random.Random(5)
    taken = 0
    for _ in range(5000):
        name, kind = rng.choice(list(KINDS.items()))
        message = {"do": name} | {key: random_value(rng) for key in kind.__struct_fields__ if rng.random() < 0.9}
        try:
            taken += type(parse(json.dumps(message))) is kind
        except MessageError as fault:
            assert str(fault)
    assert 100 < taken < 4900


# ---- who may come in


def test_only_other_machines_need_a_token():
    assert [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "127.9.9.9")] == [True] * 4
    assert [is_loopback(host) for host in ("0.0.0.0", "::", "192.168.1.2", "example.org")] == [False] * 4
    assert Guard.of("127.0.0.1").token == "" and len(Guard.of("0.0.0.0").token) > 20
    assert Guard.of("127.0.0.1", "secret").token == "secret"


@pytest.mark.parametrize(
    ("host", "origin", "known", "own"),
    [
        ("localhost:8765", None, True, True), ("127.0.0.1:8765", "http://127.0.0.1:8765", True, True),
        ("[::1]:8765", "http://[::1]:8765", True, True), ("evil.example:8765", "http://evil.example:8765", False, True),
        ("127.0.0.1:8765", "http://evil.example", True, False), ("127.0.0.1:8765", "null", True, False),
        ("127.0.0.1:8765", "http://127.0.0.1:9999", True, False), ("", None, False, True), ("[", None, False, True),
    ],
)  # fmt: skip
def test_hosts_and_origins(host, origin, known, own):
    headers = {"host": host} | ({"origin": origin} if origin else {})
    guard = Guard()
    assert (guard.knows_host(headers), guard.is_own_page(headers)) == (known, own)


# ---- words -------------------------------------------------------------------------------------------------------


STATIC = Path(app.__file__).parent / "static"
SCRIPTS = {path.name: path.read_text(encoding="utf-8") for path in STATIC.glob("*.js")}
PAGE = (STATIC / "index.html").read_text(encoding="utf-8")
TSUME = (
    *(
        "searching",
        "yours",
        "open",
        "right",
        "longer",
        "slow",
        "defending",
        "solved",
        "unknown",
        "lost",
        "no mate",
        "not_yet",
    ),
    *(REFUTING, WRONG, DONE, GOOD, "praised", ANSWERED, RETRY),
)
# Names that the scripts put together, and those that messages bring.
MADE = {
    *(f"tsume_{status}" for status in TSUME),
    *(f"called_{verdict}" for verdict in NAMES_OF_VERDICTS),
    *("nomate", "timeout"),
    *("gamesCount_one", "movesMade_one"),
    *(f"link_{kind}" for kind in get_args(Kind)),
    *(f"{word}_{wish}" for word in ("asked", "asks") for wish in get_args(Wish)),
    *(f"words_{level}" for level in ("kyu", "dan")),
    *(f"format_{format.name}" for format in all_formats() if format.name != "wthor"),
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
    names = {name: name.removesuffix("_local") for name in app.WORDS}  # texts of the page without a server
    unused = [name for name, of in names.items() if of not in MADE and not re.search(rf'["`]{of}["`]', everything)]
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


@pytest.mark.parametrize("name", sorted(SCRIPTS.keys() - {"files.js"}))  # which has the words of record formats
def test_no_script_has_texts_of_its_own(name):
    text = SCRIPTS[name].replace('"日本語"', "")
    assert not re.search("[\u3040-\u30ff\u4e00-\u9fff]", text)
