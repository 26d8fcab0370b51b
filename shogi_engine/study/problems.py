"""Problems: positions of judged games in which a few moves were clearly best, and those of a repertoire's lines."""

import datetime
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from fsrs import Rating

from shogi_engine import games
from shogi_engine.analysis import GameAnalysis, Hint, MoveAnalysis, hints
from shogi_engine.analysis.judgement import INACCURACY, MATE, MOVE, OPENING, PIECE, WIN, is_mistake, kind_of
from shogi_engine.engine import Engine
from shogi_engine.language import LANGUAGES, mark, translate
from shogi_engine.play.words import VERSUS, names_shown
from shogi_engine.records import GameRecord, Node
from shogi_engine.tsume import DONE, GOOD, WRONG, Verdict
from shogi_engine.types.limits import SIDES, Limit

LINE = "line"  # of a repertoire
KINDS = {  # what is to be found
    MATE: mark("There is a mate."),
    WIN: mark("A won game was given away. Hold the win."),
    PIECE: mark("Pieces were lost. Find the better move."),
    OPENING: mark("The opening went wrong. Find the better move."),
    MOVE: mark("Find the better move."),
    LINE: mark("Play the next move of your line."),
}
CLEARLY = 0.1  # of winning chance: how much better the best move is than all that are no answers
ANSWERS_MAX = 3
NODES = 100_000  # of a search of the two best moves, in games without LIMITS
LIMITS: dict[str, dict[str, int]] = {"othello": {"level": 10}}


@dataclass(frozen=True)
class Problem:
    """A position in which a player missed the best move.

    Attributes:
        position: in the game's notation (SFEN, OBF)
        kind: one of KINDS
        answers: the right moves, the best first: one, or all first moves of a mate
        line: the best line, beginning with the best move
        played: the move that was made
        refutation: the best line after it
        why: sentences that say why the move was bad, by language
        source: the players' names, if any is known, and the ply
    """

    game: str
    position: str
    kind: str
    answers: tuple[str, ...]
    line: tuple[str, ...]
    played: str
    refutation: tuple[str, ...] = ()
    why: tuple[tuple[str, tuple[str, ...]], ...] = ()
    source: str = ""

    @property
    def id(self) -> str:
        """The identifier: the same position of another game, with another move number, has the same one."""
        position = " ".join([*self.position.split()[:3], *([LINE] if self.kind == LINE else [])])
        return hashlib.sha256(f"{self.game} {position}".encode()).hexdigest()[:16]

    @property
    def lines(self) -> Iterator[Sequence[str]]:
        """The lines that can be shown."""
        yield from (self.line, self.answers[:1], (self.played, *self.refutation) if self.played else ())

    def heading(self, language: str) -> str:
        """Return '': problems have no titles."""
        return ""

    def task(self, language: str) -> str:
        """Return what is to be found, in words."""
        return translate(KINDS[self.kind], language)

    def where(self, language: str) -> str:
        """Return the source in words."""
        names, _, ply = self.source.rpartition(", ")
        if not ply.isdigit():
            return self.source
        if not names:
            return translate("move {0}", language).format(ply)
        players = [
            name or translate(SIDES[side], language, context=self.game)
            for side, name in enumerate(names_shown(names, language).split(VERSUS, 1))
        ]
        return translate("{0}, move {1}", language).format(VERSUS.join(players), ply)

    def reasons(self, language: str) -> tuple[str, ...]:
        """Return the sentences that say why the move that was made was bad."""
        return dict(self.why).get(language, ())

    def told_of(self, move: str) -> bool:
        """Tell whether the reasons are said when a move was wrong: a line's are of all moves."""
        return move == self.played or self.kind == LINE

    def board(self) -> Any:
        """Return a Board with the position."""
        return games.game_module(self.game, "board").Board(self.position)


class Examined:
    """Finds whether a few moves of a position are clearly best, by searches of the best moves.

    Args:
        limits: of each search; by default those of LIMITS, or NODES
        engine: that searches, by default one of its own
    """

    def __init__(self, game: str, limits: dict[str, Any] | None = None, engine: Engine | None = None) -> None:
        self._engine, self._limits = engine or Engine(game, hash_mb=16), limits or LIMITS.get(game, {"nodes": NODES})

    def answers(self, position: str, move: MoveAnalysis) -> tuple[str, ...] | None:
        """Return the moves that solve a position, () if none is clearly best, None to look at no more positions.

        Where the solver has found a mate, these are all first moves of mates that it finds.
        """
        board = self._engine.board(position)
        if move.missed_mate:
            found = self._engine.mate(board, Limit(nodes=1_000_000), every=True)
            return tuple(dict.fromkeys([move.best, *(str(line[0]) for line in found.solutions if line)]))
        self._engine.new_game()
        return clear(hints(self._engine, board, ANSWERS_MAX + 1, **self._limits), move.best)


class Accepted(Examined):
    """Takes the best move of the analysis for the answer, without another search."""

    def __init__(self) -> None:
        pass

    def answers(self, position: str, move: MoveAnalysis) -> tuple[str, ...]:
        """Return the best move of the analysis."""
        return (move.best,)


