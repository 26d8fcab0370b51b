"""What an Othello position is worth: patterns, their weights, and the order of moves."""
