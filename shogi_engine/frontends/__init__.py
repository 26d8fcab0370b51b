"""Front ends: what every protocol stands on, USI's in the package `usi` too, and Othello's protocols.

    stdio   lines in and out     core    reader, worker and loader     clock   from a clock to a search's time
    othello   what Othello's share     nboard   `shogi-engine nboard`     gtp   `shogi-engine gtp`

Nothing loads numba before the first answer.
"""
