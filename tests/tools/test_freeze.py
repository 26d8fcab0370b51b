"""tools/freeze.py: a frozen version is what it was, and is never written over."""

import subprocess
import sys

import pytest

from tools import freeze


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository of two commits to freeze from."""
    root = tmp_path / "repository"
    (root / "usi").mkdir(parents=True)
    (root / "shogi_engine").mkdir()
    for package in ("usi", "shogi_engine"):  # a folder without the file would give way to an installed package
        (root / package / "__init__.py").write_text("")
    monkeypatch.setattr(freeze, "ROOT", root)
    author = ["-c", "user.name=tester", "-c", "user.email=tester@example.org"]
    freeze.git("init", "-q")
    for text in ("old", "new"):
        (root / "usi" / "__main__.py").write_text(f"import os\nprint('{text}', os.environ['SHOGI_ENGINE_CACHE_DIR'])\n")
        freeze.git("add", ".")
        freeze.git(*author, "commit", "-qm", text)
    return root


@pytest.mark.skipif(sys.platform == "win32", reason="the launcher is a shell script here")
def test_a_frozen_version_stays_what_it_was(repository, tmp_path, capsys):
    folder = tmp_path / "with space"
    assert freeze.main([str(folder), "--commit", "HEAD~1", "--cold"]) == 0
    launcher = capsys.readouterr().out.strip()
    (repository / "usi" / "__main__.py").write_text("print('edited')\n")
    done = subprocess.run([launcher], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout == f"old {folder / 'cache'}\n"
    assert freeze.main([str(folder), "--cold"]) == 2  # never over another one
    assert freeze.main([str(tmp_path / "other"), "--commit", "no-such", "--cold"]) == 2
