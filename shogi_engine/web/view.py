"""What a page shows of a session: the picture of the board, the legal moves, the game as text."""

import base64
import functools
import io
import json
import time
from typing import Any

from shogi_engine import records
from shogi_engine.analysis.judgement import score_words, words_of
from shogi_engine.analysis.report import own_words
from shogi_engine.games.othello.notation import SQUARE_NAMES as OTHELLO_SQUARES
from shogi_engine.games.shogi.board.drawing import SETS, piece_shape
from shogi_engine.games.shogi.board.pieces import Piece
from shogi_engine.games.shogi.records import kakinoki
from shogi_engine.games.shogi.types import HAND_ORDER, KANJI_NUMBERS, PIECE_NAMES, SQUARE_NAMES, SYMBOLS, WIDE_DIGITS
from shogi_engine.games.svg import COLOUR
from shogi_engine.language import InputError, translate
from shogi_engine.play.words import names_joined
from shogi_engine.records import GameRecord
from shogi_engine.types.limits import SIDES
from shogi_engine.types.outcomes import BY_RULE
from shogi_engine.web import replies
from shogi_engine.web.analyses import Analyses
from shogi_engine.web.links import ViewOptions
from shogi_engine.web.playing import Playing
from shogi_engine.web.replies import File, Row, Variation
from shogi_engine.web.tree import Tree

VARIATION_MOVES = 600  # maximum number of moves of variations sent to a page
COMMENT_SHOWN = 300  # characters
ABOUT = ("title", "event", "site", "started")  # headers that a page can change


def picture(board: Any, look: ViewOptions, game: str, areas: bool = True, style: str = COLOUR) -> str:
    """Return the board as SVG.

    Args:
        areas: include clickable areas
        style: one of svg.STYLES
    """
    pieces = {"pieces": look.pieces, "letters": look.language == "en" and style == COLOUR} if game == "shogi" else {}
    drawn: str = board.svg(areas=areas, style=style, **look.picture(game), **pieces)
    return drawn


def pieces_module() -> str:
    """Return a JavaScript module with the pieces of all sets as SVG, by their letters: 'P', white's 'p'."""
    kinds = [Piece(kind, color) for color in (0, 1) for kind in range(1, 15)]
    shapes = {name: {str(piece): piece_shape(piece, name) for piece in kinds} for name in SETS}
    return f"// Made by the server: see view.py.\nexport const PIECES = {json.dumps(shapes, ensure_ascii=False)};\n"


def title(record: GameRecord) -> str:
    """Return a game's title: that which it was given, and its players; without them the event, '' for none.

    `names_shown` makes it one for people.
    """
    given, names = record.headers.get("title", ""), names_joined(record.names)
    return ": ".join(each for each in (given, names) if each) or record.headers.get("event", "")


def about(record: GameRecord) -> dict[str, str]:
    """Return the headers that a page can change."""
    return {name: record.headers.get(name, "") for name in ABOUT}


def playing(play: Playing, outcome: Any, tree: Tree, language: str) -> replies.Playing:
    """Return the players, the clocks, and how the game ended."""
    clock, setting = play.clock, play.clock.setting
    seconds, side = [round(clock.seconds(side), 2) for side in (0, 1)], clock.side if play.on else None
    return replies.Playing(
        on=play.on,
        players=[*play.players],
        thinking=play.thinking,
        live=play.live,
        passing=play.passing,
        over=ended(play.outcome or outcome, tree, language),
        played=play.outcome is not None,
        clock=replies.Times(seconds, setting.byoyomi / 1000, side) if setting else None,
    )


def ended(outcome: Any, tree: Tree, language: str) -> replies.Ending | None:
    """Return the winner, and the reason unless it is the usual one by the rules; None for a game that has not ended.

    Where discs decide, they are those of the last position, whichever is on the board.

    Args:
        outcome: how it ended; only the one of a Board has the discs
    """
    if outcome is None:
        return None
    reason = "" if outcome.termination in BY_RULE else str(outcome.termination)
    found = replies.Ending(translate(reason, language, "ending"), outcome.winner)
    if tree.game != "othello" or reason:
        return found
    if outcome.black is not None:
        found.discs = outcome.black, outcome.white
        return found
    line = tree.main()
    with tree.board_after(line, len(line) - 1) as board:
        found.discs = board.count(0), board.count(1)
    return found


