"""The opening explorer against a slow count of the same games; files that are damaged, foreign or interrupted."""

import collections
import contextlib
import gzip
import os
import random
import signal
import sqlite3
import tarfile
import zipfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from hypothesis import given, settings, strategies as st

from shogi_engine import explorer as explorer_module, games, records
from shogi_engine.batch import Batch, random_games
from shogi_engine.common import database
from shogi_engine.explorer import Explorer
from shogi_engine.interface.extras import BookMove
from tests.support.sizes import sized

FORMATS = {
    "shogi": ("csa", "kif", "ki2", "usi", "jkf", "jsonl"),
    "othello": ("ggf", "sgf", "transcript", "wthor", "jsonl"),
}
LONGEST = {"shogi": 40, "othello": 64}
PLIES = 12
RESULTS = ("1-0", "1/2-1/2", "0-1", "*")
TURNS = [
    lambda x, y: (x, y), lambda x, y: (7 - x, y), lambda x, y: (x, 7 - y), lambda x, y: (7 - x, 7 - y),
    lambda x, y: (y, x), lambda x, y: (7 - y, x), lambda x, y: (y, 7 - x), lambda x, y: (7 - y, 7 - x),
]  # fmt: skip


def made(game, count, seed=5):
    """Return random games as records."""
    found = random_games(Batch(game), count, seed=seed, longest=LONGEST[game])
    return list(records.from_arrays(found, game))


@pytest.fixture(scope="module", params=games.NAMES)
def stored(request, tmp_path_factory):
    """Return a game and a folder with random games in all formats, some in a subfolder."""
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "deeper").mkdir()
    chosen = FORMATS[request.param]
    for number, record in enumerate(made(request.param, 60)):
        format = records.load_format(chosen[number % len(chosen)])
        record.names = [f"p{number % 7}", f"q{number % 5}"]
        place = folder / "deeper" if number % 2 else folder
        records.save(record, place / f"{number:02}{format.extensions[0]}", format=format.name)
    return request.param, folder


def turned_move(turn, move):
    """Return Othello's move after turning the board."""
    if move == "pass":
        return move
    x, y = turn("abcdefgh".index(move[0]), int(move[1]) - 1)
    return f"{'abcdefgh'[x]}{y + 1}"


