"""A client for USI engines in the style of python-chess: asynchronous (`UsiClient`) and synchronous (`SimpleEngine`).

    with SimpleEngine.popen_usi("shogi-usi", {"Threads": 2}) as engine:
        print(engine.play("startpos moves 7g7f", Limit(time=0.5)).move)
        with engine.analysis("startpos") as search:
            for info in search:
                print(info.depth, info.score, info.pv)
                if info.depth == 12:
                    break

Nothing here loads numba. Protocol: http://shogidokoro.starfree.jp/usi.html
"""

from shogi_engine.clients.base.errors import FAULTS, EngineError
from shogi_engine.clients.usi.client import UsiClient, popen_usi
from shogi_engine.clients.usi.lines import Option, Options, parse_info, parse_options
from shogi_engine.clients.usi.plain import SimpleEngine, SimpleSearch
from shogi_engine.clients.usi.searches import Search, position_command
from shogi_engine.types.forced_win import ForcedWin
from shogi_engine.types.info import Info, PlayResult
from shogi_engine.types.limit import Limit
from shogi_engine.types.score import MATE_SCORE, Score

__all__ = [
    "EngineError",
    "FAULTS",
    "ForcedWin",
    "Info",
    "Limit",
    "MATE_SCORE",
    "Option",
    "Options",
    "PlayResult",
    "Score",
    "Search",
    "SimpleEngine",
    "SimpleSearch",
    "UsiClient",
    "parse_info",
    "parse_options",
    "popen_usi",
    "position_command",
]
