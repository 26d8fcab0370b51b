"""Who won, and how games end: shogi-server's summaries, games without an ending, and winners through all formats."""

import itertools

import pytest
from hypothesis import given, strategies as st

from shogi_engine import records
from shogi_engine.games.shogi.records.words import OPPOSITE, TYPES, WORDS
from shogi_engine.jit import JIT_DISABLED
from shogi_engine.records import ENDINGS, GameRecord, Outcome, Termination, dumps, load_format, loads
from shogi_engine.types.outcomes import BY_RULE, DRAWS

cshogi_csa = pytest.importorskip("cshogi.CSA")

MOVES = {"shogi": ["7g7f", "3c3d", "2g2f"], "othello": ["f5", "d6", "c3"]}
FORMATS = {"shogi": ("kif", "ki2", "csa", "jkf", "usi"), "othello": ("ggf", "sgf")}
HEAD = "V2\nN+A\nN-B\nPI\n+\n+7776FU\nT1\n"
WINNERS = {"lose": "1-0", "win": "0-1", "draw": "1/2-1/2"}  # by white's result


def arrays(path, text):
    """Return the games of a text as arrays."""
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    (found,) = records.games(path)
    return found


@pytest.mark.parametrize("kind", [*TYPES, "gave up", ""])
def test_a_summary_overrules_the_word(tmp_path, kind):
    """Every type, result and word, through trees and kernels: the winner is the summary's."""
    texts = [
        f"{HEAD}{word}\n'summary:{kind}:A {black}:B {white}\n"
        for word in ("", *WORDS.words)
        for white, black in OPPOSITE.items()
    ]
    results = [WINNERS[white] for _ in ("", *WORDS.words) for white in OPPOSITE]
    trees = [loads(text)[0] for text in texts]
    assert [tree.result for tree in trees] == results
    if kind in TYPES:
        for tree, result in zip(trees, results, strict=True):
            fits = (result == "1/2-1/2") == (TYPES[kind] in DRAWS)
            assert not fits or tree.ending == TYPES[kind]
    if not JIT_DISABLED:
        found = arrays(tmp_path / "a.csa", "/\n".join(texts))
        points = {"1-0": 1, "0-1": -1, "1/2-1/2": 0}
        assert found.results.tolist() == [points[result] for result in results]
        assert [ENDINGS[number] for number in found.endings] == [tree.ending for tree in trees]
        assert found.drawn.tolist() == [result == "1/2-1/2" for result in results]


@given(
    black=st.text(st.sampled_from("A :losewindra\u3042"), max_size=12),
    white=st.text(st.sampled_from("A :losewindra\u3042"), max_size=12),
    result=st.sampled_from(sorted(OPPOSITE)),
)
def test_any_name_may_be_in_a_summary(black, white, result):
    (tree,) = loads(f"{HEAD}'summary:time up:{black} {OPPOSITE[result]}:{white} {result}\n")
    assert tree.result == WINNERS[result]


def test_games_of_the_server_keep_their_results_in_every_format():
    for kind, (white, black) in itertools.product(TYPES, OPPOSITE.items()):
        (tree,) = loads(f"{HEAD}'summary:{kind}:A {black}:B {white}\n")
        for name in FORMATS["shogi"]:
            (again,) = loads(dumps(tree, name), format=name)
            lost = set(load_format(name).losses(tree))
            assert again.result == tree.result or (name == "usi" and white == "draw"), (kind, white, name)
            assert again.ending == tree.ending or "endings" in lost, (kind, white, name)


def test_no_ending_is_not_a_draw(tmp_path):
    text = f"{HEAD}/\n{HEAD}%CHUDAN\n/\n{HEAD}%HIKIWAKE\n/\n{HEAD}%TORYO\n"
    found = arrays(tmp_path / "a.csa", text)
    assert [str(ENDINGS[number]) for number in found.endings] == ["", "interrupted", "draw", "resignation"]
    assert found.results.tolist() == [0, 0, 0, 1] and found.drawn.tolist() == [False, False, True, False]
    assert ENDINGS[-1] is Termination.NONE and ENDINGS.index(Termination.NONE) == len(ENDINGS) - 1
    as_trees = [dumps(loads(text), name) for name in ("kif", "jkf")]
    for name, data in zip(("kif", "jkf"), as_trees, strict=True):
        (tmp_path / f"a.{name}").write_bytes(data)
        (again,) = records.games(tmp_path / f"a.{name}")
        assert again.endings.tolist() == found.endings.tolist() and again.drawn.tolist() == found.drawn.tolist()


