"""What the conformance tests need to know of each game: CASES. A new game adds a case here, and has all the tests."""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.batch import Batch
from shogi_engine.games.othello import GAME as OTHELLO
from shogi_engine.games.othello.board import Board as OthelloBoard
from shogi_engine.games.othello.endgame.solver import Solver
from shogi_engine.games.shogi import GAME as SHOGI
from shogi_engine.games.shogi.board import Board as ShogiBoard
from shogi_engine.interface.game import Game, do_move, generate_captures
from shogi_engine.jit import JIT_DISABLED
from shogi_engine.search.context import new_context
from tests.support.games import othello4, tictactoe
from tests.support.move_lists import legal_moves
from tests.support.sizes import sized
from tests.support.twins import naive_othello, naive_shogi, naive_tictactoe

TESTS = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class ConformanceCase:
    """A game under test.

    naive_moves(text) -> list[str]   the legal moves of a position by an independent, plain reading of the rules
    mirrors                          functions from the notation of a position to that of one that is its mirror image:
                                     as many moves, the same value for the side to move
    evaluation                       whose values are so, '' for the default
    starts                           notations to begin random play from
    games, plies                     how many random games to play, and how long at most
    depth                            of the perft that is counted in every way
    odd_texts                        what parse_position refuses
    is_needless(text, move) -> bool  whether a legal move of a position is one that a search leaves out, likewise
    use_other_kernels()              calls the kernels that are none of the protocol's rules, nor called by one
    """

    game: Game
    naive_moves: Callable[[str], list[str]]
    mirrors: tuple[Callable[[str], str], ...]
    starts: tuple[str, ...]
    games: int
    plies: int
    depth: int
    odd_texts: tuple[str, ...]
    is_needless: Callable[[str, str], bool] = lambda text, move: False
    use_other_kernels: Callable[[], object] = lambda: None
    evaluation: str = ""

    def __str__(self) -> str:
        return self.game.name


def random_move(ctx: Any, rng: random.Random, moves: list[np.uint32]) -> np.uint32:
    """Return one of `moves`, a capture rather often: games that only shuffle pieces see little."""
    legal = set(moves)
    captures = [move for move in ctx.moves[: generate_captures(ctx, 0)].copy() if move in legal]
    return rng.choice(captures if captures and rng.random() < 0.3 else moves)


