"""Tools for those who develop the engine; not installed. Run from the repository's root: `python -m tools.match.match`.

match : games between engines or settings, and what they prove.   tuning : better numbers for the search and the
evaluation.   training : games, weights, books and problems made by the engine.   measure : speed and mistakes.
"""
