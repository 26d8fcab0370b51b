"""In a browser: a lost game is judged, its mistakes become problems, and they are solved, in both games."""

import datetime
import re

import pytest

from shogi_engine import study
from tests.web.fake_engine import FakeEngine, fake_hub
from tests.web.test_web_lessons import as_bad
from tests.web.visitor import CHROMIUM, PHONE, Visitor, serve, until

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")
LAPTOP = {"width": 1366, "height": 768}
WHY = (
    ("en", ("It leaves a bishop on 5e to be captured for nothing: Bx5e.",)),
    ("ja", ("５五の角がただで取られます。",)),
)
MADE = study.Problem(
    "shogi", "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3", "piece", ("2g2f",),
    ("2g2f", "8c8d", "2f2e"), "8h5e", ("2b5e", "5g5f"), WHY, "mine - yours, 3",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("size", "language"), [(LAPTOP, "en"), (PHONE, "ja")])
def test_mistakes_are_solved(browser, tmp_path, monkeypatch, size, language):
    monkeypatch.setattr(study.Examined, "answers", lambda self, position, move: (move.best,))
    hub = fake_hub(tmp_path / "games")
    server, address = serve(hub)
    visitor = Visitor(browser, address, size, language, "dark" if language == "ja" else "light")
    page = visitor.page
    visitor.paste("startpos moves 2g2f 8c8d 7g7f 3c3d")
    page.click("#judge")
    page.wait_for_selector("#learn-0")
    assert visitor.axe() == []
    visitor.shot(f"lessons-judged-{language}")
    page.click("#learn-0")
    page.wait_for_selector("#toast button")
    hub.store.mistakes("", "shogi").add([MADE])
    page.click("#lessons")
    page.wait_for_selector("#lessons-due")
    assert "2" in page.inner_text("#lessons-due") and visitor.axe() == []
    visitor.shot(f"lessons-due-{language}")
    page.click("#lessons-solve")
    page.wait_for_selector("#lesson-task")
    assert not page.locator("#analysis").is_visible() and not page.locator("#think").is_visible()
    visitor.shot(f"lessons-task-{language}")
    page.click("#lesson-next")  # the one that was made here
    until(page, "/mine - yours/.test(document.querySelector('#lesson-task').textContent)")
    page.click("#lesson-hint")
    page.wait_for_selector("#board rect.hint")
    visitor.play("8h5e")
    page.wait_for_selector("#lesson-why")
    visitor.status("not the solution|正解ではありません")
    page.locator("#problem").scroll_into_view_if_needed()
    visitor.shot(f"lessons-wrong-{language}")
    assert visitor.axe() == []
    page.click("#lesson-undo")
    visitor.status("Your move|手番|あなた")
    visitor.play("2g2f")
    visitor.status("Right|正解です")
    page.locator("#problem").scroll_into_view_if_needed()
    visitor.shot(f"lessons-right-{language}")
    assert visitor.axe() == [] and page.locator("#problem .step").count() == 3
    assert re.search(r"\d:\d\d", page.inner_text("#problem"))  # it comes back tomorrow, at this time
    day = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=2)
    assert len(hub.store.mistakes("", "shogi").due()) == 1 and len(hub.store.mistakes("", "shogi").due(day)) == 2
    page.click("#lesson-leave")
    until(page, "document.querySelector('#problem').hidden")
    visitor.wait_ply(4)
    visitor.close()
    server.should_exit = True


@pytest.mark.slow
@pytest.mark.parametrize(("size", "language"), [(LAPTOP, "en"), (PHONE, "ja")])
def test_better_moves_are_found_at_once(browser, tmp_path, monkeypatch, size, language):
    """Wrong: refuted; as good as the best: praised too; then the next turning point, and the game again."""
    monkeypatch.setattr(FakeEngine, "analyse", as_bad("9g9f"))
    server, address = serve(fake_hub(tmp_path / "games"))
    visitor = Visitor(browser, address, size, language, "dark" if language == "ja" else "light")
    page = visitor.page
    visitor.paste("startpos moves 7g7f 3c3d 2g2f 8c8d")
    page.click("#judge")
    page.click("#better")
    page.wait_for_selector("#lesson-task")
    assert "1" in page.inner_text("#problem h2") and visitor.axe() == []
    assert not page.locator("#analysis").is_visible() and not page.locator("#think").is_visible()
    visitor.shot(f"better-task-{language}")
    visitor.play("9g9f")
    visitor.status("not the solution|正解ではありません")
    assert page.locator("#problem .step").count() >= 1
    visitor.shot(f"better-wrong-{language}")
    page.click("#lesson-undo")
    visitor.status("Your move|手番|あなた")
    visitor.play("3g3f")
    visitor.status("about as strong|ほぼ同じ")
    assert "2f" in page.inner_text("#lesson-why") or "２六" in page.inner_text("#lesson-why")
    visitor.shot(f"better-good-{language}")
    assert visitor.axe() == []
    page.click("#lesson-next")  # white's mistake
    until(page, "document.querySelector('#problem h2').textContent.match(/2.*2/)")
    page.click("#lesson-answer")
    page.wait_for_selector("#lesson-why")
    page.click("#lesson-next")
    until(page, "document.querySelector('#problem').hidden")
    visitor.wait_ply(4)
    assert "2" in page.inner_text("#toast")
    page.click("#better")
    page.wait_for_selector("#lesson-task")
    visitor.play("1g1f")
    visitor.status("Well done|お見事")
    page.click("#lesson-leave")
    until(page, "document.querySelector('#problem').hidden")
    visitor.close()
    server.should_exit = True
