"""Training data as files of other programs and back, compared with cshogi move by move."""

import numpy as np
import pytest

from shogi_engine import games as known, records
from shogi_engine.batch import (
    Batch,
    Labelled,
    RecordWriter,
    from_records,
    games as streams,
    labelled_positions,
    open_records,
    random_games,
    to_records,
    training_games,
)
from shogi_engine.interface.game import VALUE_NONE
from tests.support.processes import ROOT

PLIES = 60


@pytest.fixture(scope="module")
def batch():
    return Batch("shogi")


@pytest.fixture(scope="module")
def made(batch):
    """Return random games with values; the first four moves have none, like an opening."""
    games = random_games(batch, 6, seed=4, longest=PLIES)
    values = np.random.default_rng(1).integers(-3000, 3000, games.values.shape).astype(np.int16)
    values[:, :4] = VALUE_NONE
    return games._replace(values=values, results=np.array([1, -1, 0, 1, -1, 0], np.int8))


@pytest.fixture
def folder(tmp_path, batch, made):
    """Return a folder with two files of three games, as training writes them."""
    for number in range(2):
        rows = slice(3 * number, 3 * number + 3)
        lengths = made.lengths[rows]
        filled = np.arange(made.moves.shape[1]) < lengths[:, None]
        (tmp_path / "data").mkdir(exist_ok=True)
        np.savez_compressed(
            tmp_path / "data" / f"piece-1-{number:05}.npz",
            moves=made.moves[rows][filled].astype(np.uint32) | ~batch.code_mask,  # searches know more of a move
            values=made.values[rows][filled],
            lengths=lengths,
            results=made.results[rows],
            options=np.array("{}"),
        )
    return tmp_path


def test_the_games_of_a_folder(batch, folder, made):
    found = list(training_games(batch, folder))
    assert [len(games.lengths) for games in found] == [3, 3]
    for number, games in enumerate(found):
        for row, length in enumerate(games.lengths):
            game = 3 * number + row
            assert length == made.lengths[game] and games.results[row] == made.results[game]
            assert (games.moves[row, :length] == made.moves[game, :length]).all()
            assert (games.values[row, :length] == made.values[game, :length]).all()
    assert len(list(training_games(batch, folder / "data" / "piece-1-00001.npz"))) == 1


def test_refusals(batch, tmp_path):
    with pytest.raises(ValueError, match="no files of games"):
        next(training_games(batch, tmp_path))
    (tmp_path / "piece-1-00000.npz").write_bytes(b"nothing")
    with pytest.raises(ValueError, match=r"piece-1-00000\.npz cannot be read"):
        next(training_games(batch, tmp_path))
    with pytest.raises(ValueError, match="of the kind hcpe or psv have labels, not 'hcp'"):
        from_records(batch, np.zeros(1, streams.HCP), "hcp")


@pytest.mark.parametrize("kind", ["hcpe", "psv"])
def test_the_files_are_those_of_cshogi(batch, made, kind):
    cshogi = pytest.importorskip("cshogi")
    records, at, board = to_records(batch, labelled_positions(batch, made), kind), 0, cshogi.Board()
    start = known.load("shogi").parse_position(known.load("shogi").start)
    for game, length in enumerate(made.lengths):
        board.reset()
        own = known.board(batch.game, start)
        for ply in range(length):
            wanted = next(move for move in own.legal_moves if int(move) == made.moves[game, ply])
            move = board.move_from_usi(str(wanted))
            if ply >= 4:
                check(cshogi, board, records[at], move, made, game, ply)
                at += 1
            own.push(wanted)
            board.push(move)
    assert at == len(records) > 6 * (PLIES // 2)


def check(cshogi, board, record, move, made, game, ply):
    """Compare a record with cshogi's board before the move."""
    of_black = int(made.results[game])
    if record.dtype == streams.HCPE:
        packed = np.zeros(1, cshogi.HuffmanCodedPos)
        board.to_hcp(packed["hcp"])
        assert (record["hcp"] == packed["hcp"][0]).all()
        assert record["bestMove16"] == cshogi.move16(move)
        assert record["gameResult"] == {0: cshogi.DRAW, 1: cshogi.BLACK_WIN, -1: cshogi.WHITE_WIN}[of_black]
        assert record["eval"] == made.values[game, ply]
    else:
        packed = np.zeros(1, cshogi.PackedSfenValue)
        board.to_psfen(packed["sfen"])
        assert (record["sfen"] == packed["sfen"][0]).all()
        assert record["move"] == cshogi.move16_to_psv(cshogi.move16(move))
        assert record["game_result"] == (of_black if board.turn == cshogi.BLACK else -of_black)
        assert record["score"] == made.values[game, ply] and record["gamePly"] == board.move_number


@pytest.mark.parametrize("kind", ["hcpe", "psv"])
@pytest.mark.parametrize("packing", ["hcp", "psfen"])
def test_there_and_back(made, tmp_path, kind, packing):
    batch = Batch("shogi", packing)
    labelled = labelled_positions(batch, made, without_value=True)
    assert len(labelled.moves) == made.lengths.sum() and (labelled.values[:4] == 0).all()
    with RecordWriter(tmp_path / "file", kind) as writer:
        writer.write(to_records(batch, labelled, kind))
    found = from_records(batch, open_records(tmp_path / "file", kind), kind)
    if kind == "hcpe":  # has no plies
        assert (found.plies == -1).all()
        found = found._replace(plies=labelled.plies)
    for name, one, other in zip(Labelled._fields, labelled, found, strict=True):
        assert one.dtype == other.dtype and (one == other).all(), name


def test_games_without_a_result_are_left_out(batch, tmp_path):
    """They are no draws: a file without an ending has the same result, 0, in arrays."""
    path, moves = tmp_path / "games.csa", "V2\nPI\n+\n+7776FU\n'** 30\n-3334FU\n'** 20\n"
    path.write_text("/\n".join(moves + end for end in ("", "%CHUDAN\n", "%SENNICHITE\n", "%TORYO\n")), encoding="utf-8")
    (games,) = records.games(path)
    labelled = labelled_positions(batch, games)
    assert labelled.results.tolist() == [0, 0, -1, 1] and labelled.values.tolist() == [30, -20] * 2


def test_an_illegal_move_is_unknown(batch, made):
    rows = to_records(batch, labelled_positions(batch, made), "psv")[:3]
    rows["move"][1] = 0
    found = from_records(batch, rows, "psv")
    assert (found.moves >= 0).tolist() == [True, False, True]
    assert (to_records(batch, found, "psv") == rows).all()


def test_the_example_in_the_docs(folder, batch, made, monkeypatch):
    page = (ROOT / "docs" / "batch-files.md").read_text(encoding="utf-8")
    block = page.split("## Training data")[1].split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(folder)
    exec(compile(block.replace('"work/gen0/data"', '"data"'), "batch-files.md", "exec"), {})  # noqa: S102
    labelled = labelled_positions(batch, made)
    assert (open_records("games.psv", "psv") == to_records(batch, labelled, "psv")).all()
    assert (open_records("games.hcpe", "hcpe") == to_records(batch, labelled, "hcpe")).all()
