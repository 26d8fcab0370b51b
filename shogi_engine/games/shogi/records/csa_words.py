"""What CSA files say about the end of a game: CSA's words, `%TORYO`, and the summary of shogi-server.

shogi-server, which runs floodgate, ends the file of a game with a comment, `'summary:TYPE:BLACK lose:WHITE win`. If a
player lost on time, made an illegal move or repeated the position, and if there were too many moves, nothing else says
how the game ended; after a wrong declaration the file has `%KACHI`, and `%TORYO` for a lost connection, whichever side
is to move. A summary therefore overrules the word. See shogi_server/game_result.rb in
https://github.com/TadaoYamaoka/shogi-server.
"""

from shogi_engine.games.shogi.records.ending_words import NEAREST
from shogi_engine.types.termination import USUAL_WINNERS, EndingWords, Outcome, Termination, Winner

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


def judged(said: Outcome, summary: Outcome) -> Outcome:
    """Return how a game ended, by its word (NONE without one) and the server's summary."""
    if summary.termination is Termination.UNKNOWN and said.result() == summary.result():
        return said
    return summary