def clear(found: Sequence[Hint], best: str) -> tuple[str, ...]:
    """Return the moves that are about as good as the best, `best` first, if all others are clearly worse, else ().

    Args:
        found: the best moves by a second search, one more than there may be answers
        best: the best move by the first search, which must be among the answers
    """
    chances = [hint.chance for hint in found]
    for count in range(1, len(found)):
        if chances[0] - chances[count] >= CLEARLY:
            moves = [hint.move for hint in found[:count]]
            near = chances[0] - chances[count - 1] < INACCURACY
            return tuple(dict.fromkeys([best, *moves])) if near and best in moves else ()
    return ()


def problems_of(
    game: GameAnalysis, side: str = "", examined: Examined | None = None, least: float = 0.0
) -> Iterator[Problem]:
    """Yield the problems of a judged game.

    Args:
        side: 'black' or 'white', '' for both
        examined: finds the answers; by default a search decides
        least: the loss of winning chance of the smallest mistake
    """
    name = game.record.game
    texts = {language: game.why_texts(language) for language in LANGUAGES}
    for move, board in game.boards():
        if side in ("", move.side) and is_mistake(move) and move.loss >= least:
            position = board.position()
            examined = examined or Examined(name)
            answers = examined.answers(position, move)
            if answers is None:
                return
            if answers:
                yield Problem(
                    name,
                    position,
                    kind_of(game, move),
                    answers,
                    move.pv or (move.best,),
                    move.move,
                    move.replies,
                    tuple((language, tuple(said.get(move.ply, ()))) for language, said in texts.items()),
                    _source(game, move),
                )


def _source(game: GameAnalysis, move: MoveAnalysis) -> str:
    names = VERSUS.join(game.record.names) if any(game.record.names) else ""
    return f"{names}, {move.ply}"


# ---- Attempts at problems, in the terminal or the browser: what is right, and how well it was solved


REPLY_NODES = 20_000  # of the search for a reply to a wrong move, in games without LIMITS
REPLY_LIMITS = {"othello": Limit(level=6)}


class Attempt:
    """One attempt at a problem: a Task of `tsume.exercise`.

    Attributes:
        problem: the problem
        line: its solution
        wrong: whether a wrong move was tried, or the answer shown
    """

    def __init__(self, problem: Problem) -> None:
        self.problem, self.line = problem, problem.line
        self.wrong = False

    def mates(self, moves: Sequence[str]) -> bool:
        """Tell whether the moves begin a mate."""
        return self.problem.kind == MATE and bool(moves) and moves[0] in self.problem.answers

    def tried(self, moves: Sequence[str], board: Any) -> Verdict | None:
        """Judge the first move; None if `reply` must."""
        if len(moves) > 1:
            return Verdict("")
        (move,), problem = moves, self.problem
        self.wrong = self.wrong or self._is_wrong(move)
        if move in problem.answers:
            return Verdict(DONE if move == problem.answers[0] else GOOD)
        return Verdict(WRONG, problem.refutation) if problem.told_of(move) else None

    def _is_wrong(self, move: str) -> bool:
        """Tell whether a first move is known to be wrong."""
        return move not in self.problem.answers

    def reply(self, engine: Any, board: Any) -> Verdict:
        """Search the position after a move that is not an answer; return the line from there."""
        return Verdict(WRONG, reply_line(engine, board, self.problem.game))

    def hint(self, moves: Sequence[str]) -> str:
        """Return the best first move; later moves of a mate must be searched."""
        return "" if moves else self.problem.answers[0]

    def rating(self, helped: bool) -> Rating:
        """Return how well the problem was solved, with a hint or without, for the scheduler."""
        return Rating.Again if self.wrong else Rating.Hard if helped else Rating.Good


class Retry(Attempt):
    """An attempt at a position of a game just judged: any move is right that is about as good as the best."""

    def _is_wrong(self, move: str) -> bool:
        return move == self.problem.played

    def reply(self, engine: Any, board: Any) -> Verdict:
        """Search the position after a move, and that after the best one, whose values are compared.

        Where a mate was missed, a move is right if the search finds a mate after it.
        """
        after_best = self.problem.board()
        after_best.push_text(self.problem.answers[0])
        best, _ = self._searched(engine, after_best)
        value, line = self._searched(engine, board)
        right = value == 1.0 if self.problem.kind == MATE else best - value < INACCURACY
        self.wrong = self.wrong or not right
        return Verdict(GOOD) if right else Verdict(WRONG, line)

    def _searched(self, engine: Any, board: Any) -> tuple[float, tuple[str, ...]]:
        """Return the winning chance of the side that has just moved, and the best line."""
        if (outcome := board.outcome()) is not None:
            return 0.5 if outcome.winner is None else float(outcome.winner != board.turn), ()
        found = engine.analyse(board, limit_of(self.problem.game))
        return 1.0 - found["score"].chance(), tuple(map(str, found.pv))


def limit_of(game: str) -> Limit:
    """Return the limit of a search for a reply."""
    return REPLY_LIMITS.get(game, Limit(nodes=REPLY_NODES))


