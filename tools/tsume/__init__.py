"""Tsume problems: composed or taken from self-play games, proven sound by a second solver, and graded."""
