"""Text files as the editors and shells of Windows write them are read like those of others."""

import argparse
import codecs
import json

import pytest

from shogi_engine import books
from shogi_engine.books import othello
from shogi_engine.cli import serve
from shogi_engine.common.text import read_text
from shogi_engine.csa.connection import read_password
from shogi_engine.games.othello import book as othello_book
from shogi_engine.games.othello.notation import START
from shogi_engine.games.shogi import book as shogi_book
from shogi_engine.games.shogi.names import FILE_NAME, read_scale
from shogi_engine.language import InputError
from shogi_engine.match import plan
from shogi_engine.suites import read_suite

START_SFEN = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
# How Notepad, `>` in PowerShell 5, other editors, and an old one of macOS write a text.
WAYS = {
    "plain": str.encode,
    "utf-8-sig": lambda text: codecs.BOM_UTF8 + text.encode(),
    "utf-16-le": lambda text: codecs.BOM_UTF16_LE + text.replace("\n", "\r\n").encode("utf-16-le"),
    "utf-16-be": lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
    "returns": lambda text: text.replace("\n", "\r").encode(),
}


def token(path):
    return serve._token(argparse.Namespace(token="", token_file=str(path)))


def scale(path):
    path.rename(path.with_name(FILE_NAME))
    return read_scale(path.parent)


READERS = {
    "openings": (plan.read, "startpos moves 7g7f # a comment\nstartpos\n"),
    "suite": (
        lambda path: read_suite(str(path), "mate problems", lambda number, row: row),
        json.dumps({"positions": [{"sfen": START_SFEN, "mate": 0}]}, indent=1),
    ),
    "password": (lambda path: read_password(str(path)), "secret\nmore\n"),
    "token": (token, "a+b c\n"),
    "lines of a book": (books.read_lines, "石田流: 7g7f 3c3d 7f7e\n"),
    "book of Shogi": (
        lambda path: shogi_book.Book.load(path).positions,
        f"{shogi_book.HEADER}\nsfen {START_SFEN}\n7g7f none 10 20 1\n",
    ),
    "book of Othello": (lambda path: othello_book.read(path).entries, f"{START}; f5:+0.5\n"),
    "book of Edax": (lambda path: othello.read_foreign(path, []), f"{START},10,f5,1\n"),
    "scale of a network": (scale, "FV_SCALE=24\n"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("reader", READERS)
def test_a_text_with_a_mark_or_other_line_ends_is_the_same_text(tmp_path, reader, way):
    read, text = READERS[reader]
    found = []
    for name in ("plain", way):
        path = tmp_path / name / "file.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(WAYS[name](text))
        path.chmod(0o600)
        found.append(read(path))
    assert found[0] and found[0] == found[1]


@pytest.mark.parametrize("reader", [name for name in READERS if name != "scale of a network"])
def test_what_is_no_text_is_refused(tmp_path, reader):
    path = tmp_path / "file"
    path.write_bytes(b"\xff\xfea\xd8\x81")
    path.chmod(0o600)
    with pytest.raises(ValueError, match="not a text file in UTF-8 or UTF-16"):
        READERS[reader][0](path)


def test_the_fault_names_the_file(tmp_path):
    path = tmp_path / "openings"
    path.write_bytes("先手".encode("cp932"))
    with pytest.raises(InputError, match=f"{path}: not a text file"):
        read_text(path)


def test_json_that_is_nested_too_deeply_is_refused(tmp_path):
    path = tmp_path / "deep.json"
    path.write_bytes(b"[" * 50_000)
    with pytest.raises(ValueError, match="nested too deeply"):
        read_suite(str(path), "mate problems", lambda number, row: row)


def test_an_address_holds_any_token():
    assert serve._address("::1", 8765, "a+b c&d=%é") == "http://[::1]:8765/?token=a%2Bb%20c%26d%3D%25%C3%A9"
