"""Judges moves by the results of searches before and after them, in winning chances and in pawns or discs.

Scores are for the side to move. This module does not search. Only the unit of scores depends on the game.
"""

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from shogi_engine import games, language
from shogi_engine.language import LANGUAGES as LANGUAGES, check, mark, translate
from shogi_engine.play.game import PASS as PASS
from shogi_engine.play.words import mate_lengths
from shogi_engine.records import GameRecord
from shogi_engine.types.limits import SIDES
from shogi_engine.types.outcomes import DAN, KYU, Fact, GameNames, Kind
from shogi_engine.types.results import Score

# ---- The texts of an analysis, in English and Japanese


NOTATIONS = {"en": "western", "ja": "japanese"}  # of Shogi moves
PAWNS = {"en": "{pawns:+.2f}", "ja": "{centipawns:+d}"}  # how players write a value
LINE_MOVES = 10  # maximum number of moves shown of a line that is not a mate

WORDS = {
    "inaccuracy": mark("inaccuracy"),
    "mistake": mark("mistake"),
    "blunder": mark("blunder"),
    "missed": mark("missed a mate in {length}"),
    "better": mark("better"),
    "chance": mark("black's winning chance"),
    "black": mark("black"),
    "white": mark("white"),
    "start": mark("Start"),
    "analysis": mark("Game analysis"),
    "game": mark("Game"),
    "gave": mark("gave away"),
    "pawns": mark("pawns"),
    "discs": mark("discs"),
    "mate": mark("mate in {length}"),
    "mated": mark("mated in {length}"),
    "mates": mark("mate"),
    "is mated": mark("mated"),
    "first": mark("First"),
    "back": mark("Back"),
    "next": mark("Next"),
    "last": mark("Last"),
    "blunders": mark("Next mistake"),
    "show": mark("Show on the board"),
    "keys": mark("Arrow keys step through the game, Home and End go to its ends."),
    "script": mark("The boards need JavaScript."),
}
BY_GAME = ("black", "white", "chance")  # words that differ with the game


def words_of(language: str, game: str = "shogi") -> dict[str, str]:
    """Return the words of a language. Raises ValueError if there is no such language."""
    check(language)
    return {name: translate(text, language, game if name in BY_GAME else "") for name, text in WORDS.items()} | {
        "value": PAWNS[language]
    }


def move_text(board: Any, move: str, language: str) -> str:
    """Return a move of the position on `board` in the user's notation."""
    if not hasattr(board, "text"):  # one notation only
        return translate("pass", language) if move == PASS else move
    text: str = board.text(board.parse_text(move), NOTATIONS[language])
    return text


def line_texts(board: Any, moves: Sequence[str], language: str) -> list[str]:
    """Return the moves of a line from the position on `board`, which is unchanged on return."""
    texts = []
    for move in moves:
        texts.append(move_text(board, move, language))
        board.push_text(move)
    for _ in moves:
        board.pop()
    return texts


def truncated_line(pv: Sequence[str], whole: bool) -> Sequence[str]:
    """Return the part of a line that is shown: the whole line if it is a mate."""
    return pv if whole else pv[:LINE_MOVES]


def score_words(score: Score, unit: str, words: dict[str, str]) -> str:
    """Return a score as text: '+1.20', in Japanese '+120', 'mated in 4', 'mate' at the end; discs '+4' or '+3.5'."""
    if score.mate and not score.plies:
        return words["mates" if score.value > 0 else "is mated"]
    if score.plies:
        return words["mate" if score.value > 0 else "mated"].format(**mate_lengths(score.plies))
    if unit == "pawns":
        return words["value"].format(pawns=score.value / 100.0, centipawns=score.value)
    return f"{round(score.value, 1) + 0.0:+.1f}".removesuffix(".0")  # adding 0 takes the sign from -0


def unit_of(game: str) -> str:
    """Return the unit of a game's values: 'pawns' or 'discs'."""
    return "discs" if game == "othello" else "pawns"


# ---- Why a move was bad: facts of the searches and of the board, and the sentences that say them
#
# Nothing is said that is not proven or measured: `types.fact.Kind` has what each fact claims.


