"""Tools for developers; not installed. Run them from the repository's root: `python -m tools.tuning.spsa`.

generate   every file that is made of the source
kernels    the compiled module of all kernels; build_kernels, build_wheels, build_portable, build_site use it
freeze     frozen versions of the engine
tuning     parameters of the search and the evaluation
measure    speed, mistakes, sizes of a walk, attacks and kills
platforms  checks of an installed engine, also for Windows and ARM on a Linux machine
"""
