"""``sitegen check --online``: polite questions, asked of a server of our own here."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from sitegen.cli.commands.check_command import ASKED
from sitegen.cli.online import Allowed, Asking, addresses_in, allowed_from, problems_online
from sitegen.problems import Severity
from tests.cli.small_project import run, small_project

DAY = "2026-11-23"


class Elsewhere(BaseHTTPRequestHandler):
    """Answers by the path: its first number is the status; ``busy`` is busy twice."""

    asked: ClassVar[Counter[str]] = Counter()

    def do_GET(self) -> None:
        """Answer once more."""
        self.asked[self.path] += 1
        busy = self.path == "/busy" and self.asked[self.path] < 3
        answers = 200 if self.path.endswith("busy") else int(self.path.strip("/")[:3])
        self.send_response(429 if busy else answers)
        if busy:
            self.send_header("Retry-After", "7")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


@pytest.fixture
def host() -> Iterator[str]:
    Elsewhere.asked = Counter()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def asking(waited: list[float], **how: object) -> Asking:
    return Asking(DAY, pause_s=1.0, sleep=waited.append, **how)  # type: ignore[arg-type]


def test_what_answers_is_fine_and_what_does_not_is_a_warning_on_its_line(host: str) -> None:
    waited: list[float] = []
    texts = {
        "catalog/gpus/a.yaml": f"name: A\nurl: {host}/200#part\nother: {host}/404\n",
        "content/guides/b.md": f"See [x]({host}/404) and [y]({host}/403), <{host}/200>.\n",
    }
    asked = asking(waited)
    (problem,) = problems_online(texts, asked)
    assert (problem.code, problem.severity) == ("dead-address", Severity.WARNING)
    assert str(problem.span) == "catalog/gpus/a.yaml:3:8"
    assert problem.message.endswith("/404' does not respond: status 404")
    assert Elsewhere.asked == {"/200": 1, "/404": 1, "/403": 1}, "each address once"
    assert waited == [1.0, 1.0, 1.0], "a second between two questions to one host"
    assert asked.remembered.keys() == {f"{host}/200", f"{host}/403"}
    assert len(problems_online(texts, asked)) == 1
    assert Elsewhere.asked["/200"] == 1, "what answered is not asked again"


def test_a_server_that_asks_for_patience_gets_it(host: str) -> None:
    waited: list[float] = []
    assert problems_online({"a.md": f"{host}/busy"}, asking(waited)) == ()
    assert Elsewhere.asked["/busy"] == 3
    assert waited == [7.0, 7.0, 1.0]


def test_a_server_that_never_answers_is_asked_three_times(host: str) -> None:
    waited: list[float] = []
    (problem,) = problems_online({"a.md": f"{host}/503"}, asking(waited))
    assert "status 503" in problem.message
    assert Elsewhere.asked["/503"] == 3
    assert waited == [2.0, 4.0, 1.0]
    (nobody,) = problems_online({"a.md": "http://127.0.0.1:9/x"}, asking([]))
    assert "refused" in nobody.message


def test_what_is_allowed_is_not_asked_until_its_day(host: str) -> None:
    texts = {"a.md": f"{host}/404"}
    for until, found in ((DAY, 0), ("2026-11-22", 1)):
        rule = Allowed(host, "being rebuilt", until)
        assert len(problems_online(texts, asking([], allowed=(rule,)))) == found
    assert allowed_from([f"{host} 2027-01-31 being rebuilt"])[0].reason == "being rebuilt"
    for row in ("x 2027-01-31 y", f"{host} soon y", f"{host} 2027-01-31", ""):
        with pytest.raises(ValueError, match="not an address, a day and a reason"):
            allowed_from([row])


def test_stand_ins_are_no_addresses() -> None:
    text = "https://example.org/x http://localhost:8000/ https://a.example/y https://b.test/z."
    assert [address for address, _, _ in addresses_in({"a.md": text})] == ["https://b.test/z"]


def test_nothing_is_asked_unless_somebody_asks_for_it(
    tmp_path: Path, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = small_project(tmp_path)
    for path in (*(root / "catalog").rglob("*.yaml"), root / "content" / "site.yaml"):
        path.write_text(path.read_text().replace("https://", "https://example.org/"))
    gpu = root / "catalog" / "gpus" / "rtx-3090.yaml"
    gpu.write_text(gpu.read_text().replace("https://example.org/", f"{host}/404?", 1))
    monkeypatch.setattr("sitegen.cli.online.PAUSE_S", 0.0)
    assert run("--root", root, "check").status == 0
    assert Elsewhere.asked == {}
    done = run("--root", root, "check", "--online", "--format", "concise")
    assert (done.status, done.out.count("[dead-address]")) == (0, 1), "a warning"
    assert json.loads((root / ASKED).read_text()) == {}
    assert run("--root", root, "check", "--online", "--allow", "nonsense").status == 2
