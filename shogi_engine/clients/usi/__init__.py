"""A client for USI engines in the style of python-chess: asynchronous (`UsiClient`) and synchronous (`SimpleEngine`).

    with SimpleEngine.popen_usi("shogi-usi", {"Threads": 2}) as engine:
        print(engine.play("startpos moves 7g7f", Limit(time=0.5)).move)
        with engine.analysis("startpos") as search:
            for info in search:
                print(info.depth, info.score, info.pv)
                if info.depth == 12:
                    break

Nothing here loads numba before a position is given as text other than 'startpos'. Protocol: http://shogidokoro.starfree.jp/usi.html
"""

from shogi_engine.clients.base.errors import FAULTS, EngineError
from shogi_engine.clients.usi.client import UsiClient, popen_usi
from shogi_engine.clients.usi.lines import Option, Options, parse_options, split_options
from shogi_engine.clients.usi.plain import SimpleEngine
from shogi_engine.clients.usi.searches import position_command
from shogi_engine.types.info import Info, PlayResult
from shogi_engine.types.limit import Limit
from shogi_engine.types.score import Score

__all__ = [
    "EngineError",
    "FAULTS",
    "Info",
    "Limit",
    "Option",
    "Options",
    "PlayResult",
    "Score",
    "SimpleEngine",
    "UsiClient",
    "parse_options",
    "popen_usi",
    "position_command",
    "split_options",
]
