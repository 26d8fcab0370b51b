"""Evaluations that programs write into the comments of Shogi records; GUIs draw graphs of them.

The values are black's. Two forms are written: floodgate's in CSA, `* 78 -8384FU +2625FU`, and ShogiHome's in the other
formats, one line each for `*評価値=78`, `*詰み=先手勝ち:15手`, `*読み筋=△８四歩▲２五歩` and `*深さ=12`. Lines of
these forms that are fully understood are moved from the comment to the node's evaluation, depth and pv. Other values
stay in the comment: ShogiHome's analyses (`#評価値=`), ShogiGUI's (`*対局 ... 評価値 88`, or in English
`**Rank1 ... Value 88`), Kishin Analytics' and Piyo Shogi's (`#指し手[62]`). The rules are those of ShogiHome's reader:
https://github.com/sunfish-shogi/electron-shogi/blob/main/src/renderer/store/record.ts
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from shogi_engine.common.text import legal_line
from shogi_engine.records.tree import GameRecord, Node
from shogi_engine.types.outcomes import USUAL_WINNERS, EndingWords, Outcome, Termination, Winner
from shogi_engine.types.results import CP_MAX, Score

# ---- The endings that Shogi's record formats write in place of endings for which they have no word


NEAREST = {
    Termination.PERPETUAL_CHECK: Termination.ILLEGAL_MOVE,
    Termination.STALEMATE: Termination.CHECKMATE,
    Termination.ADJUDICATION: Termination.AGREEMENT,  # for a draw, as UNKNOWN
    Termination.UNKNOWN: Termination.AGREEMENT,
}


# ---- What CSA files say about the end of a game: CSA's words, `%TORYO`, and the summary of shogi-server
#
# shogi-server, which runs floodgate, ends the file of a game with a comment, `'summary:TYPE:BLACK lose:WHITE win`. If a
# player lost on time, made an illegal move or repeated the position, and if there were too many moves, nothing else
# says how the game ended; after a wrong declaration the file has `%KACHI`, and `%TORYO` for a lost connection,
# whichever side is to move. A summary therefore overrules the word. See shogi_server/game_result.rb in
# https://github.com/TadaoYamaoka/shogi-server.


WORDS = EndingWords(
    {
        "%TORYO": (Termination.RESIGNATION, Winner.OPPONENT),
        "%TSUMI": (Termination.CHECKMATE, Winner.OPPONENT),
        "%TIME_UP": (Termination.TIME_FORFEIT, Winner.OPPONENT),
        "%ILLEGAL_MOVE": (Termination.ILLEGAL_MOVE, Winner.OPPONENT),
        "%+ILLEGAL_ACTION": (Termination.ILLEGAL_MOVE, Winner.WHITE),
        "%-ILLEGAL_ACTION": (Termination.ILLEGAL_MOVE, Winner.BLACK),
        "%KACHI": (Termination.DECLARATION, Winner.TO_MOVE),
        "%SENNICHITE": (Termination.REPETITION, Winner.NOBODY),
        "%JISHOGI": (Termination.IMPASSE, Winner.NOBODY),
        "%HIKIWAKE": (Termination.AGREEMENT, Winner.NOBODY),
        "%MAX_MOVES": (Termination.MAX_MOVES, Winner.NOBODY),
        "%CHUDAN": (Termination.INTERRUPTED, Winner.NOBODY),
        "%FUZUMI": (Termination.NO_MATE, Winner.NOBODY),
        "%MATTA": (Termination.TAKE_BACK, Winner.NOBODY),
        "%ERROR": (Termination.ERROR, Winner.NOBODY),
    },
    NEAREST,
)
SUMMARY = "summary:"
TYPES = {  # of a summary; any other type says only who won
    "toryo": Termination.RESIGNATION,
    "abnormal": Termination.RESIGNATION,  # the connection was lost
    "time up": Termination.TIME_FORFEIT,
    "kachi": Termination.DECLARATION,
    "illegal kachi": Termination.ILLEGAL_MOVE,
    "illegal move": Termination.ILLEGAL_MOVE,
    "uchifuzume": Termination.ILLEGAL_MOVE,
    "oute_kaihimore": Termination.ILLEGAL_MOVE,
    "outori": Termination.ILLEGAL_MOVE,
    "oute_sennichite": Termination.PERPETUAL_CHECK,
    "sennichite": Termination.REPETITION,
    "max_moves": Termination.MAX_MOVES,
}
WHITE_WINS = {"lose": 0, "win": 1, "draw": None}  # the winner, by white's result
OPPOSITE = {"lose": "win", "win": "lose", "draw": "draw"}  # black's result, by white's


def summary_of(comment: str) -> Outcome | None:
    """Return what a comment line of shogi-server says about the end of a game; None for any other line.

    The termination is UNKNOWN if the type does not give it. Names may contain blanks and colons.

    >>> print(summary_of("summary:time up:a:b win:c d lose"))
    black wins: time
    """
    if not comment.startswith(SUMMARY):
        return None
    kind, _, rest = comment[len(SUMMARY) :].rstrip().partition(":")
    result = rest.rpartition(" ")[2]
    if result not in OPPOSITE or f" {OPPOSITE[result]}:" not in rest:
        return None
    return summary_outcome(kind, result)


def summary_outcome(kind: str, result: str) -> Outcome:
    """Return the outcome of a summary of type `kind`, with white's result."""
    termination, winner = TYPES.get(kind, Termination.UNKNOWN), WHITE_WINS[result]
    fits = (termination in USUAL_WINNERS) == (winner is not None)
    return Outcome(winner, termination if fits else Termination.UNKNOWN)


