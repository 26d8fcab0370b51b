"""A USI engine that plays the first legal move (python-shogi's) at once and misbehaves as its argument says.

illegal, false-win : its second answer is that    hang, die : at its second `go`    twice : every bestmove is said twice
late : its second answer takes 0.6 s    resign : its second answer
ponder : it names the reply that its like would play    ponder-miss : another one    ponder-illegal : an illegal one
ponder-early : like ponder, but it answers without waiting for what was pondered on
"""

import sys
import time

import shogi

kind, board, answers = (sys.argv[1] if len(sys.argv) > 1 else ""), shogi.Board(), 0
held = ""  # the answer of a search on the opponent's time


def ponder_move(move):
    """Return the words after `bestmove MOVE`."""
    board.push_usi(move)
    replies = sorted(each.usi() for each in board.legal_moves)
    if not kind.startswith("ponder") or not replies:
        return ""
    return f" ponder {'1a1a' if kind == 'ponder-illegal' else replies[-1 if kind == 'ponder-miss' else 0]}"


for line in sys.stdin:
    words = line.split()
    if words[:1] == ["usi"]:
        print("id name wayward\noption name USI_Ponder type check default false\nusiok", flush=True)
    elif words[:1] == ["isready"]:
        answers = 0
        print("readyok", flush=True)
    elif words[:1] == ["position"]:
        board = shogi.Board()
        for text in words[3:]:
            board.push_usi(text)
    elif words[:1] == ["go"]:
        answers += 1
        moves = sorted(each.usi() for each in board.legal_moves)
        move = moves[0] if moves else "resign"
        if answers >= 2:
            if kind == "hang":
                continue
            if kind == "die":
                sys.exit(3)
            if kind == "late":
                time.sleep(0.6)
            move = {"illegal": "1a1a", "false-win": "win", "resign": "resign"}.get(kind, move)
        answer = f"info depth 1 score cp 5 nodes 7\nbestmove {move}"
        answer += ponder_move(move) if move in moves else ""
        if words[1:2] == ["ponder"] and kind != "ponder-early":
            held = answer
            continue
        print(answer, flush=True)
        if kind == "twice":
            print(f"bestmove {move}", flush=True)
    elif words[:1] in (["ponderhit"], ["stop"], ["gameover"]) and held:
        print(held, flush=True)
        held = ""
    elif words[:1] == ["quit"]:
        break
