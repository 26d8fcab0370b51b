"""Speed against other programs and versions, and counts of mistakes."""
