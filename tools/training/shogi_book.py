"""Make the opening book by the engine's own search.

    python -m tools.training.shogi_book run.jsonl --positions 800 --nodes 300000 --out shogi_engine/games/shogi/book.db

From the start position on, the position that both sides are likeliest to reach is searched next: a move costs a fixed
share for its ply and what it is worth less than the best. Each position is searched for its best few moves by nodes
alone, with an empty table; so a run depends on its arguments only. run.jsonl gets a line for each position: a run that
was stopped goes on, also with more --positions. The values written are those of the last positions reached, brought
back through the book (negamax).
"""

import argparse
import heapq
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.book import BookMove
from shogi_engine.game import VALUE_MATE_IN_MAX, do_move
from shogi_engine.games.shogi import GAME
from shogi_engine.games.shogi.book import Book, flipped_key, flipped_move, position_key
from shogi_engine.jit import new_record
from shogi_engine.search.limits import Limits
from shogi_engine.search.root import Searcher

BATCH = 4  # positions taken from the queue at a time, whatever the threads
PLY_COST = 15  # centipawns: so much better a line has to be to be followed a ply further than another


def after(sfen: str, move: str) -> str:
    """Return the key of the position after `move`."""
    position = GAME.parse_position(f"{sfen} 1")
    do_move(position, np.uint32(GAME.parse_move(position, move)), new_record(GAME.undo))
    return position_key(GAME.format_position(position))


def canonical(key: str) -> str:
    """Return the key under which a position and its twin with the colours exchanged are both kept: black to move."""
    return key if key.split()[1] == "b" else flipped_key(key)


def searched(searcher: Searcher, key: str, nodes: int, width: int) -> list[dict[str, Any]]:
    """Return the best moves of a position, the best first."""
    position = GAME.parse_position(f"{key} 1")
    searcher.new_game()
    result = searcher.search(position, (), Limits(nodes=nodes, multipv=width))
    moves = []
    for info in result.infos:
        undo, pos, texts = new_record(GAME.undo), position.copy(), []
        for move in info.pv[:2]:
            texts.append(GAME.format_move(pos, move))
            do_move(pos, np.uint32(move), undo)
        if abs(info.score) < VALUE_MATE_IN_MAX:
            moves.append({"move": texts[0], "ponder": "".join(texts[1:2]), "value": info.score, "depth": info.depth})
    return sorted(moves, key=lambda each: -each["value"])


class Maker:
    """The queue of positions to search, and those that are. `width` moves each, within `margin` of the best."""

    def __init__(self, margin: int, max_ply: int) -> None:
        self.margin, self.max_ply = margin, max_ply
        self.found: dict[str, list[dict[str, Any]]] = {}
        self.ply: dict[str, int] = {}
        start = position_key(GAME.start)
        self._queue: list[tuple[int, int, str]] = [(0, 0, start)]

    def next(self, count: int) -> list[tuple[int, int, str]]:
        """Return (cost, ply, key) of up to `count` positions not searched yet, the likeliest first."""
        taken: list[tuple[int, int, str]] = []
        while self._queue and len(taken) < count:
            cost, ply, key = heapq.heappop(self._queue)
            if key not in self.ply:
                self.ply[key] = ply
                taken.append((cost, ply, key))
        return taken

    def add(self, cost: int, ply: int, key: str, moves: list[dict[str, Any]]) -> None:
        """Take a searched position's moves, and queue what they lead to."""
        kept = [each for each in moves if each["value"] >= moves[0]["value"] - self.margin]
        self.found[key] = kept
        for each in kept if ply < self.max_ply else ():
            child = canonical(after(key, each["move"]))
            loss = moves[0]["value"] - each["value"]
            heapq.heappush(self._queue, (cost + PLY_COST + loss, ply + 1, child))

    def book(self) -> Book:
        """Return the book, its values brought back from the positions furthest on."""
        book = Book()
        for key in sorted(self.found, key=lambda each: -self.ply[each]):
            moves = []
            for each in self.found[key]:
                move = BookMove(each["move"], each["ponder"], each["value"], each["depth"], 1)
                child = canonical(after(key, move.move))
                answers = book.positions.get(child, [])
                if answers and self.ply[child] > self.ply[key]:
                    best = max(answers, key=lambda answer: answer.value)
                    known_turned = child != after(key, move.move)
                    reply = flipped_move(best.move) if known_turned else best.move
                    move = replace(move, value=-best.value, ponder=reply, depth=best.depth + 1)
                moves.append(move)
            if moves:
                top = max(move.value for move in moves)
                book.positions[key] = [move for move in moves if move.value >= top - self.margin]
        return book


def main(words: list[str] | None = None) -> int:
    """Search what is missing and write the book."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--positions", type=int, default=800)
    parser.add_argument("--nodes", type=int, default=300_000, help="for each position")
    parser.add_argument("--width", type=int, default=3, help="moves searched for each position")
    parser.add_argument("--margin", type=int, default=50, help="centipawns a kept move may be worth less than the best")
    parser.add_argument("--max-ply", type=int, default=24)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args(words)
    settings = {name: getattr(arguments, name) for name in ("nodes", "width", "margin", "max_ply")}
    known: dict[str, list[dict[str, Any]]] = {}
    if arguments.run.exists():
        data = arguments.run.read_bytes()
        lines = [json.loads(line) for line in data[: data.rfind(b"\n") + 1].splitlines()]
        if lines and lines[0] != settings:
            print(f"{parser.prog}: {arguments.run} is of a run with {lines[0]}", file=sys.stderr)
            return 2
        known = {line["sfen"]: line["moves"] for line in lines[1:]}
        arguments.run.write_bytes(data[: data.rfind(b"\n") + 1])  # without a line that was torn
    maker = Maker(arguments.margin, arguments.max_ply)
    searchers = [Searcher(GAME, hash_mb=16) for _ in range(BATCH)]
    with arguments.run.open("a") as run, ThreadPoolExecutor(max(arguments.threads, 1)) as pool:
        if run.tell() == 0:
            run.write(json.dumps(settings) + "\n")
        while len(maker.found) < arguments.positions:
            batch = maker.next(BATCH)
            if not batch:
                break
            jobs = [
                pool.submit(searched, searcher, key, arguments.nodes, arguments.width)
                for searcher, (_, _, key) in zip(searchers, batch, strict=False)
                if key not in known
            ]
            results = iter(jobs)
            for cost, ply, key in batch:
                if key not in known:
                    known[key] = next(results).result()
                    run.write(json.dumps({"sfen": key, "moves": known[key]}) + "\n")
                    run.flush()
                if known[key]:
                    maker.add(cost, ply, key, known[key])
            if sys.stderr.isatty():
                print(f"\r{len(maker.found)} positions", end="", file=sys.stderr, flush=True)
    book = maker.book()
    arguments.out.write_text(book.text())
    print(f"{len(book.positions)} positions, {sum(map(len, book.positions.values()))} moves: {arguments.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
