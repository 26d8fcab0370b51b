"""Move generation: all legal moves, checks, evasions, and mates in one."""
