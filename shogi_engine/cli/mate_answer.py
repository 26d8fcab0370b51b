"""The answer of `shogi-engine mate` to one problem: as text in a notation, for JSON, and as a record."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shogi_engine import language
from shogi_engine.cli.terminal import KANJI, BoardStyle, draw, plain
from shogi_engine.common.text import table
from shogi_engine.games.shogi.board import Board
from shogi_engine.games.shogi.mate.solver import line_texts
from shogi_engine.games.shogi.types import HAND_ORDER, KANJI_NUMBERS, KANJI_PIECES, SYMBOLS
from shogi_engine.language import translate as _
from shogi_engine.records import GameRecord
from shogi_engine.suites import values
from shogi_engine.types.outcomes import Termination, usual_outcome
from shogi_engine.types.results import ForcedWin

ENDINGS = {  # by ForcedWin.result
    "mate": Termination.CHECKMATE,
    "nomate": Termination.NO_MATE,
    "timeout": Termination.INTERRUPTED,
}


@dataclass
class MateAnswer:
    """A problem and its result.

    Attributes:
        position: record[POSITION]
        others: the lines of other first moves, encoded
    """

    sfen: str
    position: Any
    found: ForcedWin[int]
    others: Sequence[Sequence[int]] = ()

    def lines(self) -> list[list[str]]:
        """Return the line found, and those of the other first moves, in USI."""
        return [line_texts(self.position, moves) for moves in (self.found.moves, *self.others) if moves]

    def end(self) -> Board:
        """Return the board after the line found."""
        board = Board(self.sfen)
        for text in line_texts(self.position, self.found.moves):
            board.push_usi(text)
        return board

    def left_over(self) -> dict[int, int]:
        """Return how many pieces of each kind the attacker has in hand after the mate."""
        return dict(self.end().pieces_in_hand[int(self.position.side)])

    def values(self) -> dict[str, Any]:
        """Return the result for JSON; left_over is a hand in SFEN notation."""
        row: dict[str, Any] = values(self.position, self.found)
        if self.found:
            left = self.left_over()
            row["left_over"] = "".join(
                f"{left[kind] if left[kind] > 1 else ''}{SYMBOLS[kind]}" for kind in HAND_ORDER if left.get(kind)
            )
        return row

    # ---- text

    def text(self, notation: str, drawn: str, tsume: bool = False) -> str:
        """Return the problem, its answer and the position at the end, `drawn` with KANJI or WESTERN pieces or ''."""
        speed = _("{nodes} nodes, {seconds:.2f} s").format(nodes=self.found.nodes, seconds=self.found.seconds)
        parts = [_diagram(Board(self.sfen), drawn), f"{headline(self.found, tsume)}   ({speed})"]
        for number, line in enumerate(self.lines()):
            texts = written(self.sfen, line, notation)
            if number:
                parts.append(_("also mate in {length}: {moves}").format(length=len(texts), moves=" ".join(texts)))
            else:
                parts.append("\n".join(numbered(texts)))
        if self.found:
            parts += [_hand_text(self.left_over(), notation), _diagram(self.end(), drawn)]
        return "\n\n".join(part for part in parts if part)

    # ---- record

    def record(self) -> GameRecord:
        """Return the problem with its answer; other first moves are variations."""
        record = GameRecord("shogi", self.sfen)
        record.root.add_comment(headline(self.found, False))
        for number, line in enumerate(self.lines()):
            node = record.root
            for move in line:
                node = node.add(move)
            if number:
                node.end(usual_outcome("mate", record.side(len(line))))
        record.ending = ENDINGS[self.found.result]
        return record


def headline(found: ForcedWin[int], tsume: bool) -> str:
    """Return the result in a few words."""
    if found.result == "nomate":
        return _("no mate by checks")
    if found.result != "mate":
        return _("nothing proven within the limits")
    if tsume and found.shortest:
        words = _("mate in {length} without useless interpositions").format(length=found.length)
    else:
        words = _("mate in {length}").format(length=found.length)
    return words + {None: "", True: _(", the shortest"), False: _(", not proven to be the shortest")}[found.shortest]


def written(sfen: str, moves: Sequence[str], notation: str) -> list[str]:
    """Convert USI moves from a position to another notation."""
    board, texts = Board(sfen), []
    for move in moves:
        texts.append(board.text(board.parse_usi(move), notation))
        board.push_usi(move)
    return texts


def numbered(texts: list[str]) -> list[str]:
    """Return moves with their numbers, the attacker's move and the reply in one row."""
    pairs = itertools.zip_longest(texts[::2], texts[1::2], fillvalue="")
    return table([(f"{2 * number + 1:>3}. {move}", reply) for number, (move, reply) in enumerate(pairs)], "<<")


