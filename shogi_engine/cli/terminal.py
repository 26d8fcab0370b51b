"""Boards, questions and problems in a terminal."""

import importlib
import importlib.util
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from shogi_engine import games, language
from shogi_engine.common.system import can_show
from shogi_engine.common.text import printable_lines
from shogi_engine.interface.extras import USUAL_LEVELS
from shogi_engine.language import translate as _
from shogi_engine.play.words import FIRST_LEVEL, STRONGEST, side_name
from shogi_engine.tsume import LOST, OVER, RIGHT, WRONG, YOURS, Exercise, prove

# ---- Boards in a terminal: lines of parts with styles; a pipe gets plain text


KANJI, WESTERN = PIECES = ("kanji", "western")
KANJI_SAMPLE = "歩▲●・"
IN_KANJI = ("japanese", "kif")  # notations

Part = tuple[str, str]  # text, and its style as rich names it, '' for none
Line = list[Part]


@dataclass(frozen=True)
class BoardStyle:
    """How a board is drawn.

    Attributes:
        pieces: one of PIECES
        flipped: seen from white's side
        clocks: the clocks of black and white as text, '' for none
        colours: use styles; otherwise a character marks the last move
    """

    pieces: str = WESTERN
    flipped: bool = False
    clocks: tuple[str, str] = ("", "")
    colours: bool = False


def draw(game: str, board: Any, look: BoardStyle) -> list[Line]:
    """Return the lines of a game's Board, drawn by the game's module here, or as text if there is none."""
    name = f"shogi_engine.cli.{game}_screen"
    if importlib.util.find_spec(name) is None:
        return [[(line, "")] for line in str(board).splitlines()]
    lines: list[Line] = importlib.import_module(name).draw(board, look)
    return lines


def plain(lines: Iterable[Line]) -> str:
    """Return lines without their styles."""
    return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)


def is_terminal() -> bool:
    """Tell whether both stdin and stdout are terminals."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def default_pieces(output: TextIO) -> str:
    """Return KANJI for a terminal that can show them, and for a pipe in Japanese; in English it has letters."""
    return pieces_for(output) if output.isatty() or language.current() == "ja" else WESTERN


def pieces_for(output: TextIO, wanted: str = KANJI) -> str:
    """Return the `wanted` pieces, or WESTERN if the output has no kanji."""
    return wanted if can_show(KANJI_SAMPLE, output) else WESTERN


def notation_for(output: TextIO, wanted: str) -> str:
    """Return the `wanted` notation of Shogi moves, or 'western' if the output has no kanji."""
    return "western" if wanted in IN_KANJI and not can_show(KANJI_SAMPLE, output) else wanted


def console() -> tuple[Callable[[str], None], Callable[[list[Line]], None]]:
    """Return two functions that show a text and a board's lines on the terminal, in colours if it has any."""
    from rich.console import Console
    from rich.text import Text

    screen = Console(highlight=False, soft_wrap=True)

    def show(text: str) -> None:
        screen.print(Text(printable_lines(text)))

    def show_lines(lines: list[Line]) -> None:
        for line in lines:
            screen.print(Text.assemble(*line))

    return show, show_lines


# ---- Problems in the terminal: what the user can type, whatever the problem


QUIT, HINT, ANSWER, NEXT = ("quit", "q", "終了"), ("hint", "ヒント"), ("answer", "解答"), ("next", "次")


