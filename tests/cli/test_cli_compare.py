"""``sitegen compare``: logs of starts and benchmark files beside the prediction."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.small_project import REPOSITORY, Ran, run, small_project

LOGS = REPOSITORY / "tests" / "importers" / "logs"
BENCH = REPOSITORY / "tests" / "importers" / "files"


def compared(*words: str | Path, root: Path = REPOSITORY) -> Ran:
    return run("--root", root, "compare", *words)


def test_a_start_of_vllm_lies_beside_its_prediction_line_by_line() -> None:
    done = compared(
        LOGS / "vllm.log", "--combo", "8x-h100-sxm", "--gpus", "4", "--date", "2026-04-23"
    )
    assert done.status == 0, done.err
    rows = {line.split("  ")[0]: line for line in done.out.splitlines() if "GiB" in line}
    assert "53.1 GiB" in rows["Weights per GPU"]
    assert "16.8 GiB" in rows["KV pool, predicted without logged values"]
    assert "3.2 GiB" in rows["Activation peak"]
    assert "2.2 GiB" in rows["Memory outside the allocator"]
    assert "1.1 GiB" in rows["CUDA graphs"]
    assert "outside its interval" not in done.out
    assert "It started; the verdict is borderline: as predicted." in done.out
    assert "Largest difference: " in done.out


def test_a_start_of_llama_cpp_is_compared_by_its_buffers() -> None:
    done = compared(
        LOGS / "llama.log", "--combo", "1x-rtx-3090", "--model", "llama-3-8b-instruct",
        "--quantization", "Q4_K_M", "--date", "2024-05-10",
    )  # fmt: skip
    assert done.status == 0, done.err
    for name in ("Model buffers", "KV buffers", "Compute buffer"):
        assert f"\n{name} " in done.out
    assert "No figure differs by more than its last digit." in done.out


def test_a_start_of_sglang_says_what_it_cannot_compare() -> None:
    done = compared(LOGS / "sglang.log", "--combo", "1x-h100-sxm", "--date", "2026-02-09")
    assert done.status == 0, done.err
    assert "128 KiB" in done.out
    assert "20,480 tokens" in done.out
    assert "CUDA graphs: version not stated." in done.out


def test_a_pool_that_is_too_small_is_explained_by_what_comes_before_it(tmp_path: Path) -> None:
    text = (LOGS / "vllm.log").read_text("utf-8").replace("16.75 GiB", "6.75 GiB")
    log = tmp_path / "start.log"
    log.write_text(text, encoding="utf-8")
    done = compared(log, "--combo", "8x-h100-sxm", "--gpus", "4", "--date", "2026-04-23")
    last = done.out.strip().splitlines()[-1]
    assert last.startswith("Largest difference: KV pool, predicted without logged values, +")
    assert "outside its interval" in last
    assert "Predicted against logged: weights per GPU " in last


def test_a_contribution_is_a_record_that_passes_the_check(tmp_path: Path) -> None:
    root = small_project(tmp_path)
    words = (
        LOGS / "llama.log", "--combo", "2x-rtx-3090-nvlink", "--gpus", "1",
        "--model", "llama-3.1-8b-instruct", "--quantization", "q4-k-m", "--date", "2024-05-10",
        "--contribute",
    )  # fmt: skip
    done = compared(*words, root=root)
    assert done.status == 0, done.err
    path = root / done.out.strip().splitlines()[-1]
    assert path.parent == root / "catalog/measurements"
    record = path.read_text("utf-8")
    assert "model_gpu_mib: [4403.49]" in record
    assert "compute_gpu_mib: [560.0]" in record
    assert str(tmp_path) not in record
    checked = run("--root", root, "check")
    assert checked.status == 0, checked.out
    again = compared(*words, root=root)
    assert again.status == 0
    assert path.read_text("utf-8") == record


def test_nothing_is_written_unless_it_is_asked_for(tmp_path: Path) -> None:
    root = small_project(tmp_path)
    done = compared(
        LOGS / "llama.log", "--combo", "2x-rtx-3090-nvlink", "--gpus", "1",
        "--model", "llama-3.1-8b-instruct", "--quantization", "q4-k-m", "--date", "2024-05-10",
        root=root,
    )  # fmt: skip
    assert done.status == 0
    assert not (root / "catalog/measurements").exists()
    assert "--contribute writes a record of it" in done.err


def test_a_benchmark_file_is_compared_by_its_rates() -> None:
    done = compared(
        BENCH / "llama-bench" / "bench.json", "--combo", "1x-rtx-3090", "--model", "qwen3-8b",
        "--quantization", "Q4_K_M", "--runtime", "llama-cpp", "--despite", "model",
        "--despite", "gpu", "--despite", "quantization", "--despite", "backend",
    )  # fmt: skip
    assert done.status == 0, done.err + done.out
    assert "Decode, one stream" in done.out
    assert "tokens/s" in done.out
    assert "Largest difference: " in done.out


@pytest.mark.parametrize(
    ("text", "words", "status", "says"),
    [
        ("nothing of interest\n", (), 1, "it is in none of the formats that sitegen reads"),
        ("load_tensors: loading\n", ("--combo", "1x-rtx-3090"), 1, "it says nothing of memory"),
    ],
)
def test_a_file_that_says_nothing_is_a_problem_with_its_place(
    text: str, words: tuple[str, ...], status: int, says: str, tmp_path: Path
) -> None:
    log = tmp_path / "some.log"
    log.write_text(text, encoding="utf-8")
    done = compared(log, *words)
    assert done.status == status
    assert says in done.err
    assert "some.log:1:1" in done.err


def test_a_log_without_a_day_or_hardware_is_asked_about(tmp_path: Path) -> None:
    done = compared(LOGS / "sglang.log", "--combo", "1x-h100-sxm")
    assert done.status == 2
    assert "--date" in done.err
    done = compared(LOGS / "sglang.log", "--date", "2026-02-09")
    assert done.status == 2
    assert "--combo" in done.err
    done = compared(tmp_path / "absent.log")
    assert done.status == 2
    assert "no such file" in done.err


def test_a_runtime_that_does_not_log_like_that_is_refused() -> None:
    done = compared(
        LOGS / "sglang.log", "--combo", "1x-h100-sxm", "--date", "2026-02-09",
        "--runtime", "llama-cpp",
    )  # fmt: skip
    assert done.status == 2
    assert "the log comes from SGLang, not from llama.cpp" in done.err
