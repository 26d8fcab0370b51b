"""The pages for those who come from another package: what their programs find, and both columns of their tables."""

import ast
import inspect
import re
import sys

import numpy as np
import pytest

import shogi_engine.games.shogi.board as ours
from shogi_engine import records
from shogi_engine.batch import open_records
from shogi_engine.games.shogi.board import python_shogi
from tests.support import typed_engines
from tests.support.processes import ROOT

PAGES = {"from-cshogi.md": "cshogi", "from-python-shogi.md": "shogi"}
USI = repr(f"{sys.executable} -m usi")
PLAYED = ("7g7f", "3c3d", "8h2b+", "3a2b", "B*4e", "B*8e")


def text_of(page):
    return (ROOT / "docs" / page).read_text(encoding="utf-8")


def test_a_program_of_python_chess_runs_on_other_engines_by_two_names(capsys):
    program = re.search(r"^```python\n(.*?)^```", text_of("from-python-chess.md"), re.DOTALL | re.MULTILINE)[1]
    changes = {
        "import Engine,": "import",
        "with Engine(": "from shogi_engine.clients.usi import SimpleEngine\n\nwith Engine(",
        'Engine("shogi")': f"SimpleEngine.popen_usi({USI})",
    }
    for name, other in changes.items():
        assert program.count(name) == 1
        program = program.replace(name, other)
    names = {}
    exec(compile(program, "from-python-chess.md", "exec"), names)
    assert names["board"].ply() == 6 and names["analysis"].info["depth"] >= 8
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:4]] == ["1", "2", "3"]


def test_the_program_of_python_chess_is_the_one_that_mypy_checks():
    program = re.search(r"^```python\n(.*?)^```", text_of("from-python-chess.md"), re.DOTALL | re.MULTILINE)[1]
    block = ast.parse(program).body[-1].body
    function = ast.parse(inspect.getsource(typed_engines.ported)).body[0].body[1:]
    assert [ast.unparse(each) for each in block] == [ast.unparse(each) for each in function]


def test_what_stands_for_python_chess_s_boards():
    rows = re.findall(r"^\| .+ \| `([^`]+)` \|$", text_of("from-python-chess.md").split("## Boards")[1], re.MULTILINE)
    assert len(rows) > 25
    for code in rows:
        board = ours.Board()
        for usi in PLAYED:
            board.push_usi(usi)
        found = eval(code, {"shogi": ours, "board": board, "move": board.parse_usi("2g2f")})
        assert found is not None or "outcome" in code, code


def test_from_records_to_planes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    record = records.GameRecord.from_moves("shogi", PLAYED, ending="resignation")  # white has won: it moved last
    records.save([record, record], "games.csa")
    section = text_of("batches.md").split("### From records to planes to torch")[1]
    code = re.search(r"^```python\n(.*?)^```", section, re.DOTALL | re.MULTILINE)[1]
    names = {}
    exec(code, names)
    planes, ply = names["planes"], names["ply"]
    assert planes[0].shape == (12, 62, 9, 9) and planes[0].dtype == np.float32
    assert (names["value"] == ply % 2).all()
    labels = dict(zip(ply.tolist(), names["policy"].tolist(), strict=True))
    first = names["batch"].relabel(
        names["batch"].pack([record.start]), [int(ours.Move.from_usi("7g7f"))], "ids", "dlshogi"
    )
    assert labels[0] == first[0] and len(set(labels.values())) > 3


@pytest.mark.parametrize("page", PAGES)
def test_both_columns_of_the_table(page, tmp_path):
    package = pytest.importorskip(PAGES[page])
    rows = re.findall(r"^\| `(.+)` \| `(.+)` \|$", text_of(page), re.MULTILINE)
    assert len(rows) > 10
    csa, hcpe, hcp = str(tmp_path / "a.csa"), str(tmp_path / "a.hcpe"), np.zeros(32, np.uint8)
    boards = [package.Board(), ours.Board()]
    for board in boards:
        for usi in PLAYED:
            board.push_usi(usi)
    records.save(boards[1].record("resignation"), csa)
    open(hcpe, "wb").close()
    names = {"csa": csa, "hcpe": hcpe, "hcp": hcp, "np": np, "records": records, "open_records": open_records}
    theirs = names | {PAGES[page]: package, "board": boards[0]}
    own = names | {"shogi": ours, "Board": ours.Board, "board": boards[1]}
    if package.__name__ == "cshogi":
        import cshogi.CSA  # noqa: F401  # the attribute of the package
    else:
        import shogi.CSA  # noqa: F401
    compared = 0
    for left, right in rows:
        found, expected = eval(right, own), eval(left, theirs)
        if "hash" not in left and isinstance(expected, (bool, str)) and isinstance(found, (bool, str)):
            assert found == expected, left
            compared += 1
    assert compared >= 3


def test_masks_are_python_shogi_s():
    theirs = pytest.importorskip("shogi")
    compared = 0
    for name in python_shogi.__all__:
        expected, found = getattr(theirs, name), getattr(ours, name)
        if callable(expected):
            for mask in (*theirs.BB_SQUARES, theirs.BB_ALL, 0x155AA55AA55AA55AA55AA):
                kept = theirs.BB_ALL if name.startswith("shift") else -1  # theirs moves 1i to a square 81
                assert found(mask) == expected(mask) & kept, name
            if name == "bit_scan":
                assert [found(0b10110, n) for n in range(6)] == [expected(0b10110, n) for n in range(6)]
        elif isinstance(expected, list):
            assert [list(row) if isinstance(row, tuple) else row for row in found] == expected, name
        else:
            assert found == expected, name
        compared += 1
    assert compared > 110