def adjudicated(said: Outcome, summary: Outcome) -> Outcome:
    """Return how a game ended, by its word (NONE without one) and the server's summary."""
    if summary.termination is Termination.UNKNOWN and said.result() == summary.result():
        return said
    return summary


MATE_VALUE = CP_MAX + 1  # centipawns that mean a mate in forms without a word for it, as floodgate's clients write it
_NUMBER = r"([+-]?[0-9]{1,9}(?:\.[0-9]{0,9})?)"
_MATE = re.compile(r"([*#])詰み=(先手勝ち|後手勝ち)(?::([0-9]{1,5})手)?", re.ASCII)
_VALUE = re.compile(rf"([*#])評価値={_NUMBER}", re.ASCII)
_PV = re.compile(r"\*読み筋=(.*)")
_DEPTH = re.compile(r"\*深さ=([0-9]{1,5})", re.ASCII)
FLOODGATE = re.compile(rf"\*{{1,2}} {_NUMBER}((?: [+-][0-9]{{4}}[A-Z]{{2}})*)( .*)?", re.ASCII)
_WORDY = re.compile(rf"\*.* (?:評価値|Value) (?:{_NUMBER}|([+-])(?:詰|Mate) ?([0-9]{{0,5}}))(?: .*)?", re.ASCII)
_PIYO = re.compile(rf"#(?:形勢|指し手)\[{_NUMBER}\].*", re.ASCII)
_MARKED = re.compile(r"[▲△][^▲△]+")
_WINNERS = {"先手勝ち": 1, "後手勝ち": -1}


def number_score(number: str | float) -> Score:
    """Convert a number of centipawns to a score; from MATE_VALUE on it is a mate."""
    value = float(number)
    if abs(value) >= MATE_VALUE:
        return Score.mate_in(None) if value > 0 else Score.mated_in(None)
    return Score(int(value) if value == int(value) else value)


def _mate_score(sign: int, plies: str | None) -> Score:
    score = Score.mate_in(int(plies) if plies else None)
    return score if sign > 0 else -score


def score_in(line: str) -> Score | None:
    """Return the score for black in a comment line of any of the forms; None if there is none.

    >>> score_in("*評価値=-83"), score_in("* 78 -8384FU"), score_in("#詰み=後手勝ち:8手"), score_in("78")
    (Score('cp -83'), Score('cp 78'), Score('mate -8'), None)
    """
    line = _bare(line)
    if line[:1] not in ("*", "#"):
        return None
    if found := FLOODGATE.fullmatch(line):
        return number_score(found[1])
    if found := _VALUE.fullmatch(line):
        return number_score(found[2])
    if found := _MATE.fullmatch(line):
        return _mate_score(_WINNERS[found[2]], found[3])
    if found := _PIYO.fullmatch(line):
        return number_score(found[1])
    if found := _WORDY.fullmatch(line):
        return number_score(found[1]) if found[1] else _mate_score(1 if found[2] == "+" else -1, found[3])
    return None


def _bare(line: str) -> str:
    """Return a line without the star that remains when Kifu for JS reads CSA's `'*`."""
    return line[1:] if line[:2] in ("**", "*#") else line


def _rank(line: str) -> int:
    """Return the rank of a line with a score: 0 a player's mate, 1 a player's value, 2 and 3 an analysis."""
    bare = _bare(line)
    return (bare[0] == "#") * 2 + (_MATE.fullmatch(bare) is None)


def _told(comment: str) -> tuple[int, Score] | None:
    """Return (rank, score for black) of the comment's line with the lowest rank, None if no line has a score."""
    found = [(_rank(line), score) for line in comment.split("\n") if (score := score_in(line)) is not None]
    return min(found, key=lambda each: each[0], default=None)


# ---- reading -----------------------------------------------------------------------------------------------------


def take_evaluations(record: GameRecord) -> None:
    """Move evaluations, depths and lines from the comments of a record to its nodes."""
    if not any(_may_tell(node.comment) for node in record.nodes()):
        return
    board = record.board(0)
    for first, line in record.lines():
        while first and len(board.move_stack) >= first:
            board.pop()
        for node in line:
            mover = board.turn
            if node.move:
                board.push_text(node.move)
            if _may_tell(node.comment):
                _take(node, 1 if mover == 0 else -1, board)


