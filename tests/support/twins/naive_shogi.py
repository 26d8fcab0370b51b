"""A slow twin of Shogi's rules in plain Python, written from the rule book: the oracle the kernels are compared with.

It shares nothing with the package: squares are (file, rank) pairs as players write them, the board is a dict, pieces
are SFEN letters ('P', '+P'; Black 'b', White 'w'), moves are USI strings. A move is legal if its king is not attacked
after making it; a dropped pawn mates if no reply is legal.
"""

from dataclasses import dataclass, field

START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
RANKS = "abcdefghi"
SET = {"P": 18, "L": 4, "N": 4, "S": 4, "G": 4, "B": 2, "R": 2}
OTHER = {"b": "w", "w": "b"}

# Steps as (files to the left, ranks forward) for Black, who moves towards rank 1.
GOLD = [(-1, 1), (0, 1), (1, 1), (-1, 0), (1, 0), (0, -1)]
DIAGONAL = [(-1, 1), (1, 1), (-1, -1), (1, -1)]
STRAIGHT = [(0, 1), (0, -1), (1, 0), (-1, 0)]
STEPS = {
    "P": [(0, 1)], "N": [(-1, 2), (1, 2)], "S": [*DIAGONAL, (0, 1)], "G": GOLD, "K": DIAGONAL + STRAIGHT, "+P": GOLD,
    "+L": GOLD, "+N": GOLD, "+S": GOLD, "+B": STRAIGHT, "+R": DIAGONAL,
}  # fmt: skip
SLIDES = {"L": [(0, 1)], "B": DIAGONAL, "R": STRAIGHT, "+B": DIAGONAL, "+R": STRAIGHT}

Square = tuple[int, int]


def square_name(square: Square) -> str:
    """Return e.g. '7g' for (7, 7)."""
    return f"{square[0]}{RANKS[square[1] - 1]}"


def named_square(name: str) -> Square:
    """Return (7, 7) for '7g'."""
    return int(name[0]), RANKS.index(name[1]) + 1


def in_zone(colour: str, rank: int) -> bool:
    """Tell whether `rank` is one of the three farthest from `colour`."""
    return rank <= 3 if colour == "b" else rank >= 7


def is_dead(colour: str, piece: str, rank: int) -> bool:
    """Tell whether `piece` could never move again from `rank`."""
    left = rank - 1 if colour == "b" else 9 - rank  # ranks in front of it
    return (piece in ("P", "L") and left < 1) or (piece == "N" and left < 2)


