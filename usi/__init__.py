"""The USI front end: `shogi-usi`, `python -m usi`. Standard library only, until `usiok` has been answered.

How it ends. With live input (a terminal, or a GUI: a program that waited for an answer before it sent more), `quit` or
the end of input ends the process within a second, even while kernels compile: searches are stopped, and commands that
can still be answered are. A script is input that is complete from the beginning, as in `printf '...' | shogi-usi`. All
its commands are completed and answered in order: limited searches (depth, nodes, movetime, a clock, `mate` with a
number), perft and the console's commands. A search that only `stop` would end is stopped and answers at once. The end
does not wait for `isready` alone while kernels compile.
"""