def random_positions(case: ConformanceCase) -> Iterator[Any]:
    """Yield a context at each position of some random games (always the same ones), its undo records the game's moves.

    A test that changes the context's position or undo records restores them. By day there are fewer games.
    """
    game = case.game
    for number in range(case.games // 4 if JIT_DISABLED else sized(case.games // 4, case.games)):
        rng = random.Random(number)
        ctx = new_context(game)
        ctx.pos = game.parse_position(case.starts[number % len(case.starts)])
        for _ in range(case.plies):
            yield ctx
            moves = legal_moves(ctx)
            if not moves:
                break
            do_move(ctx.pos, random_move(ctx, rng, moves), ctx.undo[ctx.game_ply])
            ctx.game_ply += 1


# ---- Shogi -------------------------------------------------------------------------------------------------------


def naive_shogi_moves(sfen: str) -> list[str]:
    """Return the legal moves by the naive twin of the rules."""
    return naive_shogi.State.from_sfen(sfen).legal_moves()


def is_needless_in_shogi(sfen: str, usi: str) -> bool:
    """Tell by the naive twin whether a move declines a promotion needlessly."""
    return naive_shogi.State.from_sfen(sfen).is_needless(usi)


def change_sides(sfen: str) -> str:
    """Return the position with the board turned round and the colours exchanged."""
    board, side, hands, number = sfen.split()
    return f"{turned(board[::-1]).swapcase()} {'w' if side == 'b' else 'b'} {hands.swapcase()} {number}"


def left_to_right(sfen: str) -> str:
    """Return the position as a mirror at the board's side shows it."""
    board, *rest = sfen.split()
    return " ".join(["/".join(turned(row[::-1]) for row in board.split("/")), *rest])


def turned(backward: str) -> str:
    """Return part of an SFEN's board that was read backward with each '+' before its letter again."""
    letters = list(backward)
    for place, letter in enumerate(letters):
        if letter == "+":
            letters[place - 1 : place + 1] = ["+", letters[place - 1]]
    return "".join(letters)


def use_shogi_board() -> None:
    """Ask a Board what it asks kernels of its own."""
    board = ShogiBoard()
    board.push_usi("7g7f")
    board.is_repetition()
    board.key()
    board.see(next(iter(board.legal_moves)))
    board.is_pinned(0, 0)
    board.attackers(0, 0)
    board.attacks(0)
    board.declaration()
    board.text(board.parse_text("５二金右"))
    board.outcome()
    board.pop()
    move = next(iter(board.legal_moves))
    board.gives_check(move)
    assert move in board.legal_moves and len(board.legal_moves) == 30
    board.set_sfen(board.sfen()[:-1] + "2")  # the start needs no kernel
    board.set_hcp(board.to_hcp())
    board.set_piece_at(40, None)
    board.key()
    batch = Batch("shogi")
    for legal in (False, True):
        batch.apply(batch.pack([board.sfen()]), [int(move)], checked=legal)


def shogi_starts() -> tuple[str, ...]:
    """Return the positions of the perft file: pins, checks, promotions, full hands."""
    positions = json.loads((TESTS / "data" / "shogi_perft.json").read_text())["positions"]
    return tuple(position["sfen"] for position in positions)


# ---- Othello -----------------------------------------------------------------------------------------------------

OTHELLO_MIRRORS = (naive_othello.change_sides, naive_othello.left_to_right, naive_othello.transpose)


def use_othello_board() -> None:
    """Ask a Board and a Solver what they ask kernels of their own."""
    solver = Solver(OTHELLO, hash_mb=1)
    solver.warmup()
    solver.scores(np.array([1], np.uint64), ~np.array([1], np.uint64))
    board = OthelloBoard()
    board.push_text("d3")
    move = next(iter(board.legal_moves))
    board.flipped(move)
    assert move in board.legal_moves and len(board.legal_moves) == 3
    board.canonical()
    board.key()
    board.transformed(1)
    board.outcome()
    board.pop()


CASES = [
    ConformanceCase(
        game=tictactoe.GAME,
        naive_moves=naive_tictactoe.legal_moves,
        mirrors=(naive_tictactoe.transpose, naive_tictactoe.flip),
        starts=(tictactoe.GAME.start,),
        games=100,
        plies=10,
        depth=7,
        odd_texts=("", "--------", "----------", "XX-------", "O--------", "x--------"),
    ),
    ConformanceCase(
        game=SHOGI,
        naive_moves=naive_shogi_moves,
        mirrors=(change_sides, left_to_right),
        starts=shogi_starts(),
        games=24,
        plies=80,
        depth=3,
        odd_texts=("", "9/9/9/9/9/9/9/9 b - 1", "9/9/9/9/9/9/9/9/9 x - 1", "K8/9/9/9/9/9/9/9/8K b - 1"),
        is_needless=is_needless_in_shogi,
        use_other_kernels=use_shogi_board,
        evaluation="king-piece",  # the network does not mirror a board whose king is on the middle file
    ),
    ConformanceCase(
        game=othello4.GAME,
        naive_moves=naive_othello.legal_moves,
        mirrors=OTHELLO_MIRRORS,
        starts=(othello4.GAME.start,),
        games=60,
        plies=20,
        depth=8,
        odd_texts=("", "-----OX--XO-----", "-----OX--XO---- X", "-----OX--XO------ X", "-----OX--XO----- Y"),
    ),
    ConformanceCase(
        game=OTHELLO,
        naive_moves=naive_othello.legal_moves,
        mirrors=OTHELLO_MIRRORS,
        starts=(OTHELLO.start,),
        games=30,
        plies=70,
        depth=6,
        odd_texts=("", "-" * 64, "-" * 63 + " X", "-" * 64 + " Y", "Z" * 64 + " X"),
        use_other_kernels=use_othello_board,
    ),
]
