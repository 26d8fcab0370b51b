"""The texts of the page in the browser, by their names in its scripts. The catalogue has the translations."""

import json
from collections.abc import Mapping
from typing import Any

from shogi_engine.games import NAMES
from shogi_engine.games.shogi.board.piece_shapes import SETS
from shogi_engine.games.shogi.records.handicaps import WESTERN
from shogi_engine.games.shogi.records.kakinoki import HANDICAP_SIDES
from shogi_engine.games.shogi.symbols import PIECE_NAMES, SYMBOLS
from shogi_engine.language import LANGUAGES, translate
from shogi_engine.play.strength import FIRST_LEVEL, STRONGEST
from shogi_engine.types.limit import SIDES
from shogi_engine.web.messages import FILE_MAX, HEADER_MAX, MULTIPV_MAX

CONTEXT = "page"  # in the catalogue
# Those offered for a new game.
HANDICAPS = ("lance", "bishop", "rook", "rook-lance", "2-piece", "4-piece", "6-piece", "8-piece", "10-piece")
CLOCKS = ("", "5m+10", "10m+30", "15m+60", "0+30", "5m+0+5")  # offered for a new game, '' for none
WORDS = {
    "shogi": "Shogi",
    "othello": "Othello",
    "games": "Game",
    "menu": "Menu",
    "new": "New game",
    "open": "Open",
    "save": "Save",
    "setup": "Set up",
    "tsume": "Tsume",
    "appearance": "Look",
    "set": "Pieces",
    "set_kanji": "One kanji",
    "set_mincho": "Print",
    "set_two": "Two kanji",
    "set_letters": "Letters",
    "board_wood": "Wood",
    "board_light": "Light",
    "board_dark": "Dark",
    "board_paper": "Paper",
    "theme": "Colours",
    "theme_auto": "as the system",
    "theme_light": "light",
    "theme_dark": "dark",
    "help": "Help",
    "key_steps": "Back and forward",
    "key_siblings": "Other moves in this position",
    "key_ends": "To the start, to the end",
    "key_save": "Save as a file",
    "key_paste": "Open a game from the clipboard",
    "key_board": "To the board; take and put a piece (arrows walk over the squares)",
    "key_escape": "Put the piece back; remove arrows and circles",
    "key_mouse": "The wheel over the board steps. The right button draws arrows and circles; a click removes them.",
    "board": "Board",
    "controls": "Steps and moves",
    "panels": "Analysis and moves",
    "first": "First position",
    "back": "Back",
    "next": "Forward",
    "last": "Last position",
    "flip": "Flip the board",
    "undo": "Take back",
    "think": "Engine moves",
    "declare": "Declare a win",
    "resign": "Resign",
    "analysis": "Analysis",
    "explorer": "Openings",
    "source": "Moves from",
    "fromBook": "the book",
    "fromMine": "my games",
    "fromIndex": "the collection of games",
    "noMoves": "no moves here",
    "gamesCount": "{count} games",
    "lines": "Lines",
    "allMoves": "all moves",
    "exact": "exact",
    "analyse": "Analyse",
    "depth": "depth {depth}, {nodes} nodes, {nps}/s",
    "waiting": "waiting for an engine …",
    "mate": "Find mate",
    "mating": "looking for a mate …",
    "moves": "Moves",
    "effort": "Effort",
    "quick": "quick",
    "normal": "normal",
    "deep": "deep",
    "judge": "Judge the game",
    "stopJudging": "Stop",
    "judging": "Judging the game",
    "comment": "Comment",
    "mainLine": "Make this the main line",
    "delete": "Delete from here",
    "position": "Position",
    "copy": "Copy",
    "copied": "copied",
    "start": "Start",
    "human": "Player",
    "yourself": "You",
    "engine": "Engine",
    "level": "level {level}",
    "toMove": "{side} to move",
    "yourMove": "Your move",
    "thinking": "The engine is thinking …",
    "check": "check",
    "passes": "Pass",
    "mustPass": "{side} can only pass.",
    "wins": "{side} wins",
    "draw": "Draw",
    "ended": "{result}: {reason}",
    "preparing": "Preparing the engine: {percent} %",
    "preparingOnce": "Preparing the engine …",
    "noEngine": "The engine is not available: {fault}",
    "lost": "Connection lost; reconnecting …",
    "slow": "The server has not answered yet …",
    "full_server": "The server is full; please try again later.",
    "chance": "{black}’s winning chance {percent} %",
    "graph": "{black}’s winning chance, move by move",
    "better": "better ({score}):",
    "gave": "gave away {percent} % ({given})",
    "mateFound": "Mate in {length}:",
    "nomate": "There is no mate by checks.",
    "timeout": "Nothing was proven.",
    "promote": "Promote?",
    "yes": "Promote",
    "no": "Do not promote",
    "cancel": "Cancel",
    "close": "Close",
    "you": "You play",
    "random": "random",
    "both": "both sides",
    "none": "neither",
    "strength": "Strength",
    "handicap": "Handicap",
    "even": "even game",
    "clock": "Clock",
    "noClock": "no clock",
    "ownClock": "other: main+byoyomi+increment",
    "here": "from the position on the board",
    "begin": "Begin",
    "weakest": "0 is a beginner, {strongest} the engine at full strength",
    "openTitle": "Open a game",
    "pasteHere": "Paste SFEN, KIF, KI2, CSA, USI or a transcript",
    "file": "or choose a file",
    "read": "Load",
    "chooseGame": "{count} games in this file",
    "game": "Game {number}",
    "byoyomi": "byoyomi",
    "saveTitle": "Save the game",
    "lostInFile": "not saved in this format: {what}",
    "setupTitle": "Set up a position",
    "nothing": "Empty",
    "startBoard": "Starting position",
    "emptyBoard": "Clear",
    "rest": "Give the rest to White",
    "done": "Done",
    "hands": "In hand",
    "turn": "To move",
    "more": "one more {piece}",
    "fewer": "one fewer {piece}",
    "setupHint": "Choose what to put, then tap squares.",
    "tsumeTitle": "Tsume: mate by checks",
    "solveThis": "The position on the board",
    "problem": "{number}: mate in {length}",
    "tsumeHint": "Mate the king; every move must give check. The engine defends.",
    "tsume_searching": "Looking for the mate …",
    "tsume_yours": "Mate in {left}. Your move.",
    "tsume_open": "Your move.",
    "tsume_right": "Right! Mate in {left}. Your move.",
    "tsume_longer": "This also mates, but later: mate in {left} from here.",
    "tsume_slow": "Mate in {made}, but there is a mate in {length}.",
    "tsume_defending": "The engine defends …",
    "tsume_solved": "Mate! Solved.",
    "tsume_unknown": "No mate has been proven; try anyway.",
    "tsume_lost": "Wrong: the king can escape. Take the move back.",
    "tsume_no mate": "There is no mate here.",
    "leave": "Leave",
    "nextProblem": "Next problem",
    "solution": "Show the solution",
    "kept": "My games",
    "keptNote": "Games are saved on the server as they are played.",
    "searchGames": "Player, title, event, opening, date",
    "anyResult": "any result",
    "noneFound": "No game has all of this.",
    "about": "Players and event",
    "about_title": "Title",
    "about_event": "Event",
    "about_site": "Place",
    "about_started": "Date",
    "diagram_colour": "Diagram in colour",
    "diagram_book": "Diagram as in books",
    "printSheet": "Sheet to print",
    "printMistakes": "The mistakes as a sheet to print",
    "noGames": "There are no saved games yet.",
    "goOn": "Continue",
    "look": "Open",
    "remove": "Delete",
    "removedGame": "Deleted.",
    "bring_back": "Undo",
    "removed": "Moves deleted.",
    "hereNow": "on the board",
    "left": "The previous game is in My games.",
    "back_to_it": "Return to it",
    "unfinished": "not over",
    "movesMade": "{count} moves",
    "guide": "How the pieces move",
    "guideHint": (
        "A dot is a step, a bar any distance. The knight leaps. "
        "Promoted pieces are red: move into, within or out of the last three ranks."
    ),
    "sound": "Sound",
    "addLine": "Add this line to the game",
    "called_blunder": "blunder",
    "called_mistake": "mistake",
    "called_inaccuracy": "inaccuracy",
    "inVariation": "A variation after move {ply}",
    "turning": "Turning points",
    "noTurning": "There were no serious mistakes.",
    "summary": "The game in figures",
    "agreement": "same as the engine",
    "rematch": "Rematch",
    "resign_ask": "Resign this game?",
    "clipboard": "From the clipboard",
    "squareEmpty": "empty",
    "gameOver": "the game is over",
    "daily": "Problem of the day",
    "nextOpen": "Next unsolved",
    "solvedCount": "{solved} of {count} solved",
    "pliesTab": "{length}-ply",
    "gradeTitle": "Grade {grade}",
    "previousProblem": "Previous problem",
    "hint": "Hint",
    "hintPiece": "Look at the marked piece.",
    "hintMove": "The move is {move}.",
    "problemTitle": "No. {number}: mate in {length}, grade {grade}",
    "done_before": "solved",
    "lessons": "My mistakes",
    "lessonsNote": "Positions of your judged games in which one to three moves were clearly best and you made another.",
    "lessonsNone": "There are no problems yet. Judge a game that you played, then make problems of your mistakes.",
    "lessonsDue": "Problems due: {due} of {total}.",
    "lessonsNext": "No problem is due; the next one of {total} is on {day}.",
    "lessonsNew": "New problems: {new}.",
    "lessonsNothing": "No new problems. A mistake becomes one if one to three moves were clearly best.",
    "lessonsSolve": "Solve them",
    "learn": "Make problems of my mistakes",
    "learnSides": "Make problems for",
    "learnSide": "Problems of {side}’s mistakes",
    "learning": "Looking for clear best moves …",
    "lessonTitle": "My mistakes: {due} due",
    "better_moves": "Find the better moves",
    "betterTitle": "Find the better move: {place} of {count}",
    "tried": "Found at the first try: {found} of {count}.",
    "lessonPlayed": "In the game: {move}.",
    "lessonRefuted": "Refutation:",
    "lessonSolution": "Solution:",
    "lessonBack": "It comes back on {day}.",
    "answer": "Show the answer",
    "backToGame": "Back to the game",
    "tsume_refuting": "The engine answers …",
    "tsume_wrong": "This is not the solution. Take the move back.",
    "tsume_done": "Right.",
    "tsume_praised": "Well done: this is the best move.",
    "tsume_good": "Good: this is about as strong as the best move.",
    "tsume_answered": "This was the solution.",
    "tsume_retry": "Take the move back and try again.",
    "share": "Invite",
    "shareTitle": "Invite somebody to this game",
    "shareNote": "Anyone with a link may do what it says until you revoke it. A player or watcher sees this game only.",
    "shareLocal": "Only this machine can open these links. For others, start the server with --host 0.0.0.0.",
    "link_play": "Play {side}",
    "link_watch": "Watch",
    "link_own": "My other device",
    "linkPages": "{count} connected",
    "revoke": "Revoke",
    "qr": "QR code of the link",
    "watching": "You are watching.",
    "linkEnded": "This link is not valid any more.",
}


