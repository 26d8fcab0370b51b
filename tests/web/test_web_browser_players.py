"""What players lost elsewhere than on the page, seen in Chromium: mates, the terminal's games, transcripts, folders."""

import signal

import pytest

from shogi_engine import records
from shogi_engine.__main__ import main
from shogi_engine.analysis.judgement import PositionResult
from shogi_engine.records import GameRecord
from shogi_engine.types.results import Score
from tests.web import fake_engine
from tests.web.visitor import CHROMIUM, DESKTOP, Visitor, serve, until

pytestmark = [pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here"), pytest.mark.slow]
MATE_IN_3 = "9/3S2+R1l/p1p1R3p/2Pkpp3/1p2PPppP/9/1P1S1SPP1/L2B5/BN1GKG1NL b 2GS2NL3P 87"
MATING = ("5c5d+", "6d7e", "9i6f")


class MateExaminer(fake_engine.FakeExaminer):
    """Asks the solver, and after a move of the attacker looks at all replies."""

    def examine(self, record, ply):
        board = record.board(ply)
        if found := board.find_mate(shortest=True):
            line = tuple(map(str, found.moves))
            return PositionResult(line[0], Score.mate_in(found.length), line, found.length, 0, True, found.length)
        replies = {str(move): self._length_after(board, move) for move in list(board.legal_moves)}
        if all(replies.values()):
            return PositionResult(next(iter(replies), ""), Score.mated_in(1 + max(replies.values()) if replies else 0))
        return PositionResult(next(iter(replies)), Score(0))

    def _length_after(self, board, move):
        board.push_text(str(move))
        found = board.find_mate(shortest=True)
        board.pop()
        return found.length if found else 0


def test_a_terminal_game_that_was_killed_is_opened_in_the_browser(browser, fake_address, tmp_path):
    """L1."""
    from tests.support.terminal import Terminal

    env = {"XDG_DATA_HOME": str(tmp_path)}
    with Terminal(["play", "shogi", "--human", "both"], env) as screen:
        screen.expect("black>")
        screen.type("7g7f")
        screen.expect("white>")
        screen.type("3c3d")
        screen.expect("black>")
        screen.kill(signal.SIGKILL)
        screen.wait()
    (file,) = (tmp_path / "shogi_engine" / "games").iterdir()
    visitor = Visitor(browser, fake_address)
    visitor.page.click("#open")
    visitor.page.set_input_files("#file", str(file))
    until(visitor.page, "document.querySelector('#moves').innerText.includes('P-3d')")
    assert visitor.ply() == 2
    visitor.close()


def test_mates_are_counted_from_the_position_after_the_move(browser, monkeypatch, tmp_path):
    """L12: as ShogiHome counts them, in the record that is saved, and odd for the side that mates on the page."""
    monkeypatch.setattr(fake_engine, "FakeExaminer", MateExaminer)
    server, address = serve(fake_engine.fake_hub(tmp_path))
    visitor = Visitor(browser, address, language="ja")
    page = visitor.page
    visitor.paste(f"sfen {MATE_IN_3} moves {' '.join(MATING)}")
    page.click("#judge")
    page.wait_for_selector("#graph:not([hidden])")
    until(page, "document.querySelector('#judging').hidden")
    with page.expect_download() as download:
        page.click("#save")
        page.click('[data-format="kif"]')
    rows = download.value.path().read_bytes().decode("cp932").splitlines()
    said = [row.removeprefix("*#詰み=") for row in rows if row.startswith("*#詰み=")]
    left = [len(MATING) - ply for ply in range(1, len(MATING) + 1)]
    assert said[-3:] == ["先手勝ち" + (f":{plies}手" if plies else "") for plies in left]
    visitor.paste("\n".join(rows))  # and read again
    page.wait_for_selector("#graph:not([hidden])")
    assert "#詰み" not in page.inner_text("#moves")
    visitor.paste(f"sfen {MATE_IN_3} moves 1e1d")
    page.click("#judge")
    page.wait_for_selector("#moves .text.mistake, #moves .text.blunder")
    page.keyboard.press("End")
    page.wait_for_selector("#verdict:not([hidden])")
    assert "3手詰" in page.inner_text("#verdict")
    visitor.close()
    server.should_exit = True


@pytest.mark.parametrize("text", ["f5d6c3", "f5 d6 c3", "F5D6C3"])
def test_a_transcript_is_pasted_in_any_way(browser, backend, text):
    """L13."""
    visitor = Visitor(browser, backend)
    visitor.choose_game("othello")
    visitor.paste(text)
    visitor.wait_ply(3)
    assert visitor.ply() == 3 and all(move in visitor.page.inner_text("#moves") for move in ("f5", "d6", "c3"))
    visitor.close()


def test_annotated_records_go_to_a_new_folder_and_are_opened(browser, fake_address, tmp_path):
    """L14, and the page of all games."""
    files = [tmp_path / name for name in ("a.kif", "b.kif")]
    for file, move in zip(files, ("7g7f", "2g2f"), strict=True):
        records.save(GameRecord.from_moves("shogi", [move, "3c3d"]), file)
    out, page_file = tmp_path / "annotated", tmp_path / "page.html"
    command = ["analyse", *map(str, files), "--out", str(out), "--html", str(page_file), "--nodes", "500"]
    assert main([*command, "--threads", "1"]) == 0
    assert sorted(path.name for path in out.iterdir()) == ["a.kif", "b.kif"]
    visitor = Visitor(browser, fake_address)
    visitor.page.click("#open")
    visitor.page.set_input_files("#file", str(out / "b.kif"))
    until(visitor.page, "document.querySelector('#moves').innerText.includes('P-2f')")
    visitor.page.wait_for_selector("#graph:not([hidden])")
    visitor.close()
    page = browser.new_page(viewport=DESKTOP)
    page.goto(page_file.as_uri())
    assert "a.kif" in page.inner_text("body") and "b.kif" in page.inner_text("body")
    page.close()
