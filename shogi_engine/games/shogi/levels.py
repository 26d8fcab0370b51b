"""Weaker play: the meaning of SkillLevel and levels, 0 (a beginner) to FULL, the engine's full strength.

The lowest levels look one move ahead, captures and recaptures included, but consider only a limited number of legal
moves, chosen at random; level 0 plays any move. Higher levels see all moves and search a limited number of positions.
No level depends on the clock, so a level is equally strong on slow and fast machines. `shogi-engine match --tournament
ladder` measures the steps between them.
"""

from functools import partial

from shogi_engine.interface.extras.levels import LevelPlan, usual_level

LEVELS = (
    *(LevelPlan(depth=1, moves=moves) for moves in (1, 2, 4, 6, 10, 16, 25, 40, 70, 0)),
    *(LevelPlan(nodes=nodes) for nodes in (600, 1200, 2400, 4200, 7000, 11_000, 18_000, 32_000, 60_000, 110_000)),
)
FULL = len(LEVELS)  # full strength: no limits
plan = partial(usual_level, plans=(*LEVELS, LevelPlan()))
