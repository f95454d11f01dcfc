"""Whether addresses outside the site still answer: asked politely, and only when somebody asks.

A build never does this. Each host is asked one thing at a time with a pause between; a server that
is busy is asked again later; what answered is not asked again for a week.
"""

from __future__ import annotations

import json
import re
import time
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field, replace
from email.message import Message
from pathlib import Path
from urllib.parse import urldefrag, urlsplit

from sitegen.catalog.text.source_text import SourceText, quoted
from sitegen.cli.calendar_day import is_day
from sitegen.problems import Problem, Severity
from sitegen.values import dataclass

_ADDRESS = re.compile(r"https?://[^\s'\"<>\[\](){}`|\\^]+")
TRIES = 3
TIMEOUT_S = 20
PAUSE_S = 1.0
"""Between two questions to one host."""
LONGEST_PAUSE_S = 60.0
REMEMBERED_S = 7 * 86_400
MOST_HOSTS = 8
BUSY = frozenset({429, 500, 502, 503, 504})
NOT_FOR_PROGRAMS = frozenset({401, 403, 405, 999})
"""Statuses with which hosts refuse programs: the page may be there for people."""
AGENT = "sitegen-link-check/1 (one request a second; see the site's repository)"
Sleep = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Allowed:
    """Addresses that need not answer: how they begin, why, and until which ISO date."""

    prefix: str
    reason: str
    until: str


@dataclass(frozen=True, slots=True)
class Asking:
    """How to ask: what need not answer, what is remembered, and how to wait."""

    today: str
    allowed: tuple[Allowed, ...] = ()
    remembered: dict[str, float] = field(default_factory=dict)
    pause_s: float = PAUSE_S
    sleep: Sleep = time.sleep


def addresses_in(texts: Mapping[str, str]) -> Iterator[tuple[str, SourceText, int]]:
    """Yield each address of a project once, with the file and index where it first stands."""
    seen: set[str] = set()
    for path, text in sorted(texts.items()):
        for match in _ADDRESS.finditer(text):
            address = urldefrag(match[0].rstrip(".,;:!?*_")).url
            host = urlsplit(address).hostname or ""
            if (
                address not in seen
                and "." in host
                and not host.endswith(("example.org", ".example"))
            ):
                seen.add(address)
                yield address, SourceText(path, text), match.start()


def problems_online(texts: Mapping[str, str], asking: Asking) -> tuple[Problem, ...]:
    """Ask every address, hosts side by side; return a warning for each that does not answer.

    Args:
        texts: Files by path.
        asking: How; ``remembered`` takes what answers.
    """
    by_host: dict[str, list[tuple[str, SourceText, int]]] = defaultdict(list)
    excused = tuple(one.prefix for one in asking.allowed if one.until >= asking.today)
    for address, source, index in addresses_in(texts):
        known = time.time() - asking.remembered.get(address, 0) < REMEMBERED_S
        if not known and not address.startswith(excused or ("\0",)):
            by_host[urlsplit(address).netloc].append((address, source, index))
    with ThreadPoolExecutor(MOST_HOSTS) as hosts:
        found = hosts.map(lambda one: list(_asked(one, asking)), by_host.values())
        return tuple(sorted(problem for problems in found for problem in problems))


def _asked(addresses: Iterable[tuple[str, SourceText, int]], asking: Asking) -> Iterator[Problem]:
    for address, source, index in addresses:
        fault = _fault(address, asking)
        if fault:
            message = f"{quoted(address)} does not respond: {fault}"
            hint = "find where it has moved, or allow it in sitegen.toml with a reason and a date"
            found = source.problem_at("dead-address", message, index=index, hint=hint)
            yield replace(found, severity=Severity.WARNING)
        else:
            asking.remembered[address] = time.time()
        asking.sleep(asking.pause_s)


def _fault(address: str, asking: Asking) -> str:
    """Return why an address is dead, or nothing where it answers."""
    fault = ""
    for attempt in range(TRIES):
        headers: Message | None = None
        try:
            return _answered(address)
        except urllib.error.HTTPError as error:
            if error.code in NOT_FOR_PROGRAMS:
                return ""
            fault, headers = f"status {error.code}", error.headers
            if error.code not in BUSY:
                return fault
        except (OSError, ValueError) as error:
            fault = str(getattr(error, "reason", error)) or type(error).__name__
        if attempt + 1 < TRIES:
            asking.sleep(_pause(headers, attempt, asking.pause_s))
    return fault


def _answered(address: str) -> str:
    """Ask for a page and leave it at its first byte."""
    request = urllib.request.Request(address, headers={"User-Agent": AGENT})  # noqa: S310 - http alone
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310 - the same
        answer.read(1)
    return ""


def _pause(headers: Message | None, attempt: int, least_s: float) -> float:
    """Return how long a server wants to be left alone, or twice as long each time."""
    asked = str(headers.get("Retry-After", "")) if headers else ""
    seconds = float(asked) if asked.isdecimal() else least_s * 2 ** (attempt + 1)
    return min(max(seconds, least_s), LONGEST_PAUSE_S)


def allowed_from(rows: Iterable[str]) -> tuple[Allowed, ...]:
    """Read ``--allow`` rows: an address or its beginning, a day, a reason, with blanks between.

    Raises:
        ValueError: If a row is not that.
    """
    found: list[Allowed] = []
    for row in rows:
        prefix, _, rest = row.partition(" ")
        until, _, reason = rest.strip().partition(" ")
        if not prefix.startswith("http") or not is_day(until) or not reason.strip():
            raise ValueError(f"{row!r} is not an address, a day and a reason")
        found.append(Allowed(prefix, reason.strip(), until))
    return tuple(found)


def remembered_in(file: Path) -> dict[str, float]:
    """Read which addresses answered when; nothing where the file is torn or missing."""
    try:
        rows = json.loads(file.read_bytes())
        return {str(address): float(at) for address, at in rows.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
