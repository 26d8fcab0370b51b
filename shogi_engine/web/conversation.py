"""One browser's WebSocket: its messages are handled one after another, in threads, and replies are queued for it."""

import asyncio
import contextlib
import logging
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Union

import anyio
import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from shogi_engine.common.text import sanitize
from shogi_engine.language import Message, mark, translate
from shogi_engine.web import file_messages, game_messages, messages, replies, study_messages
from shogi_engine.web.access import HELLO_SECONDS, REFUSED_MAX, Bucket, RateLimits, Slow, address_of
from shogi_engine.web.game_messages import Hello
from shogi_engine.web.hub import Full, Hub
from shogi_engine.web.links import LinkError, Page
from shogi_engine.web.messages import MESSAGE_MAX, MessageError
from shogi_engine.web.saving import reason_of
from shogi_engine.web.session import Session

LATEST = (replies.Progress, replies.Info)  # only the newest is sent, in this order
QUEUE_MAX = 100  # replies of other kinds queued for a slow browser
UNREAD_MAX = 2  # and while there are as many, it is not heard: some of them are files of megabytes
DELTAS_MAX = 20  # beyond, they are dropped: the page misses them and asks for the whole state
POLICY, TRY_AGAIN_LATER = 1008, 1013  # close a WebSocket
REASON_MAX = 123  # bytes of the reason for which a WebSocket is closed
LINK = "link"  # in the address of a WebSocket: the token of the link by which the page came
KINDS: dict[str, type[messages.Message]] = {
    str(kind.__struct_config__.tag): kind
    for module in (game_messages, study_messages, file_messages)
    for name, kind in vars(module).items()
    if isinstance(kind, type) and kind.__module__ == module.__name__ and not name.startswith("_")
    if issubclass(kind, messages.Message)
}
_decoder: msgspec.json.Decoder[messages.Message] = msgspec.json.Decoder(Union[tuple(KINDS.values())])  # noqa: UP007
log = logging.getLogger(__name__)


def parse(data: str | bytes) -> messages.Message:
    """Return a checked message. Raises MessageError, which says what is wrong; it is for programmers of pages."""
    if len(data) > MESSAGE_MAX:
        raise MessageError("the message is too long")
    try:
        return _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as fault:
        raise MessageError(f"not a message of the page: {sanitize(str(fault), 200)}") from None


