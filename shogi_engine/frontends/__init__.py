"""The Othello front ends: `shogi-engine nboard` and `shogi-engine gtp`. Nothing loads numba before the first answer."""
