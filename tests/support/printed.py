"""Reads printed diagrams back: by what is drawn, not by what the picture says of itself."""

import re
import xml.etree.ElementTree as ElementTree

from shogi_engine.games.shogi.board.drawing import KANJI

LETTERS = {
    "歩": "P", "香": "L", "桂": "N", "銀": "S", "金": "G", "角": "B", "飛": "R", "玉": "K",
    "と": "+P", "杏": "+L", "圭": "+N", "全": "+S", "馬": "+B", "竜": "+R",
}  # fmt: skip
NAMES = {KANJI[kanji]: letter for kanji, letter in LETTERS.items()}
LEFT, TOP, CELL = 94, 24, 50  # of the board in a Shogi diagram


def _tag(element):
    return element.tag.rpartition("}")[2]


def shogi_position(svg):
    """Return the board, the side to move and the hands of a Shogi diagram, as in an SFEN."""
    root = ElementTree.fromstring(svg)
    cells = [[""] * 9 for _ in range(9)]
    hands = []
    width, side = float(root.get("viewBox").split()[2]), ""
    for group in root.iter():
        if _tag(group) == "circle" and group.get("class") == "turn":
            side = "b" if float(group.get("cx")) > width / 2 else "w"
        if _tag(group) == "text" and group.get("font-size") == "20":  # the count of the piece before it
            hands[-1] = (*hands[-1][:2], int(group.text))
        if not (group.get("class") or "").startswith("piece"):
            continue
        (outer,) = group
        x, y = map(float, re.fullmatch(r"translate\(([\d.]+) ([\d.]+)\)", outer.get("transform")).groups())
        white = outer[0].get("transform").startswith("scale(-")
        letter = NAMES[outer[0][0].get("d")]
        if group.get("class") == "piece":
            assert (x - LEFT) % CELL == (y - TOP) % CELL == CELL / 2
            cells[int(y - TOP) // CELL][int(x - LEFT) // CELL] = letter.lower() if white else letter
        else:
            assert white == (x < LEFT)
            hands.append((white, letter, 1))
    rows = ["".join(cell or "." for cell in row) for row in cells]
    board = "/".join(re.sub(r"\.+", lambda run: str(len(run[0])), row) for row in rows)
    held = "".join(
        (str(count) if count > 1 else "") + (letter.lower() if white else letter)
        for white, letter, count in sorted(hands, key=lambda hand: (hand[0], "RBGSNLP".index(hand[1])))
    )
    return board, side, held or "-"


def othello_position(svg):
    """Return the 64 squares and the side to move of an Othello diagram, as in OBF."""
    root, cells, side = ElementTree.fromstring(svg), ["-"] * 64, ""
    for element in root.iter():
        if _tag(element) != "circle" or float(element.get("r")) < 6:  # a dot of the board, or on the last disc
            continue
        x, y = (float(element.get(name)) for name in ("cx", "cy"))
        letter = {"#000": "X", "#fff": "O"}[element.get("fill")]
        if element.get("class") == "turn":
            side = letter
        else:
            cells[int(y - 26) // 50 * 8 + int(x - 26) // 50] = letter
    return "".join(cells), side
