"""What the tests of Shogi's rules share: the published cases and counts, and two ways of listing legal moves."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shogi_engine.games.shogi.game import GAME
from shogi_engine.games.shogi.sfen import format_usi, parse_sfen
from shogi_engine.perft import perft
from tests.support.shogi_moves import legal_moves
from tests.support.twins.naive_shogi import State

DATA = Path(__file__).parent.parent / "data"
# "Microcosmos" by Koji Hashimoto, 1986: a mate in 1525 plies.
MICROCOSMOS = "g1+P1k1+P+P+L/1p3P3/+R+p2pp1pl/1NNsg+p2+R/+b+nL+P1+p3/1P3ssP1/2P1+Ps2N/4+P1P1L/+B5G1g b - 1"


@cache
def rule_cases() -> dict[str, Any]:
    """Return the rule cases: legality, perft, repetition, declaration."""
    return json.loads((DATA / "shogi_rules.json").read_text())


@cache
def perft_positions() -> list[dict[str, Any]]:
    """Return the perft positions: each has sfen, tag and nodes by depth."""
    return json.loads((DATA / "shogi_perft.json").read_text())["positions"]


def legality_cases(letter: str) -> list[Any]:
    """Return the legality cases whose name begins with `letter`, as test parameters."""
    cases = [case for case in rule_cases()["legality"] if case["id"].startswith(letter)]
    assert cases
    return [pytest.param(case, id=case["id"]) for case in cases]


def kernel_moves(sfen: str) -> list[str]:
    """Return the kernels' legal moves in USI."""
    pos = parse_sfen(sfen)
    return [format_usi(pos, int(move)) for move in legal_moves(pos)]


def naive_moves(sfen: str) -> list[str]:
    """Return the naive twin's legal moves in USI."""
    return State.from_sfen(sfen).legal_moves()


def check_legality(case: dict[str, Any]) -> None:
    """Assert that the kernels and the naive twin agree with a published case, and with each other on the whole list."""
    for moves in (kernel_moves(case["sfen"]), naive_moves(case["sfen"])):
        assert len(moves) == len(set(moves))
        assert set(case["legal"]) <= set(moves)
        assert not set(case["illegal"]) & set(moves)
        assert case["count"] in (None, len(moves))
    assert set(kernel_moves(case["sfen"])) == set(naive_moves(case["sfen"]))
    assert perft(GAME, parse_sfen(case["sfen"]), 1).nodes == len(naive_moves(case["sfen"]))


def mirrored(sfen: str) -> str:
    """Return the SFEN with the board turned round and the colours exchanged."""
    rows, side, hands, number = sfen.split()
    board = "/".join("".join(reversed(_cells(row))) for row in reversed(rows.split("/")))
    return f"{board.swapcase()} {'w' if side == 'b' else 'b'} {hands.swapcase()} {number}"


def _cells(row: str) -> list[str]:
    """Return a rank's cells, a promoted piece's two characters as one."""
    cells: list[str] = []
    for letter in row:
        if cells and cells[-1] == "+":
            cells[-1] += letter
        else:
            cells.append(letter)
    return cells


def assert_same_record(first: Any, second: Any) -> None:
    """Assert that two records have equal fields, naming the first that differs."""
    for name in first.dtype.names:
        assert np.array_equal(first[name], second[name]), f"{name}: {first[name]} != {second[name]}"