MOST_FACTS = 2  # facts about a move

# What is said of a fact. {line} begins with the reply, or with the better move; see MISSED.
SENTENCES = {
    Kind.MATE_ALLOWED: mark("It allows a mate in {number}: {line}."),
    Kind.MATE_THREAT_UNMET: mark("It does not meet the threat of mate, and allows a mate in {number}: {line}."),
    Kind.MATE_THREATENED: mark("After {line} a mate in {number} is threatened."),
    Kind.ENDS_IN_MATE: mark("The line {line} ends in mate."),
    Kind.PIECE_LEFT: mark("It leaves {lost} on {square} to be captured for nothing: {line}."),
    Kind.PIECE_THREAT_UNMET: mark("It does not meet the threat to capture {lost} on {square} for nothing: {line}."),
    Kind.EXCHANGE_LOST: mark("It loses {lost} for {won} by the exchange on {square}: {line}."),
    Kind.PIECES_LOST: mark("In the line {line} it loses {lost} for {won}."),
    Kind.FORK_ALLOWED: mark("{line} forks {lost}."),
    Kind.PROMOTION_ALLOWED: mark("In the line {line} the opponent gets {lost} on {square}, safe from capture."),
    Kind.CAPTURE_THREATENED: mark("After {line} the opponent threatens to capture {lost} on {square}."),
    Kind.KING_ATTACKED: mark(
        "After {line} the opponent attacks {number} squares next to the king; in the better line {other}."
    ),
    Kind.KING_ATTACK_MISSED: mark(
        "In the better line this side attacks {other} squares next to the opposing king; after {line} {number}."
    ),
    Kind.FEW_DEFENDERS: mark(
        "It leaves {number} of the golds and silvers next to the king; the better move leaves {other}."
    ),
    Kind.LINES_CLOSED: mark(
        "After {line} the rooks and bishops of this side attack {number} squares; in the better line {other}."
    ),
    Kind.CASTLE_BROKEN: mark("It breaks up the castle, {name}."),
    Kind.CORNER_GIVEN: mark("It gives away the corner {square}."),
    Kind.CORNER_LOST: mark("The opponent gets the corner {square}: {line}."),
    Kind.PASS_FORCED: mark("After {line} this side has no legal move and must pass."),
    Kind.NEAR_CORNER: mark("It takes the {name}-square next to the empty corner {square}."),
    Kind.STABLE_GIVEN: mark(
        "After {line} at least {number} discs of the opponent can never be flipped; in the better line this is known of"
        " {other}."
    ),
    Kind.STABLE_MISSED: mark(
        "In the better line at least {other} discs of this side can never be flipped; after {line} this is known of"
        " {number}."
    ),
    Kind.MOVES_GIVEN: mark("After {line} the opponent has {number} legal moves; in the better line {other}."),
    Kind.FEW_MOVES: mark("After {line} this side has {number} legal moves; in the better line {other}."),
    Kind.EVEN_REGION: mark(
        "It is in a region with an even number of empty squares, {number}; that of the better move has {other}."
    ),
    Kind.EDGES_GIVEN: mark("After {line} the opponent has {number} discs on the edges; in the better line {other}."),
    Kind.FRONTIER: mark("It leaves {number} discs next to empty squares; the better move leaves {other}."),
    Kind.DISCS_FLIPPED: mark("It flips {number} discs; the better move flips {other}."),
    Kind.DISCS_LOST: mark("With perfect play the game now ends at {number} for this side, instead of {other}."),
    Kind.MATE_MISSED: mark("There was a mate in {number}: {line}."),
    Kind.COULD_END_IN_MATE: mark("The better line ends in mate: {line}."),
    Kind.CORNER_MISSED: mark("The better line takes the corner {square}: {line}."),
    Kind.PASS_MISSED: mark("After {line} the opponent has no legal move and must pass."),
    Kind.PIECE_MISSED: mark("{line} captures {won} on {square} for nothing."),
    Kind.EXCHANGE_MISSED: mark("The exchange on {square} wins {won} for {lost}: {line}."),
    Kind.PIECES_MISSED: mark("The better line wins {won} for {lost}: {line}."),
    Kind.FORK_MISSED: mark("{line} forks {won}."),
    Kind.PROMOTION_MISSED: mark("The better line gets {won} on {square}, safe from capture: {line}."),
    Kind.CAPTURE_THREAT_MISSED: mark("{line} threatens to capture {won} on {square}."),
    Kind.MATE_THREAT_MISSED: mark("{line} threatens a mate in {number}."),
    Kind.BOOK_LEFT: mark("The opening book has {line} here."),
}
AT_ONCE = {  # where the line has no reply
    Kind.MOVES_GIVEN: mark("It gives the opponent {number} legal moves; the better move gives {other}."),
    Kind.CORNER_MISSED: mark("The better move takes the corner {square}."),
}
FOR_NOTHING = {  # where the other side gets no piece
    Kind.EXCHANGE_LOST: mark("It loses {lost} on {square}: {line}."),
    Kind.PIECES_LOST: mark("In the line {line} it loses {lost}."),
    Kind.EXCHANGE_MISSED: mark("The exchange on {square} wins {won}: {line}."),
    Kind.PIECES_MISSED: mark("The better line wins {won}: {line}."),
}
KYU_MOVES = 3  # of a line; the claim is then in words alone, or within these moves
SIMPLE = {  # for kyu players, where others differ
    Kind.MATE_THREAT_UNMET: mark("It does not meet the threat of mate."),
    Kind.ENDS_IN_MATE: mark("The king cannot be saved."),
    Kind.PIECES_LOST: mark("It loses {lost} before long: {line}."),
    Kind.PROMOTION_ALLOWED: mark("The opponent gets {lost} on {square}."),
    Kind.KING_ATTACKED: mark("The king becomes weak."),
    Kind.KING_ATTACK_MISSED: mark("It misses a chance to attack the opposing king."),
    Kind.FEW_DEFENDERS: mark("The king has fewer golds and silvers next to it."),
    Kind.LINES_CLOSED: mark("The rook and the bishop have little to do."),
    Kind.CORNER_LOST: mark("The opponent gets the corner {square} before long."),
    Kind.STABLE_GIVEN: mark("The opponent gets discs that can never be flipped."),
    Kind.STABLE_MISSED: mark("It misses discs that could never be flipped."),
    Kind.MOVES_GIVEN: mark("It gives the opponent more moves to choose from."),
    Kind.FEW_MOVES: mark("It leaves this side fewer moves to choose from."),
    Kind.EVEN_REGION: mark("The opponent will have the last move in this region."),
    Kind.EDGES_GIVEN: mark("The opponent gets more discs on the edges."),
    Kind.FRONTIER: mark("It opens the position: more discs can be flipped."),
    Kind.DISCS_FLIPPED: mark("It flips too many discs."),
    Kind.COULD_END_IN_MATE: mark("There was a way to mate: {line}."),
    Kind.CORNER_MISSED: mark("There was a way to get the corner {square}: {line}."),
    Kind.PIECES_MISSED: mark("There was a way to win {won}: {line}."),
    Kind.PROMOTION_MISSED: mark("There was a way to get {won} on {square}: {line}."),
}
MISSED = (  # the kinds whose lines begin with the better move
    Kind.MATE_MISSED, Kind.COULD_END_IN_MATE, Kind.CORNER_MISSED, Kind.PASS_MISSED, Kind.PIECE_MISSED,
    Kind.EXCHANGE_MISSED, Kind.PIECES_MISSED, Kind.FORK_MISSED, Kind.PROMOTION_MISSED, Kind.CAPTURE_THREAT_MISSED,
    Kind.MATE_THREAT_MISSED, Kind.BOOK_LEFT,
)  # fmt: skip
_ONE = re.compile(r"(?<!\S)(1 (?:disc|legal move|square))s\b")
THREATS = (
    Kind.MATE_THREATENED, Kind.FORK_ALLOWED, Kind.CAPTURE_THREATENED,
    Kind.MATE_THREAT_MISSED, Kind.FORK_MISSED, Kind.CAPTURE_THREAT_MISSED,
)  # fmt: skip


