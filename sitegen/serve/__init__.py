"""The development server: the built site from memory, rebuilt on every edit, for this machine."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Coroutine, Hashable

from livereload.handlers import LiveReloadHandler
from livereload.watcher import Watcher
from tornado.httpserver import HTTPServer

from sitegen.serve.builder import Builder
from sitegen.serve.handlers import application
from sitegen.serve.hosts import bracketed
from sitegen.serve.live import LiveSite, Rebuild
from sitegen.serve.watch import Debounce, fingerprint
from sitegen.values import dataclass

__all__ = ["Address", "AddressTaken", "Builder", "fingerprint", "serve"]

LOOK_EVERY_S = 0.25
MAX_HEADER_BYTES = 16 * 1024
IDLE_S = 30


class AddressTaken(Exception):  # noqa: N818 - the name says what happened
    """The port cannot be bound; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen, and which other names browsers may use for it."""

    host: str = "127.0.0.1"
    port: int = 8000
    allowed_names: tuple[str, ...] = ()

    @property
    def is_public(self) -> bool:
        """Whether other machines can reach it."""
        return self.host not in {"127.0.0.1", "::1", "localhost"}


def serve(
    address: Address,
    *,
    rebuild: Rebuild,
    look: Callable[[], Hashable],
    say: Callable[[str], None],
    stop: Callable[[], None] = lambda: None,
) -> None:
    """Serve until interrupted.

    Args:
        address: Where to listen.
        stop: Ends a build that is running when the server ends.
        rebuild: Builds the site; what it raises is shown in the pages.
        look: Returns a value that changes when a source changes.
        say: Prints a line for the operator.

    Raises:
        AddressTaken: If the port is in use or the address is not this machine's.
    """
    for name in ("tornado", "livereload", "asyncio"):
        logging.getLogger(name).addHandler(logging.NullHandler())
        logging.getLogger(name).propagate = False
    sockets = listen(address)
    try:
        asyncio.run(_until_stopped(_run(address, sockets, rebuild, look, say), stop))
    finally:
        for each in sockets:
            each.close()


def listen(address: Address) -> list[socket.socket]:
    """Bind the address; for the default one also IPv6's name of this machine, where there is one.

    Raises:
        AddressTaken: If that is not possible.
    """
    try:
        first = _bound(address.host, address.port)
    except (OSError, UnicodeError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        where = f"{bracketed(address.host)}:{address.port}"
        message = f"cannot listen on {where}: {reason}; choose another with --port or --host"
        raise AddressTaken(message) from error
    if address.host not in {"127.0.0.1", "localhost"}:
        return [first]
    try:
        return [first, _bound("::1", first.getsockname()[1])]
    except OSError:  # no IPv6 here, or its port is taken: IPv4 is enough
        return [first]


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.create_server((host.strip("[]"), port), family=family, backlog=128)
    bound.setblocking(False)
    return bound


async def _until_stopped(work: Coroutine[None, None, None], stop: Callable[[], None]) -> None:
    """Do ``work``; at its end stop the build, or its thread would be waited for."""
    try:
        await work
    finally:
        stop()


async def _run(
    address: Address,
    sockets: list[socket.socket],
    rebuild: Rebuild,
    look: Callable[[], Hashable],
    say: Callable[[str], None],
) -> None:
    LiveReloadHandler.watcher = Watcher()
    live = LiveSite()
    say("building …")
    debounce = Debounce(built=await asyncio.to_thread(look))
    await asyncio.to_thread(live.rebuild, rebuild)
    _tell(live, say)
    server = HTTPServer(
        application(live, (address.host, *address.allowed_names)),
        max_header_size=MAX_HEADER_BYTES,
        max_body_size=MAX_HEADER_BYTES,
        idle_connection_timeout=IDLE_S,
        body_timeout=IDLE_S,
    )
    server.add_sockets(sockets)
    say(f"http://{bracketed(address.host)}:{sockets[0].getsockname()[1]}/")
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        if debounce.is_due(await asyncio.to_thread(look)):
            await asyncio.to_thread(live.rebuild, rebuild)
            _tell(live, say)
            LiveReloadHandler.reload_waiters()


def _tell(live: LiveSite, say: Callable[[str], None]) -> None:
    for problem in live.problems:
        say(problem)
    if live.problems:
        say(f"not built: problems ({len(live.problems)}); the last good site stays")
    else:
        say(f"built {len(live.files)} files")
