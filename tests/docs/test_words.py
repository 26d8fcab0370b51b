"""The words this project does not use (tools/docs/words.py) do not occur, and the check notices one that does."""

import subprocess

import pytest

from tests.support.processes import ROOT
from tools.docs import words

pytestmark = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="the check asks git for the files")


def test_the_words_do_not_occur():
    assert list(words.offences([])) == []


def test_a_word_is_noticed(tmp_path, monkeypatch):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "page.md").write_text("One.\nIt " + "can" + " not be.\n", encoding="utf-8")
    subprocess.run(["git", "-C", str(tmp_path), "add", "page.md"], check=True)
    monkeypatch.setattr(words, "ROOT", tmp_path)
    assert [offence[:3] for offence in words.offences([])] == [("page.md", 2, "can not")]
    assert words.main([]) == 1
