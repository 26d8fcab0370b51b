"""Check sentences that say "threatens to capture" against the board, over games at low levels with light judging.

    python -m tools.measure.threats [--sentences 200] [--show 50]

A sentence is true if, after its moves, the piece that it names stands on its square, the side that moved last could
capture it with profit if the other side passed, and could not have done so before that move. Profit is found here by
trying all captures on the square, without the code that found the fact. The status is 1 if a sentence is untrue.
`--show` prints as many of all the sentences of the games, for both kinds of readers.
"""

import argparse
import sys
from collections.abc import Iterator
from typing import Any

from shogi_engine.analysis.judgement import MISSED, GameAnalysis, PositionResult, judge, sentences
from shogi_engine.engine import Engine
from shogi_engine.games.shogi.board import Move
from shogi_engine.games.shogi.params import VALUES
from shogi_engine.games.shogi.types import SQUARES_BY_NAME, SYMBOLS, UNPROMOTED
from shogi_engine.play.words import level_limit
from shogi_engine.records import GameRecord
from shogi_engine.types.limits import Limit
from shogi_engine.types.outcomes import DAN, KYU, Fact, Kind

THREATS = (Kind.CAPTURE_THREATENED, Kind.CAPTURE_THREAT_MISSED)
NODES, PLIES = 3000, 120
LEVELS = (1, 3)  # of black and white
LEAST = 350  # centipawns: what a threat is worth


def judged_games(engine: Engine) -> Iterator[GameAnalysis]:
    """Yield judged games of the levels, without end."""
    while True:
        board, findings = engine.board(), dict[int, PositionResult]()
        while not board.is_game_over() and len(board.move_stack) < PLIES:
            found = engine.analyse(board, Limit(nodes=NODES))
            line = tuple(map(str, found.pv))
            findings[len(board.move_stack)] = PositionResult(line[0], found["score"], line)
            answer = engine.play(board, level_limit(engine, LEVELS[board.turn]))
            if answer.move is None:
                break
            board.push(answer.move)
        moves = [str(move) for move in board.move_stack]
        last = len(moves) if len(moves) in findings else len(findings) - 1
        yield judge(GameRecord.from_moves("shogi", moves[:last]), findings)


def profit(board: Any, square: int) -> int:
    """Return what the side to move wins by captures on a square, from which either side may abstain."""
    best = 0
    for move in list(board.legal_moves):
        if move.to_square == square and move.from_square is not None and board.piece_type_at(square):
            kind = int(board.piece_type_at(square))
            board.push(move)
            best = max(best, VALUES[kind] + VALUES[int(UNPROMOTED[kind])] - profit(board, square))
            board.pop()
    return best


def fault(board: Any, fact: Fact) -> str:
    """Return what is untrue of a fact, '' if nothing; `board` has the position before the move."""
    before, after = board.copy(), board.copy()
    for number, move in enumerate(fact.moves):
        after.push_text(move)
        if number < len(fact.moves) - 1:
            before.push_text(move)
    square = SQUARES_BY_NAME[fact.square]
    (named,) = fact.won if fact.kind in MISSED else fact.lost
    if SYMBOLS[after.piece_type_at(square)] != named or after.color_at(square) != after.turn:
        return "the piece does not stand there"
    if profit(before, square) >= LEAST:
        return "it could be captured before"
    after.push(Move.null())
    return "" if profit(after, square) > 0 else "the capture is no profit"


def main() -> int:
    """Check the sentences; print what is untrue, and some of all sentences."""
    arguments = argparse.ArgumentParser(description="Check sentences about threats against the board.")
    arguments.add_argument("--sentences", type=int, default=200)
    arguments.add_argument("--show", type=int, default=0)
    args = arguments.parse_args()
    games = checked = untrue = shown = 0
    with Engine("shogi", hash_mb=16) as engine:
        for game in judged_games(engine):
            games += 1
            for move, board in game.boards():
                for fact in game.why.get(move.ply, ()):
                    said = [
                        sentences("shogi", board, [fact], language, words)[0]
                        for language, words in (("en", DAN), ("en", KYU), ("ja", DAN), ("ja", KYU))
                    ]
                    if shown < args.show:
                        shown += 1
                        print(f"{board.sfen()} {move.move}", *said, sep="\n    ", flush=True)
                    if fact.kind in THREATS and checked < args.sentences:
                        checked += 1
                        if wrong := fault(board, fact):
                            untrue += 1
                            print(f"UNTRUE ({wrong}): {board.sfen()} {fact.moves} {said[0]}", flush=True)
            if checked >= args.sentences and shown >= args.show:
                break
    print(f"{games} games, {checked} sentences checked, {untrue} untrue")
    return int(untrue > 0)


if __name__ == "__main__":
    sys.exit(main())
