"""Reports on judged games: an HTML page, a text, comments in a record, tables of openings and of players.

The page is self-contained: it loads nothing from other hosts. Boards are the SVG that Board draws. Lines of SVG that
several boards share are stored once; a board is a list of line numbers.
"""

import copy
import functools
import importlib
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from shogi_engine.analysis import judgement
from shogi_engine.analysis.analyst import Hint
from shogi_engine.analysis.judgement import LANGUAGES, PASS, GameAnalysis, MoveAnalysis
from shogi_engine.common.text import table
from shogi_engine.games import NAMES
from shogi_engine.language import mark, translate
from shogi_engine.pages import render
from shogi_engine.records import GameRecord, Node
from shogi_engine.types.limits import SIDES
from shogi_engine.types.outcomes import Name

# ---- What is said of a move; tables, comments and pages only lay it out


class Said(NamedTuple):
    """What is said of a judged move, in one language; values are black's.

    Attributes:
        words: the words of the language
        played: the move as text
        value, best: the values of the move and of the best one
        verdict: 'blunder, missed a mate in 3', '' for a move that is not worth a word
        better: what is shown of the best line
        line: the same as texts
        why: sentences that say why the move was bad
    """

    move: MoveAnalysis
    words: dict[str, str]
    played: str
    value: str
    best: str
    verdict: str
    better: Sequence[str]
    line: list[str]
    why: Sequence[str]

    @property
    def sentence(self) -> str:
        """What was wrong with the move, and what was better."""
        change, line = f"({self.best} -> {self.value})", " ".join(self.line)
        return f"{self.played}: {self.verdict} {change}; {self.words['better']}: {line}"

    @property
    def comments(self) -> list[str]:
        """The lines to add to the comment of the move."""
        lines = [f"{self.value} ({self.words['chance']} {self.move.black_after:.0%})"]
        if self.verdict:
            better = f"{self.words['better']}: {' '.join(self.line)} ({self.best})"
            lines.append(" ".join([f"{self.verdict} (-{self.move.loss:.0%}); {better}", *self.why]))
        return lines


def said_of(game: str, move: MoveAnalysis, board: Any, language: str, why: Sequence[str] = ()) -> Said:
    """Return what is said of a move; `board` is a Board with the position before it, unchanged on return."""
    words, unit = judgement.words_of(language, game), judgement.unit_of(game)
    value, best = (judgement.score_words(score, unit, words) for score in (move.black_played_score, move.black_score))
    missed = words["missed"].format(length=move.missed_mate) if move.missed_mate else ""
    verdict = ", ".join(filter(None, (words.get(move.verdict), missed)))
    better = judgement.truncated_line(move.pv, move.score.mate)
    played, line = judgement.move_text(board, move.move, language), judgement.line_texts(board, better, language)
    return Said(move, words, played, value, best, verdict, better, line, why)


def said(game: GameAnalysis, language: str = "en") -> dict[int, Said]:
    """Return what is said of each judged move of a game, by ply."""
    name, why = game.record.game, game.why_texts(language)
    return {move.ply: said_of(name, move, board, language, why.get(move.ply, ())) for move, board in game.boards()}


def given_words(given: float, unit: str, language: str, words: Mapping[str, str]) -> str:
    """Return a move's loss as text: '1.20 pawns', in Japanese '120' as in GUIs."""
    if unit == "discs":
        discs = f"{round(given, 1):g}"
        return f"{discs}石" if language == "ja" else f"{discs} {'disc' if discs == '1' else 'discs'}"
    return f"{100 * given:.0f}" if language == "ja" else f"{given:.2f} {words[unit]}"


def numbered(game: GameAnalysis, ply: int) -> int:
    """Return the number of a move: passes are not numbered, as is usual in Othello."""
    return ply - game.record.moves[:ply].count(PASS)


# ---- Adds an analysis to a game record: evaluations, comments and better lines, for any program to read


def annotated(game: GameAnalysis, language: str = "en") -> GameRecord:
    """Return an annotated copy of a game's record, see `annotate`."""
    record = copied(game.record)
    annotate(record, record.main_line, game, language)
    return record


