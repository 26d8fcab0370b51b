"""Make the page as a site without a server: `python -m tools.build_site --out DIR`, for any host of static files.

The kernels of `tools.build_kernels --only wasm32` are made too, unless `--kernels` names a folder that has them.
DIR/engine.js is the engine for other pages. Scripts and the kernels' folder have their hash in their names, so that a
browser loads again only what has changed. See docs/browser.md.
"""

import argparse
import hashlib
import json
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from shogi_engine import games, lessons, tsume
from shogi_engine.analysis.analyst import EFFORTS
from shogi_engine.analysis.judgement import LINE_MOVES, PER_UNIT, VERDICTS, words_of
from shogi_engine.games.othello import board as discs
from shogi_engine.games.othello.names import CORNERS
from shogi_engine.games.othello.openings import even_starts
from shogi_engine.games.shogi.board import drawing
from shogi_engine.games.shogi.records import kakinoki
from shogi_engine.games.shogi.records.kakinoki import HANDICAPS, WESTERN
from shogi_engine.games.shogi.records.words import WORDS as CSA_ENDINGS
from shogi_engine.games.shogi.types import CSA_PIECES, PIECE_NAMES, SET_SIZE, SQUARE_NAMES, SYMBOLS
from shogi_engine.games.svg import BEHIND_TEXT, COLOUR, INKS, WIDTHS, square_area
from shogi_engine.language import LANGUAGES, translate
from shogi_engine.play.words import _NAME as ENGINE_NAME
from shogi_engine.records.tree import _TABLE as HEADERS
from shogi_engine.tsume import daily_problems, problems
from shogi_engine.types.limits import SIDES
from shogi_engine.types.outcomes import BY_RULE, TERMINATIONS, Termination
from shogi_engine.types.results import SCALES
from shogi_engine.web import analyses, app, playing, view
from tools.kernels import ROOT, wasm

FIRST = (
    "local.js",
    "picture.js",
    "files.js",
    "shelf.js",
    "course.js",
    "kernels.js",
    "local_facts.js",
    "pieces.js",
)  # loaded with the page
LONGEST = {  # seconds of searches, and for which a forced pass is shown
    "live": analyses.ANALYSIS_SECONDS, "mate": analyses.MATE_SECONDS, "pass": playing.PASS_SECONDS,
    "problem": tsume.PROVE_SECONDS, "defence": tsume.REPLY_SECONDS, "defences": tsume.DEFENCE_SECONDS,
}  # fmt: skip
NO_WORDS = {"__proto__": None}  # so that a table for words of records has none of JavaScript's, as "constructor"
LOOKS = [(flipped, narrow) for flipped in (False, True) for narrow in (False, True)]


# ---- what the page's scripts must know of the games: local_facts.js


def shogi_pictures() -> dict[str, Any]:
    """Return the parts of Shogi's pictures, see picture.js: by look, and what all looks share."""
    style, area = drawing.STYLES[COLOUR], square_area("@", 0, 0, drawing.HAND_PITCH)
    return {f"{flipped:d}{narrow:d}": shogi_picture(flipped, narrow) for flipped, narrow in LOOKS} | {
        "squares": SQUARE_NAMES, "cell": drawing.CELL, "pitch": drawing.HAND_PITCH, "aside": drawing.HAND_ASIDE,
        "area": area.replace('x="0" y="0" ', ""), "mark": style.mark, "danger": style.danger,
        "inks": INKS, "widths": WIDTHS,
    }  # fmt: skip


