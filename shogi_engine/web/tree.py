"""The game on a board in the browser: a record's tree with numbered moves, and the current node."""

import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

from shogi_engine.analysis.judgement import move_text
from shogi_engine.games.othello import notation as othello
from shogi_engine.games.shogi.board.pieces import MAX_PIECES_IN_HAND, Piece
from shogi_engine.games.shogi.types import BLACK, KINDS_BY_SYMBOL, KING, SQUARES_BY_NAME, UNPROMOTED, WHITE
from shogi_engine.language import InputError, Message
from shogi_engine.records import GameRecord, Node
from shogi_engine.types.outcomes import Outcome

# ---- Setting up a position: pieces on the board and in hand, and the side to move


DISCS = {"X": 0, "O": 1, "": None}


class EditedBoard:
    """A board that is edited."""

    def __init__(self, board: Any) -> None:
        self.board = type(board)(board.position())

    def text(self) -> str:
        """Return the position."""
        return str(self.board.position())

    def turn(self, side: int) -> None:
        """Set the side to move."""
        self.board.turn = side

    def arrange(self, which: str) -> None:
        """Set the 'start' or an 'empty' board, or 'swap' the sides."""
        if which == "start":
            self.board.reset()
        elif which == "swap":
            self.board = type(self.board)(self.swapped(*self.text().split()))
        else:
            self.board.clear()

    def swapped(self, squares: str, turn: str, *rest: str) -> str:
        """Return the position with the colours exchanged, given the fields of its text."""
        raise NotImplementedError


class ShogiSetUp(EditedBoard):
    """A Shogi board that is edited."""

    def put(self, square: str, piece: str) -> None:
        """Put a piece ('P', '+p', '' for none) on a square. Raises ValueError."""
        if square not in SQUARES_BY_NAME:
            raise InputError("there is no such square")
        number = SQUARES_BY_NAME[square]
        if piece:
            self.board.set_piece_at(number, Piece.from_symbol(piece))
        elif self.board.piece_at(number) is not None:
            self.board.remove_piece_at(number)

    def hand(self, side: int, piece: str, count: int) -> None:
        """Set the number of pieces of a kind in a hand. Raises ValueError."""
        kind = KINDS_BY_SYMBOL.get(piece.upper(), 0)
        if not kind or count > MAX_PIECES_IN_HAND[kind]:
            raise InputError("there are not that many pieces of this kind")
        for _ in range(self.board.pieces_in_hand[side][kind]):
            self.board.remove_piece_from_hand(kind, side)
        if count:
            self.board.add_piece_into_hand(kind, side, count)

    def arrange(self, which: str) -> None:
        """Also set up a 'tsume' problem's king, or put the 'rest' of the pieces into white's hand."""
        if which != "rest":
            super().arrange(which)
            if which == "tsume":
                self.put("5a", "k")
                self.turn(BLACK)
            return
        used = [0] * 16
        for piece in self.board.piece_map().values():
            used[int(UNPROMOTED[piece.piece_type])] += 1
        for hand in self.board.pieces_in_hand:
            for kind, count in hand.items():
                used[kind] += count
        for kind in range(1, KING):
            left = MAX_PIECES_IN_HAND[kind] - used[kind]
            if left > 0:
                self.board.add_piece_into_hand(kind, WHITE, left)

    def swapped(self, squares: str, turn: str, *rest: str) -> str:
        """As for EditedBoard; the board is turned too."""
        board = re.sub(r"([A-Za-z])\+", r"+\1", squares[::-1]).swapcase()
        return " ".join((board, {"b": "w", "w": "b"}[turn], rest[0].swapcase(), *rest[1:]))


class OthelloSetUp(EditedBoard):
    """An Othello board that is edited."""

    def swapped(self, squares: str, turn: str, *rest: str) -> str:
        """As for EditedBoard."""
        return f"{squares} {turn}".translate(str.maketrans("XO", "OX"))

    def put(self, square: str, piece: str) -> None:
        """Put a disc ('X' is black, 'O' white, '' none) on a square. Raises ValueError."""
        if square not in othello.SQUARE_NAMES or piece not in DISCS:
            raise InputError("there is no such square or disc")
        self.board.set_disc_at(othello.SQUARE_NAMES.index(square), DISCS[piece])

    def hand(self, side: int, piece: str, count: int) -> None:
        """Raises ValueError: there are no hands."""
        raise InputError("Othello has no pieces in hand")


