"""Othello's files: published samples, and random games there and back."""

import datetime
import random

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from shogi_engine.games.othello.board import Board
from shogi_engine.games.othello.records import (
    PLAYER_BYTES,
    TOURNAMENT_BYTES,
    TestPosition,
    Wthor,
    format_ggf,
    format_names,
    format_obf_line,
    format_transcript,
    format_wthor,
    parse_ggf,
    parse_ggf_games,
    parse_names,
    parse_obf_line,
    parse_wthor,
    read_games,
    read_obf,
    read_transcripts,
    wthor_game,
)
from shogi_engine.records import GameRecord, RecordError, load, loads
from shogi_engine.types.results import Score

# Source: the example session of the NBoard protocol's text.
NBOARD = (
    "(;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[./mEdax]PW[chris]RE[?]TI[15:00]TY[8]"
    "BO[8 ---------------------------O*------*O--------------------------- *]"
    "B[F5]W[F6]B[D3]W[C5]B[E6]W[F7]B[E7]W[F4];)"
)
# Source: FFO 40, the test positions of the French federation; +38 by A2.
FFO_40 = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X; A2:+38; % FFO 40"
WIPE_OUT = "e6f4e3f6g5d6e7f5c5"  # nine moves, and white has no disc left
SLOW = settings(max_examples=60, suppress_health_check=list(HealthCheck))


def random_board(seed, start=None):
    """Return a Board after a random number of random moves, now and then a whole game."""
    rng = random.Random(seed)
    board = Board(start)
    for _ in range(rng.choice((0, 5, 30, 100))):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(rng.choice(moves))
    return board


def texts(board):
    return [str(move) for move in board.move_stack]


# ---- transcripts


def test_transcripts():
    games = read_transcripts("# openings\nf5d6c3\n\nF5 F6 E6 f4  # parallel\n")
    assert [format_transcript(game) for game in games] == ["f5d6c3", "f5f6e6f4"]
    with pytest.raises(ValueError, match="^line 2: transcript: move 2: .*a1"):
        read_transcripts("f5\nf5a1\n")
    with pytest.raises(ValueError, match="does not begin with the usual"):
        format_transcript(GameRecord("othello", FFO_40[:66]))


@SLOW
@given(st.integers(0, 2**32))
def test_transcripts_there_and_back(seed):
    board = random_board(seed)
    text = format_transcript(board.record())
    while board.move_stack and str(board.peek()) == "pass":
        board.pop()  # a pass at the end of an unfinished game: nothing tells of it
    assert text == board.transcript()
    assert read_transcripts(text)[0].moves == texts(board) if text else read_transcripts(text) == []


# ---- OBF


def test_obf():
    test = parse_obf_line(FFO_40)
    assert test.scores == (("a2", 38),) and test.score == 38 and test.best_moves == ["a2"]
    assert test.comment == "FFO 40" and parse_obf_line(format_obf_line(test)) == test
    over = "X" * 64 + " O; -64;"
    assert read_obf(f"% a comment\n\n{over}\n") == [TestPosition("X" * 64 + " O", (), -64)]
    for line, wrong in (
        (FFO_40.replace("A2", "A1"), "field 1 .*a1"),
        (FFO_40.replace("+38", "+380"), "field 1 .*not a score"),
        (FFO_40.replace("+38", "65"), "field 1 .*not a score"),
        (FFO_40.replace("A2:+38;", "A2:+38; a2:1;"), "field 2 .*already"),
        (FFO_40[1:], "squares|side"),
        ("X; 1; 2;", "squares"),
    ):
        with pytest.raises(ValueError, match=f"^line 3: .*({wrong})"):
            read_obf(f"\n\n{line}\n")


