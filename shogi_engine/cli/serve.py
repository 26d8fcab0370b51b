"""`shogi-engine serve`: a board in the browser, for both games."""

import gc
import logging
import logging.handlers
import os
import queue
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Sequence
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin
from urllib.request import ProxyHandler, build_opener

from shogi_engine.cli import common
from shogi_engine.cli.common import at_least_one, ending_signals, flag, option, port
from shogi_engine.cli.progress import leave, progress_bar
from shogi_engine.common.files import data_folder
from shogi_engine.common.text import read_text
from shogi_engine.common.threads import begun, end_process, start_thread
from shogi_engine.language import InputError, Message, fault_text
from shogi_engine.web.access import HEALTH, PATIENCE_SECONDS, SERVED_BY, qr_code, reachable_host

if TYPE_CHECKING:
    from shogi_engine.explorer import Explorer
    from shogi_engine.web.access import Guard

PORT = 8765
NEXT_PORTS = 10  # that --open tries, if another program has the usual one
TOKEN_VARIABLE = "SHOGI_ENGINE_TOKEN"
CONNECTIONS_MAX, OTHER_FILES = 1000, 200  # and files, which a connection counts as
LOG_BYTES = 1 << 20
ANSWER_SECONDS = 3.0  # for a server that may be there already
END_SECONDS = 20.0  # after a signal
SWITCH_SECONDS = 0.001  # Python's switch interval, a fifth of the default, so that searches do not delay answers


class Arguments(common.Arguments):
    """The address, who may come, and what is served."""

    host: str = option("address to listen on; any but this machine's own requires a token", default="127.0.0.1")
    port: int = option("port, 0 for any free one", type=port, default=PORT)
    token: str = option(
        Message(
            "token for browsers; default: the variable {0}, which other users of the machine cannot "
            "see, or a generated one if the host requires one",
            TOKEN_VARIABLE,
        ),
        default="",
    )
    token_file: str | None = option("file whose first line is the token", metavar="FILE")
    log: str | None = option("log of the server, of at most 5 files of 1 MB", metavar="FILE")
    engines: int | None = option("number of simultaneous searches; default: one per core", type=at_least_one)
    games: list[Path] = option(
        "index of games to explore in the browser, made by book index; one for each game",
        action="append",
        default=[],
        type=Path,
        metavar="INDEX",
    )
    open: bool = flag("open the page in the browser")


def run(args: Arguments) -> int:  # noqa: RET503  (`leave` ends the process)
    """Serve until a signal ends it, which is no failure."""
    try:
        import msgspec  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn
        import websockets  # noqa: F401
    except ImportError:
        raise InputError(
            "serve needs packages that are not installed: pip install starlette uvicorn websockets msgspec"
        ) from None
    from shogi_engine.analysis import cores
    from shogi_engine.web.access import Guard, RateLimits, is_loopback, limited
    from shogi_engine.web.app import application, hub_of_engines
    from shogi_engine.web.messages import MESSAGE_MAX
    from shogi_engine.web.saving import Collections
    from shogi_engine.web.store import GameStore

    flush_log = _log_to(args.log) if args.log else (lambda: None)
    guard, limits = Guard.of(args.host, _token(args)), RateLimits(connections=_most_connections())
    indexes = _indexes(args.games)
    listener, port = _place(args, guard.token)
    address = _address(reachable_host(args.host), port, guard.token)
    if listener is None:
        webbrowser.open(address)  # a second double click shows the board that is there
        return 0
    store = GameStore(data_folder() / "games", shared=_is_shared(args, guard))
    sys.setswitchinterval(SWITCH_SECONDS)
    with progress_bar():
        hub = hub_of_engines(args.engines or cores(), store, Collections(indexes))
        config = uvicorn.Config(
            application(hub, guard, limits),
            http=limited(limits),
            log_level="error",  # at lower levels, every connection that is not HTTP would be logged
            access_log=False,
            server_header=False,
            ws_max_size=MESSAGE_MAX,
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=2,
        )
        print(f"the board is at {address} (Ctrl-C stops the server)", flush=True)
        if not is_loopback(args.host) and sys.stdout.isatty():
            print(qr_code(address), flush=True)
        if args.open:
            webbrowser.open(address)
        server = uvicorn.Server(config)
        ending = threading.Event()
        start_thread(_end_in_time, "end in time", ending, flush_log)
        server.handle_exit = _first(ending.set, server.handle_exit)  # type: ignore[method-assign, assignment]
        try:
            with ending_signals() as signals:
                # The server handles most signals itself and raises them again at its end; SIGHUP it does not know.
                signals.first = _first(ending.set, lambda: setattr(server, "should_exit", True))
                gc.freeze()  # else all that is loaded is looked through now and then, and no move is answered meanwhile
                server.run(sockets=[listener])
        finally:
            ending.set()
            hub.close()
    begun(flush_log, PATIENCE_SECONDS)
    leave(0)  # engines may still be searching


