"""tools/mutants.py: what its data name is there. Whether the faults are seen, the tool tells by night."""

import pytest

from tests.support.processes import ROOT
from tools import mutants

FAULTS = mutants.read()


def test_faults_have_names_of_their_own_and_tests_and_fit_the_source():
    assert len({each.name for each in FAULTS}) == len(FAULTS) > 40
    for each in FAULTS:
        each.put_into((ROOT / each.file).read_text(encoding="utf-8"))
        assert each.tests
        for test in each.tests:
            file, _, function = test.partition("::")
            assert (ROOT / file).is_file() and f"def {function}" in (ROOT / file).read_text(encoding="utf-8"), each.name


def test_a_fault_is_put_where_its_text_is_once():
    fault = mutants.Fault("of order", "a.py", "a < b", "a > b", ("test_a.py",))
    assert fault.put_into("if a < b:\n") == "if a > b:\n"
    for source in ("", "a < b, a < b"):
        with pytest.raises(ValueError, match="of order: its text is [02] times in a.py, not once"):
            fault.put_into(source)


def test_faults_that_do_not_fit_are_told(tmp_path, capsys):
    (tmp_path / "faults.toml").write_text(
        '[[fault]]\nname = "x"\nfile = "usi/loop.py"\nold = "no such"\nnew = ""\ntests = "t"\n'
    )
    assert mutants.main(["--faults", str(tmp_path / "faults.toml")]) == 2
    assert "x: its text is 0 times in usi/loop.py" in capsys.readouterr().err
    assert mutants.main(["no such name"]) == 2
