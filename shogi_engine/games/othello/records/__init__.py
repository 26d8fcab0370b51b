"""Othello's files: transcripts, OBF test positions, GGF games and WTHOR's databases, read and written.

Every error is a ValueError that names the place. Moves are texts, 'f5' or 'pass', checked against the rules;
`Record.board` makes a Board of a game.
"""

from shogi_engine.games.othello.records.files import (
    PLAYER_BYTES,
    TOURNAMENT_BYTES,
    Played,
    Record,
    Referee,
    TestPosition,
    Wthor,
    WthorGame,
    format_ggf,
    format_names,
    format_obf_line,
    format_transcript,
    format_wthor,
    parse_ggf,
    parse_ggf_games,
    parse_names,
    parse_obf_line,
    parse_wthor,
    read_games,
    read_obf,
    read_transcripts,
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
