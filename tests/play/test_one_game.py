"""Only play.Game charges clocks and decides how played games end."""

import ast

import pytest

from tests.support.processes import ROOT

PACKAGE = ROOT / "shogi_engine"
RULES = ("games/", "records/", "types/", "interface/", "batch/", "training/", "suites.py", "cli/mate_answer.py")
"""They find endings in positions and files; a kernel's games are training."""
ELSEWHERE = {
    "csa/protocol.py": {"Outcome"},  # a server's word is the server's
    "match/report.py": {"Outcome"},  # reads what a log says
    "frontends/othello.py": {"charge"},  # repeats the GUI's clock
    "csa/game.py": {"time="},  # what of a server's clock a search may use
    "play/players.py": {"time="},  # how long an answer took
}
PLAY = {"play/game.py", "play/clock.py"}
CALLS = ("after", "charge", "Outcome", "usual_outcome", "completed")
CHANGES = ("outcome", "winner", "_clocks")  # attributes


def deciding(tree):
    """Yield what in a module charges a clock or makes an outcome, whatever it is called there."""
    names = {name: name for name in CALLS}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {each.asname or each.name: each.name for each in node.names if each.name in CALLS}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in names:
                yield names[name]
            if name == "replace":
                yield from (f"{each.arg}=" for each in node.keywords if each.arg in ("time", "winner", "termination"))
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            for target in getattr(node, "targets", None) or [node.target]:
                base = target.value if isinstance(target, ast.Subscript) else target
                if isinstance(base, ast.Attribute) and base.attr in CHANGES:
                    yield base.attr


def test_no_other_module_decides():
    found = {
        path.relative_to(PACKAGE).as_posix(): decisions
        for path in PACKAGE.rglob("*.py")
        if (decisions := set(deciding(ast.parse(path.read_text(encoding="utf-8")))))
    }
    elsewhere = {name: decisions for name, decisions in found.items() if not name.startswith(RULES)}
    assert {name: decisions for name, decisions in elsewhere.items() if name not in PLAY} == ELSEWHERE
    assert elsewhere.keys() >= PLAY


@pytest.mark.parametrize(
    "line",
    [
        "Outcome(0, RESIGNATION)", "from a import Outcome as End\nEnd(0, RESIGNATION)", "clock.after(100)",
        "game.clock.charge(0, 1.5)", "termination.usual_outcome('time', 1)", "game.outcome = found",
        "self.winner: int = 1", "clock._clocks[0] = mine", "replace(clock, time=clock.time - used)",
        "dataclasses.replace(outcome, winner=1)",
    ],
)  # fmt: skip
def test_a_decision_is_noticed(line):
    assert len(list(deciding(ast.parse(line)))) == 1


@pytest.mark.parametrize("line", ["game.end(found)", "replace(limit, nodes=5)", "found = game.outcome"])
def test_what_decides_nothing(line):
    assert not list(deciding(ast.parse(line)))
