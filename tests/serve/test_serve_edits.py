"""The development server while files change: it shows the last good site and never ends."""

from __future__ import annotations

import json
import os
import socket
import time
from contextlib import suppress
from pathlib import Path

from sitegen.serve.live import LiveSite
from sitegen.serve.watch import Debounce, fingerprint
from tests.serve.server import PAGE, Server


def test_an_edit_is_seen_and_a_broken_one_keeps_the_last_good_site(tmp_path: Path) -> None:
    with Server.started(tmp_path) as server:
        server.edit(PAGE.replace("first", "second"))
        server.wait_for("<p>second</p>")
        server.edit("wrong")
        body = server.wait_for("sitegen-problems")
        assert "<p>second</p>" in body
        assert "catalog/page.html:3:7: error[wrong]: no good" in body
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in body
        assert "alert(1)</script>" not in body
        server.edit("internal")
        assert "<p>second</p>" in server.wait_for("ZeroDivisionError")
        (tmp_path / "catalog" / "page.html").unlink()
        assert "<p>second</p>" in server.wait_for("cannot read")
        server.edit(PAGE.replace("first", "third"))
        body = server.wait_for("<p>third</p>")
        assert "sitegen-problems" not in body


def test_before_the_first_good_build_every_page_shows_the_problems(tmp_path: Path) -> None:
    with Server.started(tmp_path, page="wrong") as server:
        status, _, body = server.ask("/anything/")
        assert status == 500
        assert b"error[wrong]" in body
        server.edit(PAGE)
        server.wait_for("<p>first</p>")


def test_a_storm_of_saves_is_few_builds_and_the_last_state_wins(tmp_path: Path) -> None:
    with Server.started(tmp_path) as server:
        before = server.builds()
        for turn in range(1_000):
            server.edit(PAGE.replace("first", f"storm {turn}"))
            if turn % 100 == 0:
                (tmp_path / "catalog" / "page.html").unlink()
        server.edit(PAGE.replace("first", "calm"))
        server.wait_for("<p>calm</p>")
        assert server.builds() - before <= 5


def test_browsers_are_told_to_reload(tmp_path: Path) -> None:
    with (
        Server.started(tmp_path) as server,
        socket.create_connection(("127.0.0.1", server.port), timeout=15) as raw,
    ):
        _shake_hands(raw, server, "http://localhost/")
        assert b"livereload-tornado" in raw.recv(4096)
        time.sleep(0.2)
        server.edit(PAGE.replace("first", "second"))
        assert b'"reload"' in raw.recv(4096)


def test_a_browser_that_loaded_its_page_before_an_edit_and_connects_after_it_reloads(
    tmp_path: Path,
) -> None:
    with Server.started(tmp_path) as server:
        asked = f"http://localhost:{server.port}/combos/?row=1#memory"
        server.ask("/combos/")
        assert b'"reload"' not in _told(server, asked)
        server.edit(PAGE.replace("first", "second"))
        server.wait_for("<p>second</p>")
        time.sleep(0.5)  # the build stands a moment before browsers are told
        assert b'"reload"' in _told(server, asked)
        server.ask("/combos/")
        assert b'"reload"' not in _told(server, asked)
        for unknown in ("http://localhost/never-asked/", "http://[", 7):
            assert b'"reload"' not in _told(server, unknown)


def _told(server: Server, url: object) -> bytes:
    """Connect as a browser that shows a page; return what the server says within a moment."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=15) as raw:
        _shake_hands(raw, server, url)
        raw.settimeout(0.5)
        said = b""
        with suppress(TimeoutError):
            while heard := raw.recv(4096):
                said += heard
        return said


def _shake_hands(raw: socket.socket, server: Server, url: object) -> None:
    raw.sendall(
        f"GET /livereload HTTP/1.1\r\nHost: localhost:{server.port}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        "Sec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    assert b"101" in raw.recv(4096)
    for message in ({"command": "hello"}, {"command": "info", "url": url}):
        raw.sendall(_masked(json.dumps(message).encode()))


def _masked(payload: bytes) -> bytes:
    """A text frame as a browser sends it (RFC 6455, section 5.2), masked with zeros."""
    assert len(payload) < 126
    return bytes([0x81, 0x80 | len(payload), 0, 0, 0, 0]) + payload


def test_fingerprint_sees_sources_and_not_scratch_files(tmp_path: Path) -> None:
    (tmp_path / "catalog" / "gpus").mkdir(parents=True)
    record = tmp_path / "catalog" / "gpus" / "a.yaml"
    record.write_text("name: a")
    before = fingerprint(tmp_path)
    for scratch in (".a.yaml.swp", "a.yaml~", "#a.yaml#", ".#a.yaml", "a.yaml.tmp"):
        (record.parent / scratch).write_text("x")
    (tmp_path / "public").mkdir()
    (tmp_path / "public" / "index.html").write_text("x")
    assert fingerprint(tmp_path) == before
    os.utime(record, ns=(1, 1))
    changed = fingerprint(tmp_path)
    assert changed != before
    record.unlink()
    assert fingerprint(tmp_path) not in (before, changed)


def test_debounce_waits_for_quiet_but_not_for_ever() -> None:
    debounce = Debounce(built="a", patience=4)
    assert [debounce.is_due(state) for state in ("a", "b", "b", "b")] == [False, False, True, False]
    restless = [debounce.is_due(f"c{turn}") for turn in range(8)]
    assert restless == [False, False, False, True, False, False, False, True]
    assert [debounce.is_due("b"), debounce.is_due("b")] == [False, True]


def test_a_failed_build_changes_nothing_but_the_problems() -> None:
    live = LiveSite()
    live.rebuild(lambda: {"index.html": b"good"})

    def broken() -> dict[str, bytes]:
        raise OSError("disk on fire")

    live.rebuild(broken)
    assert live.files == {"index.html": b"good"}
    assert live.problems == ("cannot read: disk on fire",)
