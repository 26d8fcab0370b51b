"""Types shared by all games and protocols: scores, terminations, clocks and limits. Does not import numba."""
