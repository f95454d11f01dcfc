"""The development server towards browsers and towards pages that mean harm."""

from __future__ import annotations

import base64
import os
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitegen.serve import Address, AddressTaken, listen
from tests.serve.server import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server.started(tmp_path_factory.mktemp("served"), "dev.example") as running:
        yield running


def test_it_prints_one_url_and_serves_pages_from_memory(server: Server) -> None:
    assert [line for line in server.said if "://" in line] == [f"http://127.0.0.1:{server.port}/"]
    status, headers, body = server.ask("/")
    assert status == 200
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert b"<p>first</p>" in body
    assert server.ask("/combos/")[0] == 200
    assert server.ask("/site.css")[2] == b"body {}"


def test_head_has_no_body(server: Server) -> None:
    status, headers, body = server.ask("/", method="HEAD")
    assert (status, body) == (200, b"")
    assert int(headers["Content-Length"]) > 0


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:1", "127.0.0.1", "[::1]:80", "LOCALHOST", "dev.example:9"]
)
def test_its_own_names_are_answered(server: Server, host: str) -> None:
    assert server.ask("/", host=host)[0] == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "localhost.evil", "localhost.evil:8000", "192.168.1.1", "10.0.0.1",
        "127.0.0.1.nip.io", "", "localhost:x", "local host", "[::2]", "127.0.0.2", "localhost@evil",
    ],
)  # fmt: skip
def test_foreign_hosts_are_refused(server: Server, host: str) -> None:
    status, _, body = server.ask("/", host=host)
    assert status in {400, 403}
    assert b"first" not in body


def test_a_request_without_a_host_is_refused(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as raw:
        raw.sendall(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
        answer = raw.makefile("rb").read()
    assert b"first" not in answer
    assert b" 200 " not in answer.split(b"\r\n")[0]


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost.evil", "x"])
def test_foreign_origins_are_refused(server: Server, origin: str) -> None:
    assert server.ask("/", Origin=origin)[0] == 403


def test_its_own_origin_is_answered(server: Server) -> None:
    assert server.ask("/", Origin=f"http://localhost:{server.port}")[0] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_only_reading_is_allowed(server: Server, method: str) -> None:
    for path in ("/", "/livereload", "/__sitegen/livereload.js"):
        assert server.ask(path, method=method)[0] == 405


@pytest.mark.parametrize(
    "path",
    [
        "/../etc/passwd", "/%2e%2e/etc/passwd", "/..%2fetc%2fpasswd", "/%5c..%5cetc", "/C:/x",
        "/%5c%5chost/share", "/%00", "//evil.example", "//evil.example/", "/../site-secret/",
        "/combos/..%2f..%2fcatalog/page.html", "/catalog/page.html", "/%ff", "/index.html/",
        "/.git/config", "/combos//", "/__sitegen/", "/forcereload",
    ],
)  # fmt: skip
def test_only_published_files_exist(server: Server, path: str) -> None:
    status, headers, _ = server.ask(path)
    assert status == 404
    assert "Location" not in headers


def test_a_folder_without_its_slash_is_sent_on_within_the_site(server: Server) -> None:
    status, headers, _ = server.ask("/combos")
    assert (status, headers["Location"]) == (302, "/combos/")


@pytest.mark.parametrize("path", ["/", "/site.css", "/nothing", "/__sitegen/livereload.js"])
def test_every_answer_is_guarded(server: Server, path: str) -> None:
    _, headers, _ = server.ask(path)
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "Access-Control-Allow-Origin" not in headers
    assert "Server" not in headers


def test_the_reload_script_is_added_and_allowed_by_the_policy(server: Server) -> None:
    body = server.ask("/")[2].decode()
    source = re.search(r'<script src="(/__sitegen/livereload\.js\?[^"]*)"></script></body>', body)
    assert source is not None
    assert source[1].endswith(f"?host=localhost&amp;port={server.port}")
    status, headers, script = server.ask(source[1].replace("&amp;", "&"))
    assert (status, headers["Content-Type"]) == (200, "application/javascript")
    assert b"LiveReload" in script
    policy = re.search(r'Policy" content="([^"]*)"', body)
    assert policy is not None
    assert policy[1] == (
        "default-src 'none'; style-src 'self'; script-src 'self'; "
        f"connect-src ws://localhost:{server.port}"
    )


def _upgrade(server: Server, origin: str) -> int:
    key = base64.b64encode(os.urandom(16)).decode()
    request = (
        f"GET /livereload HTTP/1.1\r\nHost: localhost:{server.port}\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
        f"Origin: {origin}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as raw:
        raw.sendall(request.encode())
        return int(raw.recv(64).split()[1])


def test_sockets_obey_the_same_rule_as_pages(server: Server) -> None:
    assert _upgrade(server, f"http://localhost:{server.port}") == 101
    assert _upgrade(server, "http://evil.example") == 403


def test_a_socket_that_talks_nonsense_does_no_harm(server: Server) -> None:
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as raw:
            raw.sendall(b"\x81\x05hello" * 100)
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as raw:
        raw.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 1_000_000 + b"\r\n\r\n")
    assert server.ask("/")[0] == 200


def test_many_idle_connections_do_not_stop_it(server: Server) -> None:
    idle = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(200)]
    for each in idle:
        each.sendall(b"GET / HT")
    started = time.monotonic()
    assert server.ask("/")[0] == 200
    assert time.monotonic() - started < 5
    for each in idle:
        each.close()


def test_a_port_that_is_taken_is_an_error_in_words() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(AddressTaken, match=rf"cannot listen on 127\.0\.0\.1:{port}: .*--port"):
            listen(Address(port=port))


def test_an_address_of_another_machine_is_an_error_in_words() -> None:
    with pytest.raises(AddressTaken, match="--host"):
        listen(Address(host="203.0.113.7", port=0))


def test_only_this_machine_can_reach_it_by_default() -> None:
    assert Address().host == "127.0.0.1"
    assert not Address().is_public
    sockets = listen(Address(port=0))
    addresses = {each.getsockname()[0] for each in sockets}
    for each in sockets:
        each.close()
    assert "127.0.0.1" in addresses
    assert addresses <= {"127.0.0.1", "::1"}
    assert Address(host="0.0.0.0").is_public  # noqa: S104 - the case under test


def test_on_all_addresses_the_one_the_browser_used_is_answered(tmp_path: Path) -> None:
    with Server.started(tmp_path, host="0.0.0.0") as public:  # noqa: S104 - the case under test
        assert public.ask("/", host=f"127.0.0.1:{public.port}")[0] == 200
        assert public.ask("/", host=f"0.0.0.0:{public.port}")[0] == 200
        assert public.ask("/", host="evil.example")[0] == 403