def shogi_picture(flipped: bool, narrow: bool) -> dict[str, Any]:
    """Return what a board without pieces shows, and both hands' stands and places by the number of kinds in them."""
    places = drawing._Places(flipped, narrow)
    side, style = drawing.BOARD_SIZE + 2 * places.frame, drawing.STYLES[COLOUR]
    box = f'viewBox="0 0 {places.width:g} {places.height:g}" width="{places.width:g}" height="{places.height:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {box}>\n'
    lines = [*drawing._grid(flipped, narrow, COLOUR), '<g font-family="sans-serif" text-anchor="middle">']
    grids = [[*lines, *drawing._coordinates(flipped, narrow, COLOUR, letters)] for letters in (False, True)]
    hands: list[list[Any]] = [[], []]
    for color, count in ((color, count) for color in (0, 1) for count in range(8)):
        x, y = places.held(color, 0, count + 1)
        turn = "" if places.is_near(color) else " rotate(180)"
        mark = f'<path d="{drawing.BODY}" transform="translate({x:g} {y:g}) scale(.5){turn}" '
        mark += f'fill="{(style.line, "none")[color]}" stroke="{style.line}" stroke-width="2.6"/>'
        spots = [places.held(color, number, count + 1) for number in range(1, count + 1)]
        hands[color].append([drawing._surface(*places.stand(color, count + 1)) + mark, spots])
    return {
        "head": head + drawing._surface(places.left - places.frame, places.top - places.frame, side, side),
        "grids": ["\n".join(grid) for grid in grids],  # without and with letters for the ranks
        "areas": drawing._square_areas(flipped, narrow),
        "hands": hands,
        "corners": [places.corner(square) for square in range(81)],
    }


def othello_pictures() -> dict[str, Any]:
    """Return the parts of Othello's pictures."""
    board = discs.Board()
    board.clear()
    made = {f"{flipped:d}0": othello_picture(board, flipped) for flipped in (False, True)}
    shared = {"inks": INKS, "widths": WIDTHS, "fills": BEHIND_TEXT}
    return made | shared | {"squares": discs.SQUARE_NAMES, "cell": discs.CELL}


def othello_picture(board: discs.Board, flipped: bool) -> dict[str, Any]:
    """Return what an empty board shows, and by square its discs, its rings for legal moves, its mark, its corner."""
    inks, squares = discs.STYLES[COLOUR], range(64)
    drawn = discs.svg(board, flipped=flipped).strip().split("\n")
    corners, centres = ([at(each, flipped) for each in squares] for at in (discs._corner, discs._centre))
    ring = ' stroke="{}" stroke-width="1.5" stroke-opacity=".6"'
    named = zip(discs.SQUARE_NAMES, corners, strict=True)
    return {
        "head": [each for each in drawn[:-1] if not each.startswith("<title>")],
        "discs": {
            name: [discs._disc(each, side, flipped, COLOUR) for each in squares] for side, name in enumerate("XO")
        },
        "rings": [
            [discs._circle(each, discs.CELL * 0.12, "none", ring.format(ink)) for each in centres] for ink in inks.discs
        ],
        "marks": [discs._circle(each, discs.CELL * 0.1, inks.marks[0]) for each in centres],
        "areas": "\n".join(square_area(name, *corner, discs.CELL) for name, corner in named),
        "corners": corners,
    }