class SendQueue:
    """Replies queued for a browser, from any thread. A slow browser misses old ones, but never the last state."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._lock = threading.Lock()
        self._states: list[replies.Reply] = []  # a whole state and the deltas after it
        self._latest: dict[type[replies.Reply], replies.Reply] = {}
        self._others: deque[replies.Reply] = deque(maxlen=QUEUE_MAX)
        self._filled, self._sent = asyncio.Event(), asyncio.Event()

    def put(self, reply: replies.Reply) -> None:
        """Queue a reply."""
        with self._lock:
            if isinstance(reply, replies.State | replies.Delta):
                self._latest.pop(replies.Progress, None)  # the state includes it, and would otherwise be sent before it
                if isinstance(reply, replies.State) or len(self._states) >= DELTAS_MAX:
                    self._states.clear()
                self._states.append(reply)
            elif isinstance(reply, LATEST):
                self._latest[type(reply)] = reply
            else:
                self._others.append(reply)
        with contextlib.suppress(RuntimeError):  # the event loop has ended
            self._loop.call_soon_threadsafe(self._filled.set)

    async def take(self) -> list[replies.Reply]:
        """Wait for replies and return the next ones: all states, and one that answers or tells something."""
        await self._filled.wait()
        with self._lock:
            latest = [self._latest[kind] for kind in LATEST if kind in self._latest]
            taken = [*self._states, *latest, *([self._others.popleft()] if self._others else [])]
            self._states.clear()
            self._latest.clear()
            if not self._others:
                self._filled.clear()
        self._sent.set()
        return taken

    async def until_read(self) -> None:
        """Wait until few replies are queued."""
        while len(self._others) >= UNREAD_MAX:
            self._sent.clear()
            await self._sent.wait()


class Conversation:
    """One browser's WebSocket.

    Args:
        address: of the server, for links
    """

    def __init__(self, socket: WebSocket, hub: Hub, limits: RateLimits, address: str) -> None:
        self._socket, self._hub, self._limits, self._address = socket, hub, limits, address
        self._token = socket.query_params.get(LINK, "")
        self._bucket = Bucket()
        self._refused = 0  # messages that were none
        self._queue = SendQueue(asyncio.get_running_loop())
        self._page: tuple[Session, Page] | None = None

    async def run(self) -> None:
        """Exchange messages until the browser leaves, or one cannot be sent."""
        self._hub.listeners.add(self._queue.put)
        try:
            async with anyio.create_task_group() as group:
                for work in (self._send, self._listen):
                    group.start_soon(self._until_end, work, group.cancel_scope)
        finally:
            self._hub.listeners.discard(self._queue.put)
            if self._page is not None:
                with anyio.CancelScope(shield=True):
                    session, viewer = self._page
                    await self._limits.do_quickly(session.identity, session.detach, viewer)

    async def _until_end(self, work: Callable[[], Awaitable[None]], scope: anyio.CancelScope) -> None:
        """Do one half of the conversation, and end the other with it."""
        try:
            await work()
        except (TimeoutError, WebSocketDisconnect, OSError):
            pass
        except Exception:
            log.exception("a connection failed")
        scope.cancel()

    async def _listen(self) -> None:
        """Obey the browser's messages until it leaves."""
        with anyio.fail_after(HELLO_SECONDS):
            hello = await self._hello()
        if hello is None:
            return

        def attach() -> tuple[Session, Page]:
            who = {"address": self._address, "name": hello.name}
            return self._hub.attach(hello.session, hello.owner, self._queue.put, self._token, **who, **hello.given())

        is_quick = not self._token and self._hub.is_quick(hello.session)
        try:
            self._page = session, viewer = await (
                self._limits.do_quickly(hello.session or str(id(self)), attach)
                if is_quick
                else self._slowly(Slow.DISK, attach)
            )
        except LinkError as fault:
            await self._socket.close(POLICY, translate(str(fault), hello.language or ""))
            return
        except (Full, OSError) as fault:
            log.log(logging.INFO if isinstance(fault, Full) else logging.WARNING, "a page cannot come in: %s", fault)
            reason = translate(reason_of(fault), hello.language or "").encode()[:REASON_MAX].decode(errors="ignore")
            await self._socket.close(TRY_AGAIN_LATER, reason)
            return
        while self._refused < REFUSED_MAX and (data := await self._receive()) is not None:
            await self._obey(session, viewer, data)

    async def _slowly(self, kind: Slow, work: Callable[..., Any], *arguments: Any) -> Any:
        return await self._limits.do_slowly(kind, address_of(self._socket.scope), work, *arguments)

    async def _receive(self) -> str | bytes | None:
        """Return the browser's next message, None when it has left. Who sends too many is made to wait."""
        buckets = [self._bucket]
        if self._page:
            session, viewer = self._page
            buckets.append(session.guest_bucket if viewer.token else session.bucket)
        if (pause := max(bucket.take() for bucket in buckets)) > 0:
            await anyio.sleep(pause)
        await self._queue.until_read()
        message = await self._socket.receive()
        if message["type"] != "websocket.receive":
            return None
        data: str | bytes = message["text"] if message.get("text") is not None else message.get("bytes") or b""
        return data

    async def _send(self) -> None:
        """Send what is queued. A reply that cannot be sent ends the connection: the page then comes back."""
        while True:
            for reply in await self._queue.take():
                text = msgspec.json.encode(reply).decode()
                try:
                    await self._socket.send_text(text)
                except RuntimeError:  # the connection is closed, says uvicorn
                    return
                if isinstance(reply, replies.Dismissed):
                    return

    async def _hello(self) -> Hello | None:
        """Return the first message, None if the browser leaves before it."""
        while (data := await self._receive()) is not None:
            try:
                message = parse(data)
                if isinstance(message, Hello):
                    return message
                raise MessageError(Message("a connection must begin with hello"))
            except MessageError as fault:
                self._refused += 1
                self._complain(str(fault))
        return None

    async def _obey(self, session: Session, viewer: Page, data: str | bytes) -> None:
        asked: int | None = None
        try:
            message = parse(data)
            asked = message.re
            if isinstance(message, Hello):
                raise MessageError(Message("hello was already sent"))
            if message.slow:
                await self._slowly(message.slow, message.obey, session, viewer)
            else:
                await self._limits.do_quickly(session.identity, message.obey, session, viewer)
            if asked is not None:
                session.autosave.when_written(partial(self._queue.put, replies.Done(re=asked)))
        except (ValueError, OverflowError) as fault:
            self._refused += isinstance(fault, MessageError)
            self._complain(translate(str(fault), viewer.language, session.tree.game), asked)
        except OSError as fault:  # the disk is full, say, or the database locked
            log.warning("a message failed: %s", fault)
            self._complain(translate(reason_of(fault), viewer.language), asked)
        except Exception:
            log.exception("a message failed")
            self._complain(translate(mark("the server could not process the request"), viewer.language), asked)

    def _complain(self, text: str, asked: int | None = None) -> None:
        self._queue.put(replies.Error(text=" ".join(text.split())[:500], re=asked))
