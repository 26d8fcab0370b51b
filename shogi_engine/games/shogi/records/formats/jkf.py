"""JKF, JSON Kifu Format: an object for each game, in an array if there are several.

See https://apps.81.la/json-kifu-format/docs/.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.notation import file_and_rank, japanese_square as square_of, target_name
from shogi_engine.games.shogi.records import kakinoki
from shogi_engine.games.shogi.records.kakinoki_reader import OTHER_START, REMARK_PASSED
from shogi_engine.games.shogi.records.words import NEAREST, WORDS as CSA_WORDS, evaluation_lines, take_evaluations
from shogi_engine.games.shogi.texts import DOWN, LEFT, RIGHT, SIDEWAYS, STRAIGHT, UP
from shogi_engine.language import InputError, Message, mark
from shogi_engine.records import formats
from shogi_engine.records.formats import RecordFormat
from shogi_engine.records.tree import GameRecord, Node, RecordBuilder, RecordError, clipped
from shogi_engine.types.outcomes import EndingWords, Outcome, Termination, Winner

# CSA's words without %, and this engine's words where CSA has none.
SPECIALS = EndingWords(
    {
        **{word[1:]: meaning for word, meaning in CSA_WORDS.words.items()},
        "ILLEGAL_ACTION": (Termination.ILLEGAL_MOVE, Winner.TO_MOVE),
        "FUJITE": (Termination.SEALED_MOVE, Winner.NOBODY),
        "FUSENSHO": (Termination.DEFAULT, Winner.TO_MOVE),
        "FUSENPAI": (Termination.DEFAULT, Winner.OPPONENT),
        "LAST": (Termination.LAST_MOVE, Winner.NOBODY),
    },
    NEAREST,
)
RELATIVE = {"L": LEFT, "C": STRAIGHT, "R": RIGHT, "U": UP, "M": SIDEWAYS, "D": DOWN}
NUMBER_MAX = 10**7
DEPTH_MAX = 10**5  # nested variations
NOT_OF = mark("{0} is {1}, which is impossible")  # of another type
_encoded = json.JSONEncoder(ensure_ascii=False).encode


def _of(value: Any, kind: type | tuple[type, ...], where: str) -> Any:
    """Return `value` if it has the type `kind`. Raises ValueError."""
    if not isinstance(value, kind) or (isinstance(value, bool) and kind in (int, (int, float))):
        raise InputError(NOT_OF, where, _shown(value))
    return value


def _shown(value: Any) -> str:
    try:
        text = _encoded(value)
    except RecursionError:
        text = "too deep"
    return text if len(text) <= 40 else f"{text[:37]}..."


def _square(value: Any, where: str) -> int:
    """Return the square of {"x": 7, "y": 7}. Raises ValueError."""
    _of(value, dict, where)
    file, rank = (value.get(axis) for axis in "xy")
    if type(file) is not int or type(rank) is not int or not (1 <= file <= 9 and 1 <= rank <= 9):
        raise InputError("{0} is {1}, which is not a square", where, _shown(value))
    return square_of(file, rank)


def _kind(value: Any, where: str) -> int:
    if not isinstance(value, str) or value not in t.KINDS_BY_CSA:
        raise InputError("{0} is {1}, which is not a piece", where, _shown(value))
    return t.KINDS_BY_CSA[value]


# ---- reading -----------------------------------------------------------------------------------------------------


def _read_start(record: GameRecord, initial: Any) -> None:
    """Read `initial`. Raises ValueError."""
    if initial is None:
        return
    preset = _of(initial, dict, "initial").get("preset")
    if preset in kakinoki.PRESETS:
        record.start = kakinoki.PRESETS[preset]
        return
    if preset != "OTHER":
        raise InputError("initial.preset is {0}; expected {1} or OTHER", _shown(preset), ", ".join(kakinoki.PRESETS))
    data = _of(initial.get("data"), dict, "initial.data")
    setup = kakinoki.Setup()
    board = _of(data.get("board"), list, "initial.data.board")
    if len(board) != 9 or any(not isinstance(column, list) or len(column) != 9 for column in board):
        raise InputError("initial.data.board is not nine columns of nine squares")
    for file, column in enumerate(board, 1):
        for rank, cell in enumerate(column, 1):
            where = f"initial.data.board[{file - 1}][{rank - 1}]"
            if _of(cell, dict, where).get("kind") is not None:
                colour = _colour(cell.get("color"), f"{where}.color")
                setup.board[square_of(file, rank)] = (colour, _kind(cell["kind"], where))
    hands = _of(data.get("hands"), list, "initial.data.hands")
    for colour, hand in zip((t.BLACK, t.WHITE), hands, strict=False):
        for name, count in _of(hand, dict, "initial.data.hands").items():
            if type(count) is not int or not 0 <= count <= 18:
                raise InputError("initial.data.hands: {0} {1}", _shown(count), name)
            if count:
                setup.hold(colour, _kind(name, "initial.data.hands"), count)
    record.start = setup.sfen(_colour(data.get("color"), "initial.data.color"))


def _colour(value: Any, where: str) -> int:
    if type(value) is not int or value not in (t.BLACK, t.WHITE):
        raise InputError("{0} is {1}, not 0 or 1", where, _shown(value))
    return int(value)


def _read_header(record: GameRecord, header: Any, initial_is_there: bool) -> None:
    """Read `header`. Raises ValueError."""
    for name, value in _of(header or {}, dict, "header").items():
        text = value if isinstance(value, str) else _shown(value) if value is not None else ""
        if name in kakinoki.SIDES:
            record.names[kakinoki.SIDES[name]] = text
        elif name == "手合割":
            _read_handicap(record, text.strip(" 　"), initial_is_there)
        else:
            record.headers[kakinoki.HEADER_NAMES.to_shared(name)] = text


def _read_handicap(record: GameRecord, name: str, initial_is_there: bool) -> None:
    """Read the handicap of a header; `initial` counts if it is there. Raises ValueError."""
    name, remark, text = name.partition("#")
    if remark:
        record.notes.append(Message(REMARK_PASSED, clipped(f"#{text}")))
    if name in ("", OTHER_START):
        return
    try:
        start = kakinoki.handicap(name)
    except ValueError:
        if not initial_is_there:
            raise
        record.notes.append(Message("header: {0} is no handicap; 'initial' gives the position", clipped(name)))
        return
    if not initial_is_there:
        record.start = start


def _seconds(time: Any) -> float | None:
    """Return the seconds of a `time`. Raises ValueError."""
    if time is None:
        return None
    now = _of(_of(time, dict, "time").get("now"), dict, "time.now")
    total = 0.0
    for unit, size in (("h", 3600), ("m", 60), ("s", 1)):
        value = now.get(unit)
        if value is not None:
            total += size * _of(value, (int, float), f"time.now.{unit}")
    if not 0 <= total <= NUMBER_MAX:
        raise InputError("time.now is {0}, which is not a time", _shown(now))
    return total


def _move_text(board: Any, move: Any) -> str:
    """Return the text of a `move`. Raises ValueError if it is no move.

    Without `from` it is a drop, or, in files that were made of KI2, the move of the only piece that can go there.
    """
    _of(move, dict, "move")
    kind = _kind(move.get("piece"), "move.piece")
    if move.get("to") is None and move.get("same"):
        target = board.peek().to_square if board.move_stack else -1
        if target < 0:
            raise InputError("move.same before the first move")
    else:
        target = _square(move.get("to"), "move.to")
    side = None if move.get("color") is None else _colour(move["color"], "move.color")
    promotion = move.get("promote")
    if promotion is not None:
        _of(promotion, bool, "move.promote")
    if promotion:  # some programs name the piece after the move
        kind = int(t.UNPROMOTED[kind])
    relative = _of(move.get("relative") or "", str, "move.relative")
    if move.get("from") is not None:
        file, rank = file_and_rank(_square(move["from"], "move.from"))
        how = f"{'成' if promotion else ''}({file}{rank})"
    elif relative == "H" or (
        relative == "" and promotion is None and kind < t.KING and board.has_piece_in_hand(kind, board.turn)
    ):
        how = "打"
    else:
        if any(letter not in RELATIVE for letter in relative):
            raise InputError("move.relative is {0}", _shown(relative))
        how = "".join(RELATIVE[letter] for letter in relative) + {True: "成", False: "不成", None: ""}[promotion]
    mark = "" if side is None else t.SIDE_MARKS[side]
    return f"{mark}{target_name(target)}{t.KANJI_NAMES[kind]}{how}"


class _GameReader:
    """Reads the object of one game."""

    def __init__(self) -> None:
        self.record = GameRecord("shogi")
        self.builder: RecordBuilder | None = None
        self.where = ""

    def take(self, value: dict[str, Any]) -> None:
        """Read the object. Raises ValueError; `where` then names the place."""
        if "moves" not in value:
            raise InputError("'moves' is missing: this JSON is not JKF")
        _read_start(self.record, value.get("initial"))
        _read_header(self.record, value.get("header"), value.get("initial") is not None)
        self.builder = builder = RecordBuilder(self.record)
        # Variations are read after their line: (name of the place, its elements, the ply of the first element).
        todo: list[tuple[str, list[Any], int]] = []
        self._line("moves", _of(value["moves"], list, "moves"), 0, builder, todo)
        while todo:
            where, elements, ply = todo.pop()
            if builder.ply < ply - 1:
                raise InputError("{0}: a variation of a missing move", where)
            builder.back_to(ply - 1)
            self._line(where, elements, ply, builder, todo)

    def _move(self, text: str, seconds: float | None, builder: RecordBuilder) -> None:
        """Play a move."""
        try:
            builder.play(builder.board.parse_text(text), seconds=seconds)
        except ValueError as fault:
            builder.suspect(text, RecordError("{0}: {1}", self.where, fault))

    def _end(self, special: str, seconds: float | None, builder: RecordBuilder) -> None:
        """End a line; an ending that is not known stays as a comment."""
        if special not in SPECIALS:
            builder.finish()
            builder.node.add_comment(special)
            self.record.notes.append(Message("{0}: {1}", self.where, Message(formats.NO_ENDING, clipped(special))))
        elif not builder.end(SPECIALS.read(special, builder.board.turn), seconds):
            self.record.notes.append(Message("{0}: {1}", self.where, formats.ENDING_ALONE))

    def _line(
        self,
        where: str,
        elements: list[Any],
        first: int,
        builder: RecordBuilder,
        todo: list[tuple[str, list[Any], int]],
    ) -> None:
        """Read a line whose first element has ply `first`, 0 for the starting position."""
        forks: list[tuple[str, list[Any], int]] = []
        for index, element in enumerate(elements):
            self.where = f"{where}[{index}]"
            _of(element, dict, "it")
            ply = builder.ply + 1
            if element.get("move") is not None:
                self._move(_move_text(builder.board, element["move"]), _seconds(element.get("time")), builder)
            if element.get("special") is not None:
                special = _of(element["special"], str, "special").lstrip("%")
                self._end(special, None if "move" in element else _seconds(element.get("time")), builder)
            elif element.get("move") is None and (index or first):
                raise InputError("it has neither 'move' nor 'special', as in JKF")
            lines = _of(element.get("comments") or [], list, "comments")
            if text := "\n".join(_of(line, str, "comments") for line in lines).lstrip("\n"):
                builder.node.add_comment(text)
            for number, fork in enumerate(_of(element.get("forks") or [], list, "forks")):
                if len(todo) + len(forks) > DEPTH_MAX:
                    raise InputError("too many variations")
                forks.append((f"{self.where}.forks[{number}]", _of(fork, list, "forks"), ply))
        builder.finish()
        # The variations of the last moves come first. So the line read before, cut at their ply, is always the line
        # from which they branch.
        by_ply: dict[int, list[tuple[str, list[Any], int]]] = {}
        for fork_entry in forks:
            by_ply.setdefault(fork_entry[2], []).append(fork_entry)
        for ply in sorted(by_ply):
            todo += reversed(by_ply[ply])


class JkfFormat(RecordFormat):
    """JKF."""

    name = "jkf"
    game = "shogi"
    extensions = (".jkf", ".json")
    expected = "JSON with 'moves'"
    holds = formats.ALL - {formats.LABELS, formats.NUMBERS}

    def kept_outcome(self, record: GameRecord, node: Node, side: int) -> Outcome:
        """Return the outcome of a line as it is read back from the written file."""
        return SPECIALS.kept(node.outcome, side)

    def recognises(self, head: str) -> bool:
        """Tell whether it is JSON."""
        return head.lstrip()[:1] == "{" or (head.lstrip()[:1] == "[" and head.lstrip()[1:].lstrip()[:1] in ("{", "]"))

    def split(self, source: Iterable[str]) -> Iterator[Any]:
        """Yield the objects of a file: one, or those of an array. Raises RecordError if it is not JSON."""
        try:
            value = json.loads("".join(source).strip(formats.LINE_ENDS), parse_constant=_no_number)
        except json.JSONDecodeError as fault:
            raise RecordError("not JSON: {0}", fault.msg, line=fault.lineno) from None
        except (ValueError, RecursionError) as fault:
            raise RecordError("the JSON cannot be read: {0}", fault) from None
        yield from value if isinstance(value, list) else [value]

    def parse(self, block: Any) -> GameRecord:
        """Return the game of an object. Raises RecordError."""
        if not isinstance(block, dict):
            raise RecordError(NOT_OF, "the game", _shown(block), record=GameRecord("shogi"))
        reader = _GameReader()
        try:
            reader.take(block)
            take_evaluations(reader.record)
        except ValueError as fault:
            told = isinstance(fault, RecordError) or not reader.where
            reason = str(fault) if told else Message("{0}: {1}", reader.where, fault)
            raise RecordError(reason, record=reader.record) from None
        finally:
            if reader.builder is not None:
                reader.builder.release()
        return reader.record

    def write(self, records: Iterable[GameRecord], encoding: str = "") -> Iterator[str]:
        """Yield an object, or an array if there are several games. Raises ValueError for a move that is not legal."""
        values = [_value(record) for record in records]
        yield _encoded(values[0] if len(values) == 1 else values) + "\n"


def _no_number(text: str) -> Any:
    raise InputError("{0} is not a number in JSON", text)


# ---- writing -----------------------------------------------------------------------------------------------------


def _value(record: GameRecord) -> dict[str, Any]:
    """Return the object of a game."""
    header = {player: name for player, name in zip(kakinoki.player_names(record), record.names, strict=True) if name}
    header |= {kakinoki.HEADER_NAMES.to_own(name): value for name, value in record.headers.items()}
    preset = next((name for name, start in kakinoki.PRESETS.items() if start == record.start), "OTHER")
    initial: dict[str, Any] = {"preset": preset}
    if preset == "OTHER":
        initial["data"] = _data(record.start)
    return {"header": header, "initial": initial, "moves": _moves(record)}


def _data(start: str) -> dict[str, Any]:
    """Return the object of a starting position."""
    setup = kakinoki.Setup.of(start)
    cells = [[setup.board.get(square_of(file, rank)) for rank in range(1, 10)] for file in range(1, 10)]
    board = [[{"color": cell[0], "kind": t.CSA_PIECES[cell[1]]} if cell else {} for cell in column] for column in cells]
    hands = [{t.CSA_PIECES[kind]: hand.get(kind, 0) for kind in reversed(t.HAND_ORDER)} for hand in setup.hands]
    return {"color": "bw".index(start.split()[1]), "board": board, "hands": hands}


def _moves(record: GameRecord) -> list[dict[str, Any]]:
    """Return the elements of the main line; variations are nested in them."""
    board = record.board(0)
    spent: list[list[float]] = [[0.0, 0.0]]
    places: list[dict[str, Any]] = []  # by ply, the element of the line's node, or the one in its place
    main: list[dict[str, Any]] = []
    for first, line in record.lines():
        elements = main if not first else []
        while first and len(spent) > first:
            spent.pop()
            board.pop()
        instead = places[first] if first else {}
        instead.setdefault("forks", []).append(elements)
        del places[first:]
        for node in line:
            elements.append(_element(node, board, spent))
            places.append(elements[-1])
        if line[-1].ending:
            elements.append(_special(line[-1], board, spent[-1]))
            places.append(elements[-1])
        if first:
            places[first] = instead  # further variations of the same move become its forks too
    return main


def _element(node: Node, board: Any, spent: list[list[float]]) -> dict[str, Any]:
    """Return the element of a move, or of the root, and play it."""
    element: dict[str, Any] = {}
    mover = board.turn
    if node.move:
        played = board.parse_text(node.move)
        used = spent[-1].copy()
        used[board.turn] += node.seconds or 0
        element["move"] = _move(board, played)
        if node.seconds is not None:
            element["time"] = _time(node.seconds, used[board.turn])
        board.push(played)
        spent.append(used)
    comments = [*evaluation_lines(node, mover, board), *(node.comment.split("\n") if node.comment else ())]
    if comments:
        element["comments"] = comments
    return element


def _special(node: Node, board: Any, spent: list[float]) -> dict[str, Any]:
    """Return the element of an ending."""
    element: dict[str, Any] = {"special": SPECIALS.word(node.outcome, board.turn)}
    if node.ending_seconds is not None:
        element["time"] = _time(node.ending_seconds, spent[board.turn] + node.ending_seconds)
    return element


def _xy(square: int) -> dict[str, int]:
    file, rank = file_and_rank(square)
    return {"x": file, "y": rank}


def _move(board: Any, move: Any) -> dict[str, Any]:
    """Return the object of a legal move."""
    value: dict[str, Any] = {"color": board.turn, "to": _xy(move.to_square)}
    if move.from_square is None:
        return value | {"piece": t.CSA_PIECES[move.drop_piece_type], "relative": "H"}
    kind = board.piece_type_at(move.from_square)
    value |= {"from": _xy(move.from_square), "piece": t.CSA_PIECES[kind]}
    if board.move_stack and board.peek().to_square == move.to_square:
        value["same"] = True
    if captured := board.piece_type_at(move.to_square):
        value["capture"] = t.CSA_PIECES[captured]
    if move.promotion or board.text(move).endswith("不成"):
        value["promote"] = move.promotion
    return value


def _time(seconds: float, total: float) -> dict[str, Any]:
    """Return {"now": {"m": 0, "s": 16}, "total": ...}."""
    minutes, left = divmod(seconds, 60)
    whole = int(total)
    all_of_it = {"h": whole // 3600, "m": whole // 60 % 60, "s": whole % 60}
    return {"now": {"m": int(minutes), "s": int(left) if left % 1 == 0 else round(left, 6)}, "total": all_of_it}


FORMAT = JkfFormat()
