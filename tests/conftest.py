"""What all tests share: settings of hypothesis, the language, a folder of data that is not the user's, Chromium."""

from collections.abc import Iterator

import hypothesis
import pytest

from shogi_engine import jit, language
from tests.support import compiled, interpreted, sizes

if not jit.HAS_WORKSHOP and not jit.JIT_DISABLED:
    interpreted.install()

_KERNELS = pytest.StashKey[str]()

# The first example compiles or loads what it calls, and a busy machine generates slowly.
patient = hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile("day", patient, max_examples=25)
hypothesis.settings.register_profile("night", patient, max_examples=200)


def pytest_configure(config: pytest.Config) -> None:
    """Choose the sizes of the day or, with -m "", those of the night."""
    sizes.NIGHT = config.getoption("markexpr") == ""
    hypothesis.settings.load_profile("night" if sizes.NIGHT else "day")
    config.stash[_KERNELS] = compiled.prepare(config)


def pytest_report_header(config: pytest.Config) -> str:
    """Say which kernels run."""
    return config.stash[_KERNELS]


@pytest.fixture(autouse=True, scope="session")
def the_users_data_are_left_alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep games and problems in a new folder, here and in commands that tests start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(autouse=True)
def the_language_lasts_for_a_test() -> Iterator[None]:
    """Undo a `--language` of the test."""
    yield
    language.use("en")


@pytest.fixture(scope="module")
def browser():
    """Start Chromium; tests are skipped without playwright."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    from tests.web.visitor import CHROMIUM

    if CHROMIUM is None:
        pytest.skip("there is no Chromium here")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()
