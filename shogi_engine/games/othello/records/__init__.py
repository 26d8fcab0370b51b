"""Othello's files: transcripts, OBF test positions, GGF, SGF and WTHOR's databases, read and written.

A format is a module of `formats`; `shogi_engine.records` reads and writes all of them as GameRecords. Every error is a
ValueError that names the place. Moves are texts, 'f5' or 'pass', checked against the rules.
"""

from shogi_engine.games.othello.records.formats.ggf import format_ggf, parse_ggf, parse_ggf_games
from shogi_engine.games.othello.records.formats.obf import TestPosition, format_obf_line, parse_obf_line, read_obf
from shogi_engine.games.othello.records.formats.transcript import format_transcript, read_transcripts
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
from shogi_engine.records import GameRecord, loads

__all__ = [
    "PLAYER_BYTES", "TOURNAMENT_BYTES", "TestPosition", "Wthor", "WthorGame", "format_ggf", "format_names",
    "format_obf_line", "format_transcript", "format_wthor", "parse_ggf", "parse_ggf_games", "parse_names",
    "parse_obf_line", "parse_wthor", "read_games", "read_obf", "read_transcripts", "wthor_game",
]  # fmt: skip


def read_games(data: bytes) -> list[GameRecord]:
    """Return the games of a file's contents, in any of the formats. Raises ValueError."""
    return loads(data, game="othello")
