"""Finds the castles and the openings of a game, each with the ply at which it stands."""

from collections.abc import Mapping, Sequence, Set
from typing import Any

from shogi_engine.games.shogi.openings.castles import CASTLES, castle_at
from shogi_engine.games.shogi.openings.patterns import Pattern, View, relative_move
from shogi_engine.games.shogi.openings.strategies import FURIBISHA, LAST_PLY, NEVER_RANGING, ONLY_STATIC, OPENINGS
from shogi_engine.games.shogi.records.handicaps import handicap_name
from shogi_engine.games.shogi.types import KING, make_piece
from shogi_engine.records.tree import GameRecord
from shogi_engine.types.opening import GameNames, Name, Standing

NAMES = {name.id: name for name in (*(each.name for each in CASTLES), *(each.name for each in OPENINGS))}
_REFINED = {opening.name.id: opening.refines for opening in OPENINGS}


def view_of(board: Any, made: tuple[set[str], set[str]] | None = None) -> View:
    """Return what patterns see of a Board's position.

    Args:
        made: by colour, the moves made so far
    """
    squares, hands, _ = board.identity()
    return View(squares, (hands[:8], hands[8:]), made or (set(), set()))


def _castle(view: View, colour: int) -> tuple[Name, Pattern] | None:
    """Return the castle of a colour with the shape that fits, None for none."""
    found = castle_at(view, colour, view.board.find(make_piece(colour, KING)))
    return found and (found[0].name, found[1])


class _Walk:
    """What has been found in a game so far."""

    def __init__(self, start: str) -> None:
        self._start = start
        self._castles: tuple[dict[str, int], dict[str, int]] = ({}, {})
        self._openings: tuple[dict[str, int], dict[str, int]] = ({}, {})

    def look(self, view: View, ply: int, colour: int, target: int | None) -> None:
        """Look at the position after the ply-th move, of `colour`.

        Args:
            target: the square to which a piece has moved; a castle stands when its last piece gets there. None at the
                start of a game, for any square
        """
        found = _castle(view, colour)
        if found and (target is None or target in found[1].squares[colour]):
            self._castles[colour].setdefault(found[0].id, ply)
        if ply <= LAST_PLY and target is not None:
            self._look_at_openings(view, ply, colour)

    def _look_at_openings(self, view: View, ply: int, colour: int) -> None:
        own, foe = self._openings[colour], self._openings[1 - colour]
        for opening in OPENINGS:
            if (
                ply <= opening.until
                and opening.open_to(own, foe, self._start, second=ply % 2 == 0)
                and any(pattern.fits(view, colour) for pattern in opening.patterns)
            ):
                own[opening.name.id] = ply
                if opening.both:
                    foe.setdefault(opening.name.id, ply)
                if opening.name.id in FURIBISHA:
                    _forget(foe, ONLY_STATIC, ply)
                    _forget(own, NEVER_RANGING, ply)

    def names(self) -> GameNames:
        """Return what was found, without the openings that others refine."""
        castles = [_standings(side) for side in self._castles]
        openings = [_standings(side, {_REFINED[name] for name in side}) for side in self._openings]
        return GameNames((castles[0], castles[1]), (openings[0], openings[1]))


def _forget(found: dict[str, int], names: Set[str], ply: int) -> None:
    """Forget those of some names that were found before a ply."""
    for name in [name for name in names & found.keys() if found[name] < ply]:
        del found[name]


def _standings(found: Mapping[str, int], refined: Set[str] = frozenset()) -> list[Standing]:
    return [Standing(NAMES[name], ply) for name, ply in found.items() if name not in refined]


def castles(board: Any) -> tuple[Name | None, Name | None]:
    """Return the castles of black and white in a Board's position, None for a side without one."""
    black, white = (_castle(view_of(board), colour) for colour in (0, 1))
    return black[0] if black else None, white[0] if white else None


def names_of_moves(board: Any, moves: Sequence[str], start: str = "") -> GameNames:
    """Return the castles and openings of the moves (USI) from the position on `board`, which makes them.

    Args:
        start: the name of the handicap with which the game began

    Raises:
        ValueError: a move is illegal
    """
    made: tuple[set[str], set[str]] = (set(), set())
    walk = _Walk(start)
    for colour in (0, 1):
        walk.look(view_of(board), 0, colour, None)
    for ply, usi in enumerate(moves, 1):
        colour = board.turn
        move = board.push_text(usi)
        made[colour].add(relative_move(usi, colour))
        walk.look(view_of(board, made), ply, colour, -1 if move.from_square is None else move.to_square)
    return walk.names()


def names_of_record(record: GameRecord) -> GameNames:
    """Return the castles and openings of a game's main line. Raises ValueError for an illegal move."""
    return names_of_moves(record.board(0), record.moves, handicap_name(record.start))