def facts() -> dict[str, Any]:
    """Return the constants of local_facts.js."""
    return {
        "PICTURES": {"shogi": shogi_pictures(), "othello": othello_pictures()},
        "LABELS": {each: labels(each) for each in LANGUAGES},
        "REASONS": {each: reasons(each) for each in LANGUAGES},
        "TERMINATIONS": [str(each) for each in TERMINATIONS],
        "SCORES": {each: {game: words_of(each, game) for game in games.NAMES} for each in LANGUAGES},
        "SCALES": SCALES,
        "PER_UNIT": PER_UNIT,
        "VERDICTS": VERDICTS,
        "LINE_MOVES": LINE_MOVES,
        "MS": {name: int(1000 * seconds) for name, seconds in LONGEST.items()},
        "EFFORTS": EFFORTS,
        "ENGINE_NAME": ENGINE_NAME,
        "START": {name: games.start(name) for name in games.NAMES},
        "STARTS": {name: HANDICAPS[japanese] for name, japanese in WESTERN.items()},
        "HANDICAP_NAMES": NO_WORDS | {name: HANDICAPS[name] for name in WESTERN.values()},
        "SET_SIZE": {SYMBOLS[kind]: int(size) for kind, size in enumerate(SET_SIZE) if size and SYMBOLS[kind]},
        "CSA_PIECES": {SYMBOLS[kind]: name for kind, name in enumerate(CSA_PIECES) if name and SYMBOLS[kind]},
        "KIF_PIECES": {SYMBOLS[kind]: name for kind, name in enumerate(PIECE_NAMES["ja"]) if name and SYMBOLS[kind]},
        "ENDINGS": NO_WORDS | endings(),
        "HEADERS": {name: HEADERS[name] for name in view.ABOUT},
        "FORMATS": {"shogi": ["kif", "csa", "usi"], "othello": ["transcript"]},
        "CORNERS": CORNERS,
        "XOT": even_starts(),
        "LESSONS": {game: [lesson_row(each) for each in lessons.lessons(game)] for game in games.NAMES},
        "PROBLEMS": [[each.sfen, each.length, each.grade] for each in problems()],
        "DAILY": [each.number for each in daily_problems()],
        "FAULTS": {each: {text: translate(text, each) for text in refusals()} for each in LANGUAGES},
    }


def lesson_row(lesson: lessons.Lesson) -> dict[str, Any]:
    """Return a lesson: what is asked, and the words in all languages."""
    words = {"title": lesson.heading, "text": lesson.task, "more": lambda language: "".join(lesson.reasons(language))}
    made = {name: {each: said(each) for each in LANGUAGES} for name, said in words.items()}
    return made | {"name": lesson.name, "position": lesson.position, "goals": lesson.goals, "line": lesson.line}


def endings() -> dict[str, tuple[str, str]]:
    """Return the reason and the winner that each word for an ending means in KIF, CSA and USI."""
    known = {**kakinoki.WORDS.words, **CSA_ENDINGS.words}
    known |= {"resign": known["投了"], "win": known["入玉勝ち"]}
    return {word: (str(reason), winner.value) for word, (reason, winner) in known.items()}


def reasons(language: str) -> dict[str, str]:
    """Return the names of endings in a language."""
    return {str(each): "" if each in BY_RULE else translate(str(each), language, "ending") for each in Termination}


def labels(language: str) -> dict[str, Any]:
    """Return what screen readers say of squares, sides, pieces and hands, and the words for a pass and the engine."""
    empty: dict[str, Any] = {}
    for game in games.NAMES:
        board = games.game_module(game, "board").Board()
        board.clear()
        empty[game] = list(view.labels(game, board, language).values())
    return {
        "squares": empty,
        "sides": {game: [translate(side, language, game) for side in SIDES] for game in games.NAMES},
        "pieces": {SYMBOLS[kind]: name for kind, name in enumerate(PIECE_NAMES[language]) if SYMBOLS[kind]},
        "disc": {"en": " disc", "ja": "石"}[language],
        "held": {"en": "in hand", "ja": "持駒"}[language],
        "pass": translate("pass", language),
        "engine": translate("engine (level {0})", language),
    }


def refusals() -> set[str]:
    """Return the texts with which the scripts refuse a message: those in the catalogue of the server's."""
    sources = [static(name).read_text(encoding="utf-8") for name in ("local.js", "files.js")]
    return {text for source in sources for text in re.findall(r'refus(?:e|al)\("([^"]+)"', source)}


# ---- the site


def static(name: str) -> Path:
    """Return a file of the page."""
    return ROOT / "shogi_engine/web/static" / name


IMPORT = re.compile(r'(?<=")\./([a-z_]+)\.js(?=")')


def hashed(texts: dict[str, str]) -> dict[str, str]:
    """Return the names of scripts in the site: with the hash of their text and of all that they import."""

    def reached(name: str, found: set[str]) -> set[str]:
        found.add(name)
        for each in IMPORT.findall(texts[name]):
            if f"{each}.js" not in found:
                reached(f"{each}.js", found)
        return found

    wholes = {name: "".join(texts[each] for each in sorted(reached(name, set()))) for name in texts}
    return {name: f"{Path(name).stem}.{digest(whole.encode())}.js" for name, whole in wholes.items()}


