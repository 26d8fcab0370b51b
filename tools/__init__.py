"""Tools for those who develop the engine; not installed. Run from the repository's root: `python -m tools.tuning.spsa`.

match : what `shogi-engine match` does not do: frozen versions, levels, games as GUIs play them.   tuning : better
numbers for the search and the evaluation.   training : problems made by the engine.
measure : speed and mistakes.
"""
