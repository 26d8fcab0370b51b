"""What tests of the conversation share."""

import pytest

from tests.support.usi_driver import FAKE, Process


@pytest.fixture
def engine():
    """An engine that only pretends to think, ready, which shows every line at once."""
    with Process(FAKE) as process:
        yield process.ready("setoption name PvInterval value 0")