def set_up(game: str, board: Any) -> ShogiSetUp | OthelloSetUp:
    """Return an editor that starts from the position of `board`."""
    return ShogiSetUp(board) if game == "shogi" else OthelloSetUp(board)


NODES_MAX = 20_000


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    """Return how many numbers two lines begin with in common."""
    different = (place for place, (first, second) in enumerate(zip(one, other, strict=False)) if first != second)
    return next(different, min(len(one), len(other)))


class Tree:
    """A record and the current node in it.

    Attributes:
        record: the game
        game: its name
        node: the number of the current move, 0 for the root
        board: the position there
        removed: the last deletion, which can be undone: the number of the parent, the index among its children, the
            first node, and the numbers of all nodes by their id, by which what was found of them is known
    """

    def __init__(self, record: GameRecord) -> None:
        """Raises ValueError for an illegal move or more than NODES_MAX moves."""
        self.record, self.game = record, record.game
        self._nodes: dict[int, Node] = {}
        self._parents: dict[int, int] = {}
        self._numbers: dict[int, int] = {}  # by id(Node); _nodes keeps the nodes alive
        self._texts: dict[tuple[int, str], str] = {}
        self._next = 0
        self._ends: tuple[int, Outcome | None] = (-1, None)  # the last move, and how the rules end the game there
        self._number(record.root, -1, {})
        self.node = 0
        self.removed: tuple[int, int, Node, dict[int, int]] | None = None
        self.board = record.board(0)
        self.start_turn = int(self.board.turn)

    def _number(self, root: Node, parent: int, known: dict[int, int]) -> int:
        """Number a node and its descendants, as `known` says by id(Node) or with new ones; return the first number."""
        first = known.get(id(root), self._next)
        waiting = [(root, parent)]
        while waiting:
            node, above = waiting.pop()
            self.check_room()
            number = known.get(id(node), self._next)
            self._next = max(self._next, number + 1)
            self._nodes[number], self._parents[number], self._numbers[id(node)] = node, above, number
            waiting += [(child, number) for child in reversed(node.children)]
        return first

    # ---- the current node

    @property
    def at(self) -> Node:
        """The current node of the record."""
        return self._nodes[self.node]

    @property
    def ply(self) -> int:
        """The number of moves to the current node."""
        return len(self.board.move_stack)

    def __contains__(self, number: int) -> bool:
        return number in self._nodes

    def __getitem__(self, number: int) -> Node:
        return self._nodes[number]

    def parent(self, number: int) -> int:
        """Return the number of the parent, -1 for the root."""
        return self._parents[number]

    def path(self, number: int | None = None) -> list[int]:
        """Return the numbers from the root to a move (by default the current one), inclusive."""
        number = self.node if number is None else number
        path = []
        while number >= 0:
            path.append(number)
            number = self._parents[number]
        return path[::-1]

    def line(self) -> list[int]:
        """Return the numbers of the current line: up to the current move, and its continuation."""
        path = self.path()
        going_on = self.record.line(self.at)[1:]
        return path + [self._numbers[id(node)] for node in going_on]

    def main(self) -> list[int]:
        """Return the numbers of the main line: the game, whatever variation is on the board."""
        return self.line_from(0)

    def branch(self) -> int:
        """Return how many moves of the main line lead to the current move; the others are a variation's."""
        return _common(self.path(), self.main()) - 1

    def outcome(self) -> Outcome | None:
        """Return how the game ended, None if it has not.

        By the rules it ends only after the board has shown its last position.
        """
        line = self.record.main_line
        if line[-1].ending:
            return self.record.outcome_of(line[-1], len(line) - 1)
        last = self._numbers[id(line[-1])]
        if last == self.node:
            self._ends = last, self.board.outcome()
        return self._ends[1] if self._ends[0] == last else None

    def line_from(self, number: int) -> list[int]:
        """Return the number of a move and of its continuation."""
        return [self._numbers[id(node)] for node in self.record.line(self._nodes[number])]

    def preorder(self) -> list[int]:
        """Return the numbers of all moves in preorder, the root first."""
        return [self._numbers[id(node)] for node in self.record.nodes_in_preorder()]

    def moves(self, number: int | None = None) -> list[str]:
        """Return the moves to a node."""
        return [self._nodes[each].move for each in self.path(number)[1:]]

    def find(self, moves: Sequence[str]) -> int | None:
        """Return the number of the node after some moves from the start, None if there is none."""
        node: Node | None = self.record.root
        for move in moves:
            node = next((child for child in node.children if child.move == move), None) if node else None
        return self._numbers[id(node)] if node else None

    def others(self, number: int) -> list[int]:
        """Return the numbers of the alternatives to a move."""
        parent = self._parents[number]
        if parent < 0:
            return []
        numbers = [self._numbers[id(node)] for node in self._nodes[parent].children]
        return [each for each in numbers if each != number]

    def texts(self, line: Sequence[int], language: str) -> dict[int, str]:
        """Return the moves of a line from the root in the user's notation."""
        missing = [place for place, number in enumerate(line) if place and (number, language) not in self._texts]
        if missing:
            with self.board_after(line, missing[0] - 1) as board:
                for number in line[missing[0] :]:
                    self.text(number, language, board)
                    board.push_text(self._nodes[number].move)
        return {number: self._texts[number, language] for number in line[1:]}

    def text(self, number: int, language: str, board: Any = None) -> str:
        """Return a move in the user's notation; `board` is the position before it, needed if the text is not cached."""
        key = (number, language)
        if key not in self._texts:
            self._texts[key] = move_text(board, self._nodes[number].move, language)
        return self._texts[key]

    def board_at(self, number: int) -> Any:
        """Return a new Board with the moves to a node."""
        line = self.path(number)
        with self.board_after(line, len(line) - 1) as board:
            return board.copy()

    @contextlib.contextmanager
    def board_after(self, line: Sequence[int], place: int) -> Iterator[Any]:
        """Yield the position after move `place` of a line from the root. The caller may push moves, but not pop any.

        It is the tree's own board, which is cheaper than a new one; afterwards it is restored to the current move.
        """
        here = self.path()
        there = line[: place + 1]
        common = _common(here, there)
        self._move_board(len(here) - common, there[common:])
        try:
            yield self.board
        finally:
            self._move_board(self.ply + 1 - common, here[common:])

    def _move_board(self, back: int, on: Sequence[int]) -> None:
        """Take back `back` moves on the tree's board, then make the moves `on`."""
        for _ in range(back):
            self.board.pop()
        for number in on:
            self.board.push_text(self._nodes[number].move)

    # ---- navigation

    def go(self, number: int) -> None:
        """Go to a move. Raises ValueError if it does not exist."""
        if number not in self._nodes:
            raise InputError("this move is no longer in the game")
        here, there = self.path(), self.path(number)
        common = _common(here, there)
        self._move_board(len(here) - common, there[common:])
        self.node = number

    def step(self, to: str) -> None:
        """Go to the 'first' or the 'last' position of the line, to the 'next' one or 'back'.

        'above' and 'below' are the alternatives of the current move.
        """
        if to in ("above", "below"):
            self._go_beside({"above": -1, "below": 1}[to])
            return
        line = self.line()
        place = {"first": 0, "back": self.ply - 1, "next": self.ply + 1, "last": len(line) - 1}[to]
        self.go(line[max(0, min(place, len(line) - 1))])

    def _go_beside(self, way: int) -> None:
        """Go to the previous (-1) or the next (1) alternative of the current move, if there is one."""
        if self.node:
            siblings = self._nodes[self._parents[self.node]].children
            place = next(place for place, each in enumerate(siblings) if each is self.at) + way
            if 0 <= place < len(siblings):
                self.go(self._numbers[id(siblings[place])])

    # ---- changing the game

    def add(self, move: str, parent: int | None = None, **values: Any) -> int:
        """Add a legal move after `parent`, or find it there; return its number."""
        above = self.node if parent is None else parent
        for child in self._nodes[above].children:
            if child.move == move:
                return self._numbers[id(child)]
        self.check_room()
        return self._number(self._nodes[above].add(move, **values), above, {})

    def check_room(self, more: int = 1) -> None:
        """Raise ValueError if `more` moves cannot be added."""
        if len(self._nodes) + more > NODES_MAX:
            raise InputError("a game can have at most {0} moves, including variations", NODES_MAX)

    def adopt(self, node: Node, parent: int) -> int:
        """Return the number of a node, which may be new in the record, after the move `parent`."""
        return self._numbers[id(node)] if id(node) in self._numbers else self._number(node, parent, {})

    def number_of(self, node: Node) -> int:
        """Return the number of a node, 0 if it was removed."""
        return self._numbers.get(id(node), 0)

    def nodes(self, number: int | None = None) -> list[Node]:
        """Return the nodes from the root to a move (by default the current one), inclusive."""
        return [self._nodes[each] for each in self.path(number)]

    def add_line(self, moves: Sequence[str], above: int) -> list[int]:
        """Add a line after a node without moving there; return its numbers. Raises ValueError for an illegal move."""
        board, texts = self.board_at(above), []
        for move in moves:
            texts.append(str(board.push_text(move)))
        numbers = []
        for text in texts:
            numbers.append(above := self.add(text, above))
        return numbers

    def promote(self, number: int) -> None:
        """Make a variation the main line: each move on the way to `number` comes before its alternatives.

        An ending of a line that continues now is removed.
        """
        path = self.nodes(number)
        for above, node in zip(path, path[1:], strict=False):
            if above.next is not node:
                above.end(None)
                above.children.sort(key=lambda each: each is not node)

    def remove(self, number: int) -> None:
        """Remove a move and its descendants from the game. If the current node is among them, go to the parent.

        The root cannot be removed.
        """
        parent, self.removed = self._parents[number], None
        if parent < 0:
            return
        if number in self.path():
            self.go(parent)
        node, siblings = self._nodes[number], self._nodes[parent].children
        place = next((place for place, each in enumerate(siblings) if each is node), len(siblings))
        siblings[:] = [each for each in siblings if each is not node]  # a game has removed a move taken back
        waiting, gone = [node], {}
        while waiting:
            each = waiting.pop()
            waiting += each.children
            gone[id(each)] = lost = self._numbers.pop(id(each))
            del self._nodes[lost], self._parents[lost]
        self.removed = parent, place, node, gone

    def restore(self) -> None:
        """Undo the last deletion, and go there; moves that were made again meanwhile are one with those deleted.

        Raises ValueError if there is none, if its parent no longer exists, or if there is no room.
        """
        if self.removed is None:
            raise InputError("there is nothing to undo")
        parent, place, node, known = self.removed
        if parent not in self._nodes:
            raise InputError("this move is no longer in the game")
        self.check_room(len(known))
        self.removed = None
        waiting = [(node, self._nodes[parent], place)]
        while waiting:
            each, above, place = waiting.pop()
            same = next((child for child in above.children if child.move == each.move), None)
            if same is None:
                above.children.insert(place, each)
                self._number(each, self._numbers[id(above)], known)
            else:
                same.comment = same.comment or each.comment
                waiting += [(child, same, len(same.children)) for child in reversed(each.children)]
        self.go(self.add(node.move, parent))

    def legal(self, move: str) -> str:
        """Return a legal move of the position in the game's notation. Raises ValueError saying why it is not legal."""
        try:
            return str(self.board.parse_text(move))
        except InputError as fault:
            reason = fault.args[0].values[-1:]  # the player sees which move it was
            raise InputError(*reason) if isinstance(reason[0], Message) else fault from None
