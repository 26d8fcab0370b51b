"""Servers, shared by the tests of a file."""

from importlib.util import find_spec

import pytest

# Of the extras web and dev. What the tests import is imported in the fixtures, so that they can be left out.
missing = [name for name in ("httpx", "msgspec", "starlette", "uvicorn", "websockets") if find_spec(name) is None]
collect_ignore_glob = ["test_*.py"] if missing else []


def pytest_report_header():
    """Say what is left out."""
    return f"tests/web is left out, without {', '.join(missing)}" if missing else []


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
