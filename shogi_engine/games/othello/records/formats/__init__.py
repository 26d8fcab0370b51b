"""Othello's record formats: each module here defines FORMAT, and is found by its name."""
