"""Problems in the terminal: what the user can type, whatever the problem."""

from collections.abc import Callable

from shogi_engine.cli.terminal.screen import Look
from shogi_engine.language import translate as _

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
        self.read, self.show = read, show
        self._look = Look(pieces)

    def _solve(self, attempt: Callable[[str], bool], hint: Callable[[], str], answer: Callable[[], None]) -> bool:
        """Read lines until a problem is solved or skipped; return False if the user leaves.

        Args:
            attempt: `attempt(line)` tries a move and tells whether the problem is solved
            hint: returns a hint
            answer: shows the solution
        """
        self.show(_("Type a move, hint, answer, next or quit."))
        while True:
            line = self.read("> ").strip()
            if line in QUIT or line in NEXT:
                return line in NEXT
            if line in ANSWER:
                answer()
                return True
            if line in HINT:
                self.show(hint())
            elif line and attempt(line):
                return True
