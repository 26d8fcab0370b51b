"""The program with types runs as mypy says."""

import sys

from shogi_engine import Engine, othello, shogi
from shogi_engine.batch import Batch
from shogi_engine.clients.gtp import SimpleGtp
from shogi_engine.clients.nboard import SimpleNBoard
from shogi_engine.clients.usi import SimpleEngine
from tests.support import typed_engines
from tests.support.processes import TESTS


def test_the_program_with_types_runs():
    board = shogi.Board()
    with Engine("shogi", hash_mb=4) as engine, Engine("othello", hash_mb=4) as other:
        assert len(typed_engines.program(engine, board)) == 2
        typed_engines.games(engine, other)
    with SimpleEngine([sys.executable, "-S", str(TESTS / "support" / "usi_stub.py")]) as client:
        assert typed_engines.program(client, board) == [shogi.Move.from_usi("7g7f")] * 2
        assert typed_engines.text(client) == ("7g7f", "3c3d")
    stub = [sys.executable, "-S", str(TESTS / "support" / "othello_stub.py")]
    with SimpleGtp([*stub, "gtp"]) as gtp, SimpleNBoard([*stub, "nboard"]) as nboard:
        assert typed_engines.programs(gtp, nboard) == [othello.Move.from_text("d3")] * 2
    typed_engines.features(Batch("shogi"))
