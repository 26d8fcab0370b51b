"""Batches beside Boards, in positions of random games: `python -m tests.support.batch_checks GAME POSITIONS`.

A program, so that it can be run without compiling.
"""

import json
import random
import sys

import numpy as np

from shogi_engine import games
from shogi_engine.batch import Batch
from shogi_engine.interface.game import NOT_OVER, TERMINATIONS

PACKED = {"shogi": "to_hcp", "othello": "to_packed"}


def random_boards(game, count, seed=5):
    """Yield boards of random games: of each a few, the last one among them. Each is as it is only until the next."""
    rng, found, loaded = random.Random(seed), 0, games.load(game)
    while found < count:
        board = games.board(loaded, loaded.parse_position(loaded.start))
        share = rng.choice([0.05, 0.3, 1.0])
        for _ in range(rng.randrange(4, 200)):
            moves = list(board.legal_moves)
            if not moves or board.outcome() is not None:
                yield board
                found += 1
                break
            board.push(rng.choice(moves))
            if rng.random() < share and found < count and board.outcome() is None:
                yield board
                found += 1


def facts(board, rng, name):
    """Return what a Board says of its position: bytes, moves, a move, the bytes after it, check, result."""
    moves = [int(move) for move in board.legal_moves]
    outcome, before = board.outcome(), getattr(board, name)()
    result = 0 if outcome is None or outcome.winner is None else 1 if outcome.winner == board.turn else -1
    check = name == "to_hcp" and board.is_check()
    if not moves:
        return before, moves, 0, before, check, result, outcome is not None
    move = rng.choice(list(board.legal_moves))
    board.push(move)
    after = getattr(board, name)()
    board.pop()
    return before, moves, int(move), after, check, result, outcome is not None


def check_rules(batch, rows):
    """Compare moves, masks, checks and results of all `rows`, as `facts` returns them."""
    packed = np.array([list(row[0]) for row in rows], dtype=np.uint8)
    legal = batch.legal_moves(packed)
    for row, (_, moves, *_rest) in enumerate(rows):
        assert legal.labels[row, : len(moves)].tolist() == moves and (legal.labels[row, len(moves) :] == -1).all()
    assert legal.counts.tolist() == [len(row[1]) for row in rows]
    for layout in batch.layouts:
        labels, counts = batch.legal_moves(packed, layout)
        assert (counts == legal.counts).all()
        shown = labels[np.arange(labels.shape[1]) < counts[:, None]]
        if layout == "squares":  # has no pass
            assert (shown == np.array([move & 63 if move < 128 else -1 for row in rows for move in row[1]])).all()
        else:
            assert ((shown >= 0) & (shown < batch.layouts[layout])).all()
            number = np.repeat(np.arange(len(rows), dtype=np.int64), counts)
            assert len(np.unique(number * batch.layouts[layout] + shown)) == len(shown)
        if batch.layouts[layout] < 20000:
            masks = batch.legal_masks(packed, layout)
            assert masks.sum() == (shown >= 0).sum()
            number = np.repeat(np.arange(len(rows)), counts)[shown >= 0]
            assert masks[number, shown[shown >= 0]].all()
    assert batch.checks(packed).tolist() == [row[4] for row in rows]
    outcomes = batch.outcomes(packed)
    assert outcomes.over.tolist() == [row[6] for row in rows]
    assert outcomes.result.tolist() == [row[5] for row in rows]
    assert {TERMINATIONS[number] for number in outcomes.termination if number != NOT_OVER} <= {"no legal move"}
    return packed


def check_moves(batch, packed, rows):
    """Compare the moves that are made in `packed`, and what moves are called in the layouts."""
    going = np.array([bool(row[1]) for row in rows])
    packed, rows = packed[going], [row for row in rows if row[1]]
    moves = np.array([row[2] for row in rows])
    expected = np.array([list(row[3]) for row in rows], dtype=np.uint8)
    assert (batch.apply(packed, moves) == expected).all()
    assert (batch.apply(packed, moves, checked=False) == expected).all()
    for layout in batch.layouts:
        if layout != "squares":
            labels = batch.relabel(packed, moves, "ids", layout)
            assert (batch.relabel(packed, labels, layout, "ids") == moves).all()
            assert (batch.apply(packed[:50], labels[:50], layout) == expected[:50]).all()
    there = packed.copy()
    assert batch.apply(there, moves, out=there) is there and (there == expected).all()


def check_packings(batch, packed):
    """Turn positions into other packed forms and text, and back."""
    for name in batch.packings:
        other = Batch(batch.game.name, name)
        assert (other.repack(batch.repack(packed, name), batch.packings[0]) == packed).all()
    assert (batch.pack(batch.texts(packed[:20])) == packed[:20]).all()


