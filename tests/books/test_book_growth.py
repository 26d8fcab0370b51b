"""A book grows: which positions are searched, what a run keeps, what is brought back; with searches that pretend."""

import json

import pytest

from shogi_engine.books import Growth, RunFile, RunLine, Searches, load, read_lines, run_settings
from shogi_engine.games.othello.notation import SQUARE_NAMES, legal_moves, parse_obf
from shogi_engine.games.shogi.board import Board
from tests.support.book_searches import Pretended

SHOGI, OTHELLO = load("shogi"), load("othello")
SETTINGS = {
    "shogi": run_settings(SHOGI, nodes=10, margin=30, max_ply=6),
    "othello": run_settings(OTHELLO, depth=1, margin=30, max_ply=6),
}


def pretended(name, **named):
    """Return searches for a game; in Shogi among ten moves."""
    if name == "othello":
        return Pretended(lambda key: [SQUARE_NAMES[move & 63] for move in legal_moves(parse_obf(key))], **named)
    return Pretended(lambda key: sorted(str(move) for move in Board(f"{key} 1").legal_moves)[::3], **named)


def grown(name, path, searches, lines=(), **named):
    """Return the Growth of a run file, and close that."""
    run = RunFile(path, SETTINGS[name])
    try:
        run.add_lines(lines)
        growth = Growth(load(name), run.settings, run.lines)
        growth.grow(run, searches, **named)
    finally:
        run.close()
    return growth


@pytest.mark.parametrize("name", ["shogi", "othello"])
def test_a_run_that_was_killed_goes_on_as_if_it_had_not_been(tmp_path, name):
    whole, killed, lines = tmp_path / "whole.jsonl", tmp_path / "killed.jsonl", []
    if name == "shogi":
        lines = [RunLine("a line", ("7g7f", "3c3d", "2g2f"))]
    entries = grown(name, whole, pretended(name), lines, positions=30).entries()
    grown(name, killed, pretended(name), lines, positions=6)
    with pytest.raises(KeyboardInterrupt):
        grown(name, killed, pretended(name, dies_after=8), positions=30)
    killed.write_bytes(killed.read_bytes()[:-20])  # a line that was torn
    searches = pretended(name)
    again = grown(name, killed, searches, positions=30)
    assert again.entries() == entries and len(entries) >= 30
    assert 0 < len(searches.asked) < 30
    assert sorted(killed.read_text().splitlines()) == sorted(whole.read_text().splitlines())
    last = pretended(name)
    assert grown(name, killed, last, positions=30).entries() == entries and last.asked == []


def test_the_likeliest_positions_come_first(tmp_path):
    searches = pretended("shogi")
    growth = grown("shogi", tmp_path / "run.jsonl", searches, positions=40)
    start, _ = SHOGI.canonical(SHOGI.game.start)
    assert searches.asked[0] == start and len(set(searches.asked)) == len(searches.asked) == len(growth.found)
    best = growth.found[start][0]
    after = Board()
    after.push_usi(best["move"])
    assert SHOGI.canonical(after.sfen())[0] in searches.asked[1:5]
    assert all(key.split()[1] == "b" for key in searches.asked)  # a position and its twin are one


def test_the_four_first_moves_of_othello_are_one(tmp_path):
    searches = pretended("othello", width=4)
    grown("othello", tmp_path / "run.jsonl", searches, positions=2)
    assert len(searches.asked) == 2


def test_values_come_back_from_the_last_positions(tmp_path):
    growth = grown("othello", tmp_path / "run.jsonl", pretended("othello"), positions=60)
    entries, brought_back = growth.entries(), 0
    for key, moves in entries.items():
        best = max(move.value for move in moves)
        assert all(move.value >= best - SETTINGS["othello"]["margin"] for move in moves)
        for move in moves:
            child, image = growth._after(key, move.move)
            if child in entries and growth._ply[child] > growth._ply[key]:
                answer = max(entries[child], key=lambda each: each.value)
                assert (move.value, move.depth) == (-answer.value, answer.depth + 1)
                assert OTHELLO.turned(move.ponder, image, False) == answer.move
                brought_back += 1
    assert brought_back > 30


def test_the_moves_of_lines_are_kept_whatever_they_are_worth(tmp_path):
    moves = ("9g9f", "1c1d", "9i9h", "1a1b")
    searches = pretended("shogi")
    growth = grown("shogi", tmp_path / "run.jsonl", searches, [RunLine("odd", moves)], positions=5)
    entries, board = growth.entries(), Board()
    assert len(searches.asked) <= 8 and len(entries) >= 5
    for number, move in enumerate(moves):
        key, image = SHOGI.canonical(board.sfen())
        kept = {each.move: each for each in entries[key]}
        assert SHOGI.turned(move, image, False) in kept
        board.push_usi(move)
        answers = entries[SHOGI.canonical(board.sfen())[0]]
        assert kept[SHOGI.turned(move, image, False)].value == -max(each.value for each in answers), number
        assert kept[SHOGI.turned(move, image, False)].count == 1
    with pytest.raises(ValueError, match="odd: move 2"):
        Growth(SHOGI, SETTINGS["shogi"], [RunLine("odd", ("7g7f", "7f7e"))])


