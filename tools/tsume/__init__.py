"""Tsume problems: composed, taken from games of our own, proven sound by a second solver, and graded."""
