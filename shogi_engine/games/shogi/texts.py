"""Shogi's texts, read and written by kernels (interface/game.py): SFEN, USI moves, and the names of moves.

SFEN is read only in its usual forms; all other input is declined (the answer is 0). Python then reads any valid form,
and explains what is wrong with invalid input: sfen.parse_sfen, rules.validate_position.
Kernels that write moves' names take the legal move, the target square of the move before (-1: none), and the text.
"""

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.bitboard import NOTHING, SQUARE_BITS, attackers_to, occupied, pieces
from shogi_engine.games.shogi.movegen import complete_move
from shogi_engine.games.shogi.rules import position_faults
from shogi_engine.games.shogi.sfen import MAX_MOVE_NUMBER
from shogi_engine.games.shogi.types import DROP_BASE, POSITION, SQUARES, SYMBOLS
from shogi_engine.interface.game import MOVE_NONE, provides, put, words, write_number
from shogi_engine.jit import njit
from shogi_engine.jit.bitboards import from_halves

# ---- SFEN --------------------------------------------------------------------------------------------------------

SFEN_BYTES = 192  # above the length of any SFEN: 81 squares of two symbols, 8 slashes, two hands of 14 kinds, a number
BLANK, SLASH, PLUS, DASH, ZERO_DIGIT, NINE_DIGIT = (ord(letter) for letter in " /+-09")
LOWER = 32  # the difference between a small letter and its capital
COLOUR_LETTERS = np.frombuffer(b"bw", dtype=np.uint8)

LETTERS = np.array([ord(symbol[-1]) if symbol else 0 for symbol in SYMBOLS], dtype=np.uint8)  # by kind, a capital
KIND_OF_LETTER = np.zeros(256, dtype=np.uint8)
KIND_OF_LETTER[LETTERS[t.PAWN : t.KING + 1]] = range(t.PAWN, t.KING + 1)


@njit
def write_piece(text, end, piece):
    """Write the symbol of `piece` to text[end:]; return the end."""
    kind = t.piece_kind(piece)
    if kind >= t.PROM_PAWN:
        text[end] = PLUS
        end += 1
    text[end] = int(LETTERS[kind]) + LOWER * t.piece_colour(piece)
    return end + 1


@njit
def write_sfen(pos, text, start):
    """Write the SFEN of `pos` to text[start:], uint8[], at most SFEN_BYTES; return the end."""
    end, empty = start, 0
    for square in range(t.SQUARES):
        piece = int(pos.board[square])
        if piece == 0:
            empty += 1
        if empty != 0 and (piece != 0 or square % 9 == 8):
            text[end] = ZERO_DIGIT + empty
            end += 1
            empty = 0
        if piece != 0:
            end = write_piece(text, end, piece)
        if square % 9 == 8:
            text[end] = SLASH if square < t.SQUARES - 1 else BLANK
            end += 1
    text[end] = COLOUR_LETTERS[pos.side]
    text[end + 1] = BLANK
    end += 2
    if pos.hand[0] | pos.hand[1] == ZERO:
        text[end] = DASH
        end += 1
    for colour in range(2):
        for kind in range(t.KING - 1, 0, -1):
            count = t.hand_count(pos.hand[colour], kind)
            if count > 1:
                end = write_number(text, end, count)
            if count > 0:
                end = write_piece(text, end, t.make_piece(colour, kind))
    text[end] = BLANK
    return write_number(text, end + 1, int(pos.ply) + 1)


@njit
def read_rows(text, start, pos):
    """Read an SFEN's nine rows at text[start:] into `pos`; return where they end, 0 to decline."""
    end, square, promoted = start, 0, 0
    while square < t.SQUARES:
        letter = int(text[end])
        end += 1
        kind = int(KIND_OF_LETTER[letter & ~LOWER])
        if kind != 0:
            kind = int(t.PROMOTED[kind]) if promoted else kind
            if kind == 0:
                return 0
            pos.board[square] = t.make_piece(letter >> 5 & 1, kind)
            square += 1
            promoted = 0
        elif promoted != 0:
            return 0
        elif letter == PLUS:
            promoted = 1
            continue
        elif ZERO_DIGIT < letter <= NINE_DIGIT:
            if square % 9 + letter - ZERO_DIGIT > 9:
                return 0
            for _ in range(letter - ZERO_DIGIT):
                pos.board[square] = 0
                square += 1
        else:
            return 0
        if square % 9 == 0 and square < t.SQUARES:
            if text[end] != SLASH:
                return 0
            end += 1
    return end


