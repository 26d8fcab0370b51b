"""Words for people: sides, values and how a game ended, in the language in use."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from shogi_engine.games.othello.names import QUICK_LEVEL
from shogi_engine.games.shogi.names import FULL
from shogi_engine.interface.extras import opens_from_book
from shogi_engine.language import mark, translate as _
from shogi_engine.types.limits import SIDES, Limit
from shogi_engine.types.outcomes import DRAWS, Termination
from shogi_engine.types.results import DISCS, PlayResult, Score

if TYPE_CHECKING:
    from shogi_engine.engine import Engine
    from shogi_engine.play.game import Game


# ---- How the engine chooses its move, and its strength: a level or given limits, within what the clock allows


DEFAULT_MS = 1000  # for a move without another limit
# The highest level that answers within seconds; in Shogi that is full strength.
STRONGEST = {"shogi": FULL, "othello": QUICK_LEVEL}
FIRST_LEVEL = 3  # the default
# The approximate grade of each level of Shogi, as docs/levels.md estimates it: kyu below 0, dan above, 0 if weaker.
GRADES = (0, 0, 0, -15, -13, -12, -10, -8, -7, -6, -4, -3, -1, 1, 2, 3)
_DANS = (mark("1 dan"), mark("2 dan"), mark("3 dan"))


def grades(language: str = "") -> list[str]:
    """Return the approximate grades of the levels of Shogi in words, as far as they are known."""
    kyu, weaker = _("{0} kyu", language), _("below {0} kyu", language)
    words = (weaker.format(15), *(_(dan, language) for dan in _DANS))
    return [words[grade] if grade >= 0 else kyu.format(-grade) for grade in GRADES]


def level_limit(engine: "Engine", level: int) -> Limit:
    """Return a level as a Limit, without limits for full strength. Raises ValueError if there is no such level."""
    return Limit() if engine.check_level(level).is_full_strength() else Limit(level=level)


def timed_limit(engine: "Engine", limit: Limit, game: "Game | None") -> Limit:
    """Return the limit of the search for a move: `limit` or DEFAULT_MS, within what the game's clock allows.

    Args:
        game: None for a move outside a game, without a clock
    """
    times = None if game is None else game.clock.for_search(game.turn)
    if game is None or times is None:
        return Limit(DEFAULT_MS / 1000) if limit == Limit() else limit
    budget = engine.clock_budget(times, game.board)
    return replace(limit, budget=budget if limit.time is None else budget.at_most(1000 * limit.time))


def choose(
    engine: "Engine", board: Any, search: Callable[[], PlayResult[Any]], level: int | None = None, *, book: bool = True
) -> PlayResult[Any]:
    """Return the engine's answer to a position: a declaration, a book move, or the result of `search`.

    Args:
        search: called only if neither of the others is possible
        level: None for full strength
        book: whether it may play book moves
    """
    if engine.may_declare(board):
        return PlayResult(declares=True)
    known = engine.book.play(board) if book and opens_from_book(level) else None
    return search() if known is None else known


# Endings in sentences of their own.
SENTENCES = {
    Termination.TIME_FORFEIT: mark("{winner} wins: {loser} ran out of time"),
    Termination.RESIGNATION: mark("{winner} wins: {loser} resigns"),
    Termination.MAX_MOVES: mark("a draw: {count} moves"),
}
_NAME = "shogi_engine level {0}"  # of the engine in records, at a level
_NAMED = re.compile(_NAME.format(r"(\d+)"))
VERSUS = " - "  # between the players' names; one of them may be unknown
_UNNAMED = re.compile(rf"(?:(?<=: )|^)(?={VERSUS}{_NAMED.pattern}$)|(?<=\d{VERSUS})$")  # of an engine's opponent


def name_in_records(level: int | None) -> str:
    """Return the engine's name in records; None: at no level."""
    return "shogi_engine" if level is None else _NAME.format(level)


def names_joined(names: Sequence[str]) -> str:
    """Return both players of a record as one text, or the one that has a name; `names_shown` makes it one for people.

    A person who played against the engine keeps the place before or after it, even without a name.
    """
    known = [name for name in names if name]
    return VERSUS.join(names if len(known) == 1 and _NAMED.fullmatch(known[0]) else known)


def names_shown(text: str, language: str) -> str:
    """Return the names of players in records for people: engines in the language, an unnamed opponent of one as you."""
    text = _UNNAMED.sub(_("You", language), text)
    return _NAMED.sub(lambda found: _("engine (level {0})", language).format(found[1]), text)


def side_name(side: int, game: str) -> str:
    """Return the name of a side: 'black', 先手, 黒."""
    return _(SIDES[side], context=game)


def outcome_text(outcome: Any, game: str) -> str:
    """Return how a game ended, with the discs if they were counted."""
    if outcome.black is not None:
        discs = _("{black} black discs, {white} white").format(black=outcome.black, white=outcome.white)
        return _result(outcome.winner, game, True, discs)
    how = _(str(outcome.termination), context="ending")
    return _result(outcome.winner, game, outcome.termination in DRAWS, how)


def ending_text(game: "Game") -> str:
    """Return how a game that is over has ended."""
    outcome = game.outcome
    assert outcome is not None
    sentence = SENTENCES.get(outcome.termination)
    if sentence is None:
        return outcome_text(game.board.outcome() or outcome, game.name)
    sides = [side_name(side, game.name) for side in range(2)]
    winner = outcome.winner or 0
    return _(sentence).format(winner=sides[winner], loser=sides[1 - winner], count=game.ply)


def _result(winner: int | None, game: str, drawn: bool, how: str) -> str:
    if winner is not None:
        return _("{side} wins: {how}").format(side=side_name(winner, game), how=how)
    return _("a draw: {how}").format(how=how) if drawn else how


def mate_lengths(plies: int) -> dict[str, int]:
    """Return a mate's plies for texts; `odd` counts from the winner's move, as tsume problems do."""
    return {"length": plies, "odd": plies - 1 + plies % 2}


def score_text(score: Score) -> str:
    """Return a value for the side to move: in pawns, in Japanese in hundredths of a pawn."""
    if score.mate:
        if score.plies is None:
            return str(score)
        words = _("mate in {length}") if score.value > 0 else _("mated in {length}")
        return words.format(**mate_lengths(score.plies))
    if score.unit == DISCS:
        return _("{value} discs").format(value=f"{score.value:+g}")
    return _("{pawns} pawns").format(pawns=f"{score.value / 100:+.2f}", centipawns=f"{score.value:+d}")
