"""Optional parts of a game that the search does not need: opening books and levels. No numba."""
