"""Mate problems from games."""