@SLOW
@given(st.integers(0, 2**32), st.text(st.characters(codec="ascii", exclude_categories=["C"]), max_size=20))
def test_obf_there_and_back(seed, comment):
    board = random_board(seed)
    rng = random.Random(seed)
    scores = tuple((str(move), rng.randrange(-64, 65)) for move in board.legal_moves)
    test = TestPosition(board.obf(), scores, None if scores else 4, " ".join(comment.split()))
    assert parse_obf_line(format_obf_line(test)) == test


# ---- GGF


def test_ggf():
    game = parse_ggf(NBOARD)
    assert game.moves == ["f5", "f6", "d3", "c5", "e6", "f7", "e7", "f4"]
    assert game.names == ["./mEdax", "chris"] and game.headers["time"] == "15:00" and game.board().ply() == 8
    assert parse_ggf(format_ggf(game)) == game
    timed = parse_ggf("(;GM[Othello]BO[8 " + Board().obf().replace("X", "*") + "]B[f5//2.5]W[F6/-1.2/3.1]B[e6/4];)")
    played = [(node.move, node.evaluation, node.seconds) for node in timed.main_line[1:]]
    assert played == [("f5", None, 2.5), ("f6", Score.discs(-1.2), 3.1), ("e6", Score.discs(4), None)]
    both = parse_ggf_games(f"2 {NBOARD}{NBOARD}\nchat\n{NBOARD}")
    assert both == [game] * 3 and read_games(NBOARD.encode()) == [game]


def test_ggf_writes_numbers_as_it_reads_them():
    written, read = [0.1 + 0.2, 1e-20, 999999999999999.9, 1e15, float("nan")], [0.3, 0.0, 999999999999999.9, None, None]
    game = parse_ggf(NBOARD)
    for node, value in zip(game.main_line[1:], written, strict=False):
        node.evaluation, node.seconds = Score(value, "discs"), value
    found = [(node.evaluation, node.seconds) for node in parse_ggf(format_ggf(game)).main_line[1:]]
    assert found[: len(read)] == [(value if value is None else Score.discs(value), value) for value in read]


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [("Othello", "Chess", "character 3: GM"), ("[8 -", "[6 -", "BO: the board"), ("*O", "*Q", "BO: .*'Q'"),
     ("W[F6]", "W[F9]", r"move 2, W\[F9\]"), ("W[F6]", "B[F6]", "it is not black's turn"), (";)", "", "the end"),
     ("W[F6]", "W[F6/x]", "'x' is not a number"), ("W[F6]", "W[F6/1/2/3]", "at most"), ("RE[?]", "RE?", "a value,"),
     ("RE[?]", "[?]", "a property, NAME|given twice"), ("PW", "PB", "PB: .*given twice"),
     ("W[F4];)", "W[F4", "] is missing|the end")],
)  # fmt: skip
def test_errors_of_ggf_name_the_place(old, new, wrong):
    with pytest.raises(ValueError, match=f"^line 1: GGF: character .*({wrong})|{wrong}"):
        parse_ggf(NBOARD.replace(old, new, 1))
    with pytest.raises(ValueError, match="one game"):
        parse_ggf("")


number = st.none() | st.integers(-6400, 6400).map(lambda n: n / 100)


