"""``sitegen check FILE``: a record alone, in a moment, and never less true than the whole check."""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from sitegen.cli.commands import check_command
from tests.cli.small_project import run, run_process


@pytest.fixture
def gpu(lent: Path) -> Path:
    return lent / "catalog" / "gpus" / "rtx-3090.yaml"


def root_of(path: Path) -> Path:
    return path.parents[2]


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse to read all other files."""

    def refused(*_: object, **__: object) -> None:
        raise AssertionError("everything was read")

    monkeypatch.setattr(check_command, "_problems", refused)


def changed(old: str, new: str) -> Callable[[str], str]:
    def edit(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return edit


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("folder", ["gpus", "combos", "models", "runtimes", "quantizations"])
def test_a_record_in_order_is_read_alone(gpu: Path, folder: str) -> None:
    paths = sorted((root_of(gpu) / "catalog" / folder).glob("*.yaml"))
    done = run("--root", root_of(gpu), "check", *paths)
    assert done.status == 0, done.out
    assert f"{len(paths)} file" in done.err
    assert paths


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(
    ("edit", "code"),
    [
        (changed("name:", "nmae:"), "unknown-key"),
        (changed("vendor: nvidia", "vendor: nvidja"), "not-a-choice"),
        (changed("vram_gib: 24", "vram_gib: lots"), "wrong-type"),
        (changed("vram_gib: 24", "vram_gib: 24576"), "segment-figure"),
        (changed("int8_tops: 284.8", "int8_tops: 2848"), "rate-ratio"),
        (changed("# yaml-language-server", "# editor"), "modeline"),
        (changed("name: ", "name: 'unclosed"), "yaml-syntax"),
    ],
)
def test_a_mistake_of_a_record_is_found_alone(
    gpu: Path, edit: Callable[[str], str], code: str
) -> None:
    gpu.write_text(edit(gpu.read_text()))
    done = run("--root", root_of(gpu), "check", gpu, "--format", "concise")
    assert done.status == 1
    assert f"[{code}]" in done.out
    assert all(line.startswith("catalog/gpus/rtx-3090.yaml:") for line in done.out.splitlines())


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("figure", ["2848", "284.8"])
def test_an_excuse_is_taken_alone_and_nobody_knows_whether_it_is_needed(
    gpu: Path, figure: str
) -> None:
    excused = f"int8_tops: {figure}  # sitegen: ignore[rate-ratio] a page says so"
    gpu.write_text(gpu.read_text().replace("int8_tops: 284.8", excused))
    done = run("--root", root_of(gpu), "check", gpu)
    assert (done.status, done.out) == (0, "")


@pytest.mark.usefixtures("alone")
def test_the_prose_of_a_combo_is_judged_alone(gpu: Path) -> None:
    combo = root_of(gpu) / "catalog" / "combos" / "2x-rtx-4090.yaml"
    combo.write_text(combo.read_text().replace("summary: ", "summary: About 48 GB. ", 1))
    done = run("--root", root_of(gpu), "check", combo)
    assert "error[prose-states-number]" in done.out


def test_an_id_that_no_file_has_is_judged_by_the_whole_check(gpu: Path) -> None:
    combo = next((root_of(gpu) / "catalog" / "combos").glob("*.yaml"))
    combo.write_text(combo.read_text().replace("gpu: rtx", "gpu: rxt", 1))
    gpu.write_text(gpu.read_text().replace("name:", "nmae:", 1))
    done = run("--root", root_of(gpu), "check", combo, "--format", "concise")
    assert done.status == 1
    assert "[unknown-gpu]" in done.out
    assert "nmae" not in done.out


def test_a_text_is_judged_with_all_others_and_answers_for_itself(gpu: Path) -> None:
    settings = root_of(gpu) / "content" / "site.yaml"
    settings.write_text(settings.read_text() + "nonsense: 1\n")
    gpu.write_text(gpu.read_text().replace("name:", "nmae:", 1))
    done = run("--root", root_of(gpu), "check", settings, "--format", "concise")
    assert done.status == 1
    assert "nonsense" in done.out
    assert "nmae" not in done.out


def test_a_file_is_named_as_problems_name_it_or_from_where_one_is(
    gpu: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpu.write_text(gpu.read_text().replace("name:", "nmae:", 1))
    root = root_of(gpu)
    below = root / "content"
    monkeypatch.chdir(below)
    for name in (f"catalog/gpus/{gpu.name}", f"../catalog/gpus/{gpu.name}"):
        done = run("--root", root, "check", name, "--format", "concise")
        assert done.status == 1, name
        assert f"catalog/gpus/{gpu.name}:" in done.out


def test_a_file_that_is_not_there_is_a_usage_error(gpu: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.yaml").write_text("name: x")
    for name in (gpu.with_name("none.yaml"), tmp_path.parent, "/etc/hostname"):
        done = run("--root", root_of(gpu), "check", name)
        assert done.status == 2
        assert "no such file" in done.err


def processor_seconds(*arguments: str | Path) -> float:
    """Return the least that three runs of the command line take, whatever else the machine does."""
    took: list[float] = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert run_process(*arguments).status == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(took)


def test_one_file_and_a_thousand_are_checked_within_their_budget(gpu: Path) -> None:
    root = root_of(gpu)
    count = len(list((root / "catalog").rglob("*.yaml")))
    assert processor_seconds("--root", root, "check", gpu) < 0.45, "0.15 on an idle machine"
    whole = processor_seconds("--root", root, "check")
    assert whole * 1_000 / count < 4, "one second for a thousand files on an idle machine"