def facts_of(game: str, board: Any, move: Any) -> tuple[Fact, ...]:
    """Return the gravest facts about a bad move, at most MOST; () for a good one, or if nothing is proven.

    Args:
        board: a Board with the position before the move, unchanged on return
        move: a MoveAnalysis
    """
    return tuple(itertools.islice(_without_repeats(_facts(game, board, move)), MOST_FACTS)) if move.worth_a_word else ()


def _without_repeats(facts: Iterable[Fact]) -> Iterator[Fact]:
    """Yield the facts without those about a square, or about a move's threats, of which a graver fact has told."""
    said: set[tuple[bool, Any]] = set()
    for fact in facts:
        subjects = fact.square, fact.moves if fact.kind in THREATS else ()
        about = {(fact.kind in MISSED, subject) for subject in subjects if subject}
        if about.isdisjoint(said):
            yield fact
        said |= about


def _facts(game: str, board: Any, move: Any) -> Iterator[Fact]:
    if move.exact and move.played_exact and move.score.unit == move.played_score.unit == "discs":
        after, before = round(move.played_score.value), round(move.score.value)
        yield Fact(Kind.DISCS_LOST, (move.move,), number=after, other=before)
    if games.has(game, "reasons"):
        yield from games.game_module(game, "reasons").facts(
            board,
            move.move,
            move.pv or (move.best,),
            move.replies,
            missed_mate=move.missed_mate,
            allowed_mate=move.allowed_mate,
            wins=move.score.mate,
            loses=move.played_score.mate,
        )
    known = _book_moves(game, board)
    if known and move.move not in known:
        yield Fact(Kind.BOOK_LEFT, (known[0],), number=len(known))


