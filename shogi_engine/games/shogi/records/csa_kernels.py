"""Reads CSA games by a kernel: bytes in, arrays of moves and values out.

It reads only the usual forms. The reader of formats/csa.py reads the games that it declines: it accepts every valid
form and explains what is wrong with invalid ones.
"""

import numpy as np

from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.movegen import CODES, complete_move
from shogi_engine.games.shogi.position import do_move
from shogi_engine.games.shogi.records import array_kernels as arrays
from shogi_engine.games.shogi.records.words import SUMMARY
from shogi_engine.games.shogi.rules import position_faults
from shogi_engine.games.shogi.texts import write_sfen
from shogi_engine.games.shogi.types import CSA_PIECES
from shogi_engine.interface.game import VALUE_NONE
from shogi_engine.jit import njit

QUOTE, PLUS, MINUS, COMMA, SLASH, BLANK, STAR, COLON, DOT, DOLLAR, PERCENT, HASH = (
    ord(letter) for letter in "'+-,/ *:.$%#"
)
TAB, ZERO_DIGIT, NINE_DIGIT, NAME, TIME, VERSION, POSITION_LETTER, WHOLE = (ord(letter) for letter in "\t09NTVPI")
LETTER_S, LETTER_A, LETTERS = ord("s"), ord("A"), 26
NOT_SET_UP, AS_USUAL, BY_ROWS = range(3)  # how the starting position was set up
# The format's facts: how the position was set up, its ranks, whether the game has begun, a `summary_code`.
SET_UP, RANKS, HAS_BEGUN, SUMMARY_CODE = range(arrays.WHITE_NAME + 2, arrays.FACTS)
MOVE_BYTES = 7
BLACK_RATE, WHITE_RATE = (np.uint64(arrays.hash_of(f"{side}_rate:")) for side in ("black", "white"))
SUMMARY_HASH, SUMMARY_BYTES = np.uint64(arrays.hash_of(SUMMARY)), len(SUMMARY)
TIME_DIGITS = 7

KIND_OF_NAME = np.zeros(LETTERS * LETTERS, dtype=np.uint8)
for _kind, _name in enumerate(CSA_PIECES):
    if _name:
        KIND_OF_NAME[(ord(_name[0]) - LETTER_A) * LETTERS + ord(_name[1]) - LETTER_A] = _kind


@njit
def named_kind(first, second):
    """Return the kind that CSA's two letters name, 0 for none."""
    first, second = int(first) - LETTER_A, int(second) - LETTER_A
    if not (0 <= first < LETTERS and 0 <= second < LETTERS):
        return 0
    return int(KIND_OF_NAME[first * LETTERS + second])


@njit
def square_at(data, place):
    """Return the square that two digits at data[place:] name, -1 for '00', -2 for anything else."""
    file, rank = int(data[place]) - ZERO_DIGIT, int(data[place + 1]) - ZERO_DIGIT
    if file == 0 and rank == 0:
        return -1
    return 9 * rank - file if 1 <= file <= 9 and 1 <= rank <= 9 else -2


@njit
def game_end(data, begin, stop):
    """Return (end of the game at `begin`, start of the next); (stop, -1) if there is no next game.

    A line '/' separates games, or a game begins with its version.
    """
    place, has_begun = begin, False
    while place < stop:
        end = arrays.line_end(data, place, stop)
        if not has_begun:
            has_begun = data[place] == PLUS or data[place] == MINUS or data[place] == PERCENT
        elif data[place] == VERSION:
            return place, place
        if data[place] == SLASH and (end == place + 1 or end == place + 2 and data[place + 1] == BLANK):
            return place, min(end + 1, stop)
        place = end + 1
    return stop, -1


