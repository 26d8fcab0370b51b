"""The names of Shogi's choices, for front ends that have to know them before numba is loaded. Standard library only."""

# What evaluates a position; a kind's number is its place here.
EVALUATIONS = ("material", "king-piece")

# The rules on entering kings, by the names that engines give them in USI's option EnteringKingRule; a rule's number is
# its place here. An H takes the points of the pieces that white, the handicap's giver, left out as white's own.
ENTERING_KING_RULES = ("NoEnteringKing", "CSARule24", "CSARule24H", "CSARule27", "CSARule27H", "TryRule")
