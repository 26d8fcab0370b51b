"""The server: the page, its files, and a WebSocket for each browser, as an ASGI application. Needs the extra `web`."""

import asyncio
import contextlib
import gc
import hashlib
import json
import logging
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from shogi_engine.analysis.words import LANGUAGES
from shogi_engine.engine import Engine
from shogi_engine.games import NAMES, board_entries
from shogi_engine.jit import Progress
from shogi_engine.language import mark, translate
from shogi_engine.web import messages, view
from shogi_engine.web.guard import COOKIE, HEADERS, Guard
from shogi_engine.web.hub import Full, Hub
from shogi_engine.web.pool import HASH_MB, EnginePool
from shogi_engine.web.session import Session
from shogi_engine.web.store import Store
from shogi_engine.web.viewer import Viewer
from shogi_engine.web.words import facts_module, texts_module

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
LATEST = ("state", "engine", "progress", "info")  # kinds of which only the newest message is sent, in this order
QUEUE_MAX = 100  # messages of other kinds queued for a slow browser
HELLO_SECONDS = 20.0
TICK_SECONDS = 0.25
PROGRESS_SECONDS = 0.3
WORKERS = 8  # threads that handle messages
TRY_AGAIN_LATER, POLICY = 1013, 1008  # codes that close a WebSocket
log = logging.getLogger(__name__)


def static_files() -> dict[str, tuple[bytes, str, str]]:
    """Return (content, type, tag) of the page's files by name. No other file is ever served."""
    found = {}
    for file in files("shogi_engine.web").joinpath("static").iterdir():
        suffix = file.name[file.name.rfind(".") :]
        if suffix in TYPES:
            found[file.name] = _served(file.read_bytes(), TYPES[suffix])
    for name, content in (
        ("facts.js", facts_module()),
        ("pieces.js", view.pieces_module()),
        ("texts.js", texts_module()),
    ):
        found[name] = _served(content.encode(), TYPES[".js"])
    return found


def _served(content: bytes, kind: str) -> tuple[bytes, str, str]:
    return content, kind, f'"{hashlib.sha256(content).hexdigest()[:20]}"'


class SendQueue:
    """Messages queued for a browser, from any thread. A slow browser misses old states, but never the last."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._lock = threading.Lock()
        self._latest: dict[str, dict[str, Any]] = {}
        self._others: deque[dict[str, Any]] = deque(maxlen=QUEUE_MAX)
        self._filled = asyncio.Event()

    def put(self, message: dict[str, Any]) -> None:
        """Queue a message."""
        with self._lock:
            if message["kind"] == "state":
                self._latest.pop("progress", None)  # the state includes it, and would otherwise be sent before it
            if message["kind"] in LATEST:
                self._latest[message["kind"]] = message
            else:
                self._others.append(message)
        with contextlib.suppress(RuntimeError):  # the event loop has ended
            self._loop.call_soon_threadsafe(self._filled.set)

    async def take(self) -> list[dict[str, Any]]:
        """Wait for messages and return them."""
        await self._filled.wait()
        self._filled.clear()
        with self._lock:
            taken = [self._latest[kind] for kind in LATEST if kind in self._latest] + list(self._others)
            self._latest.clear()
            self._others.clear()
        return taken


class Conversation:
    """One browser's WebSocket."""

    def __init__(self, socket: WebSocket, hub: Hub, limiter: anyio.CapacityLimiter) -> None:
        self._socket, self._hub, self._limiter = socket, hub, limiter
        self._queue = SendQueue(asyncio.get_running_loop())

    async def run(self) -> None:
        """Exchange messages until the browser leaves."""
        self._hub.listeners.add(self._queue.put)
        sender = asyncio.create_task(self._send())
        session: Session | None = None
        viewer: Viewer | None = None
        try:
            session, viewer = await self._greet()
            if session is not None and viewer is not None:
                while (data := await self._receive()) is not None:
                    await self._obey(session, viewer, data)
        finally:
            self._hub.listeners.discard(self._queue.put)
            sender.cancel()
            if session is not None and viewer is not None:
                with anyio.CancelScope(shield=True):
                    await self._in_thread(session.detach, viewer)

    async def _in_thread(self, work: Callable[..., Any], *arguments: Any) -> Any:
        return await anyio.to_thread.run_sync(work, *arguments, limiter=self._limiter)

    async def _receive(self) -> str | bytes | None:
        """Return the browser's next message, None when it has left."""
        message = await self._socket.receive()
        if message["type"] != "websocket.receive":
            return None
        data: str | bytes = message["text"] if message.get("text") is not None else message.get("bytes") or b""
        return data

    async def _send(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
            while True:
                for message in await self._queue.take():
                    await self._socket.send_text(json.dumps(message, ensure_ascii=False, separators=(",", ":")))

    async def _greet(self) -> tuple[Session, Viewer] | tuple[None, None]:
        """Return the session that the browser's first message names, and this page as a viewer of it.

        (None, None) if there is no such message or the server is full.
        """
        while True:
            data = await asyncio.wait_for(self._receive(), HELLO_SECONDS)
            if data is None:
                return None, None
            try:
                hello = messages.parse(data)
                if hello.pop("do") != "hello":
                    raise messages.MessageError("a connection must begin with hello")
                break
            except messages.MessageError as fault:
                self._complain(str(fault))
        try:
            hello.pop("re", None)
            session = await self._in_thread(self._hub.find, hello.pop("session", ""), hello.pop("owner", ""))
        except Full as fault:
            await self._socket.close(TRY_AGAIN_LATER, str(fault))
            return None, None
        return session, await self._in_thread(lambda: session.attach(self._queue.put, **hello))

    async def _obey(self, session: Session, viewer: Viewer, data: str | bytes) -> None:
        asked: dict[str, Any] = {}
        try:
            message = messages.parse(data)
            if message["do"] == "hello":
                raise messages.MessageError("hello was already sent")
            asked = {"re": message.pop("re")} if "re" in message else {}
            await self._in_thread(session.handle, message, viewer)
            if asked:
                self._queue.put({"kind": "done", **asked})
        except (ValueError, OverflowError) as fault:
            self._complain(translate(str(fault), viewer.language), **asked)
        except Exception:
            log.exception("a message failed")
            self._complain(translate(mark("the server could not process the request"), viewer.language), **asked)

    def _complain(self, text: str, **asked: Any) -> None:
        self._queue.put({"kind": "error", "text": " ".join(text.split())[:500], **asked})


class Guarded:
    """An application that admits the requests a Guard allows and sends its headers with every response."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app, self._guard = app, guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to a request."""
        if scope["type"] == "http":
            await self._http(Request(scope), receive, send)
        elif scope["type"] == "websocket":
            await self._socket(WebSocket(scope, receive, send), receive, send)
        else:
            await self._app(scope, receive, send)

    async def _http(self, request: Request, receive: Receive, send: Send) -> None:
        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *own]
            await send(message)

        answer = self._refusal(request)
        await (answer or self._app)(request.scope, receive, with_headers)

    def _refusal(self, request: Request) -> Response | None:
        """Return the response to a request that the guard refuses, None for others."""
        if not self._guard.knows_host(request.headers):
            return PlainTextResponse("This server does not have that name.\n", 421)
        if not self._guard.token or self._guard.is_token(request.cookies.get(COOKIE, "")):
            return None
        given = parse_qs(request.url.query).get("token", [""])[0]
        if not self._guard.is_token(given):
            return PlainTextResponse("Open the address that the server printed, with its token.\n", 401)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(COOKIE, given, httponly=True, samesite="strict", path="/")
        return answer

    async def _socket(self, socket: WebSocket, receive: Receive, send: Send) -> None:
        guard = self._guard
        known = guard.knows_host(socket.headers) and guard.is_own_page(socket.headers)
        if known and guard.is_token(socket.cookies.get(COOKIE, "")):
            await self._app(socket.scope, receive, send)
        else:
            await socket.close(POLICY)


