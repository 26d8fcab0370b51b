"""Othello endings solved exactly: the last empty squares, the search above them, and the Solver for Python."""
