"""The page without a server: its size, offline, links that hold a game, what it keeps, records that it writes."""

import gzip
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
from shogi_engine import games, lessons, records, tsume  # noqa: E402
from tests.web.visitor import PHONE, Visitor, until  # noqa: E402

pytestmark = pytest.mark.slow
FIRST_BYTES = 1_100_000  # compressed, for all of Shogi
GAME = "7g7f 3c3d 8h2b+ 3a2b B*5e 2b3c"
TREE = """手合割：平手
先手：あ
後手：い
手数----指手---------消費時間--
   1 ７六歩(77)   ( 0:05/00:00:05)
*comment
   2 ３四歩(33)
   3 ２二角成(88)
   4 同　銀(31)
   5 ５五角打
   6 投了

変化：3手
   3 ２六歩(27)
   4 ８四歩(83)

変化：2手
   2 ８四歩(83)
"""
READ = (
    "PI82HI22KA\n-\n-7162GI\n",
    "N+a\n$EVENT:cup, 1\n$SITE:here\nP+59OU00KI\nP-51OU\n+\n+5958OU\n",
    "PI\n+\n+7776FU\n%+ILLEGAL_ACTION\n",
    "1 ７六歩(77)\n2 ８四歩(83)\n",
    "棋戦：杯\n表題：題\n手合割：平手\n先手：🎉\n手数----\n   1 ７六歩(77)\n",
    "4k4/9/9/9/9/9/9/9/4K4 b -\n",
)
DIAGRAM = "4k4/9/4P4/9/9/9/9/9/4K4 b G2r12p 1"


# What each first move of each lesson is worth, and the moves of its line.
JUDGED = """async folder => {
  const page = await (await fetch(folder)).text();
  const module = name => import(new URL(page.match(new RegExp(`static/${name}\\\\.[0-9a-f]+\\\\.js`))[0], folder));
  const [{tried}, {Kernels, load}, {KERNELS, LESSONS}] = [
    await module("course"), await module("kernels"), await module("local_facts")];
  const found = [];
  for (const game of Object.keys(LESSONS)) {
    const rules = new Kernels(await load(game, new URL(KERNELS, `${folder}static/`), false));
    for (const lesson of LESSONS[game]) {
      const at = moves => {
        rules.position([lesson.position, ...(moves.length ? ["moves", ...moves] : [])].join(" "));
        return rules;
      };
      const judge = moves => {
        const {status, reply = ""} = tried(game, lesson, moves, at);
        found.push([game, lesson.name, moves.join(" "), status, reply]);
      };
      for (const move of at([]).moves()) judge([move]);
      for (let made = 1; made <= lesson.line.length; made += 2) judge(lesson.line.slice(0, made));
    }
  }
  return found;
}"""


# Puts off the time that the page measures.
LATER = "ms => { const now = performance.now.bind(performance); performance.now = () => now() + ms; }"
ENTER_7F = """document.querySelector('rect.square[data-square="7f"]').dispatchEvent(
  new KeyboardEvent("keydown", {key: "Enter", bubbles: true}))"""


@pytest.fixture
def visitor(browser, site):
    made = Visitor(browser, site)
    yield made
    made.close()


def saved(visitor, format):
    page = visitor.page
    with page.expect_download() as download:
        page.click("#save")
        page.click(f'[data-format="{format}"]')
    return Path(download.value.path()).read_bytes()


def read(data, format):
    (record,) = records.loads(data, format=format)
    return record


def tree(record):
    """Return the moves, comments and times of a record, as nested tuples."""

    def of(node):
        return node.move, node.comment, node.seconds, tuple(map(of, node.children))

    return of(record.root)


def test_what_is_loaded_before_the_first_answer_is_small(site_folder):
    sizes = {
        file.relative_to(site_folder): len(gzip.compress(file.read_bytes()))
        for file in site_folder.rglob("*")
        if file.is_file() and "othello" not in file.name and file.name != "LICENSE.txt"
    }
    assert 100_000 < sum(sizes.values()) <= FIRST_BYTES, sizes
    assert all(f'"{name}"' not in (site_folder / "index.html").read_text() for name in ("/static/app.js", "app.js"))


def test_a_link_that_is_damaged_says_so(visitor):
    visitor.page.evaluate("location.hash = '%E3%81'")
    until(visitor.page, "document.querySelector('#toast').textContent.includes('no game record')")


