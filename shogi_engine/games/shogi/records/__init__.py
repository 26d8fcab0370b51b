"""Shogi's game records: code that the formats share. Each module of `formats` is a format.

`shogi_engine.records` reads and writes all of them; its names are here too.
"""

from shogi_engine.games.shogi.records.kakinoki import HANDICAPS
from shogi_engine.records import ENDINGS, GameRecord, RecordError, decode, dumps, iterate, load, loads, save

__all__ = ["ENDINGS", "GameRecord", "HANDICAPS", "RecordError", "decode", "dumps", "iterate", "load", "loads", "save"]
