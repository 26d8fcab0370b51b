"""The questions of `play` at a terminal without arguments: the game, the side, the level, the handicap."""

import argparse
import random
from collections.abc import Callable, Sequence

from shogi_engine import games, language
from shogi_engine.interface.extras.levels import USUAL_LEVELS
from shogi_engine.language import translate as _
from shogi_engine.play.strength import FIRST_LEVEL, STRONGEST
from shogi_engine.play.words import side_name

Read = Callable[[str], str]
HANDICAPS = ("even", "lance", "bishop", "rook", "2-piece", "4-piece", "6-piece")


def ask(args: argparse.Namespace, read: Read = input, show: Callable[[str], object] = print) -> None:
    """Write the answers to `args`. Enter chooses the default in brackets. Raises EOFError at the end of input."""
    if args.game is None:
        names = [_("Shogi"), _("Othello"), *games.names()[2:]]
        args.game = games.names()[choose(_("Which game?"), names, 0, read, show)]
    side = choose(_("Which side do you play?"), _sides(args.game), 0, read, show)
    args.human = ("black", "white", random.choice(("black", "white")))[side]
    strongest = STRONGEST.get(args.game, len(USUAL_LEVELS) - 1)
    args.level = number(
        _("The engine's level, 0 (a beginner) to {strongest} (the strongest)?").format(strongest=strongest),
        strongest,
        FIRST_LEVEL,
        read,
        show,
    )
    if args.game == "shogi":
        names = [handicap_name(each) for each in HANDICAPS]
        chosen = choose(
            _("With a handicap? White, the stronger player, gives it and moves first."), names, 0, read, show
        )
        args.handicap = HANDICAPS[chosen] if chosen else ""


def _sides(game: str) -> list[str]:
    first = _("{side}, who begins").format(side=side_name(0, game))
    return [first, side_name(1, game), _("random")]


def handicap_name(name: str) -> str:
    """Return the displayed name of a handicap of HANDICAPS."""
    from shogi_engine.games.shogi.records.handicaps import WESTERN

    return WESTERN[name] if language.current() == "ja" else name


def choose(question: str, names: Sequence[str], usual: int, read: Read, show: Callable[[str], object]) -> int:
    """Return the index of the chosen answer."""
    show(question)
    for place, name in enumerate(names, 1):
        show(f"  {place}  {name}")
    return number("", len(names), usual + 1, read, show, least=1) - 1


def number(question: str, most: int, usual: int, read: Read, show: Callable[[str], object], least: int = 0) -> int:
    """Ask until the answer is a number from `least` to `most`, and return it."""
    if question:
        show(question)
    while True:
        answer = read(f"[{usual}]> ").strip()
        if not answer:
            return usual
        if answer.isdecimal() and least <= int(answer) <= most:
            return int(answer)
        show(_("a number from {least} to {most}, please").format(least=least, most=most))
