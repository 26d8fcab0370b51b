"""A judged game, saved from the browser and by `analyse --out`: one and the same, and read back with all of it."""

import base64
import random

import pytest

from shogi_engine import analysis, records
from shogi_engine.analysis.judgement import plies_to_examine
from shogi_engine.games.shogi.board import Board
from shogi_engine.types.score import Score
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
    page.session.examiner = NoisyExaminer
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
    page.do("go", node=other["moves"][0][0]).do("judge", on=True)
    wait_for(lambda: page.state["judging"] is None and len(page.session.analyses.judged) == 2, 60)
    nodes = records.loads(saved(page))[0].main_line
    assert all(node.comment.count("先手の勝率") <= 1 for node in nodes)
    assert nodes[11].comment.count("先手の勝率") == 1


def test_nothing_of_an_analysis_is_written_into_the_game_itself(page, long_game):
    assert records.dumps(page.session.tree.record, "kif") == long_game