def _hand_text(left: dict[int, int], notation: str) -> str:
    """Return the pieces that the attacker has left over, in words."""
    japanese = notation == "japanese"
    names, numbers = (KANJI_PIECES, KANJI_NUMBERS) if japanese else (SYMBOLS, range(19))
    held = [f"{names[kind]}{numbers[left[kind]] if left[kind] > 1 else ''}" for kind in HAND_ORDER if left.get(kind)]
    return _("left over in hand: {pieces}").format(pieces=("　" if japanese else " ").join(held) or _("nothing"))


def _diagram(board: Board, drawn: str) -> str:
    """Return the position drawn with KANJI or WESTERN pieces, '' for ''."""
    if not drawn:
        return ""
    if language.current() == "ja" and drawn == KANJI:
        return plain(draw("shogi", board, BoardStyle(KANJI)))
    return board.unicode() if drawn == KANJI else board.diagram()


# ---- `shogi-engine solve --check`: checks a problem for its composer: is there a mate, a shorter one, another
# solution?


CHECK_NODES = 1_000_000  # for each check other than the solution's


def examined(solver: Any, sfen: str, plies: int, max_ms: int) -> dict[str, Any]:
    """Check a problem; return the result for JSON. Moves are in USI, move numbers start at 1.

    Args:
        flaws: of {"flaw": "other solution", "ply", "move", "length"}, {"flaw": "shorter", "length"}, {"flaw": "left
            over"}
        tolerated: other last moves, by convention not flaws
        unproven: checks without a result
    """
    from shogi_engine.games.shogi.mate.solver import other_mates
    from shogi_engine.games.shogi.sfen import parse_sfen

    position = parse_sfen(sfen)
    found = solver.tsume(position, max_ms=max_ms)
    answer = MateAnswer(sfen, position, found)
    row = {"sfen": sfen, **answer.values(), "flaws": [], "tolerated": [], "unproven": []}
    if not found:
        return row
    if 0 < found.length < plies:
        row["flaws"].append({"flaw": "shorter", "length": found.length})
    if row["left_over"]:
        row["flaws"].append({"flaw": "left over"})
    for ply, move, length in other_mates(solver, position, found.moves, CHECK_NODES):
        each = {"flaw": "other solution", "ply": ply, "move": move, "length": length}
        name = "unproven" if length < 0 else "tolerated" if ply == found.length else "flaws"
        row[name].append(each)
    return row


def sentences(row: dict[str, Any], notation: str) -> list[str]:
    """Return the result in sentences."""
    if row["result"] != "mate":
        return [_("no mate by checks") if row["result"] == "nomate" else _("nothing proven within the limits")]
    line = written(row["sfen"], row["moves"], notation)
    doubt = "" if row["shortest"] else _(", not proven to be the shortest")
    lines = [_("mate in {length}: {moves}").format(length=row["length"], moves=" ".join(line)) + doubt]
    words = {
        "other solution": _("flaw: at move {ply}, {move} also mates"),
        "shorter": _("flaw: there is a mate in {length}, shorter than the solution given"),
        "left over": _("flaw: pieces are left over in hand"),
    }
    for flaw in row["flaws"]:
        lines.append(words[flaw["flaw"]].format(**_shown(row, flaw, notation)))
    for other in row["tolerated"]:
        words_of_last = _("the last move may also be {move}, which is tolerated")
        lines.append(words_of_last.format(**_shown(row, other, notation)))
    for other in row["unproven"]:
        lines.append(_("nothing is proven about {move} at move {ply}").format(**_shown(row, other, notation)))
    return lines if row["flaws"] or row["unproven"] else [*lines, _("no flaw")]


def _shown(row: dict[str, Any], flaw: dict[str, Any], notation: str) -> dict[str, Any]:
    """Return the values of a flaw, with its move in the notation."""
    if "move" not in flaw:
        return flaw
    before = row["moves"][: flaw["ply"] - 1]
    return {**flaw, "move": written(row["sfen"], [*before, flaw["move"]], notation)[-1]}
