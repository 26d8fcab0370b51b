"""Tools for developers; not installed. Run them from the repository's root: `python -m tools.tuning.spsa`.

match      frozen versions of the engine
tuning     parameters of the search and the evaluation
measure    speed and mistakes
docs       generated pages
platforms  checks of an installed engine, also for Windows and ARM on a Linux machine
"""
