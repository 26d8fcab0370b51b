"""Positions in the words of USI, passes of other programs, and what commands say about lines that they pass over."""

import pytest

from shogi_engine.__main__ import main
from shogi_engine.games.othello.notation import split_transcript
from shogi_engine.games.shogi.board import Board
from shogi_engine.games.shogi.sfen import START, format_sfen, parse_sfen
from shogi_engine.records import RecordError, games, load_format, loads

AFTER = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2"


@pytest.mark.parametrize(
    ("text", "sfen"),
    [
        ("startpos", START), ("position startpos", START), (f"sfen {START}", START),
        (f"position sfen {START}", START), (START.replace(" ", "_"), START), ("startpos moves 7g7f", AFTER),
        ("position startpos moves 7g7f", AFTER), (f"sfen {START} moves 7g7f", AFTER), (f"{START} moves 7g7f", AFTER),
        (f"  position   sfen {START} moves 7g7f\n", AFTER),
    ],
)  # fmt: skip
def test_a_position_may_be_a_command_of_usi(text, sfen):
    assert format_sfen(parse_sfen(text)) == sfen
    board = Board(text)
    assert board.sfen() == sfen and [str(move) for move in board.move_stack] == ["7g7f"] * (sfen == AFTER)
    board = Board()
    board.set_sfen(text)
    assert board.sfen() == sfen


@pytest.mark.parametrize("text", ["startpos moves 7g7e", "startpos 7g7f", "position", "sfen", "moves 7g7f", ""])
def test_other_words_are_refused(text):
    for read in (parse_sfen, Board):
        with pytest.raises(ValueError):
            read(text)


def test_passes_of_other_programs():
    assert split_transcript("f5ps@@--pa") == ["f5", "ps", "@@", "--", "pa"]
    for text in ("pa", "ps", "--", "@@"):
        with pytest.raises(ValueError, match="can place a disc and so cannot pass"):
            load_format("transcript").parse([(1, f"f5{text}")])


def test_notes_are_not_part_of_a_game():
    one, other = loads("1 ７六歩(77)\n# memo\n2 ３四歩(33)\n")[0], loads("1 ７六歩(77)\n2 ３四歩(33)\n")[0]
    assert one == other and one.notes and not other.notes


@pytest.mark.parametrize(
    ("ending", "closing", "result", "note"),
    [
        ("投了", "後手の勝ち", "0-1", ""),
        ("投了", "先手の勝ち", "1-0", "'先手の勝ち' counts, although the ending before it names the other side"),
        ("切れ負け", "先手の勝ち", "1-0", "'先手の勝ち' counts, although the ending before it names the other side"),
        ("切れ負け", "後手の勝ち", "0-1", ""),
        ("中断", "先手の勝ち", "1-0", ""),
        ("投了", "千日手", "0-1", "'千日手' is passed over: the game ended otherwise"),
    ],
)
def test_a_closing_line_that_names_the_other_side_is_noted(ending, closing, result, note):
    """Black is to move; the reader of lines and the one with moves from kernels, which a variation rules out."""
    game = f"1 ７六歩(77)\n2 ３四歩(33)\n3 {ending}\nまで2手で{closing}\n"
    for text in (game, f"{game}変化：1手\n1 ２六歩(27)\n"):
        record = loads(text, format="kif")[0]
        assert (record.result, record.notes) == (result, [f"line 4: {note}"] if note else [])


def test_convert_prints_notes(tmp_path, capsys):
    path = tmp_path / "a.kifu"
    path.write_text("先手：A\n1 ７六歩(77)\n" + "# memo\n" * 12 + "2 ３四歩(33)\n", encoding="utf-8")
    assert main(["convert", str(path), str(tmp_path / "a.csa")]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 11
    assert lines[0] == f"{path}: line 3: the remark '# memo' is passed over" and lines[-1] == f"{path}: 2 more notes"


@pytest.mark.parametrize(
    "command",
    [
        ["analyse", "FILE", "--limit", "nodes=50"],
        ["study", "FILE", "--limit", "nodes=50"],
        ["book", "shogi", "extend", "RUN", "--records", "FILE"],
    ],
    ids=lambda command: command[0],
)
def test_commands_that_read_records_print_notes(tmp_path, capsys, command):
    path = tmp_path / "a.kifu"
    path.write_text("1 ７六歩(77)\n# memo\n2 ３四歩(33)\n", encoding="utf-8")
    names = {"FILE": str(path), "RUN": str(tmp_path / "run.jsonl")}
    assert main(["book", "shogi", "build", names["RUN"], "--positions", "1", "--nodes", "50"]) == 0
    assert main([names.get(word, word) for word in command]) == 0
    said = capsys.readouterr().err.splitlines()
    assert said.count(f"{path}: line 2: the remark '# memo' is passed over") == 1


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_faults_have_the_line_of_the_file_with_all_line_ends(tmp_path, end):
    path = tmp_path / "a.csa"
    path.write_bytes(end.join(["PI", "+", "+7776FU", "%TORYO", "'x\r'y", "/", "PI", "+", "aCHUDAN", ""]).encode())
    for read in (lambda: loads(path.read_bytes()), lambda: list(games(path))):
        with pytest.raises(RecordError, match="line 10: 'aCHUDAN'"):
            read()
