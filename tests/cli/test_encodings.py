"""What the commands print into files of every encoding: each text comes out, and the status is that of UTF-8."""

import argparse
import io
import os
import subprocess
import sys
import unicodedata

import pytest

from shogi_engine import language
from shogi_engine.__main__ import main, parser
from shogi_engine.cli import play
from shogi_engine.cli.terminal import default_pieces, notation_for, pieces_for
from shogi_engine.common.system import FALLBACK, INSTEAD, can_show, instead
from tests.support.processes import environment

ENCODINGS = ("cp932", "cp1252", "ascii", "latin-1", "euc_jp")
WITH_KANJI = ("cp932", "euc_jp")
ESCAPES = {"match": 6 * 40, "play": 4}  # names, and the example of a move in an error
MATE_IN_1 = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1"
KIF = """手合割：平手
先手：山田 太郎
後手：Jürgen ☗ 〜−—
   1 ７六歩(77)
   2 ３四歩(33)
   3 ２二角成(88)
   4 投了
"""


def commands(of=None, words=()):
    """Yield the words of every command of a parser, and of its own commands; those of the top one are ()."""
    of = of or parser()
    yield words
    for action in of._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, each in action.choices.items():
                yield from commands(each, (*words, name))
        elif not action.option_strings:
            words = (*words, "shogi")  # the game, before its commands


COMMANDS = list(commands())


@pytest.fixture
def streams(monkeypatch):
    """Return a function that runs a command with its output in an encoding; (status, stdout, stderr) come back."""
    before = language.current()

    def run(encoding, *words, typed=""):
        files = {name: io.TextIOWrapper(io.BytesIO(), encoding=encoding) for name in ("stdout", "stderr")}
        files["stdin"] = io.TextIOWrapper(io.BytesIO(typed.encode("utf-8")), encoding=encoding)
        with monkeypatch.context() as patch:
            for name, file in files.items():
                patch.setattr(sys, name, file)
            patch.setattr(play, "leave", lambda status: None)  # it would end this process
            try:
                status = main(list(words))
            except SystemExit as end:
                status = end.code
            for file in files.values():
                file.flush()
        return status, *(files[name].buffer.getvalue().decode(encoding) for name in ("stdout", "stderr"))

    yield run
    language.use(before)


def is_japanese(text):
    return any(unicodedata.name(character, "").startswith(("CJK", "HIRAGANA", "KATAKANA")) for character in text)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("name", language.LANGUAGES)
def test_the_help_of_every_command(streams, name, encoding):
    """Where there are no kanji, Japanese help would be all escapes: it comes in English."""
    assert ("serve",) in COMMANDS and ("book", "shogi", "show") in COMMANDS and () in COMMANDS
    for words in COMMANDS:
        status, out, err = streams(encoding, *words, "--language", name, "--help")
        assert status == 0 and err == "", words
        assert is_japanese(out) == (name == "ja" and encoding in WITH_KANJI) or "二枚落ち" in out
        assert out.count("\\u") <= (4 if words == ("play",) else 0), words


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("name", language.LANGUAGES)
def test_the_fault_of_every_command(streams, name, encoding):
    for words in COMMANDS:
        status, out, err = streams(encoding, *words, "--language", name, "--将棋")
        assert (status, out) == (2, "") and err.count("\n") == 1, words


@pytest.fixture
def runs(tmp_path):
    """The fast commands that print more than ASCII, as (words, what is typed); % is a blank of a name."""
    record = tmp_path / "将棋 の 記録.kif"
    record.write_text(KIF, encoding="utf-8")
    return {
        "analyse": (f"analyse {record.name.replace(' ', '%')} --nodes 500 --threads 1", ""),
        "mate": (f"mate {MATE_IN_1} --diagram --notation japanese", ""),
        "book": ("book shogi show --notation japanese", ""),
        "search": ("search shogi --nodes 200", ""),
        "play": ("play shogi --human black --nodes 50 --pieces kanji --notation japanese", "７六歩\n投了\n"),
        "match": ("match engine engine --games 2 --limit nodes=50 --names 将棋エンジン,Jürgen", ""),
    }


