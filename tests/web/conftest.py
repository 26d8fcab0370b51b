"""Servers, and the page without one, shared by the tests of a file.

A test of the page takes `backend`, the address of a server with engines that are fakes and that of the site of
`tools.build_site`, one after the other; with a mark `server("why")` only the former. `engines` is the same with a
server's true engine.
"""

import functools
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec

import pytest

# Of the extras web and dev. What the tests import is imported in the fixtures, so that they can be left out.
missing = [name for name in ("httpx", "msgspec", "starlette", "uvicorn", "websockets") if find_spec(name) is None]
collect_ignore_glob = ["test_*.py"] if missing else []


def pytest_report_header():
    """Say what is left out."""
    return f"tests/web is left out, without {', '.join(missing)}" if missing else []


def pytest_generate_tests(metafunc):
    for name in {"backend", "engines"} & set(metafunc.fixturenames):
        kinds = ["server"] if metafunc.definition.get_closest_marker("server") else ["server", "local"]
        metafunc.parametrize(name, kinds, indirect=True)


@pytest.fixture
def backend(request):
    return request.getfixturevalue("fake_address" if request.param == "server" else "site")


@pytest.fixture
def engines(request):
    return request.getfixturevalue("engine_address" if request.param == "server" else "site")


@pytest.fixture
def visitor(browser, backend):
    from tests.web.visitor import Visitor

    made = Visitor(browser, backend)
    yield made
    made.close()


class StaticFiles(SimpleHTTPRequestHandler):
    """As `python -m http.server`, silent."""

    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def site_folder(tmp_path_factory):
    """The page without a server."""
    from tests.embedded.test_wasm import FOLDER
    from tools.build_site import build

    if not (FOLDER / "shogi.wasm").is_file():
        pytest.skip(f"no modules in {FOLDER}")
    folder = tmp_path_factory.mktemp("host") / "board"  # in a subfolder of its host
    build(folder, FOLDER)
    return folder


@pytest.fixture(scope="session")
def site(site_folder):
    """Its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(StaticFiles, directory=site_folder.parent))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/board/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def fake_address(tmp_path_factory):
    from tests.web.fake_engine import fake_hub
    from tests.web.visitor import serve

    server, address = serve(fake_hub(tmp_path_factory.mktemp("games")))
    yield address
    server.should_exit = True


@pytest.fixture(scope="module")
def engine_address():
    from shogi_engine.web.app import hub_of_engines
    from tests.web.fake_engine import wait_for
    from tests.web.visitor import serve

    hub = hub_of_engines(2)
    server, address = serve(hub)
    wait_for(lambda: hub.pool.ready == {"shogi", "othello"}, 900)
    yield address
    server.should_exit = True


@pytest.fixture
def hub(tmp_path):
    """A server's hub, with engines that are fakes and a folder for games."""
    from tests.web.fake_engine import fake_hub

    made = fake_hub(tmp_path / "games")
    yield made
    made.close()


@pytest.fixture
def open_hub(tmp_path):
    """Return a function that starts a server on the same folder; none of them is ever closed properly."""
    from tests.web.fake_engine import fake_hub

    hubs = []

    def start(**options):
        for hub in hubs:
            hub.store.close()  # what the system does when a server is killed
        hubs.append(fake_hub(tmp_path / "games", **options))
        return hubs[-1]

    yield start
    for hub in hubs:
        hub.pool.close()
