"""The engine in a page of Chromium: equal to the one here, and stopped at once with and without shared memory."""

import functools
import shutil
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from shogi_engine.suites import POSITIONS, bench
from tests.embedded.test_wasm import FOLDER, PERFT, ROOT, placed

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(not (FOLDER / "shogi.wasm").is_file(), reason=f"no modules in {FOLDER}")
SHARED = {"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}
START = """async game => {
  const {Engine} = await import("./engine.js");
  window.heard = [];
  window.engine = new Engine(new URL(`engine.js?game=${game}`, location.href), line => heard.push(line));
  window.until = async word => {
    for (const begun = Date.now(); !heard.some(line => line.startsWith(word));) {
      if (Date.now() - begun > 300_000) throw Error(heard.join("\\n"));
      await new Promise(done => setTimeout(done, 5));
    }
    return heard.splice(0);
  };
}"""
ASK = "async ([word, lines]) => { lines.forEach(line => engine.send(line)); return await until(word); }"


class Pages(SimpleHTTPRequestHandler):
    """Static files, in one folder at `/shared/` with the headers that shared memory needs."""

    def translate_path(self, path):
        return super().translate_path(path.replace("/shared/", "/").replace("/plain/", "/"))

    def end_headers(self):
        for name, value in SHARED.items() if self.path.startswith("/shared/") else ():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    site = tmp_path_factory.mktemp("site")
    scripts = [ROOT / "shogi_engine/web/static" / f"{name}.js" for name in ("engine", "kernels", "usi")]
    for file in (*FOLDER.iterdir(), *scripts):
        shutil.copy(file, site)
    Path(site, "index.html").write_text("<!doctype html><title>engine</title>")
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Pages, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def page(browser, address, request):
    folder, game = request.param
    page = browser.new_page()
    page.goto(f"{address}/{folder}/index.html")
    assert page.evaluate("crossOriginIsolated") == (folder == "shared")
    page.evaluate(START, game)
    yield page
    page.close()


def ask(page, word, *lines):
    """Send lines; return what is heard up to a line that begins with `word`."""
    return page.evaluate(ASK, [word, list(lines)])


@pytest.mark.parametrize("page", [("plain", "shogi"), ("plain", "othello")], indirect=True, ids=["shogi", "othello"])
def test_bench_and_perft_in_a_page(page, request):
    name = request.node.callspec.id
    depth, positions = POSITIONS[name]
    nodes = 0
    for text, moves in positions:
        lines = ask(page, "bestmove", "usinewgame", f"position {placed(text, moves.split())}", f"go depth {depth}")
        nodes += int([line for line in lines if line.startswith("info depth")][-1].split(" nodes ")[1].split()[0])
    assert nodes == bench(name).nodes
    depth, leaves = max(PERFT[name].items())
    assert ask(page, "perft", "position startpos", f"go perft {depth}") == [f"perft {depth}: {leaves} nodes"]


@pytest.mark.parametrize("page", [("plain", "shogi"), ("shared", "shogi")], indirect=True, ids=["plain", "shared"])
def test_stop_in_a_page(page):
    for _ in range(2):  # the second time by another Worker, which knows the options
        ask(page, "readyok", "setoption name MultiPV value 2", "isready")
        ask(page, "info depth 10", "position startpos", "go infinite")
        lines = ask(page, "bestmove", "stop")
        deepest = [int(line.split()[2]) for line in lines if line.startswith("info depth")]
        assert max(deepest, default=0) < 40 and len(lines[-1].split()[1]) >= 4
    lines = ask(page, "bestmove", "position startpos moves 7g7f", "go depth 3")
    assert any(" multipv 2 " in line for line in lines)
    ask(page, "info depth 5", "go infinite")
    ask(page, "bestmove", "stop")
    assert ask(page, "bestmove", "go depth 1")[-1].split()[1][1] in "abc"  # white's, though another Worker may have it
    ask(page, "info depth 3", "go ponder movetime 300")
    assert ask(page, "bestmove", "ponderhit")


@pytest.mark.parametrize("page", [("plain", "shogi"), ("shared", "shogi")], indirect=True, ids=["plain", "shared"])
def test_a_worker_that_fails(page):
    """Every search is answered, and the next line begins another Worker, which knows options and position."""
    ask(page, "readyok", "setoption name MultiPV value 2", "position startpos", "isready")
    page.evaluate(
        "engine.send('go movetime 90000'), engine.send('position startpos moves 7g7f'), engine.send('go mate')"
    )
    ask(page, "info depth 5")
    page.evaluate("best = engine.best.split(' ')[0]; engine.worker.onerror({message: 'out of memory'})")
    *_, fault, best, mate = ask(page, "checkmate")
    assert fault == "info string out of memory" and mate == "checkmate timeout"
    assert best.split()[:2] == ["bestmove", page.evaluate("best")]
    lines = ask(page, "bestmove", "go depth 3")
    assert any(" multipv 2 " in line for line in lines) and lines[-1].split()[1][1] in "abcd"  # white's


@pytest.mark.parametrize("page", [("plain", "shogi")], indirect=True)
def test_a_worker_that_cannot_be_loaded(page, address):
    page.route("**/engine.js?*", lambda route: route.abort())
    page.evaluate("""() => { window.engine = new engine.constructor(engine.address, line => heard.push(line)); }""")
    for _ in range(2):
        assert ask(page, "bestmove", "go depth 2", "go depth 1")[-2:] == ["bestmove resign"] * 2
    page.unroute("**/engine.js?*")
    assert ask(page, "bestmove", "go depth 2")[-1] != "bestmove resign"
