"""An analysis as text and as a picture."""

from collections.abc import Sequence
from typing import Any

from shogi_engine.analysis.analyst import Hint
from shogi_engine.analysis.judgement import VERDICTS, GameAnalysis, MoveAnalysis
from shogi_engine.analysis.words import called, line_texts, score_words, shown, words_of

BARS = "▁▂▃▄▅▆▇█"
MARKS = {"blunder": "??", "mistake": "?", "inaccuracy": "?!", "": ""}


def sparkline(chances: Sequence[float]) -> str:
    """Return winning chances, 0 to 1, as a line of bars."""
    return "".join(BARS[min(int(chance * len(BARS)), len(BARS) - 1)] for chance in chances)


def hint_table(hints: Sequence[Hint]) -> str:
    """Return the moves of a position as text."""
    if not hints:
        return "the game is over"
    rows = [
        f"{hint.move:<5} {hint.score:>12} {hint.chance:>5.0%}  {'exact' if hint.exact else f'depth {hint.depth}':<9} "
        f"{' '.join(hint.pv)}".rstrip()
        for hint in hints
    ]
    return "\n".join(["move         value chance", *rows])


def game_table(game: GameAnalysis, language: str = "en") -> str:
    """Return a game's moves, its graph and its worst moves, each with the better line, as text."""
    words = words_of(language, game.record.game)
    board = game.record.board(0)
    moves = {move.ply: move for move in game.moves}
    rows, guilty = [f"ply  side   move   {'value':>12}  black  best   gave away ({game.unit})"], []
    for ply, text in enumerate(game.record.moves, 1):
        move = moves.get(ply)
        if move is not None:
            rows.append(_row(move, game, words))
            if move.worth_a_word:
                line = line_texts(board, shown(move.pv, move.score.mate), language)
                guilty.append(_sentence(move, game, line_texts(board, [text], language)[0], line, words))
        board.push_text(text)
    graph = f"{words['chance']}: {sparkline(game.chances)} {game.final:.0%}"
    return "\n".join([*rows, "", graph, *_counts(game, words), "", *(guilty or ["no move gave much away"])])


def _row(move: MoveAnalysis, game: GameAnalysis, words: dict[str, str]) -> str:
    value = score_words(move.score, game.unit, words)
    lost = f"{move.loss:5.0%} {move.given:6.2f} {MARKS[move.verdict]}" if move.loss or move.given else ""
    missed = " " + words["missed"].format(length=move.missed_mate) if move.missed_mate else ""
    row = f"{move.ply:>3}  {move.side:<5}  {move.move:<5}  {value:>12}  {move.black:>5.0%}  {move.best:<5}  {lost}"
    return f"{row.rstrip()}{missed}"


def _counts(game: GameAnalysis, words: dict[str, str]) -> list[str]:
    """Return a row a side: how many of each verdict, and the mean loss."""
    rows = []
    for side in ("black", "white"):
        counts = (
            f"{words[name]} {sum(move.verdict == name for move in game.moves if move.side == side)}"
            for name, _ in VERDICTS
        )
        rows.append(f"{words[side]}: {', '.join(counts)}; {words['gave']} {game.mean_loss(side):.1%}")
    return rows


def _sentence(move: MoveAnalysis, game: GameAnalysis, text: str, line: list[str], words: dict[str, str]) -> str:
    """Return what was wrong with a move, and what was better."""
    before, after = (score_words(score, game.unit, words) for score in (move.score, move.played_score))
    judged = f"{called(move.verdict, move.missed_mate, words)} ({before} -> {after})"
    return f"{move.ply:>3}  {text}: {judged}; {words['better']}: {' '.join(line)}"


def plot(game: GameAnalysis, path: str, plt: Any) -> None:
    """Draw black's winning chance by ply, the worst moves marked, with pyplot (`plt`) to the image `path`."""
    figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
    plies = [move.ply - 1 for move in game.moves]
    axes.plot([*plies, len(game.record.moves)], [100 * chance for chance in game.chances], color="#3b6ea8")
    for move in game.worst():
        axes.annotate(f"{move.move} -{move.loss:.0%}", (move.ply - 1, 100 * move.black), color="#c2573a")
        axes.plot([move.ply - 1], [100 * move.black], "o", color="#c2573a")
    axes.axhline(50, color="#999999", linewidth=0.8)
    axes.set_ylim(0, 100)
    axes.set_xlabel("ply")
    axes.set_ylabel("black's winning chance, %")
    figure.savefig(path)
    plt.close(figure)