def copied(record: GameRecord) -> GameRecord:
    """Return a copy of a record with a tree of its own."""
    root = copy.copy(record.root)
    waiting = [root]
    while waiting:
        node = waiting.pop()
        node.children = [copy.copy(each) for each in node.children]
        waiting += node.children
    return GameRecord(record.game, record.start, list(record.names), dict(record.headers), root, record.score)


def annotate(
    record: GameRecord, line: Sequence[Node], game: GameAnalysis, language: str = "en", first: int = 1
) -> None:
    """Add the findings to the nodes of a line of a record, from the root on, and the opening's name to its headers.

    Each move gets the value and winning chance after it, both for black. A bad move gets its verdict, and the better
    line both as a variation and, for formats without variations, in the comment, with what `reasons` says. A move
    without an evaluation gets one.
    In Shogi the comment also has the value found by the analysis in ShogiHome's notation, `#評価値=`.

    Args:
        first: the first ply to annotate
    """
    if game.names and (opening := game.names.header(language)):
        record.headers.setdefault("opening", opening)
    for ply, each in said(game, language).items():
        if first <= ply < len(line):
            for text in each.comments:
                line[ply].add_comment(text)
            _evaluate(line[ply], each.move, record.game)
            if each.verdict:
                _add_line(line[ply - 1], each.better, each.move)


def _evaluate(node: Node, move: MoveAnalysis, game: str) -> None:
    """Write the value of a move, also in the notation that GUIs read."""
    if game == "shogi":
        evaluations = importlib.import_module("shogi_engine.games.shogi.records.words")
        for text in evaluations.analysis_lines(move.played_score, SIDES.index(move.side)):
            node.add_comment(text)
    if node.evaluation is None:
        node.evaluation = move.played_score


def _add_line(node: Node, moves: Sequence[str], move: MoveAnalysis) -> None:
    """Add a better line to the variations after a node, unless one already starts with its first move."""
    if moves and moves[0] not in [child.move for child in node.children]:
        first = node = node.add(moves[0])
        first.evaluation, first.depth = judgement.after_move(move.score), move.depth or None
        for each in moves[1:]:
            node = node.add(each)


# ---- reading


def of_programs(comment: str) -> list[str]:
    """Return the lines of a comment that programs wrote: values as GUIs read them, and those of `annotate`."""
    return [line for line in comment.split("\n") if _by_program(line)]


def own_words(comment: str) -> str:
    """Return a comment without the lines that programs wrote."""
    return "\n".join(line for line in comment.split("\n") if not _by_program(line)) if comment else ""


def _by_program(line: str) -> bool:
    """Tell whether a program wrote a line of a comment."""
    if line[:1] in ("*", "#"):
        evaluations = importlib.import_module("shogi_engine.games.shogi.records.words")
        return evaluations.score_in(line) is not None
    return "%)" in line and _annotations().fullmatch(line) is not None


@functools.cache
def _annotations() -> re.Pattern[str]:
    """Return a pattern of the lines that `annotate` writes: of a value, of a verdict with the better line."""
    words = [judgement.words_of(language, game) for language in LANGUAGES for game in NAMES]
    chance, better = ("|".join(re.escape(each[name]) for each in words) for name in ("chance", "better"))
    return re.compile(rf".{{1,40}} \((?:{chance}) [0-9]+%\)|.{{1,60}} \(-[0-9]+%\); (?:{better}): .*\).*")


# ---- How the openings and castles of some games have scored


RESULTS_HEAD = (mark("name"), mark("games"), mark("won"), mark("drawn"), mark("lost"), mark("score"))
BY_RESULT = {"1-0": (0, 2), "0-1": (2, 0), "1/2-1/2": (1, 1)}  # 2 for the side that lost, 0 for the one that won


@dataclass
class Scored:
    """The results of the sides that had an opening or a castle.

    Attributes:
        counts: wins, draws and losses
    """

    name: Name
    counts: list[int]

    @property
    def score(self) -> float:
        """The share of the points, 0 to 1."""
        return (self.counts[0] + self.counts[1] / 2) / sum(self.counts)

    def values(self) -> dict[str, Any]:
        """Return the row for JSON."""
        return {
            "id": self.name.id,
            **dict(zip(("wins", "draws", "losses"), self.counts, strict=True)),
            "score": self.score,
        }


