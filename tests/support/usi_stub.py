"""A USI engine that knows no rules: it answers 7g7f with some infos, and misbehaves as its arguments say.

deaf : never answers isready    garbage : writes what is no USI between all lines    mute-stop : does not answer `stop`
silent : does not answer `go`   dumb-mate : answers `go mate` with a bestmove    stubborn : does not quit, nor at the
end of input    twice : says every bestmove twice    dies : at `go`, with a complaint    says:LINE|LINE : so at `go`
once:FILE : dies at the first `go` if there is no such file, and makes it    slow : thinks 0.3 s for any answer to `go`
and `isready`, which is 3c3d after an odd number of moves
"""

import os
import sys
import time

kinds = set(sys.argv[1:])
once = next((kind.removeprefix("once:") for kind in kinds if kind.startswith("once:")), "")
said = [line for kind in kinds if kind.startswith("says:") for line in kind.removeprefix("says:").split("|")]


def say(*lines):
    if "garbage" in kinds:
        lines = ("\0\xff info score", "info depth x score cp pv", "option name", *lines, "bestmoves", "")
    sys.stdout.buffer.write("".join(f"{line}\n" for line in lines).encode("latin-1"))
    sys.stdout.flush()


def answer():
    move = "3c3d" if "slow" in kinds and len(position.partition(" moves ")[2].split()) % 2 else "7g7f"
    say(*[f"bestmove {move} ponder 3c3d"] * (2 if "twice" in kinds else 1))


def infos(multipv):
    for depth in (1, 2):
        for number in range(1, multipv + 1):
            say(f"info depth {depth} multipv {number} nodes {depth * 10} score cp {30 - 10 * number} pv 7g7f 3c3d")


multipv, thinking, position = 1, False, ""
while True:
    line = sys.stdin.readline()
    words = line.split()
    if not line and "stubborn" not in kinds:
        break
    if "slow" in kinds and words[:1] in (["go"], ["isready"]):
        time.sleep(0.3)
    if once and words[:1] == ["go"] and not os.path.exists(once):
        open(once, "w").close()
        sys.exit("only once")
    if words[:1] == ["position"]:
        position = line.strip()
    if not line:
        time.sleep(60)
    elif words == ["usi"]:
        say("id name stub", "id author nobody", "option name MultiPV type spin default 1 min 1 max 5")
        say(
            "option name Some Style type combo default slow and calm var slow and calm var quick",
            "option name Book type",
        )
        say("option name Clear Hash type button", "option name File type string default <empty>", "usiok")
    elif words == ["isready"] and "deaf" not in kinds:
        say("readyok")
    elif words[:3] == ["setoption", "name", "MultiPV"]:
        multipv = int(words[4])
    elif words[:1] == ["go"] and said:
        say(*said)
    elif words[:2] == ["go", "mate"]:
        if "dumb-mate" in kinds:
            answer()
        else:
            say({"1": "checkmate timeout", "2": "checkmate nomate"}.get(words[2], "checkmate G*5b 4a3b"))
    elif words[:1] == ["go"]:
        if "dies" in kinds:
            sys.exit("no such network")
        if "silent" in kinds:
            continue
        infos(multipv)
        say(f"info string {os.getpid()} go {' '.join(words[1:])}")
        thinking = "infinite" in words or "ponder" in words
        if not thinking:
            answer()
    elif words[:1] in (["stop"], ["ponderhit"], ["gameover"]) and thinking and "mute-stop" not in kinds:
        thinking = False
        say(f"info string {line.strip()}")
        answer()
    elif words == ["quit"] and "stubborn" not in kinds:
        break