def _book_moves(game: str, board: Any) -> list[str]:
    """Return the moves that the game's own book has for a position, best first."""
    open_book = games.load(game).extras.open_book
    return [each.move for each in open_book(None).known(board.position())] if open_book else []


# ---- words -------------------------------------------------------------------------------------------------------


def sentences(game: str, board: Any, facts: Sequence[Fact], language: str = "en", words: str = DAN) -> list[str]:
    """Return what the facts say.

    Args:
        board: a Board with the position before the move, unchanged on return
        words: one of WORDS_FOR
    """
    return [_sentence(game, board, fact, language, words) for fact in facts]


def _sentence(game: str, board: Any, fact: Fact, language: str, words_for: str) -> str:
    line = line_texts(board, fact.moves, language)
    part: Any = games.game_module(game, "reasons") if games.has(game, "reasons") else None
    values: dict[str, Any] = {"number": fact.number, "other": fact.other}
    shown, simple = line if fact.kind in MISSED else line[1:], words_for == KYU
    values["line"] = " ".join([*shown[:KYU_MOVES], "…"] if simple and len(shown) > KYU_MOVES else shown)
    if fact.kind is Kind.DISCS_LOST:
        words = words_of(language, game)
        values |= {name: score_words(Score.discs(values[name]), "discs", words) for name in ("number", "other")}
    if fact.square:
        values["square"] = part.square_text(fact.square, language)
    if fact.name:
        values["name"] = part.name_text(fact.name, language)
    lost, won = Counter(fact.lost), Counter(fact.won)
    for name, pieces in (("lost", lost - won), ("won", won - lost)):  # the same piece on both sides is no loss
        values[name] = _pieces({part.piece_text(each, language): count for each, count in pieces.items()}, language)
    free = not values["lost" if fact.kind in MISSED else "won"]
    special = (AT_ONCE if len(line) == 1 else {}) | (FOR_NOTHING if free else {}) | (SIMPLE if simple else {})
    said = translate(special.get(fact.kind, SENTENCES[fact.kind]), language, game).format(**values)
    return _ONE.sub(r"\1", said) if language == "en" else said


def _pieces(counts: Mapping[str, int], language: str) -> str:
    """Return 'a silver and 2 pawns', 銀と歩2枚."""
    if language == "ja":
        return "と".join(name if count == 1 else f"{name}{count}枚" for name, count in counts.items())
    return " and ".join(_some(name, count) for name, count in counts.items())