def handicap(record: GameRecord, language: str) -> str:
    """Return the name of the handicap of a game, '' for an even game or another position."""
    name = kakinoki.handicap_name(record.start) if record.game == "shogi" else ""
    if name in ("", kakinoki.EVEN) or language == "ja":
        return "" if name == kakinoki.EVEN else name
    return next(western for western, known in kakinoki.WESTERN.items() if known == name).replace("-", " ")


# ---- the board


def targets(game: str, board: Any) -> dict[str, dict[str, list[str]]]:
    """Return the legal moves by origin and target; the origin of a drop is 'P*', of a disc ''."""
    found: dict[str, dict[str, list[str]]] = {}
    for move in board.legal_moves:
        if game == "othello":
            source, target = "", str(move)
        elif move.from_square is None:
            source, target = f"{SYMBOLS[move.drop_piece_type]}*", SQUARE_NAMES[move.to_square]
        else:
            source, target = SQUARE_NAMES[move.from_square], SQUARE_NAMES[move.to_square]
        found.setdefault(source, {}).setdefault(target, []).append(str(move))
    return found


def labels(game: str, board: Any, language: str) -> dict[str, str]:
    """Return the pieces on each square and in each hand, for screen readers."""
    sides = [translate(side, language, game) for side in SIDES]
    if game == "othello":
        discs = {"en": " disc", "ja": "石"}[language]
        there = {square: f" {sides[colour]}{discs}" for square, colour in board.piece_map().items()}
        return {name: name + there.get(square, "") for square, name in enumerate(OTHELLO_SQUARES)}
    names, pieces = PIECE_NAMES[language], board.piece_map()
    found = {}
    for square, name in enumerate(SQUARE_NAMES):
        piece = pieces.get(square)
        shown = name if language == "en" else WIDE_DIGITS[int(name[0])] + KANJI_NUMBERS["abcdefghi".index(name[1]) + 1]
        found[name] = shown if piece is None else f"{shown} {sides[piece.color]} {names[piece.piece_type]}"
    for side, hand in enumerate(board.pieces_in_hand):
        for kind, count in hand.items():
            held = "in hand" if language == "en" else "持駒"
            found[f"{SIDES[side]} {SYMBOLS[kind]}*"] = f"{sides[side]} {held}: {names[kind]} {count}"
    return found


def hands(board: Any) -> list[dict[str, int]]:
    """Return the pieces in hand of both sides by letter, for setting up; none in Othello."""
    if not hasattr(board, "pieces_in_hand"):
        return []
    return [{SYMBOLS[kind]: hand[kind] for kind in HAND_ORDER} for hand in board.pieces_in_hand]


# ---- the game


def line(tree: Tree, analyses: Analyses, language: str) -> list[Row]:
    """Return the moves of the game, the start first, each with its variations."""
    numbers = tree.main()
    words = words_of(language, tree.game)
    texts = tree.texts(numbers, language)
    board, at = None, 0  # with the first `at` moves of the line
    most = VARIATION_MOVES
    rows = []
    for place, number in enumerate(numbers):
        node, move, runs = tree[number], analyses.verdicts.get(number), []
        if (others := tree.others(number)) and most > 0:
            if board is None:
                board = tree.record.board(0)
            while at < place - 1:
                board.push_text(tree[numbers[at + 1]].move)
                at += 1
            runs = [each for other in others for each in _variation(tree, other, language, board, place, most)]
            most -= sum(len(each.moves) for each in runs)
        value, exact = analyses.values.get(number) or (None, False)
        rows.append(
            Row(
                node=number,
                text=texts.get(number, ""),
                chance=round(value.chance(), 4) if value is not None else None,
                value=score_words(value, "discs", words) if value is not None and tree.game == "othello" else "",
                exact=exact,
                verdict=move.severity if move else "",
                loss=round(move.loss, 4) if move and move.worth_a_word else None,
                lost=round(move.given) if move and tree.game == "othello" else 0,
                seconds=node.seconds,
                comment=own_words(node.comment)[:COMMENT_SHOWN],
                others=runs,
            )
        )
    return rows


