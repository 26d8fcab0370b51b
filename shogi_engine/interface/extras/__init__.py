"""What an Engine may ask of a game beyond the search: opening books and levels. No numba."""
