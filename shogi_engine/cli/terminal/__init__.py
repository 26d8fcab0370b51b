"""The board in the terminal, for `play`: drawing, input, clocks and saving."""
