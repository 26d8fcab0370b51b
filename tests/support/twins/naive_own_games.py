"""The rules of examples/games told plainly, on the texts of positions and moves, and slow."""

import re


class ConnectFour:
    """Rows of text, the upper first."""

    start = "/".join(["." * 7] * 6)

    @staticmethod
    def moves(text):
        rows = text.split("/")
        columns = ["".join(row[n] for row in rows) for n in range(7)]
        lines = [*rows, *columns]
        for shift in range(-6, 7):  # both diagonals
            lines.append("".join(rows[n][n + shift] for n in range(6) if 0 <= n + shift < 7))
            lines.append("".join(rows[n][6 - n - shift] for n in range(6) if 0 <= 6 - n - shift < 7))
        if any("XXXX" in line or "OOOO" in line for line in lines):
            return []
        return ["abcdefg"[n] for n in range(7) if columns[n][0] == "."]

    @staticmethod
    def make(text, move):
        rows, column = [list(row) for row in text.split("/")], "abcdefg".index(move)
        stone = "X" if text.count("X") == text.count("O") else "O"
        row = max(n for n in range(6) if rows[n][column] == ".")
        rows[row][column] = stone
        return "/".join(map("".join, rows))


class Breakthrough:
    """Squares by name; the board is a dict."""

    start = "/".join(["O" * 8] * 2 + ["." * 8] * 4 + ["X" * 8] * 2) + " X"

    @staticmethod
    def read(text):
        board, side = text.split()
        return {(f, 8 - n): row[f] for n, row in enumerate(board.split("/")) for f in range(8)}, side

    @classmethod
    def moves(cls, text):
        board, side = cls.read(text)
        other, ahead, home = ("O", 1, 1) if side == "X" else ("X", -1, 8)
        if any(board[f, home] == other for f in range(8)) or side not in board.values():
            return []
        found = []
        for (file, rank), stone in board.items():
            for aside in (-1, 0, 1) if stone == side else ():
                there = board.get((file + aside, rank + ahead))
                if there == "." or there == other and aside:
                    found.append(f"{'abcdefgh'[file]}{rank}{'abcdefgh'[file + aside]}{rank + ahead}")
        return found

    @classmethod
    def make(cls, text, move):
        board, side = cls.read(text)
        one, two = (("abcdefgh".index(move[n]), int(move[n + 1])) for n in (0, 2))
        board[two], board[one] = board[one], "."
        rows = ("".join(board[f, rank] for f in range(8)) for rank in range(8, 0, -1))
        return f"{'/'.join(rows)} {'XO'['OX'.index(side)]}"


class MiniShogi:
    """A board of 25 texts and the hands' letters. A move is legal if no one could then take the mover's king."""

    start = "rbsgk/4p/5/P4/KGSBR b - 1"
    GOLD = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, 0))
    DIAGONAL, STRAIGHT = ((-1, -1), (-1, 1), (1, -1), (1, 1)), ((-1, 0), (0, -1), (0, 1), (1, 0))
    STEPS = {
        "P": ((-1, 0),), "S": (*DIAGONAL, (-1, 0)), "G": GOLD, "+P": GOLD, "+S": GOLD,
        "K": DIAGONAL + STRAIGHT, "+B": STRAIGHT, "+R": DIAGONAL,
    }  # fmt: skip
    SLIDES = {"B": DIAGONAL, "+B": DIAGONAL, "R": STRAIGHT, "+R": STRAIGHT}

    @staticmethod
    def read(text):
        board, side, hands, *_ = text.split()
        squares = re.findall(r"\+?[A-Za-z]|\.", re.sub(r"\d", lambda found: "." * int(found[0]), board))
        held = re.sub(r"(\d)(\w)", lambda found: found[2] * int(found[1]), hands.replace("-", ""))
        return squares, side == "b", held

    @classmethod
    def targets(cls, board, origin):
        black = board[origin].isupper()
        for steps, far in ((cls.STEPS, 1), (cls.SLIDES, 4)):
            for down, right in steps.get(board[origin].upper(), ()):
                row, column = divmod(origin, 5)
                for _ in range(far):
                    row, column = row + (down if black else -down), column + right
                    if not (0 <= row < 5 and 0 <= column < 5):
                        break
                    there = board[5 * row + column]
                    if there == "." or there.isupper() != black:
                        yield 5 * row + column
                    if there != ".":
                        break

    @classmethod
    def checked(cls, board, black):
        king = board.index("K" if black else "k")
        theirs = [n for n in range(25) if board[n] != "." and board[n].isupper() != black]
        return any(king in cls.targets(board, origin) for origin in theirs)

    @classmethod
    def after(cls, board, black, move):
        board, names = list(board), [file + rank for rank in "abcde" for file in "54321"]
        target = names.index(move[2:4])
        if move[1] == "*":
            board[target] = move[0] if black else move[0].lower()
        else:
            piece, board[names.index(move[:2])] = board[names.index(move[:2])], "."
            board[target] = ("+" if move.endswith("+") else "") + piece
        return board

    @classmethod
    def moves(cls, text, replies=True):
        board, black, held = cls.read(text)
        names, last = [file + rank for rank in "abcde" for file in "54321"], 0 if black else 4
        found = []
        for origin in range(25):
            if board[origin] != "." and board[origin].isupper() == black:
                for target in set(cls.targets(board, origin)):
                    zone = board[origin] in "PSBRpsbr" and last in (origin // 5, target // 5)
                    found += [names[origin] + names[target] + "+"] if zone else []
                    if not (zone and board[origin] in "Pp"):
                        found.append(names[origin] + names[target])
        for piece in {letter for letter in held if letter.isupper() == black}:
            for target in range(25):
                pawns = any(board[5 * row + target % 5] == piece for row in range(5))
                if board[target] == "." and not (piece in "Pp" and (pawns or target // 5 == last)):
                    found.append(f"{piece.upper()}*{names[target]}")
        legal = []
        for move in found:
            then = cls.after(board, black, move)
            if cls.checked(then, black):
                continue
            mates = move[:2] == "P*" and replies and cls.checked(then, not black)
            if not mates or cls.moves(cls.make(text, move), replies=False):
                legal.append(move)
        return legal

    @classmethod
    def make(cls, text, move):
        board, black, held = cls.read(text)
        there = board[[file + rank for rank in "abcde" for file in "54321"].index(move[2:4])]
        if move[1] == "*":
            held = held.replace(move[0] if black else move[0].lower(), "", 1)
        elif there != ".":
            held += there[-1].upper() if black else there[-1].lower()
        board = cls.after(board, black, move)
        rows = ("".join(board[row : row + 5]) for row in range(0, 25, 5))
        rows = [re.sub(r"\.+", lambda found: str(len(found[0])), row) for row in rows]
        counted = [(letter, held.count(letter)) for letter in "RBGSPrbgsp" if letter in held]
        hands = "".join(f"{count if count > 1 else ''}{letter}" for letter, count in counted)
        return f"{'/'.join(rows)} {'w' if black else 'b'} {hands or '-'} 1"


TWINS = {"connect_four": ConnectFour, "breakthrough": Breakthrough, "mini_shogi": MiniShogi}


def perft(twin, text, depth):
    """Return the number of positions that `depth` moves reach."""
    return 1 if depth == 0 else sum(perft(twin, twin.make(text, move), depth - 1) for move in twin.moves(text))
