"""Why a move was bad: facts of the searches and of the board, and the sentences that say them.

Nothing is said that is not proven or measured: `types.fact.Kind` has what each fact claims.
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from shogi_engine import games
from shogi_engine.analysis.words import line_texts, score_words, words_of
from shogi_engine.language import mark, translate
from shogi_engine.types.fact import Fact, Kind
from shogi_engine.types.score import Score

MOST = 2  # facts about a move

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
    return tuple(itertools.islice(_without_repeats(_facts(game, board, move)), MOST)) if move.worth_a_word else ()


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
        yield from games.part(game, "reasons").facts(
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


def sentences(game: str, board: Any, facts: Sequence[Fact], language: str = "en") -> list[str]:
    """Return what the facts say.

    Args:
        board: a Board with the position before the move, unchanged on return
    """
    return [_sentence(game, board, fact, language) for fact in facts]


def _sentence(game: str, board: Any, fact: Fact, language: str) -> str:
    line = line_texts(board, fact.moves, language)
    part: Any = games.part(game, "reasons") if games.has(game, "reasons") else None
    values: dict[str, Any] = {"number": fact.number, "other": fact.other}
    values["line"] = " ".join(line if fact.kind in MISSED else line[1:])
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
    special = (AT_ONCE if len(line) == 1 else {}) | (FOR_NOTHING if free else {})
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
