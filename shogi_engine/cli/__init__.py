"""The commands of `shogi-engine`, one module each.

A command's module has `add_parser(commands)`, which adds its arguments, and `run(args)`, which returns the exit status.
What loads numba is imported by `run`: the help of all commands is there at once.
"""
