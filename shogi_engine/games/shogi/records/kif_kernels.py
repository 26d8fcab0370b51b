"""Reads KIF games by a kernel: characters in, arrays of moves and values out.

It reads even games without variations in the form that programs write. The reader of formats/kif.py reads the games
that it declines: it accepts every valid form and explains what is wrong with invalid ones.
"""

import numpy as np

from shogi_engine.games.shogi.movegen import CODES, complete_move
from shogi_engine.games.shogi.position import do_move
from shogi_engine.games.shogi.records import array_kernels as arrays, kakinoki
from shogi_engine.games.shogi.types import (
    BLACK,
    DROP_BASE,
    KANJI_NUMBERS,
    KINDS_BY_KANJI,
    KING,
    PROMOTED,
    PROMOTION,
    piece_kind,
)
from shogi_engine.interface.game import VALUE_NONE
from shogi_engine.jit import njit

BLANK, TAB, STAR, HASH, QUOTE, AND, BAR, COLON, MINUS, PLUS = (ord(letter) for letter in " \t*#'&|:-+")
OPEN, CLOSE, SLASH, ZERO_DIGIT, NINE_DIGIT = (ord(letter) for letter in "()/09")
WIDE_BLANK, WIDE_COLON, WIDE_ZERO, COMMA = (ord(letter) for letter in "　：０、")
BLANK_LETTERS, MARK_LETTERS, ENDING_LETTERS, LETTERS_AFTER = (
    tuple(sorted(map(ord, letters)))
    for letters in (kakinoki.BLANKS, kakinoki.MARKS, kakinoki.LAST_LETTERS, kakinoki.AFTER_ENDING)
)
PIECES, EYE, ASCII_END = ord("駒"), ord("目"), 128
SAME, PROMOTES, NOT, DROPPED = (ord(letter) for letter in "同成不打")
UNTIL, UNTIL_NEXT, MOVES, BY, BY_NEXT = (ord(letter) for letter in "まで手にて")
CHANGE, CHANGE_NEXT, VALUE, VALUE_NEXT, FULL_STOP, EQUALS = (ord(letter) for letter in "変化評価。=")
HARMLESS = tuple(ord(letter) for letter in "読深ノエ")  # first characters of ShogiHome's lines without a value
NAME_MAX, COMMENTED_HEAD = 31, 4
LAST_TARGET, FIRST_NUMBER, HAS_BEGUN = range(arrays.WHITE_NAME + 2, arrays.WHITE_NAME + 5)  # the format's facts
BLACKS, WHITES = (
    tuple(np.uint64(arrays.hash_of(name)) for name in names) for names in (("先手", "下手"), ("後手", "上手"))
)
HANDICAP, EVEN, TURN = (np.uint64(arrays.hash_of(word)) for word in ("手合割", "平手", "手番"))
MATES = tuple(np.uint64(arrays.hash_of(f"詰み={side}手勝ち")) for side in "先後")
COMMENTED = tuple(np.uint64(arrays.hash_of(word[:COMMENTED_HEAD])) for word in kakinoki.COMMENTED.words)
RULER = np.uint64(arrays.hash_of("手数--"))
NUMBER_DIGITS = 9  # of a number; more are ignored

begins_game, found_after = njit(kakinoki.begins_game), njit(kakinoki.found_after)

SPACES = np.array([chr(code).isspace() for code in range(1 << 16)])  # by character code
KINDS = np.zeros(1 << 16, dtype=np.uint8)  # by character code
RANKS = np.zeros(1 << 16, dtype=np.uint8)
for _name, _kind in KINDS_BY_KANJI.items():
    if len(_name) == 1:
        KINDS[ord(_name)] = _kind
for _rank in range(1, 10):
    RANKS[ord(KANJI_NUMBERS[_rank])] = _rank


@njit
def is_blank(letter):
    """Tell whether a character is a blank."""
    return letter in BLANK_LETTERS


@njit
def is_space(letter):
    """Tell whether a character is a blank of any kind, as in Python's patterns."""
    return SPACES[letter]


@njit
def digit_of(letter):
    """Return the value of a digit, narrow or wide, -1 for another character."""
    narrow, wide = int(letter) - ZERO_DIGIT, int(letter) - WIDE_ZERO
    return narrow if 0 <= narrow <= 9 else wide if 0 <= wide <= 9 else -1


