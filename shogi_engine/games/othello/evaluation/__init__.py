"""Othello's evaluations: patterns with trained weights, or eight handwritten features."""
