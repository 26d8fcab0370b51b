"""The USI front end: `shogi-usi`, `python -m usi`. It uses only the standard library until it has sent `usiok`.

How the program ends depends on its input:

* Interactive input comes from a terminal or from a GUI, which waits for answers before it sends more. `quit` or the end
  of input ends the process within a second, even while kernels are being compiled. Searches are stopped, and pending
  commands are answered if that is still possible.
* A script is input that is complete from the beginning, as in `printf '...' | shogi-usi`. All its commands are finished
  and answered in order: limited searches (depth, nodes, movetime, a clock, `mate` with a number), perft and the console
  commands. A search without a limit is stopped and answers at once. The end does not wait for a compilation that only
  `isready` needs.
"""