@njit
def csa_move(pos, data, place):
    """Return the kernels' move at data[place : place + 7], 0 if no legal move is written there."""
    sign = MINUS if pos.side else PLUS
    source, target = square_at(data, place + 1), square_at(data, place + 3)
    kind = named_kind(data[place + 5], data[place + 6])
    if data[place] != sign or source == -2 or target < 0 or kind == 0:
        return np.uint32(0)
    if source < 0:
        return complete_move(pos, target | (t.DROP_BASE + kind) << 7) if kind < t.KING else np.uint32(0)
    moves = t.piece_kind(pos.board[source])
    if moves == kind:
        return complete_move(pos, target | source << 7)
    if moves != 0 and int(t.PROMOTED[moves]) == kind:
        return complete_move(pos, target | source << 7 | t.PROMOTION)
    return np.uint32(0)


@njit
def set_rank(pos, data, place, end):
    """Put the pieces of a line 'P1-KY-KE...' at data[place:end] on the board; return 1, 0 to decline."""
    rank, place = int(data[place + 1]) - ZERO_DIGIT, place + 2
    if end - place > 27:
        return 0
    for column in range(9):
        at = place + 3 * column
        if at >= end or data[at] == BLANK and at + 2 < end and data[at + 2] == BLANK and data[at + 1] in (STAR, BLANK):
            continue
        if at + 2 >= end:
            if data[at] == BLANK and (at + 1 >= end or data[at + 1] == STAR):
                continue
            return 0
        kind = named_kind(data[at + 1], data[at + 2])
        if kind == 0 or data[at] != PLUS and data[at] != MINUS:
            return 0
        pos.board[9 * (rank - 1) + column] = t.make_piece(t.WHITE if data[at] == MINUS else t.BLACK, kind)
    return 1


@njit
def set_pieces(pos, data, place, end):
    """Place the pieces of a line such as 'P+00FU55KI' at data[place:end]; return 1, 0 to decline."""
    colour = t.WHITE if data[place + 1] == MINUS else t.BLACK
    if (end - place) % 4 != 2:
        return 0
    for at in range(place + 2, end, 4):
        square, kind = square_at(data, at), named_kind(data[at + 2], data[at + 3])
        if kind == 0 or square == -2:
            return 0
        if square >= 0:
            if pos.board[square] != 0:
                return 0
            pos.board[square] = t.make_piece(colour, kind)
        elif kind >= t.KING or int(pos.hand[colour] >> np.uint64(8 * kind)) & 255 >= 18:
            return 0
        else:
            pos.hand[colour] += np.uint64(1) << np.uint64(8 * kind)
    return 1


@njit
def set_up(pos, data, place, end, how, ranks):
    """Read a line that begins with P; return (how the position is set up, mask of the ranks), (-1, ...) to decline."""
    if end - place < 2 or how == AS_USUAL:
        return -1, ranks
    kind = data[place + 1]
    if kind == WHOLE:
        return (AS_USUAL, ranks) if end - place == 2 and how == NOT_SET_UP else (-1, ranks)
    if how == NOT_SET_UP:
        pos.board[:] = 0
        pos.hand[0] = pos.hand[1] = np.uint64(0)
    if kind in (PLUS, MINUS):
        return (BY_ROWS if set_pieces(pos, data, place, end) else -1), ranks
    bit = 1 << int(kind) - ZERO_DIGIT if ZERO_DIGIT < kind <= NINE_DIGIT else 0
    if bit == 0 or ranks & bit != 0 or set_rank(pos, data, place, end) == 0:
        return -1, ranks
    return BY_ROWS, ranks | bit


@njit
def is_depth(data, place):
    """Tell whether data[place:] begins like 深さ, in UTF-8 or Shift JIS."""
    first, second = int(data[place]), int(data[place + 1])
    return first == 0xE6 and second == 0xB7 or first == 0x90 and second == 0x5B


