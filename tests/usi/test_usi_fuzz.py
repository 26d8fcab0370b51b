"""Random and mutated lines to the real engine: it always answers `isready`, then plays a legal move.

The environment variable USI_FUZZ_LINES says how many lines, 2000 if it does not.
"""

import os
import random

import shogi
from usi_driver import REAL, Process
from usi_lines import mutated

COUNT = int(os.environ.get("USI_FUZZ_LINES", "2000"))
BATCH = 200
START = {move.usi() for move in shogi.Board().legal_moves}
OPTIONS = ("NetworkDelay", "MinimumThinkingTime", "SlowMover", "EvalType", "EnteringKingRule", "MaxMovesToDraw",
           "DrawValueBlack", "ResignValue", "NodesLimit", "DepthLimit", "USI_Ponder", "Stochastic_Ponder", "SkillLevel",
           "NetworkDelay2", "DrawValueWhite", "MateSearch")  # fmt: skip
VALUES = ("0", "1", "7", "-50", "99999999", "true", "material", "TryRule", "nonsense", "")


def harmless(line):
    """Tell whether a line asks for nothing that no engine could do: a count of years, or more memory than there is."""
    words = line.split()
    if "perft" in words:
        return words[words.index("perft") + 1 :][:1] in (["1"], ["2"], ["3"])
    return not {"quit", "bench"} & set(words) and ("USI_Hash" not in line or line.endswith(" value 32"))


def game_line(rng):
    """Return a position with random words of moves: some of them legal, from time to time all of them."""
    board, moves = shogi.Board(), []
    for _ in range(rng.randrange(12)):
        moves.append(rng.choice(list(board.legal_moves)).usi())
        board.push_usi(moves[-1])
    if moves and rng.random() < 0.5:
        at = rng.randrange(len(moves))
        moves[at] = rng.choice((moves[at][::-1], moves[at] + "+", "P*5e", "resign", "0000", "9z9z"))
    return f"position startpos moves {' '.join(moves)}"


def some_line(rng):
    kind = rng.random()
    if kind < 0.1:
        return f"setoption name {rng.choice(OPTIONS)} value {rng.choice(VALUES)}"
    if kind < 0.2:
        return game_line(rng)
    if kind < 0.25:
        return "".join(chr(rng.choice((rng.randrange(32, 127), rng.randrange(160, 0x3000)))) for _ in range(40))
    return mutated(rng)


def test_no_input_keeps_the_engine_from_playing():
    rng = random.Random(20)
    with Process(REAL) as engine:
        engine.ready("setoption name USI_Hash value 16")
        for batch in range(COUNT // BATCH):
            engine.send(*filter(harmless, (some_line(rng) for _ in range(BATCH))))
            engine.send("stop", f"setoption name MultiPV value begin{batch}")
            engine.until(f"info string setoption: MultiPV is a number, not 'begin{batch}'", 60)
            engine.send("setoption name ResignValue value 99999", "isready", "position startpos", "go movetime 10")
            answer = engine.until("bestmove", 10)
            assert "readyok" in answer and answer[-1].split()[1] in START
            assert not [line for line in engine.seen if "internal error" in line]
            engine.seen.clear()