def test_moves_are_recommended_by_as_many_lines_as_have_them(tmp_path):
    lines = [
        RunLine("a", ("7g7f", "3c3d")),
        RunLine("b", ("7g7f", "8c8d")),
        RunLine("c", ("2g2f",)),
        RunLine("d", ("9g9f?", "3c3d")),
    ]
    run = tmp_path / "run.jsonl"
    entries = grown("shogi", run, pretended("shogi"), lines, positions=8).entries()
    start, _ = SHOGI.canonical(SHOGI.game.start)
    counts = {each.move: each.count for each in entries[start]}
    assert {move: counts[move] for move in ("7g7f", "2g2f", "9g9f")} == {"7g7f": 2, "2g2f": 1, "9g9f": 0}
    assert sum(counts.values()) == 3
    assert grown("shogi", run, pretended("shogi"), positions=8).entries() == entries  # the run has the lines
    with pytest.raises(ValueError, match="e: move 1"):
        Growth(SHOGI, SETTINGS["shogi"], [RunLine("e", ("7g7f??",))])


def test_a_run_is_extended_by_positions_and_by_games(tmp_path):
    path = tmp_path / "run.jsonl"
    before = grown("shogi", path, pretended("shogi"), positions=20)
    more = grown("shogi", path, pretended("shogi"), more=5)
    assert set(before.found) < set(more.found) and len(more.found) >= len(before.found) + 5
    game = RunLine("my game", ("1g1f", "9c9d", "1f1e"), start="")
    run = RunFile(path)
    growth = Growth(SHOGI, run.settings, [game])
    assert [run.add_lines([game, game]), run.add_lines([game])] == [1, 0]
    count = growth.unsearched_lines(run)
    searches = pretended("shogi")
    growth.grow(run, searches, more=count)
    run.close()
    assert 1 <= count <= len(searches.asked) and set(more.found) <= set(growth.found)
    again = RunFile(path)
    again.close()
    assert again.lines == [game]
    recalled = Growth(SHOGI, again.settings, again.lines)
    recalled.recall(again)
    assert recalled.entries() == growth.entries()


def test_what_is_no_run_is_refused_and_stays(tmp_path):
    path = tmp_path / "run.jsonl"
    grown("shogi", path, pretended("shogi"), positions=4)
    with pytest.raises(ValueError, match="is a run with"):
        RunFile(path, SETTINGS["shogi"] | {"width": 9})
    good = path.read_text()
    for text, fault in (
        (good + "nonsense\n", f"line {good.count(chr(10)) + 1}"),
        (good + '{"moves": []}\n', "not a line of a run"),
        ("\n".join(good.splitlines()[1:]) + "\n", "line 1"),
        ("a letter without an end of line", "line 1"),
        ("1. e4 e5\n", "line 1"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=fault):
            RunFile(path, SETTINGS["shogi"])
        assert path.read_text() == text
    with pytest.raises(ValueError, match="no such run"):
        RunFile(tmp_path / "missing.jsonl")
    path.write_text(json.dumps(SETTINGS["shogi"])[:9])  # killed while it wrote its first line
    RunFile(path, SETTINGS["shogi"]).close()
    assert json.loads(path.read_text()) == SETTINGS["shogi"]


def test_files_of_lines(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("# a comment\n\nyagura, new: 7g7f 8c8d\nempty names do: 2g2f\n")
    assert read_lines(path) == [RunLine("yagura, new", ("7g7f", "8c8d")), RunLine("empty names do", ("2g2f",))]
    for text in ("no colon here\n", "nothing after it:\n"):
        path.write_text("# a comment\n" + text)
        with pytest.raises(ValueError, match="line 2"):
            read_lines(path)


def test_searches_do_not_depend_on_threads_or_on_each_other():
    key, _ = OTHELLO.canonical(OTHELLO.game.start)
    child, _ = Growth(OTHELLO, SETTINGS["othello"])._after(key, "d3")
    settings = run_settings(OTHELLO, depth=3)
    one, two = Searches(OTHELLO, settings, 1), Searches(OTHELLO, settings, 2)
    found = two([key, child])
    assert found == one([key, child]) == {**one([child]), **one([key])}
    assert len(found[child]) == 3 and [each["value"] for each in found[child]] == sorted(
        (each["value"] for each in found[child]), reverse=True
    )
