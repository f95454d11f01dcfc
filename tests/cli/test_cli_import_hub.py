"""``sitegen import-hub``: a listing or the live Hub, what it proposes and what it writes."""

from __future__ import annotations

import gzip
import json
import re
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.cli.small_project import Ran, run
from tests.yaml_files import read_yaml

ROWS: list[dict[str, Any]] = [
    {"name": "Qwen/Qwen3-8B", "hf_downloads": 100},
    {"name": "RedHatAI/Qwen3-8B-FP8-dynamic", "hf_downloads": 4_100},
    {"name": "huihui-ai/Qwen3-8B-abliterated-FP8", "hf_downloads": 90_000},
]
SOURCE = ("--source", "https://example.org/hub", "--title", "A listing", "--read", "2026-11-23")


@pytest.fixture
def root(lent: Path) -> Path:
    """A small project whose Qwen3 8B lists no file in FP8 and none of llama.cpp's Q5_0."""
    record = lent / "catalog/models/qwen3-8b.yaml"
    listed = re.compile(r"  - quantization: (?:fp8|q5-0)\n(?:    .*\n)+")
    record.write_text(listed.sub("", record.read_text("utf-8")), encoding="utf-8")
    return lent


def listing(
    folder: Path, rows: list[dict[str, Any]] | None = None, *, packed: bool = False
) -> Path:
    """A listing as a file."""
    text = "".join(f"{json.dumps(row)}\n" for row in rows or ROWS).encode()
    path = folder / ("hub.jsonl.gz" if packed else "hub.jsonl")
    path.write_bytes(gzip.compress(text) if packed else text)
    return path


def imported(root: Path, *words: str | Path) -> Ran:
    """Run the command."""
    return run("--root", root, "import-hub", *words)


@pytest.mark.parametrize("packed", [False, True])
def test_a_listing_is_reported_and_nothing_is_written(
    root: Path, tmp_path: Path, packed: bool
) -> None:
    before = (root / "catalog/models/qwen3-8b.yaml").read_bytes()
    done = imported(root, listing(tmp_path, packed=packed))
    assert done.status == 0, done.err
    line = "| qwen3-8b | fp8 | RedHatAI/Qwen3-8B-FP8-dynamic | known-quantizer | 4100 | to add |"
    assert line in done.out
    assert "abliterated" not in done.out
    assert (root / "catalog/models/qwen3-8b.yaml").read_bytes() == before


def test_what_is_written_is_valid_and_a_second_run_proposes_nothing(
    root: Path, tmp_path: Path
) -> None:
    record = root / "catalog/models/qwen3-8b.yaml"
    before = record.read_text("utf-8").splitlines()
    file = listing(tmp_path)
    assert imported(root, file, "--write", *SOURCE).status == 0
    after = record.read_text("utf-8")
    assert [line for line in before if line not in after.splitlines()] == []
    assert read_yaml(after)["checkpoints"][-1] == {
        "quantization": "fp8", "repository": "RedHatAI/Qwen3-8B-FP8-dynamic", "downloads": 4_100,
        "publisher": "known-quantizer",
    }  # fmt: skip
    assert run("--root", root, "check").status == 0
    again = imported(root, file, "--write", *SOURCE)
    assert (again.status, "Proposals: 0." in again.out) == (0, True)
    assert record.read_text("utf-8") == after
    assert sorted(one.name for one in record.parent.iterdir()) == [
        "llama-3.1-8b-instruct.yaml",
        "qwen3-8b.yaml",
    ]


def test_proposals_are_lines_for_programs(root: Path, tmp_path: Path) -> None:
    done = imported(root, listing(tmp_path), "--json")
    (line,) = done.out.splitlines()
    assert json.loads(line) == {
        "model": "qwen3-8b", "quantization": "fp8", "repository": "RedHatAI/Qwen3-8B-FP8-dynamic",
        "publisher": "known-quantizer", "downloads": 4_100, "gated": False, "state": "to add",
        "read": True,
    }  # fmt: skip