def _may_tell(comment: str) -> bool:
    return bool(comment) and (comment[0] in "*#" or "\n*" in comment or "\n#" in comment)


def _take(node: Node, sign: int, board: Any) -> None:
    """Move the evaluation, depth and line from a node's comment to its attributes.

    Args:
        sign: 1 if black made the move, -1 if white did
        board: the position after it
    """
    told = _told(node.comment)
    if told is not None:
        node.evaluation = told[1] if sign > 0 else -told[1]
    lines = node.comment.split("\n")
    node.comment = "\n".join(line for line in lines if not _taken(node, _bare(line), told and told[1], board))


def _taken(node: Node, line: str, score: Score | None, board: Any) -> bool:
    """Tell whether a comment line repeats information that is stored in the node.

    Args:
        score: black's evaluation
    """
    if found := _PV.fullmatch(line):
        return _take_pv(node, _MARKED.findall(found[1]), board)
    if found := _DEPTH.fullmatch(line):
        node.depth = int(found[1]) if node.depth is None else node.depth
        return node.depth == int(found[1])
    if score is None or line[:1] != "*" or score_in(line) not in (score, replace(score, plies=None)):
        return False
    if found := FLOODGATE.fullmatch(line):
        return not found[3] and _take_pv(node, found[2].split(), board)
    return bool(_VALUE.fullmatch(line) or _MATE.fullmatch(line))


def _take_pv(node: Node, texts: list[str], board: Any) -> bool:
    """Store the moves expected after a node; return False, without storing them, if one of them is illegal."""
    if not texts:
        return True
    line = legal_line([text.replace("\u3000", "").strip() for text in texts], board, board.parse_text)
    moves = tuple(map(str, line))
    if len(moves) < len(texts) or node.pv not in ((), moves):
        return False
    node.pv = moves
    return True


# ---- writing -----------------------------------------------------------------------------------------------------


def evaluation_lines(node: Node, mover: int, board: Any, floodgate: bool = False) -> Iterator[str]:
    """Yield comment lines with a node's evaluation, depth and pv; a score that its comment already contains is omitted.

    Args:
        mover: the side that made the move; for the root, the side to move
        board: the position after it
    """
    if node.evaluation is None and not node.pv and node.depth is None:
        return
    black = node.evaluation if mover == 0 or node.evaluation is None else -node.evaluation
    told = _told(node.comment)
    if black is None or (told and told[1] == black):
        floodgate = False  # floodgate's form needs a score
    elif floodgate:
        yield from _floodgate(node, black, board)
    else:
        yield from _score_lines(black, "*")
    if node.pv and not floodgate:
        yield f"*読み筋={pv_text(node.pv, board)}"
    if node.depth is not None:
        yield f"*深さ={node.depth}"


def comment_lines(node: Node, mover: int, board: Any, floodgate: bool = False) -> Iterator[str]:
    """Yield what `evaluation_lines` does, then the lines of the comment."""
    yield from evaluation_lines(node, mover, board, floodgate)
    if node.comment:
        yield from node.comment.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def analysis_lines(score: Score, mover: int) -> Iterator[str]:
    """Yield comment lines with a score from an analysis, not from the player."""
    yield from _score_lines(score if mover == 0 else -score, "#")


def _score_lines(black: Score, mark: str) -> Iterator[str]:
    """Yield ShogiHome's lines of a score."""
    if black.mate:
        length = f":{black.plies}手" if black.plies else ""  # ShogiHome does not understand 0手
        yield f"{mark}詰み={'先手勝ち' if black.value > 0 else '後手勝ち'}{length}"
    else:
        yield f"{mark}評価値={_digits(black.value)}"


def _digits(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.2f}"


def _floodgate(node: Node, black: Score, board: Any) -> Iterator[str]:
    """Yield floodgate's line, and ShogiHome's for a mate whose length is known."""
    if black.mate and black.plies is not None:
        yield from _score_lines(black, "*")
    value = (MATE_VALUE if black.value > 0 else -MATE_VALUE) if black.mate else black.value
    yield " ".join([f"* {_digits(value)}", *(_texts(node.pv, board, "csa") if node.pv else ())])


def pv_text(moves: tuple[str, ...], board: Any) -> str:
    """Return the moves of a line from `board` as ShogiHome writes them, '△８四歩▲２五歩'; the first is never 同."""
    return "".join(_texts(moves, type(board)(board.sfen()), "japanese"))


def _texts(moves: tuple[str, ...], board: Any, notation: str) -> list[str]:
    """Return the text of each move of a line from the position on `board`, up to the first illegal move."""
    texts = []
    for move in moves:
        try:
            parsed = board.parse_text(move)
            texts.append(board.text(parsed, notation))
        except ValueError:
            break
        board.push(parsed)
    for _ in texts:
        board.pop()
    return texts
