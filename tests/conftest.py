"""What all tests share: the language."""

from collections.abc import Iterator

import pytest

from shogi_engine import language


@pytest.fixture(autouse=True)
def the_language_lasts_for_a_test() -> Iterator[None]:
    """Undo a `--language` of the test."""
    yield
    language.use("en")
