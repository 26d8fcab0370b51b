"""Othello's evaluations: a network that corrects patterns, the patterns alone, or eight handwritten features."""
