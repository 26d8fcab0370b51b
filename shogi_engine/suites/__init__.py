"""Files of positions with known answers, read and checked: perft counts, mates, endgame scores."""