def _variation(tree: Tree, number: int, language: str, board: Any, ply: int, most: int) -> list[Variation]:
    """Return a variation and those inside it.

    Args:
        board: the position before it, unchanged on return
        ply: of its first move
        most: the most moves to return
    """
    found: list[Variation] = []
    waiting = [(number, 0, ply)]
    made = ply - 1  # plies made on the board, from the start
    while waiting and most > 0:
        first, depth, start = waiting.pop()
        while made > start - 1:
            board.pop()
            made -= 1
        moves = []
        for each in tree.line_from(first)[:most]:
            moves.append((each, tree.text(each, language, board), own_words(tree[each].comment)[:COMMENT_SHOWN]))
            if each != first:
                waiting += [(other, depth + 1, start + len(moves) - 1) for other in reversed(tree.others(each))]
            board.push_text(tree[each].move)
            made += 1
        most -= len(moves)
        found.append(Variation(depth, start, moves))
        waiting.sort(key=lambda one: one[2])  # the latest branch first, where the board is
    while made >= ply:
        board.pop()
        made -= 1
    return found


@functools.cache
def formats(game: str) -> list[str]:
    """Return the names of the formats that a game can be saved in here: the text formats."""
    return [each.name for each in records.all_formats(game) if not each.binary]


# ---- Game records uploaded from and downloaded to browsers


Chosen = tuple[GameRecord, list[str]]  # a game of a file, and the titles of its games
ARCHIVES = (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!")  # how they begin
FILE_MAX = 2 << 20  # bytes of a record
GAMES_MAX = 200  # maximum number of games of a file to choose from


def chosen_game(content: bytes, name: str, number: int) -> Chosen:
    """Return game `number` (from 0) of a file, and the titles of its games. Raises ValueError if there is none."""
    if len(content) > FILE_MAX:
        raise InputError("a file can have at most {0} MB", FILE_MAX >> 20)
    if content.startswith(ARCHIVES):
        raise InputError("this is an archive; please unpack it, and open a record in it")
    titles: list[str] = []
    chosen = None
    for place, record in enumerate(records.read(io.BytesIO(content), name=name, keep=True)):
        if place == number:
            chosen = record
        if len(titles) < GAMES_MAX:
            titles.append(title(record))
        elif chosen is not None:
            break
    if chosen is None:
        raise InputError("there is no such game in the file")
    if chosen.fault is not None and not chosen.moves:
        raise ValueError(str(chosen.fault))
    _make_well_formed(chosen)
    return chosen, [_well_formed(each) for each in titles]


def _make_well_formed(record: GameRecord) -> None:
    """Replace lone surrogates, which the JSON of a JKF file can contain, and no message or saved game can."""
    record.names = [_well_formed(name) for name in record.names]
    record.headers = {_well_formed(name): _well_formed(text) for name, text in record.headers.items()}
    for node in record.nodes_in_preorder():
        node.comment, node.label = _well_formed(node.comment), _well_formed(node.label)


def _well_formed(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def dated(name: str) -> str:
    """Return the name of a new file, without its ending."""
    return f"{name}-{time.strftime('%Y%m%d-%H%M')}"


def file_of(record: GameRecord, format: str, name: str = "") -> File:
    """Return a record as a file; `name` is that of the file it came from, without its ending, '' for a new one."""
    written = records.load_format(format)
    if written.game not in ("", record.game):
        raise InputError("{0} is not a format of {1}", format, record.game)
    data = base64.b64encode(records.dumps(record, format)).decode("ascii")
    return File(name=(name or dated(record.game)) + written.extensions[0], data=data, lost=list(written.losses(record)))
