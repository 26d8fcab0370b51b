"""A USI engine that always plays 7g7f; after some moves it crashes, after others it waits for `stop`."""

import sys

CRASH, SLOW = "moves 2g2f 8c8d 2f2e 8d8e", "moves 2g2f 3c3d"

position = ""
for line in sys.stdin:
    words = line.split()
    if words == ["usi"]:
        print("id name echo")
        print("option name EnteringKingRule type combo default CSARule27 var CSARule27 var NoEnteringKing")
        print("option name MaxMovesToDraw type spin default 0 min 0 max 1000")
        print("usiok")
    elif words == ["isready"]:
        print("readyok")
    elif words[:1] == ["position"]:
        position = line
    elif words[:1] == ["go"] and CRASH in position:
        sys.exit(3)
    elif words[:1] == ["go"]:
        print("info depth 7 score cp 42 pv 7g7f 3c3d")
        if "ponder" not in words and SLOW not in position:
            print("bestmove 7g7f ponder 3c3d")
    elif words[:1] in (["stop"], ["ponderhit"]):
        print("bestmove 7g7f ponder 3c3d")
    elif words == ["quit"]:
        break
    sys.stdout.flush()
