"""``sitegen build`` and ``check`` on a small project: clean, broken, hindered, interrupted."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sitegen.store import FOLDER
from tests.cli.small_project import REPOSITORY, run, run_process, small_project

SUMMARY = r"\d+ files, {errors}, 0 warnings in \d+\.\d\d s\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a published site; tests that change it make their own."""
    root = small_project(tmp_path_factory.mktemp("built"))
    assert run("--root", root, "build").status == 0
    return root


@pytest.fixture
def root(built: Path, tmp_path: Path) -> Path:
    """A copy of that project, to be changed."""
    root = tmp_path / "copy"
    shutil.copytree(built, root)
    return root


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def break_five_files(root: Path) -> None:
    """Make the five mistakes of an editor's bad day, in five files."""
    catalog = root / "catalog"
    edits = {
        "combos/2x-rtx-4090.yaml": ("gpu: rtx-4090", "gpu: rtx-4900"),
        "gpus/rtx-3090.yaml": ("vram_gib: 24", 'vram_gib: "24 GB"'),
        "gpus/rtx-4090.yaml": ("architecture: Ada Lovelace\n", ""),
        "models/qwen3-8b.yaml": ("name:", "name: twice\nname:"),
        "quantizations/fp8.yaml": ("format: fp8", "format: [fp8"),
    }
    for path, (old, new) in edits.items():
        text = (catalog / path).read_text(encoding="utf-8")
        assert old in text, path
        (catalog / path).write_text(text.replace(old, new, 1), encoding="utf-8")


def test_build_publishes_pages_and_says_how_many(tmp_path: Path) -> None:
    root = small_project(tmp_path)
    done = run("--root", root, "build")
    assert (done.status, done.out) == (0, "")
    assert re.search(SUMMARY.format(errors="0 errors") + r"\Z", done.err)
    assert (root / "public" / "index.html").is_file()
    assert (root / "public" / "combos" / "2x-rtx-4090" / "index.json").is_file()
    again = run("--root", root, "build")
    assert "0 added, 0 changed, 0 removed" in again.err


def test_verbose_says_where_the_time_goes(built: Path) -> None:
    done = run("--root", built, "-v", "build", "--no-store")
    for stage in ("parse", "survey", "collect", "render", "finish", "publish"):
        assert re.search(rf"^{stage} +\d+\.\d\d s$", done.err, re.MULTILINE)


def test_a_removed_record_takes_its_pages_with_it(root: Path) -> None:
    (root / "catalog" / "combos" / "2x-rtx-4090.yaml").unlink()
    done = run("--root", root, "-v", "build", "--forget")
    assert done.status == 0
    assert "removed    combos/2x-rtx-4090/index.html" in done.err
    assert not (root / "public" / "combos" / "2x-rtx-4090").exists()


@pytest.mark.parametrize("flags", [(), ("-q",), ("-v",)])
@pytest.mark.parametrize("command", [("check",), ("check", "--pages"), ("build",)])
def test_five_broken_files_are_five_problems_and_the_old_site_stands(
    root: Path, flags: tuple[str, ...], command: tuple[str, ...]
) -> None:
    before = tree(root / "public")
    break_five_files(root)
    done = run("--root", root, *flags, *command)
    assert done.status == 1
    found = re.findall(r"^(catalog/\S+?\.yaml):\d+:\d+: error\[", done.out, re.MULTILINE)
    assert found == [
        "catalog/combos/2x-rtx-4090.yaml",
        "catalog/gpus/rtx-3090.yaml",
        "catalog/gpus/rtx-4090.yaml",
        "catalog/models/qwen3-8b.yaml",
        "catalog/quantizations/fp8.yaml",
    ]
    assert done.out.count("hint: ") >= 4
    assert "did you mean 'rtx-4090'?" in done.out
    assert tree(root / "public") == before
    if "-q" not in flags:
        assert re.search(SUMMARY.format(errors="5 errors") + r"\Z", done.err)


def test_json_on_standard_output_is_json_and_nothing_else(tmp_path: Path) -> None:
    root = small_project(tmp_path)
    clean = run("--root", root, "-v", "check", "--format", "json")
    assert json.loads(clean.out) == {"errors": 0, "warnings": 0, "problems": []}
    break_five_files(root)
    broken = run("--root", root, "-v", "check", "--format", "json")
    assert json.loads(broken.out)["errors"] == 5


