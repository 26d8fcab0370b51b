"""USI lines as they are and with faults, for fuzzing."""

LINES = (
    "usi", "isready", "usinewgame", "stop", "ponderhit", "ponderhit btime 5 wtime 5 byoyomi 5", "gameover win", "d",
    "moves", "eval", "go", "go infinite", "go ponder", "go depth 3", "go btime 100 wtime 100 byoyomi 50", "go mate 50",
    "go searchmoves 7g7f 2g2f", "go perft 1", "position startpos", "position startpos moves 7g7f 3c3d 2g2f",
    "position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1 moves G*5b", "setoption name MultiPV value 3",
    "setoption name USI_Hash value 32", "setoption name PvInterval value 0", "setoption name Nothing",
)  # fmt: skip


def mutated(rng):
    """Return a line of LINES, as it is or with a few faults."""
    words = rng.choice(LINES).split(" ")
    for _ in range(rng.choice((0, 0, 1, 2, 5))):
        at = rng.randrange(len(words) + 1)
        kind = rng.randrange(5)
        if kind == 0:
            words.insert(at, rng.choice(("moves", "go", "-1", "99999999999999999999", "x", "\u5c06", "+", "value")))
        elif at < len(words):
            word = words[at]
            words[at] = ("", word[::-1], word * 3, word[: len(word) // 2])[kind - 1]
    return " ".join(words)
