"""Drafts after every edit: problems at once, and each page when a browser asks for it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from dataclasses import field

from sitegen.problems import ProblemsFound
from sitegen.serve.drafter import Drafter, DraftFailed, NoDrafts
from sitegen.serve.live import Draft, LiveSite, messages_of
from sitegen.values import dataclass

LOOK_EVERY_S = 0.05
LOOK_SELDOM_S = 0.25
REST_S = 0.5
"""Seconds after a draft in which a browser may ask for more of it."""
SELDOM_AFTER = 2_400
"""Looks without an edit, after which nobody seems to be writing."""


@dataclass(slots=True)
class Drafting:
    """Looks at the sources, and puts a draft before the last build when they are newer."""

    live: LiveSite
    drafter: Drafter
    look: Callable[[], Hashable]
    reload: Callable[[], None]
    _seen: Hashable = field(default=None, init=False)
    _asked: float = field(default=0.0, init=False)
    _ahead: asyncio.Task[None] | None = field(default=None, init=False)

    async def run(self, since: Hashable) -> None:
        """Draft for ever; the first look compares with the sources of the build that stands."""
        self._seen = since
        await self._begin()
        idle = 0
        while True:
            await asyncio.sleep(LOOK_EVERY_S if idle < SELDOM_AFTER else LOOK_SELDOM_S)
            now = await asyncio.to_thread(self.look)
            idle = idle + 1 if now == self._seen else 0
            if now != self._seen:
                self._seen = now
                await self._renew()

    async def _begin(self) -> None:
        """Have a process read the project; with problems it has nothing to draft from yet."""
        await asyncio.to_thread(self.drafter.start)
        try:
            await asyncio.to_thread(self.drafter.renew)
        except (ProblemsFound, DraftFailed):
            return  # the build has said so

    def rests(self) -> bool:
        """Return whether nobody waits for a draft: a build would take the processor from it."""
        return time.monotonic() - self._asked > REST_S

    def _files(self, path: str) -> Mapping[str, bytes]:
        self._asked = time.monotonic()
        try:
            return self.drafter.files(path)
        finally:
            self._asked = time.monotonic()

    async def _renew(self) -> None:
        """Read the newest sources, and let browsers ask for their pages again."""
        problems: tuple[str, ...] = ()
        self._asked = time.monotonic()
        try:
            await asyncio.to_thread(self.drafter.renew)
        except NoDrafts:  # the program was edited, or the process was killed
            self.live.draft = None
            await self._begin()
            return
        except (ProblemsFound, DraftFailed) as error:
            problems = messages_of(error)
        self.live.draft = Draft(self._files, problems)
        self.reload()
        self._ahead = asyncio.create_task(asyncio.to_thread(self._make_ahead, self.live.looked_at))

    def _make_ahead(self, page: str) -> None:
        """Have the page that is looked at made while browsers load it again."""
        if page:
            with suppress(ProblemsFound, DraftFailed):  # who asks for it will hear the same
                self._files(page)

    def replaced(self, built: Hashable) -> bool:
        """Take a build that has ended; return whether browsers show something else than it has.

        A build of older sources than the draft's changes nothing that is looked at.
        """
        draft = self.live.draft
        if draft is None:
            return True
        if built != self._seen:
            return False
        if self.live.problems:
            draft.problems = self.live.problems
            return True
        self.live.draft = None
        return bool(draft.problems) or draft.differs_from(self.live.files)
