"""How long compiling for Shogi takes at the first start; jit.progress estimates the remaining time from this.

Times are CPU seconds on an AMD EPYC (Zen 4), as written by `jit.progress.Task.remember`.
"""

from shogi_engine.jit.progress import ESTIMATES, Estimate

ESTIMATES["shogi"] = Estimate(
    213, 0.09, {"link search_root": 4.5, "search": 1.2, "link prepare_root": 1.0, "link write_root_moves": 1.0}
)
ESTIMATES["shogi mates"] = Estimate(116, 0.1, {"link prove_or_tighten": 1.8, "link write_root_moves": 1.2})
ESTIMATES["shogi mates after a search"] = Estimate(47, 0.1, {"link prove_or_tighten": 1.8})