def test_after_one_visit_it_works_offline_and_can_share_memory(browser, site):
    visitor = Visitor(browser, site, PHONE, "ja")
    page = visitor.page
    until(page, "navigator.serviceWorker.controller !== null")
    visitor.context.set_offline(True)
    page.reload()
    page.wait_for_selector("#board svg .piece")
    assert page.evaluate("crossOriginIsolated")
    visitor.new_game("0", 10)
    visitor.move("7g", "7f")
    visitor.wait_ply(2)
    visitor.choose_game("othello")
    visitor.new_game("0")
    visitor.tap("f5")
    visitor.wait_ply(2)
    visitor.close()


def test_a_link_holds_a_game(browser, site):
    for text, ply in (("startpos_moves_7g7f_3c3d", 2), ("f5d6c3", 3), (DIAGRAM.replace(" ", "_"), 0)):
        visitor = Visitor(browser, site, place=f"#{text}")
        visitor.wait_ply(ply)
        page = visitor.page
        until(page, "location.hash === '#board'")
        page.click("#share")
        address = page.locator(".links input").input_value()
        assert address.removeprefix(site) == f"#{text}"
        page.goto("about:blank")
        page.goto(address)
        visitor.wait_ply(ply)
        visitor.close()


def test_games_are_kept_in_the_browser(visitor):
    page = visitor.page
    visitor.new_game("both", clock="10m+30")
    visitor.move("7g", "7f")
    visitor.wait_ply(1)
    page.reload()
    page.wait_for_selector("#board svg .piece")
    visitor.wait_ply(1)
    assert page.locator(".clock.running").count() == 1
    visitor.paste(f"startpos moves {GAME}")
    page.click("#kept")
    page.click(".games li:nth-child(2) button[data-continue]")
    page.wait_for_selector("#resign:not([hidden])")
    assert visitor.ply() == 1


def test_a_game_that_goes_on_in_two_tabs_is_kept_as_two(visitor):
    page = visitor.page
    visitor.move("7g", "7f")
    visitor.wait_ply(1)
    page.wait_for_timeout(500)  # in which it is kept
    other = visitor.context.new_page()
    other.goto(page.url)
    session = page.evaluate("sessionStorage.getItem('session')")
    other.evaluate("name => sessionStorage.setItem('session', name)", session)  # as in a copy of the tab
    other.reload()
    for tab, source, target in ((other, "3c", "3d"), (page, "8c", "8d")):
        tab.bring_to_front()
        tab.wait_for_selector("#moves li:nth-child(2)")
        tab.click(f'rect.square[data-square="{source}"]:not([data-side])')
        tab.click(f'rect.square[data-square="{target}"]:not([data-side])')
        tab.wait_for_selector("#moves li:nth-child(3)")
        tab.wait_for_timeout(500)
    for tab, move in ((page, "8d"), (other, "3d")):
        tab.bring_to_front()
        tab.reload()
        tab.wait_for_selector("#moves li:nth-child(3)")
        assert move in tab.inner_text("#moves li:nth-child(3)")
    other.close()


def test_records_that_it_writes_are_those_that_it_read(visitor):
    page = visitor.page
    visitor.paste(TREE)
    visitor.wait_ply(5)
    before = read(TREE.encode(), "kif")
    after = read(saved(visitor, "kif"), "kif")
    assert (tree(after), after.names, after.outcome()) == (tree(before), before.names, before.outcome())
    csa = read(saved(visitor, "csa"), "csa")
    assert (csa.moves, csa.names, csa.outcome()) == (before.moves, before.names, before.outcome())
    until(page, "document.querySelector('#toast').textContent.includes('variations')")
    assert read(saved(visitor, "usi"), "usi").moves == before.moves
    made = records.GameRecord.from_moves("shogi", ["G*5b"], start=DIAGRAM, ending="mate")
    for format in ("kif", "csa", "usi"):
        text = records.dumps(made, format)
        visitor.paste(text.decode("cp932" if format == "kif" else "utf-8"))
        visitor.wait_ply(1)
        record, found = read(text, format), read(saved(visitor, format), format)
        assert (found.start, found.moves, found.outcome()) == (record.start, record.moves, record.outcome())
    visitor.paste("f5d6c3d3c4")
    visitor.wait_ply(5)
    assert saved(visitor, "transcript").decode() == "f5d6c3d3c4\n"


