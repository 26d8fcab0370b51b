"""The catalogue of translations is complete and compiled, and nothing that players read is left in English."""

import argparse
import pickle
import re

import pytest

from shogi_engine import language
from shogi_engine.__main__ import main, parser
from shogi_engine.games.shogi.types import SQUARE_NAMES, list_squares
from shogi_engine.language import InputError, Message, translate, translate_fault
from shogi_engine.records.tree import RecordError
from tools import catalogue

# Three words of English in a row, that are no list of names.
ENGLISH = re.compile(r"[A-Za-z][a-z']+(?: [a-z][a-z']*){2,}")

OTHER_NAMES = {"{pawns}": "{centipawns}", "{length}": "{odd}"}  # a translation may show the same value in another unit


@pytest.fixture
def japanese(monkeypatch):
    """Speak Japanese during a test."""
    monkeypatch.setenv("LANGUAGE", "")
    language.use("ja")
    yield
    language.use("en")


def test_nothing_is_missing():
    texts = catalogue.updated()
    assert catalogue.missing(texts) == [], f"translate these in {catalogue.PO}, then run python -m tools.generate"


def test_a_new_text_would_be_missed(tmp_path):
    (tmp_path / "new.py").write_text(
        'raise InputError("no {0} here, {1!r}", x, y)\nprint(_("of {count}"), plural("one", "many", 2))\n'
        'raise RecordError("{0}: {1}", name, fault, line=3)\nCOLUMN = mark("games")\n'
    )
    texts = list(catalogue.of_sources(tmp_path))
    assert texts == ["no {0} here, {1!r}", "of {count}", ("one", "many"), "games"]


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


def samples(template):
    """Return a value for each place of a template, a number if it is formatted as one."""
    kinds = dict(re.findall(r"\{(\d+)([^{}]*)\}", template))
    return [7 + n if ":" in kinds[str(n)] else f"valué{n} {{x}}" for n in range(len(kinds))]


def test_every_message_in_both_languages(japanese):
    templates = [text.id for text in catalogue.updated() if isinstance(text.id, str) and re.search(r"\{\d", text.id)]
    assert len(templates) > 250
    for template in templates:
        values = samples(template)
        message = Message(template, *values)
        assert type(str(ValueError(message))) is Message and message == template.format(*values)
        shown = translate(message)
        assert translate(message, "en") == message != shown or template == translate(template)
        for place, number in re.findall(r"(\{(\d+)[^{}]*\})", template):
            value = place.format(*values)
            assert value in message and value in shown, (template, number)


def test_messages_with_messages_as_values(japanese):
    assert translate("no such text") == "no such text" and translate("") == ""
    reason = InputError("illegal move {0!r}: {1}", "7g7f", Message("there is no piece on {0}", "7g"))
    nested = InputError("move {0}: {1}", 2, reason)
    assert str(nested) == "move 2: illegal move '7g7f': there is no piece on 7g"
    assert translate_fault(nested) == "2手目: 反則手 '7g7f': ７七に駒がありません"
    again = pickle.loads(pickle.dumps(RecordError("{0} is not a move", "x", line=3)))
    assert str(again) == "line 3: x is not a move" and translate_fault(again) == "3行目: x は指し手ではありません"
    assert again.line == 3 and translate(again.reason) == "x は指し手ではありません"
    assert translate(f"a.kif: {nested}") == f"a.kif: {nested}"  # composed without a Message
    assert translate("black", context="othello") == "黒" and translate("black", context="shogi") == "先手"
    assert translate(Message("it is not {0}'s turn", "black")) == "先手の番ではありません"
    assert translate(Message("{0} or {1}", "a {0} b", "c")) == "a {0} b か c"
    assert translate(Message("a {0} b")) == "a {0} b"
    assert translate(list_squares([SQUARE_NAMES.index(name) for name in ("5b", "5c", "5d")])) == "５二 と ５三 と ５四"


def test_a_quoted_value_is_not_translated(japanese):
    assert translate(Message("move {0!r}: there is no piece {1}", "black", "king")).startswith("指し手 'black': ")


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
        (["csa", "host", "--name", "me", "--set", "comments=yes"], "comments=yes: true か false を"),
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