def _some(name: str, count: int) -> str:
    """Return 'a silver', '2 silvers', 'the king'."""
    if name == "king":
        return "the king"
    return f"a {name}" if count == 1 else f"{count} {name}s"


PER_UNIT = {"cp": 100.0, "discs": 1.0}  # the value of a pawn or a disc
MOST = {"cp": 3000.0, "discs": 64.0}  # values, mates included, are clipped to this before subtraction

# The loss of winning chance for each verdict. Lichess uses the same (with chances from -1 to 1).
INACCURACY, MISTAKE, BLUNDER = 0.05, 0.10, 0.15
VERDICTS = (("blunder", BLUNDER), ("mistake", MISTAKE), ("inaccuracy", INACCURACY))


@dataclass(frozen=True)
class PositionResult:
    """The result of a search of one position of a game.

    Attributes:
        best: the best move, '' if the game is over
        score: its value, for the side to move
        pv: the best line, beginning with `best`
        exact: whether the value is proven
        mate: the length in plies of a mate by checks that the solver found, 0 if none
        played_mate: the length in plies of the mate that begins with the move played, 0 if none
    """

    best: str
    score: Score
    pv: tuple[str, ...] = ()
    depth: int = 0
    nodes: int = 0
    exact: bool = False
    mate: int = 0
    played_mate: int = 0


@dataclass(frozen=True)
class MoveAnalysis:
    """A judged move of a game. Values are for the side that made it, except `black`.

    Attributes:
        ply: the number of the move, from 1
        side: 'black' or 'white'
        move: the move played
        best: the best move
        score: the value of the best move: of the position before the move
        pv: the line of the best move
        played_score: the value of the move played: of the position after it, from where its mates are counted too
        loss: the winning chance that the move lost, 0 to 1
        given: the pawns or discs that the move lost
        verdict: 'blunder', 'mistake', 'inaccuracy' or ''
        missed_mate: the length in plies of a missed mate by checks, else 0
        black: black's winning chance before the move
        exact: whether `score` is proven
        replies: the best line after the move, forced passes included
        allowed_mate: the length in plies of a mate by checks that the opponent has after the move, 0 if none was found
        played_exact: whether `played_score` is proven
    """

    ply: int
    side: str
    move: str
    best: str
    score: Score
    played_score: Score
    loss: float
    given: float
    verdict: str
    missed_mate: int
    pv: tuple[str, ...]
    depth: int
    nodes: int
    black: float
    exact: bool
    replies: tuple[str, ...] = ()
    allowed_mate: int = 0
    played_exact: bool = False

    @property
    def black_score(self) -> Score:
        """The value of the best move for black, as tables, pages and records show it."""
        return self.score if self.side == "black" else -self.score

    @property
    def black_played_score(self) -> Score:
        """The value of the move played, for black."""
        return self.played_score if self.side == "black" else -self.played_score

    @property
    def black_after(self) -> float:
        """Black's winning chance after the move, by the same search as `played_score`."""
        return self.black_played_score.chance()

    @property
    def severity(self) -> str:
        """The verdict; a missed mate is a mistake at least."""
        return self.verdict or ("mistake" if self.missed_mate else "")

    @property
    def worth_a_word(self) -> bool:
        """Whether the better line is shown with the move."""
        return bool(self.severity)

    def values(self) -> dict[str, Any]:
        """Return the move for JSON."""
        scores = {"score": self.score.values(), "played_score": self.played_score.values()}
        return {**vars(self), **scores, "pv": list(self.pv), "replies": list(self.replies)}


