"""Why moves were bad: facts of positions made for them, and those of whole games, which slow twins check."""

import itertools
import json
from dataclasses import replace

import pytest

from shogi_engine import analysis, games, records
from shogi_engine.analysis import judge, reasons
from shogi_engine.analysis.annotation import of_programs
from shogi_engine.analysis.judgement import Finding, judged_move
from shogi_engine.games.shogi.board import Board
from shogi_engine.games.shogi.material import exchange
from shogi_engine.records import GameRecord
from shogi_engine.types.fact import Fact, Kind
from shogi_engine.types.score import Score
from tests.support import judged_games
from tests.support.twins.fact_checks import is_true_in_othello, is_true_in_shogi

MATE_IN_3 = "9/3S2+R1l/p1p1R3p/2Pkpp3/1p2PPppP/9/1P1S1SPP1/L2B5/BN1GKG1NL b 2GS2NL3P 87"
THREATENED = "8k/9/9/9/4P4/9/pg7/9/KN7 b - 1"  # by Gx9h
GUARDED = "8k/9/9/4B4/9/9/p8/9/KN7 b g 1"  # the bishop guards 9h
MINO = ["7g7f", "3c3d", "6g6f", "8c8d", "2h6h", "7a6b", "5i4h", "5a4b", "4h3h", "4b3b", "3h2h", "5c5d", "3i3h", "6a5b"]
# The position, the bad move, the better line, the best replies, then what is said first, and the mates of the solver.
SHOGI = {
    Kind.MATE_MISSED: (MATE_IN_3, "1e1d", "5c5d+ 6d7e 9i6f", "", 3, 0),
    Kind.COULD_END_IN_MATE: (MATE_IN_3, "1e1d", "5c5d+ 6d7e 9i6f", "", 0, 0),
    Kind.MATE_THREAT_UNMET: (THREATENED, "5e5d", "8i7g", "8g9h", 0, 1),
    Kind.MATE_ALLOWED: (GUARDED, "5d6c", "9i8h", "G*9h", 0, 1),
    Kind.ENDS_IN_MATE: (GUARDED, "5d6c", "9i8h", "G*9h", 0, 0),
    Kind.PIECE_LEFT: ("4r3k/9/9/7b1/9/9/4GS3/9/4K4 b - 1", "4g4f", "4g3h", "2d4f", 0, 0),  # the gold is pinned
    Kind.PIECE_THREAT_UNMET: ("4k4/9/9/9/4r4/9/4S4/9/K8 b - 1", "9i8i", "5g4h", "5e5g+", 0, 0),
    Kind.EXCHANGE_LOST: ("4k4/9/4g4/4p4/9/9/9/4R4/4K4 b - 1", "5h5d", "5i4i", "5c5d", 0, 0),
    Kind.PIECES_LOST: ("k8/9/9/9/9/2B6/9/9/4K4 b r 1", "7f8e", "5i4h", "R*5e 5i4h 5e8e", 0, 0),
    Kind.PIECE_MISSED: ("k8/9/9/4r4/9/4R4/4G4/9/K8 b - 1", "9i8i", "5f5d", "5d2d", 0, 0),
    Kind.EXCHANGE_MISSED: ("4k4/9/4g4/4r4/3S5/9/9/9/K8 b - 1", "9i8i", "6e5d 5c5d", "5d1d", 0, 0),
    Kind.PIECES_MISSED: ("4k4/9/9/9/9/1b7/9/9/K8 b R 1", "9i8i", "R*5f 5a4b 5f8f", "", 0, 0),
    Kind.MATE_THREAT_MISSED: ("7nk/9/8P/6G2/9/9/9/9/K8 b - 1", "9i8i", "3d2c", "", 0, 0),
    Kind.MATE_THREATENED: ("8k/9/9/9/4P4/2g6/p8/9/KN7 b - 1", "5e5d", "9i8h", "7f8g", 0, 0),
}
SAID = {
    Kind.MATE_MISSED: ("There was a mate in 3: Rx5d+ K-7e B-6f.", "3手詰がありました：▲５四飛成 △７五玉 ▲６六角。"),
    Kind.MATE_ALLOWED: ("It allows a mate in 1: G*9h.", "1手詰を許します：△９八金。"),
    Kind.PIECE_LEFT: (
        "It leaves a silver on 4f to be captured for nothing: Bx4f.",
        "４六の銀がただで取られます：△同　角。",
    ),
    Kind.EXCHANGE_LOST: (
        "It loses a rook for a pawn by the exchange on 5d: Gx5d.",
        "５四での取り合いで、飛と歩の交換になって駒損です：△同　金。",
    ),
    Kind.PIECES_LOST: (
        "In the line R*5e K-4h Rx8e it loses a bishop.",
        "△５五飛 ▲４八玉 △８五飛と進んで、角を取られます。",
    ),
}
PAWNS = Score(900)
CORNER = "------------------O--------X--------O--------------------------- X"  # after b2 white has a1