@pytest.mark.parametrize("command", ["analyse", "mate", "book", "search", "play", "match"])
@pytest.mark.parametrize("name", language.LANGUAGES)
def test_what_a_command_prints(streams, runs, tmp_path, monkeypatch, command, name):
    monkeypatch.chdir(tmp_path)
    text, typed = runs[command]
    words = [word.replace("%", " ") for word in text.split()]
    status, _, _ = streams("utf-8", *words, "--language", name, typed=typed)
    assert status == 0
    for encoding in ("cp932", "ascii"):
        found, out, err = streams(encoding, *words, "--language", name, typed=typed)
        assert found == status and "Traceback" not in err and out.strip(), (encoding, err)
        if encoding not in WITH_KANJI:
            assert not is_japanese(out)
            assert out.count("\\u") <= ESCAPES.get(command, 0), out


def test_a_process_with_its_output_in_a_file(tmp_path):
    """As a shell starts it, with both streams redirected."""
    command = [sys.executable, "-P", "-m", "shogi_engine", "mate", "--help", "--language", "ja"]
    for encoding in ("cp932", "ascii"):
        with open(tmp_path / "out", "wb") as out, open(tmp_path / "err", "wb") as err:
            done = subprocess.run(command, stdout=out, stderr=err, env=environment(None, PYTHONIOENCODING=encoding))
        assert done.returncode == 0 and (tmp_path / "err").read_bytes() == b""
        said = (tmp_path / "out").read_bytes().decode(encoding)
        assert ("詰" in said) == (encoding == "cp932") and "\\u" not in said


@pytest.mark.skipif(os.name == "nt", reason="a shell of POSIX closes the streams")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("command", ["shogi_engine bench --language xx", "shogi_engine perft othello 1", "usi"])
def test_a_closed_stream_is_no_fault(tmp_path, command, closed):
    error = tmp_path / "error"
    env = environment(os.environ.get("SHOGI_ENGINE_CACHE_DIR"))
    line = f"{sys.executable} -P -m {command} 2>{error} {closed}"
    done = subprocess.run(line, shell=True, input=b"usi\nquit\n", stdout=subprocess.PIPE, env=env, timeout=60)
    assert done.returncode == (2 if "xx" in command else 0)
    assert not error.exists() or "Traceback" not in error.read_text()


@pytest.mark.skipif(os.name == "nt", reason="a shell of POSIX closes the streams")
def test_a_record_for_a_closed_stream_is_refused(tmp_path):
    (tmp_path / "a.csa").write_text("PI\n+\n+7776FU\n")
    line = f"{sys.executable} -P -m shogi_engine convert {tmp_path / 'a.csa'} - --to kif >&-"
    env = environment(os.environ.get("SHOGI_ENGINE_CACHE_DIR"))
    done = subprocess.run(line, shell=True, stderr=subprocess.PIPE, env=env, timeout=60)
    assert (done.returncode, done.stderr) == (2, b"shogi-engine: convert: standard output is closed\n")


# ---- characters --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "encoding", "shown"),
    [
        ("▁▂▃▄▅▆▇█", "cp932", "_.-~=+*#"), ("～〜", "euc_jp", "〜〜"), ("～〜−—", "cp932", "～～－―"),
        ("７六 ±5 é", "ascii", "7\\u516d +/-5 \\xe9"), ("将ü", "latin-1", "\\u5c06ü"), ("①", "euc_jp", "1"),
        ("\ud800", "utf-8", "\\ud800"),
    ],
)  # fmt: skip
def test_what_a_stream_does_not_have_is_written_with_what_it_has(text, encoding, shown):
    assert text.encode(encoding, FALLBACK).decode(encoding) == shown


@pytest.mark.parametrize("encoding", [*ENCODINGS, "cp437", "koi8-r", "shift_jis"])
def test_every_character_can_be_written(encoding):
    for character in [*map(chr, range(0x20, 0x3100)), *INSTEAD, "\U0001f600"]:
        if not can_show(character, io.TextIOWrapper(io.BytesIO(), encoding=encoding)):
            assert instead(character, encoding).encode(encoding)


def test_pieces_and_notation_are_those_that_a_stream_has():
    with_kanji, without = (io.TextIOWrapper(io.BytesIO(), encoding=each) for each in ("cp932", "cp1252"))
    assert pieces_for(with_kanji) == "kanji" and pieces_for(without) == "western"
    assert pieces_for(with_kanji, "western") == default_pieces(with_kanji) == "western"
    assert [notation_for(without, each) for each in ("japanese", "kif", "usi")] == ["western", "western", "usi"]
    assert notation_for(with_kanji, "kif") == "kif"
