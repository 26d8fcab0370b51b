"""Front ends: the common base of all protocols, that of the package `usi` included, and Othello's protocols.

    stdio   lines in and out     core    reader, worker and loader     clock   from a clock to a search's time
    othello   base of Othello's     nboard   `shogi-engine nboard`     gtp   `shogi-engine gtp`

Numba is not loaded before the first answer.
"""
