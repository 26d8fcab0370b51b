"""What GUIs send and need that the other tests of USI do not have.

The points are those where engines and GUIs are known to disagree: Shogidokoro's and YaneuraOu's documents, ShogiHome's
client, and faults reported of other engines.
"""

import pytest
import shogi


def test_every_line_is_ascii_and_exact(engine):
    engine.send("usi", "position startpos", "go depth 3", "go mate 20", "position sfen \u5c06", "isready", "go depth 1")
    engine.until("bestmove")
    engine.until("bestmove")
    for line in engine.seen:
        assert line.isascii() and line == line.strip() and "  " not in line
        assert line.split(" ")[0] in ("id", "option", "usiok", "readyok", "info", "bestmove", "checkmate")
    assert {"usiok", "readyok"} <= set(engine.seen)


def test_options_that_guis_always_send(engine):
    for name in ("USI_Ponder", "USI_OwnBook", "USI_ShowCurrLine", "USI_ShowRefutations", "USI_LimitStrength",
                 "USI_AnalyseMode", "Book_File", "GenerateAllLegalMoves", "BookDepthLimit"):  # fmt: skip
        engine.send(f"setoption name {name} value true")
    engine.send("setoption name Clear Hash", "isready")
    assert engine.line() == "readyok"


def test_setoption_during_a_search_is_for_the_next_one(engine):
    engine.send("position startpos", "go infinite")
    engine.until("info depth 2")
    engine.send("setoption name MultiPV value 2", "stop", "go depth 1")
    assert not [line for line in engine.until("bestmove") if "multipv" in line]
    assert [line for line in engine.until("bestmove") if " multipv 2 " in line]


def test_hands_in_any_order(engine):
    for hands in ("2P3plb", "b3pl2P", "lb2P3p"):
        engine.send(f"position sfen 4k4/9/9/9/9/9/9/9/4K4 b {hands} 1", "moves", "isready")
        moves = engine.until("readyok")[-2]
        assert " P*5e" in moves and " B*5e" not in moves and not moves.startswith("info")


def test_another_game_needs_no_word(engine):
    """A GUI resends the game with every move; nothing says that it is the one before with a move or two more."""
    for moves in ("7g7f 3c3d 2g2f", "7g7f", "2g2f 8c8d", "7g7f 3c3d 2g2f 8c8d 2f2e", ""):
        board = shogi.Board()
        for move in moves.split():
            board.push_usi(move)
        engine.send(f"position startpos moves {moves}", "d", "isready")
        assert board.sfen() in engine.until("readyok")


@pytest.mark.process("it does not say how full the table is")
def test_words_of_an_info_line(engine):
    engine.send("position startpos", "go depth 2")
    words = engine.until("bestmove")[-2].split(" ")
    names = [word for word in words if word.isalpha()]
    assert names == ["info", "depth", "seldepth", "score", "cp", "nodes", "nps", "hashfull", "time", "pv"]
