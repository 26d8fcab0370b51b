"""Write the problems bundled with the package: those that a second solver also finds sound, with their grades.

    nice -n 19 python -m tools.tsume.publish composed.jsonl games.jsonl --verdicts verdicts.jsonl

cshogi judges each problem (`oracle`); the verdicts are saved, and a second run continues from them. A grade, 1 to 10,
 is a tenth of the problems by difficulty: the nodes that the engine's df-pn needs, with an empty table, to find the
shortest mate and to prove that there is no shorter one.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from shogi_engine.games.shogi.mate.solver import MateSolver, line_texts
from shogi_engine.games.shogi.notation.sfen import parse_sfen
from shogi_engine.tsume import FILE
from tools.tsume.oracle import Oracle

GRADES = 10
MOST = {1: 80}  # maximum number of problems, by length
HASH_MB = 16
HEAD = """\
# Tsume problems of this project's own making: tools/tsume. A line each: grade, plies, composed or game, SFEN, solution.
# All are sound: wherever the longest defence goes, one move alone mates, and no piece is left in hand.
"""


def rows_of(paths: list[Path]) -> list[dict[str, Any]]:
    """Return the problems of some files without duplicates."""
    rows: dict[str, dict[str, Any]] = {}
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            rows.setdefault(row["sfen"], row)
    return sorted(rows.values(), key=lambda row: (row["source"] != "game", row["length"]))


def judge(rows: list[dict[str, Any]], path: Path) -> dict[str, bool]:
    """Return the second solver's verdicts by SFEN; verdicts missing in the file are added to it."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    verdicts: dict[str, bool] = dict(map(json.loads, lines))
    oracle = Oracle()
    with path.open("a", encoding="utf-8") as file:
        for number, row in enumerate(rows, 1):
            if row["sfen"] not in verdicts:
                verdicts[row["sfen"]] = oracle.is_sound(row["sfen"], row["length"])
                file.write(json.dumps([row["sfen"], verdicts[row["sfen"]]]) + "\n")
                file.flush()
            if number % 50 == 0:
                print(f"{number} of {len(rows)} judged", file=sys.stderr, flush=True)
    return verdicts


def measure(rows: list[dict[str, Any]]) -> None:
    """Add to each problem the nodes that the engine needs, and its solution."""
    solver = MateSolver(HASH_MB)
    for row in rows:
        pos = parse_sfen(row["sfen"])
        found = solver.solve(pos, shortest=True)
        row["nodes"], row["moves"] = found.nodes, " ".join(line_texts(pos, found.moves))


def lines_of(rows: list[dict[str, Any]]) -> list[str]:
    """Return the lines of the file, the easiest problem first."""
    kept: list[dict[str, Any]] = []
    for row in sorted(rows, key=lambda row: (row["source"] != "game", row["nodes"])):
        if sum(each["length"] == row["length"] for each in kept) < MOST.get(row["length"], len(rows)):
            kept.append(row)
    kept.sort(key=lambda row: (row["nodes"], row["length"], row["sfen"]))
    return [
        "\t".join([str(1 + GRADES * place // len(kept)), str(row["length"]), row["source"], row["sfen"], row["moves"]])
        for place, row in enumerate(kept)
    ]


def main() -> int:
    """Judge, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--verdicts", type=Path, required=True)
    parser.add_argument("--judged", action="store_true", help="use existing verdicts only")
    args = parser.parse_args()
    rows = rows_of(args.files)
    verdicts = judge([] if args.judged else rows, args.verdicts)
    sound = [row for row in rows if verdicts.get(row["sfen"])]
    measure(sound)
    lines = lines_of(sound)
    FILE.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    print(f"{len(rows)} problems, {len(verdicts)} judged, {len(sound)} sound by both solvers, {len(lines)} in {FILE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