def player_of(games: Sequence[GameAnalysis]) -> str:
    """Return the name of the only player who is in all of several games, '' if there is none."""
    found = set.intersection(*(set(game.record.names) for game in games)) - {""} if len(games) > 1 else set()
    return found.pop() if len(found) == 1 else ""


def scored(games: Sequence[GameAnalysis], player: str = "") -> list[Scored]:
    """Return the results by opening and castle, the most frequent first.

    Args:
        player: only the sides of this player; '' for both sides
    """
    rows: dict[str, Scored] = {}
    for game in games:
        results = BY_RESULT.get(game.record.result)
        if game.names is None or results is None:
            continue
        for side, name in enumerate(game.record.names):
            if player in ("", name):
                for standing in (*game.names.openings[side], *game.names.castles[side]):
                    row = rows.setdefault(standing.name.id, Scored(standing.name, [0, 0, 0]))
                    row.counts[results[side]] += 1
    return sorted(rows.values(), key=lambda row: (-sum(row.counts), row.name.id))


def score_table(games: Sequence[GameAnalysis], language: str = "en") -> str:
    """Return the results by opening and castle as text, '' if no opening of a finished game has a name.

    They are those of the player who is in all games, if there is only one; else those of both sides.
    """
    player = player_of(games)
    rows = scored(games, player)
    if not rows:
        return ""
    cells = [[translate(word, language) for word in RESULTS_HEAD]]
    for row in rows:
        name = row.name.text(language)
        cells.append([name, str(sum(row.counts)), *map(str, row.counts), f"{row.score:.0%}"])
    return "\n".join([*([player] if player else []), *table(cells)])


# ---- An analysis as text


BARS = "▁▂▃▄▅▆▇█"
GOOD = mark("no serious mistakes")
HINT_HEAD = (mark("move"), mark("value"), mark("chance"), mark("depth"), mark("line"))  # of `hint_table`
GAME_HEAD = (
    mark("ply"), mark("side"), mark("move"), mark("value"), mark("black's chance"), mark("best"), mark("gave away"),
    mark("remark"),
)  # fmt: skip
MARKS = {"blunder": "??", "mistake": "?", "inaccuracy": "?!", "": ""}


def sparkline(chances: Sequence[float]) -> str:
    """Return winning chances, 0 to 1, as a line of bars."""
    return "".join(BARS[min(int(chance * len(BARS)), len(BARS) - 1)] for chance in chances)


def hint_table(hints: Sequence[Hint], board: Any = None, language: str = "en") -> str:
    """Return the moves of a position as text.

    Args:
        board: a Board with the position, to write moves in the user's notation
    """
    if not hints:
        return translate("the game is over", language)
    words = judgement.words_of(language)
    rows = [
        [translate(name, language) for name in HINT_HEAD],
        *(_hint_row(hint, board, language, words) for hint in hints),
    ]
    return "\n".join(table(rows, "<>><<"))


def _hint_row(hint: Hint, board: Any, language: str, words: dict[str, str]) -> list[str]:
    usual = board is None or language == "en"
    line = list(hint.pv) if usual else judgement.line_texts(board, hint.pv, language)
    unit = "discs" if hint.score.unit == "discs" else "pawns"
    value = str(hint.score) if language == "en" else judgement.score_words(hint.score, unit, words)
    depth = translate("exact", language) if hint.exact else translate("depth {depth}", language)
    return [line[0], value, f"{hint.chance:.0%}", depth.format(depth=hint.depth), " ".join(line)]


