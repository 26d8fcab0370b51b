"""Why moves were bad: facts of positions made for them, and those of whole games, which slow twins check."""

import itertools
import json
from dataclasses import replace

import pytest

from shogi_engine import analysis, games, records
from shogi_engine.analysis import judge, judgement
from shogi_engine.analysis.judgement import PositionResult, judged_move
from shogi_engine.analysis.report import of_programs
from shogi_engine.games.shogi.board import Board
from shogi_engine.games.shogi.board.pieces import Move
from shogi_engine.games.shogi.reasons import balance, exchange, threats
from shogi_engine.records import GameRecord
from shogi_engine.types.outcomes import Fact, Kind
from shogi_engine.types.results import Score
from tests.support import judged_games
from tests.support.twins.fact_checks import is_true_in_othello, is_true_in_shogi, taken

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
    Kind.FORK_ALLOWED: ("k8/9/9/9/9/4R1B2/9/9/K8 b n 1", "9i9h", "5f5i 9a9b", "N*4d", 0, 0),
    Kind.FORK_MISSED: ("k8/9/9/4r1b2/9/9/9/9/K8 b N 1", "9i9h", "N*4f", "", 0, 0),
    Kind.PROMOTION_ALLOWED: ("k8/9/9/9/9/6r2/9/9/K8 b - 1", "9i9h", "9i8i 9a9b", "3f3i+", 0, 0),
    Kind.PROMOTION_MISSED: ("k8/9/9/9/6R2/9/9/9/K8 b - 1", "9i9h", "3e3c+", "", 0, 0),
    Kind.CAPTURE_THREATENED: ("4k4/9/9/4s4/9/4R4/9/9/K8 b p 1", "9i9h", "5f5i 5a6a", "P*5e", 0, 0),
    Kind.CAPTURE_THREAT_MISSED: ("4k4/9/9/4r4/9/4S4/4L4/9/K8 b P 1", "9i9h", "P*5e", "", 0, 0),
    Kind.KING_ATTACKED: ("k8/9/9/9/9/6r2/9/9/4K4 b - 1", "5i4i", "5i6h 9a9b", "3f3h", 0, 0),
    Kind.KING_ATTACK_MISSED: ("4k4/9/9/6R2/9/9/9/9/4K4 b - 1", "5i5h", "3d3b", "", 0, 0),
    Kind.FEW_DEFENDERS: ("4k4/9/9/9/9/9/9/3GKG3/9 b - 1", "6h7g", "5h5i", "", 0, 0),
    Kind.LINES_CLOSED: (Board().sfen(), "1g1f", "7g7f", "", 0, 0),
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
        "５四での取り合いで飛を取られ、歩しか取れません：△同　金。",
    ),
    Kind.FORK_ALLOWED: ("N*4d forks a rook and a bishop.", "△４四桂が飛と角の両取りになります。"),
    Kind.PROMOTION_MISSED: (
        "The better line gets a dragon on 3c, safe from capture: R-3c+.",
        "好手順なら３三に龍ができ、すぐには取られませんでした：▲３三飛成。",
    ),
    Kind.CAPTURE_THREATENED: (
        "After P*5e the opponent threatens to capture a rook on 5f.",
        "△５五歩で、５六の飛を取る狙いが生じます。",
    ),
    Kind.KING_ATTACKED: (
        "After R-3h= the opponent attacks 3 squares next to the king; in the better line 0.",
        "△３八飛不成と進むと玉が薄くなります（相手の利きが玉の周りに3か所、好手順なら0か所）。",
    ),
    Kind.FEW_DEFENDERS: (
        "It leaves 1 of the golds and silvers next to the king; the better move leaves 2.",
        "玉に接する金銀が1枚になります（好手なら2枚）。",
    ),
    Kind.PIECES_LOST: (
        "In the line R*5e K-4h Rx8e it loses a bishop.",
        "△５五飛 ▲４八玉 △８五飛と進んで、角を取られます。",
    ),
}
PAWNS = Score(900)
CORNER = "------------------O--------X--------O--------------------------- X"  # after b2 white has a1
LATE = "----O-X-O-XOOO--OXOXOOOOOOOXOOXOOOXOOOXO-XOXOOOOX-XOOOOO-XXXXX-- X"
# The position, the bad move, the better line, the best replies, and the fact's square or name and its counts.
OTHELLO = {
    Kind.CORNER_GIVEN: (CORNER, "b2", "f6", "a1", "a1"),
    Kind.NEAR_CORNER: (CORNER, "b2", "f6", "a1", "a1", "X"),
    Kind.CORNER_LOST: (LATE, "c1", "h8 g8 c1 b1 a1 b2", "d1 f1 g2 g8 h8", "h8"),
    Kind.STABLE_GIVEN: (LATE, "c1", "h8 g8 c1 b1 a1 b2", "d1 f1 g2 g8 h8", 10, 1),
    Kind.CORNER_MISSED: (LATE, "c1", "h8", "", "h8"),
    Kind.PASS_FORCED: (
        "OOOOO-OXOOXXXOOXOXXXOXOXOXXXXXOXOXXXOXOOXOXXXOXX-OOOXXXXXOOOXX-- X",
        "f1", "a7 g8 h8", "a7 pass",
    ),
    Kind.PASS_MISSED: ("XXXXXO--XOXXXO--XOOXXOO-XOOXXOOO-OOOOO-OXOXOXOXOXXXXOOOOXOOOOO-O X", "a5", "g8 pass", "g5"),
    Kind.STABLE_MISSED: (
        "----------O--O---XXOOOXX--XOOOXXXXXXXXXO-XXXXOOO--XXXOO--XXXXX-- X",
        "c1", "d1 h2 h8 g8 h7 a8 h1 b4", "b4 a4 h2 d2 b2 e2 a2", 0, 8,
    ),
    Kind.MOVES_GIVEN: ("----------O--X--XOOOOOOXOOOOOOXXOOOXOXX-XXOXXXXO--OOOO---OOOOO-- X", "d2", "h2", "", 12, 8),
    Kind.FEW_MOVES: ("--------X--OX---XXOXXXO-XXXXXOX-XXXXXXX-XXOOXX--X---X-------X--- O", "f7", "h4 h5", "f8", 5, 8),
    Kind.EVEN_REGION: ("XXX-OXXXOOXOOOXOOOOXOX--OOOOXX---OOOOXXOXOOXXOX-OOOXXXX-O-XXXXXO O", "h6", "d1", "", 2, 1),
    Kind.EDGES_GIVEN: (
        "----XXX---XXXXO-OOXXXOOX-OOOOOOXXOOOOXOXXOOOXOOXX-XXOO----X-OOO- X",
        "h7", "a2 a1 h1 b1 d1 d8 h8 b2", "c1 d8 b8 d1 h1 b2 b1", 14, 4,
    ),
    Kind.FRONTIER: ("----------OOXX-X--OOOXXX--OOOXOX-OOOXO-X---XXXO---X------------- X", "c1", "g5", "", 15, 12),
    Kind.DISCS_FLIPPED: ("--X-----X--XOX--XXOOXX---OXOXX---OOOXXX-OOOOXX----OO-------O---- O", "e7", "d1", "", 4, 1),
}  # fmt: skip


