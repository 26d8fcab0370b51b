"""The catalogue of translations is complete and compiled, and nothing that players read is left in English."""

import argparse
import re

import pytest

from shogi_engine import language
from shogi_engine.__main__ import main, parser
from shogi_engine.language import translate

pytest.importorskip("babel")
from tools import catalogue  # noqa: E402

# Three words of English in a row, that are no list of names.
ENGLISH = re.compile(r"[A-Za-z][a-z']+(?: [a-z][a-z']*){2,}")

OTHER_NAMES = {"{pawns}": "{centipawns}"}  # a translation may show the same value in another unit


@pytest.fixture
def japanese(monkeypatch):
    """Speak Japanese during a test."""
    monkeypatch.setenv("LANGUAGE", "")
    language.use("ja")
    yield
    language.use("en")


def test_nothing_is_missing_and_what_is_compiled_is_what_is_written():
    texts = catalogue.updated()
    assert catalogue.missing(texts) == []
    assert catalogue.PO.read_bytes() == catalogue.written(texts), "run python -m tools.catalogue"
    assert catalogue.MO.read_bytes() == catalogue.compiled(texts), "run python -m tools.catalogue"


def test_a_new_text_would_be_missed(tmp_path):
    file = tmp_path / "new.py"
    file.write_text('raise ValueError(f"no {x} here, {y!r}")\nprint(_("of {count}"))\nadd(help="help me")\n')
    texts = list(catalogue.texts_of_file(file, True, False))
    assert sorted(texts) == ["help me", "no {0} here, {1}", "of {count}"]


def test_values_stay_in_translations():
    for message in catalogue.updated():
        if not message.id:
            continue
        texts = [message.id] if isinstance(message.id, str) else list(message.id)
        allowed = {place for text in texts for place in catalogue.places(text)}
        allowed |= {OTHER_NAMES[place] for place in allowed if place in OTHER_NAMES}
        strings = [message.string] if isinstance(message.string, str) else list(message.string)
        for string in strings:
            places = set(catalogue.places(string))
            assert places <= allowed, (message.id, string)
            if not message.id or "{0}" not in str(message.id):
                assert len(places) == len({place for text in texts for place in catalogue.places(text)}), message.id


def parsers(top):
    """Yield a parser and those of its commands."""
    yield top
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from parsers(command)


def test_help_of_all_commands_in_japanese(japanese):
    found = {}
    for each in parsers(parser()):
        text = each.format_help().partition("\n\n")[2]  # after the usage
        text = re.sub("^  shogi-engine .*", "", text, flags=re.MULTILINE)  # examples
        if sentences := {words for line in text.splitlines() for words in ENGLISH.findall(line)}:
            found[each.prog] = sentences
    assert found == {}


def test_help_of_all_commands_in_english():
    language.use("en")
    for each in parsers(parser()):
        assert not re.search("です|ます|する。", each.format_help())


def test_messages_with_values_are_recognised(japanese):
    assert translate("no such text") == "no such text"
    assert translate("a.kif is neither a file nor an SFEN") == "a.kif というファイルはなく、SFEN でもありません"
    nested = translate("move 2: illegal move '7g7f': there is no piece on 7g")
    assert nested == "2手目: 反則手 '7g7f': 7g に駒がありません"
    assert translate("black", context="othello") == "黒" and translate("black", context="shogi") == "先手"
    assert translate("a {0} b") == "a {0} b"
    assert translate("5b and 5c and 5d") == "5b と 5c と 5d"
    assert translate("no words for this or that") == "no words for this or that"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["mate", "nofile.kif"], "というファイルはなく"),
        (["mate"], "solve には"),
        (["search", "go"], "というゲームはありません"),
        (["search", "shogi", "--nodes", "0"], "1 以上の数"),
        (["search"], "次の引数が必要です"),
        (["mate", "9/9 b - 1"], "盤は / で区切った9段です"),
        (["mate", "4k4/9/9/9/9/9/9/9/4p4 b P 1"], "行き所がありません"),
        (["convert", "nofile.kif", "x.csa"], "nofile.kif: ファイルまたはフォルダがありません"),
        (["search", "shogi", "--moves", "foo"], "指し手として読めません"),
        (["search", "shogi", "--threads", "-3"], "1 以上の数"),
        (["play", "othello", "--handicap", "2-piece"], "--handicap は将棋用です"),
    ],
)
def test_refusals_in_japanese(arguments, words, capsys):
    try:
        status = main(["--language", "ja", *arguments])
    except SystemExit as end:
        status = end.code
    told = capsys.readouterr().err
    assert status == 2 and words in told and told.count("\n") == 1
    language.use("en")


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, "en"),
        ({"LANG": "ja_JP.UTF-8"}, "ja"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LC_ALL": "C", "LANG": "ja_JP.UTF-8"}, "en"),
        ({"LANGUAGE": "ja:en", "LANG": "en_GB.UTF-8"}, "ja"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
    ],
)
def test_the_locale_chooses(variables, expected):
    assert language.of_environment(variables) == expected


def test_the_argument_chooses():
    assert language.asked(["mate", "--language", "ja"]) == "ja" and language.asked(["--language=ja"]) == "ja"
    assert language.asked(["--language"]) == language.asked(["--language", "xx"]) == language.asked([]) == ""
