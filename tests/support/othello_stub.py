"""An Othello engine over GTP or NBoard that plays the first or the last legal square, as its arguments say.

othello_stub.py gtp|nboard [last] [illegal] [silent] [dies] [refuses] [slow] [twice] [once:FILE]

slow : thinks 0.3 s    twice : says every move twice (NBoard)
once : dies at the first move it has to find if there is no such file, and makes it
"""

import os
import re
import sys
import time

protocol, kinds = sys.argv[1], set(sys.argv[2:])
STEPS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]
START = {(3, 3): 1, (4, 4): 1, (4, 3): 0, (3, 4): 0}
discs, side = dict(START), 0


def flips(place, colour):
    found = []
    for dx, dy in STEPS:
        line, at = [], (place[0] + dx, place[1] + dy)
        while discs.get(at) == 1 - colour:
            line.append(at)
            at = (at[0] + dx, at[1] + dy)
        found += line if discs.get(at) == colour else []
    return [] if place in discs else found


def legal(colour):
    squares = [(x, y) for y in range(8) for x in range(8) if flips((x, y), colour)]
    return ["abcdefgh"[x] + "12345678"[y] for x, y in squares]


def play(text, colour):
    global side
    if text.lower() not in ("pa", "pass"):
        place = ("abcdefgh".index(text[0].lower()), int(text[1]) - 1)
        for each in (*flips(place, colour), place):
            discs[each] = colour
    side = 1 - colour


once = next((kind.removeprefix("once:") for kind in kinds if kind.startswith("once:")), "")


def choose(colour):
    if once and not os.path.exists(once):
        open(once, "w").close()
        sys.exit("only once")
    if "slow" in kinds:
        time.sleep(0.3)
    moves = legal(colour)
    if "dies" in kinds and len(discs) > 12:
        sys.exit("no more")
    if "illegal" in kinds and len(discs) > 12:
        return "e4"
    return (moves or ["pass"])[-1 if "last" in kinds else 0]


def reset():
    global side
    discs.clear()
    discs.update(START)
    side = 0


def gtp(words):
    number = words.pop(0) if words[0].isdigit() else ""
    name = words[0]
    if name == "genmove" and "silent" in kinds:
        return True
    if name == "play" and "refuses" in kinds:
        print(f"?{number} never\n", flush=True)
        return True
    colour = ("black", "white").index(words[1]) if len(words) > 1 and words[1] in ("black", "white") else 0
    answer = {"name": "stub", "version": "1", "list_commands": "name\nplay\ngenmove"}.get(name, "")
    if name == "clear_board":
        reset()
    elif name == "play":
        play(words[2], colour)
    elif name == "genmove":
        answer = choose(colour).upper()
        play(answer, colour)
    print(f"={number} {answer}\n", flush=True)
    return name != "quit"


def nboard(words):
    global side
    if words[0] == "nboard":
        print("set myname stub", flush=True)
    elif words[0] == "ping":
        print(f"pong {words[1]}", flush=True)
    elif words[:2] == ["set", "game"]:
        reset()
        for colour, move in re.findall(
            r"([BW])\[(\w\w)[^]]*\]", " ".join(words[2:]).partition("BO[")[2].partition("]")[2]
        ):
            play(move, "BW".index(colour))
    elif words[0] == "move":
        play(words[1].split("/")[0], side)
    elif words[0] == "hint":
        print("status thinking\nsearch F5D6 1.5 0 4\nbook D3 -0.5 0\nsearch\nstatus", flush=True)
    elif words[0] == "go" and "silent" not in kinds:
        answer = f"\n=== {choose(side).upper()[:2]}/1.50/0.1"
        print(f"status thinking\nnodestats 12 0.1{answer * (2 if 'twice' in kinds else 1)}", flush=True)
    return words[0] != "quit"


for line in sys.stdin:
    if line.split() and not (gtp if protocol == "gtp" else nboard)(line.split()):
        break
