"""Judge whether a mate problem is sound, with cshogi alone: its rules, its df-pn, and plain AND/OR search for lengths.

Nothing here uses the engine, so it can check the verdicts of `tests.support.tsume_soundness`.
"""

import cshogi

ANY_DEPTH = 41
NODES = 400_000


class Oracle:
    """Judges problems; caches the results for the positions of the current one."""

    def __init__(self) -> None:
        self._search = cshogi.DfPn(depth=ANY_DEPTH, nodes=NODES)
        self._within: dict[tuple[int, int], bool] = {}

    def is_sound(self, sfen: str, length: int) -> bool:
        """Tell whether the shortest mate takes `length` plies and is unique against every longest defence."""
        self._within.clear()
        board = cshogi.Board(sfen)
        return self.shortest(board, length) == length and self._holds(board, length)

    def _holds(self, board: "cshogi.Board", length: int) -> bool:
        keys = [move for move in self.checks(board) if self.mates(board, move)]
        if len(keys) != 1:
            return False
        board.push(keys[0])
        held = sum(board.pieces_in_hand[1 - board.turn])
        lasting = []
        for reply in list(board.legal_moves):
            board.push(reply)
            if self.shortest(board, length - 2) == length - 2:
                lasting.append(reply)
            board.pop()
        if length == 1:
            holds = not any(True for _ in board.legal_moves) and held == 0
        else:
            holds = bool(lasting)
            for reply in lasting:
                board.push(reply)
                holds = holds and self._holds(board, length - 2)
                board.pop()
        board.pop()
        return holds

    def checks(self, board: "cshogi.Board") -> list[int]:
        """Return the legal moves that give check."""
        found = []
        for move in board.legal_moves:
            board.push(move)
            if board.is_check():
                found.append(move)
            board.pop()
        return found

    def mates(self, board: "cshogi.Board", check: int) -> bool:
        """Tell whether a check mates in any number of moves: all replies are lost, by df-pn."""
        board.push(check)
        lost = True
        for reply in list(board.legal_moves):
            board.push(reply)
            lost = self._search.search(board)
            board.pop()
            if not lost:
                break
        board.pop()
        return lost

    def shortest(self, board: "cshogi.Board", most: int) -> int:
        """Return the plies of the shortest mate, at most `most`; 0 if there is none."""
        return next((plies for plies in range(1, most + 1, 2) if self.mates_within(board, plies)), 0)

    def mates_within(self, board: "cshogi.Board", plies: int) -> bool:
        """Tell whether the side to move mates within `plies` plies, by exhaustive search."""
        key = board.zobrist_hash(), plies
        if key not in self._within:
            self._within[key] = any(self._is_lost_within(board, check, plies - 1) for check in self.checks(board))
        return self._within[key]

    def _is_lost_within(self, board: "cshogi.Board", check: int, plies: int) -> bool:
        board.push(check)
        lost = True
        for reply in list(board.legal_moves):
            if plies == 0:
                lost = False
                break
            board.push(reply)
            lost = self.mates_within(board, plies - 1)
            board.pop()
            if not lost:
                break
        board.pop()
        return lost
