"""Othello: 64-bit bitboards, rules, evaluation, notation."""