def test_sources_read_in_the_future_are_refused_where_a_day_is_given(built: Path) -> None:
    assert run("--root", built, "check").status == 0
    assert run("--root", built, "check", "--today", "2020-01-01").status == 1


ONE_AFTER_THE_OTHER = """
import json, sys
from sitegen.cli.exits import run_safely
from sitegen.cli.group import cli
for words in json.loads(sys.argv[1]):
    print(run_safely(cli, words))
"""


@pytest.mark.parametrize(
    "variables", [{"FORCE_COLOR": ""}, {"CI": "true"}, {"TERM": "xterm-256color"}]
)
def test_no_escapes_when_nobody_looks(tmp_path: Path, variables: dict[str, str]) -> None:
    root = small_project(tmp_path)
    break_five_files(root)
    question = ("qwen3-8b", "2x-rtx-4090", "--runtime", "vllm", "--quantization", "bf16")
    asked = (["check"], ["build"], ["fit", *question], ["explain", *question], ["--help"])
    commands = json.dumps([["--root", str(root), *words] for words in asked])
    done = subprocess.run(
        [sys.executable, "-c", ONE_AFTER_THE_OTHER, commands],
        check=True,
        capture_output=True,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        cwd=REPOSITORY,
    )
    assert b"\x1b" not in done.stdout + done.stderr
    assert b"Traceback" not in done.stderr
    assert re.findall(rb"^\d$", done.stdout, re.MULTILINE) == [b"1", b"1", b"1", b"1", b"0"]
    assert b"Usage:" in done.stdout


def _file_in_the_way(root: Path) -> None:
    (root / "public").write_text("a file")


def _symlink_in_the_way(root: Path) -> None:
    (root / "public").symlink_to(root / "nowhere")


def _foreign_folder(root: Path) -> None:
    (root / "public").mkdir()
    (root / "public" / "mine.txt").write_text("mine")


def _not_utf_8(root: Path) -> None:
    (root / "catalog" / "gpus" / "bad.yaml").write_bytes(b"name: \xff\xfe")


def _broken_symlink(root: Path) -> None:
    (root / "catalog" / "gpus" / "link.yaml").symlink_to("nowhere.yaml")


def _unreadable_root(root: Path) -> None:
    (root / "catalog").rename(root / "catalogue")


def _no_settings(root: Path) -> None:
    (root / "content" / "site.yaml").unlink()


def _fifo(root: Path) -> None:
    os.mkfifo(root / "catalog" / "gpus" / "pipe.yaml")


def _broken_template(root: Path) -> None:
    (root / "templates" / "combo.html").write_text("{% for %}")


FAULTS: list[tuple[Callable[[Path], None], int, str]] = [
    (_file_in_the_way, 2, "it is a file"),
    (_symlink_in_the_way, 2, "it is a symlink"),
    (_foreign_folder, 2, "sitegen did not write it"),
    (_not_utf_8, 1, "catalog/gpus/bad.yaml:1:7"),
    (_broken_symlink, 1, "catalog/gpus/link.yaml"),
    (_unreadable_root, 2, "has no catalog/ folder"),
    (_no_settings, 1, "content/site.yaml:1:1: error[missing-settings]"),
    (_fifo, 1, "sitegen reads only regular files"),
    (_broken_template, 2, "RenderError: /combos/"),
]


@pytest.mark.parametrize(
    ("fault", "status", "said"), FAULTS, ids=lambda v: getattr(v, "__name__", "")
)
def test_faults_have_words_and_no_traceback(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: Callable[[Path], None],
    status: int,
    said: str,
) -> None:
    root = small_project(tmp_path / "project")
    fault(root)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    done = run("--root", root, "build")
    assert done.status == status
    assert said in done.out + done.err
    assert "Traceback" not in done.out + done.err
    assert not (root / "public" / "index.html").exists()


def test_a_folder_that_cannot_be_written_is_said(built: Path) -> None:
    done = run_process("--root", built, "build", "--out", "/proc/site/public")
    assert done.status == 2
    assert "sitegen: error: cannot publish into /proc/site/public" in done.err
    assert "Traceback" not in done.err


def test_precious_folders_are_refused(built: Path) -> None:
    for out in (built, built / "catalog", built / "catalog" / "gpus", Path("/")):
        done = run("--root", built, "build", "--out", out)
        assert done.status == 2
        assert "refusing to publish" in done.err
    assert (built / "catalog" / "gpus" / "rtx-4090.yaml").is_file()