def naive_shogi_planes(board):
    """Return dlshogi's planes by asking a Board about each square."""
    kinds = [1, 2, 3, 4, 6, 7, 5, 8, 9, 10, 11, 12, 13, 14]
    first, second = np.zeros((62, 9, 9)), np.zeros((57, 9, 9))
    us = board.turn
    for square in range(81):
        seen = square if us == 0 else 80 - square
        place = 8 - seen % 9, seen // 9
        piece = board.piece_at(square)
        if piece:
            first[(31 if piece.color != us else 0) + kinds.index(piece.piece_type), *place] = 1
        for color in range(2):
            base = 31 if color != us else 0
            attackers = list(board.attackers(color, square))
            for attacker in attackers:
                first[base + 14 + kinds.index(board.piece_type_at(attacker)), *place] = 1
            first[base + 28 : base + 28 + min(len(attackers), 3), *place] = 1
    start = 0
    for color in (us, 1 - us):
        for kind, most in ((1, 8), (2, 4), (3, 4), (4, 4), (5, 4), (6, 2), (7, 2)):
            second[start : start + min(board.pieces_in_hand[color][kind], most)] = 1
            start += most
    second[56] = board.is_check()
    return first, second


def check_shogi_features(batch, boards):
    """Compare planes with naive ones, and what must be so of indices."""
    packed = np.array([list(board.to_hcp()) for board in boards], dtype=np.uint8)
    planes = batch.features(packed, "dlshogi1", "dlshogi2")
    for row, board in enumerate(boards):
        for found, expected in zip(planes, naive_shogi_planes(board), strict=True):
            assert (found[row] == expected).all()
    as_floats = batch.features(packed, "dlshogi1", dtype=np.float32)
    assert as_floats.dtype == np.float32 and (as_floats == planes[0]).all()
    pieces = batch.features(packed, "alphazero")
    for row, board in enumerate(boards):
        assert pieces[row, :28].sum() == len(board.piece_map())
        turned = pieces[row, 7].ravel().argmax()  # the own king
        assert (turned if board.turn == 0 else 80 - turned) == board.king_squares[board.turn]
        assert pieces[row, 28, 0, 0] == board.pieces_in_hand[board.turn][1] and (pieces[row, 42] == board.turn).all()
    indices = batch.features(packed, "halfkp")
    assert ((indices >= 0) & (indices < 81 * 1548)).all() and indices.shape == (len(boards), 2, 38)
    mirrored = np.array([list(board.mirror().to_hcp()) for board in boards], dtype=np.uint8)
    assert (np.sort(batch.features(mirrored, "halfkp"), axis=2) == np.sort(indices, axis=2)).all()
    assert (batch.features(packed, "network").max(initial=0)) < 2344


def check_othello_features(batch, boards):
    """Compare the three planes with the discs of Boards."""
    packed = np.array([list(board.to_packed()) for board in boards], dtype=np.uint8)
    for planes, board in zip(batch.features(packed, "planes"), boards, strict=True):
        for plane, colour in ((0, board.turn), (1, 1 - board.turn)):
            assert planes[plane].ravel().tolist() == [board.discs(colour) >> square & 1 for square in range(64)]
        assert (planes[2] == board.turn).all()


def refusal(work):
    """Return what the ValueError of `work` says."""
    try:
        work()
    except ValueError as fault:
        return str(fault)
    raise AssertionError("nothing was refused")


def check_codes(batch, packed, rng, samples):
    """Of all moves that an id may stand for the legal ones are made, and the others refused."""
    for row in packed:
        legal = set(batch.legal_moves(row[None]).labels[0].tolist())
        for code in [*sorted(legal)[:samples], *rng.sample(range(-2, 1 << 15 | 2), samples)]:
            try:
                batch.apply(row[None], [code])
                assert code in legal, (code, batch.texts(row[None]))
            except ValueError as fault:
                assert code not in legal and f"{code} (ids) is not legal" in str(fault), (code, fault)


def check_refusals(batch, packed):
    """What is no position, no legal move or no array of positions is refused, and where it is is said."""
    bad = np.repeat(packed[:1], 3, axis=0)
    bad[2] = 255
    said = [
        refusal(lambda: batch.checks(bad)),
        refusal(lambda: batch.apply(packed[:2], [0, 0])),
        refusal(lambda: batch.checks(packed[:, 1:])),
        refusal(lambda: batch.legal_masks(packed[:1], "none")),
        refusal(lambda: batch.apply(packed[:2], [0])),
        refusal(lambda: batch.legal_masks(packed[:1], next(iter(batch.layouts)), out=np.zeros((1, 3), bool))),
    ]
    assert [line.split(":")[0] for line in said[:2]] == ["row 2", "row 0"], said
    assert "(ids) is not legal in" in said[1]
    assert f"uint8[n, {batch.size}]" in said[2] and "there is no layout 'none'" in said[3]
    assert "2 positions" in said[4] and "C-contiguous bool" in said[5]


def main(game, count):
    batch, rng, rows, boards = Batch(game), random.Random(2), [], []
    for board in random_boards(game, count):
        rows.append(facts(board, rng, PACKED[game]))
        if len(boards) < 200 and rng.random() < 400 / count:
            boards.append(board.copy())
    packed = check_rules(batch, rows)
    check_moves(batch, packed, rows)
    check_packings(batch, packed)
    {"shogi": check_shogi_features, "othello": check_othello_features}[game](batch, boards)
    check_refusals(batch, packed)
    check_codes(batch, packed[:: max(1, len(packed) // 3)][:3], rng, min(1 << 15, 5 * count))
    print(json.dumps({"positions": len(rows), "over": sum(row[6] for row in rows), "boards": len(boards)}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
