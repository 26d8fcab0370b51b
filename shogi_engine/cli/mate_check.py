"""`shogi-engine solve --check`: checks a problem for its composer: is there a mate, a shorter one, another solution?"""

import argparse
from typing import Any

from shogi_engine.cli.common import report
from shogi_engine.cli.mate_answer import MateAnswer, written
from shogi_engine.cli.progress import progress_bar
from shogi_engine.language import translate as _

CHECK_NODES = 1_000_000  # for each check other than the solution's


def check(args: argparse.Namespace, problems: list[tuple[str, int]]) -> int:
    """Check problems, each with the plies of its author's solution or 0; status 1 if one has a flaw or no mate."""
    from shogi_engine.games.shogi.mate.solver import MateSolver

    solver = MateSolver(args.hash)
    with progress_bar():
        solver.warmup(solutions=True)
    rows = []
    for number, (sfen, plies) in enumerate(problems, 1):
        rows.append(row := examined(solver, sfen, plies, args.max_ms))
        if not args.json:
            heading = f"{number}. {sfen}\n" if len(problems) > 1 else ""
            print(heading + "\n".join(sentences(row, args.notation)), flush=True)
    if args.json:
        report(args, {"results": rows}, "")
    return 1 if any(row["flaws"] or row["result"] != "mate" for row in rows) else 0


def examined(solver: Any, sfen: str, plies: int, max_ms: int) -> dict[str, Any]:
    """Check a problem; return the result for JSON. Moves are in USI, move numbers start at 1.

    Args:
        flaws: of {"flaw": "other solution", "ply", "move", "length"}, {"flaw": "shorter", "length"}, {"flaw": "left
            over"}
        tolerated: other last moves, by convention not flaws
        unproven: checks without a result
    """
    from shogi_engine.games.shogi.mate.soundness import other_mates
    from shogi_engine.games.shogi.notation.sfen import parse_sfen

    position = parse_sfen(sfen)
    found = solver.tsume(position, max_ms=max_ms)
    answer = MateAnswer(sfen, position, found)
    row = {"sfen": sfen, **answer.values(), "flaws": [], "tolerated": [], "unproven": []}
    if not found:
        return row
    if 0 < found.length < plies:
        row["flaws"].append({"flaw": "shorter", "length": found.length})
    if row["left_over"]:
        row["flaws"].append({"flaw": "left over"})
    for ply, move, length in other_mates(solver, position, found.moves, CHECK_NODES):
        each = {"flaw": "other solution", "ply": ply, "move": move, "length": length}
        name = "unproven" if length < 0 else "tolerated" if ply == found.length else "flaws"
        row[name].append(each)
    return row


def sentences(row: dict[str, Any], notation: str) -> list[str]:
    """Return the result in sentences."""
    if row["result"] != "mate":
        return [_("no mate by checks") if row["result"] == "nomate" else _("nothing proven within the limits")]
    line = written(row["sfen"], row["moves"], notation)
    doubt = "" if row["shortest"] else _(", not proven to be the shortest")
    lines = [_("mate in {length}: {moves}").format(length=row["length"], moves=" ".join(line)) + doubt]
    words = {
        "other solution": _("flaw: at move {ply}, {move} also mates"),
        "shorter": _("flaw: there is a mate in {length}, shorter than the solution given"),
        "left over": _("flaw: pieces are left over in hand"),
    }
    for flaw in row["flaws"]:
        lines.append(words[flaw["flaw"]].format(**_shown(row, flaw, notation)))
    for other in row["tolerated"]:
        words_of_last = _("the last move may also be {move}, which is tolerated")
        lines.append(words_of_last.format(**_shown(row, other, notation)))
    for other in row["unproven"]:
        lines.append(_("nothing is proven about {move} at move {ply}").format(**_shown(row, other, notation)))
    return lines if row["flaws"] or row["unproven"] else [*lines, _("no flaw")]


def _shown(row: dict[str, Any], flaw: dict[str, Any], notation: str) -> dict[str, Any]:
    """Return the values of a flaw, with its move in the notation."""
    if "move" not in flaw:
        return flaw
    before = row["moves"][: flaw["ply"] - 1]
    return {**flaw, "move": written(row["sfen"], [*before, flaw["move"]], notation)[-1]}