def explained(game, position, move, better, replies, missed=0, allowed=0, score=PAWNS, language="en", words="dan"):
    """Return the facts about a bad move, and what they say."""
    board = games.game_module(game, "board").Board(position)
    line = tuple(better.split())
    judged = judged_move(0, board.turn, move, PositionResult(line[0], score, line, exact=True, mate=missed), -score)
    if game == "shogi" and not (missed or allowed):  # of mates the search alone knows
        judged = replace(judged, score=Score.mate_in(None), played_score=Score.mated_in(None))
    judged = replace(judged, replies=tuple(replies.split()), allowed_mate=allowed, played_exact=True)
    before = str(board)
    facts = judgement.facts_of(game, board, judged)
    said = judgement.sentences(game, board, facts, language, words)
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


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("kind", SHOGI)
def test_kyu_players_are_told_the_same_shortly(kind, language):
    facts, said = explained("shogi", *SHOGI[kind], language=language)
    same, simple = explained("shogi", *SHOGI[kind], language=language, words="kyu")
    assert same == facts and all(len(short) <= len(full) + 2 for short, full in zip(simple, said, strict=True))
    assert not any(word in text for text in simple for word in ("squares", "マス", "か所"))


def test_kyu_players_see_three_moves_of_a_line():
    line = ("5i4h", "5a4b", "7g7f", "3c3d", "2g2f")
    (said,) = judgement.sentences("shogi", Board(), [Fact(Kind.MATE_MISSED, line, number=5)], words="kyu")
    assert said == "There was a mate in 5: K-4h K-4b P-7f …."