def explained(game, position, move, better, replies, missed=0, allowed=0, score=PAWNS, language="en"):
    """Return the facts about a bad move, and what they say."""
    board = games.part(game, "board").Board(position)
    line = tuple(better.split())
    judged = judged_move(0, board.turn, move, Finding(line[0], score, line, exact=True, mate=missed), -score)
    if game == "shogi" and not (missed or allowed):  # of mates the search alone knows
        judged = replace(judged, score=Score.mate_in(None), played_score=Score.mated_in(None))
    judged = replace(judged, replies=tuple(replies.split()), allowed_mate=allowed, played_exact=True)
    before = str(board)
    facts = reasons.facts_of(game, board, judged)
    said = reasons.sentences(game, board, facts, language)
    assert str(board) == before
    return facts, said


@pytest.mark.parametrize("kind", SHOGI)
def test_positions_made_for_a_fact(kind):
    facts, said = explained("shogi", *SHOGI[kind])
    assert kind in [fact.kind for fact in facts], facts
    assert all(is_true_in_shogi(fact, SHOGI[kind][0]) for fact in facts), facts
    if kind in SAID:
        at = [fact.kind for fact in facts].index(kind)
        assert said[at] == SAID[kind][0]
        assert explained("shogi", *SHOGI[kind], language="ja")[1][at] == SAID[kind][1]


def test_the_details_of_facts():
    facts, _ = explained("shogi", *SHOGI[Kind.EXCHANGE_LOST])
    assert facts[0] == Fact(Kind.EXCHANGE_LOST, ("5h5d", "5c5d"), "5d", lost=("R",), won=("P",))
    assert facts[0].values() == {
        "kind": "exchange_lost", "moves": ("5h5d", "5c5d"), "square": "5d", "lost": ("R",), "won": ("P",),
    }  # fmt: skip
    facts, _ = explained("shogi", *SHOGI[Kind.MATE_THREAT_MISSED])
    assert facts == (Fact(Kind.MATE_THREAT_MISSED, ("3d2c",), number=1),)


def test_nothing_is_said_of_what_the_better_move_loses_too():
    position, move, _, replies, *_ = SHOGI[Kind.PIECE_THREAT_UNMET]
    assert explained("shogi", position, move, "9i9h", replies)[0] == ()


def test_a_broken_castle_and_a_book_move():
    board = Board()
    for move in MINO:
        board.push_usi(move)
    facts, said = explained("shogi", board.sfen(), "2h1h", "9g9f", "")
    assert facts[:1] == (Fact(Kind.CASTLE_BROKEN, ("2h1h",), name="kata_mino"),)
    assert said[0] == "It breaks up the castle, Half Mino."
    assert all(is_true_in_shogi(fact, board.sfen()) for fact in facts)
    facts, said = explained("shogi", Board().sfen(), "9i9h", "2g2f", "")
    assert [fact.kind for fact in facts] == [Kind.BOOK_LEFT] and facts[0].number > 1
    assert said == [f"The opening book has {Board().text(Board().parse_usi(facts[0].moves[0]), 'western')} here."]


def test_othello_facts():
    facts, said = explained("othello", CORNER, "b2", "f6", "a1", score=Score.discs(4))
    assert facts[0] == Fact(Kind.DISCS_LOST, ("b2",), number=-4, other=4)
    assert facts[1] == Fact(Kind.CORNER_GIVEN, ("b2", "a1"), "a1")
    assert all(is_true_in_othello(fact, CORNER) for fact in facts)
    assert said == [
        "With perfect play the game now ends at -4 for this side, instead of +4.", "It gives away the corner a1.",
    ]  # fmt: skip


def test_pieces_are_counted_and_equal_ones_cancel():
    fact = Fact(Kind.PIECES_LOST, ("7g7f", "3c3d"), "", ("S", "P", "P", "P", "B"), ("S", "P", "+P"))
    assert reasons.sentences("shogi", Board(), [fact], "en") == [
        "In the line P-3d it loses 2 pawns and a bishop for a tokin."
    ]
    assert reasons.sentences("shogi", Board(), [fact], "ja") == [
        "△３四歩と進んで、歩2枚と角ととの交換になって駒損です。"
    ]


