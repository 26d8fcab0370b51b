"""Mates by checks: the df-pn search, its table, and the MateSolver for Python."""
