"""The USI front end: `shogi-usi`, `python -m usi`. Standard library only, until `usiok` has been answered.

How it ends. `quit` or the end of input from somebody who is there (a terminal, or a GUI: a program that waited for an
answer before it sent more) ends the process within a second, compiling or not: searches are stopped, and what can still
be answered is. A script, input that is there all at once with its end, as in `printf '...' | shogi-usi`, is done to its
end and answered in order: searches with a bound of their own (depth, nodes, movetime, a clock, `mate` with a number),
perft and the console's commands; a search that only `stop` would end is stopped and answers at once. `isready` alone is
nothing that the end waits for while kernels compile.
"""
