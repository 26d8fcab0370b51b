"""Shogi: 128-bit bitboards, rules, evaluation, SFEN and USI notation."""