@njit
def read_comment(data, place, end, pos, length, values, ratings):
    """Read the value of the last move, or a player's rating, from a floodgate comment at data[place:end].

    Return 1, or 0 to decline a comment that may have a value in another program's form.

    Args:
        values: int16[], out, for the side to move before each move
        ratings: float32[2], out
    """
    if end - place > 2 and (data[place + 1] == HASH or data[place + 1] == STAR and data[place + 2] == HASH):
        return 0
    if end - place > 4 and data[place + 1] == STAR and data[place + 2] == STAR and data[place + 3] == BLANK:
        at = place + 4
        sign = 1
        if data[at] == MINUS or data[at] == PLUS:
            sign = -1 if data[at] == MINUS else 1
            at += 1
        number, after = arrays.read_decimal(data, at, end)
        if length > 0 and after > at and (after == end or data[after] == BLANK) and values[length - 1] == VALUE_NONE:
            mover = 1 - int(pos.side)
            value = sign * int(min(number, float(arrays.VALUE_LIMIT)))
            values[length - 1] = value if mover == t.BLACK else -value
        return int(after > at)
    if end - place > 4 and data[place + 1] == STAR and data[place + 2] == STAR:
        return int(is_depth(data, place + 3))
    word = arrays.word_hash(data, place + 1, place + 12) if end - place > 12 else np.uint64(0)
    if word in (BLACK_RATE, WHITE_RATE):
        last = end - 1
        while last > place + 12 and data[last] != COLON:
            last -= 1
        number, after = arrays.read_decimal(data, last + 1, end)
        if last > place + 12 and after == end > last + 1:
            ratings[t.BLACK if word == BLACK_RATE else t.WHITE] = number
    return 1


@njit
def trimmed(data, place, end):
    """Return (start, end) of data[place:end] without blanks and tabs around it."""
    while end > place and data[end - 1] <= BLANK and (data[end - 1] == BLANK or data[end - 1] == TAB):
        end -= 1
    while place < end and data[place] <= BLANK and (data[place] == BLANK or data[place] == TAB):
        place += 1
    return place, end


@njit
def is_summary(data, place, end):
    """Tell whether the comment at data[place:end] begins like shogi-server's summary."""
    after = place + 1 + SUMMARY_BYTES
    return after <= end and data[place + 1] == LETTER_S and arrays.word_hash(data, place + 1, after) == SUMMARY_HASH


@njit
def summary_code(data, place, end, kinds, marks):
    """Return the code of a summary, 'TYPE:NAME lose:NAME win' at data[place:end], 0 if it does not have this form.

    The code is 1 + 3 * type + result, where `type` is a row of `kinds`, or the number of its rows for any other type,
    and `result`, white's, is a row of `marks`.

    Args:
        kinds: uint64[n], in, hashes of types
        marks: uint64[3, 3], in, for each result of white its hash, and the hash and length of black's
    """
    colon = place
    while colon < end and data[colon] != COLON:
        colon += 1
    kind, row = arrays.word_hash(data, place, colon), 0
    while row < kinds.shape[0] and kinds[row] != kind:
        row += 1
    last = end
    while last > colon and data[last - 1] != BLANK:
        last -= 1
    word = arrays.word_hash(data, last, end)
    for result in range(marks.shape[0]):
        if marks[result, 0] != word:
            continue
        length = int(marks[result, 2])
        for at in range(colon + 2 + length, last):
            named = data[at] == COLON and data[at - length - 1] == BLANK
            if named and arrays.word_hash(data, at - length, at) == marks[result, 1]:
                return 1 + 3 * row + result
    return 0


@njit
def is_time(data, place, end):
    """Tell whether data[place:end] is a time such as 'T12' or 'T0.5'."""
    number, after = arrays.read_decimal(data, place + 1, end)
    whole = place + 1
    while whole < end and data[whole] != DOT:
        whole += 1
    return after == end and 0 < whole - place - 1 <= TIME_DIGITS and end - whole <= TIME_DIGITS


@njit
def is_header(data, place, end):
    """Tell whether data[place:end], a line that begins with N, V or $, may be a record's header."""
    kind = data[place]
    if kind == NAME:
        return end - place > 1 and (data[place + 1] == PLUS or data[place + 1] == MINUS)
    if kind == VERSION:
        number, after = arrays.read_decimal(data, place + 1, end)
        return place + 1 < after == end and data[end - 1] != DOT and data[place + 1] != DOT
    for at in range(place + 1, end):
        if data[at] == COLON:
            return True
    return False


