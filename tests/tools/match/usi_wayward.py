"""A USI engine that plays the first legal move (python-shogi's) at once and misbehaves as its argument says.

illegal, false-win : its second answer is that    hang, die : at its second `go`    twice : every bestmove is said twice
late : its second answer takes 0.6 s    resign : its second answer
"""

import sys
import time

import shogi

kind, board, answers = (sys.argv[1] if len(sys.argv) > 1 else ""), shogi.Board(), 0
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["usi"]:
        print("id name wayward\nusiok", flush=True)
    elif words[:1] == ["isready"]:
        answers = 0
        print("readyok", flush=True)
    elif words[:1] == ["position"]:
        board = shogi.Board()
        for text in words[3:]:
            board.push_usi(text)
    elif words[:1] == ["go"]:
        answers += 1
        move = min(each.usi() for each in board.legal_moves)
        if answers >= 2:
            if kind == "hang":
                continue
            if kind == "die":
                sys.exit(3)
            if kind == "late":
                time.sleep(0.6)
            move = {"illegal": "1a1a", "false-win": "win", "resign": "resign"}.get(kind, move)
        print(f"info depth 1 score cp 5 nodes 7\nbestmove {move}", flush=True)
        if kind == "twice":
            print(f"bestmove {move}", flush=True)
    elif words[:1] == ["quit"]:
        break
