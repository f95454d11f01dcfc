"""Exit statuses in every circumstance: what is printed, remembered or closed changes none."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from sitegen.cli.exits import run_safely
from sitegen.output import PublishError, publishing
from tests.cli.small_project import REPOSITORY, run, small_project

LLAMA = {
    "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
    "vocab_size": 128256, "max_position_embeddings": 131072, "tie_word_embeddings": False,
}  # fmt: skip


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_project(tmp_path_factory.mktemp("sound"))


def with_error(root: Path) -> None:
    gpu = root / "catalog" / "gpus" / "rtx-3090.yaml"
    gpu.write_text(gpu.read_text().replace("name:", "nmae:", 1))


def with_warning(root: Path) -> None:
    gpu = root / "catalog" / "gpus" / "rtx-4090.yaml"
    gpu.write_text(gpu.read_text() + "renamed_from: [geforce-4090]\n")
    combo = root / "catalog" / "combos" / "2x-rtx-4090.yaml"
    combo.write_text(combo.read_text().replace("gpu: rtx-4090", "gpu: geforce-4090", 1))


def as_it_is(root: Path) -> None:
    assert (root / "catalog").is_dir()


def shell(root: Path, words: str, redirected: str) -> subprocess.CompletedProcess[bytes]:
    script = f'exec "{sys.executable}" -m sitegen --root "{root}" {words} {redirected}'
    return subprocess.run(
        ["bash", "-c", script],
        check=False,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        timeout=120,
    )


@pytest.mark.parametrize("loud", [(), ("-q",), ("-v",)], ids=["", "quiet", "verbose"])
@pytest.mark.parametrize(
    "case",
    [
        (as_it_is, ("check",), 0),
        (with_warning, ("check",), 0),
        (with_error, ("check",), 1),
        (with_error, ("build", "--jobs", "1"), 1),
        (as_it_is, ("check", "--formt"), 2),
        (as_it_is, ("fit", "no-such-model", "2x-rtx-4090"), 2),
    ],
)
def test_a_status_is_the_same_however_much_is_said(
    lent: Path,
    case: tuple[Callable[[Path], None], tuple[str, ...], int],
    loud: tuple[str, ...],
) -> None:
    state, arguments, status = case
    root = lent
    state(root)
    first = run("--root", root, *loud, *arguments)
    again = run("--root", root, *loud, *arguments)
    assert (first.status, again.status) == (status, status), first.err
    assert first.out == again.out
    assert "Traceback" not in first.err


def test_a_crash_is_status_2_and_an_interrupt_130(
    sound: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for error, status in ((RuntimeError("ours"), 2), (KeyboardInterrupt(), 130)):

        def fail(*_: object, error: BaseException = error, **__: object) -> None:
            raise error

        monkeypatch.setattr("sitegen.inputs.read_project", fail)
        for loud in ((), ("-q",), ("-v",)):
            done = run("--root", sound, *loud, "check")
            assert done.status == status
            assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("redirected", "status"),
    [(">&-", 0), ("2>&-", 0), ("<&- >&- 2>&-", 0), ("2>/dev/full", 0), (">/dev/full", 2)],
)
def test_streams_that_are_closed_or_full_end_in_no_traceback(
    sound: Path, redirected: str, status: int
) -> None:
    done = shell(sound, "check --format json", redirected)
    assert done.returncode == status
    assert b"Traceback" not in done.stdout + done.stderr
    assert b"internal error" not in done.stdout + done.stderr


def test_problems_are_status_1_where_nobody_can_hear_them(lent: Path) -> None:
    with_error(lent)
    assert shell(lent, "check", ">&- 2>&-").returncode == 1
    assert shell(lent, "chek", "2>/dev/full").returncode == 2


def test_no_file_takes_the_number_of_a_closed_stream(sound: Path) -> None:
    program = (
        "import os, sys\n"
        "from sitegen.cli.exits import _open_streams\n"
        "_open_streams()\n"
        "number = os.open('/dev/zero', os.O_RDONLY)\n"
        "sys.stdout.write('x'); sys.stderr.write('x'); assert sys.stdin.read() == ''\n"
        "os._exit(number)\n"
    )
    done = subprocess.run(
        ["bash", "-c", f'exec "{sys.executable}" -c "$0" <&- >&- 2>&-', program],
        check=False,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    assert done.returncode > 2
    assert sound.is_dir()


def test_a_user_without_a_home_may_publish_and_a_mount_is_refused_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nobody)
    with publishing(tmp_path / "site") as publisher:
        publisher.finish({"index.html": b"x"})
    assert (tmp_path / "site" / "index.html").read_bytes() == b"x"
    monkeypatch.setattr(Path, "is_mount", lambda path: path == tmp_path / "volume")
    (tmp_path / "volume").mkdir()
    words = "sitegen cannot replace a mount point; choose a folder in"
    with pytest.raises(PublishError, match=words), publishing(tmp_path / "volume"):
        pytest.fail("began to publish")


@pytest.mark.parametrize("missing", ["orjson", "jinja2", "PIL", "pydantic"])
def test_a_package_that_is_missing_is_named_with_the_way_out(
    sound: Path, tmp_path: Path, missing: str
) -> None:
    program = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from sitegen.cli.exits import run_safely; from sitegen.cli.group import cli\n"
        "sys.exit(run_safely(cli, sys.argv[1:]))\n"
    )
    words = ["--root", str(sound), "build", "--jobs", "1", "--out", str(tmp_path / "site")]
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        timeout=120,
    )
    assert done.returncode == 2
    assert f"module '{missing}" in done.stderr
    assert "pip install sitegen" in done.stderr
    assert "internal error" not in done.stderr
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"rope_scaling": {"factor": float("inf"), "type": "yarn"}}, "rope_scaling.factor"),
        ({"rope_scaling": {"factor": float("nan"), "type": "yarn"}}, "rope_scaling.factor"),
        ({"max_position_embeddings": 10**309}, "max_position_embeddings"),
        ({"hidden_size": 10**309}, "hidden_size"),
        ({"hidden_size": 2**29, "vocab_size": 2**29}, "the config adds up to"),
        ({"vocab_size": 10**16}, "vocab_size"),
        (
            {"model_type": "mixtral", "num_local_experts": 8, "num_experts_per_tok": 10**6},
            "1,000,000 of 8 experts cannot be active",
        ),
    ],
)
def test_a_number_of_a_config_beyond_reason_is_refused_by_its_key(
    sound: Path, tmp_path: Path, change: dict[str, object], key: str
) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps({**LLAMA, **change}))
    done = run("--root", sound, "fit", "--config", config, "--quantization", "bf16", "2x-rtx-4090")
    assert done.status == 2
    assert key in done.err
    assert "internal error" not in done.err


def test_a_kind_of_scaling_that_is_no_word_is_none(sound: Path, tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps({**LLAMA, "rope_scaling": {"factor": 2, "type": []}}))
    done = run("--root", sound, "fit", "--config", config, "--quantization", "bf16", "2x-rtx-4090")
    assert done.status == 0, done.err


def test_a_config_comes_through_a_pipe_and_nobody_waits_for_one_that_never_does(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sitegen.cli.questions.fit_request.PIPE_WAIT_S", 0.2)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    words = ("--quantization", "bf16", "2x-rtx-4090")
    done = run("--root", sound, "fit", "--config", pipe, *words)
    assert done.status == 2
    assert "no input for" in done.err
    with subprocess.Popen(["bash", "-c", f"sleep 0.1; cat > {pipe}"], stdin=subprocess.PIPE) as cat:
        assert cat.stdin is not None
        cat.stdin.write(json.dumps(LLAMA).encode())
        cat.stdin.close()
        monkeypatch.setattr("sitegen.cli.questions.fit_request.PIPE_WAIT_S", 10)
        done = run("--root", sound, "fit", "--config", pipe, *words)
        if cat.poll() is None:
            cat.send_signal(signal.SIGTERM)
    assert done.status == 0, done.err


@pytest.mark.parametrize(
    "option",
    [("--context", "9" * 24), ("--sequences", "9" * 24), ("--gpu-memory-utilization", "1e-300")],
)
def test_an_option_beyond_reason_is_out_of_range(sound: Path, option: tuple[str, str]) -> None:
    done = run("--root", sound, "fit", "qwen3-8b", "2x-rtx-4090", "--runtime", "vllm", *option)
    assert done.status == 2
    assert "not in the range" in done.err


def test_a_system_without_file_locks_is_told_what_works(capsys: pytest.CaptureFixture[str]) -> None:
    @click.command()
    def command() -> None:
        raise ModuleNotFoundError("No module named 'fcntl'", name="fcntl")

    assert run_safely(command, []) == 2
    assert "on Windows, run it in WSL" in capsys.readouterr().err


def test_nothing_is_written_through_a_link_of_the_catalog(lent: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    shutil.rmtree(lent / "catalog" / "gpus")
    (lent / "catalog" / "gpus").symlink_to(tmp_path / "elsewhere")
    done = run("--root", lent, "new", "gpu", "rtx-9999")
    assert done.status == 2
    assert "does not follow links" in done.err
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_foreign_files_are_told_before_the_work_and_a_lock_that_stays_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "site"
    with publishing(out) as publisher:
        publisher.finish({"index.html": b"x"})
    (out / "mine.txt").write_text("x")
    with pytest.raises(PublishError, match=r"\(1\): 'mine\.txt'"), publishing(out):
        pytest.fail("began to publish")
    (out / "mine.txt").unlink()
    unlink = Path.unlink

    def refused(path: Path, *, missing_ok: bool = False) -> None:
        if path.name.endswith(".lock"):
            raise PermissionError(1, "Operation not permitted", str(path))
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", refused)
    with publishing(out) as publisher:
        publisher.finish({"index.html": b"y"})
    assert (out / "index.html").read_bytes() == b"y"


def test_a_word_of_five_thousand_characters_is_not_echoed(sound: Path) -> None:
    option = "--" + "x" * 5_000
    done = run("--root", sound, "lint-command", "--command", f"vllm serve a {option}")
    assert done.status == 0
    assert "1 option is unknown" in done.err
    assert max(map(len, (done.out + done.err).splitlines())) < 1_200 + 200


def files_below(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("broken", "named"),
    [
        ("sitegen.pipeline.surveys.survey_combo", "from catalog/combos/2x-rtx-3090-nvlink.yaml"),
        ("sitegen.pipeline.pages.render_page", " from c"),
        ("sitegen.site.pages.combo.pages", "while making the pages of "),
    ],
)
def test_an_error_of_ours_names_what_it_was_about_and_the_old_site_stands(
    lent: Path, monkeypatch: pytest.MonkeyPatch, broken: str, named: str
) -> None:
    words = ("--root", lent, "build", "--jobs", "1", "--no-store")
    assert run(*words).status == 0
    published = files_below(lent / "public")
    assert any(path.suffix == ".json" for path in published)

    def fail(*_: object) -> None:
        raise ZeroDivisionError("division by zero")

    fail.__module__ = "sitegen.site.pages.combo"
    monkeypatch.setattr(broken, fail)
    done = run(*words)
    assert done.status == 2
    assert named in done.err
    assert "ZeroDivisionError: division by zero" in done.err
    assert "Traceback" not in done.err
    assert files_below(lent / "public") == published