@njit
def read_number(text, end):
    """Return (number, end) of the digits at text[end:], at most five; 0 if there is none."""
    number, start = 0, end
    while ZERO_DIGIT <= text[end] <= NINE_DIGIT and end < start + 5:
        number = 10 * number + int(text[end]) - ZERO_DIGIT
        end += 1
    return number, end


@njit
def read_hands(text, end, pos):
    """Read an SFEN's hands at text[end:] into `pos`; return where they end, 0 to decline."""
    hand = pos.hand
    hand[0] = hand[1] = ZERO
    if text[end] == DASH:
        return end + 1
    start = end
    while text[end] != BLANK:
        digits = end
        count, end = read_number(text, end)
        if end == digits:
            count = 1
        letter = int(text[end])
        kind, colour = int(KIND_OF_LETTER[letter & ~LOWER]), letter >> 5 & 1
        if kind == 0 or kind == t.KING or not 0 < count <= 18 or text[digits] == ZERO_DIGIT:
            return 0
        if t.hand_count(hand[colour], kind) != 0:
            return 0
        hand[colour] += np.uint64(count << 8 * kind)
        end += 1
    return end if end > start else 0


@njit
def read_sfen(text, start, stop, pos):
    """Read the SFEN in text[start:stop], four fields with a blank between them, into `pos`; return 1, 0 to decline.

    Args:
        text: uint8[], in; text[stop] is a blank or the end of a line, and there are two bytes more
    """
    end = read_rows(text, start, pos)
    if end == 0 or text[end] != BLANK or text[end + 2] != BLANK:
        return 0
    if text[end + 1] == COLOUR_LETTERS[0]:
        pos.side = 0
    elif text[end + 1] == COLOUR_LETTERS[1]:
        pos.side = 1
    else:
        return 0
    end = read_hands(text, end + 3, pos)
    if end == 0 or text[end] != BLANK or end >= stop:
        return 0
    number, end = read_number(text, end + 1)
    if end != stop or not 0 < number <= MAX_MOVE_NUMBER:
        return 0
    pos.ply = number - 1
    return int(position_faults(pos) == 0)


STAR, MINUS, TIMES, EQUALS, OPEN, CLOSE, DIGIT_1, DIGIT_9, LETTER_A = (ord(letter) for letter in "*-x=()19a")
NAME_BYTES = 64  # above the length of any move's text


FILES = words("", *t.WIDE_DIGITS[1:])
RANKS = words("", *t.KANJI_NUMBERS[1:10])
KINDS = words(*t.KANJI_NAMES)
MARKS = words(*t.SIDE_MARKS)
UP, SIDEWAYS, DOWN, LEFT, RIGHT, STRAIGHT = QUALIFIERS = "上寄引左右直"
WORDS = words("", *QUALIFIERS, "同", "　", "打", "成", "不成")
(NONE, WORD_UP, WORD_SIDEWAYS, WORD_DOWN, WORD_LEFT, WORD_RIGHT, WORD_STRAIGHT,
 SAME, SPACE, DROPPED, PROMOTES, DECLINES) = range(len(WORDS))  # fmt: skip
IS_LONG = np.array([len(name) > 1 for name in t.KANJI_NAMES])
# The pieces that `直` can qualify.
IS_STEPPER = np.array([kind in (t.SILVER, t.GOLD, *range(t.PROM_PAWN, t.PROM_SILVER + 1)) for kind in range(16)])


# ---- positions, and moves in USI ---------------------------------------------------------------------------------


@provides(POSITION)
def read_position(pos, text, start, stop):
    return read_sfen(text, start, stop, pos)


@provides(POSITION)
def write_position(pos, text, end):
    return write_sfen(pos, text, end)


