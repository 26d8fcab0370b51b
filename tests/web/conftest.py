"""Servers, shared by the tests of a file."""

import pytest

from tests.web.fake_engine import fake_hub, wait_for


@pytest.fixture(scope="module")
def fake_address(tmp_path_factory):
    from tests.web.visitor import serve

    server, address = serve(fake_hub(tmp_path_factory.mktemp("games")))
    yield address
    server.should_exit = True


@pytest.fixture(scope="module")
def engine_address():
    from shogi_engine.web.app import hub_of_engines
    from tests.web.visitor import serve

    hub = hub_of_engines(2)
    server, address = serve(hub)
    wait_for(lambda: hub.pool.ready == {"shogi", "othello"}, 900)
    yield address
    server.should_exit = True