@dataclass(frozen=True)
class GameAnalysis:
    """A judged game.

    Attributes:
        moves: the judged moves, all except passes
        final: black's winning chance after the last move
        words: whom the sentences are for, one of WORDS_FOR
    """

    record: GameRecord
    moves: tuple[MoveAnalysis, ...]
    final: float
    words: str = DAN

    @property
    def blunders(self) -> list[MoveAnalysis]:
        """The moves judged as blunders."""
        return [move for move in self.moves if move.verdict == "blunder"]

    @property
    def missed_mates(self) -> list[MoveAnalysis]:
        """The moves that missed a mate by checks."""
        return [move for move in self.moves if move.missed_mate]

    @property
    def chances(self) -> list[float]:
        """Black's winning chance before each of `moves`, and at the end."""
        return [*(move.black for move in self.moves), self.final]

    @property
    def unit(self) -> str:
        """The unit of `given`: 'pawns' or 'discs'."""
        return unit_of(self.record.game)

    @cached_property
    def names(self) -> GameNames | None:
        """The castles and openings of the game, None if its players have no such names."""
        return games.opening_names(self.record)

    @cached_property
    def why(self) -> dict[int, tuple[Fact, ...]]:
        """What is known about the bad moves, by ply; see `reasons`."""
        facts = {move.ply: facts_of(self.record.game, board, move) for move, board in self.boards()}
        return {ply: found for ply, found in facts.items() if found}

    def why_texts(self, name: str = "en") -> dict[int, list[str]]:
        """Return the sentences that say why moves were bad, by ply, in the language `name`."""
        game, why = self.record.game, self.why
        return {
            move.ply: sentences(game, board, why[move.ply], name, self.words)
            for move, board in self.boards()
            if move.ply in why
        }

    def boards(self) -> Iterator[tuple[MoveAnalysis, Any]]:
        """Yield each judged move with a Board of the position before it, which must be unchanged afterwards."""
        judged = {move.ply: move for move in self.moves}
        board = self.record.board(0)
        for ply, text in enumerate(self.record.moves, 1):
            if ply in judged:
                yield judged[ply], board
            board.push_text(text)

    def mean_loss(self, side: str) -> float:
        """Return the mean winning chance that the moves of a side lost."""
        losses = [move.loss for move in self.moves if move.side == side]
        return math.fsum(losses) / len(losses) if losses else 0.0

    def values(self) -> dict[str, Any]:
        """Return the game for JSON, with sentences in the language in use."""
        why, texts = self.why, self.why_texts(language.current())

        def reasons(ply: int) -> list[dict[str, Any]]:
            said = zip(why.get(ply, ()), texts.get(ply, ()), strict=True)
            return [{**fact.values(), "text": text} for fact, text in said]

        return {
            "game": self.record.game,
            "names": self.record.names,
            "result": self.record.result,
            "start": self.record.start,
            "moves": [{**move.values(), "why": reasons(move.ply)} for move in self.moves],
            "blunders": [move.ply for move in self.blunders],
            "missed_mates": [
                {"ply": move.ply, "move": move.move, "length": move.missed_mate, "line": list(move.pv)}
                for move in self.missed_mates
            ],
            "final": self.final,
            **(self.names.values() if self.names else {}),
        }


# ---- values ------------------------------------------------------------------------------------------------------


def amount(score: Score, unit: str) -> float:
    """Return a score in pawns (`unit` is 'cp') or discs, limited to MOST."""
    most = MOST[unit]
    value = score.value if not score.mate else math.copysign(math.inf, score.value)
    return max(-most, min(most, value)) / PER_UNIT[unit]


def after_move(score: Score) -> Score:
    """Return the score of the best move, counted from the position after it, given that of the position before it.

    The field counts mates so: with a mate in 5, the move leads to a mate in 4, and the forced reply to one in 3.
    """
    return replace(score, plies=max(score.plies - 1, 0)) if score.plies is not None else score


def verdict(loss: float) -> str:
    """Return the verdict on a move that loses this winning chance, '' for none."""
    return next((name for name, least in VERDICTS if loss >= least), "")


# ---- games -------------------------------------------------------------------------------------------------------


def plies_to_examine(record: GameRecord) -> list[int]:
    """Return the plies to examine: before each move that is not a pass, and at the end."""
    moves = record.moves
    return [ply for ply in range(len(moves) + 1) if ply == len(moves) or moves[ply] != PASS]