@njit
def take_set_up(data, place, stop, start, work, facts, sfen):
    """Read a statement at data[place:stop] before the first move; return 1, 0 to decline."""
    pos = work[0]
    kind = data[place]
    if kind == POSITION_LETTER:
        facts[SET_UP], facts[RANKS] = set_up(pos, data, place, stop, int(facts[SET_UP]), int(facts[RANKS]))
        return int(facts[SET_UP] >= 0)
    if stop - place != 1 or kind not in (PLUS, MINUS):
        return 0
    if facts[SET_UP] == BY_ROWS:
        pos.side = kind == MINUS
        pos.ply = 0
        if position_faults(pos) != 0:
            return 0
        facts[arrays.SFEN_LENGTH] = write_sfen(pos, sfen, 0)
    elif kind == PLUS:
        arrays.copy_position(start, work)
    else:
        return 0
    facts[arrays.BEGAN], facts[HAS_BEGUN] = pos.side, 1
    return 1


@njit
def take_statement(data, place, stop, work, undo, words, endings, moves, facts):
    """Read a move, a time or an ending at data[place:stop]; return 1, 0 to decline."""
    pos = work[0]
    kind, length = data[place], facts[arrays.LENGTH]
    if kind == TIME:
        return int((length > 0 or facts[arrays.ENDING] != arrays.NO_ENDING) and is_time(data, place, stop))
    if kind == PERCENT:
        word = arrays.word_hash(data, place, stop)
        for row in range(words.shape[0]):
            if words[row] == word:
                before, facts[arrays.ENDING] = facts[arrays.ENDING], endings[row, int(pos.side)]
                return int(before == arrays.NO_ENDING or before == facts[arrays.ENDING])  # servers say it twice
        return 0
    if facts[arrays.ENDING] != arrays.NO_ENDING:
        return 0
    if stop - place != MOVE_BYTES or length == moves.shape[0]:
        return 0
    move = csa_move(pos, data, place)
    if move == 0:
        return 0
    moves[length] = int(move) & CODES
    do_move(pos, move, undo[0])
    facts[arrays.LENGTH] = length + 1
    return 1


@njit
def usual_line(data, place, end):
    """Return the end of a move of seven bytes or of a time in whole seconds, if nothing else is on its line; else 0.

    Most lines are such lines. The bytes of a move are checked only so far that none ends the line or is a comma.
    """
    kind, last = data[place], place + MOVE_BYTES
    if kind == TIME:
        last = place + 1
        while last < end and ZERO_DIGIT <= data[last] <= NINE_DIGIT:
            last += 1
        if not place + 1 < last <= place + 1 + TIME_DIGITS:
            return 0
    elif kind not in (PLUS, MINUS) or last >= end:
        return 0
    else:
        for at in range(place + 1, last):
            if data[at] < ZERO_DIGIT:
                return 0
    return last if last < end and data[last] in (arrays.NEW_LINE, arrays.RETURN) else 0


