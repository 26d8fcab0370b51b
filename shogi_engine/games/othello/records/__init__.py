"""Othello's files: transcripts, OBF test positions, GGF games and WTHOR's databases, read and written.

Every error is a ValueError that names the place. Moves are texts, 'f5' or 'pass', checked against the rules;
`Record.board` makes a Board of a game.
"""

from shogi_engine.games.othello.records.files import (
    Played,
    Record,
    Referee,
    TestPosition,
    format_ggf,
    format_obf_line,
    format_transcript,
    parse_ggf,
    parse_ggf_games,
    parse_obf_line,
    read_obf,
    read_transcripts,
)
from shogi_engine.games.othello.records.wthor import (
    PLAYER_BYTES,
    TOURNAMENT_BYTES,
    Wthor,
    WthorGame,
    format_names,
    format_wthor,
    parse_names,
    parse_wthor,
    wthor_game,
)

__all__ = [
    "PLAYER_BYTES",
    "Played",
    "Record",
    "Referee",
    "TOURNAMENT_BYTES",
    "TestPosition",
    "Wthor",
    "WthorGame",
    "format_ggf",
    "format_names",
    "format_obf_line",
    "format_transcript",
    "format_wthor",
    "parse_ggf",
    "parse_ggf_games",
    "parse_names",
    "parse_obf_line",
    "parse_wthor",
    "read_games",
    "read_obf",
    "read_transcripts",
    "wthor_game",
]


def read_games(data: bytes) -> list[Record]:
    """Return the games of a file's contents: WTHOR, GGF or transcripts, whichever it is. Raises ValueError."""
    if b"\0" in data[:64]:
        return [game.record() for game in parse_wthor(data).games]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise ValueError(f"byte {fault.start}: neither text nor a WTHOR file") from None
    games = parse_ggf_games(text) if "(;" in text else read_transcripts(text)
    if not games:
        raise ValueError("there is no game in it")
    return games