@dataclass
class State:
    """One position: board[(file, rank)] = (colour, piece), hands[colour][piece] = count, the side to move."""

    board: dict[Square, tuple[str, str]] = field(default_factory=dict)
    hands: dict[str, dict[str, int]] = field(default_factory=lambda: {"b": {}, "w": {}})
    turn: str = "b"
    number: int = 1

    @classmethod
    def from_sfen(cls, sfen: str) -> "State":
        """Read a well-formed SFEN."""
        rows, turn, hand, number = (START if sfen == "startpos" else sfen).split()
        state = cls(turn=turn, number=int(number))
        for rank, row in enumerate(rows.split("/"), 1):
            file, prefix = 9, ""
            for letter in row:
                if letter == "+":
                    prefix = "+"
                elif letter.isdigit():
                    file -= int(letter)
                else:
                    colour = "b" if letter.isupper() else "w"
                    state.board[file, rank] = (colour, prefix + letter.upper())
                    file, prefix = file - 1, ""
        count = ""
        for letter in "" if hand == "-" else hand:
            if letter.isdigit():
                count += letter
            else:
                state.hands["b" if letter.isupper() else "w"][letter.upper()] = int(count or 1)
                count = ""
        return state

    def sfen(self) -> str:
        """Return the SFEN with hands in the usual order."""
        rows = []
        for rank in range(1, 10):
            row, empty = "", 0
            for file in range(9, 0, -1):
                if (file, rank) not in self.board:
                    empty += 1
                    continue
                colour, piece = self.board[file, rank]
                row += (str(empty) if empty else "") + (piece if colour == "b" else piece.lower())
                empty = 0
            rows.append(row + (str(empty) if empty else ""))
        hand = ""
        for colour in "bw":
            for piece in "RBGSNLP":
                count = self.hands[colour].get(piece, 0)
                letter = piece if colour == "b" else piece.lower()
                hand += (str(count) if count > 1 else "") + letter if count else ""
        return f"{'/'.join(rows)} {self.turn} {hand or '-'} {self.number}"

    def copy(self) -> "State":
        """Return an independent copy."""
        return State(dict(self.board), {c: dict(h) for c, h in self.hands.items()}, self.turn, self.number)

    def reach(self, origin: Square) -> list[Square]:
        """Return the squares the piece on `origin` attacks, its own side's pieces included."""
        colour, piece = self.board[origin]
        forward = -1 if colour == "b" else 1
        file, rank = origin
        squares = [(file + df, rank + forward * dr) for df, dr in STEPS.get(piece, [])]
        for df, dr in SLIDES.get(piece, []):
            square = (file + df, rank + forward * dr)
            while 1 <= square[0] <= 9 and 1 <= square[1] <= 9:
                squares.append(square)
                if square in self.board:
                    break
                square = (square[0] + df, square[1] + forward * dr)
        return [(f, r) for f, r in squares if 1 <= f <= 9 and 1 <= r <= 9]

    def king(self, colour: str) -> Square | None:
        """Return where the king of `colour` stands, or None."""
        return next((square for square, piece in self.board.items() if piece == (colour, "K")), None)

    def in_check(self, colour: str) -> bool:
        """Tell whether the king of `colour` is attacked."""
        king = self.king(colour)
        if king is None:
            return False
        return any(king in self.reach(origin) for origin, piece in self.board.items() if piece[0] != colour)

    def pseudo_moves(self) -> list[str]:
        """Return every move that respects how pieces move, promote and are dropped, own king's safety aside."""
        moves = []
        for origin, (colour, piece) in self.board.items():
            if colour != self.turn:
                continue
            for target in self.reach(origin):
                if self.board.get(target, ("", ""))[0] == colour:
                    continue
                usi = square_name(origin) + square_name(target)
                if not is_dead(colour, piece, target[1]):
                    moves.append(usi)
                if piece in "PLNSBR" and (in_zone(colour, origin[1]) or in_zone(colour, target[1])):
                    moves.append(usi + "+")
        for piece, count in self.hands[self.turn].items():
            if not count:
                continue
            for file in range(1, 10):
                column = [self.board.get((file, rank)) for rank in range(1, 10)]
                if piece == "P" and (self.turn, "P") in column:
                    continue
                for rank in range(1, 10):
                    if (file, rank) not in self.board and not is_dead(self.turn, piece, rank):
                        moves.append(f"{piece}*{square_name((file, rank))}")
        return moves

    def after(self, usi: str) -> "State":
        """Return the position after a pseudo-legal move."""
        state = self.copy()
        target = named_square(usi[2:4])
        if usi[1] == "*":
            state.hands[self.turn][usi[0]] -= 1
            state.board[target] = (self.turn, usi[0])
        else:
            colour, piece = state.board.pop(named_square(usi[:2]))
            if target in state.board:
                captured = state.board[target][1].lstrip("+")
                state.hands[colour][captured] = state.hands[colour].get(captured, 0) + 1
            state.board[target] = (colour, "+" + piece if usi.endswith("+") else piece)
        state.turn = OTHER[self.turn]
        state.number += 1
        return state

    def is_legal(self, usi: str) -> bool:
        """Tell whether a pseudo-legal move is legal: own king safe, and no mate by a dropped pawn."""
        state = self.after(usi)
        if state.in_check(self.turn):
            return False
        return not (usi.startswith("P*") and state.in_check(state.turn) and not state.legal_moves())

    def legal_moves(self) -> list[str]:
        """Return every legal move."""
        return [usi for usi in self.pseudo_moves() if self.is_legal(usi)]

    def is_needless(self, usi: str) -> bool:
        """Tell whether a legal move does not promote where the promoted piece would attack all that this one does."""
        if usi[1] == "*" or usi.endswith("+") or usi + "+" not in self.pseudo_moves():
            return False
        (colour, piece), target = self.board[named_square(usi[:2])], named_square(usi[2:])
        as_it_is, promoted = (State({target: (colour, kind)}).reach(target) for kind in (piece, "+" + piece))
        return set(as_it_is) <= set(promoted)

    def perft(self, depth: int) -> int:
        """Count the leaves of the legal move tree."""
        moves = self.legal_moves()
        return len(moves) if depth == 1 else sum(self.after(usi).perft(depth - 1) for usi in moves)

    def identity(self) -> tuple:
        """Return what two positions share when one repeats the other: board, hands and side to move."""
        hands = [frozenset((p, n) for p, n in self.hands[colour].items() if n) for colour in "bw"]
        return frozenset(self.board.items()), *hands, self.turn

    def points(self, colour: str) -> tuple[int, int]:
        """Return (entering-king points, pieces in the zone), the king left out, for `colour`."""
        entered = [p for (_, rank), (c, p) in self.board.items() if c == colour and p != "K" and in_zone(c, rank)]
        held = [piece for piece, count in self.hands[colour].items() for _ in range(count)]
        return sum(5 if piece.lstrip("+") in "BR" else 1 for piece in entered + held), len(entered)

    def missing_points(self) -> int:
        """Return the points of the pieces that are not in this game: what a handicap's giver left out."""
        there = [piece.lstrip("+") for _, piece in self.board.values() if piece != "K"]
        there += [piece for hand in self.hands.values() for piece, count in hand.items() for _ in range(count)]
        return 54 - sum(5 if piece in "BR" else 1 for piece in there)

    def declaration(self, rule: str) -> str | None:
        """Return 'win', 'draw' or None for what the side to move may declare under `rule` (YaneuraOu's names)."""
        king = self.king(self.turn)
        if rule == "TryRule":
            goal = "5a" if self.turn == "b" else "5i"
            tries = [usi for usi in self.legal_moves() if king and usi == square_name(king) + goal]
            return "win" if tries else None
        points, entered = self.points(self.turn)
        if king is None or not in_zone(self.turn, king[1]) or self.in_check(self.turn) or entered < 10:
            return None
        if rule.endswith("H") and self.turn == "w":
            points += self.missing_points()
        if rule.startswith("CSARule24"):
            return "win" if points >= 31 else "draw" if points >= 24 else None
        return "win" if points >= (28 if self.turn == "b" else 27) else None


def repetition(states: list[State]) -> str:
    """Judge a game by its list of positions: 'none', 'draw', 'black_loses' or 'white_loses'.

    The rule: at the fourth occurrence of board, hands and turn, a side all of whose moves since the first were checks
    loses, otherwise the game is drawn.
    """
    now = states[-1].identity()
    occurrences = [index for index, state in enumerate(states) if state.identity() == now]
    if len(occurrences) < 4:
        return "none"
    first = occurrences[-4]
    # a position after a move of `colour` is one in which the other side is to move
    checking = {
        colour: all(state.in_check(state.turn) for state in states[first + 1 :] if state.turn != colour)
        for colour in "bw"
    }
    if checking["b"] == checking["w"]:
        return "draw"
    return "black_loses" if checking["b"] else "white_loses"
