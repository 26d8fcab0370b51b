"""The server: the page, its files, and a WebSocket for each browser, as an ASGI application. Needs the extra `web`."""

import asyncio
import contextlib
import functools
import hashlib
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs, quote, unquote

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from shogi_engine.analysis.judgement import WORDS as ANALYSIS_WORDS
from shogi_engine.common.threads import start_thread
from shogi_engine.engine import Engine
from shogi_engine.games import NAMES, warm_board
from shogi_engine.games.shogi.board.drawing import SETS
from shogi_engine.games.shogi.records.kakinoki import HANDICAP_SIDES, WESTERN
from shogi_engine.games.shogi.types import PIECE_NAMES, SYMBOLS
from shogi_engine.language import LANGUAGES, translate
from shogi_engine.play.words import FIRST_LEVEL, STRONGEST, grades
from shogi_engine.types.limits import SIDES
from shogi_engine.web import game_messages, view
from shogi_engine.web.access import COOKIE, HEALTH, LINK_COOKIE, SERVED_BY, Guard, RateLimits, address_of
from shogi_engine.web.analyses import MULTIPV_MAX, NAMES_OF_VERDICTS
from shogi_engine.web.conversation import LINK, POLICY, TRY_AGAIN_LATER, Conversation
from shogi_engine.web.file_messages import FileReader
from shogi_engine.web.hub import Hub
from shogi_engine.web.links import Links
from shogi_engine.web.messages import HEADER_MAX
from shogi_engine.web.pool import HASH_MB, EnginePool
from shogi_engine.web.replies import Ready, Reply
from shogi_engine.web.saving import Collections
from shogi_engine.web.session import Session
from shogi_engine.web.store import GameStore
from shogi_engine.web.view import FILE_MAX

# ---- The texts of the browser's page: words.json has them by the names in its scripts, the catalogue the translations


CONTEXT = "page"  # in the catalogue
# Those offered for a new game.
HANDICAPS = ("lance", "bishop", "rook", "rook-lance", "2-piece", "4-piece", "6-piece", "8-piece", "10-piece")
CLOCKS = ("", "5m+10", "10m+30", "15m+60", "0+30", "5m+0+5")  # offered for a new game, '' for none
TEXTS: dict[str, str] = json.loads(files("shogi_engine.web").joinpath("words.json").read_text(encoding="utf-8"))
WORDS = TEXTS | {f"called_{verdict}": ANALYSIS_WORDS[verdict] for verdict in NAMES_OF_VERDICTS}


# Words of players by sections: in English, in Japanese, what they mean; docs/glossary.md is written from it too. Rows
# that end in "plain" are words which no one asks about on the page.
GLOSSARY: dict[str, list[list[str]]] = json.loads(
    files("shogi_engine.web").joinpath("glossary.json").read_text(encoding="utf-8")
)


def glossary_module() -> str:
    """Return a JavaScript module with the glossary by language: words, their meaning, and 'plain' as in GLOSSARY."""
    rows = [row for section in GLOSSARY.values() for row in section]
    shown = {"en": 0, "ja": 1}
    made = {
        each: [[row[column], translate(row[2], each, CONTEXT), *row[3:]] for row in rows]
        for each, column in shown.items()
    }
    return _module({"GLOSSARY": made})


def words(language: str) -> dict[str, str]:
    """Return the page's texts in a language, by name."""
    return {name: translate(text, language, CONTEXT) for name, text in WORDS.items()}


def _names(language: str) -> dict[str, str]:
    """Return the names of the pieces by their letters, 'P' and '+P'."""
    return {symbol: name for symbol, name in zip(SYMBOLS, PIECE_NAMES[language], strict=True) if symbol}


def _sides(language: str) -> dict[str, list[str]]:
    """Return the names of the sides in each game, and in a game with a handicap."""
    sides = {game: [translate(side, language, game).capitalize() for side in SIDES] for game in NAMES}
    return sides | {"handicap": list(HANDICAP_SIDES) if language == "ja" else sides["shogi"]}


def _handicaps(language: str) -> dict[str, str]:
    """Return the handicaps that are offered: their names in messages, and in a language."""
    return {name: WESTERN[name] if language == "ja" else name.replace("-", " ") for name in HANDICAPS}


