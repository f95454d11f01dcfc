"""The development server towards other sites, other paths and people who are slow on purpose."""

from __future__ import annotations

import base64
import os
import re
import select
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from benchmarks.faults.project import NotBegun, Outcome, Place, ended

HOSTS = (
    "evil.example", "localhost.evil", "127.0.0.1.nip.io", "10.0.0.1", "192.168.1.1", "",
    "localhost:x", "local host", "[::2]", "127.0.0.2", "localhost@evil", "2130706433",
    "[::ffff:127.0.0.1]", "0x7f.1", "localhost.", "169.254.169.254", "xn--lcalhost-54a",
)  # fmt: skip
ORIGINS = (
    "https://evil.example", "null", "http://localhost.evil", "http://127.0.0.1.nip.io",
    "file://", "http://evil@localhost", "chrome-extension://abc", "https://localhost:1.evil",
)  # fmt: skip
PATHS = (
    "/../secret", "/%2e%2e/secret", "/..%2fsecret", "/%2e%2e%2fsecret", "/%252e%252e%252fsecret",
    "/..%5csecret", "/....//secret", "//secret", "/./../secret", "/combos/../../secret",
    "/%c0%ae%c0%ae/secret", "/..%00/secret", "/%00", "/secret%00.html", "/etc/passwd",
    "/file:///etc/passwd", "//evil.example/", "/\\evil.example", "/%5cevil.example",
    "http://evil.example/", "/" + "a" * 20_000, "/" + "../" * 2_000, "/\u202e", "/%",
    "/?%2e%2e/secret", "/%0d%0aSet-Cookie:x=1", "/.git/config", "/content/site.yaml", "/.sitegen",
)  # fmt: skip
SLOW = 300
BUILT_WITHIN_S = 120
URL = re.compile(rb"http://127\.0\.0\.1:(\d+)/")


@contextmanager
def _serving(place: Place) -> Iterator[tuple[int, int]]:
    """Serve the project; give the port and the process."""
    (place.root / "secret").write_text("the secret")
    process = place.start(place.command("serve", "--port", "0"))
    if process.stderr is None:
        raise NotBegun("nothing to read")
    said, deadline = b"", time.monotonic() + BUILT_WITHIN_S
    try:
        while not (found := URL.search(said)):
            if time.monotonic() > deadline or process.poll() is not None:
                raise NotBegun(f"no server: {said!r}")
            if select.select([process.stderr], [], [], 1)[0]:
                said += os.read(process.stderr.fileno(), 65_536)
        port = int(found[1])
        while b" 200 " not in ask(port, "/")[:20] and time.monotonic() < deadline:
            time.sleep(0.5)
        yield port, process.pid
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        ended(process)


def ask(port: int, path: str, *lines: str, host: str = "localhost", method: str = "GET") -> bytes:
    """Send a request as it is, and return all of the answer."""
    head = [f"{method} {path} HTTP/1.1", f"Host: {host}", "Connection: close", *lines, "", ""]
    with socket.create_connection(("127.0.0.1", port), timeout=40) as line:
        line.sendall("\r\n".join(head).encode("utf-8", "surrogateescape"))
        answer = b""
        try:
            while piece := line.recv(65_536):
                answer += piece
        except ConnectionResetError:
            pass
    return answer


def _status(answer: bytes) -> int:
    found = re.match(rb"HTTP/1\.\d (\d{3})", answer)
    return int(found[1]) if found else 0


def requests(place: Place) -> Iterator[Outcome]:
    """Ask as other sites, for other files, and too slowly; then it still answers."""
    with _serving(place) as (port, pid):
        for host in HOSTS:
            status = _status(ask(port, "/", host=host))
            yield Outcome(f"Host: {host}", "" if status in {400, 403} else f"status {status}")
        key = base64.b64encode(os.urandom(16)).decode()
        upgrade = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                   f"Sec-WebSocket-Key: {key}")  # fmt: skip
        for origin in ORIGINS:
            answer = ask(port, "/livereload", *upgrade, f"Origin: {origin}")
            wrong = "" if _status(answer) in {400, 403} else f"status {_status(answer)}"
            yield Outcome(f"Origin: {origin}", wrong)
        for path in PATHS:
            answer = ask(port, path)
            wrong = "the secret" if b"the secret" in answer or b"root:x" in answer else ""
            header = answer.partition(b"\r\n\r\n")[0].lower()
            if re.search(rb"location: *(//|https?://(?!localhost|127))", header):
                wrong = "leads elsewhere"
            if b"\nset-cookie" in header or b"traceback" in answer.lower():
                wrong = "a header or a traceback"
            yield Outcome(f"GET {path[:40]}", wrong)
        for method in ("POST", "PUT", "DELETE", "PATCH", "CONNECT", "TRACE", "BREW"):
            status = _status(ask(port, "/", method=method))
            yield Outcome(method, "" if 400 <= status < 600 else f"status {status}")
        yield from _slow(port, pid)


def _slow(port: int, pid: int) -> Iterator[Outcome]:
    """Hold connections open that send a letter now and then, and measure what others wait."""
    with ExitStack() as held:
        lines = []
        for number in range(SLOW):
            line = held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=5))
            line.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * (number % 7))
            lines.append(line)
        for turn in range(5):
            for line in lines:
                try:
                    line.sendall(b"x")
                except OSError:
                    continue
            began = time.monotonic()
            good = _status(ask(port, "/")) == 200
            took = time.monotonic() - began
            wrong = "" if good and took < 10 else f"answered {good} after {took:.1f} s"
            yield Outcome(f"{SLOW} slow clients, look {turn + 1}", wrong)
        deadline = time.monotonic() + 60
        lines[0].settimeout(60)
        cut = True
        try:
            while lines[0].recv(65_536):
                pass
        except TimeoutError:
            cut = time.monotonic() < deadline
        except OSError:
            pass
        yield Outcome("a slow client is cut off", "" if cut else "it is still served")
    with socket.create_connection(("127.0.0.1", port), timeout=40) as line:
        for _ in range(200):
            try:
                line.sendall(b"X-Many: " + b"y" * 8_000 + b"\r\n")
            except OSError:
                break
    yield Outcome("headers without end", "" if _status(ask(port, "/")) == 200 else "no answer")
    rss = int(re.findall(r"VmRSS:\s+(\d+)", open(f"/proc/{pid}/status").read())[0])  # noqa: SIM115, PTH123
    yield Outcome("memory afterwards", "" if rss < 500_000 else f"{rss} KiB")


SCENARIOS = {"the development server": requests}
