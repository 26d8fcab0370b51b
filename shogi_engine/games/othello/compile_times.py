"""How long compiling for Othello takes at the first start; jit.progress estimates the remaining time from this.

Times are CPU seconds on an AMD EPYC (Zen 4), as written by `jit.progress.Task.remember`.
"""

from shogi_engine.jit.progress import ESTIMATES, Estimate

ESTIMATES["othello"] = Estimate(156, 0.07, {"link search_root": 2.9, "link solve_deep": 2.8, "search": 1.3})
ESTIMATES["othello endings"] = Estimate(146, 0.07, {"link solve_deep": 3.3, "search": 1.5, "enter_node": 0.8})
