"""The textbook's searches, minimax to NegaScout: step by step, traced, and against each other."""