def test_a_line_that_the_search_does_not_call_mate_is_not_said_to_end_in_mate():
    record = GameRecord.from_moves("shogi", ["1e1d"], start=MATE_IN_3)
    line = ("5c5d+", "6d7e", "9i6f")
    game = judge(record, {0: Finding("5c5d+", Score(900), line), 1: Finding("9c9d", Score(0))})
    assert game.moves[0].verdict and Kind.COULD_END_IN_MATE not in [fact.kind for fact in game.why.get(1, ())]


def test_an_exchange_counts_pins_and_may_be_declined():
    pinned = Board(SHOGI[Kind.PIECE_LEFT][0])
    pinned.push_usi("4g4f")
    assert exchange(pinned, Board.from_usi_position("startpos").parse_usi("7g7f").to_square) == (0, ())
    square = pinned.parse_usi("2d4f").to_square
    gain, line = exchange(pinned, square)
    assert gain == 990 and [move.usi() for move in line] == ["2d4f"]
    assert pinned.see(line[0]) < 0  # by pieces alone it looks protected
    guarded = Board("4k4/9/4g4/4p4/9/9/9/4R4/4K4 b - 1")
    assert exchange(guarded, guarded.parse_usi("5h5d").to_square) == (0, ())


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_kind_has_a_sentence(language):
    for kind, (won, lost) in itertools.product(Kind, [((), ()), (("S", "+P"), ()), ((), ("R",)), (("S",), ("R",))]):
        fact = Fact(kind, ("7g7f", "3c3d"), "5e", won, lost, 3, 5, "yagura")
        (said,) = reasons.sentences("shogi", Board(), [fact], language)
        assert "{" not in said and (language == "en") == said.isascii()


def mistakes(game):
    """Yield each bad move of a judged game with the position before it, what is known and what is said."""
    texts = game.why_texts("en")
    board = game.record.board(0)
    bad = {move.ply for move in game.moves if move.worth_a_word}
    for ply, text in enumerate(game.record.moves, 1):
        if ply in bad:
            yield board.sfen() if game.record.game == "shogi" else board.obf(), game.why.get(ply, ()), texts.get(ply)
        board.push_text(text)


def check(game):
    """Check all facts of a judged game; return the number of its mistakes, and of those of which something is said."""
    is_true = is_true_in_shogi if game.record.game == "shogi" else is_true_in_othello
    found = list(mistakes(game))
    for position, facts, said in found:
        assert len(facts) == len(said or ()) <= reasons.MOST
        for fact in facts:
            assert is_true(fact, position), (position, fact)
    return len(found), sum(bool(facts) for _, facts, _ in found)


def test_what_is_said_of_stored_games_is_true():
    counts = [check(game) for game in judged_games.stored()]
    assert sum(bad for bad, _ in counts) >= 30
    assert sum(said for _, said in counts) >= 20


@pytest.mark.slow
def test_what_is_said_of_200_mistakes_is_true():
    """Of games between the levels 5 to 12, as they are played now."""
    seen = said = 0
    for levels in itertools.permutations(range(5, 13), 2):
        for game in games.NAMES:
            bad, explained_ones = check(judged_games.judged(game, *levels))
            seen, said = seen + bad, said + explained_ones
        if seen >= 200:
            break
    assert seen >= 200 and said >= seen / 2


# ---- where it is shown


@pytest.fixture(scope="module")
def blunder():
    """A bishop for nothing, as if it had been searched."""
    record = GameRecord.from_moves("shogi", ["7g7f", "3c3d", "8h5e", "2b5e"])
    lines = {0: ("7g7f", 0), 1: ("3c3d", 0), 2: ("2g2f", 50), 3: ("2b5e", 800), 4: ("2g2f", -800)}
    return judge(record, {ply: Finding(move, Score(value), (move,)) for ply, (move, value) in lines.items()})


LEFT = "It leaves a bishop on 5e to be captured for nothing: Bx5e."


def test_the_text_the_page_and_the_json_say_why(blunder):
    assert f"     {LEFT}" in analysis.game_table(blunder).splitlines()
    assert json.dumps(LEFT) in analysis.page([blunder])
    values = json.loads(json.dumps(blunder.values()))
    assert [len(move["why"]) for move in values["moves"]] == [0, 0, 2, 0]
    assert values["moves"][2]["why"][0] == {
        "kind": "piece_left", "moves": ["8h5e", "2b5e"], "square": "5e", "lost": ["B"], "text": LEFT,
    }  # fmt: skip
    assert values["moves"][2]["replies"] == ["2b5e"]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_records_say_why_in_the_line_of_the_verdict(blunder, language):
    record = analysis.annotated(blunder, language)
    comment = record.main_line[3].comment
    assert blunder.why_texts(language)[3][0] in comment
    assert of_programs(comment) == comment.split("\n")
    assert record.main_line[3].comment in records.loads(records.dumps([record], "jkf").decode())[0].main_line[3].comment