def build(out: Path, kernels: Path) -> None:
    """Write the site; `kernels` is a folder made by tools.kernels.wasm."""
    files = sorted(each for each in kernels.iterdir() if each.suffix in (".wasm", ".bin", ".weights", ".json"))
    folder = f"kernels-{digest(b''.join(each.read_bytes() for each in files))}/"
    for part in (folder, "static"):
        (out / part).mkdir(parents=True, exist_ok=True)
    for file in files:
        shutil.copy(file, out / folder)
    served = {name: content for name, (content, _, _) in app.static_files().items()}
    worker, page = served.pop("sw.js").decode(), served.pop("index.html").decode()
    texts = {name: content.decode() for name, content in served.items() if name.endswith(".js")}
    texts["local_facts.js"] = app._module(facts() | {"KERNELS": f"../{folder}"})
    names = hashed(texts)
    for name, text in texts.items():
        changed = IMPORT.sub(lambda found: f"./{names[f'{found[1]}.js']}", text)
        if name == "engine.js":  # at the root, under its own name, for other pages too
            changed = changed.replace('"./', '"./static/').replace('?? "."', f'?? "{folder}"')
            (out / name).write_text(changed, encoding="utf-8")
        else:
            changed = changed.replace(f'"./{names["engine.js"]}', '"../engine.js')
            (out / "static" / names[name]).write_text(changed, encoding="utf-8")
    for name in ("style.css", "icon.svg"):
        names[name] = f"{Path(name).stem}.{digest(served[name])}{Path(name).suffix}"
        (out / "static" / names[name]).write_bytes(served[name])
    preload = "".join(f'<link rel="modulepreload" href="/static/{name}">\n' for name in FIRST)
    preload += "".join(f'<link rel="preload" href="{folder}shogi.{kind}" as="fetch" crossorigin>\n'
                       for kind in ("wasm", "bin", "json"))  # fmt: skip
    for old, new in (("</title>", '</title>\n<link rel="manifest" href="manifest.webmanifest">'),
                     ('<html lang="en">', '<html lang="en" data-backend="local">'),
                     ("<script ", f"{preload}<script "),
                     *((f'"/static/{name}"', f'"static/{new}"') for name, new in names.items())):  # fmt: skip
        page = page.replace(old, new)
    (out / "index.html").write_text(page, encoding="utf-8")
    icons = [{"src": f"static/{names['icon.svg']}", "sizes": "any", "type": "image/svg+xml"}]
    manifest = {"name": "shogi_engine", "short_name": "shogi", "start_url": ".", "display": "standalone"}
    (out / "manifest.webmanifest").write_text(json.dumps(manifest | {"icons": icons}), encoding="utf-8")
    shutil.copy(ROOT / "LICENSE", out / "LICENSE.txt")
    cached = sorted(file.relative_to(out).as_posix() for file in out.rglob("*") if file.is_file())
    version = digest("".join(digest((out / each).read_bytes()) for each in cached).encode())
    worker = worker.replace("VERSION", version).replace('["FILES"]', json.dumps(["./", *cached]))
    (out / "sw.js").write_text(worker, encoding="utf-8")


def digest(content: bytes) -> str:
    """Return the part of a hash that is in names."""
    return hashlib.sha256(content).hexdigest()[:8]


def main() -> int:
    """Build the site in an empty folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--kernels", type=Path, metavar="DIR", help="made by tools.build_kernels --only wasm32")
    args = parser.parse_args()
    if args.out.exists() and any(args.out.iterdir()):
        parser.error(f"{args.out} is not empty")
    with tempfile.TemporaryDirectory() as scratch:
        kernels = args.kernels or Path(scratch)
        if args.kernels is None:
            wasm.build(kernels)
        build(args.out, kernels)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