def texts_module() -> str:
    """Return a JavaScript module with the texts, pieces and handicaps, by language and name."""
    tables: dict[str, Any] = {
        "WORDS": words,
        "GRADES": grades,
        "PIECE_NAMES": _names,
        "SIDES": _sides,
        "HANDICAPS": _handicaps,
    }
    made: dict[str, Any] = {name: {each: table(each) for each in LANGUAGES} for name, table in tables.items()}
    return _module(made)


def facts_module() -> str:
    """Return a JavaScript module with what the page must know of the server: limits and choices."""
    return _module(
        {
            "STRONGEST": STRONGEST,
            "FIRST_LEVEL": FIRST_LEVEL,
            "FILE_MAX": FILE_MAX,
            "HEADER_MAX": HEADER_MAX,
            "CLOCKS": CLOCKS,
            "LINES": MULTIPV_MAX,
            "SETS": SETS,
        }
    )


def _module(made: Mapping[str, Any]) -> str:
    """Return a JavaScript module that exports constants."""
    made = {name: json.dumps(table, ensure_ascii=False, separators=(",", ":")) for name, table in made.items()}
    lines = [f"export const {name} = {table};" for name, table in made.items()]
    return "\n".join(["// Made by the server: see words.py.", *lines, ""])


TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
TICK_SECONDS = 0.1
HEALTH_SECONDS = 3.0  # for the disk
JOIN, STATIC = "/join/", "/static/"
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
        ("meanings.js", glossary_module()),
    ):
        found[name] = _served(content.encode(), TYPES[".js"])
    return found


def _served(content: bytes, kind: str) -> tuple[bytes, str, str]:
    return content, kind, f'"{hashlib.sha256(content).hexdigest()[:20]}"'