def test_a_broken_line_is_told_with_file_line_and_a_way_out(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "hub.jsonl"
    path.write_bytes(b'{"name": "a/b"}\n{"name": "a/b", "hf_downloads": "many"}\n')
    done = imported(root, path)
    assert (done.status, done.out) == (1, "")
    assert "hub.jsonl:2:1: error[import-unreadable]: hf_downloads is no count" in done.err
    assert "hint: give a whole number" in done.err


def test_a_torn_archive_a_folder_and_a_missing_file_are_told(root: Path, tmp_path: Path) -> None:
    torn = tmp_path / "torn.gz"
    torn.write_bytes(gzip.compress(b'{"name": "a/b"}\n' * 9_000)[:60])
    done = imported(root, torn)
    assert (done.status, "cannot read the archive" in done.err) == (1, True)
    assert imported(root, tmp_path).status == 1
    assert imported(root, tmp_path / "none.jsonl").status == 2


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--write",),
        ("--write", "--source", "no address", "--title", "A", "--read", "2026-11-23"),
        ("--write", *SOURCE[:4], "--read", "yesterday"),
        ("--most", "0"),
    ],
)
def test_wrong_usage_ends_with_two(root: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    done = imported(root, *([listing(tmp_path)] if words else []), *words)
    assert (done.status, "Traceback" in done.err) == (2, False)


class Hub(BaseHTTPRequestHandler):
    """Answers as the Hub's API does, for three repositories."""

    asked: list[str]

    def do_GET(self) -> None:
        """Answer about one repository."""
        self.asked.append(self.path)
        name = self.path.partition("?")[0].removeprefix("/api/models/").partition("/revision/")[0]
        if name == "own/broken":
            self._send(200, b'{"id": ')
        elif name == "own/down":
            self._send(500, b"{}")
        elif name == "unsloth/Qwen3-8B-GGUF":
            files = ["Qwen3-8B-Q8_0.gguf", "Qwen3-8B-Q5_0.gguf", "Qwen3-8B-UD-Q4_K_XL.gguf"]
            answer = {
                "id": name, "downloads": 77, "gated": False, "private": False, "tags": [],
                "siblings": [{"rfilename": file} for file in files], "sha": "0" * 40,
                "cardData": {"license": "apache-2.0"},
            }  # fmt: skip
            self._send(200, json.dumps(answer).encode())
        else:
            self._send(404, b'{"error": "Repository not found"}', ("X-Error-Code", "RepoNotFound"))

    def _send(self, status: int, body: bytes, *headers: tuple[str, str]) -> None:
        self.send_response(status)
        for key, value in (("Content-Type", "application/json"), *headers):
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_words: object) -> None:
        """Say nothing."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A stand-in for the Hub on the loopback; the paths that were asked for."""
    Hub.asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield Hub.asked
    server.shutdown()
    server.server_close()


def test_the_live_hub_says_which_files_a_repository_holds(root: Path, asked: list[str]) -> None:
    done = imported(root, "--live", "unsloth/Qwen3-8B-GGUF")
    assert done.status == 0, done.err
    assert "| qwen3-8b | q5-0 | unsloth/Qwen3-8B-GGUF | known-quantizer | 77 | to add |" in done.out
    assert "Proposals: 1." in done.out
    assert asked[-1].partition("?")[0] == "/api/models/unsloth/Qwen3-8B-GGUF"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("own/none", "own/none: the Hub has no such repository"),
        ("own/down", "own/down: the Hub answered with status 500"),
        ("own/broken", "own/broken: the Hub does not answer"),
    ],
)
def test_what_the_hub_refuses_is_told_in_a_line(
    root: Path, asked: list[str], name: str, message: str
) -> None:
    done = imported(root, "--live", name)
    assert (done.status, message in done.err, "Traceback" in done.err) == (2, True, False)
    assert asked


def test_a_hub_that_is_not_there_is_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    done = imported(root, "--live", "own/name")
    assert (done.status, "the Hub does not answer" in done.err) == (2, True)


def test_without_the_extra_the_error_says_how_to_install_it(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    done = imported(root, "--live", "own/name")
    assert done.status == 2
    assert "--live needs the package huggingface_hub" in done.err
    assert "pip install 'sitegen[hub]'" in done.err


def test_a_name_that_is_no_repository_is_wrong_usage(root: Path) -> None:
    assert imported(root, "--live", "no-owner").status == 2
