"""Tools for developers of the engine; not installed. Run from the repository's root: `python -m tools.tuning.spsa`.

match : beyond `shogi-engine match`: frozen versions, levels, games as GUIs play them.   tuning : parameters of the
search and the evaluation.   training : mate problems from games.   measure : speed and mistakes.
"""
