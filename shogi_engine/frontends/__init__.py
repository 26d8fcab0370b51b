"""Front ends: the common base of all protocols, that of the package `usi` included, and Othello's protocols.

    core      lines in and out; reader, worker and loader; from a clock to a search's time
    othello   Othello's: `shogi-engine nboard` and `shogi-engine gtp`

Numba is not loaded before the first answer.
"""