@provides(POSITION)
def read_move(pos, text, start, stop):
    if stop - start < 4 or stop - start > 5 or stop - start == 5 and text[stop - 1] != PLUS:
        return MOVE_NONE
    target = 9 * (int(text[start + 3]) - LETTER_A) + DIGIT_9 - int(text[start + 2])
    source = 9 * (int(text[start + 1]) - LETTER_A) + DIGIT_9 - int(text[start])
    if text[start + 1] == STAR:
        source = DROP_BASE + int(KIND_OF_LETTER[text[start]])
    elif not 0 <= source < SQUARES or not DIGIT_1 <= text[start] <= DIGIT_9:
        return MOVE_NONE
    if not 0 <= target < SQUARES or not DIGIT_1 <= text[start + 2] <= DIGIT_9:
        return MOVE_NONE
    return complete_move(pos, target | source << 7 | (t.PROMOTION if stop - start == 5 else 0))


@njit
def write_square(text, end, square):
    """Write '7f'."""
    text[end], text[end + 1] = DIGIT_9 - square % 9, LETTER_A + square // 9
    return end + 2


@provides(POSITION)
def write_move(pos, move, text, end):
    source = t.move_from(move)
    if source >= DROP_BASE:
        text[end], text[end + 1] = LETTERS[source - DROP_BASE], STAR
        end += 2
    else:
        end = write_square(text, end, source)
    end = write_square(text, end, t.move_to(move))
    if t.is_promotion(move):
        text[end] = PLUS
        end += 1
    return end


# ---- the pieces that a move's name has to tell apart -------------------------------------------------------------
#
# Directions are from the mover's point of view.


@njit
def find_sources(pos, kind, target):
    """Return where pieces of `kind` of the side to move stand that reach `target`, pinned ones too, as a bitboard."""
    side = int(pos.side)
    found = attackers_to(pos, target, side, occupied(pos)) & pieces(pos, side, kind)
    return NOTHING if target in pieces(pos, side) else found


@njit
def direction(side, source, target):
    """Return the word for the direction of a move."""
    before, after = t.relative_square(side, source) // 9, t.relative_square(side, target) // 9
    return WORD_UP if after < before else WORD_DOWN if after > before else WORD_SIDEWAYS


@njit
def is_qualified(found, side, target, word, square):
    """Tell whether `word` applies to the piece on `square`, among those on the squares `found`.

    A right piece stands to the right of the target or, if none does, is the rightmost: of two dragons, one may stand
    straight below the target. Left is defined likewise.
    """
    column, here = t.relative_square(side, target) % 9, t.relative_square(side, square) % 9
    if word == WORD_STRAIGHT:
        return here == column and direction(side, square, target) == WORD_UP
    if word != WORD_LEFT and word != WORD_RIGHT:
        return direction(side, square, target) == word
    sign, most, beside = 1 if word == WORD_RIGHT else -1, -9, False
    for each in found:
        other = t.relative_square(side, each) % 9
        most = max(most, sign * other)
        beside = beside or sign * (other - column) > 0
    return sign * (here - column) > 0 if beside else sign * here == most


@njit
def source_halves(pos, kind, target):
    """Return `find_sources` as the two halves of a bitboard."""
    found = find_sources(pos, kind, target)
    return found.lo, found.hi


@njit
def qualified_halves(lo, hi, side, target, word):
    """Return the squares, of those in a bitboard's halves, to whose pieces `word` applies; likewise as halves."""
    found, kept = from_halves(lo, hi), NOTHING
    for square in found:
        if is_qualified(found, side, target, word, square):
            kept |= SQUARE_BITS[square]
    return kept.lo, kept.hi


@njit
def singles_out(found, side, target, word, way, source):
    """Tell whether `word`, and the direction `way` unless NONE, apply to the piece on `source` alone."""
    for square in found:
        applies = is_qualified(found, side, target, word, square)
        applies = applies and (way == NONE or direction(side, square, target) == way)
        if applies != (square == source):
            return False
    return True