@SLOW
@given(st.integers(0, 2**32), st.data())
def test_ggf_there_and_back(seed, data):
    start = random_board(seed // 7).obf() if seed % 3 == 0 else None
    board = random_board(seed, start)
    game = board.record()
    for node in game.main_line[1:]:
        value, node.seconds = data.draw(number), data.draw(number.filter(lambda n: n != 0))
        node.evaluation = None if value is None else Score.discs(value)
    value = st.text(
        st.characters(exclude_characters="]", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=8
    )
    value = value.map(str.strip).filter(bool)
    # The time of another format is written as GGF has it, '0' as '0:00'.
    times = st.sampled_from(["15:00", "1:00:00/0:30", "0:20/2"]) | value.map("about {}".format)
    game.headers = data.draw(
        st.fixed_dictionaries({}, optional={"site": value, "time": times, "event": value, "XX": value})
    )
    game.names = [data.draw(value), data.draw(value)]
    again = parse_ggf(format_ggf(game))
    game.score = again.score  # of a finished game it is counted
    assert again == game


def test_headers_that_ggf_can_not_hold():
    game = GameRecord("othello", names=["a]", "b\nc"], headers={"B": "F5", "pb": "x", "": "x", "BO": "6", "DTX": "]"})
    assert format_ggf(game).startswith("(;GM[Othello]PB[a)]PW[b c]DTX[)]BO[8 -----")
    assert parse_ggf(format_ggf(game)).names == ["a)", "b c"]


def test_results_of_ggf():
    for text, score, ending, result in (
        ("+4.00", 4, "", "1-0"), ("-12:t", -12, "time", "0-1"), ("?", None, "", "*"), ("0", 0, "", "1/2-1/2"),
        ("+64:s", 64, "", "1-0"), ("who knows", None, "", "*"),
    ):  # fmt: skip
        game = parse_ggf(NBOARD.replace("RE[?]", f"RE[{text}]"))
        assert (game.score, game.ending, game.result) == (score, ending, result), text
        assert game.headers.get("RE") == ("who knows" if text == "who knows" else None)


# ---- WTHOR


def test_wthor_by_the_byte():
    """A file built by hand after the French federation's description of the format."""
    moves = bytes([56, 66, 65, 46])  # f5 f6 e6 f4
    header = bytes([20, 24, 2, 29]) + (1).to_bytes(4, "little") + bytes(2) + (2023).to_bytes(2, "little")
    game = b"".join(n.to_bytes(2, "little") for n in (3, 260, 1)) + bytes([35, 33]) + moves.ljust(60, b"\0")
    data = header + bytes([8, 0, 22, 0]) + game
    assert len(data) == 16 + 68
    database = parse_wthor(data)
    assert (database.date, database.year, database.depth) == (datetime.date(2024, 2, 29), 2023, 22)
    (found,) = database.games
    assert found.moves == ("f5", "f6", "e6", "f4") and (found.tournament, found.black, found.white) == (3, 260, 1)
    assert (found.score, found.best_score) == (35, 33)
    assert format_wthor(database) == data and read_games(data)[0].moves == list(found.moves)
    for place, value, wrong in (
        (1, 24, None), (2, 13, "byte 0: the date"), (4, 2, "2 games are 152 bytes"), (12, 10, "byte 12"),
        (22, 65, "byte 22: the score"), (24, 11, "byte 24: .*a1"), (25, 0, "byte 25: a move follows"),
        *((25, code, f"byte 25: {code} is not a square") for code in (39, 60, 93)),
    ):  # fmt: skip
        broken = data[:place] + bytes([value]) + data[place + 1 :]
        if wrong is None:
            assert parse_wthor(broken) == database
        else:
            with pytest.raises(ValueError, match=f"^WTHOR: .*{wrong}"):
                parse_wthor(broken)
    for cut in (0, 5, 15, 16, 40, 83):
        with pytest.raises(ValueError, match="WTHOR"):
            parse_wthor(data[:cut])
    short = data[:4] + bytes([2]) + data[5:]  # it should have two games
    assert [str(each.fault) for each in loads(short, keep=True)] == ["None", "WTHOR: 2 games are 152 bytes, not 84"]
    for more in (1, 68):
        with pytest.raises(RecordError, match=f"WTHOR: 1 games are 84 bytes, not {84 + more}"):
            loads(data + bytes(more), keep=True)
    two = data[:4] + bytes([2]) + data[5:] + game
    whole, cut = loads(two[:-1], keep=True)
    assert whole.moves == list(found.moves) and str(cut.fault) == "WTHOR: game 2, byte 151: the file is cut off"


def test_names():
    players, tournaments = ["Tamenori Hideshi", "Caspard Étienne"], ["Championnat du monde"]
    jou, trn = format_names(players, PLAYER_BYTES), format_names(tournaments, TOURNAMENT_BYTES)
    assert len(jou) == 16 + 40 and len(trn) == 16 + 26 and jou[8] == 2
    assert parse_names(jou, PLAYER_BYTES) == players and parse_names(trn, TOURNAMENT_BYTES) == tournaments
    game = wthor_game(Board.from_transcript(WIPE_OUT).transcript()[at : at + 2] for at in range(0, 18, 2))
    assert game.score == 64 and game.record(players, tournaments).score == 64
    assert game.record(players, tournaments).headers["event"] == tournaments[0]
    for names in (["x" * 20], ["\u5c06"], ["a\0"], ["a "]):
        with pytest.raises(ValueError, match="name 1"):
            format_names(names, PLAYER_BYTES)
    with pytest.raises(ValueError, match="bytes"):
        parse_names(jou, TOURNAMENT_BYTES)


@pytest.mark.parametrize(("jou", "trn"), [("WTHOR.JOU", "WTHOR.TRN"), ("wth_2023.jou", "some.trn"), ("", "")])
def test_names_come_from_the_files_beside_a_database(tmp_path, jou, trn):
    path = tmp_path / "WTH_2023.wtb"
    path.write_bytes(format_wthor(Wthor((wthor_game(["f5", "d6"], tournament=1, black=2, white=5),), 2023)))
    if jou:
        (tmp_path / jou).write_bytes(format_names(["A", "B", "Tamenori Hideshi"], PLAYER_BYTES))
        (tmp_path / trn).write_bytes(format_names(["Open", "Championnat du monde"], TOURNAMENT_BYTES))
        if jou != "WTHOR.JOU":  # those under the same name come first
            (tmp_path / "WTHOR.JOU").write_bytes(format_names(["wrong"] * 6, PLAYER_BYTES))
    (record,) = load(path)
    assert record.names == (["Tamenori Hideshi", ""] if jou else ["", ""])  # the fifth player is not in the file
    assert record.headers.get("event") == ("Championnat du monde" if jou else None)
    assert record.headers["black number"] == "2" and record.headers["year"] == "2023"
    assert read_games(path.read_bytes())[0].names == ["", ""]


def test_a_damaged_file_of_names_is_named(tmp_path):
    path = tmp_path / "x.wtb"
    path.write_bytes(format_wthor(Wthor((wthor_game(["f5"]),))))
    (tmp_path / "WTHOR.JOU").write_bytes(format_names(["A"], PLAYER_BYTES)[:-1])
    with pytest.raises(RecordError, match=r"x\.wtb: WTHOR\.JOU: WTHOR names: 1 of 20 bytes are 36 bytes, not 35"):
        load(path)


@SLOW
@given(st.lists(st.integers(0, 2**32), max_size=4), st.integers(0, 65535), st.dates(datetime.date(1900, 1, 1)))
def test_wthor_there_and_back(seeds, number, date):
    games = []
    for seed in seeds:
        board = random_board(seed)
        while board.move_stack and str(board.peek()) == "pass":
            board.pop()
        games.append(wthor_game(texts(board), tournament=number, black=seed % 65536, white=1))
        outcome = board.outcome()
        assert outcome is None or 2 * games[-1].score - 64 == outcome.score
        assert games[-1].moves == tuple(texts(board))
        assert wthor_game(move for move in texts(board) if move != "pass").moves == games[-1].moves
    database = Wthor(tuple(games), number, seeds[0] % 256 if seeds else 22, date)
    assert parse_wthor(format_wthor(database)) == database


# ---- any bytes


@given(st.binary(max_size=120) | st.text(max_size=60).map(lambda text: ("(;" + text).encode("utf-8", "replace")))
def test_any_bytes_are_games_or_one_error(data):
    try:
        assert read_games(data)
    except ValueError as fault:
        assert str(fault)
