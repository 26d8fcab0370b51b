"""Only play.Game charges clocks and decides how played games end."""

import ast

import pytest

from tests.support.processes import ROOT

PACKAGE = ROOT / "shogi_engine"
# They find endings in positions, files and messages; a kernel's games are training.
RULES = ("games/", "records/", "types/", "interface/", "batch/", "training/", "suites/", "cli/mate_answer.py")
SERVERS = ("csa/protocol.py",)  # a server's word is the server's
LOGS = ("match/game_records.py",)  # reads what a log says


def deciding(tree):
    """Yield the lines that charge a clock or make an outcome: `clock.after(...)`, `Outcome(...)`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in ("after", "Outcome", "usual_outcome"):
                yield node.lineno, name


def found_in(folder):
    return {
        path.relative_to(PACKAGE).as_posix(): found
        for path in folder.rglob("*.py")
        if (found := list(deciding(ast.parse(path.read_text(encoding="utf-8")))))
    }


def test_no_other_module_decides():
    elsewhere = found_in(PACKAGE)
    known = ("play/", *RULES, *SERVERS, *LOGS)
    assert {name: lines for name, lines in elsewhere.items() if not name.startswith(known)} == {}
    play = {name for name in elsewhere if name.startswith("play/")}
    assert play == {"play/game.py", "play/clock.py"}


@pytest.mark.parametrize(
    "line", ["Outcome(0, RESIGNATION)", "clock.after(100)", "termination.usual_outcome('time', 1)"]
)
def test_a_decision_is_noticed(line):
    assert len(list(deciding(ast.parse(line)))) == 1
