"""USI as GUIs use it, point by point: for each, the tests that hold it, and those that were found nowhere else.

The points are those where engines and GUIs are known to disagree: Shogidokoro's and YaneuraOu's documents, ShogiHome's
client, and faults reported of other engines. All tests named here but those of test_usi_choices speak to a real
process through pipes.
"""

import importlib

import pytest
import shogi

START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL"

# point: tests, as module.function; without a module, in this file
POINTS = {
    "start: no arguments, no shell": "test_usi_engine.test_usi_is_answered_before_anything_large_is_imported",
    "start: stderr stays silent": "test_usi_transcripts.test_the_process_ends_at_once",
    "start: usi answered before the engine is loaded":
        "test_usi_transcripts.test_usi_is_answered_before_the_engine_is_loaded",
    "start: exact words, ASCII, no spaces at line ends": "test_every_line_is_ascii_and_exact",
    "start: option lines": "test_every_line_is_ascii_and_exact "
        "test_usi_protocol.test_option_lines_are_those_guis_can_read",
    "start: options that GUIs send undeclared": "test_options_that_guis_always_send",
    "start: names of options in any spelling": "test_usi_protocol.test_options_are_found_under_any_spelling",
    "start: setoption during a search": "test_setoption_during_a_search_is_for_the_next_one",
    "start: quit at any moment, end of input": "test_usi_transcripts.test_the_process_ends_at_once "
        "test_usi_engine.test_quit_and_end_of_input_while_numba_compiles",
    "isready: heartbeat while loading": "test_usi_transcripts.test_isready_has_a_heartbeat_while_loading",
    "isready: before every game": "test_usi_transcripts.test_isready_before_every_game_and_lines_sent_in_one_go",
    "isready: during a search": "test_usi_transcripts.test_isready_during_a_search_is_answered_and_the_search_goes_on",
    "usinewgame: position and go in the same moment":
        "test_usi_transcripts.test_isready_before_every_game_and_lines_sent_in_one_go",
    "position: every form": "test_usi_transcripts.test_position_forms",
    "position: hands in any order": "test_hands_in_any_order",
    "position: a wrong one is named, the last good one stays":
        "test_usi_transcripts.test_a_wrong_position_is_named_and_the_last_good_one_stays",
    "position: any game after any other": "test_another_game_needs_no_word "
        "test_usi_engine.test_a_long_game_is_followed_quickly",
    "go: main time, byoyomi, increment, movetime, depth, nodes, unknown words":
        "test_usi_transcripts.test_every_go_is_answered_in_time",
    "go: infinite waits for stop": "test_usi_transcripts.test_infinite_waits_for_stop_even_when_the_search_is_over",
    "go: a next go without stop": "test_usi_transcripts.test_a_go_without_stop_ends_an_endless_one",
    "go: ponder, with times, without, ponderhit with times": "test_usi_ponder.test_ponderhit",
    "go: ponder with Stochastic_Ponder":
        "test_usi_ponder.test_stochastic_ponder_thinks_before_the_opponents_move",
    "go: mate": "test_usi_transcripts.test_go_mate",
    "go: searchmoves": "test_usi_transcripts.test_searchmoves",
    "go: a single move needs no time": "test_usi_engine.test_a_single_move_does_not_use_up_its_byoyomi",
    "stop: one answer, at once": "test_usi_transcripts.test_stop_is_prompt_and_answered_once",
    "stop: before the search has begun": "test_usi_transcripts.test_stop_before_the_search_has_begun",
    "ponder: no bestmove before stop or ponderhit": "test_usi_ponder.test_no_bestmove_while_pondering",
    "ponder: gameover without stop": "test_usi_ponder.test_gameover_is_stop",
    "ponder: the move is legal and the second of the line":
        "test_usi_ponder.test_the_ponder_move_is_the_second_of_the_line",
    "bestmove: resign without a legal move": "test_usi_transcripts.test_no_legal_move_resigns",
    "bestmove: resign by value": "test_usi_choices.test_it_resigns_at_the_value_named_and_below",
    "bestmove: win by the rule that is set": "test_usi_transcripts.test_declaration "
        "test_usi_engine.test_declaration_by_the_rule_that_is_set",
    "bestmove: never without a move": "test_usi_transcripts.test_a_search_that_fails_still_plays_a_legal_move",
    "checkmate: moves, nomate, timeout": "test_usi_transcripts.test_go_mate",
    "info: mates in plies with signs": "test_usi_engine.test_mates_in_plies_with_signs",
    "info: multipv only if there are several, changed between searches":
        "test_usi_transcripts.test_multipv_changes_between_two_analyses",
    "info: a full line before every bestmove": "test_usi_transcripts.test_every_go_is_answered_in_time",
    "info: words and their order, the line last": "test_words_of_an_info_line",
    "info: PvInterval": "test_usi_choices.test_options_of_lines",
    "info: lines are legal": "test_usi_engine.test_no_time_loss_and_only_legal_moves",
    "rules: the move limit": "test_usi_engine.test_the_search_knows_the_last_move_of_the_game_and_what_a_draw_is_worth",
    "rules: repetition over the whole game": "test_usi_engine.test_repetition_is_seen_over_the_whole_game",
}  # fmt: skip


@pytest.mark.parametrize("point", POINTS)
def test_every_point_has_its_tests(point):
    for name in POINTS[point].split():
        module, _, function = name.rpartition(".")
        there = vars(importlib.import_module(f"tests.usi.{module}")) if module else globals()
        assert callable(there[function])


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
