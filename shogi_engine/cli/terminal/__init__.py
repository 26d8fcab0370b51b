"""The board in the terminal, for `play`: what is drawn, typed, timed and kept of a game."""
