"""The bench: fixed positions at a fixed depth with one thread. The number of nodes is the search's signature.

It is the same on every machine and in every run. A commit that changes it changes the engine's play.
"""

from collections.abc import Callable
from dataclasses import dataclass

from shogi_engine.engine import Engine

HASH_MB = 16

# By game: the depth, and positions as (notation, moves): openings, middlegames, a king under attack, an endgame.
POSITIONS: dict[str, tuple[int, tuple[tuple[str, str], ...]]] = {
    "shogi": (
        8,
        (
            ("", ""),
            ("", "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d"),
            ("", "7g7f 8c8d 2h6h 7a6b 5i4h 5a4b 4h3h 4b3b 3h2h 6a5b 3i3h 5c5d"),
            ("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1", ""),
            ("l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1", ""),
            ("8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124", ""),
        ),
    ),
    "othello": (
        12,
        (
            ("", ""),
            ("------------------O-OX----XOOX---XXXOX----XOOO------------------ X", ""),
            ("--OOO-----XOXX----XXOX-----XXO---OOXXXXX--OX-XX---XXO----------- X", ""),
            ("---X----O-XX----OOOXOO-OOOXXXXOOOXXOOOOOXXXOOOX---XXXX---XXXXXX- X", ""),
        ),
    ),
}


@dataclass(frozen=True)
class Bench:
    """Nodes and seconds of one game's positions."""

    nodes: int
    seconds: float


def bench(name: str, progress: Callable[[int, int], None] | None = None) -> Bench:
    """Search the positions of the game `name`, each with an empty table. Raises ValueError if the game has no bench.

    `progress(done, all)` is called after each position. The seconds do not include compiling.
    """
    if name not in POSITIONS:
        raise ValueError(f"there is no bench for {name!r}; only for {', '.join(POSITIONS)}")
    depth, positions = POSITIONS[name]
    nodes, seconds = 0, 0.0
    with Engine(name, hash_mb=HASH_MB) as engine:
        engine.warmup()
        for done, (text, moves) in enumerate(positions, 1):
            engine.set_position(text, moves.split())
            engine.new_game()
            result = engine.search(depth=depth)
            nodes += result.nodes
            seconds += result.seconds
            if progress:
                progress(done, len(positions))
    return Bench(nodes, seconds)