@njit
def read_number(text, place, end):
    """Return (number, end) of the digits at text[place:end], narrow or wide; 0 if there are none."""
    number, first = 0, place
    while place < end and digit_of(text[place]) >= 0:
        if place - first < NUMBER_DIGITS:
            number = 10 * number + digit_of(text[place])
        place += 1
    return number, place


@njit
def skip_blanks(text, place, end):
    """Return the index of the next character that is not a blank."""
    while place < end and is_blank(text[place]):
        place += 1
    return place


@njit
def skip_digits(text, place, end):
    """Return the index of the next character that is not a digit."""
    while place < end and ZERO_DIGIT <= text[place] <= NINE_DIGIT:
        place += 1
    return place


@njit
def move_place(text, place, end):
    """Return the start of the move in a numbered line, -1 if the line is not numbered; see kakinoki_lines.NUMBERED."""
    if place >= end or digit_of(text[place]) < 0:
        return -1
    after = read_number(text, place, end)[1]
    move = skip_blanks(text, after, end)
    if after == move or move == end or is_space(text[move]):
        return -1
    if digit_of(text[move]) >= 0 and (move + 1 == end or is_blank(text[move + 1]) or is_space(text[move + 1])):
        return -1  # the files above a diagram
    return move


@njit
def is_over(text, place, end):
    """Tell whether a line is like 'まで85手で先手の勝ち'."""
    return end - place > 1 and text[place] == UNTIL and text[place + 1] == UNTIL_NEXT


@njit
def name_end(text, place, end):
    """Return the end of a header's name, -1 if the line is not a header."""
    first = text[place]
    if is_space(first) or first in (STAR, HASH, QUOTE, AND, BAR) or ZERO_DIGIT <= first <= NINE_DIGIT:
        return -1
    for at in range(place, min(end, place + NAME_MAX + 1)):
        if text[at] == COLON or text[at] == WIDE_COLON:
            return at if at > place else -1
        if text[at] == BAR:
            return -1
    return -1


@njit
def closing_number(text, place, end):
    """Return the number of moves that a closing line gives; see kakinoki_lines.CLOSING."""
    place += 2
    place += int(place < end and text[place] == COMMA)
    place = skip_blanks(text, place, end)
    number, after = read_number(text, place, end)
    moves = skip_blanks(text, after, end)
    return number if after > place and moves < end and text[moves] == MOVES else kakinoki.UNNUMBERED


@njit
def kind_of(text, place, end):
    """Return the kind and number of the line text[place:end]; see `kakinoki_lines.kind_of` and KifReader."""
    place = skip_blanks(text, place, end)
    if place == end or text[place] == STAR or text[place] == AND:
        return kakinoki.NOTE, 0
    if text[place] == HASH:
        return kakinoki.REMARK, 0
    move = move_place(text, place, end)
    if move >= 0:
        first = text[move]
        is_move = first < ASCII_END or digit_of(first) >= 0 or first == SAME or first in MARK_LETTERS
        return kakinoki.MOVE if is_move else kakinoki.ENDING, read_number(text, place, end)[0]
    if is_over(text, place, end):
        return kakinoki.OVER, closing_number(text, place, end)
    if text[place] == CHANGE and place + 1 < end and text[place + 1] == CHANGE_NEXT:
        at = place + 2
        while at < end and (text[at] == COLON or text[at] == WIDE_COLON or is_blank(text[at])):
            at += 1
        if at < end and digit_of(text[at]) >= 0:
            return kakinoki.BRANCH, 0
    if text[place] == BAR:
        return kakinoki.DIAGRAM, 0
    if end - place >= 4 and arrays.word_hash(text, place, place + 4) == RULER:
        return kakinoki.MAIN_HEADER, 0
    last = name_end(text, place, end)
    if last < 0:
        return kakinoki.OTHER, 0
    while last > place and is_space(text[last - 1]):
        last -= 1
    if text[last - 1] == PIECES:
        return kakinoki.DIAGRAM, 0
    name = arrays.word_hash(text, place, last)
    return kakinoki.MAIN_HEADER if name == HANDICAP or name in BLACKS or name in WHITES else kakinoki.HEADER, 0


