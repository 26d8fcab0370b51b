"""An Engine whose position is set in text, for tests that search many positions, and what it finds as text."""

from dataclasses import replace

from shogi_engine.engine import Engine
from shogi_engine.interface.game import VALUE_MATE
from shogi_engine.types.limits import Limit
from shogi_engine.types.results import DISCS, PlayResult


def value_of(score):
    """Return a score as the search counts: hundredths, and a mate in N plies as VALUE_MATE - N."""
    if score.mate:
        return VALUE_MATE - score.plies if score.value > 0 else score.plies - VALUE_MATE
    return round(100 * score.value) if score.unit == DISCS else score.value


class Line:
    """A report, with moves as text."""

    def __init__(self, info):
        self.info, self.pv, self.value = info, tuple(map(str, info.pv)), value_of(info.score)

    def __getattr__(self, name):
        return getattr(self.info, name)


class Found:
    """What a search found, with moves as text; '' for none."""

    def __init__(self, found: PlayResult):
        info = found.info
        self.move, self.bestmove, self.ponder = found.move, str(found.move or ""), str(found.ponder or "")
        self.score, self.value = info.score, value_of(info.score)
        self.depth, self.nodes, self.seconds = info.depth or 0, info.nodes or 0, found.time
        self.pv, self.lines = tuple(map(str, info.pv)), [Line(each) for each in found.multipv]


class TextEngine(Engine):
    """An Engine with a position: a Board as `here`."""

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.here = self.board()

    def set_position(self, text="", moves=()):
        self.here = self.board(text, moves)

    @property
    def position(self):
        return self.here.state

    @property
    def moves(self):
        return self.here.search_form()[1]

    @property
    def position_text(self):
        return self.here.position()

    @property
    def move_texts(self):
        return [str(move) for move in self.here.move_stack]

    def push(self, move):
        self.here.push_text(move)

    def pop(self):
        return str(self.here.pop())

    def book_move(self):
        """Return a move of the book, '' out of it."""
        found = self.book.play(self.here)
        return "" if found is None else str(found.move)

    def legal_moves(self):
        return [str(move) for move in self.here.legal_moves]

    def search(self, *, multipv=1, searchmoves=(), on_info=None, budget=None, multi_probcut_margin=None, **limits):
        """Search like `play`, but look for no declaration; limits are those of the command line."""
        tell = on_info and (lambda info: on_info(Line(info)))
        limit = Limit.of(**limits)
        limit = limit if budget is None else Limit(budget=budget, depth=limit.depth, nodes=limit.nodes)
        limits = self._limits(self.here, limit, multipv, searchmoves)
        if multi_probcut_margin is not None:
            limits = replace(limits, multi_probcut_margin=multi_probcut_margin)
        with self._idle():
            return Found(self._found(self.here, limits, tell))

    def find_mate(self, *, max_ms=None, **named):
        limit = Limit(None if max_ms is None else max_ms / 1000, nodes=named.pop("nodes", None))
        return self.mate(self.here, limit, **named).convert(lambda line: tuple(map(str, line)))
