"""tools/measure/check_bench.py: which commit's figure counts, and what is said when the bench finds another."""

import subprocess

import pytest

from tools.measure import check_bench


@pytest.fixture
def history(tmp_path, monkeypatch):
    """Return a function that makes a repository with commits of the given messages, and its folder."""
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "nobody")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "someone@example.org")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)

    def commit(*messages):
        for message in messages:
            check_bench.git(tmp_path, "commit", "-q", "--allow-empty", "-m", message)
        return tmp_path

    return commit


def no_bench():
    raise AssertionError("there is nothing to compare: no bench is expected")


CASES = [
    (["Faster\n\nBench: 123"], True, "Bench: 123, as commit"),
    (["Faster\n\nBench: 99", "Better\n\nBench: 123"], True, "Bench: 123, as commit"),
    (["Better\n\nBench: 123", "Comments\n\nNo functional change"], True, "Bench: 123, as commit"),
    (["Better\n\nBench: 123", "README"], True, "Bench: 123, as commit"),
    (["Better\n\nBench: 123", "Worse\n\nBench: 99"], False, "says 99: HEAD's own message is wrong"),
    (["Better\n\nBench: 99", "Names\n\nNo functional change"], False, "says 99: HEAD says `No functional change`"),
    (["Better\n\nBench: 99", "README"], False, "says 99: a commit since then changed the search"),
    (["Quoted\n\nits line Bench: 99 was wrong\n\nBench: 123"], True, "Bench: 123, as commit"),
]


@pytest.mark.parametrize(("messages", "agrees", "said"), CASES)
def test_the_last_figure_counts(history, monkeypatch, messages, agrees, said):
    monkeypatch.setattr(check_bench, "bench_nodes", lambda: 123)
    found, line = check_bench.verdict(history(*messages))
    assert (found, said in line, len(line.splitlines())) == (agrees, True, 1), line


def test_a_history_without_figures(history, monkeypatch):
    monkeypatch.setattr(check_bench, "bench_nodes", no_bench)
    assert check_bench.verdict(history("First", "Second, said of Bench: much")) == (
        True,
        "no commit with a line `Bench: N` yet",
    )


def test_no_history(tmp_path, monkeypatch):
    monkeypatch.setattr(check_bench, "bench_nodes", no_bench)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert check_bench.verdict(tmp_path) == (True, "no git history here to compare the bench with")


def test_the_exit_status_is_the_verdict(capsys, monkeypatch):
    for agrees, status in ((True, 0), (False, 1)):
        monkeypatch.setattr(check_bench, "verdict", lambda folder, agrees=agrees: (agrees, "one line"))
        assert check_bench.main() == status
        assert "".join(capsys.readouterr()) == "one line\n"


@pytest.mark.slow
def test_the_bench_is_run_twice_and_finds_the_same():
    assert check_bench.bench_nodes() == check_bench.bench_nodes() > 0
