"""What a Shogi position is worth."""