def game_table(game: GameAnalysis, language: str = "en") -> str:
    """Return a game's moves, its graph and its worst moves, each with the better line, as text.

    The value and the chance next to a move are those of the position after it, as in records and pages.
    Passes are not numbered, as is usual in Othello.
    """
    name = game.record.game
    words = judgement.words_of(language, name)
    rows = [[translate(each, language, name) for each in GAME_HEAD]]
    guilty = []
    for (move, board), each in zip(game.boards(), said(game, language).values(), strict=True):
        number = numbered(game, move.ply)
        best = judgement.move_text(board, move.best, language) if move.best else ""
        rows.append(_row(each, str(number), best, game.unit, language))
        if each.verdict:
            guilty += [f"{number:>3}  {each.sentence}", *(f"     {text}" for text in each.why)]
    graph = f"{words['chance']}: {sparkline(game.chances)} {game.final:.0%}"
    lines = table(rows, "><<>><><")
    return "\n".join(
        [
            *lines,
            "",
            graph,
            *_counts(game, words),
            *named_lines(game, language),
            "",
            *(guilty or [translate(GOOD, language)]),
        ]
    )


def _row(each: Said, number: str, best: str, unit: str, language: str) -> list[str]:
    move, words = each.move, each.words
    texts = [move.move, move.best] if language == "en" else [each.played, best]
    given = f"{100 * move.given:.0f}" if unit == "pawns" and language == "ja" else f"{move.given:.2f}"
    lost = f"{move.loss:.0%} {given}" if move.loss or move.given else ""
    missed = words["missed"].format(length=move.missed_mate) if move.missed_mate else ""
    remark = f"{MARKS[move.verdict]} {missed}".strip()
    return [number, words[move.side], texts[0], each.value, f"{move.black_after:.0%}", texts[1], lost, remark]


def _counts(game: GameAnalysis, words: dict[str, str]) -> list[str]:
    """Return a row per side: the number of each verdict, and the mean loss."""
    rows = []
    for side in SIDES:
        counts = (
            f"{words[name]} {sum(move.verdict == name for move in game.moves if move.side == side)}"
            for name, _ in judgement.VERDICTS
        )
        rows.append(f"{words[side]}: {', '.join(counts)}; {words['gave']} {game.mean_loss(side):.1%}")
    return rows


def named_lines(game: GameAnalysis, language: str) -> list[str]:
    """Return a row per side that has an opening or a castle: their names, each with the ply at which it stood."""
    words, names = judgement.words_of(language, game.record.game), game.names
    rows = []
    for side, *named in zip(SIDES, names.openings, names.castles, strict=True) if names else ():
        texts = [f"{each.name.text(language)} ({each.ply})" for standings in named for each in standings]
        if texts:
            rows.append(f"{words[side]}: {', '.join(texts)}")
    return rows


def sentences_on(game: GameAnalysis, move: MoveAnalysis, language: str = "en") -> list[str]:
    """Return what was wrong with a bad move of a game, what was better, and why."""
    each = said(game, language)[move.ply]
    return [f"{numbered(game, move.ply)}. {each.sentence}", *each.why]


# ---- What several judged games say about each of their players


PLAYERS_HEAD = (
    mark("player"), mark("games"), mark("won"), mark("drawn"), mark("lost"), mark("accuracy"),
    *(name for name, _ in judgement.VERDICTS),
)  # fmt: skip
KIND_NAMES = {
    judgement.MATE: mark("missed mate"),
    judgement.WIN: mark("win given away"),
    judgement.PIECE: mark("pieces lost"),
    judgement.OPENING: mark("opening"),
    judgement.MOVE: mark("other"),
}
MISTAKES, OPENINGS = mark("kinds of mistakes"), mark("score (games)")
LESSON = mark("best lesson, game {number}")
SEVERAL = 2  # games of a player of whom more than a row of the table is said


@dataclass(frozen=True)
class Advice:
    """A mistake to learn from.

    Attributes:
        game: the number of the game, from 0
    """

    game: int
    move: MoveAnalysis


@dataclass(frozen=True)
class PlayerSummary:
    """A player of some games.

    Attributes:
        games: how many
        results: wins, draws and losses
        accuracy: 0 to 1, see `accuracy_of`; None without a judged move
        verdicts: how many moves got each verdict
        kinds: how many mistakes, by the standard of `is_mistake`, are of each kind
        openings: how the openings and castles have scored
        lesson: the most instructive mistake, None if there is none
    """

    name: str
    games: int
    results: tuple[int, int, int]
    accuracy: float | None
    verdicts: dict[str, int]
    kinds: dict[str, int]
    openings: list[Scored]
    lesson: Advice | None

    def values(self) -> dict[str, Any]:
        """Return the player for JSON."""
        lesson = self.lesson and {
            "game": self.lesson.game,
            **{name: getattr(self.lesson.move, name) for name in ("ply", "side", "move", "best", "loss")},
        }
        return {
            **vars(self),
            **dict(zip(("wins", "draws", "losses"), self.results, strict=True)),
            "openings": [row.values() for row in self.openings],
            "lesson": lesson,
        }