class Desk:
    """Gives problems.

    Args:
        read: `read(prompt)` returns a line; EOFError at the end of input
        show: `show(text)` prints
    """

    def __init__(
        self, read: Callable[[str], str] = input, show: Callable[[str], object] = print, pieces: str = "western"
    ) -> None:
        self.read, self.show, self._look = read, show, BoardStyle(pieces)

    def text(self, board: Any, line: Sequence[str]) -> str:
        """Return a line from a Board's position in the user's notation."""
        from shogi_engine.analysis.judgement import line_texts, truncated_line

        return " ".join(line_texts(board, truncated_line(line, False), language.current()))

    def solve(
        self, exercise: Exercise, game: str, board: Any, engine: Any, wrong: Callable[[str], Iterable[str]]
    ) -> bool:
        """Read lines until a problem is solved or skipped; return False if the user leaves.

        Args:
            wrong: `wrong(move)` notes a wrong move, and returns what is said of it
        """
        hints = 0
        self.show(plain(draw(game, board, self._look)))
        self.show(_("Type a move, hint, answer, next or quit."))
        while exercise.status not in OVER:
            line, made = self.read("> ").strip(), tuple(map(str, board.move_stack))
            if line in QUIT or line in NEXT:
                return line in NEXT
            if line in ANSWER:
                exercise.give_up()
            elif line in HINT:
                hints += 1
                self.show(self._hint(exercise, made, board, engine, hints))
            elif line:
                self._try(exercise, made, board, engine, line, wrong)
                if len(board.move_stack) > len(made):
                    self.show(plain(draw(game, board, self._look)))
        return True

    def _try(
        self,
        exercise: Exercise,
        made: tuple[str, ...],
        board: Any,
        engine: Any,
        line: str,
        wrong: Callable[[str], Iterable[str]],
    ) -> None:
        """Make a move and the reply, if the move is right."""
        try:
            move = str(board.parse_text(line))
        except ValueError as fault:
            self.show(_(str(fault), context=board.record().game))
            return
        text = self.text(board, [move])
        board.push_text(move)
        reply = exercise.moved((*made, move), board)
        if exercise.ask is not None:
            reply = exercise.answered(exercise.ask.work(engine, board))
        if exercise.status in OVER:
            return
        if exercise.status in (LOST, WRONG) or exercise.task is None and exercise.status != RIGHT:
            board.pop()
            self.show(_("{move} is not the solution.").format(move=text))
            if exercise.status == WRONG and exercise.refuted:
                self.show(self.text(board, [move, *exercise.refuted[1]]))
            for said in wrong(move):
                self.show(said)
            exercise.status = YOURS
        elif reply:
            self.show(self.text(board, reply))
            board.push_text(reply[0])

    def _hint(self, exercise: Exercise, made: tuple[str, ...], board: Any, engine: Any, count: int) -> str:
        """Return the target square of the next move; the second time, the move itself."""
        move = exercise.hint(made)
        if not move:
            found = prove(engine, board)
            if not found:
                return _("No mate has been proven; try anyway.")
            move = str(found.moves[0])
        if count % 2 == 0:
            return self.text(board, [move])
        square = move.rstrip("+")[-2:]
        reasons = games.game_module(board.record().game, "reasons")
        return _("The move goes to {square}.").format(square=reasons.square_text(square, language.current()))


# ---- The questions of `play` at a terminal without arguments: the game, the side, the level, the handicap


Read = Callable[[str], str]
HANDICAPS = ("even", "lance", "bishop", "rook", "2-piece", "4-piece", "6-piece")


def ask(game: str | None, read: Read = input, show: Callable[[str], object] = print) -> dict[str, Any]:
    """Return the answers by arguments of `play`. Enter chooses the default in brackets. Raises EOFError at the end."""
    if game is None:
        names = [_("Shogi"), _("Othello"), *games.names()[2:]]
        game = games.names()[choose(_("Which game?"), names, 0, read, show)]
    side = choose(_("Which side do you play?"), _sides(game), 0, read, show)
    human = ("black", "white", random.choice(("black", "white")))[side]
    strongest = STRONGEST.get(game, len(USUAL_LEVELS) - 1)
    level = number(
        _("The engine's level, 0 (a beginner) to {strongest} (the strongest)?").format(strongest=strongest),
        strongest,
        FIRST_LEVEL,
        read,
        show,
    )
    handicap = ""
    if game == "shogi":
        names = [handicap_name(each) for each in HANDICAPS]
        chosen = choose(
            _("With a handicap? White, the stronger player, gives it and moves first."), names, 0, read, show
        )
        handicap = HANDICAPS[chosen] if chosen else ""
    return {"game": game, "human": human, "level": level, "handicap": handicap}


def _sides(game: str) -> list[str]:
    first = _("{side}, who begins").format(side=side_name(0, game))
    return [first, side_name(1, game), _("random")]


def handicap_name(name: str) -> str:
    """Return the displayed name of a handicap of HANDICAPS."""
    from shogi_engine.games.shogi.records.kakinoki import WESTERN

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
