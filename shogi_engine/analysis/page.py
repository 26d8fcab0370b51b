"""An HTML page of analysed games: boards to step through, the graph, and bad moves with better lines.

The page is self-contained: it loads nothing from other hosts. Boards are the SVG that Board draws. Lines of SVG that
several boards share are stored once; a board is a list of line numbers.
"""

from collections.abc import Sequence
from typing import Any

from shogi_engine.analysis.judgement import GameAnalysis, MoveAnalysis
from shogi_engine.analysis.players import player_lines, player_rows, players
from shogi_engine.analysis.tables import named_lines
from shogi_engine.analysis.words import called, line_texts, move_text, score_words, shown, words_of
from shogi_engine.pages import render
from shogi_engine.types.limit import SIDES

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
    words = words_of(language, games[0].record.game if games else "shogi")
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
    record, words = game.record, words_of(language, game.record.game)
    names = " - ".join(f"{words[side]} {name}" for side, name in zip(SIDES, record.names, strict=True) if name)
    judged = {move.ply: move for move in game.moves}
    before = {move.ply - 1: move.black for move in game.moves}
    before[len(record.moves)] = game.final
    board, why = record.board(0), game.why_texts(language)
    plies: list[dict[str, Any]] = [{"board": boards.add(board), "black": before.get(0, game.final)}]
    for ply, text in enumerate(record.moves, 1):
        row: dict[str, Any] = {"move": move_text(board, text, language)}
        if (move := judged.get(ply)) is not None:
            row |= _judged(game, move, board, boards, language) | {"why": why.get(ply, [])}
        board.push_text(text)
        black = move.black_after if move is not None else before.get(ply, plies[-1]["black"])
        row |= {"board": boards.add(board), "black": black}
        plies.append(row)
    heading = title or names or words["analysis"]
    return {"title": heading, "names": names, "named": named_lines(game, language), "words": words, "plies": plies}


def _judged(game: GameAnalysis, move: MoveAnalysis, board: Any, boards: _Boards, language: str) -> dict[str, Any]:
    """Return what the page says about a move, made from the position on `board`."""
    words = words_of(language, game.record.game)
    row: dict[str, Any] = {"score": score_words(move.black_played_score, game.unit, words), "depth": move.depth}
    if not move.worth_a_word:
        return row
    pv = list(shown(move.pv, move.score.mate))
    line = []
    for text, usual in zip(line_texts(board, pv, language), pv, strict=True):
        board.push_text(usual)
        line.append({"move": text, "board": boards.add(board)})
    for _ in pv:
        board.pop()
    return {
        **row,
        "verdict": move.verdict or "mistake",
        "called": called(move.verdict, move.missed_mate, words),
        "loss": move.loss,
        "given": f"{move.given:.2f} {words[game.unit]}",
        "best": score_words(move.black_score, game.unit, words),
        "line": line,
    }