def test_records_have_the_tree_as_it_is_now(visitor):
    """With moves in the order that they were given, and without those that were taken back or deleted."""
    page = visitor.page
    visitor.paste(TREE)
    visitor.wait_ply(5)
    page.click("#moves .variation button:has-text('8d')")
    page.click("#promote")
    until(page, "document.querySelectorAll('#moves li').length === 3")
    assert read(saved(visitor, "kif"), "kif").moves == ["7g7f", "8c8d"]
    page.click("#delete")
    visitor.wait_ply(5)
    (first,) = read(saved(visitor, "kif"), "kif").root.children
    assert [each.move for each in first.children] == ["3c3d"]
    visitor.new_game("both")
    visitor.move("7g", "7f")
    visitor.wait_ply(1)
    page.click("#undo")
    until(page, "document.querySelectorAll('#moves li').length === 1")
    visitor.move("2g", "2f")
    visitor.wait_ply(1)
    assert read(saved(visitor, "usi"), "usi").moves == ["2g2f"]


def test_a_clock_gives_no_time_back_and_no_move_counts_after_its_end(visitor):
    page = visitor.page
    visitor.new_game("both", clock="10m+30")
    page.evaluate(LATER, 120_000)
    page.reload()
    page.wait_for_selector(".clock.running")
    until(page, "/^[78]:/.test(document.querySelector('#near .clock').textContent)")
    visitor.move("7g", "7f")
    visitor.wait_ply(1)
    assert " 2:" in page.inner_text("#moves li:last-child").replace("\n", " ")
    page.evaluate(LATER, 60_000)
    page.click("#undo")
    until(page, "/^(8:5|9:0)/.test(document.querySelector('#far .clock').textContent)")
    visitor.choose_game("othello")
    page.evaluate(LATER, 500_000)  # the clock of a game that was left stands still
    page.click("#toast button")
    page.wait_for_selector(".clock.running")
    until(page, "/^(8:[45]|9:0)/.test(document.querySelector('#far .clock').textContent)")
    page.evaluate(LATER, 60_000)
    visitor.choose_game("othello")
    page.click("#toast button")
    page.wait_for_selector(".clock.running")
    until(page, "/^[67]:/.test(document.querySelector('#near .clock').textContent)")
    visitor.tap("7g")
    page.evaluate(f"({LATER})(700_000); {ENTER_7F}")
    visitor.status("White wins: time")
    assert visitor.ply() == 0


def test_records_are_read_as_the_server_reads_them(visitor):
    for text in READ:
        visitor.paste(text)
        (known,) = records.loads(text.encode())
        visitor.wait_ply(len(known.moves))
        for format in ("csa", "kif"):
            found = read(saved(visitor, format), format)
            assert (found.start, found.moves, found.names) == (known.start, known.moves, known.names), text
            assert (found.headers, found.outcome()) == (known.headers, known.outcome()), text


def test_what_it_cannot_do_it_says(visitor):
    page = visitor.page
    page.click("#open")
    page.fill("#paste", "no game")
    page.click("#read")
    assert "shogi_engine" in page.inner_text("#dialog .fault")
    page.keyboard.press("Escape")
    page.click("#open")
    page.fill("#paste", "startpos moves 7g7a")
    page.click("#read")
    until(page, "document.querySelector('#dialog .fault')?.textContent.includes('move 1 of 1')")
    page.keyboard.press("Escape")
    for text, said in (("+\n+7776FU\nnonsense\n-3334FU\n", "nonsense"), ("+\n+7776FU\n-3331FU\n", "move 2 of 2")):
        visitor.paste(text)
        visitor.wait_ply(1)
        assert said in page.inner_text("#toast").lower() and visitor.ply() == 1
    for _ in range(2):  # the second time another game is left
        visitor.paste("startpos moves 7g7f 7g7f")
        visitor.wait_ply(1)
        assert "move 2 of 2" in page.inner_text("#toast")
    for text in ("startpos moves 2g2f constructor", "手合割：constructor\n手数----\n   1 ２六歩(27)\n   2 constructor"):
        visitor.paste(text)  # a word that every object of JavaScript knows
        visitor.wait_ply(1)
        assert "2f" in page.inner_text("#moves li:last-child")
    page.click("#edit")
    page.click('[data-key="pick +R"]')
    visitor.tap("5b")
    page.click("#setup-done")  # the king could be captured
    until(page, "document.querySelector('#toast').textContent.includes('not a possible position')")
    assert page.locator("#setup-done").is_visible()