def test_a_capture_that_was_possible_before_is_no_threat():
    rook_attacked = "4k4/9/9/4r4/9/6B2/9/9/K8 b - 1"  # by the bishop, from where it stands
    facts, _ = explained("shogi", rook_attacked, "3f4g", "3f4e", "5d5c")
    assert Kind.CAPTURE_THREAT_MISSED not in [fact.kind for fact in facts]


def test_a_piece_that_hangs_in_the_better_line_too_is_not_threatened():
    """The knight on 3c could be captured there already before the reply."""
    sfen = "ln1sk3l/1r2g1g2/plppppn1p/6sp1/5N3/2P4S1/PPBPPP2P/1GK3R2/LNS3G1+b w P3p 42"
    line, better = ([Move.from_usi(text) for text in texts] for texts in (["5b4b", "3h3d"], ["P*8f", "8g8f"]))
    assert not list(threats(Board(sfen), line, better))


def test_a_free_piece_that_was_not_taken_is_told_first_whatever_else_was_won():
    facts, _ = explained("shogi", "k8/9/9/4s4/9/4R4/8g/8L/K8 b - 1", "1h1g", "5f5d", "5d6e")
    assert facts[0].kind is Kind.PIECE_MISSED and facts[0].square == "5d"


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
    assert facts[1] == Fact(Kind.CORNER_GIVEN, ("b2", "a1"), "a1", instead=("f6",))
    assert all(is_true_in_othello(fact, CORNER) for fact in facts)
    assert said == [
        "With perfect play the game now ends at -4 for this side, instead of +4.", "It gives away the corner a1.",
    ]  # fmt: skip


@pytest.mark.parametrize("kind", OTHELLO)
def test_othello_positions_made_for_a_fact(kind):
    position, move, better, replies, *details = OTHELLO[kind]
    board = games.game_module("othello", "board").Board(position)
    found = list(games.game_module("othello", "reasons").facts(board, move, better.split(), replies.split()))
    assert board.obf() == position
    fact = next(fact for fact in found if fact.kind is kind)
    values = fact.values()
    assert [values.get(name, 0) for name in ("square", "name", "number", "other") if name in values] == [
        each for each in details if each != 0
    ]
    assert all(is_true_in_othello(fact, position) for fact in found), found


def test_what_othello_says():
    board = games.game_module("othello", "board").Board(LATE)
    fact = Fact(Kind.CORNER_LOST, ("c1", "d1", "f1", "g2", "g8", "h8"), "h8")
    few = Fact(Kind.MOVES_GIVEN, ("c1",), number=9, other=2)
    assert judgement.sentences("othello", board, [fact, few], "en") == [
        "The opponent gets the corner h8: d1 f1 g2 g8 h8.",
        "It gives the opponent 9 legal moves; the better move gives 2.",
    ]
    assert judgement.sentences("othello", board, [fact, few], "ja") == [
        "隅のh8を取られます：d1 f1 g2 g8 h8。", "相手の打てる所が9か所になります（好手なら2か所）。",
    ]  # fmt: skip


def test_nothing_is_said_of_what_the_better_move_allows_too():
    position, move, _, replies, *_ = SHOGI[Kind.FORK_ALLOWED]
    assert Kind.FORK_ALLOWED not in [fact.kind for fact in explained("shogi", position, move, "9i8i N*4d", replies)[0]]
    board, corner = games.game_module("othello", "board").Board(LATE), ["h8", "g8", "c1"]
    assert not list(games.game_module("othello", "reasons").facts(board, "h8", corner, corner[1:]))


