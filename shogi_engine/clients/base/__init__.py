"""The common base of the USI, GTP and NBoard clients: engines in separate processes."""

from shogi_engine.clients.base.client import Command, EngineClient, MovesClient, PlainClient
from shogi_engine.clients.base.errors import EngineError
from shogi_engine.clients.base.plain import attribute, plain, run_plainly
from shogi_engine.clients.base.turns import in_turn

__all__ = [
    "Command",
    "EngineClient",
    "EngineError",
    "MovesClient",
    "PlainClient",
    "attribute",
    "in_turn",
    "plain",
    "run_plainly",
]