def words(language: str) -> dict[str, str]:
    """Return the page's texts in a language, by name."""
    return {name: translate(text, language, CONTEXT) for name, text in WORDS.items()}


def _names(language: str) -> dict[str, str]:
    """Return the names of the pieces by their letters, 'P' and '+P'."""
    return {symbol: name for symbol, name in zip(SYMBOLS, PIECE_NAMES[language], strict=True) if symbol}


def _sides(language: str) -> dict[str, list[str]]:
    """Return the names of the sides in each game, and in a game with a handicap."""
    sides = {game: [translate(side, language, game).capitalize() for side in SIDES] for game in NAMES}
    return sides | {"handicap": list(HANDICAP_SIDES) if language == "ja" else sides["shogi"]}


def _handicaps(language: str) -> dict[str, str]:
    """Return the handicaps that are offered: their names in messages, and in a language."""
    return {name: WESTERN[name] if language == "ja" else name.replace("-", " ") for name in HANDICAPS}


def texts_module() -> str:
    """Return a JavaScript module with the texts, pieces and handicaps, by language and name."""
    tables: dict[str, Any] = {"WORDS": words, "PIECE_NAMES": _names, "SIDES": _sides, "HANDICAPS": _handicaps}
    made: dict[str, Any] = {name: {each: table(each) for each in LANGUAGES} for name, table in tables.items()}
    return _module(made)


def facts_module() -> str:
    """Return a JavaScript module with what the page must know of the server: limits and choices."""
    return _module(
        {
            "STRONGEST": STRONGEST,
            "FIRST_LEVEL": FIRST_LEVEL,
            "FILE_MAX": FILE_MAX,
            "HEADER_MAX": HEADER_MAX,
            "CLOCKS": CLOCKS,
            "LINES": MULTIPV_MAX,
            "SETS": SETS,
        }
    )


def _module(made: Mapping[str, Any]) -> str:
    """Return a JavaScript module that exports constants."""
    lines = [f"export const {name} = {json.dumps(table, ensure_ascii=False)};" for name, table in made.items()]
    return "\n".join(["// Made by the server: see words.py.", *lines, ""])