def test_a_pawn_is_said_to_be_lost_when_nothing_more_is():
    position = "4k4/9/9/4p4/9/4P4/9/9/4K4 b - 1"
    facts, said = explained("shogi", position, "5f5e", "5i5h 5a5b", "5d5e")
    assert facts[0] == Fact(Kind.PIECE_LEFT, ("5f5e", "5d5e"), "5e", lost=("P",))
    assert said[0] == "It leaves a pawn on 5e to be captured for nothing: Px5e."
    assert all(is_true_in_shogi(fact, position) for fact in facts)


def test_a_square_is_spoken_of_once():
    facts, _ = explained("shogi", "k8/9/6g2/9/6R2/9/9/9/K8 b - 1", "9i9h", "3e3c+", "")  # wins the gold, and promotes
    assert [fact.kind for fact in facts if fact.square == "3c"] == [Kind.PIECE_MISSED]


def test_the_checks_of_facts_can_fail():
    assert not is_true_in_othello(
        Fact(Kind.MOVES_GIVEN, ("d2",), number=11, other=8, instead=("h2",)), OTHELLO[Kind.MOVES_GIVEN][0]
    )
    forked = SHOGI[Kind.FORK_ALLOWED][0]
    fact = Fact(Kind.FORK_ALLOWED, ("9i9h", "N*4d"), lost=("R", "B"), instead=("5f5i", "9a9b"))
    assert is_true_in_shogi(fact, forked)
    assert not is_true_in_shogi(replace(fact, lost=("R", "G")), forked)
    assert not is_true_in_shogi(replace(fact, instead=("9i8i", "N*4d")), forked)


def test_a_single_capture_wins_a_piece_for_nothing():
    fact = Fact(Kind.EXCHANGE_MISSED, ("7g7f",), "7f", won=("S",))
    assert judgement.sentences("shogi", Board(), [fact], "en") == ["The exchange on 7f wins a silver: P-7f."]
    assert judgement.sentences("shogi", Board(), [fact], "ja") == ["７六での取り合いで銀を取れました：▲７六歩。"]


@pytest.mark.parametrize(("kind", "said"), [
    (Kind.MOVES_GIVEN, "It gives the opponent 1 legal move; the better move gives 1."),
    (Kind.DISCS_FLIPPED, "It flips 1 disc; the better move flips 1."),
    (Kind.FRONTIER, "It leaves 1 disc next to empty squares; the better move leaves 1."),
])  # fmt: skip
def test_one_is_singular(kind, said):
    board = games.game_module("othello", "board").Board(LATE)
    assert judgement.sentences("othello", board, [Fact(kind, ("c1",), number=1, other=1)], "en") == [said]
    many = judgement.sentences("othello", board, [Fact(kind, ("c1",), number=11, other=1)], "en")
    assert many == [said.replace("1 disc", "11 discs").replace("1 legal move", "11 legal moves")]


def test_pieces_are_counted_and_equal_ones_cancel():
    fact = Fact(Kind.PIECES_LOST, ("7g7f", "3c3d"), "", ("S", "P", "P", "P", "B"), ("S", "P", "+P"))
    assert judgement.sentences("shogi", Board(), [fact], "en") == [
        "In the line P-3d it loses 2 pawns and a bishop for a tokin."
    ]
    assert judgement.sentences("shogi", Board(), [fact], "ja") == [
        "△３四歩と進んで、歩2枚と角を取られ、と金しか取れません。"
    ]


def test_a_piece_that_is_promoted_in_the_line_is_what_it_was_before():
    """Bishops are exchanged, so a rook is won for a silver; both horses come from the line."""
    position = "lnsgk2nl/1r3g1s1/p1ppppbpp/1p4p2/7P1/2P3P2/PP1PPP2P/1B1K2SR1/LNSG1G1NL w - 12"
    line = ["3c8h+", "7i8h", "B*5e", "B*7g", "5e2h+", "7g2b+"]
    lines = balance(Board(position), [Move.from_usi(each) for each in line])
    assert (lines.won, lines.lost) == taken(position, tuple(line)) == (("B", "R"), ("B", "S"))
    recaptured = [Move.from_usi(each) for each in (*line, "2h1i", "2b1a")]
    assert balance(Board(position), recaptured).lost == ("B", "S", "L")


