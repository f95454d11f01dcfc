"""``sitegen recipe``: what is printed can be pasted, and is the plan of ``sitegen fit``."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.small_project import REPOSITORY, Ran, run, small_project

TOO_LONG = ("--context", "40960", "--sequences", "500")
QUESTION = ("qwen3-8b", "2x-rtx-4090", "--runtime", "vllm", "--quantization", "bf16")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_project(tmp_path_factory.mktemp("recipe"))


def test_the_sizes_printed_are_those_of_the_plan(root: Path) -> None:
    done = run("--root", str(root), "recipe", *QUESTION, "--tensor-parallel", "2")
    assert done.status == 0
    assert "--tensor-parallel-size 2" in done.out
    assert "MODEL=Qwen/Qwen3-8B" in done.out
    assert done.err == ""


def test_32_bits_are_asked_for_of_the_models_own_files(root: Path) -> None:
    question = (*QUESTION[:-1], "fp32", "--kv-dtype", "fp8_per_token_head")
    done = run("--root", str(root), "recipe", *question)
    assert done.status == 0
    assert "MODEL=Qwen/Qwen3-8B" in done.out
    assert "--dtype float32" in done.out
    assert "--kv-cache-dtype fp8_per_token_head" in done.out
    assert "--dtype" not in run("--root", str(root), "recipe", *QUESTION).out


def test_the_steps_as_data_name_the_same_assessment_as_fit(root: Path) -> None:
    recipe, *_ = json.loads(run("--root", str(root), "recipe", *QUESTION, "--json").out)
    fitted = json.loads(run("--root", str(root), "fit", *QUESTION, "--json").out)
    assert recipe["assessment"] == fitted["id"]
    for step in recipe["steps"]:
        if step["language"] == "bash":
            checked = subprocess.run(
                ["bash", "-n"], input=step["text"], text=True, capture_output=True, check=False
            )
            assert checked.returncode == 0, step["text"]


def test_a_form_that_does_not_exist_is_a_mistake_with_a_hint(root: Path) -> None:
    done = run("--root", str(root), "recipe", *QUESTION, "--form", "vlm")
    assert done.status == 2
    assert "vllm" in done.err


def test_nothing_to_run_is_said_and_no_failure(root: Path) -> None:
    done = run("--root", str(root), "recipe", *QUESTION, *TOO_LONG)
    assert done.status == 0
    assert "Nothing to run" in done.out


def test_one_pool_alone_is_no_plan(root: Path) -> None:
    done = run("--root", str(root), "recipe", *QUESTION, "--prefill-gpus", "1")
    assert done.status == 2
    assert "--decode-gpus" in done.err


@pytest.mark.parametrize("orchestrator", ["ray-serve", "dynamo", "kserve"])
def test_an_orchestrator_that_is_named_leads_with_its_own_form(
    root: Path, orchestrator: str
) -> None:
    question = ("qwen3-8b", "2x-rtx-4090", "--runtime", orchestrator)
    first, *_ = json.loads(run("--root", str(root), "recipe", *question, "--json").out)
    assert first["id"] == orchestrator
    fitted = json.loads(run("--root", str(root), "fit", *question, "--json").out)
    assert first["assessment"] == fitted["id"]


def test_lm_studio_is_answered_with_plans_that_it_can_run(root: Path) -> None:
    question = ("qwen3-8b", "2x-rtx-4090", "--runtime", "lm-studio")
    first, *_ = json.loads(run("--root", str(root), "recipe", *question, "--json").out)
    assert first["id"] == "lm-studio"
    fitted = json.loads(run("--root", str(root), "fit", *question, "--json").out)
    assert fitted["runtime"]["id"] == "llama-cpp"
    cut = run("--root", str(root), "fit", *question, "--tensor-parallel", "2", "--json")
    assert json.loads(cut.out)["fit"]["reasons"][0]["code"] == "TP_UNSUPPORTED"


def test_an_orchestrator_that_downloads_what_it_serves_says_that_nothing_can_be_downloaded(
    root: Path,
) -> None:
    question = ("qwen3-8b", "2x-rtx-4090", "--quantization", "gptq-4bit-g128")
    done = run("--root", str(root), "recipe", *question, "--runtime", "dynamo")
    assert (done.status, done.out) == (2, "")
    said = " ".join(done.err.split())
    assert (
        "--runtime: NVIDIA Dynamo: it downloads the model itself, and we know no repository" in said
    )
    assert "Qwen3 8B at GPTQ 4-bit g128" in said
    plain = run("--root", str(root), "recipe", *question, "--runtime", "vllm")
    assert plain.status == 0
    assert "vllm serve" in plain.out


def test_an_orchestrator_has_nothing_to_run_where_no_plan_of_its_engine_fits(root: Path) -> None:
    done = run("--root", str(root), "recipe", *QUESTION[:2], "--runtime", "dynamo", *TOO_LONG)
    assert done.status == 0
    assert "Nothing to run" in done.out


def test_a_combo_that_was_made_for_an_orchestrator_leads_with_it() -> None:
    words = ("recipe", "qwen3-8b", "4-nodes-2x-rtx-4090-ray-serve", "--json")
    first, *_ = json.loads(run("--root", str(REPOSITORY), *words).out)
    assert first["id"] == "ray-serve"


SEVERAL = ("2x-rtx-4090", "qwen3-8b", "qwen3-8b", "--quantization", "bf16")


def test_a_combo_and_two_models_run_on_gpus_and_ports_of_their_own(root: Path) -> None:
    done = run("--root", str(root), "recipe", *SEVERAL, "--runtime", "vllm")
    assert done.status == 0
    assert "CUDA_VISIBLE_DEVICES=0 vllm serve" in done.out
    assert "CUDA_VISIBLE_DEVICES=1 vllm serve" in done.out
    assert "--port 8000" in done.out
    assert "--port 8001" in done.out


def test_models_that_do_not_fit_together_are_said_with_what_each_needs(root: Path) -> None:
    done = run("--root", str(root), "recipe", *SEVERAL[:3], "qwen3-8b", *SEVERAL[3:])
    assert done.status == 0
    assert "do not fit together on the 2 GPUs of 2x-rtx-4090" in done.out
    assert "qwen3-8b alone needs 1" in done.out
    one = ("1x-rtx-4090", "qwen3-32b", "gpt-oss-20b")
    assert "on the 1 GPU of" in run("--root", REPOSITORY, "recipe", *one).out


@pytest.mark.parametrize(
    "option", [["--tensor-parallel", "2"], ["--prefill-gpus", "1"], ["--users", "4"]]
)
def test_an_option_for_one_model_is_refused_for_two(root: Path, option: list[str]) -> None:
    done = run("--root", str(root), "recipe", *SEVERAL, *option)
    assert done.status == 2
    assert option[0] in done.err


def folder_asked(folder: Path, *more: str) -> Ran:
    words = ("recipe", "qwen3-8b", "1x-rtx-4090", "--runtime", "vllm", "--out", str(folder))
    return run("--root", REPOSITORY, *words, *more)


def test_a_recipe_is_written_as_a_folder(tmp_path: Path) -> None:
    done = folder_asked(tmp_path / "qwen")
    assert done.status == 0, done.err
    names = {path.relative_to(tmp_path / "qwen").as_posix() for path in tmp_path.rglob("*")}
    assert {"run.sh", ".env", "README.md", "compose.yaml", "systemd/vllm.service"} <= names
    assert {line.rpartition("/")[2] for line in done.out.splitlines()} >= {"run.sh", ".env"}
    assert (tmp_path / "qwen/run.sh").stat().st_mode & 0o111
    assert (tmp_path / "qwen/.env").stat().st_mode & 0o777 == 0o600
    assert "this is the form vllm; choose another with --form: infernet" in done.err


def test_a_folder_is_not_written_over_unless_it_is_said(tmp_path: Path) -> None:
    assert folder_asked(tmp_path).status == 0
    (tmp_path / "run.sh").write_text("my own\n", encoding="utf-8")
    (tmp_path / ".env").write_text("HOST=10.1.2.3\n", encoding="utf-8")
    refused = folder_asked(tmp_path)
    assert refused.status == 2
    assert (
        "already contains other files with these names: run.sh (replace them with --force)"
        in refused.err
    )
    assert (tmp_path / "run.sh").read_text("utf-8") == "my own\n"
    forced = folder_asked(tmp_path, "--force")
    assert forced.status == 0
    assert (tmp_path / "run.sh").read_text("utf-8").startswith("#!")
    assert (tmp_path / ".env").read_text("utf-8") == "HOST=10.1.2.3\n"
    assert "kept: " in forced.err


def test_the_same_folder_again_is_no_fault(tmp_path: Path) -> None:
    assert folder_asked(tmp_path).status == 0
    assert folder_asked(tmp_path).status == 0


def test_no_folder_is_made_where_nothing_can_be_run(tmp_path: Path) -> None:
    words = ("recipe", "deepseek-r1", "1x-rtx-4090", "--runtime", "vllm")
    done = run("--root", REPOSITORY, *words, "--out", tmp_path / "none")
    assert done.status == 2
    assert "Nothing to run" in done.err
    assert not (tmp_path / "none").exists()


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = folder_asked(tmp_path / "file")
    assert done.status == 2
    assert "is not a folder" in done.err
