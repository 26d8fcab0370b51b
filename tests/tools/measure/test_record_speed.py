"""The comparison of readers of records runs, and names what it measured."""

from tools.measure import record_speed


def test_every_reader_is_timed(capsys):
    assert record_speed.main(["--games", "3", "--rounds", "1"]) == 0
    names = [line[:22].strip() for line in capsys.readouterr().out.splitlines()]
    assert names[:3] == ["files, arrays", "one file, arrays", "files, trees"]