@njit
def says_ending(text, place, end):
    """Tell whether the line text[place:end] may say how the moves before it ended; see `kakinoki.says_ending`."""
    while end > place and text[end - 1] in LETTERS_AFTER:
        end -= 1
    return end > place and text[end - 1] in ENDING_LETTERS


@njit
def game_end(text, begin, stop):
    """Return (end of the game at `begin`, whether another begins there); see `kakinoki_lines.begins_game`."""
    place, moves, found, outside, last, last_number = begin, False, kakinoki.NOTHING, begin, kakinoki.OTHER, 0
    while place < stop:
        end = arrays.line_end(text, place, stop)
        kind, number = kind_of(text, place, end)
        if kind <= kakinoki.BRANCH:
            if moves and begins_game(kind, number, last, last_number, found):
                return outside if found != kakinoki.NOTHING else place, True
            last, found, moves = kind, kakinoki.NOTHING, moves or kind != kakinoki.BRANCH
            if kind <= kakinoki.ENDING:
                last_number = number
        elif moves and kind != kakinoki.NOTE:
            if found == kakinoki.NOTHING:
                outside = end + 1 if kind == kakinoki.OTHER and says_ending(text, place, end) else place
            found = found_after(found, kind)
        place = end + 1
    if found != kakinoki.NOTHING and begins_game(kakinoki.END, 0, last, last_number, found):
        return outside, True
    return stop, False


@njit
def kif_move(pos, text, place, end, last):
    """Return the kernels' move at text[place:end], 0 if it is not legal or not in the form that programs write."""
    if end - place < 4:
        return np.uint32(0)
    file = int(text[place]) - WIDE_ZERO
    file = int(text[place]) - ZERO_DIGIT if file < 0 else file
    rank = int(RANKS[text[place + 1]])
    if text[place] == SAME:
        target = last
        place += 2 if text[place + 1] == WIDE_BLANK else 1
    elif 1 <= file <= 9 and rank > 0:
        target = 9 * rank - file
        place += 2
    else:
        return np.uint32(0)
    promoted = place + 1 < end and text[place] == PROMOTES
    place += int(promoted)
    kind = int(KINDS[text[place]])
    if promoted:
        kind = int(PROMOTED[kind]) if 0 < kind < KING else 0
    promotion = place + 1 < end and text[place + 1] == PROMOTES
    place += 2 if promotion else 1
    declined = place + 1 < end and text[place] == NOT and text[place + 1] == PROMOTES
    if declined:
        if promotion:
            return np.uint32(0)
        place += 2
    if target < 0 or kind == 0 or place >= end:
        return np.uint32(0)
    dropped = text[place] == DROPPED
    place += int(dropped)
    if dropped and place == end:
        return complete_move(pos, target | (DROP_BASE + kind) << 7) if kind < KING and not promotion else np.uint32(0)
    if end - place != 4 or text[place] != OPEN or text[place + 3] != CLOSE:
        return np.uint32(0)
    if text[place + 1] == ZERO_DIGIT and text[place + 2] == ZERO_DIGIT:  # CSA's square for pieces in hand
        drops = kind < KING and not promotion and not declined
        return complete_move(pos, target | (DROP_BASE + kind) << 7) if drops else np.uint32(0)
    if dropped:
        return np.uint32(0)
    file, rank = int(text[place + 1]) - ZERO_DIGIT, int(text[place + 2]) - ZERO_DIGIT
    if not (1 <= file <= 9 and 1 <= rank <= 9) or piece_kind(pos.board[9 * rank - file]) != kind:
        return np.uint32(0)
    return complete_move(pos, target | (9 * rank - file) << 7 | (PROMOTION if promotion else 0))


@njit
def is_time(text, place, end):
    """Tell whether text[place:end] is empty or a time such as '( 0:16/00:00:16)', with or without a '+' after it."""
    if place < end and text[place] == OPEN:
        minutes = skip_blanks(text, place + 1, end)
        colon = skip_digits(text, minutes, end)
        if not (minutes < colon <= minutes + 4) or colon >= end or text[colon] != COLON:
            return False
        seconds = skip_blanks(text, colon + 1, end)
        place = skip_digits(text, seconds, end)
        if not (seconds < place <= seconds + 3):
            return False
        if place < end and text[place] == SLASH:
            place += 1
            while place < end and (ZERO_DIGIT <= text[place] <= NINE_DIGIT or text[place] == COLON):
                place += 1
        if place >= end or text[place] != CLOSE:
            return False
        place = skip_blanks(text, place + 1, end)
    if place < end and text[place] == PLUS:
        place = skip_blanks(text, place + 1, end)
    return place == end


