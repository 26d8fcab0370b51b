"""The vector environment's figures: one for each kind of observation and number of games."""

import pytest

pytest.importorskip("gymnasium")

from tools.measure import vector_speed


def test_every_kind_is_measured(capsys):
    assert vector_speed.main(["--games", "2", "--rounds", "1", "--seconds", "0"]) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    assert len(lines) == 2 * len(vector_speed.KINDS)
    assert all(float(line.split()[-1].replace(",", "")) > 0 for line in lines)
