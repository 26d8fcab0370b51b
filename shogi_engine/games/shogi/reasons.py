"""Why a move was bad: facts of Shogi's board, each proven by legal moves or by the mate solver.

Every line begins with the position in which the bad move was made, on a Board that is unchanged on return.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.board.pieces import Move
from shogi_engine.games.shogi.mate.solver import shared_solver
from shogi_engine.games.shogi.notation import target_name
from shogi_engine.games.shogi.openings import NAMES, castles
from shogi_engine.games.shogi.params import VALUES
from shogi_engine.types.outcomes import Fact, Kind

# ---- Exchanges by legal moves alone, with the moves: slower than `see`, but right about pins, checks and promotions


# By kind, in centipawns: what a capture changes, off the board and into the hand, as `see.exchange_value` has it.
WORTH = tuple(value + VALUES[int(t.UNPROMOTED[kind])] for kind, value in enumerate(VALUES))
BY_SYMBOL = dict(zip(t.SYMBOLS, WORTH, strict=True))


@contextmanager
def after(board: Any, moves: Iterable[Any]) -> Iterator[None]:
    """Have made legal moves on a Board inside the `with` block."""
    made = 0
    try:
        for move in moves:
            board.push(move)
            made += 1
        yield
    finally:
        for _ in range(made):
            board.pop()


def captured(board: Any, move: Any) -> int:
    """Return the kind of piece that a legal move captures, 0 for none."""
    return 0 if move.from_square is None else int(board.piece_type_at(move.to_square))


def _gain(board: Any, move: Any) -> int:
    """Return what a capture gains at once: the piece, and the worth of its own promotion."""
    kind = board.piece_type_at(move.from_square)
    promoted = VALUES[int(t.PROMOTED[kind])] - VALUES[kind] if move.promotion else 0
    return WORTH[captured(board, move)] + promoted


def captures(board: Any, square: int | None = None) -> list[Any]:
    """Return the legal captures, optionally only those on a square."""
    moves = (move for move in board.legal_moves if square in (None, move.to_square))
    return [move for move in moves if captured(board, move)]


def exchange(board: Any, square: int) -> tuple[int, tuple[Any, ...]]:
    """Return what the side to move gains by captures on `square`, at least 0, and the best captures of both sides."""
    best, line = 0, ()
    for move in sorted(captures(board, square), key=lambda move: WORTH[board.piece_type_at(move.from_square)]):
        gain = _gain(board, move)
        if gain <= best:  # no reply makes it better
            continue
        with after(board, [move]):
            lost, replies = exchange(board, square)
        if gain - lost > best:
            best, line = gain - lost, (move, *replies)
    return best, line


def exchange_by(board: Any, capture: Any) -> tuple[Any, ...]:
    """Return the exchange that begins with a legal capture: the capture, and the best captures of both sides."""
    with after(board, [capture]):
        _, replies = exchange(board, capture.to_square)
    return (capture, *replies)


@dataclass(frozen=True)
class Balance:
    """The pieces that the side which begins a line wins and loses in it, by their symbols, in order.

    A piece that was promoted in the line counts as what it was before.
    """

    won: tuple[str, ...]
    lost: tuple[str, ...]

    @property
    def worth(self) -> int:
        """What the side has gained, in the unit of WORTH; promotions do not count."""
        return sum(BY_SYMBOL[each] for each in self.won) - sum(BY_SYMBOL[each] for each in self.lost)


def balance(board: Any, moves: Sequence[Any]) -> Balance:
    """Return what the side to move wins and loses in a line of legal moves."""
    taken: tuple[list[str], list[str]] = ([], [])
    before: dict[int, int] = {}  # by square, the kinds of the pieces that have been promoted in the line
    for number, move in enumerate(moves):
        if kind := captured(board, move):
            taken[number % 2].append(t.SYMBOLS[before.pop(move.to_square, kind)])
        if move.promotion or move.from_square in before:
            before[move.to_square] = before.pop(move.from_square, board.piece_type_at(move.from_square))
        board.push(move)
    for _ in moves:
        board.pop()
    return Balance(tuple(taken[0]), tuple(taken[1]))


def is_quiet(board: Any, least: int) -> bool:
    """Tell whether the side to move is not in check and no exchange wins it `least`."""
    if board.is_check():
        return False
    return all(exchange(board, square)[0] < least for square in {move.to_square for move in captures(board)})


# ---- Facts of Shogi's board about what a line leads to: threats, forks, promotions, the king's neighbours, open lines
#
# Every line begins with the position in which the bad move was made, on a Board that is unchanged on return. Two lines
# are compared after the same number of moves.


LEAST = 350  # what must be lost or won: a silver for a lance is 360, two pawns are 360
ATTACKED = 2  # squares next to a king: a difference of which something is said
REACHED = 5  # squares: the same
SLIDERS = (t.BISHOP, t.ROOK, t.HORSE, t.DRAGON)
PROMOTED = (t.PROM_PAWN, t.PROM_LANCE, t.PROM_KNIGHT, t.HORSE, t.DRAGON)  # a silver gains little by it
DEFENDERS = (t.SILVER, t.GOLD, t.PROM_PAWN, t.PROM_LANCE, t.PROM_KNIGHT, t.PROM_SILVER)


def forks(board: Any, line: Sequence[Move], better: Sequence[Move]) -> Iterator[Fact]:
    """Yield facts if the best reply forks pieces, or the better move would have."""
    replies = min(len(line), len(better)) > 1
    if replies and (forked := _forked(board, line[:2])) and not _forked(board, better[:2]):
        yield _fact(Kind.FORK_ALLOWED, line[:2], better, lost=forked)
    if (forked := _forked(board, better[:1])) and not _forked(board, line[:1]):
        yield _fact(Kind.FORK_MISSED, better[:1], line, won=forked)


def promotions(board: Any, line: Sequence[Move], better: Sequence[Move]) -> Iterator[Fact]:
    """Yield facts if the opponent promotes a piece safely in the line alone, or the other side in the better line."""
    for kind, lines, first in ((Kind.PROMOTION_ALLOWED, (line, better), 1), (Kind.PROMOTION_MISSED, (better, line), 0)):
        plies = _promoting(board, lines[0], first)
        if 0 < plies <= len(lines[1]) and not _promoting(board, lines[1][:plies], first):
            square = lines[0][plies - 1].to_square
            with after(board, lines[0][:plies]):
                piece = {"lost" if first else "won": (t.SYMBOLS[board.piece_type_at(square)],)}
            yield _fact(kind, lines[0][:plies], lines[1], t.SQUARE_NAMES[square], **piece)


def threats(board: Any, line: Sequence[Move], better: Sequence[Move]) -> Iterator[Fact]:
    """Yield facts if the best reply threatens to win a piece, or the better move would have."""
    if min(len(line), len(better)) > 1 and (found := _threat(board, line[:2], better[:2])):
        yield _fact(Kind.CAPTURE_THREATENED, line[:2], better, t.SQUARE_NAMES[found[0]], lost=(found[1],))
    if found := _threat(board, better[:1], line[:1]):
        yield _fact(Kind.CAPTURE_THREAT_MISSED, better[:1], line, t.SQUARE_NAMES[found[0]], won=(found[1],))


def kings(board: Any, line: Sequence[Move], better: Sequence[Move]) -> Iterator[Fact]:
    """Yield facts if more squares next to the king are attacked than in the better line, or fewer next to the other."""
    side, plies = board.turn, min(len(line), len(better))
    number, other = (_attacked(board, each[:plies], side) for each in (line, better))
    if number - other >= ATTACKED:
        yield _fact(Kind.KING_ATTACKED, line[:plies], better, number=number, other=other)
    number, other = (_attacked(board, each[:plies], 1 - side) for each in (line, better))
    if other - number >= ATTACKED:
        yield _fact(Kind.KING_ATTACK_MISSED, line[:plies], better, number=number, other=other)


def shapes(board: Any, line: Sequence[Move], better: Sequence[Move]) -> Iterator[Fact]:
    """Yield facts if the move leaves fewer defenders next to the king, or its line fewer squares for sliding pieces."""
    side, plies = board.turn, min(len(line), len(better))
    number, other = (_defenders(board, each[:1], side) for each in (line, better))
    if number < other:
        yield _fact(Kind.FEW_DEFENDERS, line[:1], better, number=number, other=other)
    number, other = (_reached(board, each[:plies], side) for each in (line, better))
    if other - number >= REACHED:
        yield _fact(Kind.LINES_CLOSED, line[:plies], better, number=number, other=other)


def _fact(kind: Kind, line: Sequence[Move], compared: Sequence[Move], square: str = "", **details: Any) -> Fact:
    """Return a fact about a line, which is compared with as much of another."""
    moves, instead = (tuple(move.usi() for move in each[: len(line)]) for each in (line, compared))
    return Fact(kind, moves, square, instead=instead, **details)


# ---- the board ---------------------------------------------------------------------------------------------------


def _forked(board: Any, line: Sequence[Move]) -> tuple[str, ...]:
    """Return what the last move of a line forks: the king, and pieces that are unprotected or worth much more.

    () unless there are two, and for a piece that can be captured.
    """
    with after(board, line):
        square = line[-1].to_square
        if captures(board, square):
            return ()
        worth, side, found = WORTH[board.piece_type_at(square)], board.turn, []
        for target in board.attacks(square):
            kind = board.piece_type_at(target)
            free = WORTH[kind] >= LEAST and not board.attackers(side, target)
            if kind and board.color_at(target) == side and (kind == t.KING or WORTH[kind] - worth >= LEAST or free):
                found.append(kind)
    found.sort(key=lambda kind: (kind == t.KING, WORTH[kind]), reverse=True)
    return tuple(t.SYMBOLS[kind] for kind in found) if len(found) > 1 else ()


def _promoting(board: Any, line: Sequence[Move], first: int) -> int:
    """Return the number of moves up to the first safe promotion by the side that makes the move `first`, 0 for none."""
    for plies in range(first + 1, len(line) + 1, 2):
        if line[plies - 1].promotion:
            with after(board, line[:plies]):
                square = line[plies - 1].to_square
                if board.piece_type_at(square) in PROMOTED and not captures(board, square):
                    return plies
    return 0


def _threat(board: Any, line: Sequence[Move], other: Sequence[Move]) -> tuple[int, str] | None:
    """Return the square and the symbol of the best piece that is threatened after a line, and not after the other.

    What could be captured with profit before the last move of the line is not threatened by it.
    """
    spared = _threats(board, other)
    found = {square: gain for square, gain in _threats(board, line).items() if square not in spared}
    with after(board, line[:-1]):
        before = _gains(board, [move for move in captures(board) if move.to_square in found])
    new = found.keys() - before.keys()
    if not new:
        return None
    square = max(sorted(new), key=lambda square: found[square])
    with after(board, line):
        return square, t.SYMBOLS[board.piece_type_at(square)]


def _threats(board: Any, line: Sequence[Move]) -> dict[int, int]:
    """Return where the side that ended a line could capture with profit if the other passed, and how much it would win.

    The piece that moved last threatens nothing if it can be captured with profit. In check no side can pass, so there
    are no threats.
    """
    with after(board, line):
        if board.is_check():
            return {}
        moved = line[-1].to_square
        hangs = exchange(board, moved)[0] > 0
        with after(board, [Move.null()]):
            return _gains(board, [move for move in captures(board) if not (hangs and move.from_square == moved)])


def _gains(board: Any, moves: Sequence[Move]) -> dict[int, int]:
    """Return on which squares captures win pieces by the exchanges that they begin, and how much the best of them."""
    gains = ((balance(board, exchange_by(board, move)).worth, move.to_square) for move in moves)
    return {square: gain for gain, square in sorted(gains) if gain >= LEAST}


def _attacked(board: Any, line: Sequence[Move], side: int) -> int:
    """Return how many squares next to the king of a side the other side attacks after a line."""
    with after(board, line):
        return sum(board.is_attacked_by(1 - side, square) for square in _next_to_king(board, side))


def _defenders(board: Any, line: Sequence[Move], side: int) -> int:
    """Return how many golds, silvers and pieces that move so a side has next to its king after a line."""
    with after(board, line):
        near = [square for square in _next_to_king(board, side) if board.color_at(square) == side]
        return sum(board.piece_type_at(square) in DEFENDERS for square in near)


def _next_to_king(board: Any, side: int) -> Sequence[int]:
    king = board.king_squares[side]
    return [] if king is None else list(board.attacks(king))


def _reached(board: Any, line: Sequence[Move], side: int) -> int:
    """Return how many squares the rooks and bishops of a side attack after a line, those of own pieces not counted."""
    with after(board, line):
        own = [square for square in range(t.SQUARES) if board.color_at(square) == side]
        sliders = [square for square in own if board.piece_type_at(square) in SLIDERS]
        return sum(target not in own for square in sliders for target in board.attacks(square))


PAWN = 180  # what must be lost or won if it is not LEAST
LINE_PLIES = 8  # how far a line is followed
MATE_PLIES = 7  # of a mate that is threatened
MATE_NODES = 5_000
MATE_MB = 1


def facts(
    board: Any,
    move: str,
    better: Sequence[str],
    replies: Sequence[str],
    *,
    missed_mate: int = 0,
    allowed_mate: int = 0,
    wins: bool = False,
    loses: bool = False,
) -> Iterator[Fact]:
    """Yield facts about a bad move, the gravest first.

    Args:
        better: the best line from the position before the move
        replies: the best line from the position after it
        missed_mate: the length in plies of `better`, if the solver has found that it mates by checks, else 0
        allowed_mate: the same of `replies`
        wins: whether the search has found a mate, by checks or not, in `better`
        loses: the same of `replies`
    """
    best, line = _moves(better), _moves([move, *replies])
    if allowed_mate:
        kind = Kind.MATE_THREAT_UNMET if _after_pass(board) else Kind.MATE_ALLOWED
        yield Fact(kind, _texts(line), number=allowed_mate)
    if missed_mate:
        yield Fact(Kind.MATE_MISSED, _texts(best), number=missed_mate)
    lost = won = None
    if not allowed_mate:
        yield from _ends_in_mate(board, Kind.ENDS_IN_MATE, line if loses else [])
        yield from (lost := list(_pieces_lost(board, line, best, LEAST)))
    if not missed_mate:
        yield from _ends_in_mate(board, Kind.COULD_END_IN_MATE, best if wins else [])
        yield from (won := list(_pieces_missed(board, line, best, LEAST)))
    if not allowed_mate:
        yield from _threatened(board, line[:2], best[:2])
    if not missed_mate:
        yield from _threat_missed(board, line[0], best[0])
    yield from _castle_broken(board, line[0], best[0])
    if not (allowed_mate or missed_mate):
        yield from forks(board, line, best)
        yield from promotions(board, line, best)
        yield from threats(board, line, best)
        yield from kings(board, line, best)
        yield from [] if lost else _pieces_lost(board, line, best, PAWN)
        yield from [] if won else _pieces_missed(board, line, best, PAWN)
        yield from shapes(board, line, best)


# ---- mates -------------------------------------------------------------------------------------------------------


def _ends_in_mate(board: Any, kind: Kind, line: Sequence[Move]) -> Iterator[Fact]:
    """Yield a fact if the opponent, or for COULD_END_IN_MATE the side to move, mates at the end of a line."""
    with after(board, line):
        mated = board.is_checkmate()
    if line and mated and len(line) % 2 == (kind is Kind.COULD_END_IN_MATE):
        yield Fact(kind, _texts(line), number=len(line) - (kind is Kind.ENDS_IN_MATE))


def _after_pass(board: Any) -> int:
    """Return the length of a mate that the side not to move has if the other passes, 0 if none is found."""
    if board.is_check() or board.king_squares[board.turn] is None:
        return 0
    with after(board, [Move.null()]):
        found = shared_solver(MATE_MB).solve(board._pos, nodes=MATE_NODES, limit=MATE_PLIES, shortest=True)
    return found.length if found else 0


def _threatens(board: Any, line: Sequence[Move]) -> int:
    """Return the length of the mate that is threatened after a line by the side that made its last move, 0 for none."""
    with after(board, line):
        return 0 if board.is_game_over() else _after_pass(board)


def _threatened(board: Any, line: Sequence[Move], better: Sequence[Move]) -> Iterator[Fact]:
    """Yield a fact if the best reply threatens mate, and the reply to the better move does not."""
    if len(line) == 2 and (length := _threatens(board, line)) and not (len(better) == 2 and _threatens(board, better)):
        yield Fact(Kind.MATE_THREATENED, _texts(line), number=length)


def _threat_missed(board: Any, played: Move, better: Move) -> Iterator[Fact]:
    """Yield a fact if the better move would have threatened mate, and the move played does not."""
    if (length := _threatens(board, [better])) and not _threatens(board, [played]):
        yield Fact(Kind.MATE_THREAT_MISSED, _texts([better]), number=length)


# ---- pieces ------------------------------------------------------------------------------------------------------


def _pieces_lost(board: Any, line: Sequence[Move], better: Sequence[Move], least: int) -> Iterator[Fact]:
    """Yield a fact if the best reply wins pieces: by an exchange, or at the end of its line."""
    if len(line) < 2:
        return
    played, reply = line[:2]
    exchanged, spared = (_exchange_after(board, move, reply) for move in (played, better[0]))
    pieces = balance(board, exchanged)
    if -pieces.worth >= least:
        if balance(board, spared).worth - pieces.worth < least:  # the better move loses them too
            return
        kind = Kind.EXCHANGE_LOST
        if len(exchanged) == 2 and not pieces.won and not _can_recapture(board, exchanged):
            kind = Kind.PIECE_THREAT_UNMET if _threatened_to_take(board, reply, least) else Kind.PIECE_LEFT
        yield _of_pieces(kind, exchanged, pieces, reply)
        return
    quiet = _quiet_parts(board, line, least)
    losing = next((part for part in quiet if balance(board, part).worth <= -least and len(part) > 1), None)
    if losing and _final_worth(board, better, least) - balance(board, losing).worth >= least:
        yield _of_pieces(Kind.PIECES_LOST, losing, balance(board, losing))


def _pieces_missed(board: Any, line: Sequence[Move], better: Sequence[Move], least: int) -> Iterator[Fact]:
    """Yield a fact if the better move would have won pieces: by an exchange, or at the end of its line."""
    needed = least + max(_final_worth(board, line, least), 0)
    if captured(board, better[0]):
        exchanged = exchange_by(board, better[0])
        pieces = balance(board, exchanged)
        free = len(exchanged) == 1 and not _can_recapture(board, exchanged)
        takes_it = any(move.to_square == better[0].to_square for move in line[::2])  # later
        if pieces.worth >= (least if free and not takes_it else needed):
            yield _of_pieces(Kind.PIECE_MISSED if free else Kind.EXCHANGE_MISSED, exchanged, pieces, better[0])
            return
    quiet = _quiet_parts(board, better, least)
    winning = next((part for part in quiet if balance(board, part).worth >= needed), None)
    if winning:
        yield _of_pieces(Kind.PIECES_MISSED, winning, balance(board, winning))


def _of_pieces(kind: Kind, line: Sequence[Move], pieces: Balance, capture: Move | None = None) -> Fact:
    name = "" if capture is None else t.SQUARE_NAMES[capture.to_square]
    return Fact(kind, _texts(line), name, lost=pieces.lost, won=pieces.won)


def _exchange_after(board: Any, move: Move, capture: Move) -> list[Move]:
    """Return a move and the exchange by which it is answered; [] if the answer is not a legal capture."""
    with after(board, [move]):
        return [move, *exchange_by(board, capture)] if _is_capture(board, capture) else []


def _is_capture(board: Any, move: Move) -> bool:
    return board.is_legal(move) and captured(board, move) > 0


def _can_recapture(board: Any, line: Sequence[Move]) -> bool:
    """Tell whether the last move of a line, a capture, can be answered by a capture on its square."""
    with after(board, line):
        return bool(captures(board, line[-1].to_square))


def _threatened_to_take(board: Any, capture: Move, least: int) -> bool:
    """Tell whether the opponent could make a capture, and win by it, if the side to move passed."""
    if board.is_check():
        return False
    with after(board, [Move.null()]):
        return _is_capture(board, capture) and balance(board, exchange_by(board, capture)).worth >= least


def _final_worth(board: Any, line: Sequence[Move], least: int) -> int:
    """Return what the side to move has gained at the last quiet position of a line, 0 if it has none."""
    quiet = _quiet_parts(board, line, least)
    return balance(board, quiet[-1]).worth if quiet else 0


def _quiet_parts(board: Any, line: Sequence[Move], least: int) -> list[list[Move]]:
    """Return the beginnings of a line, the shortest first, that end where no exchange wins `least`."""
    found = []
    for number, move in enumerate(line[:LINE_PLIES], 1):
        board.push(move)
        if is_quiet(board, least):
            found.append(list(line[:number]))
    for _ in line[:LINE_PLIES]:
        board.pop()
    return found


# ---- castles -----------------------------------------------------------------------------------------------------


def _castle_broken(board: Any, played: Move, better: Move) -> Iterator[Fact]:
    """Yield a fact if the move breaks its side's castle, and the better move does not."""
    side, castle = board.turn, castles(board)[board.turn]
    if castle is None:
        return

    def breaks(move: Move) -> bool:
        with after(board, [move]):
            return castles(board)[side] is None

    if breaks(played) and not breaks(better):
        yield Fact(Kind.CASTLE_BROKEN, _texts([played]), name=castle.id)


# ---- moves and names ---------------------------------------------------------------------------------------------


def _moves(line: Sequence[str]) -> list[Move]:
    return [Move.from_usi(move) for move in line]


def _texts(line: Sequence[Move]) -> tuple[str, ...]:
    return tuple(move.usi() for move in line)


def square_text(name: str, language: str) -> str:
    """Return the name of a square as moves are written in a language."""
    return target_name(t.SQUARES_BY_NAME[name]) if language == "ja" else name


def piece_text(symbol: str, language: str) -> str:
    """Return the name of a piece: 'silver', 銀. A tokin is と金, because と alone reads as a particle."""
    return t.PIECE_NAMES[language][t.SYMBOLS.index(symbol)].replace("と", "と金")


def name_text(identifier: str, language: str) -> str:
    """Return the name of a castle."""
    return NAMES[identifier].text(language)
