"""The development server: the built site from memory, rebuilt on every edit, for this machine."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import field

from livereload.handlers import LiveReloadHandler
from livereload.watcher import Watcher
from tornado.httpserver import HTTPServer

from sitegen.serve.builder import Builder
from sitegen.serve.drafter import Drafter
from sitegen.serve.drafting import Drafting
from sitegen.serve.handlers import application, tell_browsers
from sitegen.serve.hosts import bracketed
from sitegen.serve.live import LiveSite, Rebuild
from sitegen.serve.watch import Debounce, fingerprint
from sitegen.values import dataclass

__all__ = ["Address", "AddressTaken", "Builder", "Drafter", "fingerprint", "serve"]

LOOK_EVERY_S = 0.25
PATIENCE_S = 10.0
"""Seconds more that a build gets before newer sources end it, each time that they have done so."""
ENDING = (signal.SIGTERM, signal.SIGHUP)
"""Signals that end the server in good order: it takes its build with it."""
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
    drafter: Drafter | None = None,
) -> None:
    """Serve until interrupted.

    Args:
        address: Where to listen.
        rebuild: Builds the site; what it raises is shown in the pages.
        look: Returns a value that changes when a source changes.
        say: Prints a line for the operator.
        stop: Ends a build that is running, when sources are newer or the server ends.
        drafter: Makes pages of newer sources until a build has them; without it, builds do.

    Raises:
        AddressTaken: If the port is in use or the address is not this machine's.
    """
    for name in ("tornado", "livereload", "asyncio"):
        logging.getLogger(name).addHandler(logging.NullHandler())
        logging.getLogger(name).propagate = False
    sockets = listen(address)
    received: list[int] = []
    builds = _Builds(rebuild, look, stop)
    try:
        asyncio.run(_run(address, sockets, builds, say, received, drafter=drafter))
    except asyncio.CancelledError:
        if not received:
            raise
    finally:
        if drafter is not None:
            drafter.stop()
        for each in sockets:
            each.close()
    if received:  # nothing runs any more: end as the signal says
        signal.signal(received[0], signal.SIG_DFL)
        signal.raise_signal(received[0])


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


@dataclass(slots=True)
class _Builds:
    """Builds the site again and again, always of the newest sources."""

    rebuild: Rebuild
    look: Callable[[], Hashable]
    stop: Callable[[], None]
    live: LiveSite = field(default_factory=LiveSite)
    debounce: Debounce = field(default_factory=lambda: Debounce(built=None))
    newer: bool = False
    """Whether sources have changed since the latest build began."""

    async def due(self) -> bool:
        """Look at the sources; whether it is time to build them."""
        self.newer = self.newer or self.debounce.is_due(await asyncio.to_thread(self.look))
        return self.newer

    async def build(self) -> None:
        """Build until a build has ended, starting over when there are newer sources meanwhile.

        A build that is started over has more time before it is ended again, so that sources that
        never rest are built now and then.
        """
        patience_s = 0.0
        while not await self._attempt(patience_s):
            patience_s += PATIENCE_S

    async def _attempt(self, patience_s: float) -> bool:
        """Build; end the build and return ``False`` where newer sources wait for it too long."""
        clock = asyncio.get_running_loop().time
        until = clock() + patience_s
        self.debounce.built, self.newer = await asyncio.to_thread(self.look), False
        building = asyncio.create_task(asyncio.to_thread(self.live.rebuild, self.rebuild))
        try:
            while True:
                await asyncio.wait({building}, timeout=LOOK_EVERY_S)
                if building.done():
                    return True
                if await self.due() and clock() >= until:
                    return False
        finally:
            while not building.done():  # again and again: it may be about to start its process
                self.stop()
                await asyncio.wait({building}, timeout=LOOK_EVERY_S)


async def _run(
    address: Address,
    sockets: list[socket.socket],
    builds: _Builds,
    say: Callable[[str], None],
    received: list[int],
    *,
    drafter: Drafter | None,
) -> None:
    LiveReloadHandler.watcher = Watcher()
    _cancel_when_told(received)
    live = builds.live
    say("building …")
    await builds.build()
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
    if drafter is None:
        await _rebuild_on_edits(builds, say, lambda: True, lambda: True)
        return
    drafting = Drafting(live, drafter, builds.look, lambda: tell_browsers(live))
    shown = asyncio.create_task(drafting.run(since=builds.debounce.built))
    try:
        await _rebuild_on_edits(
            builds, say, lambda: drafting.replaced(builds.debounce.built), drafting.rests
        )
    finally:
        shown.cancel()


async def _rebuild_on_edits(
    builds: _Builds,
    say: Callable[[str], None],
    is_news: Callable[[], bool],
    rests: Callable[[], bool],
) -> None:
    """Build after every edit, for ever; browsers reload where it is news to them.

    A build begins when nobody waits for a draft, or when that has taken ``PATIENCE_S``.
    """
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        if await builds.due():
            clock = asyncio.get_running_loop().time
            until = clock() + PATIENCE_S
            while not rests() and clock() < until:
                await asyncio.sleep(LOOK_EVERY_S)
            await builds.build()
            _tell(builds.live, say)
            if is_news():
                tell_browsers(builds.live)


def _cancel_when_told(received: list[int]) -> None:
    """End the server in good order when a signal asks for it, and remember which."""
    task = asyncio.current_task()

    def end(number: int) -> None:
        received.append(number)
        if task is not None:
            task.cancel()

    for number in ENDING:
        with suppress(NotImplementedError, RuntimeError, ValueError):  # not in the main thread
            asyncio.get_running_loop().add_signal_handler(number, end, number)


def _tell(live: LiveSite, say: Callable[[str], None]) -> None:
    for problem in live.problems:
        say(problem)
    if live.problems:
        say(f"not built: problems ({len(live.problems)}); the last good site stays")
    else:
        say(f"built {len(live.files)} files")
