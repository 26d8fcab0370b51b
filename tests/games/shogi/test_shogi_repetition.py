"""Repetition over a whole game: the fourth occurrence of board, hands and turn, and perpetual check."""

import random

import pytest

from shogi_engine.games.shogi.board import BLACK, STARTING_SFEN, WHITE, Board, Outcome, Termination
from shogi_engine.jit import JIT_DISABLED
from tests.support.shogi_cases import mirrored, rule_cases
from tests.support.twins.naive_shogi import State, repetition

OUTCOMES = {
    "none": None,
    "draw": Outcome(None, Termination.FOURFOLD_REPETITION),
    "black_loses": Outcome(WHITE, Termination.PERPETUAL_CHECK),
    "white_loses": Outcome(BLACK, Termination.PERPETUAL_CHECK),
}
CASES = [pytest.param(case, id=case["id"]) for case in rule_cases()["repetition"]]


def play(sfen, moves):
    """Return the board after `moves`, none of which may come after the game's end."""
    board = Board(sfen)
    for usi in moves:
        assert board.outcome() is None
        board.push_usi(usi)
    return board


def rotated(usi):
    """Return a move as the other side sees it."""
    turned = "".join(
        str(10 - int(letter))
        if letter.isdigit()
        else "ihgfedcba"["abcdefghi".index(letter)]
        if letter.islower()
        else letter
        for letter in usi
    )
    assert len(turned) == len(usi)
    return turned


@pytest.mark.parametrize("case", CASES)
def test_published_case(case):
    board = play(case["sfen"], case["moves"])
    assert board.outcome() == OUTCOMES[case["result"]]
    assert board.is_fourfold_repetition() == (case["result"] != "none")
    assert board.is_game_over() == (case["result"] != "none")


@pytest.mark.parametrize("case", CASES)
def test_naive_twin(case):
    states = [State.from_sfen(case["sfen"])]
    for usi in case["moves"]:
        assert repetition(states) == "none"
        assert usi in states[-1].legal_moves()
        states.append(states[-1].after(usi))
    assert repetition(states) == case["result"]


@pytest.mark.parametrize("case", CASES)
def test_colours_exchanged(case):
    sfen = STARTING_SFEN if case["sfen"] == "startpos" else case["sfen"]
    board = play(mirrored(sfen), [rotated(usi) for usi in case["moves"]])
    swapped = {"black_loses": "white_loses"}.get(case["result"], case["result"])
    assert board.outcome() == OUTCOMES[swapped]


def test_counts_and_pop():
    cycle = ["2h3h", "8b7b", "3h2h", "7b8b"]
    board = play("startpos", cycle * 2)
    assert board.is_repetition(3) and not board.is_repetition(4)
    for usi in cycle:
        board.push_usi(usi)
    assert board.is_repetition(4) and not board.is_repetition(5)
    board.pop()
    assert not board.is_fourfold_repetition()
    assert board.outcome() is None


def test_long_game_outgrows_the_first_buffer():
    cycle = ["5i5h", "5a5b", "5h5i", "5b5a"]
    board = Board("4k4/9/9/9/9/9/9/9/4K4 b - 1")
    for usi in cycle * 50:
        board.push_usi(usi)
    assert len(board.move_stack) == 200
    assert board.is_repetition(51) and not board.is_repetition(52)
    while board.move_stack:
        board.pop()
    assert board.sfen() == "4k4/9/9/9/9/9/9/9/4K4 b - 1"


def test_games_that_go_round_against_the_naive_twin():
    """Few pieces, and moves back to where the game has been before: repetitions of all kinds come up."""
    rng, results = random.Random(8), []
    for number in range(10 if JIT_DISABLED else 60):
        sfen = ["4k4/9/9/9/9/3R5/9/9/4K4 b - 1", "4k4/9/4b4/9/9/9/9/3+r5/6K2 b G 1"][number % 2]
        board, states = Board(sfen), [State.from_sfen(sfen)]
        for _ in range(80):
            moves = states[-1].legal_moves()
            seen = {state.identity() for state in states}
            back = [usi for usi in moves if states[-1].after(usi).identity() in seen]
            checks = [usi for usi in moves if states[-1].after(usi).in_check(states[-1].after(usi).turn)]
            choice = back if back and rng.random() < 0.9 else checks if checks and rng.random() < 0.7 else moves
            usi = rng.choice(choice)
            board.push_usi(usi)
            states.append(states[-1].after(usi))
            if board.is_checkmate() or board.is_stalemate():
                break
            assert board.outcome() == OUTCOMES[repetition(states)]
            if board.is_game_over():
                results.append(repetition(states))
                break
    assert JIT_DISABLED or {"draw", "black_loses", "white_loses"} <= set(results)
