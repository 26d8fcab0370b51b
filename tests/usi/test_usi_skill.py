"""SkillLevel: weaker by steps, still legal, and at its lowest no match for a player who looks one ply ahead."""

import random

import pytest
import shogi

from shogi_engine.games.shogi.names import FULL, plan
from shogi_engine.interface.extras import drawn_limits
from tests.support.shogi_cases import MICROCOSMOS
from tests.support.usi_driver import REAL, Process

VALUE = {shogi.PAWN: 1, shogi.LANCE: 3, shogi.KNIGHT: 4, shogi.SILVER: 5, shogi.GOLD: 6, shogi.BISHOP: 8,
         shogi.ROOK: 10,
         shogi.PROM_PAWN: 6, shogi.PROM_LANCE: 6, shogi.PROM_KNIGHT: 6, shogi.PROM_SILVER: 6, shogi.PROM_BISHOP: 11,
         shogi.PROM_ROOK: 13}  # fmt: skip


def limits(level, moves, rng):
    """Return what a search at `level` among `moves` is limited to."""
    return {"searchmoves": moves} | drawn_limits(plan(level), moves, rng)


def test_each_level_sees_more_than_the_one_below():
    rng, moves = random.Random(1), [f"move{number}" for number in range(80)]
    seen = []
    for level in range(FULL):
        asked = limits(level, moves, rng)
        assert set(asked["searchmoves"]) <= set(moves) and len(set(asked["searchmoves"])) == len(asked["searchmoves"])
        seen.append((asked.get("nodes", 0), len(asked["searchmoves"])))
        assert ("nodes" in asked) != (asked.get("depth") == 1)
    assert seen == sorted(set(seen)) and seen[0] == (0, 1)
    assert limits(0, ["7g7f"], rng)["searchmoves"] == limits(3, ["7g7f"], rng)["searchmoves"] == ["7g7f"]
    draws = [[limits(1, moves, random.Random(seed)) for seed in range(50)] for _ in range(2)]
    assert draws[0] == draws[1] and draws[0][0] != draws[0][1]  # seeded, and chance all the same


def material(board, colour):
    """Return the value of a colour's pieces less the other's, hands included."""
    total = 0
    for square in shogi.SQUARES:
        piece = board.piece_at(square)
        if piece and piece.piece_type != shogi.KING:
            total += VALUE[piece.piece_type] * (1 if piece.color == colour else -1)
    for owner in (shogi.BLACK, shogi.WHITE):
        for kind, count in board.pieces_in_hand[owner].items():
            total += VALUE[kind] * count * (1 if owner == colour else -1)
    return total


def greedy(board, rng):
    """Return a mate if there is one, else one of the moves that win most at once."""
    best, chosen = -(10**9), []
    colour = board.turn
    for move in list(board.legal_moves):
        board.push(move)
        value = 10**6 if board.is_checkmate() else material(board, colour)
        board.pop()
        if value > best:
            best, chosen = value, []
        if value == best:
            chosen.append(move)
    return rng.choice(chosen).usi()


def test_the_lowest_level_loses_to_one_ply():
    rng, lead = random.Random(5), []
    with Process(REAL) as engine:
        engine.ready("setoption name USI_Hash value 8", "setoption name SkillLevel value 0")
        for game in range(8):
            board, moves = shogi.Board(), []
            while len(moves) < 120 and not board.is_game_over():
                if len(moves) % 2 == game % 2:
                    moves.append(greedy(board, rng))
                else:
                    engine.send(f"position startpos moves {' '.join(moves)}", "go btime 60000 wtime 60000")
                    moves.append(engine.until("bestmove")[-1].split()[1])
                    if moves[-1] == "resign":
                        break
                assert shogi.Move.from_usi(moves[-1]) in board.legal_moves
                board.push_usi(moves[-1])
            lead.append(material(board, shogi.WHITE if game % 2 else shogi.BLACK))
    assert sum(ahead > 0 for ahead in lead) >= 6 and sum(lead) > 100, lead


@pytest.mark.parametrize("multipv", [1, 2])
def test_a_weak_move_has_its_info_line_and_analysis_is_not_weakened(multipv):
    with Process(REAL) as engine:
        engine.ready("setoption name SkillLevel value 7", f"setoption name MultiPV value {multipv}")
        engine.send("setoption name PvInterval value 0", "position startpos", "go movetime 3000")
        lines = engine.until("bestmove")
        assert engine.came - engine.sent < 2.9
        best = next(line for line in reversed(lines) if multipv == 1 and " pv " in line or " multipv 1 " in line)
        assert best.split(" pv ")[1].split()[0] == lines[-1].split()[1]
        engine.send("go infinite")
        seen = " ".join(engine.silent(0.5)).split()
        assert max(int(after) for word, after in zip(seen, seen[1:], strict=False) if word == "nodes") > 2000
        engine.send("stop")
        engine.until("bestmove")
        engine.send("position startpos", "go mate 100")
        engine.until("checkmate nomate", 120)  # it is compiled by now
        engine.send(f"position sfen {MICROCOSMOS}", "go mate 300")
        engine.until("checkmate timeout")
        assert engine.came - engine.sent > 0.2