def accuracy_of(moves: Sequence[MoveAnalysis]) -> float | None:
    """Return the mean accuracy of moves, 0 to 1, None without moves.

    A move's accuracy falls with the winning chance it gives away, by the curve of https://lichess.org/page/accuracy.
    """
    if not moves:
        return None
    shares = (103.1668 * math.exp(-4.354 * move.loss) - 3.1669 for move in moves)
    return math.fsum(min(max(share, 0.0), 100.0) for share in shares) / len(moves) / 100


def players(games: Sequence[GameAnalysis]) -> list[PlayerSummary]:
    """Return the players of judged games, those with most games first. Sides without a name are left out."""
    names = Counter(name for game in games for name in set(game.record.names) if name)
    return [_player(name, games) for name in sorted(names, key=lambda name: (-names[name], name))]


def _player(name: str, games: Sequence[GameAnalysis]) -> PlayerSummary:
    sides = [(number, side) for number, game in enumerate(games) for side in _sides(game, name)]
    results = [0, 0, 0]
    for number, side in sides:
        if found := BY_RESULT.get(games[number].record.result):
            results[found[side]] += 1
    moves = [(number, move) for number, side in sides for move in games[number].moves if move.side == SIDES[side]]
    kinds = Counter(judgement.kind_of(games[number], move) for number, move in moves if judgement.is_mistake(move))
    return PlayerSummary(
        name,
        len({number for number, _side in sides}),
        (results[0], results[1], results[2]),
        accuracy_of([move for _number, move in moves]),
        {verdict: sum(move.verdict == verdict for _number, move in moves) for verdict, _ in judgement.VERDICTS},
        {kind: kinds[kind] for kind in judgement.KINDS},
        scored(games, name),
        _lesson(games, moves),
    )


def _sides(game: GameAnalysis, name: str) -> Iterator[int]:
    return (side for side, each in enumerate(game.record.names) if each == name)


def _lesson(games: Sequence[GameAnalysis], moves: Sequence[tuple[int, MoveAnalysis]]) -> Advice | None:
    """Return the most instructive mistake: a blunder that can be explained, then the costliest, then the first."""

    def worth(number: int, move: MoveAnalysis) -> tuple[bool, float]:
        explained = move.ply in games[number].why
        return explained and (move.loss >= judgement.BLUNDER or bool(move.missed_mate)), move.loss

    bad = [(number, move) for number, move in moves if judgement.is_mistake(move)]
    return Advice(*max(bad, key=lambda each: worth(*each))) if bad else None


# ---- texts -------------------------------------------------------------------------------------------------------


def player_rows(found: Sequence[PlayerSummary], language: str = "en") -> list[list[str]]:
    """Return the rows of a table of players, the head first."""
    rows = [[translate(word, language) for word in PLAYERS_HEAD]]
    for player in found:
        counts = (player.games, *player.results)
        accuracy = "–" if player.accuracy is None else f"{player.accuracy:.0%}"
        rows.append([player.name, *map(str, counts), accuracy, *map(str, player.verdicts.values())])
    return rows


def player_lines(player: PlayerSummary, games: Sequence[GameAnalysis], language: str = "en") -> list[str]:
    """Return what is said of a player: kinds of mistakes, openings with their scores, the best lesson."""
    kinds = [f"{translate(KIND_NAMES[kind], language)} {count}" for kind, count in player.kinds.items() if count]
    lines = [f"{translate(MISTAKES, language)}: {', '.join(kinds)}"] if kinds else []
    if player.openings:
        scores = [f"{row.name.text(language)} {row.score:.0%} ({sum(row.counts)})" for row in player.openings]
        lines.append(f"{translate(OPENINGS, language)}: {'; '.join(scores)}")
    if (lesson := player.lesson) is not None:
        said = translate(LESSON, language).format(number=lesson.game + 1)
        what, *why = sentences_on(games[lesson.game], lesson.move, language)
        lines += [f"{said}: {what}", *why]
    return lines