def test_an_engine_that_could_not_be_loaded_is_loaded_when_it_is_asked_again(visitor):
    page = visitor.page
    page.route("**/engine.js*", lambda route: route.abort())
    page.click("#think")
    until(page, "document.querySelector('#toast').textContent.includes('could not be loaded')")
    page.unroute("**/engine.js*")
    page.click("#think")
    visitor.wait_ply(1)


def solve(visitor, problem):
    visitor.page.click("#tsume")
    visitor.page.click(f'[data-problem="{problem}"]')
    visitor.page.wait_for_selector("#tsume-hint")


def test_a_defence_goes_on_after_the_page_is_read_anew_and_is_sought_once(visitor):
    page, problem, held = visitor.page, tsume.problems(3)[0], []
    page.route("**/engine.js*", lambda route: held.append(route))  # which then waits
    solve(visitor, problem.number)
    visitor.play(problem.moves[0])
    visitor.wait_ply(1)
    page.wait_for_timeout(300)  # in which it is kept
    page.unroute("**/engine.js*")
    page.reload()
    visitor.status("Right")
    visitor.wait_ply(2)
    page.reload()
    page.wait_for_selector("#tsume-hint")
    page.route("**/engine.js*", lambda route: held.append(route))
    page.click("#undo")
    for _ in range(2):
        visitor.play(problem.moves[0])
        page.wait_for_timeout(100)
        page.click("#undo")
    visitor.play(problem.moves[0])
    held[-1].continue_()
    visitor.status("Right")
    visitor.wait_ply(2)


def test_a_game_is_not_forgotten_because_its_position_is_solved(visitor):
    page = visitor.page
    visitor.paste("startpos moves 7g7f")
    visitor.wait_ply(1)
    page.click("#tsume")
    page.click("#dialog .row button:nth-child(2)")  # the position on the board
    visitor.status("no mate|There is no")
    page.click("#undo")
    until(page, "document.querySelector('#toast').textContent.includes('no move to take back')")
    for _ in range(2):
        visitor.choose_game("othello")
        page.click("#kept")
        page.wait_for_selector(".games li")
        assert page.locator(".games li").count() == 1
        page.keyboard.press("Escape")
        visitor.choose_game("shogi")
        solve(visitor, tsume.problems(3)[0].number)  # one of the collection is forgotten


def test_a_full_disk_is_told_in_the_language_of_the_page(browser, site):
    visitor = Visitor(browser, site, language="ja")
    visitor.page.evaluate("""() => { IDBObjectStore.prototype.put = function () {
      throw new DOMException("full", "QuotaExceededError"); }; }""")
    visitor.move("7g", "7f")
    visitor.wait_ply(1)
    until(visitor.page, "document.querySelector('#toast').textContent.includes('この対局を')")
    visitor.context.close()


def test_lessons_are_judged_as_the_server_judges_them(visitor, site):
    known = {(each.game, each.name): each for game in games.NAMES for each in lessons.lessons(game)}
    found = visitor.page.evaluate(JUDGED, site)
    assert {tuple(row[:2]) for row in found} == known.keys()
    for game, name, moves, status, reply in found:
        lesson = known[game, name]
        verdict = lessons.Attempt(lesson).tried(moves.split(), None)
        assert (verdict.status, "".join(verdict.line)) == (status, reply), (game, name, moves)


def test_a_beginner_takes_the_first_lessons_on_a_phone(browser, site):
    visitor = Visitor(browser, site, PHONE, "ja", place="")
    page = visitor.page
    page.click("#start-learn")
    page.click("#learn-begin")
    first, second = lessons.lessons("shogi")[:2]
    page.click("#lesson-hint")
    page.wait_for_selector("#board rect.hint")
    for move in first.line[::2]:
        visitor.play(move)
    until(page, "document.querySelector('#lesson-why')?.textContent.length > 5")
    assert visitor.axe() == []
    page.click("#lesson-next")
    until(page, f"document.querySelector('#problem h2').textContent.startsWith('2. {second.heading('ja')}')")
    page.reload()
    until(page, f"document.querySelector('#problem h2')?.textContent.startsWith('2. {second.heading('ja')}')")
    page.click("#lesson-answer")
    page.wait_for_selector("#problem .step")
    page.click("#lesson-list")
    page.wait_for_selector("#dialog [data-lesson].solved")
    assert page.locator("#dialog [data-lesson].solved").count() == 1
    page.keyboard.press("Escape")
    page.click("#lesson-leave")
    page.wait_for_selector("#problem", state="hidden")
    visitor.close()
