"""Random records for round trips and damage: legal games with variations, comments, times and endings."""

import random
from itertools import islice

from shogi_engine.games.othello.board import Board as OthelloBoard
from shogi_engine.games.shogi.board import Board as ShogiBoard
from shogi_engine.games.shogi.records.kakinoki import HANDICAPS, WORDS as KIF_WORDS
from shogi_engine.records import GameRecord, Outcome, Termination
from shogi_engine.types.outcomes import usual_outcome
from shogi_engine.types.results import Score

HELD = tuple(dict.fromkeys(termination for termination, _ in KIF_WORDS.words.values()))  # by KIF and JKF
BOARDS = {"shogi": ShogiBoard, "othello": OthelloBoard}
WORDS = (
    *(
        "good", "\u597d\u624b", "* star", "'quote", "a, b", "%TORYO", "\u5909\u5316\uff1a2\u624b",
        "1 \uff17\u516d\u6b69(77)",
    ),
    *("&", "x]y\\z", "  indented", "", "-", "/", "\u307e\u30675\u624b\u3067\u4e2d\u65ad", "\u9b31", "?", "!? so", "??"),
)  # fmt: skip
SHOGI_STARTS = (*HANDICAPS.values(), "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1")


def random_move(rng, board, game):
    """Return a random legal move as text, captures preferred; None if there is none."""
    moves = list(board.legal_moves)
    if not moves:
        return None
    if game == "shogi":
        captures = [move for move in moves if board.is_capture(move)]
        moves = captures if captures and rng.random() < 0.4 else moves
    return str(rng.choice(moves))


def random_comment(rng):
    """Return a comment of one to three lines, '' often; no line at its ends is empty: formats differ in these."""
    if rng.random() < 0.7:
        return ""
    lines = [rng.choice(WORDS) for _ in range(rng.randrange(1, 4))]
    return "\n".join(lines).strip("\n")


def add_evaluation(rng, node, board):
    """Give a node a random evaluation, depth and line, or not."""
    if rng.random() < 0.3:
        scores = (Score(rng.randrange(-3000, 3000)), Score.mate_in(rng.randrange(1, 30)), Score.mated_in(None))
        node.evaluation = rng.choice(scores)
        node.depth = rng.choice((None, rng.randrange(1, 40)))
        reply = random_move(rng, board, "shogi")
        node.pv = (reply,) if reply and rng.random() < 0.5 else ()


def add_line(rng, node, board, game, plies):
    """Add a random line after `node`, `board` being there, and return its last node; the board is put back."""
    made = 0
    for _ in range(plies):
        move = random_move(rng, board, game)
        if move is None:
            break
        node = node.add(
            move, comment=random_comment(rng), seconds=None if rng.random() < 0.3 else float(rng.randrange(4000))
        )
        board.push_text(move)
        if game == "shogi":
            add_evaluation(rng, node, board)
        made += 1
    for _ in range(made):
        board.pop()
    return node


def random_record(seed, game="shogi", plies=60, variations=3, start=None):
    """Return a random record. Its variations are in the order KIF writes them, as any order is."""
    rng = random.Random(seed)
    if start is None:
        start = rng.choice(SHOGI_STARTS) if game == "shogi" and rng.random() < 0.3 else ""
    record = GameRecord(game, start)
    record.root.comment = random_comment(rng)
    board = record.board(0)
    last = add_line(rng, record.root, board, game, rng.randrange(1, plies))
    if game == "shogi" and rng.random() < 0.7:
        last.end(usual_outcome(rng.choice(HELD), record.side(len(record.moves))))
        last.ending_seconds = rng.choice((None, 5.0))
    for _ in range(rng.randrange(variations + 1)):
        lines = list(islice(record.lines(), 5))
        _, line = rng.choice(lines)
        path = path_to(
            record, rng.choice([node for node in line if node.children and not node.ending] or [record.root])
        )
        if path[-1].ending or not path[-1].children:
            continue
        board = record.board(0)
        for node in path[1:]:
            board.push_text(node.move)
        end = add_line(rng, path[-1], board, game, rng.randrange(1, 8))
        if game == "shogi" and rng.random() < 0.3:
            end.end(Outcome(None, Termination.INTERRUPTED))
    record.names = [rng.choice(("", "\u5148\u624b\u592a\u90ce", "Engine 2 (1800)")) for _ in range(2)]
    if rng.random() < 0.5:
        started = "2020/01/02 10:00:00" if game == "shogi" else "2020-01-02"  # in the form that all formats have
        record.headers = {"event": "\u7b2c1\u671f", "started": started}
    return record


def path_to(record, target):
    """Return the nodes from the root to `target`."""
    todo = [[record.root]]
    while todo:
        path = todo.pop()
        if path[-1] is target:
            return path
        todo += [[*path, child] for child in path[-1].children]
    raise AssertionError("the node is not in the record")


def reduced(record, holds):
    """Return what of a record a format with `holds` can hold, to be compared."""

    def node(each):
        values = [each.move]
        if "comments" in holds:
            values.append(each.comment)
        if "times" in holds:
            seconds = each.seconds
            whole = "fractions of seconds" not in holds and seconds is not None
            values.append(int(seconds) if whole else seconds)
        if "evaluations" in holds and "depths and lines of searches" in holds:
            values += [each.evaluation, each.depth, each.pv]
        return tuple(values)

    lines = []
    for ply, line in record.lines():
        if ply and "variations" not in holds:
            break
        lines.append((ply, [node(each) for each in line]))
    return lines