def _first(one: Callable[[], object], other: Callable[..., object]) -> Callable[..., object]:
    """Return a function that calls one function, and then another with its arguments."""
    return lambda *arguments: (one(), other(*arguments))


def _end_in_time(ending: threading.Event, flush_log: Callable[[], None]) -> None:
    """End the process some time after a signal, whatever waits: a disk that does not answer may never do so."""

    def tell() -> None:
        logging.getLogger(__name__).error("the server did not end in time; the last changes of games may be lost")
        flush_log()

    ending.wait()
    time.sleep(END_SECONDS)
    begun(tell, PATIENCE_SECONDS)  # the log may be on that disk
    end_process(1)


def _is_shared(args: Arguments, guard: "Guard") -> bool:
    """Tell whether every browser sees all games: who asks for a token expects others, maybe through a proxy."""
    from shogi_engine.web.access import is_loopback

    return is_loopback(args.host) and not guard.token


def _indexes(files: Sequence[Path]) -> "dict[str, Explorer]":
    """Return the indexes by game. Raises ValueError if two are of one game."""
    from shogi_engine.explorer import Explorer

    found: dict[str, Explorer] = {}
    for file in files:
        index = Explorer(file)
        if index.game in found:
            raise InputError("serve: --games has two indexes of {0}; book index joins games into one", index.game)
        found[index.game] = index
    return found


def _token(args: Arguments) -> str:
    """Return the token that was given, '' for none, and let child processes not see the environment's.

    Raises OSError, and ValueError if the file contains none.
    """
    inherited = os.environ.pop(TOKEN_VARIABLE, "")
    if not args.token_file:
        return args.token or inherited
    token = read_text(args.token_file).partition("\n")[0].strip()
    if not token:
        raise InputError("{0} contains no token", args.token_file)
    return token


def _log_to(file: str) -> Callable[[], None]:
    """Write the log into a file; when it is large, a new one is begun. Raises OSError.

    A thread of its own writes it, as the disk may hang; return what waits until all is written, and ends it.
    """
    handler = logging.handlers.RotatingFileHandler(file, maxBytes=LOG_BYTES, backupCount=4, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    said: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
    listener = logging.handlers.QueueListener(said, handler)
    listener.start()
    for name in ("shogi_engine", "uvicorn.error"):
        logging.getLogger(name).addHandler(logging.handlers.QueueHandler(said))
    logging.getLogger("shogi_engine").setLevel(logging.INFO)
    return listener.stop


def _most_connections() -> int:
    """Return how many connections the system allows, after raising its limit as far as it may be raised."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return CONNECTIONS_MAX
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS_MAX + OTHER_FILES
    if soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return min(CONNECTIONS_MAX, max(soft - OTHER_FILES, 1))


def _listener(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raises OSError naming the address on which it cannot listen."""
    try:
        family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # With its protocol named, asyncio sends small messages at once: `done` waited 40 ms for the page's ACK.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        # On Windows, SO_REUSEADDR would let a second server take the port too.
        listener.setsockopt(socket.SOL_SOCKET, getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR), 1)
        listener.bind(where)
        listener.listen(128)
    except OSError as fault:
        raise OSError(Message("serve cannot listen on {0}, port {1}: {2}", host, port, fault_text(fault))) from None
    return listener


def _place(args: Arguments, token: str) -> tuple[socket.socket | None, int]:
    """Return a listening socket and its port; for --open, (None, port) if a board is there already. Raises OSError."""
    last = PORT + NEXT_PORTS if args.open and args.port == PORT else args.port
    for number in range(args.port, last + 1):
        try:
            listener = _listener(args.host, number)
        except OSError:
            if args.open and _is_served(_address(reachable_host(args.host), number, token)):
                return None, number
            if number == last:
                raise
        else:
            return listener, listener.getsockname()[1]
    raise AssertionError("there is a last port")


def _is_served(address: str) -> bool:
    """Tell whether a server of this kind answers at an address of this machine, to which no proxy leads."""
    try:
        with build_opener(ProxyHandler({})).open(urljoin(address, HEALTH), timeout=ANSWER_SECONDS) as answer:
            name, value = SERVED_BY
            return bool(answer.headers[name] == value)
    except (OSError, ValueError, HTTPException):  # the last, if it speaks another protocol
        return False


def _address(host: str, port: int, token: str) -> str:
    """Return the address to open in a browser."""
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/" + (f"?token={quote(token, safe='')}" if token else "")
