"""Compare the search's signature with the one in the git history: `python -m tools.measure.check_bench`.

`shogi-engine bench` counts the nodes of fixed searches. A commit that changes the search or the evaluation has a line
`Bench: N` in its message; the last such line up to HEAD must equal the current bench. A commit that should change
nothing says `No functional change`. The status is 1, with one line, if the figures differ, and 0 if they agree or if no
commit has a figure yet. This follows Stockfish's practice, https://github.com/official-stockfish/Stockfish.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BENCH_LINE = re.compile(r"^Bench: *(\d+)\b", re.MULTILINE)
NO_CHANGE = re.compile(r"^no functional change", re.MULTILINE | re.IGNORECASE)


def git(folder: Path, *arguments: str) -> str:
    """Return git's output; raise OSError or subprocess.CalledProcessError if git fails there."""
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True).stdout


def last_bench(folder: Path) -> tuple[str, int] | None:
    """Return the last commit, up to HEAD, whose message has a line `Bench: N`, and N; None if there is none."""
    for entry in git(folder, "log", "--topo-order", "--format=%H%n%B%x00").split("\0"):
        commit, _, message = entry.strip().partition("\n")
        found = BENCH_LINE.findall(message)
        if found:
            return commit, int(found[-1])
    return None


def bench_nodes() -> int:
    """Return the current count of `shogi-engine bench`."""
    command = [sys.executable, "-m", "shogi_engine", "bench", "--json"]
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT).stdout
    return int(json.loads(out.splitlines()[-1])["nodes"])


def verdict(folder: Path) -> tuple[bool, str]:
    """Tell whether history and bench agree, with a one-line message."""
    try:
        told = last_bench(folder)
    except (OSError, subprocess.CalledProcessError):
        return True, "no git history here to compare the bench with"
    if told is None:
        return True, "no commit with a line `Bench: N` yet"
    commit, expected = told
    nodes = bench_nodes()
    if nodes == expected:
        return True, f"Bench: {nodes}, as commit {commit[:10]} says"
    head = git(folder, "rev-parse", "HEAD").strip()
    message = git(folder, "log", "-1", "--format=%B")
    if commit == head:
        why = "HEAD's own message is wrong"
    elif NO_CHANGE.search(message):
        why = "HEAD says `No functional change`, but there is one"
    else:
        why = "a commit since then changed the search without a line `Bench: N`"
    return False, f"the bench is {nodes}, but commit {commit[:10]} says {expected}: {why}"


def main() -> int:
    """Print the verdict and return the exit status."""
    agrees, line = verdict(ROOT)
    print(line, file=sys.stdout if agrees else sys.stderr)
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main())