class Guarded:
    """An application that admits the requests a Guard allows and sends its headers with every response.

    Without the server's token, a link admits its holder to the page, the page's files and a connection.
    """

    def __init__(self, app: ASGIApp, guard: Guard, limits: RateLimits, links: Links) -> None:
        self._app, self._guard, self._limits, self._links = app, guard, limits, links

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to a request."""
        if scope["type"] == "http":
            await self._http(Request(scope), receive, send)
        elif scope["type"] == "websocket":
            await self._socket(WebSocket(scope, receive, send), receive, send)
        else:
            await self._app(scope, receive, send)

    async def _http(self, request: Request, receive: Receive, send: Send) -> None:
        headers = self._guard.answer_headers(request.headers, secure=request.url.scheme == "https")

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
                message["headers"] = [*message.get("headers", []), *own]
            await send(message)

        answer = self._refusal(request)
        await (answer or self._app)(request.scope, receive, with_headers)

    def _refusal(self, request: Request) -> Response | None:
        """Return the response to a request that the guard refuses, None for others."""
        if request.url.path == HEALTH:  # asked by whatever watches the server, under any name
            return None
        if not self._guard.knows_host(request.headers):
            return PlainTextResponse("This server does not have that name.\n", 421)
        path = request.url.path
        if path.startswith(JOIN):  # tells everyone alike whether there is such a link
            return None
        if path.startswith(STATIC) and self._links.get(request.cookies.get(LINK_COOKIE, "")):
            return None
        if not self._guard.token or self._guard.is_token(unquote(request.cookies.get(COOKIE, ""))):
            return None
        given = parse_qs(request.url.query).get("token", [""])[0]
        if not self._guard.is_token(given):
            return PlainTextResponse("Open the address that the server printed, with its token.\n", 401)
        answer = RedirectResponse("/", 303)
        _set_cookie(request, answer, COOKIE, quote(given, safe=""), "/")
        return answer

    async def _socket(self, socket: WebSocket, receive: Receive, send: Send) -> None:
        guard = self._guard
        known = guard.knows_host(socket.headers) and guard.is_own_page(socket.headers)
        link = socket.query_params.get(LINK)
        if not known or link is None and not guard.is_token(unquote(socket.cookies.get(COOKIE, ""))):
            await socket.close(POLICY)
            return
        if link is not None and not self._links.get(link):
            await socket.accept()  # so that the page learns the reason
            await socket.close(POLICY)
            return
        address = address_of(socket.scope)
        if not self._limits.enter(address):
            await socket.close(TRY_AGAIN_LATER)
            return
        try:
            await self._app(socket.scope, receive, send)
        finally:
            self._limits.leave(address)


def _set_cookie(request: Request, answer: Response, name: str, value: str, path: str) -> None:
    """Set a cookie that no script reads, and that crosses no network in the clear if the page did not.

    It is `Lax`, not `Strict`, which a browser would not send after a click on a link in a mail or a chat. Other pages
    cannot use it: nothing is changed by a GET, and a WebSocket is refused to them (`Guard.is_own_page`).
    """
    secure = request.url.scheme == "https"
    answer.set_cookie(name, value, httponly=True, samesite="lax", secure=secure, path=path)


def warm_engines(tell: Callable[[Reply], None]) -> Callable[[Callable[[str], Engine]], Iterator[str]]:
    """Return a function that prepares the engines, one game after another, and tells all browsers of each."""

    def warm(make: Callable[[str], Engine]) -> Iterator[str]:
        load_rules()
        for game in NAMES:
            make(game).warmup()
            yield game
            tell(Ready(game=game))
        make("shogi").warmup_mate()

    return warm


def load_rules() -> None:
    """Compile the kernels of boards, or load them from the cache, so that the first visitor does not wait."""
    session = Session(EnginePool(0, Engine))
    viewer = session.attach(lambda reply: None)
    for game in NAMES:
        warm_board(game)
        game_messages.Board(game=game).obey(session, viewer)
        for language in LANGUAGES:
            game_messages.Look(language=language).obey(session, viewer)
            game_messages.Move(move=str(next(iter(session.board.legal_moves)))).obey(session, viewer)


def hub_of_engines(threads: int, store: GameStore | None = None, collections: Collections | None = None) -> Hub:
    """Return a hub whose sessions share `threads` engines of each game.

    Args:
        store: where games are saved
        collections: the games that can be explored
    """
    collections = collections or Collections()
    hub: Hub | None = None

    def tell(reply: Reply) -> None:
        if hub is not None:
            hub.tell_all(reply)

    pool, reader = EnginePool(threads, lambda game: Engine(game, hash_mb=HASH_MB), warm_engines(tell)), FileReader()
    start_thread(reader.start, "reader")

    make = functools.partial(Session, read=reader.read, collections=collections)
    hub = Hub(pool, make=make, store=store, closing=reader.close)
    return hub


def application(hub: Hub, guard: Guard | None = None, limits: RateLimits | None = None) -> ASGIApp:
    """Return the application that serves the sessions of `hub`.

    Args:
        guard: the access rules; by default those for loopback
        limits: those of its connections
    """
    served, limited, allowed = static_files(), limits or RateLimits(), guard or Guard()

    async def page(request: Request) -> Response:
        return _file(request, "index.html")

    async def join(request: Request) -> Response:
        token = request.path_params["token"]
        if not hub.store.links.get(token):
            return PlainTextResponse("This link is not valid. It may have been revoked.\n", 404)
        answer = _file(request, "index.html")
        _set_cookie(request, answer, LINK_COOKIE, token, STATIC)
        return answer

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
        secure = websocket.url.scheme == "wss"
        await Conversation(websocket, hub, limited, allowed.address(websocket.headers, secure=secure)).run()
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # it is already closed
            await websocket.close()

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        repeating = [asyncio.create_task(_repeat(work)) for work in (hub.tick, hub.save)]
        yield
        for task in repeating:
            task.cancel()
        hub.close()

    checks: list[asyncio.Future[str]] = []  # the one that is being made

    async def health(_: Request) -> Response:
        if not checks or checks[0].done():
            checks[:] = [asyncio.ensure_future(anyio.to_thread.run_sync(hub.fault))]
        done, _waiting = await asyncio.wait(checks, timeout=HEALTH_SECONDS)
        fault = checks[0].result() if done else "the disk does not answer"
        return PlainTextResponse(f"{fault or 'ok'}\n", 503 if fault else 200, dict([SERVED_BY]))

    routes = [
        Route("/", page), Route(JOIN + "{token}", join), Route(STATIC + "{name}", static), Route(HEALTH, health),
        WebSocketRoute("/ws", socket),
    ]  # fmt: skip
    return Guarded(Starlette(routes=routes, lifespan=lifespan), allowed, limited, hub.store.links)


async def _repeat(work: Callable[[], None]) -> None:
    """Call a function regularly, in a thread."""
    while True:
        await asyncio.sleep(TICK_SECONDS)
        try:
            await anyio.to_thread.run_sync(work)
        except Exception:
            log.exception("looking after sessions failed")