@njit
def take_numbered(text, place, begin, end, work, undo, words, endings, moves, facts):
    """Read a move or an ending; `begin` is the start of its text. Return 1, 0 to decline."""
    pos, length = work[0], facts[arrays.LENGTH]
    if facts[arrays.ENDING] != arrays.NO_ENDING:
        return 0
    number = read_number(text, skip_blanks(text, place, end), end)[0]
    stop = begin
    while stop < end and not is_blank(text[stop]):
        stop += 1
    if stop == begin + 1 and text[begin] == SAME:  # the blank belongs to the move
        stop += 1
        while stop < end and not is_blank(text[stop]):
            stop += 1
    if not is_time(text, skip_blanks(text, stop, end), end):
        return 0
    if length == 0 and facts[HAS_BEGUN] == 0:
        facts[FIRST_NUMBER], facts[HAS_BEGUN] = number, 1
    word = arrays.word_hash(text, begin, stop)
    for row in range(words.shape[0]):
        if words[row] == word:
            facts[arrays.ENDING] = endings[row, int(pos.side)]
            return 1
    if number != facts[FIRST_NUMBER] + length or length == moves.shape[0]:
        return 0
    move = kif_move(pos, text, begin, stop, int(facts[LAST_TARGET]))
    if move == 0:
        return 0
    moves[length] = int(move) & CODES
    facts[LAST_TARGET], facts[arrays.LENGTH] = int(move) & 127, length + 1
    do_move(pos, move, undo[0])
    return 1


@njit
def take_over(text, place, end, side, said, told, facts):
    """Read a line like 'まで85手で先手の勝ち'; return 1, or 0 to decline if it says more than the tables know."""
    if facts[arrays.ENDING] >= told.shape[1] - 2:  # from another such line
        return 0
    place += 2
    place += int(place < end and text[place] == COMMA)
    after = skip_digits(text, place, end)
    if after == place or after >= end or text[after] != MOVES:
        return 0
    place = after + 1
    place += int(place < end and text[place] == EYE)
    if place < end and text[place] == UNTIL_NEXT:
        place += 1
    elif place + 1 < end and text[place] == BY and text[place + 1] == BY_NEXT:
        place += 2
    place += int(place < end and text[place] == COMMA)
    place = skip_blanks(text, place, end)
    while end > place and (is_blank(text[end - 1]) or text[end - 1] == FULL_STOP):
        end -= 1
    word = arrays.word_hash(text, place, end)
    for row in range(said.shape[0]):
        if said[row] == word:
            # The last two columns are those of games without an ending, for either side to move.
            column = facts[arrays.ENDING] if facts[arrays.ENDING] != arrays.NO_ENDING else told.shape[1] - 2 + int(side)
            facts[arrays.ENDING] = told[row, column]
            return 1
    return 0


@njit
def take_comment(text, place, end, pos, length, values):
    """Read the value of the last move from a comment; return 1, or 0 to decline if it may say more."""
    if end - place < 2 or text[place + 1] != STAR:
        head = place + 1 + COMMENTED_HEAD
        if head < end and arrays.word_hash(text, place + 1, head) in COMMENTED:
            return 0
        return int(end - place < 2 or text[place + 1] != HASH)
    if end - place < 3:
        return 1
    if text[place + 2] in HARMLESS:
        return 1
    word = arrays.word_hash(text, place + 2, place + 9) if end - place >= 9 else np.uint64(0)
    if word in MATES:
        after = place + 9
        if after < end:
            digits = skip_digits(text, after + 1, end)
            if text[after] != COLON or digits == after + 1 or digits + 1 != end or text[digits] != MOVES:
                return 0
        if length > 0 and abs(int(values[length - 1])) != arrays.VALUE_LIMIT:
            values[length - 1] = (
                arrays.VALUE_LIMIT if (word == MATES[0]) == (pos.side != BLACK) else -arrays.VALUE_LIMIT
            )
        return 1
    at = place + 3
    if text[place + 2] == VALUE:
        at = place + 6
        if end - place < 7 or text[place + 3] != VALUE_NEXT or text[place + 5] != EQUALS:
            return 0
    elif text[place + 2] != BLANK or end - place < 4:
        return 0
    sign = -1 if text[at] == MINUS else 1
    at += int(text[at] == MINUS or text[at] == PLUS)
    number, after = arrays.read_decimal(text, at, end)
    if after == at or after - at > 9 or after < end and (text[after] != BLANK or text[place + 2] == VALUE):
        return 0
    if length > 0 and values[length - 1] == VALUE_NONE:
        value = sign * int(min(np.rint(number), float(arrays.VALUE_LIMIT)))
        values[length - 1] = value if pos.side != BLACK else -value
    return 1


