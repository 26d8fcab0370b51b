"""The common base of the USI, GTP and NBoard clients: engines in separate processes."""

from shogi_engine.clients.base.client import READY_TIMEOUT, TIMEOUT, Command, EngineClient, PlainClient
from shogi_engine.clients.base.errors import FAULTS, EngineError
from shogi_engine.clients.base.plain import attribute, plain, run_plainly
from shogi_engine.clients.base.process import EngineProcess, Log, split_command

__all__ = [
    "Command",
    "EngineClient",
    "EngineError",
    "EngineProcess",
    "FAULTS",
    "Log",
    "TIMEOUT",
    "PlainClient",
    "READY_TIMEOUT",
    "attribute",
    "plain",
    "run_plainly",
    "split_command",
]
