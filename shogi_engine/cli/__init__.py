"""The commands of `shogi-engine`, one module each.

A command's module has `add_parser(commands)`, which adds its arguments, and `run(args)`, which returns the exit status.
Modules that load numba are imported in `run`, so that the help appears at once.
"""
