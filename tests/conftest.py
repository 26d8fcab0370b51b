"""What all tests share: the mark of those that measure time."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run a test marked `clock_sensitive` again, up to five times: a fault fails it every time."""
    for item in items:
        if item.get_closest_marker("clock_sensitive"):
            item.add_marker(pytest.mark.flaky(reruns=5, reruns_delay=1))
