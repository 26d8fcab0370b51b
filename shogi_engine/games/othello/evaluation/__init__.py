"""What an Othello position is worth: patterns and their weights, or features made by hand."""
