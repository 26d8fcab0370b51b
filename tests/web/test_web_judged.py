"""A judged game, saved from the browser and by `analyse --out`: one and the same, and read back with all of it."""

import base64
import random

import pytest

from shogi_engine import analysis, records
from shogi_engine.analysis.judgement import PositionResult, plies_to_examine
from shogi_engine.games.shogi.board import Board
from shogi_engine.types.results import Score
from tests.web.fake_engine import FakeExaminer, fake_hub, wait_for
from tests.web.page import Page

PLIES = 300


@pytest.fixture(scope="module")
def long_game():
    """Return a game of 300 plies with variations, as a KIF file."""
    rng = random.Random(8)
    while True:
        board = Board()
        while len(board.move_stack) < PLIES and not board.is_game_over():
            board.push(rng.choice(list(board.legal_moves)))
        if len(board.move_stack) == PLIES and not board.is_game_over():
            break
    record = records.GameRecord.from_moves("shogi", [str(move) for move in board.move_stack])
    nodes = record.main_line
    for ply in (0, 10, 11, 150, 298):
        others = [str(move) for move in record.board(ply).legal_moves if str(move) != nodes[ply].next.move]
        nodes[ply].add(others[0], comment="変化")
    nodes[20].comment = "ここから中盤"
    return records.dumps(record, "kif")


class NoisyExaminer(FakeExaminer):
    """Finds values that differ from move to move, the same in every run."""

    def examine(self, record, ply):
        found = super().examine(record, ply)
        value = random.Random(ply).choice([0, 0, 0, 150, -400, 900])
        score = Score.mate_in(5) if ply == 100 else Score(value)
        return type(found)(found.best, score, found.pv, 7)


@pytest.fixture(scope="module")
def by_command(long_game):
    """Return the record that the function of `analyse --out` makes."""
    (record,) = records.loads(long_game)
    examiner = NoisyExaminer("shogi", {})
    game = analysis.judge(record, {ply: examiner.examine(record, ply) for ply in plies_to_examine(record)})
    return analysis.annotated(game, "ja")


@pytest.fixture
def page(long_game, tmp_path, monkeypatch):
    hub = fake_hub(tmp_path)
    page = Page.of(hub, language="ja")
    page.session.analyses.examiner = NoisyExaminer
    page.do("open", name="long.kif", data=base64.b64encode(long_game).decode())
    page.do("judge", on=True)
    wait_for(lambda: page.state["judging"] is None and page.session.analyses.judged, 60)
    yield page
    hub.close()


def saved(page, format="kif"):
    page.do("save", format=format)
    return base64.b64decode(page.last("file")["data"])


def test_the_browser_and_the_command_save_the_same(page, by_command):
    assert saved(page) == records.dumps(by_command, "kif")


def test_what_was_saved_is_read_back(page, by_command):
    (again,) = records.loads(saved(page))
    assert again.moves == by_command.moves
    assert [node.evaluation for node in again.main_line[1:]] == [node.evaluation for node in by_command.main_line[1:]]
    variations = [[node.move for node in line] for _, line in by_command.lines()]
    assert [[node.move for node in line] for _, line in again.lines()] == variations and len(variations) > 50
    assert sum("悪手" in node.comment for node in again.main_line) == sum(
        "悪手" in node.comment for node in by_command.main_line
    )


def test_a_judged_game_is_kept_with_what_was_found(page, tmp_path):
    page.session.autosave.write()
    before = saved(page)
    page.session.store.close()  # as if the server was killed
    again = Page.of(fake_hub(tmp_path), page.state["session"], language="ja")
    assert again.state["line"] == page.state["line"] and again.state["summary"] == page.state["summary"]
    assert saved(again) == before
    again.session.pool.close()


def test_a_variation_that_is_judged_too_has_each_word_once(page):
    (other,) = (run for run in page.state["line"][11]["others"])
    page.do("go", node=other["moves"][0][0]).do("promote").do("judge", on=True)
    wait_for(lambda: page.state["judging"] is None and len(page.session.analyses.judged) == 2, 60)
    nodes = records.loads(saved(page))[0].main_line
    assert all(node.comment.count("先手の勝率") <= 1 for node in nodes)
    assert nodes[11].comment.count("先手の勝率") == 1


def test_nothing_of_an_analysis_is_written_into_the_game_itself(page, long_game):
    assert records.dumps(page.session.tree.record, "kif") == long_game


# ---- opened again


def test_what_a_record_says_is_drawn_as_if_it_were_judged_here(page, tmp_path):
    """The graph, the verdicts and the better lines come back from the file, and its comments show people's words."""
    content = saved(page)
    again = Page.of(fake_hub(tmp_path / "other"), language="ja")
    again.do("open", name="judged.kif", data=base64.b64encode(content).decode())
    before, after = page.state["line"], again.state["line"]
    assert [row.get("verdict") for row in after] == [row.get("verdict") for row in before]
    worst = next(row["node"] for row in after if row.get("verdict") == "blunder")
    assert again.do("go", node=worst).state["verdict"]["moves"]
    wrong = [ply for ply, row in enumerate(after) if ply and abs(row["chance"] - before[ply]["chance"]) > 0.01]
    assert wrong == []
    assert after[20]["comment"] == "ここから中盤" and sum("comment" in row for row in after) == 1
    counts = page.state["summary"]["counts"]
    assert again.state["summary"] == {"counts": counts, "agreement": [None, None]}
    again.session.pool.close()


def test_a_comment_is_edited_and_the_lines_of_programs_stay(page, tmp_path):
    again = Page.of(fake_hub(tmp_path / "other"), language="ja")
    again.do("open", name="judged.kif", data=base64.b64encode(saved(page)).decode())
    again.do("go", node=again.state["line"][20]["node"])
    assert again.state["comment"] == "ここから中盤"
    again.do("comment", node=again.state["line"][20]["node"], text="中盤")
    assert again.state["comment"] == "中盤" and "#評価値=" in again.session.tree.at.comment
    again.session.pool.close()


def test_discs_lost_are_told_of_each_move_also_in_a_lost_game(tmp_path):
    class Lost(FakeExaminer):
        def examine(self, record, ply):
            best = sorted(map(str, record.board(ply).legal_moves))[-1]  # none of those that are played then
            black = (-40, -40, -40, -50, -50)[ply]  # black's third move, in a lost game
            return PositionResult(best, Score.discs(-black if ply % 2 else black), (best,), 7)

    hub = fake_hub(tmp_path)
    page = Page.of(hub)
    page.do("game", game="othello")
    page.session.analyses.examiner = Lost
    for move in ("f5", "d6", "c3", "d3"):
        page.do("move", move=move)
    page.do("judge", on=True)
    wait_for(lambda: page.state["summary"], 60)
    assert [(row.get("lost", 0), row.get("verdict", "")) for row in page.state["line"][1:]] == [
        (0, ""), (0, ""), (10, ""), (0, ""),
    ]  # fmt: skip
    hub.close()
