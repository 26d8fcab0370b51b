"""Mates by checks: the proof-number search, its moves, its table, and the MateSolver for Python."""
