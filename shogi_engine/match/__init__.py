"""Matches and tournaments: engines or settings of this build against each other, as a library.

    from shogi_engine import match

    engines = tuple(match.parse_engine(text, *match.parse_limit("movetime=100")) for text in ("shogi", "foo"))
    schedule = match.Schedule(len(engines), games=100)
    openings, terms = match.OpeningPlan.of("shogi"), match.Terms(resign=(1500, 3))
    games = match.EngineGames("shogi", engines, schedule, openings, terms)
    played = match.Match(match.GameLog(Path("log.jsonl"), {}), schedule.numbers(), games)
    for record in played.run(concurrency=2):
        print(record["game"], record["score"], record["reason"])
    print(match.text_table(match.standings(played.log.records, [engine.name for engine in engines])))

`shogi-engine match` is this on the command line.
"""

from shogi_engine.match.plan import EngineSpec, OpeningFile, OpeningPlan, Schedule, parse_engine
from shogi_engine.match.report import game_records, page, save, standings, summarise, text_table
from shogi_engine.match.runner import EngineGames, GameLog, Match, Record
from shogi_engine.play.game import Terms, parse_limit

__all__ = [
    "EngineGames", "EngineSpec", "GameLog", "Match", "OpeningPlan", "OpeningFile", "Record", "Schedule", "Terms",
    "game_records", "page", "parse_engine", "parse_limit", "save", "standings", "summarise", "text_table",
]  # fmt: skip
