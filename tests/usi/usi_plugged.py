"""The USI engine with an evaluation from outside the package: what a program has to do that brings one."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from shogi_engine.games.shogi.names import EVALUATIONS  # noqa: E402
from usi.loop import main  # noqa: E402

EVALUATIONS.register("kings-walk", "games.kings_walk")
sys.exit(main())