def test_a_score_is_an_ending_in_arrays(tmp_path):
    """An Othello game with a result but no reason is no game without an ending."""
    level, won = (GameRecord.from_moves("othello", MOVES["othello"]) for _ in range(2))
    level.score, won.score = 0.0, 4.0
    open_game = GameRecord.from_moves("othello", MOVES["othello"])
    records.save([level, won, open_game], tmp_path / "a.ggf")
    (found,) = records.games(tmp_path / "a.ggf")
    assert found.results.tolist() == [0, 1, 0] and found.drawn.tolist() == [True, False, False]
    assert [str(ENDINGS[number]) for number in found.endings] == ["unknown", "unknown", ""]
    losses = [load_format("transcript").losses(game) for game in (level, won, open_game)]
    assert losses == [["endings"], ["endings", "winners"], []]
    open_game.root.comment = "after the moves"  # a transcript has room for it
    assert load_format("transcript").losses(open_game) == []
    open_game.root.children[0].comment = "lost"
    assert load_format("transcript").losses(open_game) == ["comments"]


@pytest.mark.parametrize("game", ["shogi", "othello"])
def test_a_winner_goes_through_every_two_formats(game):
    """A win is kept by each format that has words for endings, whatever its reason and whichever side is to move."""
    reasons = [each for each in ENDINGS if each not in BY_RULE]
    for reason, winner, plies in itertools.product(reasons, (0, 1), (2, 3)):
        record = GameRecord.from_moves(game, MOVES[game][:plies])
        record.end(Outcome(winner, reason))
        for one, two in itertools.product(FORMATS[game], repeat=2):
            (between,) = loads(dumps(record, one), format=one)
            (again,) = loads(dumps(between, two), format=two)
            assert again.result == between.result == record.result, (reason, winner, plies, one, two)
            assert between.ending == reason or "endings" in load_format(one).losses(record), (reason, winner, one)


@pytest.mark.parametrize("plies", [2, 3])
def test_other_programs_read_the_winner_of_an_adjudicated_game(plies):
    for winner in (0, 1):
        record = GameRecord.from_moves("shogi", MOVES["shogi"][:plies])
        record.end(Outcome(winner, Termination.ADJUDICATION))
        (game,) = cshogi_csa.Parser.parse_str(dumps(record, "csa").decode())
        assert game.win == winner + 1  # 1 is black
        if winner != plies % 2:  # the loser is to move
            assert "%TORYO" in dumps(record, "csa").decode() and "\u6295\u4e86" in dumps(record, "kif").decode("cp932")


def test_an_adjudicated_game_that_white_began_keeps_its_winner():
    """There the closing line's names of the sides are not clear."""
    start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
    for name, winner, plies in itertools.product(FORMATS["shogi"], (0, 1), (1, 2)):
        record = GameRecord.from_moves("shogi", ["3c3d", "7g7f"][:plies], start=start)
        record.end(Outcome(winner, Termination.ADJUDICATION))
        (again,) = loads(dumps(record, name), format=name)
        assert again.result == record.result and "winners" not in load_format(name).losses(record), (name, winner)


def test_a_first_number_a_value_and_a_missing_result_are_not_lost_without_a_word():
    (numbered,) = loads("sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 21 moves 2g2f")
    for name in ("csa", "jkf", "kif", "ki2", "usi", "jsonl"):
        (again,) = loads(dumps(numbered, name), format=name)
        lost = load_format(name).losses(numbered)
        assert (again.start == numbered.start) == (lost == []), name
        assert lost == ["numbers of first moves"] * (name in ("csa", "jkf")), name
    for side in "XO":
        (valued,) = loads(f"---------------------------OX------XO--------------------------- {side}; +3;")
        (again,) = loads(dumps(valued, "sgf"))
        assert again.root.evaluation == valued.root.evaluation and not load_format("sgf").losses(valued)
        assert load_format("ggf").losses(valued) == ["evaluations"]
    (open_game,) = loads("f5d6c3")
    assert load_format("wthor").losses(open_game) == ["games without a result"]
    with pytest.raises(ValueError, match="without moves"):
        dumps(GameRecord("othello"), "transcript")
