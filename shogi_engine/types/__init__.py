"""The field's types, once, for all games and protocols: scores, how games end, clocks and limits. No numba."""
