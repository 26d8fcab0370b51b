"""The textbook searches, from minimax to NegaScout: step by step, traced, and against each other."""