@njit
def take_header(text, place, end, facts):
    """Read a line before the first move; return 1, 0 to decline."""
    if end - place >= 4 and arrays.word_hash(text, place, place + 4) == RULER:
        return 1
    colon = name_end(text, place, end)
    if colon < 0 or text[place] == CHANGE:
        return 0
    last = colon
    while last > place and is_space(text[last - 1]):
        last -= 1
    name, value = arrays.word_hash(text, place, last), skip_blanks(text, colon + 1, end)
    if name == TURN:
        return 0
    if text[last - 1] == PIECES:
        return 0
    if name == HANDICAP:
        while end > value and is_blank(text[end - 1]):
            end -= 1
        return int(arrays.word_hash(text, value, end) == EVEN)
    if name in BLACKS:
        facts[arrays.BLACK_NAME], facts[arrays.BLACK_NAME + 1] = value, end
    elif name in WHITES:
        facts[arrays.WHITE_NAME], facts[arrays.WHITE_NAME + 1] = value, end
    return 1


@njit
def read_game(text, begin, end, start, work, undo, words, endings, moves, values, ratings, facts, said, told):
    """Read the game in text[begin:end]; return 1, 0 to decline, -1 if there are only empty lines.

    Args:
        text: uint16[]
        said: uint64[m], in, hashes of what the closing line may say
        told: int64[m, endings + 2], in, the ending that follows from this and each ending, or from this and no ending
            with black or white to move
    """
    moves[:] = arrays.NO_MOVE
    values[:] = VALUE_NONE
    ratings[:] = np.nan
    facts[:] = 0
    facts[arrays.ENDING], facts[LAST_TARGET] = arrays.NO_ENDING, -1
    arrays.copy_position(start, work)
    something, place = False, begin
    while place < end:
        line = arrays.line_end(text, place, end)
        taken = 1
        first = skip_blanks(text, place, line)
        if first < line:
            something = True
            move = move_place(text, first, line)
            if move >= 0:
                taken = take_numbered(text, place, move, line, work, undo, words, endings, moves, facts)
            elif first > place:
                taken = 0
            elif text[first] == STAR:
                taken = take_comment(text, place, line, work[0], int(facts[arrays.LENGTH]), values)
            elif text[first] == AND or text[first] == HASH:
                taken = 1
            elif is_over(text, place, line):
                taken = take_over(text, place, line, work[0].side, said, told, facts)
            else:
                taken = take_header(text, place, line, facts) if facts[HAS_BEGUN] == 0 else 0
        if taken == 0:
            return 0
        place = line + 1
    if facts[HAS_BEGUN] == 0:
        return 0 if something else -1
    return 1


@njit
def read_games(
    text, begin, stop, final, start, work, undo, words, endings, moves, values, ratings, facts, sfens, row, said, told
):
    """Read games into rows from `row` on; see `csa_kernels.read_games`, and `read_game` for `said` and `told`."""
    while row < moves.shape[0] and begin < stop:
        end, another = game_end(text, begin, stop)
        if not another and not final:
            return begin, row, 0
        found = read_game(
            text, begin, end, start, work, undo, words, endings,
            moves[row], values[row], ratings[row], facts[row], said, told,
        )  # fmt: skip
        if found == 0:
            return begin, row, end
        begin = end
        row += found > 0
    return begin, row, 0
