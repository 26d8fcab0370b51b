"""Why a move was bad: facts of Shogi's board, each proven by legal moves or by the mate solver.

Every line begins with the position in which the bad move was made, on a Board that is unchanged on return.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from shogi_engine.games.shogi import positional
from shogi_engine.games.shogi.board.moves import Move
from shogi_engine.games.shogi.mate.solver import shared_solver
from shogi_engine.games.shogi.material import Balance, after, balance, captured, captures, exchange_by, is_quiet
from shogi_engine.games.shogi.notation.moves.japanese import target_name
from shogi_engine.games.shogi.openings import NAMES, castles
from shogi_engine.games.shogi.symbols import PIECE_NAMES, SQUARE_NAMES, SQUARES_BY_NAME, SYMBOLS
from shogi_engine.types.fact import Fact, Kind

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
        yield from (lost := list(_pieces_lost(board, line, best, positional.LEAST)))
    if not missed_mate:
        yield from _ends_in_mate(board, Kind.COULD_END_IN_MATE, best if wins else [])
        yield from (won := list(_pieces_missed(board, line, best, positional.LEAST)))
    if not allowed_mate:
        yield from _threatened(board, line[:2], best[:2])
    if not missed_mate:
        yield from _threat_missed(board, line[0], best[0])
    yield from _castle_broken(board, line[0], best[0])
    if not (allowed_mate or missed_mate):
        yield from positional.forks(board, line, best)
        yield from positional.promotions(board, line, best)
        yield from positional.threats(board, line, best)
        yield from positional.kings(board, line, best)
        yield from [] if lost else _pieces_lost(board, line, best, PAWN)
        yield from [] if won else _pieces_missed(board, line, best, PAWN)
        yield from positional.shapes(board, line, best)


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
        if pieces.worth >= needed:
            free = len(exchanged) == 1 and not _can_recapture(board, exchanged)
            yield _of_pieces(Kind.PIECE_MISSED if free else Kind.EXCHANGE_MISSED, exchanged, pieces, better[0])
            return
    quiet = _quiet_parts(board, better, least)
    winning = next((part for part in quiet if balance(board, part).worth >= needed), None)
    if winning:
        yield _of_pieces(Kind.PIECES_MISSED, winning, balance(board, winning))


def _of_pieces(kind: Kind, line: Sequence[Move], pieces: Balance, capture: Move | None = None) -> Fact:
    name = "" if capture is None else SQUARE_NAMES[capture.to_square]
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
    return target_name(SQUARES_BY_NAME[name]) if language == "ja" else name


def piece_text(symbol: str, language: str) -> str:
    """Return the name of a piece: 'silver', 銀. A tokin is と金, because と alone reads as a particle."""
    return PIECE_NAMES[language][SYMBOLS.index(symbol)].replace("と", "と金")


def name_text(identifier: str, language: str) -> str:
    """Return the name of a castle."""
    return NAMES[identifier].text(language)