def test_foreign_files_are_kept_with_force_and_named(root: Path) -> None:
    (root / "public" / "CNAME").write_text("example.org")
    refused = run("--root", root, "build")
    assert refused.status == 2
    assert "'CNAME'" in refused.err
    kept = run("--root", root, "build", "--force")
    assert kept.status == 0
    assert "kept 1 files that are not ours: CNAME" in kept.err
    assert (root / "public" / "CNAME").read_text() == "example.org"


def test_a_published_file_that_was_edited_is_replaced_and_named(root: Path) -> None:
    page = root / "public" / "combos" / "2x-rtx-4090" / "index.html"
    before = page.read_bytes()
    page.write_bytes(before.replace(b"24", b"25", 1))
    (root / "public" / "404.html").unlink()
    again = run("--root", root, "build")
    assert again.status == 0
    assert (
        "replaced 2 files that were changed or removed by hand since the last build: "
        "404.html, combos/2x-rtx-4090/index.html\n"
    ) in again.err
    assert page.read_bytes() == before
    assert "by hand" not in run("--root", root, "build").err


def is_whole(public: Path) -> bool:
    """Whether a folder holds exactly what its manifest lists, byte for byte."""
    listed = json.loads((public / "sitegen-manifest.json").read_bytes())["files"]
    digests = {row["path"]: row["sha256"] for row in listed}
    found = {
        path.relative_to(public).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in public.rglob("*")
        if path.is_file() and path.name != "sitegen-manifest.json"
    }
    return digests == found


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
@pytest.mark.parametrize("after_s", [0.01, 0.2, 0.9])
def test_a_build_that_is_stopped_leaves_a_whole_site(
    root: Path, number: signal.Signals, status: int, after_s: float
) -> None:
    record = root / "catalog" / "combos" / "2x-rtx-4090.yaml"
    record.write_text(record.read_text(encoding="utf-8").replace("name: ", "name: Renamed ", 1))
    started = "import sys; from sitegen.cli import main; print(flush=True); main(sys.argv[1:])"
    command = [sys.executable, "-c", started, "--root", str(root), "build"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=REPOSITORY
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(after_s)
        process.send_signal(number)
        _, err = process.communicate(timeout=300)
    assert process.returncode in {0, status}
    assert b"Traceback" not in err
    assert is_whole(root / "public")
    assert run("--root", root, "build").status == 0
    assert is_whole(root / "public")
    assert b"Renamed" in (root / "public" / "combos" / "2x-rtx-4090" / "index.html").read_bytes()
    left = sorted(p.name for p in root.iterdir() if p.name != FOLDER)
    assert left == ["catalog", "content", "public", "templates"]


def test_serve_builds_prints_one_url_and_says_when_its_port_is_taken(built: Path) -> None:
    # a shell lets its jobs in the background ignore an interruption: undo that
    started = "import signal as s, sys; s.signal(s.SIGINT, s.default_int_handler); "
    started += "from sitegen.cli import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", started, "--root", str(built), "serve", "--port", "0"]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        said = [process.stderr.readline().strip() for _ in range(3)]
        assert said[0] == "building …"
        assert re.fullmatch(r"built \d+ files", said[1])
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", said[2])
        port = said[2].rstrip("/").rpartition(":")[2]
        taken = run("--root", built, "serve", "--port", port)
        assert taken.status == 2
        assert f"cannot listen on 127.0.0.1:{port}" in taken.err
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("host", "warned"),
    [("0.0.0.0", True), ("::", True), ("127.0.0.1", False), ("localhost", False)],  # noqa: S104
)
def test_serve_warns_where_others_can_reach_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str, *, warned: bool
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("sitegen.serve.serve", lambda address, **_: asked.append(address.host))
    root = small_project(tmp_path)
    done = run("--root", root, "serve", "--host", host, "--port", "0")
    assert asked == [host]
    assert ("anyone who can reach this address" in done.err) is warned


def test_serve_ends_at_once_when_interrupted_in_the_middle_of_a_build(built: Path) -> None:
    # a shell lets its jobs in the background ignore an interruption: undo that
    started = "import signal as s, sys; s.signal(s.SIGINT, s.default_int_handler); "
    started += "from sitegen.cli import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", started, "--root", str(built), "serve", "--port", "0"]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "building …\n"
        process.send_signal(signal.SIGINT)
        try:
            _, err = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 130
    assert "Traceback" not in err