@njit
def read_game(
    data, begin, end, start, work, undo, words, endings, moves, values, ratings, facts, sfen, kinds, marks, judged
):
    """Read the game in data[begin:end]; return 1, 0 to decline, -1 if there are only empty lines.

    Args:
        data: uint8[]
        start: record[POSITION][1], the usual position
        work: record[POSITION][1]
        undo: record[UNDO][1]
        words: uint64[n], in, hashes of words that end a game
        endings: int8[n, 2], in, the ending (index into records.ENDINGS) of each word with black and with white to move
        moves: int32[longest], out; for this and the following see `array_kernels`
        values: int16[longest], out
        ratings: float32[2], out
        facts: int64[], out
        sfen: uint8[], out
        kinds, marks: in, see `summary_code`
        judged: int8[n, m], in, the ending by that of the word (the first row: none) and the code of a summary
    """
    moves[:] = arrays.NO_MOVE
    values[:] = VALUE_NONE
    ratings[:] = np.nan
    facts[:] = 0
    facts[arrays.ENDING] = arrays.NO_ENDING
    something = False
    place = begin
    while place < end:
        line = usual_line(data, place, end) if facts[HAS_BEGUN] != 0 else 0
        kind, usual = data[place], line > 0
        if usual and kind == TIME and facts[arrays.LENGTH] > 0:
            place = line + 1
            continue
        last = line
        if not usual:
            line = arrays.line_end(data, place, end)
            place, last = trimmed(data, place, line)
            kind = data[place]
        something |= last > place
        if last == place:
            pass
        elif kind == QUOTE and is_summary(data, place, last):
            facts[SUMMARY_CODE] = summary_code(data, place + 1 + SUMMARY_BYTES, last, kinds, marks)
            if facts[SUMMARY_CODE] == 0:
                return 0
        elif kind == QUOTE:
            if read_comment(data, place, last, work[0], facts[arrays.LENGTH], values, ratings) == 0:
                return 0
        elif kind in (NAME, VERSION, DOLLAR):
            if facts[HAS_BEGUN] != 0 and kind != DOLLAR or not is_header(data, place, last):
                return 0
            if kind == NAME:
                who = arrays.BLACK_NAME if data[place + 1] == PLUS else arrays.WHITE_NAME
                facts[who], facts[who + 1] = place + 2, last
        commas = False
        while place < last and kind not in (QUOTE, NAME, VERSION, DOLLAR):
            stop = last if usual else place
            while stop < last and data[stop] != COMMA:
                stop += 1
            taken = 1
            first, after = trimmed(data, place, stop) if commas or stop < last else (place, stop)
            commas = True
            if after > first and facts[HAS_BEGUN] == 0:
                taken = take_set_up(data, first, after, start, work, facts, sfen)
            elif after > first:
                taken = take_statement(data, first, after, work, undo, words, endings, moves, facts)
            if taken == 0:
                return 0
            place = stop + 1
        place = line + 1
    if facts[HAS_BEGUN] == 0:
        return 0 if something else -1
    facts[arrays.ENDING] = judged[facts[arrays.ENDING] - arrays.NO_ENDING, facts[SUMMARY_CODE]]
    return 1


@njit
def read_games(
    data, begin, stop, final, start, work, undo, words, endings, moves, values, ratings, facts, sfens, row,
    kinds, marks, judged,
):  # fmt: skip
    """Read games into rows from `row` on; return (where the next game begins, the number of rows filled, its end).

    The end is 0 if the rows or the text are used up. Otherwise the next game was declined, and this is its end. The
    other arguments have a row for each game; see `read_game`.

    Args:
        final: whether data[:stop] is all of the text; if not, only games that end with a line '/' are read
    """
    while row < moves.shape[0] and begin < stop:
        end, after = game_end(data, begin, stop)
        if after < 0 and not final:
            return begin, row, 0
        found = read_game(
            data, begin, end, start, work, undo, words, endings,
            moves[row], values[row], ratings[row], facts[row], sfens[row], kinds, marks, judged,
        )  # fmt: skip
        if found == 0:
            return begin, row, stop if after < 0 else after
        begin = stop if after < 0 else after
        row += found > 0
    return begin, row, 0


@njit
def read_lines(data, begins, ends, start, work, line, line_undo, undo, moves, out, counts):
    """Read the lines of moves in a game's comments; each move may have one.

    Args:
        data: uint8[]
        begins: int32[n], in, the start of the line after each move; its moves are 8 bytes apart
        ends: int32[n], in, the end of the line; the same as `begins` if there is none
        start: record[POSITION][1]
        work, line: record[POSITION][1], written as moves are made
        moves: int32[n], in
        out: int32[n, longest], out, the moves that are legal
        counts: int32[n], out, the number of legal moves of each line
    """
    arrays.copy_position(start, work)
    for ply in range(moves.shape[0]):
        do_move(work[0], complete_move(work[0], int(moves[ply])), undo[0])
        counts[ply] = 0
        if begins[ply] == ends[ply]:
            continue
        arrays.copy_position(work, line)
        for place in range(begins[ply], ends[ply], MOVE_BYTES + 1):
            move = csa_move(line[0], data, place)
            if move == 0 or counts[ply] == out.shape[1]:
                break
            out[ply, counts[ply]] = int(move) & CODES
            counts[ply] += 1
            do_move(line[0], move, line_undo[0])
