"""What players do with the page, and what once went wrong: each sentence of theirs is a test in Chromium."""

import threading
from dataclasses import replace

import pytest

from shogi_engine import records
from shogi_engine.types.results import Score
from shogi_engine.web.messages import Message
from tests.web.fake_engine import FakeEngine, fake_hub
from tests.web.visitor import CHROMIUM, PATIENCE_MS, PHONE, Visitor, serve, until

pytestmark = [pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here"), pytest.mark.slow]
FIRST_BYTES = 140_000
# The controls that lie below the notice, even after they are scrolled to.
COVERED = """[...document.querySelectorAll("button, select, input, summary, #board")].filter(each => {
  if (!each.checkVisibility() || each.closest("#toast, dialog")) return false;
  each.scrollIntoView({block: "center"});
  const one = each.getBoundingClientRect(), other = document.querySelector("#toast").getBoundingClientRect();
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}).map(each => each.id || each.outerHTML)"""

ENTERED = "startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e"
MATE_IN_ONE, MATED = (f"4k4/{square}/4P4/9/9/9/9/9/4K4 {rest} 1" for square, rest in (("9", "b G"), ("4G4", "w -")))
PASSING = f"-OX-OXO{57 * '-'} X"  # after a1 white has to pass
BLUNDERED = "startpos moves 7g7f 3c3d 8h3c+ 2a3c 2g2f 8c8d"  # the third move is bad, as the engine that is a fake says


def at(page):
    """Return the text of the move on the board."""
    return page.inner_text("#moves [aria-current]").strip()


def wait_at(page, text):
    until(page, f"document.querySelector('#moves [aria-current]')?.innerText.includes({text!r})")


def wait_opened(page, text):
    """Wait until the game with a move is open, and no dialog."""
    until(page, f"document.querySelector('#moves').innerText.includes({text!r})")
    page.wait_for_selector("#dialog:not([open])", state="attached")


def centre(page, square):
    box = page.locator(f'rect.square[data-square="{square}"]:not([data-side])').bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_arrow_keys_step_after_a_move_with_the_mouse_and_walk_after_the_tab_key(visitor):
    page = visitor.page
    for ply, (source, target) in enumerate((("7g", "7f"), ("3c", "3d")), 1):
        visitor.move(source, target)
        visitor.wait_ply(ply)
    page.keyboard.press("ArrowLeft")
    wait_at(page, "P-7f")
    page.keyboard.press("ArrowRight")
    wait_at(page, "P-3d")
    page.keyboard.press("Tab")
    page.focus('rect[data-square="5e"]')
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.dataset.square") == "5d" and "P-3d" in at(page)


def test_the_keys_of_the_page(visitor):
    page = visitor.page
    visitor.paste(ENTERED)
    for key, text in (("End", "P-8e"), ("ArrowLeft", "P-2e"), ("Home", "Start")):
        page.keyboard.press(key)
        wait_at(page, text)
    page.hover('rect[data-square="5e"]')
    page.mouse.wheel(0, 120)
    wait_at(page, "P-7f")
    visitor.move("8c", "8d")
    wait_at(page, "P-8d")
    page.keyboard.press("ArrowUp")
    wait_at(page, "P-3d")
    page.keyboard.press("ArrowDown")
    wait_at(page, "P-8d")
    page.keyboard.press("f")
    until(page, "document.querySelector('#near').innerText.startsWith('White')")
    with page.expect_download() as download:
        page.keyboard.press("Control+s")
    assert download.value.suggested_filename.endswith(".kif")
    page.keyboard.press("Control+o")
    page.wait_for_selector("#paste:focus")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    page.wait_for_selector("#dialog .keys")
    assert visitor.axe() == []
    page.keyboard.press("Escape")


def test_a_comment_saves_itself(visitor):
    page = visitor.page
    visitor.paste(ENTERED)
    page.click("#notes summary")
    page.fill("#comment", "the first position")
    page.click("#moves li:nth-child(3) button")  # at once, with nothing saved by hand
    wait_at(page, "P-3d")
    assert page.input_value("#comment") == ""
    page.fill("#comment", "second")
    until(
        page,
        "[...document.querySelectorAll('#moves .said')].map(each => each.innerText).join()"
        " === 'the first position,second'",
    )
    page.fill("#comment", "second, at once")
    page.reload()
    until(page, "document.querySelector('#moves')?.innerText.includes('second, at once')")
    page.click("#notes summary")
    page.fill("#comment", "third")
    page.click('#games [data-game="othello"]')
    page.wait_for_selector('body[data-game="othello"]')
    page.wait_for_timeout(1000)
    assert page.input_value("#comment") == "" and page.locator("#moves .said").count() == 0
    page.click("#toast button")  # back to the game that it is about
    until(page, "document.querySelector('#moves')?.innerText.includes('third')")


def test_another_game_has_no_lines_of_the_one_before(visitor):
    page = visitor.page
    visitor.paste(MATE_IN_ONE)
    page.click("#mate")
    page.wait_for_selector("#found .step")
    page.click("#analyse")
    page.wait_for_selector("#board .arrows path")
    page.wait_for_selector("#lines li")
    visitor.paste(MATED)  # its first position has the same number, and no move to be analysed
    visitor.status("mate")
    page.wait_for_timeout(500)
    assert page.locator("#board .arrows path, #lines li, #found *").count() == 0


def test_the_engines_first_move_is_not_taken_back(visitor):
    visitor.new_game("1")
    visitor.wait_ply(1)
    visitor.status("Your move")
    visitor.page.click("#undo")
    until(visitor.page, "document.querySelector('#toast').textContent.includes('no move to take back')")
    assert visitor.ply() == 1


def test_a_pass_has_its_name_in_both_languages(visitor):
    page = visitor.page
    visitor.paste(PASSING)
    visitor.tap("a1")
    visitor.wait_ply(1)
    page.click("#pass")
    visitor.wait_ply(2)
    assert page.inner_text("#moves li:last-child .text") == "pass"
    page.click("#language")
    until(page, "document.querySelector('#moves li:last-child .text').textContent === 'パス'")


def test_a_position_that_was_set_up_is_kept(visitor):
    page = visitor.page
    page.click("#edit")
    page.click('[data-key="empty"]')
    page.click('[data-key="pick K"]')
    visitor.tap("5i")
    page.click('[data-key="pick k"]')
    visitor.tap("5a")
    until(page, "document.querySelectorAll('#board .piece').length === 2")
    page.click("#setup-done")
    page.wait_for_selector("#setup", state="hidden")
    position = page.input_value("#position")
    visitor.new_game("both")
    page.click("#kept")
    page.click(".games li:nth-child(2) button[data-continue]")
    until(page, f"document.querySelector('#position').value === {position!r}")


def test_on_a_phone_the_pieces_to_choose_from_are_in_sight_with_the_board(browser, backend):
    visitor = Visitor(browser, backend, PHONE)
    page = visitor.page
    page.click("#edit")
    until(
        page,
        "['#board', '[data-key=\"pick P\"]', '[data-key=\"pick +R\"]'].every(each => {"
        " const box = document.querySelector(each)?.getBoundingClientRect();"
        " return box && box.top >= 0 && box.bottom <= innerHeight; })",
    )
    visitor.close()


def test_the_games_of_a_file_are_there_to_choose(visitor):
    page = visitor.page
    page.click("#open")
    page.fill("#paste", "\n".join(f"startpos moves {move}" for move in ("7g7f", "2g2f", "5g5f")))
    page.click("#read")
    page.wait_for_selector("#dialog .list button:nth-child(3)")
    page.click("#dialog .list button:nth-child(2)")
    until(
        page, "document.querySelector('#moves').innerText.includes('P-2f') && !document.querySelector('#dialog').open"
    )
    page.click("#open")
    page.click("#again")  # and the third
    page.click("#dialog .list button:nth-child(3)")
    until(
        page, "document.querySelector('#moves').innerText.includes('P-5f') && !document.querySelector('#dialog').open"
    )


@pytest.mark.server("a session of the server is in two tabs")
def test_a_game_that_another_tab_holds_opens_without_a_lost_connection(browser, backend):
    one = Visitor(browser, backend)
    one.move("7g", "7f")
    one.wait_ply(1)
    page = one.context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(backend + "#board")
    page.wait_for_selector("#board svg .piece")
    page.click("#kept")
    page.click(".games li button[data-continue]")
    until(page, "document.querySelectorAll('#moves li').length === 2 && !document.querySelector('#dialog').open")
    assert page.locator("#toast").is_hidden()
    one.close()


@pytest.mark.server("a slow server")
def test_a_dialog_waits_for_a_slow_server(visitor, monkeypatch):
    """A server that compiles its engine on a busy machine: the page said that the connection was lost."""
    answering, obey = threading.Event(), Message.obey

    def late(*given):
        answering.wait()
        obey(*given)

    monkeypatch.setattr(Message, "obey", late)
    page = visitor.page
    page.click("#new")
    page.click("#new-begin")
    page.wait_for_selector("#dialog .fault")
    assert "not answered yet" in page.inner_text("#dialog .fault")
    answering.set()
    page.wait_for_selector("#dialog:not([open])", state="attached")
    page.wait_for_selector("#resign:not([hidden])")


@pytest.mark.parametrize(
    ("opened", "first"),
    [("new", "#new-side"), ("save", "[data-format=kif]"), ("look", "input:checked"), ("open", "#paste")],
)
def test_a_dialog_begins_at_what_it_is_for(visitor, opened, first):
    page = visitor.page
    page.click(f"#{opened}")
    page.wait_for_selector("#dialog[open] .close")
    until(page, f"document.activeElement.matches('{first}')")


def test_the_game_stays_the_game_in_a_variation(visitor):
    page = visitor.page
    visitor.paste(BLUNDERED)
    page.click("#judge")
    page.wait_for_selector("#finish .turning button")
    before, turning = page.get_attribute("#graph .curve", "points"), page.locator("#finish .turning button").count()
    page.click("#moves li:nth-child(3) button")
    wait_at(page, "P-3d")
    visitor.move("9g", "9f")
    page.wait_for_selector('#moves .variation [aria-current="true"]')
    assert visitor.ply() == 6 and page.get_attribute("#graph .curve", "points") == before
    assert page.locator("#finish .turning button").count() == turning
    page.click("#promote")
    until(page, "document.querySelectorAll('#moves > li:not(.result)').length === 4")
    page.wait_for_selector("#promote", state="hidden")
    page.click("#delete")
    until(page, "document.querySelectorAll('#moves > li:not(.result)').length === 7")


@pytest.mark.slow
def test_a_turning_point_brings_the_board_and_the_verdict_onto_a_phones_screen(browser, backend):
    visitor = Visitor(browser, backend, PHONE)
    page = visitor.page
    visitor.paste(BLUNDERED)
    page.click("#judge")
    page.click("#finish .turning button")
    page.wait_for_selector("#verdict .step")
    until(
        page,
        "['#board', '#verdict'].every(each => { const box = document.querySelector(each).getBoundingClientRect();"
        " return box.top >= -1 && box.bottom <= innerHeight; })",
    )
    visitor.close()


def test_turning_points_keep_their_place_and_the_small_board_waits_for_the_pointer(browser, backend):
    visitor = Visitor(browser, backend, {"width": 1366, "height": 768})
    page = visitor.page
    visitor.paste(BLUNDERED)
    page.click("#judge")
    point = page.locator("#finish .turning button").first
    point.wait_for()
    before = point.bounding_box()
    point.click()
    page.wait_for_selector("#verdict .step")
    assert point.bounding_box() == before
    step = page.locator("#verdict .step").first.bounding_box()
    page.keyboard.press("Home")
    page.wait_for_selector("#verdict .step", state="detached")
    page.mouse.move(step["x"] + 9, step["y"] + 9)  # it will appear there
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_selector("#verdict .step")
    page.wait_for_timeout(500)
    assert page.locator("#preview").is_hidden()
    page.mouse.move(step["x"] + 10, step["y"] + 10)
    page.wait_for_selector("#preview:not([hidden]) svg")
    visitor.close()


def test_a_problem_brings_the_board_onto_a_phones_screen_and_the_keyboard_to_it(browser, tmp_path):
    server, address = serve(fake_hub(tmp_path / "games"))
    visitor = Visitor(browser, address, PHONE)
    page = visitor.page
    visitor.paste(ENTERED)
    page.click("#judge")
    page.locator("#better").scroll_into_view_if_needed()
    page.evaluate("scrollBy(0, 400)")
    page.click("#better")
    page.wait_for_selector("#lesson-task")
    until(page, "document.querySelector('#board').getBoundingClientRect().top > -1")  # but for a part of a pixel
    until(page, "document.activeElement.matches('#board rect.square')")
    visitor.close()
    server.should_exit = True


def test_the_move_on_the_board_stays_in_sight_while_the_panels_above_it_grow(browser, backend):
    visitor = Visitor(browser, backend, {"width": 1366, "height": 768})
    page = visitor.page
    visitor.paste(f"{BLUNDERED} " + " ".join(["9g9f 9c9d 1g1f 1c1d"] + ["4i5h 4a5b 5h4i 5b4a"] * 5))
    page.keyboard.press("End")
    page.click("#judge")
    page.wait_for_selector("#finish .turning button")
    top, bottom, above, below = page.evaluate(
        "['#moves [aria-current]', '#moves'].flatMap(each => {"
        "const box = document.querySelector(each).getBoundingClientRect(); return [box.top, box.bottom]; })"
    )
    assert above <= top < bottom <= below + 1
    visitor.close()


@pytest.mark.server("values in comments")
def test_a_record_shows_its_result_and_what_it_says_of_the_moves(visitor):
    record = records.GameRecord.from_moves("shogi", ENTERED.split()[2:], ending="resignation")
    kif = records.dumps(record, "kif").decode("cp932").split("\n")
    place = next(number for number, row in enumerate(kif) if row.lstrip().startswith("3 "))
    kif[place:place] = ["*#評価値=0"]
    kif[place + 2 : place + 2] = ["*悪い手", "*#評価値=-900"]
    visitor.paste("\n".join(kif))
    page = visitor.page
    page.wait_for_selector("#moves .result")
    assert "Resignation" in page.inner_text("#moves .result") or "resign" in page.inner_text("#moves .result")
    page.wait_for_selector("#moves .blunder")
    assert page.locator("#graph").is_visible() and page.inner_text("#moves .said") == "悪い手"
    page.keyboard.press("End")
    visitor.status("White wins|Black wins")


def test_a_mate_is_shown_and_added_only_when_asked(visitor):
    page = visitor.page
    visitor.paste("4k4/9/4P4/9/9/9/9/9/4K4 b G 1")
    page.click("#mate")
    page.wait_for_selector("#found .step")
    assert visitor.ply() == 0
    page.click("#found .add")
    visitor.wait_ply(1)


def test_arrows_and_circles_of_ones_own(visitor):
    page = visitor.page
    page.mouse.move(*centre(page, "7g"))
    page.mouse.down(button="right")
    page.mouse.move(*centre(page, "7c"), steps=3)
    page.mouse.up(button="right")
    page.click('rect[data-square="5e"]', button="right")
    assert page.locator(".own-marks path").count() == 2
    page.keyboard.press("f")
    until(page, "document.querySelector('#near').innerText.startsWith('White')")
    assert page.locator(".own-marks path").count() == 2
    page.click('rect[data-square="5e"]')
    assert page.locator(".own-marks").count() == 0


def test_a_handicap_names_the_sides(browser, backend):
    visitor = Visitor(browser, backend, language="ja")
    visitor.new_game("both", handicap="2-piece")
    until(visitor.page, "document.querySelector('#near').innerText.includes('下手')")
    assert "上手" in visitor.page.inner_text("#far") and "二枚落ち" in visitor.page.inner_text("#far")
    visitor.close()


def test_pieces_and_boards_to_choose(visitor):
    page = visitor.page
    before = page.inner_html('#board .piece[data-square="5a"]')
    page.click("#look")
    page.check(".option.two input")
    page.check(".option.board.dark input")
    until(page, "document.documentElement.dataset.board === 'dark'")
    assert visitor.axe() == []
    page.keyboard.press("Escape")
    until(page, f"document.querySelector('#board .piece[data-square=\"5a\"]').innerHTML !== {before!r}")
    page.reload()
    page.wait_for_selector("#board svg .piece")
    assert page.inner_html('#board .piece[data-square="5a"]') != before


def test_othello_shows_values_on_all_moves(visitor):
    page = visitor.page
    visitor.choose_game("othello")
    page.select_option("#multipv", "60")
    page.click("#analyse")
    page.wait_for_selector("#board .arrows")
    assert page.locator("#board .arrows text").count() == 4
    visitor.tap("f5")
    visitor.wait_ply(1)


@pytest.mark.parametrize("size", [(390, 844), (1280, 820)])
def test_a_notice_covers_no_control_that_one_may_want(visitor, size):
    page = visitor.page
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    visitor.move("7g", "7f")
    visitor.wait_ply(1)
    page.click('#games [data-game="othello"]')
    page.wait_for_selector("#toast button")
    assert page.evaluate(COVERED) == []
    page.click("#toast")
    assert page.locator("#toast").is_hidden()


def test_a_browser_that_stores_nothing_has_a_board(browser, backend):
    visitor = Visitor(browser, backend)
    visitor.context.add_init_script("""for (const name of ["localStorage", "sessionStorage", "indexedDB"])
      Object.defineProperty(window, name, {get() { throw new DOMException("denied", "SecurityError"); }})""")
    visitor.page.reload()
    visitor.page.wait_for_selector("#board svg .piece")
    visitor.move("7g", "7f")
    visitor.wait_ply(1)
    visitor.close()


@pytest.mark.server("what the server sends; see test_web_site.py")
def test_the_first_position_takes_no_more_requests_and_bytes_than_needed(browser, backend):
    """The page, its style, its picture and 16 scripts, with no more bytes than before there was as much to do."""
    visitor = Visitor(browser, backend)
    sizes = dict(visitor.page.evaluate(
        "performance.getEntries().filter(each => 'decodedBodySize' in each)"
        ".map(each => [new URL(each.name).pathname, each.decodedBodySize])"
    ))  # fmt: skip
    later = "pieces.js", "glossary.js", "meanings.js"  # a second later, which a slow machine sees here
    first = {name: size for name, size in sizes.items() if not name.endswith(later)}
    assert all(first.values()) and {"/", "/static/app.js", "/static/style.css"} <= first.keys()
    assert len([name for name in first if name.endswith(".js")]) <= 16, first
    assert sum(first.values()) <= FIRST_BYTES, first
    visitor.close()


def rows(page):
    """Return the scores of the list of lines, and the depth above it."""
    scores = [abs(int(float(text))) for text in page.locator("#lines .score").all_inner_texts()]
    return scores, int(page.inner_text("#depth").split()[1].rstrip(","))


def follows(page):
    """Wait until the list of lines is as deep as what is said above it, and deeper than now."""
    depth = rows(page)[1]
    until(page, f"parseInt(document.querySelector('#depth').innerText.split(' ')[1]) > {depth}")
    scores, depth = rows(page)
    assert scores[0] <= depth <= scores[0] + 1  # read one after the other


@pytest.fixture
def deepening(monkeypatch):
    """Let live analysis go deeper every half second: the score of each line is its depth."""

    def think(self, lines, on_info):
        depth = 20
        while not self._stopped.wait(0.5):
            depth += 1
            for line in lines:
                on_info(replace(line, depth=depth, score=Score.parse(f"cp {100 * depth}")))

    monkeypatch.setattr(FakeEngine, "_think", think)


@pytest.mark.server("its engine is a fake")
def test_the_list_of_lines_goes_on_below_a_pointer_that_rests(visitor, deepening):
    """It is held back only while one of its moves has its small board open, and looks so."""
    page = visitor.page
    page.set_viewport_size({"width": 1280, "height": 800})
    page.select_option("#multipv", "3")
    page.click("#analyse")
    page.wait_for_selector("#lines li:nth-child(3)")
    page.click("#lines li:nth-child(2) .step")  # and the pointer stays where it clicked, and the focus
    visitor.wait_ply(1)
    page.wait_for_selector("#lines li:nth-child(3)")
    until(page, "document.querySelector('#lines').matches(':hover')")
    follows(page)
    page.mouse.move(0, 0)
    page.hover("#lines li:nth-child(2) .step")
    page.wait_for_selector("#preview:not([hidden]) svg")
    scores, depth = rows(page)
    until(page, f"parseInt(document.querySelector('#depth').innerText.split(' ')[1]) > {depth + 1}")
    assert rows(page)[0] == scores and page.locator("#lines.held").count() == 1
    page.mouse.move(0, 0)
    page.wait_for_selector("#lines:not(.held)")
    follows(page)
    page.keyboard.press("Tab")  # the keyboard is used from here on, so the focus stays when the list is drawn anew
    page.focus("#lines li:nth-child(3) .add")
    page.keyboard.press("Shift+Tab")  # a move that has the focus by the keyboard shows its board
    page.wait_for_selector("#lines.held")
    page.keyboard.press("Tab")
    page.wait_for_selector("#lines:not(.held)")
    follows(page)
    assert page.evaluate("document.activeElement.className") == "add"  # the keyboard keeps its place
    page.keyboard.press("Shift+Tab")
    page.wait_for_selector("#lines.held")
    page.keyboard.press("Home")
    visitor.wait_ply(0)
    page.wait_for_selector("#lines:not(.held)")  # the lines of another position replace them at once
    follows(page)
    assert page.locator("#preview").is_hidden()
