"""Generating moves: all of them, checks, evasions, mates in one."""
