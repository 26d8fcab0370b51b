"""Packed hands: fast comparison, and the proof and disproof hands that the df-pn search derives from them.

A proof hand is the smallest attacker's hand with which a proof holds; a disproof hand is the largest hand with which
a disproof holds.
Source: Ayumu Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", 2002.
"""

import numpy as np

from shogi_engine.games.shogi.bitboard import between
from shogi_engine.games.shogi.queries import checkers
from shogi_engine.games.shogi.types import PAWN, ROOK, hand_count
from shogi_engine.jit import njit
from shogi_engine.jit.bitboards import lowest

# A packed hand is an int64 with six bits for each kind, the pawn lowest. The sixth bit is always 0: it takes the borrow
# of a subtraction, which compares all kinds at once.
HAND_WIDTH = 6
HAND_UNITS = np.array([0] + [1 << HAND_WIDTH * kind for kind in range(7)] + [0], dtype=np.int64)
HAND_FIELDS = np.array([0] + [31 << HAND_WIDTH * kind for kind in range(7)] + [0], dtype=np.int64)
PACKED_GUARDS = sum(32 << HAND_WIDTH * kind for kind in range(7))


@njit
def packed_hand(hand):
    """Return a hand of a position (uint64) packed."""
    packed = 0
    for kind in range(PAWN, ROOK + 1):
        packed |= hand_count(hand, kind) << HAND_WIDTH * (kind - 1)
    return packed


@njit
def larger_kinds(hand, other):
    """Return a mask of the kinds of which a packed hand has at least as many as another."""
    guards = ((hand | PACKED_GUARDS) - other) & PACKED_GUARDS
    return guards - (guards >> HAND_WIDTH - 1)


@njit
def hand_union(hand, other):
    """Return the packed hand with the larger count of each kind of two packed hands."""
    larger = larger_kinds(hand, other)
    return hand & larger | other & ~larger


@njit
def hand_intersection(hand, other):
    """Return the packed hand with the smaller count of each kind of two packed hands."""
    larger = larger_kinds(hand, other)
    return other & larger | hand & ~larger


@njit
def hand_without(hand, kind):
    """Return a packed hand with one piece of `kind` fewer; unchanged if it has none."""
    return hand - HAND_UNITS[kind] if hand & HAND_FIELDS[kind] != 0 else hand


@njit
def kinds_held(hand):
    """Return a mask of the kinds in a packed hand."""
    fields = 0
    for kind in range(PAWN, ROOK + 1):
        if hand & HAND_FIELDS[kind] != 0:
            fields |= HAND_FIELDS[kind]
    return fields


@njit
def can_interpose(pos):
    """Tell whether there are squares between the checked king of the side to move and its only checker."""
    check = checkers(pos)
    return len(check) == 1 and bool(between(int(pos.king[pos.side]), lowest(check)))


@njit
def withheld_hand(pos):
    """Return, as a packed hand, the attacker's pieces of kinds that the defender, in check, does not have in hand.

    Return 0 if no drop could interpose. Without these pieces in the attacker's hand, the defender might have one and
    interpose it; so a mate's proof hand must contain them.
    """
    if not can_interpose(pos):
        return 0
    hand = packed_hand(pos.hand[1 - pos.side])
    return hand & ~kinds_held(packed_hand(pos.hand[pos.side]))
