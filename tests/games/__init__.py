"""Two small games that hold the seam between the search and a game."""