def test_a_piece_that_is_captured_at_once_threatens_nothing():
    """The horse on 8h attacks the knight on 8i, and the silver takes the horse."""
    position = "lnsgk2nl/1r3g1s1/p1ppppbpp/1p4p2/7P1/2P3P2/PP1PPP2P/1B1K2SR1/LNSG1G1NL w - 12"
    line, better = ([Move.from_usi(each)] for each in ("6a5b", "3c8h+"))
    assert not list(threats(Board(position), line, better))


def test_a_fork_is_not_said_again_as_a_threat():
    """Of a rook and a gold: the threat to the rook would be a second sentence about the same move."""
    position = "lRB4nl/2g2kg2/p1n1p1sp1/3pspp1p/2p4S1/P1P2PP1P/1P1PPGN2/2GK3R1/LN6L w bs2p 64"
    facts, said = explained("shogi", position, "7e7f", "B*9b", "7a8b+ 7b8b 8a8b+ 4b3a 8b7c P*8h 7h8h")
    assert "B*9b forks a rook and a gold." in said
    assert Kind.CAPTURE_THREAT_MISSED not in [fact.kind for fact in facts]


def test_the_book_of_othello_has_its_own_word_in_japanese():
    said = [judgement.sentences(game, games.game_module(game, "board").Board(), [Fact(Kind.BOOK_LEFT, (move,))], "ja")
            for game, move in (("shogi", "7g7f"), ("othello", "f5"))]  # fmt: skip
    assert said == [["ここでの定跡は▲７六歩です。"], ["ここでの定石はf5です。"]]


def test_a_line_that_the_search_does_not_call_mate_is_not_said_to_end_in_mate():
    record = GameRecord.from_moves("shogi", ["1e1d"], start=MATE_IN_3)
    line = ("5c5d+", "6d7e", "9i6f")
    game = judge(record, {0: PositionResult("5c5d+", Score(900), line), 1: PositionResult("9c9d", Score(0))})
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
        (said,) = judgement.sentences("shogi", Board(), [fact], language)
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
        assert len(facts) == len(said or ()) <= judgement.MOST_FACTS
        for fact in facts:
            assert is_true(fact, position), (position, fact)
    return len(found), sum(bool(facts) for _, facts, _ in found)


def test_what_is_said_of_stored_games_is_true():
    counts = [check(game) for game in judged_games.stored()]
    assert sum(bad for bad, _ in counts) >= 30
    assert sum(said for _, said in counts) >= 25


@pytest.mark.slow
def test_what_is_said_of_200_mistakes_is_true():
    """Of games between the levels 5 to 12, as they are played now."""
    seen, said = dict.fromkeys(games.NAMES, 0), dict.fromkeys(games.NAMES, 0)
    for levels in itertools.permutations(range(5, 13), 2):
        for game in games.NAMES:
            bad, explained_ones = check(judged_games.judged(game, *levels))
            seen[game], said[game] = seen[game] + bad, said[game] + explained_ones
        if sum(seen.values()) >= 200:
            break
    assert sum(seen.values()) >= 200 and all(said[game] >= 0.6 * seen[game] for game in games.NAMES), (seen, said)


# ---- where it is shown


@pytest.fixture(scope="module")
def blunder():
    """A bishop for nothing, as if it had been searched."""
    record = GameRecord.from_moves("shogi", ["7g7f", "3c3d", "8h5e", "2b5e"])
    lines = {0: ("7g7f", 0), 1: ("3c3d", 0), 2: ("2g2f", 50), 3: ("2b5e", 800), 4: ("2g2f", -800)}
    return judge(record, {ply: PositionResult(move, Score(value), (move,)) for ply, (move, value) in lines.items()})


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