def warm_engines(tell: Callable[[dict[str, Any]], None]) -> Callable[[Callable[[str], Engine]], Iterator[str]]:
    """Return a function that prepares the engines, one game after another, and reports progress to all browsers."""

    def warm(make: Callable[[str], Engine]) -> Iterator[str]:
        load_rules()
        for game in NAMES:
            last = 0.0

            def report(progress: Progress, game: str = game) -> None:
                nonlocal last
                if (now := time.monotonic()) - last >= PROGRESS_SECONDS:
                    last = now
                    tell({"kind": "engine", "game": game, "ready": False, "share": round(progress.share, 3)})

            engine = make(game)
            engine.warmup(report)
            yield game
            tell({"kind": "engine", "game": game, "ready": True, "share": 1.0})
        make("shogi").warmup_mate()
        gc.collect()
        gc.freeze()  # the compiler's many objects stay forever and would make garbage collections slow

    return warm


def load_rules() -> None:
    """Compile the kernels of boards, or load them from the cache, so that the first visitor does not wait."""
    session = Session(EnginePool(0, Engine))
    viewer = session.attach(lambda message: None)
    for game in NAMES:
        board_entries(game).warmup()
        session.handle({"do": "game", "game": game})
        for language in LANGUAGES:
            session.handle({"do": "look", "language": language}, viewer)
            session.handle({"do": "move", "move": str(next(iter(session.board.legal_moves)))})


def hub_of_engines(threads: int, store: Store | None = None) -> Hub:
    """Return a hub whose sessions share `threads` engines of each game.

    Args:
        store: where games are saved
    """
    hub: Hub | None = None

    def tell(message: dict[str, Any]) -> None:
        if hub is not None:
            hub.tell_all(message)

    pool = EnginePool(threads, lambda game: Engine(game, hash_mb=HASH_MB), warm_engines(tell))
    hub = Hub(pool, store=store)
    return hub


def application(hub: Hub, guard: Guard | None = None) -> ASGIApp:
    """Return the application that serves the sessions of `hub`.

    Args:
        guard: the access rules; by default those for loopback
    """
    served = static_files()

    async def page(request: Request) -> Response:
        return _file(request, "index.html")

    async def static(request: Request) -> Response:
        return _file(request, request.path_params["name"])

    def _file(request: Request, name: str) -> Response:
        if name not in served:
            return PlainTextResponse("There is no such file.\n", 404)
        content, kind, tag = served[name]
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers={"ETag": tag})
        return Response(content, media_type=kind, headers={"ETag": tag})

    async def socket(websocket: WebSocket) -> None:
        await websocket.accept()
        with contextlib.suppress(TimeoutError, WebSocketDisconnect):
            await Conversation(websocket, hub, limiter).run()
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # it is already closed
            await websocket.close()

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        repeating = [asyncio.create_task(_repeat(work)) for work in (hub.tick, hub.save)]
        yield
        for task in repeating:
            task.cancel()
        hub.close()

    limiter = anyio.CapacityLimiter(WORKERS)
    routes = [Route("/", page), Route("/static/{name}", static), WebSocketRoute("/ws", socket)]
    return Guarded(Starlette(routes=routes, lifespan=lifespan), guard or Guard())


async def _repeat(work: Callable[[], None]) -> None:
    """Call a function regularly, in a thread."""
    while True:
        await asyncio.sleep(TICK_SECONDS)
        try:
            await anyio.to_thread.run_sync(work)
        except Exception:
            log.exception("looking after sessions failed")
