"""tools/measure/othello_error.py: endings read with their scores, and the mean errors that are printed."""

import numpy as np
import pytest

from tools.measure import othello_error

LINE = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X; A2:+38;\n"


def test_endings_are_read(tmp_path):
    file = tmp_path / "e.obf"
    file.write_text(LINE + "\n" + LINE.replace("A2:+38", "-6"), encoding="utf-8")
    samples = othello_error.read_endings(file)
    assert samples["value"].tolist() == [3800, -600]
    assert np.bitwise_count(samples["own"]).tolist() == [LINE[:64].count("X")] * 2
    assert np.bitwise_count(samples["opponent"]).tolist() == [LINE[:64].count("O")] * 2
    file.write_text(LINE + LINE[:66], encoding="utf-8")
    with pytest.raises(ValueError, match="line 2: no score"):
        othello_error.read_endings(file)


def test_the_endings_of_the_tools_are_solved_ones():
    samples = othello_error.read_endings(othello_error.ENDINGS)
    empties = othello_error.empties_of(samples)
    assert len(samples) >= 100 and set(empties.tolist()) == {20, 21, 22, 23, 24}
    assert (samples["value"] % 200 == 0).all() and (np.abs(samples["value"]) <= 6400).all()


def test_the_mean_is_of_all_positions(tmp_path, monkeypatch, capsys):
    file = tmp_path / "e.obf"
    file.write_text(LINE * 3, encoding="utf-8")
    monkeypatch.setattr(othello_error, "player_of", lambda knots: None)
    found = np.array([[3800], [3500], [3200]])
    monkeypatch.setattr(othello_error, "search_values", lambda player, samples, first, last: found)
    assert othello_error.main(["--endings", str(file), "--depth", "4"]) == 0
    assert ": 3.000 +- 2.772 discs, 3 positions, depth 4; 20: 3.00\n" in capsys.readouterr().out
