"""The USI engine with an evaluation from outside the package: what a program has to do that brings one."""

import sys

from shogi_engine.games.shogi.names import EVALUATIONS
from usi.loop import main

EVALUATIONS.register("kings-walk", "tests.support.games.kings_walk")
sys.exit(main())