def kind(board, move):
    """Return what names a move in a position: the smallest of the turned ones in Othello."""
    if not hasattr(board, "obf"):
        return *board.sfen().split()[:3], move
    cells, found = board.obf(), []
    for turn in TURNS:
        image = list(cells)
        for square in range(64):
            x, y = turn(square % 8, square // 8)
            image[8 * y + x] = cells[square]
        found.append(("".join(image), turned_move(turn, move)))
    return min(found)


def boards_of(found, plies=PLIES):
    """Yield (board, move made there, record) for the first moves of records."""
    for record in found:
        board = record.board(0)
        for move in record.moves[:plies]:
            yield board, move, record
            board.push_text(move)


def slow_count(found, plies=PLIES):
    """Return the results of the games with each move of each position, by replaying them."""
    table = collections.defaultdict(collections.Counter)
    seen = set()
    for board, move, record in boards_of(found, plies):
        if (made := (kind(board, move), id(record))) not in seen:
            seen.add(made)
            table[made[0]][record.result] += 1
    return table


def check(explorer, found, plies=PLIES):
    """Compare the moves of all positions of the games with the slow count."""
    table = slow_count(found, plies)
    for board, _move, _record in boards_of(found, plies):
        rows = explorer.moves(board)
        shown = {
            kind(board, row.move): dict(zip(RESULTS, (row.black, row.draws, row.white, row.unknown), strict=True))
            for row in rows
        }
        wanted = {kind(board, str(move)) for move in board.legal_moves} & table.keys()
        assert len(shown) == len(rows)
        assert shown == {name: {result: table[name][result] for result in RESULTS} for name in wanted}
        assert [row.games for row in rows] == sorted((row.games for row in rows), reverse=True)


def test_an_index_has_what_a_slow_count_finds(stored, tmp_path):
    game, folder = stored
    found = list(records.iterate(folder))
    with Explorer(tmp_path / "a.idx", game, PLIES) as explorer:
        added = explorer.add(folder)
        assert (added.games, added.known, added.others, added.skipped) == (60, 0, 0, 0)
        check(explorer, found)
    with Explorer(tmp_path / "a.idx") as again:
        assert (again.game, again.plies, len(again)) == (game, PLIES, 60)
        check(again, found)


def test_games_that_are_there_are_not_counted_again(stored, tmp_path):
    game, folder = stored
    found = list(records.iterate(folder))
    file = tmp_path / "all.jsonl"
    with Explorer(None, game, PLIES) as explorer:
        explorer.add(folder)
        again = explorer.add(folder)
        assert (again.games, again.known) == (0, 60)
        check(explorer, found)
        extra = made(game, 3, seed=6)
        records.save([*found[:20], *extra], file)  # the names, moves and results are the same in another format
        grown = explorer.add(file)
        assert (grown.games, grown.known) == (3, 20)
        check(explorer, [*found, *extra])


def test_a_file_may_have_the_same_game_several_times(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("f5d6c3\nf5f6e6\nf5d6c3\n")
    with Explorer(None, "othello") as explorer:
        board = games.game_module("othello", "board").Board()
        assert [explorer.add(file).games for _ in range(2)] == [3, 0]
        assert [(row.move, row.games) for row in explorer.moves(board)] == [("f5", 3)]
        file.write_text("f5d6c3\n" * 4)
        assert explorer.add(file).games == 2
        assert explorer.moves(board)[0].games == 5


@settings(max_examples=sized(8, 200))
@given(data=st.data(), game=st.sampled_from(games.NAMES))
def test_the_order_and_the_steps_of_adding_do_not_matter(data, game):
    found = made(game, 24, seed=data.draw(st.integers(0, 1 << 20)))
    order = data.draw(st.permutations(range(24)))
    plies, cut = data.draw(st.integers(1, 20)), data.draw(st.integers(1, 23))
    with Explorer(None, game, plies) as explorer:
        for part in (order[:cut], order[cut:], order[: cut // 2 + 1]):
            explorer.add_games(records.to_arrays([found[row] for row in part]))
        assert len(explorer) == 24
        check(explorer, found, plies)


def test_a_move_repeated_in_a_game_counts_once():
    shuffle = ["5i5h", "5a5b", "5h5i", "5b5a"]
    record = records.GameRecord.from_moves("shogi", shuffle * 2, ending="interrupted")
    with Explorer(None, "shogi") as explorer:
        explorer.add_games(records.to_arrays([record]))
        assert [(row.move, row.games) for row in explorer.moves(record.board(0))] == [("5i5h", 1)]


def test_games_without_moves_and_positions_without_kings_have_none():
    explorer = Explorer(None, "shogi")
    record = records.loads("startpos")[0]
    assert explorer.add_games(records.to_arrays([record])).games == 1 == len(explorer)
    explorer.add_games(records.to_arrays(records.loads("startpos moves 2g2f")))
    board = record.board(0)
    assert [row.move for row in explorer.moves(board)] == ["2g2f"]
    problems = records.loads("sfen 4k4/9/9/9/9/9/9/9/9 b G 1 moves G*5b\nstartpos moves 7g7f")
    added = explorer.add_games(records.to_arrays(problems))
    assert (added.games, added.known, added.skipped) == (1, 0, 1) and len(explorer) == 3
    assert [row.move for row in explorer.moves(board)] == ["2g2f", "7g7f"]
    for color in (0, 1):
        board.remove_piece_at(board.king_squares[color])
        assert explorer.moves(board) == explorer.played(board) == []


def test_scores_are_those_of_the_side_that_moves():
    black, white = (records.Outcome(winner, records.Termination.RESIGNATION) for winner in (0, 1))
    draw = records.Outcome(None, records.Termination.AGREEMENT)
    lines = [("7g7f 8c8d", draw), ("7g7f 3c3d", black), ("7g7f 8c8d", white), ("2g2f 3c3d", None), ("7g7f 3c3d", black)]
    found = []
    for number, (moves, ending) in enumerate(lines):
        record = records.GameRecord.from_moves("shogi", moves.split())
        record.names = [f"a{number}", "b"]
        if ending is not None:
            record.end(ending)
        found.append(record)
    with Explorer(None, "shogi") as explorer:
        explorer.add_games(records.to_arrays(found), "x.kif")
        board = found[0].board(0)
        assert [(row.move, row.score) for row in explorer.moves(board)] == [("7g7f", 2.5 / 4), ("2g2f", None)]
        played = explorer.played(board, "7g7f", most=2)
        assert [(game.file, game.place, game.names[0], game.result) for game in played] == [
            ("x.kif", 5, "a4", "1-0"), ("x.kif", 3, "a2", "0-1"),
        ]  # fmt: skip
        assert len(explorer.played(board)) == 5
        board.push_text("7g7f")
        assert [(row.move, row.score) for row in explorer.moves(board)] == [("3c3d", 0.0), ("8c8d", 0.75)]
        board.push_text("3c3d")
        assert explorer.moves(board) == [] == explorer.played(board)


@pytest.mark.parametrize("together", [1, 6, 20])
def test_the_last_eight_games_with_a_move_are_remembered(together):
    found = [records.GameRecord.from_moves("shogi", ["7g7f"]) for _ in range(20)]
    for number, record in enumerate(found):
        record.names = [f"a{number}", ""]
    with Explorer(None, "shogi") as explorer:
        for first in range(0, 20, together):
            explorer.add_games(records.to_arrays(found[first : first + together]))
        played = explorer.played(found[0].board(0), "7g7f", most=100)
    assert [game.names[0] for game in played] == [f"a{number}" for number in range(19, 11, -1)]


def test_values_of_a_book_are_shown_with_the_moves():
    class Book:
        def known(self, position):
            return [BookMove("2g2f", value=30), BookMove("7g7f", value=40), BookMove("1a1b", value=99)]

    record = records.GameRecord.from_moves("shogi", ["2g2f"])
    with Explorer(None, "shogi") as explorer:
        explorer.add_games(records.to_arrays([record]))
        rows = explorer.moves(record.board(0), Book())
    assert [(row.move, row.games, row.value) for row in rows] == [("2g2f", 1, 30), ("7g7f", 0, 40)]


# ---- what the world can do to files ------------------------------------------------------------------------------


def test_damaged_and_foreign_files_are_skipped_and_said(tmp_path):
    folder = tmp_path / "games"
    folder.mkdir()
    (good,) = made("shogi", 1)
    records.save(good, folder / "a.csa")
    content = (folder / "a.csa").read_bytes()
    (folder / "b.csa").write_bytes(content.replace(b"+", b"-", 1))
    (folder / "c.zip").write_bytes(b"PK\3\4 not a zip")
    (folder / "d.csa.gz").write_bytes(gzip.compress(content)[:-9])
    (folder / "e.tar").write_bytes(b"no tar")
    (folder / "f.kif").write_bytes(b"")
    (folder / "g.txt").write_text("f5d6c3")
    (folder / "h.csa.xz").write_bytes(b"no xz")
    with zipfile.ZipFile(folder / "i.zip", "w") as archive:
        archive.writestr("one.csa", content.replace(b"V2.2", b"V2.2\nN+another"))
    with tarfile.open(folder / "j.tar.gz", "w:gz") as tape:
        tape.add(folder / "a.csa", "copy.csa")
    with Explorer(None, "shogi", PLIES) as explorer:
        added = explorer.add(folder)
        assert (added.games, added.known, added.others) == (2, 1, 1)
        said = sorted({os.path.basename(str(fault).partition(":")[0]) for fault in added.faults})
        assert said == ["b.csa", "c.zip", "d.csa.gz", "e.tar", "f.kif", "h.csa.xz"]
        with pytest.raises(FileNotFoundError, match=r"none\.csa"):
            explorer.add(folder / "none.csa")


def test_an_index_in_the_folder_that_it_indexes_is_no_record(tmp_path):
    """Also while a second process has it open, and one of another name."""
    (record,) = made("shogi", 1)
    records.save(record, tmp_path / "a.csa")
    (tmp_path / "b.csa-wal").write_bytes(b"no record")
    with Explorer(tmp_path / "old.idx", "shogi"):
        pass
    with Explorer(tmp_path / "games.idx", "shogi") as explorer, Explorer(tmp_path / "games.idx") as second:
        for number, index in enumerate((explorer, second)):
            added = index.add(tmp_path)
            assert (added.games, added.known) == (1 - number, number)
            assert [os.path.basename(str(fault).partition(":")[0]) for fault in added.faults] == ["b.csa-wal"]


def test_names_of_any_characters_are_kept(tmp_path):
    (record,) = made("shogi", 1)
    record.names = ["渡辺\ud800", "x" * 5000]
    with Explorer(None, "shogi") as explorer:
        explorer.add_games(records.to_arrays([record]), os.fsdecode(b"\xff.kif"))
        (played,) = explorer.played(record.board(0))
        assert played.names == ("渡辺?", "x" * explorer_module.NAME_MAX)


def test_a_file_that_is_no_index_is_refused_and_stays_as_it_is(tmp_path):
    text, other, empty = tmp_path / "a.txt", tmp_path / "b.db", tmp_path / "c.idx"
    text.write_bytes(b"f5d6c3\n" * 500)
    with contextlib.closing(sqlite3.connect(other)) as database:
        database.execute("CREATE TABLE notes (text)")
        database.execute("PRAGMA user_version = 1")
    empty.touch()
    for file, words in ((text, "a.txt cannot be used"), (other, "b.db is a file of another kind")):
        before = file.read_bytes()
        for game in ("", "othello"):
            with pytest.raises(OSError, match=words):
                Explorer(file, game)
        assert file.read_bytes() == before
    with pytest.raises(OSError, match="c.idx is not an index of games"):
        Explorer(empty)
    with pytest.raises(FileNotFoundError, match="there is no index"):
        Explorer(tmp_path / "none.idx")
    assert not (tmp_path / "none.idx").exists()


def test_an_index_of_another_game_or_of_other_plies_is_refused(tmp_path):
    Explorer(tmp_path / "a.idx", "shogi", 10).close()
    with pytest.raises(ValueError, match="is an index of shogi, not of othello"):
        Explorer(tmp_path / "a.idx", "othello")
    with pytest.raises(ValueError, match="counts 10 moves of a game, not 12"):
        Explorer(tmp_path / "a.idx", "shogi", 12)
    for plies in (0, -1, 1001):
        with pytest.raises(ValueError, match="1 to 1000 moves"):
            Explorer(None, "shogi", plies)


def test_a_damaged_index_is_refused_or_answers(tmp_path):
    file = tmp_path / "a.idx"
    found = made("othello", 40)
    with Explorer(file, "othello") as explorer:
        explorer.add_games(records.to_arrays(found))
    whole, rng = file.read_bytes(), random.Random(1)
    refused = 0
    for number in range(40):
        content = bytearray(whole)
        begin = rng.randrange(len(content))
        content[begin : begin + 400] = rng.randbytes(400)
        file.write_bytes(content[: rng.randrange(len(content))] if number % 3 == 0 else content)
        try:
            with Explorer(file) as explorer:
                for board, _move, _record in boards_of(found[:3]):
                    explorer.moves(board)
                    explorer.played(board)
        except (OSError, ValueError):
            refused += 1
    assert refused > 10


def test_an_index_with_values_of_other_types_is_refused(tmp_path):
    file = tmp_path / "a.idx"
    (record,) = made("othello", 1)
    with Explorer(file, "othello") as explorer:
        explorer.add_games(records.to_arrays([record]))
    with contextlib.closing(sqlite3.connect(file)) as database:
        database.execute("UPDATE moves SET black = 'many', latest = 'x'")
        database.commit()
    with Explorer(file) as explorer, pytest.raises(OSError, match=r"a\.idx is damaged"):
        explorer.moves(record.board(0))


def test_a_step_is_added_whole_or_not_at_all(stored, tmp_path, monkeypatch):
    game, folder = stored
    file, counted = tmp_path / "a.idx", explorer_module.counted
    monkeypatch.setattr(explorer_module, "TOGETHER", 8)
    calls = 0

    def failing(*arguments):
        nonlocal calls
        calls += 1
        if calls == 30:
            raise MemoryError
        return counted(*arguments)

    monkeypatch.setattr(explorer_module, "counted", failing)
    with Explorer(file, game, PLIES) as explorer, pytest.raises(MemoryError):
        explorer.add(folder)
    monkeypatch.setattr(explorer_module, "counted", counted)
    with Explorer(file) as explorer:
        assert 0 < len(explorer) < 30
        explorer.add(folder)
        check(explorer, list(records.iterate(folder)))


def add_and_die(file, folder, game):
    """Add games, and kill this process before the last step is written."""
    explorer_module.TOGETHER = 8
    counted, calls = explorer_module.counted, 0

    def killed(*arguments):
        nonlocal calls
        calls += 1
        if calls == 30:
            os.kill(os.getpid(), signal.SIGKILL)
        return counted(*arguments)

    explorer_module.counted = killed
    Explorer(file, game, PLIES).add(folder)


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
@pytest.mark.parametrize("stored", ["othello"], indirect=True)
def test_a_killed_writer_leaves_whole_steps(stored, tmp_path):
    game, folder = stored
    process = get_context("spawn").Process(target=add_and_die, args=(tmp_path / "a.idx", folder, game))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    with Explorer(tmp_path / "a.idx") as explorer:
        assert 0 < len(explorer) < 30
        explorer.add(folder)
        check(explorer, list(records.iterate(folder)))


def add(file, folder, game):
    """Add games in another process; return how many were new."""
    explorer_module.TOGETHER = 5
    with Explorer(file, game, PLIES) as explorer:
        return explorer.add(folder).games


@pytest.mark.parametrize("stored", ["othello"], indirect=True)
def test_two_processes_add_each_game_once(stored, tmp_path):
    game, folder = stored
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        found = list(pool.map(add, [tmp_path / "a.idx"] * 2, [folder] * 2, [game] * 2))
    assert sum(found) == 60
    with Explorer(tmp_path / "a.idx") as explorer:
        check(explorer, list(records.iterate(folder)))


def test_an_index_is_opened_and_read_while_another_process_adds(tmp_path, monkeypatch):
    """What adds waits for its turn, longer than other databases do."""
    assert explorer_module.TURN > database.TIMEOUT
    lines = records.to_arrays(records.loads("f5d6c3\n", format="transcript"))
    with Explorer(tmp_path / "a.idx", "othello") as explorer:
        explorer.add_games(lines)
        monkeypatch.setattr(explorer_module, "TURN", 0.01)
        with explorer._database.transaction(), Explorer(tmp_path / "a.idx") as other:
            assert len(other) == 1
            with pytest.raises(OSError, match="locked"):
                other.add_games(lines)
