"""Print, as JSON, what the mate search answers to small problems, so that runs with and without JIT can be compared."""

import json
import sys
from typing import Any

from shogi_engine.games.shogi.mate.solver import MateSolver, line_texts
from shogi_engine.games.shogi.sfen import parse_sfen
from tests.support.float_variables import float_variables

PROBLEMS = (
    "lnSk3nl/r1s1g1+B2/pppp+R1p2/5p1p1/8p/P8/NPPP1nSPP/3SGK3/L4G3 b BGLP3p 49",
    "1ng5l/k2g5/spp2p1pp/p3P1p2/6n1P/1r3P3/2PB2PP1/KBRSp1S2/3+p3NL w SNL2gl3p 130",
    "7nk/9/7G1/9/9/9/9/9/8K b P 1",
    "R2gkl3/9/4G4/9/9/9/9/9/4K4 b G 1",
    "lnsg1gsnl/1r5b1/ppppppppp/4k4/9/5R3/PPPPPPPPP/1B7/LNSGKGSNL b - 1",
    "k8/2S6/K8/8R/9/9/9/9/9 b r2b4g3s4n4l18p 1",
)


def main() -> None:
    """Solve and print; with an argument, what became of the kernels instead."""
    solver = MateSolver(1)
    rows: list[Any] = []
    for sfen in PROBLEMS:
        position = parse_sfen(sfen)
        found = solver.solve(position, shortest=True, every=True, nodes=2000)
        rows.append(
            [found.result, found.shortest, found.nodes, [line_texts(position, line) for line in found.solutions]]
        )
    rows.append(solver.tsume(parse_sfen(PROBLEMS[0])).length)
    print(json.dumps(float_variables() if len(sys.argv) > 1 else rows))


if __name__ == "__main__":
    main()
