"""What tests the workshop itself is left out where numba is not installed."""

from shogi_engine.jit import HAS_WORKSHOP

OF_THE_WORKSHOP = [
    f"test_jit_{name}.py"
    for name in ("cache", "entries", "folders", "layers", "lean", "progress", "targets", "vectors")
]
collect_ignore = [] if HAS_WORKSHOP else OF_THE_WORKSHOP


def pytest_report_header():
    """Say what is left out."""
    return [] if HAS_WORKSHOP else f"without numba, of tests/jit: {', '.join(collect_ignore)}"