def reply_line(engine: Any, board: Any, game: str) -> tuple[str, ...]:
    """Return the best line of a Board's position, () at the end of a game."""
    return tuple(str(move) for line in engine.analyse(board, limit_of(game), multipv=1) for move in line.pv)


# ---- Problems as files: a line each with the position and the answers, and records with the best line


ALSO = mark("This move is right too.")


def as_text(problems: Iterable[Problem]) -> str:
    """Return a line for each problem: the position (SFEN, OBF), a tab, and the answers, separated by blanks."""
    return "".join(f"{each.position}\t{' '.join(each.answers)}\n" for each in problems)


def as_records(problems: Iterable[Problem], language: str = "en") -> list[GameRecord]:
    """Return the problems as records.

    The main line is the best one. The move that was made is a variation, with its refutation, and so are other moves
    that solve the problem. Comments say what is to be found, why the move was bad, and that others are right.
    """
    made = []
    for each in problems:
        record = GameRecord.from_moves(each.game, each.line, start=each.position)
        record.root.add_comment(translate(KINDS[each.kind], language))
        record.root.add_comment(each.where(language))
        if each.played and each.played not in [child.move for child in record.root.children]:
            node = record.root.add(each.played)
            for said in each.reasons(language):
                node.add_comment(said)
            for move in each.refutation:
                node = node.add(move)
        for move in each.answers[1:]:
            record.root.add(move, comment=translate(ALSO, language))
        made.append(record)
    return made


# ---- The turning points of one game, to be tried again at once: problems that are not kept


class Source(Protocol):
    """Where problems come from: a Store, or the TurningPoints of a game.

    Attributes:
        size: how many problems there are, all in one round; 0 if problems are given when they are due
    """

    size: int

    @property
    def found(self) -> int:
        """How many were solved at the first try, if they are all in one round."""

    def due(self, at: datetime.datetime | None = None) -> Sequence[Problem]:
        """Return the problems to be given."""

    def next_due(self) -> datetime.datetime | None:
        """Return when the next one is to be given, None for never."""

    def attempt(self, problem: Problem) -> Attempt:
        """Return a new attempt at one of them."""

    def review(self, problem: Problem, rating: Rating, at: datetime.datetime | None = None) -> datetime.datetime | None:
        """Note how it was solved; return when it comes back, None for never."""


TURNING_POINTS = 3  # of a game, as many as the browser names


class TurningPoints:
    """The positions of a judged game in which a much better move was missed: the worst few, in the order of the game.

    Args:
        side: 'black' or 'white', '' for both

    Attributes:
        size: how many there are
        found: how many were solved at the first try
    """

    def __init__(self, game: GameAnalysis, side: str = "") -> None:
        losses = sorted(
            (move.loss for move in game.moves if side in ("", move.side) and is_mistake(move)), reverse=True
        )
        self._problems = tuple(problems_of(game, side, Accepted(), least=min(losses[:TURNING_POINTS], default=0.0)))
        self.size, self.found = len(self._problems), 0

    def due(self, at: datetime.datetime | None = None) -> Sequence[Problem]:
        """Return all problems."""
        return self._problems

    def next_due(self) -> None:
        """Return None: they do not come back."""

    def attempt(self, problem: Problem) -> Attempt:
        """Return a new attempt: a move that is about as good as the best one is right too."""
        return Retry(problem)

    def review(self, problem: Problem, rating: Rating, at: datetime.datetime | None = None) -> None:
        """Count a problem that was solved at the first try."""
        self.found += rating != Rating.Again


# ---- A repertoire: the lines that a player wants to know. A Store keeps them apart


Figures = Callable[[Any], Callable[[str], Sequence[str]]]


def problems_of_lines(
    record: GameRecord, side: str, *, plies: int = 30, figures: Figures = lambda board: lambda language: ()
) -> Iterator[Problem]:
    """Yield the positions of a record's lines in which a side is to move, with its move, in the order of the lines.

    Of variations those of the other side are followed; of one's own moves only the first.

    Args:
        side: 'black' or 'white'
        plies: of each line, from its start
        figures: `figures(board)(language)` returns sentences on the moves of a Board's position
    """
    who, board = VERSUS.join(record.names) if any(record.names) else "", record.board(0)

    def walk(nodes: Sequence[Node], ply: int) -> Iterator[Problem]:
        """Yield the problems after some nodes of one position: a file may begin several variations with one move."""
        if ply > plies:
            return
        own, after = SIDES[int(board.turn)] == side, dict[str, list[Node]]()
        for child in (each for node in nodes for each in node.children):
            after.setdefault(child.move, []).append(child)
        for move, children in list(after.items())[: 1 if own else None]:
            if own:
                line = tuple(each.move for each in GameRecord.line(children[0]))[: plies - ply + 1]
                said = figures(board)
                why = tuple((language, tuple(said(language))) for language in LANGUAGES)
                yield Problem(record.game, board.position(), LINE, line[:1], line, "", why=why, source=f"{who}, {ply}")
            board.push_text(move)
            yield from walk(children, ply + 1)
            board.pop()

    return walk([record.root], 1)