def judge(record: GameRecord, findings: Mapping[int, PositionResult]) -> GameAnalysis:
    """Return the game with each move judged.

    Args:
        findings: the findings by ply, for `plies_to_examine`
    """
    moves = record.moves
    judged = [judge_ply(record, moves, ply, findings) for ply, move in enumerate(moves) if move != PASS]
    ends_with_white = (int(record.board(0).turn) + len(moves)) % 2
    final = findings[len(moves)].score.chance()
    return GameAnalysis(record, tuple(judged), 1.0 - final if ends_with_white else final)


def judge_ply(
    record: GameRecord, moves: Sequence[str], ply: int, findings: Mapping[int, PositionResult]
) -> MoveAnalysis:
    """Return the move after `ply` moves of a game, no pass, judged by the findings before and after it.

    Args:
        moves: of the record
    """
    found, after, passes = findings[ply], *_after(moves, findings, ply)
    score = after.score if passes % 2 else -after.score
    return replace(
        judged_move(ply, (int(record.board(0).turn) + ply) % 2, moves[ply], found, score),
        replies=(PASS,) * passes + after.pv,
        allowed_mate=0 if passes or found.played_mate else after.mate,
        played_exact=after.exact,
    )


def _after(moves: Sequence[str], findings: Mapping[int, PositionResult], ply: int) -> tuple[PositionResult, int]:
    """Return the finding after the move that follows `ply` moves and after the passes behind it, and their number."""
    later = next(later for later in range(ply + 1, len(moves) + 1) if later == len(moves) or moves[later] != PASS)
    return findings[later], later - ply - 1


def judged_move(ply: int, side: int, move: str, found: PositionResult, after: Score) -> MoveAnalysis:
    """Return the judged move after `ply` moves, from the finding before it and its value by that after it."""
    if found.played_mate:
        after = after_move(Score.mate_in(found.played_mate))
    loss = given = 0.0
    if move != found.best and not found.played_mate:
        unit = "discs" if "discs" in (found.score.unit, after.unit) else "cp"
        loss = max(0.0, found.score.chance() - after.chance())
        given = max(0.0, amount(found.score, unit) - amount(after, unit))
    own = found.score.chance()
    return MoveAnalysis(
        ply=ply + 1,
        side=SIDES[side],
        move=move,
        best=found.best,
        score=found.score,
        played_score=after,
        loss=round(loss, 6),
        given=round(given, 6),
        verdict=verdict(loss),
        missed_mate=found.mate if found.mate and not found.played_mate else 0,
        pv=found.pv,
        depth=found.depth,
        nodes=found.nodes,
        black=1.0 - own if side else own,
        exact=found.exact,
    )


# ---- Kinds of mistakes: what a bad move missed or gave away


MATE, WIN, PIECE, OPENING, MOVE = KINDS = ("mate", "win", "piece", "opening", "move")
WON, LOST = 0.75, 0.5  # winning chances before and after a move that gives a win away
OPENING_PLIES = {"shogi": 30}
MATES = (Kind.MATE_MISSED, Kind.COULD_END_IN_MATE)
LOSSES = (
    Kind.PIECE_LEFT, Kind.PIECE_THREAT_UNMET, Kind.EXCHANGE_LOST, Kind.PIECES_LOST,
    Kind.PIECE_MISSED, Kind.EXCHANGE_MISSED, Kind.PIECES_MISSED,
)  # fmt: skip


def is_mistake(move: MoveAnalysis) -> bool:
    """Tell whether a move is bad enough to learn from: at least a mistake, or a missed mate."""
    return move.loss >= MISTAKE or bool(move.missed_mate)


def kind_of(game: GameAnalysis, move: MoveAnalysis) -> str:
    """Return the kind of a bad move, one of KINDS."""
    kinds = {fact.kind for fact in game.why.get(move.ply, ())}
    if move.missed_mate or kinds.intersection(MATES):
        return MATE
    if move.score.chance() >= WON and move.played_score.chance() <= LOST:
        return WIN
    if kinds.intersection(LOSSES):
        return PIECE
    return OPENING if move.ply <= OPENING_PLIES.get(game.record.game, 0) else MOVE