def player_table(games: Sequence[GameAnalysis], language: str = "en") -> str:
    """Return the players of several games as text, '' if no side has a name."""
    found = players(games)
    if not found:
        return ""
    parts = ["\n".join(table(player_rows(found, language)))]
    for player in found:
        if player.games >= SEVERAL and (lines := player_lines(player, games, language)):
            parts.append("\n".join([player.name, *(f"  {line}" for line in lines)]))
    return "\n\n".join(parts)


NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'  # HTML needs none


class _Boards:
    """The lines of all boards, each once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def add(self, board: Any) -> list[int]:
        """Return the numbers of the lines of a board's picture."""
        lines = board.svg().replace(NAMESPACE, "").splitlines()
        return [self._numbers.setdefault(line, len(self._numbers)) for line in lines]

    @property
    def lines(self) -> list[str]:
        """All lines, by number."""
        return list(self._numbers)


def page(games: Sequence[GameAnalysis], language: str = "en", titles: Sequence[str] = ()) -> str:
    """Return the page of some games.

    Args:
        titles: a title for each game; without them, the players' names

    Raises:
        ValueError: there is no such language
    """
    boards = _Boards()
    shown_games = [
        _game(game, boards, language, titles[number] if number < len(titles) else "")
        for number, game in enumerate(games)
    ]
    words = judgement.words_of(language, games[0].record.game if games else "shogi")
    head, *rows = player_rows(found := players(games) if len(games) > 1 else [], language)
    return render(
        "analysis.html",
        language=language,
        title=shown_games[0]["title"] if len(games) == 1 else words["analysis"],
        script=words["script"],
        head=head,
        players=[
            (row, player_lines(player, games, language), player.lesson) for row, player in zip(rows, found, strict=True)
        ],
        data={"games": shown_games, "lines": boards.lines, "words": words},
    )


def _game(game: GameAnalysis, boards: _Boards, language: str, title: str) -> dict[str, Any]:
    """Return a game's data for the page: its positions, each with the move that led there."""
    record, words = game.record, judgement.words_of(language, game.record.game)
    names = " - ".join(f"{words[side]} {name}" for side, name in zip(SIDES, record.names, strict=True) if name)
    before = {move.ply - 1: move.black for move in game.moves}
    before[len(record.moves)] = game.final
    board, judged = record.board(0), said(game, language)
    plies: list[dict[str, Any]] = [{"board": boards.add(board), "black": before.get(0, game.final)}]
    for ply, text in enumerate(record.moves, 1):
        row: dict[str, Any] = {"move": judgement.move_text(board, text, language)}
        row |= {} if text == PASS else {"number": numbered(game, ply)}
        if (each := judged.get(ply)) is not None:
            row |= _judged(each, board, boards, game.unit, language)
        board.push_text(text)
        black = each.move.black_after if each is not None else before.get(ply, plies[-1]["black"])
        row |= {"board": boards.add(board), "black": black}
        plies.append(row)
    heading = title or names or words["analysis"]
    return {"title": heading, "names": names, "named": named_lines(game, language), "words": words, "plies": plies}


def _judged(each: Said, board: Any, boards: _Boards, unit: str, language: str) -> dict[str, Any]:
    """Return what the page says about a move, made from the position on `board`."""
    move = each.move
    row: dict[str, Any] = {"score": each.value, "depth": move.depth, "why": each.why}
    if not each.verdict:
        return row
    line = []
    for text, usual in zip(each.line, each.better, strict=True):
        board.push_text(usual)
        line.append({"move": text, "board": boards.add(board)})
    for _ in line:
        board.pop()
    return {
        **row,
        "verdict": move.severity,
        "called": each.verdict,
        "loss": move.loss,
        "given": given_words(move.given, unit, language, each.words),
        "best": each.best,
        "line": line,
    }
