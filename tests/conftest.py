"""What all tests share: the mark of those that measure time, and the language."""

from collections.abc import Iterator

import pytest

from shogi_engine import language


@pytest.fixture(autouse=True)
def the_language_lasts_for_a_test() -> Iterator[None]:
    """Undo a `--language` of the test."""
    yield
    language.use("en")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run a test marked `clock_sensitive` again, up to five times: a fault fails it every time."""
    for item in items:
        if item.get_closest_marker("clock_sensitive"):
            item.add_marker(pytest.mark.flaky(reruns=5, reruns_delay=1))
