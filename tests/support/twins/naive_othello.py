"""Othello by the book, on lists of characters, slow and plain: what the kernels are compared with. Any even board."""

DIRECTIONS = [(file, rank) for file in (-1, 0, 1) for rank in (-1, 0, 1) if (file, rank) != (0, 0)]
OTHER = {"X": "O", "O": "X"}


class State:
    """A board as a list of rows of 'X', 'O' and '-', and whose turn it is."""

    def __init__(self, cells: str, side: str) -> None:
        self.size = round(len(cells) ** 0.5)
        self.rows = [list(cells[row * self.size : (row + 1) * self.size]) for row in range(self.size)]
        self.side = side

    @classmethod
    def from_text(cls, text: str) -> "State":
        """Return the state of '<squares> <side>'."""
        return cls(*text.split())

    def text(self) -> str:
        """Return '<squares> <side>'."""
        return "".join("".join(row) for row in self.rows) + f" {self.side}"

    def copy(self) -> "State":
        return State.from_text(self.text())

    def flips(self, file: int, rank: int, side: str) -> list[tuple[int, int]]:
        """Return the (file, rank) of all discs that `side` turns by placing one there."""
        flipped: list[tuple[int, int]] = []
        if self.rows[rank][file] != "-":
            return flipped
        for files, ranks in DIRECTIONS:
            line: list[tuple[int, int]] = []
            at_file, at_rank = file + files, rank + ranks
            while 0 <= at_file < self.size and 0 <= at_rank < self.size:
                cell = self.rows[at_rank][at_file]
                if cell == side:
                    flipped += line
                    break
                if cell == "-":
                    break
                line.append((at_file, at_rank))
                at_file, at_rank = at_file + files, at_rank + ranks
        return flipped

    def disc_moves(self, side: str) -> list[str]:
        """Return the squares where `side` may place a disc, row by row."""
        squares = [(file, rank) for rank in range(self.size) for file in range(self.size)]
        return [f"{chr(97 + file)}{rank + 1}" for file, rank in squares if self.flips(file, rank, side)]

    def legal_moves(self) -> list[str]:
        """Return the legal moves: disc moves, or the one pass, or none."""
        return self.disc_moves(self.side) or (["pass"] if self.disc_moves(OTHER[self.side]) else [])

    def push(self, move: str) -> int:
        """Make a legal move and return how many discs it flipped."""
        flipped = []
        if move != "pass":
            file, rank = ord(move[0]) - 97, int(move[1]) - 1
            flipped = self.flips(file, rank, self.side)
            for at_file, at_rank in [*flipped, (file, rank)]:
                self.rows[at_rank][at_file] = self.side
        self.side = OTHER[self.side]
        return len(flipped)

    def count(self, side: str) -> int:
        return sum(row.count(side) for row in self.rows)

    def score(self) -> int:
        """Return the final score for the side to move, the empty squares counted for the winner."""
        mine, theirs = self.count(self.side), self.count(OTHER[self.side])
        empty = self.size**2 - mine - theirs
        return mine - theirs + (empty if mine > theirs else -empty if mine < theirs else 0)


def legal_moves(text: str) -> list[str]:
    """Return the legal moves of the position '<squares> <side>'."""
    return State.from_text(text).legal_moves()


def perft(state: State, depth: int, free_pass: bool = False) -> int:
    """Count the leaves, a finished game as one at every larger depth."""
    moves = state.legal_moves()
    if depth == 0 or not moves:
        return 1
    count = 0
    for move in moves:
        child = state.copy()
        child.push(move)
        count += perft(child, depth - (0 if free_pass and move == "pass" else 1), free_pass)
    return count


def change_sides(text: str) -> str:
    """Return the position with black and white exchanged."""
    return text.translate(str.maketrans("XO", "OX"))


def left_to_right(text: str) -> str:
    """Return the position as a mirror at the board's side shows it."""
    state = State.from_text(text)
    state.rows = [row[::-1] for row in state.rows]
    return state.text()


def transpose(text: str) -> str:
    """Return the position with files and ranks exchanged."""
    state = State.from_text(text)
    state.rows = [list(column) for column in zip(*state.rows, strict=True)]
    return state.text()
