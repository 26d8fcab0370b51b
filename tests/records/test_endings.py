"""Every way to end a game, won by either side or by no one, through every record format: kept, or named as lost."""

import itertools

import pytest

from shogi_engine.records import ENDINGS, GameRecord, Outcome, Termination, all_formats, dumps, load_format, loads
from shogi_engine.types.outcomes import BY_RULE, USUAL_WINNERS, completed, termination_of, usual_outcome

MOVES = {"shogi": ["7g7f", "3c3d", "2g2f"], "othello": ["f5", "d6", "c3"]}
WIPED_OUT = ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"]
WHITE_FIRST = {
    "shogi": "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "othello": "---------------------------OX------XO--------------------------- O",
}
FORMATS = [each for each in all_formats() if each.name not in ("bod", "obf")]  # these hold a position
WHO = (None, 0, 1)


def saved_and_read(record, name):
    (again,) = loads(dumps(record, name), format=name)
    return again


@pytest.mark.parametrize("termination", ENDINGS)
@pytest.mark.parametrize("format", FORMATS, ids=lambda each: each.name)
def test_every_ending_is_kept_or_named_as_lost(format, termination):
    for plies, winner, score in itertools.product((2, 3), WHO, (None, 12.0, -12.0)):
        if score is not None and (format.game == "shogi" or winner != int(score < 0)):
            continue
        record = GameRecord.from_moves(format.game or "shogi", MOVES[format.game or "shogi"][:plies])
        record.score = score
        record.end(Outcome(winner, termination))
        before, after = record.outcome(), saved_and_read(record, format.name).outcome()
        lost, now = format.losses(record), after or Outcome(None, Termination.NONE)
        if termination not in BY_RULE:  # which no unfinished game has
            assert now.termination == before.termination or "endings" in lost, (before, now)
            assert now.winner == before.winner or "winners" in lost, (before, now)
            assert not lost or now != before or set(lost).isdisjoint(("endings", "winners")), (before, now)


@pytest.mark.parametrize("name", ["kif", "ki2", "csa", "jkf", "usi", "sgf"])
def test_endings_of_games_that_white_begins(name):
    format = load_format(name)
    moves = {"shogi": ["3c3d", "7g7f"], "othello": ["c5", "e6"]}[format.game]
    for termination, winner, plies in itertools.product(ENDINGS, WHO, (1, 2)):
        record = GameRecord.from_moves(format.game, moves[:plies], start=WHITE_FIRST[format.game])
        record.end(Outcome(winner, termination))
        after = saved_and_read(record, name).outcome() or Outcome(None, Termination.NONE)
        lost = format.losses(record)
        assert termination in BY_RULE or after.winner == record.outcome().winner or "winners" in lost, (
            name,
            termination,
            winner,
        )


@pytest.mark.parametrize("name", ["kif", "ki2", "jkf", "csa"])
def test_variations_keep_their_endings_too(name):
    format = load_format(name)
    for termination, winner in itertools.product(set(ENDINGS) - BY_RULE, WHO):
        record = GameRecord.from_moves("shogi", MOVES["shogi"], ending="interrupted")
        record.root.next.add("8c8d").end(Outcome(winner, termination))
        lost, again = format.losses(record), saved_and_read(record, name)
        if "variations" not in lost:
            wanted, found = completed(Outcome(winner, termination), 0), again.root.next.variations[0].outcome
            assert found == wanted or set(lost) & {"endings", "winners"}


@pytest.mark.parametrize("format", [each for each in FORMATS if each.game == "othello"], ids=lambda each: each.name)
def test_a_wipe_out_is_told_by_the_moves(format):
    record = GameRecord.from_moves("othello", WIPED_OUT)
    record.score = float(record.board().outcome().score)
    assert record.outcome() == Outcome(0, Termination.WIPE_OUT)
    again = saved_and_read(record, format.name)
    assert again.outcome() == record.outcome() and again.result == "1-0"
    record.end(Outcome(0, Termination.WIPE_OUT))
    assert "endings" not in format.losses(record)


@pytest.mark.parametrize("plies", [2, 3])
def test_what_used_to_be_lost(plies):
    """An adjudicated win, and a resignation while the opponent thinks."""
    for termination, winner in itertools.product((Termination.ADJUDICATION, Termination.RESIGNATION), (0, 1)):
        record = GameRecord.from_moves("shogi", MOVES["shogi"][:plies])
        record.end(Outcome(winner, termination))
        for name in ("kif", "ki2"):
            again = saved_and_read(record, name)
            assert again.outcome() == record.outcome() and again.result == record.result, name
        if termination is Termination.ADJUDICATION:
            assert load_format("csa").losses(record) == ["endings"]


@pytest.mark.parametrize("name", ["kif", "ki2", "csa", "jkf"])
def test_an_ending_without_a_winner_is_won_by_who_usually_wins_so(name):
    record = GameRecord.from_moves("shogi", MOVES["shogi"])
    record.main_line[-1].ending = "resignation"
    assert record.result == "1-0" and record.outcome() == Outcome(0, Termination.RESIGNATION)
    assert saved_and_read(record, name).outcome() == record.outcome() and not load_format(name).losses(record)


def test_names_of_endings():
    assert termination_of("resignation") is Termination.RESIGNATION and Termination("mate") == "mate"
    with pytest.raises(ValueError, match="there is no ending 'won'; there are resignation, mate"):
        termination_of("won")
    for termination in USUAL_WINNERS:
        assert usual_outcome(termination, 0).winner == 1 - usual_outcome(termination, 1).winner
    record = GameRecord.from_moves("shogi", ["7g7f"], ending="resignation")
    assert (record.result, record.outcome()) == ("1-0", Outcome(0, Termination.RESIGNATION))
    record.ending = ""
    assert record.outcome() is None and record.result == "*"
    assert str(Outcome(1, Termination.TIME_FORFEIT)) == "white wins: time"
    assert str(Outcome(None, Termination.REPETITION)) == "a draw: repetition"
    assert str(Outcome(None, Termination.INTERRUPTED)) == "interrupted"


def test_an_ending_without_moves_from_a_diagram():
    for termination in (Termination.TIME_FORFEIT, Termination.DECLARATION, Termination.NO_MATE):
        record = GameRecord.from_moves("shogi", [], start="4k4/9/4P4/9/9/9/9/9/9 b G 1")
        record.end(usual_outcome(termination, 0))
        (again,) = loads(dumps(record, "kif"))  # recognised as KIF, not as the diagram alone
        assert again.outcome() == record.outcome()
