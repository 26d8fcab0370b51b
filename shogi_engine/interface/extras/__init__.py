"""Optional parts of a game beside the search: opening books and levels. No numba."""
