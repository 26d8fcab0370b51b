"""What the engine makes by itself: games, pattern weights, opening books and mate problems."""