@njit
def write_qualifiers(pos, kind, source, target, text, end):
    """Write the fewest words that distinguish a piece from others of its kind that reach the target.

    They are tried in the order of the Japan Shogi Association: the direction, then `直`, then the side, then both.
    """
    found, side = find_sources(pos, kind, target), int(pos.side)
    if len(found) < 2:
        return end
    way = direction(side, source, target)
    for attempt in range(6):
        word, second = way, NONE
        if attempt == 1:
            word = WORD_STRAIGHT if IS_STEPPER[kind] else way
        elif attempt > 1:
            word = WORD_LEFT if attempt % 2 == 0 else WORD_RIGHT
            second = NONE if attempt < 4 else way
        if singles_out(found, side, target, word, second, source):
            return put(text, put(text, end, WORDS, word), WORDS, second)
    return end


# ---- names -------------------------------------------------------------------------------------------------------


@njit
def may_promote(pos, move):
    """Tell whether a legal move of a piece on the board could promote."""
    side, source = int(pos.side), t.move_from(move)
    if source >= DROP_BASE or not t.PROMOTED[t.move_kind(move)]:
        return False
    return min(t.relative_square(side, source), t.relative_square(side, t.move_to(move))) < 27


@njit
def write_target(text, end, target, last):
    """Write '７六', or '同' for the target of the move before."""
    if target == last:
        return put(text, end, WORDS, SAME)
    return put(text, put(text, end, FILES, 9 - target % 9), RANKS, target // 9 + 1)


@njit
def write_japanese(pos, move, last, text, end):
    """Write '▲７六歩', as KI2 and books do, with the fewest words that identify the piece."""
    source, target, kind = t.move_from(move), t.move_to(move), t.move_kind(move)
    end = put(text, end, MARKS, int(pos.side))
    if source >= DROP_BASE:
        end = put(text, write_target(text, end, target, -1), KINDS, kind)
        return put(text, end, WORDS, DROPPED) if len(find_sources(pos, kind, target)) > 0 else end
    end = write_target(text, end, target, last)
    if target == last and not IS_LONG[kind]:
        end = put(text, end, WORDS, SPACE)
    end = write_qualifiers(pos, kind, source, target, text, put(text, end, KINDS, kind))
    if t.is_promotion(move):
        return put(text, end, WORDS, PROMOTES)
    return put(text, end, WORDS, DECLINES) if may_promote(pos, move) else end


@njit
def write_kif(pos, move, last, text, end):
    """Write '７六歩(77)' or '同　銀(31)', as KIF does."""
    source, target = t.move_from(move), t.move_to(move)
    end = write_target(text, end, target, last if source < DROP_BASE else -1)
    if target == last and source < DROP_BASE:
        end = put(text, end, WORDS, SPACE)
    end = put(text, end, KINDS, t.move_kind(move))
    if source >= DROP_BASE:
        return put(text, end, WORDS, DROPPED)
    end = put(text, end, WORDS, PROMOTES) if t.is_promotion(move) else end
    text[end], text[end + 1], text[end + 2], text[end + 3] = OPEN, DIGIT_9 - source % 9, DIGIT_1 + source // 9, CLOSE
    return end + 4


@njit
def write_western(pos, move, full, text, end):
    """Write 'P-7f', with the source square if it is needed, or if `full`."""
    source, target, kind = t.move_from(move), t.move_to(move), t.move_kind(move)
    if kind >= t.PROM_PAWN:
        text[end] = PLUS
        end += 1
    text[end] = LETTERS[kind]
    end += 1
    if source >= DROP_BASE:
        text[end] = STAR
        return write_square(text, end + 1, target)
    if full or len(find_sources(pos, kind, target)) > 1:
        end = write_square(text, end, source)
    text[end] = TIMES if pos.board[target] else MINUS
    end = write_square(text, end + 1, target)
    if t.is_promotion(move) or may_promote(pos, move):
        text[end] = PLUS if t.is_promotion(move) else EQUALS
        end += 1
    return end


USI, JAPANESE, KIF, WESTERN, WESTERN_FULL = range(5)  # the last with the source square even if it is not needed


@njit
def write_name(pos, move, style, last, text, end):
    """Write a move in one of the styles above."""
    if style == JAPANESE:
        return write_japanese(pos, move, last, text, end)
    if style == KIF:
        return write_kif(pos, move, last, text, end)
    if style in (WESTERN, WESTERN_FULL):
        return write_western(pos, move, style == WESTERN_FULL, text, end)
    return write_move(pos, move, text, end)
