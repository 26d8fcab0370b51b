"""Openings of training games: random, or sensible, so that castles are built.

A sensible opening follows the engine's book for a while and continues with searches, which sometimes play another move
than the best (game_kernels.near_best_move).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from shogi_engine.games.shogi import GAME
from shogi_engine.games.shogi.book import shipped
from shogi_engine.interface.game import do_move
from shogi_engine.jit import new_record
from shogi_engine.training.game_kernels import CHANCES

_children: dict[str, list[tuple[int, str]]] = {}  # SFEN -> the book's moves there, each with the SFEN after it


def _book_moves(sfen: str) -> list[tuple[int, str]]:
    """Return the book's moves in a position, encoded, and the position after each."""
    if sfen not in _children:
        found, undo = [], new_record(GAME.undo)
        for known in shipped().known(sfen):
            position = GAME.parse_position(sfen)
            move = GAME.parse_move(position, known.move)
            do_move(position, np.uint32(move), undo)
            found.append((move, GAME.format_position(position)))
        _children[sfen] = found
    return _children[sfen]


def book_line(random: np.random.Generator, plies: int) -> list[int]:
    """Return at most `plies` book moves from the start, each chosen at random from the book's moves."""
    sfen = GAME.format_position(GAME.parse_position(GAME.start))
    moves: list[int] = []
    while len(moves) < plies and _book_moves(sfen):
        move, sfen = _book_moves(sfen)[int(random.integers(len(_book_moves(sfen))))]
        moves.append(move)
    return moves


@dataclass(frozen=True)
class Openings:
    """The mix of openings. Numbers of plies are (fewest, most); margins are in centipawns.

    Attributes:
        random_share: the share of openings with random moves
        chance: the probability that a move may be worse than the best
        book_share: the share of the other openings that start from the book
        balance: see game_kernels.TERMS
    """

    random_share: float = 0.5
    random_plies: tuple[int, int] = (7, 8)
    sensible_plies: tuple[int, int] = (4, 30)
    book_share: float = 0.5
    book_plies: tuple[int, int] = (2, 14)
    chance: float = 0.35
    margin: int = 60
    balance: int = 500

    def draw(self, random: np.random.Generator, terms: Any, moves: np.ndarray) -> None:
        """Write an opening to `terms`, a record of game_kernels.TERMS, and the opening's given moves to `moves`."""
        terms.random = int(random.random() < self.random_share)
        plies = self.random_plies if terms.random else self.sensible_plies
        terms.opening = int(random.integers(plies[0], plies[1] + 1))
        terms.given = 0
        terms.chance, terms.margin, terms.balance = round(self.chance * CHANCES), self.margin, self.balance
        if not terms.random and random.random() < self.book_share:
            line = book_line(
                random, min(int(random.integers(self.book_plies[0], self.book_plies[1] + 1)), terms.opening)
            )
            terms.given = len(line)
            moves[: len(line)] = line
