"""A development server of three pages in a process of its own, for the tests beside this file."""

from __future__ import annotations

import http.client
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

SCRIPT = """
import sys
from pathlib import Path
from sitegen.problems import Problem, ProblemsFound, SourceSpan
from sitegen.serve import Address, fingerprint, serve
root = Path(sys.argv[1])
builds = 0

def rebuild():
    global builds
    builds += 1
    (root / "builds").write_text(str(builds))
    text = (root / "catalog" / "page.html").read_text()
    if "internal" in text:
        raise ZeroDivisionError("division by zero")
    if "wrong" in text:
        span = SourceSpan("catalog/page.html", 3, 7)
        raise ProblemsFound([Problem(span, "wrong", "no good", "<script>alert(1)</script>")])
    return {
        "index.html": text.encode(), "combos/index.html": text.encode(), "404.html": text.encode(),
        "site.css": b"body {}", "data/index.json": b"{}", "secret-not": b"x",
    }

names = tuple(sys.argv[3:])
address = Address(host=sys.argv[2], port=0, allowed_names=names)
serve(
    address, rebuild=rebuild, look=lambda: fingerprint(root),
    say=lambda text: print(text, flush=True),
)
"""
PAGE = (
    '<!doctype html><html><head><meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; style-src 'self'\"><title>t</title></head>"
    "<body><p>first</p></body></html>"
)


class Server:
    """Requests to a running server, and the sources it watches."""

    def __init__(self, root: Path, process: subprocess.Popen[str]) -> None:
        self.root = root
        self.process = process
        self.said: list[str] = []
        assert process.stdout is not None
        while not self.said or not self.said[-1].startswith("http://"):
            line = process.stdout.readline()
            assert line, f"the server ended: {self.said}"
            self.said.append(line.strip())
        self.port = int(self.said[-1].rstrip("/").rpartition(":")[2])

    def edit(self, text: str) -> None:
        """Save another page."""
        (self.root / "catalog" / "page.html").write_text(text, encoding="utf-8")

    def builds(self) -> int:
        """How often it has built."""
        return int((self.root / "builds").read_text(encoding="utf-8"))

    def ask(
        self, path: str, *, method: str = "GET", host: str | None = None, **headers: str
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        """Send a request as it is and return status, headers and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        connection.putheader("Host", f"localhost:{self.port}" if host is None else host)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        answer = response.status, response.headers, response.read()
        connection.close()
        return answer

    def wait_for(self, wanted: str, path: str = "/") -> str:
        """Ask until the page contains a text."""
        until = time.monotonic() + 15
        body = ""
        while time.monotonic() < until:
            body = self.ask(path)[2].decode()
            if wanted in body:
                return body
            time.sleep(0.05)
        raise AssertionError(f"{wanted!r} did not appear in {body}")

    @classmethod
    @contextmanager
    def started(
        cls, root: Path, *names: str, host: str = "127.0.0.1", page: str = PAGE
    ) -> Iterator[Self]:
        """Run a server until the block ends."""
        (root / "catalog").mkdir()
        (root / "catalog" / "page.html").write_text(page, encoding="utf-8")
        command = [sys.executable, "-c", SCRIPT, str(root), host, *names]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            try:
                yield cls(root, process)
            finally:
                process.kill()
