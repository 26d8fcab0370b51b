"""What a Shogi position is worth: a module for each evaluation."""
