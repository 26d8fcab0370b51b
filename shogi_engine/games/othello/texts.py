"""Othello's texts, read and written by kernels (interface/game.py): positions in OBF, moves such as 'f5', 'pass'."""

import numpy as np

from shogi_engine.common.bits import ONE, ZERO
from shogi_engine.games.othello.movegen import mobility
from shogi_engine.games.othello.params import plies_left as most_plies
from shogi_engine.games.othello.types import BLACK, DISC_MOVE, PASS, POSITION, SQUARES, move_square
from shogi_engine.interface.game import MOVE_NONE, provides

BLACK_DISC, WHITE_DISC, NO_DISC, BLANK, LETTER_A, DIGIT_1 = (ord(letter) for letter in "XO- a1")
PASS_WORD = np.frombuffer(b"pass", dtype=np.uint8)
POSITION_BYTES = SQUARES + 2  # a blank, the side to move


@provides(POSITION)
def read_position(pos, text, start, stop):
    if stop - start != POSITION_BYTES or text[start + SQUARES] != BLANK:
        return 0
    black = white = ZERO
    for square in range(SQUARES):
        cell = text[start + square]
        bit = ONE << np.uint64(square)
        if cell == BLACK_DISC:
            black |= bit
        elif cell == WHITE_DISC:
            white |= bit
        elif cell != NO_DISC:
            return 0
    mover = text[start + SQUARES + 1]
    if mover != BLACK_DISC and mover != WHITE_DISC:
        return 0
    pos.own, pos.opponent = (black, white) if mover == BLACK_DISC else (white, black)
    pos.side = mover != BLACK_DISC
    return 1


@provides(POSITION)
def write_position(pos, text, end):
    black, white = (pos.own, pos.opponent) if pos.side == BLACK else (pos.opponent, pos.own)
    for square in range(SQUARES):
        bit = ONE << np.uint64(square)
        text[end + square] = BLACK_DISC if black & bit != ZERO else WHITE_DISC if white & bit != ZERO else NO_DISC
    text[end + SQUARES] = BLANK
    text[end + SQUARES + 1] = BLACK_DISC if pos.side == BLACK else WHITE_DISC
    return end + POSITION_BYTES


@provides(POSITION)
def read_move(pos, text, start, stop):
    places = mobility(pos.own, pos.opponent)
    if stop - start == len(PASS_WORD):
        for index in range(len(PASS_WORD)):
            if text[start + index] != PASS_WORD[index]:
                return MOVE_NONE
        return np.uint32(PASS) if places == ZERO and mobility(pos.opponent, pos.own) != ZERO else MOVE_NONE
    file, rank = int(text[start]) - LETTER_A, int(text[start + 1]) - DIGIT_1
    if stop - start != 2 or not (0 <= file < 8 and 0 <= rank < 8):
        return MOVE_NONE
    square = file + 8 * rank
    return np.uint32(DISC_MOVE | square) if places >> np.uint64(square) & ONE != ZERO else MOVE_NONE


@provides(POSITION)
def write_move(pos, move, text, end):
    if move == PASS:
        for index in range(len(PASS_WORD)):
            text[end + index] = PASS_WORD[index]
        return end + len(PASS_WORD)
    square = move_square(move)
    text[end], text[end + 1] = LETTER_A + square % 8, DIGIT_1 + square // 8
    return end + 2


@provides(POSITION)
def plies_left(pos):
    return most_plies(pos)
