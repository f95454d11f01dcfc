"""``sitegen here``, and the commands that ask about this machine."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sitegen.cli import machine_tools
from sitegen.cli.questions import this_machine
from tests.cli.small_project import REPOSITORY, run
from tests.here.machines import RECORDED

BRIDGED = f"here:{RECORDED / '2x-rtx-3090-nvlink'}"
IDLE = """\
index, name, memory.total [MiB], memory.free [MiB], pcie.link.gen.max, pcie.link.width.current
0, NVIDIA GeForce RTX 3090, 24576 MiB, 24000 MiB, 4, 8
1, NVIDIA GeForce RTX 3090, 24576 MiB, 24000 MiB, 4, 8
"""


@pytest.fixture
def idle(tmp_path: Path) -> Path:
    """A recording of two GPUs that nobody uses, in a folder beside the project."""
    folder = tmp_path / "machine"
    folder.mkdir()
    (folder / "nvidia-smi-query.csv").write_text(IDLE, encoding="utf-8")
    topology = "\tGPU0\tGPU1\nGPU0\t X \tPHB\nGPU1\tPHB\t X \n"
    (folder / "nvidia-smi-topo.txt").write_text(topology, encoding="utf-8")
    (folder / "meminfo.txt").write_text(
        "MemTotal: 65000000 kB\nMemAvailable: 60000000 kB\n", encoding="utf-8"
    )
    return folder


@pytest.fixture
def project(lent: Path) -> Path:
    return lent


def test_a_machine_without_tools_says_so_and_is_no_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(machine_tools, "BESIDE", str(tmp_path))
    this_machine._asked.cache_clear()
    done = run("--root", REPOSITORY, "here")
    this_machine._asked.cache_clear()
    assert done.status == 0
    assert "nvidia-smi" not in done.out
    assert "Sources" in done.out


def test_a_tool_that_fails_or_hangs_has_no_output(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, body in (("lspci", "exit 1"), ("nvidia-smi", "echo never; exec sleep 60")):
        tool = tmp_path / name
        tool.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setattr(machine_tools, "SECONDS", 0.2)
    found = machine_tools.asked()
    assert not {"lspci.txt", "nvidia-smi.txt", "nvidia-smi-query.csv"} & set(found)


def test_the_text_and_the_json_say_the_same(idle: Path) -> None:
    text = run("--root", REPOSITORY, "here", "--from", idle)
    found = json.loads(run("--root", REPOSITORY, "here", "--from", idle, "--format", "json").out)
    assert text.status == 0
    assert [one["ids"] for one in found["gpus"]] == [["rtx-3090"], ["rtx-3090"]]
    assert found["gpus"][0]["free_bytes"] == 24000 * 2**20
    assert found["between_gpus"] == "PCIe 4.0 x8 (pcie-4-x8)"
    assert found["processor"] is None
    for words in ("23.4 GiB free", "PCIe 4.0 x8 (pcie-4-x8)", "unknown: no tool reports it"):
        assert words in text.out


def test_a_recording_can_be_read_again_and_has_no_serials(idle: Path, tmp_path: Path) -> None:
    table = "GPU 0: RTX (UUID: GPU-00112233-0011-0011-0011-001122334455)\n"
    (idle / "nvidia-smi-nvlink.txt").write_text(table, encoding="utf-8")
    copy = tmp_path / "copy"
    first = run("--root", REPOSITORY, "here", "--from", idle, "--record", copy)
    again = run("--root", REPOSITORY, "here", "--from", copy)
    assert (first.status, first.out) == (0, again.out)
    assert "GPU-removed" in (copy / "nvidia-smi-nvlink.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["", "absent"])
def test_a_folder_without_recordings_is_told(name: str, tmp_path: Path) -> None:
    done = run("--root", REPOSITORY, "here", "--from", tmp_path / name)
    assert done.status == 2
    assert "Traceback" not in done.err


def test_fit_counts_the_free_memory_and_the_link_that_were_read(project: Path, idle: Path) -> None:
    as_combo = run("--root", project, "fit", "qwen3-8b", f"here:{idle}", "--json")
    as_gpu = run("--root", project, "fit", "qwen3-8b", "--gpu", f"here:{idle}", "--json")
    assert (as_combo.status, as_gpu.status) == (0, 0)
    judged = json.loads(as_combo.out)
    assert judged["fit"] == json.loads(as_gpu.out)["fit"]
    assert judged["fit"]["tier"] == "comfortable"
    busy = run("--root", project, "fit", "qwen3-8b", BRIDGED, "--json")
    assert json.loads(busy.out)["fit"]["tier"] == "not-practical"
    assert busy.err.count("1.5 of 24.0 GiB are free") == 1


def test_what_is_typed_beside_here_counts(project: Path, idle: Path) -> None:
    words = ["--gpu", f"here:{idle}", "--node-link", "pcie-3-x4", "--ram-gib", "8"]
    assert run("--root", project, "fit", "qwen3-8b", *words).status == 0
    twice = run("--root", project, "fit", "qwen3-8b", "--gpu", "rtx-3090", "--gpu", f"here:{idle}")
    assert twice.status == 2
    assert "give no other --gpu" in twice.err
    sized = run("--root", project, "fit", "qwen3-8b", *words[:2], "--unified-memory-gib", "8")
    assert sized.status == 2


def test_recipe_and_bench_plan_run_on_this_machine(project: Path, idle: Path) -> None:
    recipe = run("--root", project, "recipe", "qwen3-8b", f"here:{idle}")
    assert recipe.status == 0
    assert "on this machine (2× RTX 3090)" in recipe.out
    planned = run("--root", project, "bench-plan", f"here:{idle}", "--most", "1")
    assert planned.status == 0
    assert "Measure it" in planned.out
    assert "sitegen new combo --here" in planned.out


def test_a_draft_of_this_machine_needs_no_more_than_its_stand_ins(
    project: Path, idle: Path
) -> None:
    (idle / "dmidecode.txt").write_text(
        "Handle 0x1\nMemory Device\n\tSize: 64 GB\n\tData Width: 64 bits\n"
        "\tBank Locator: P0 CHANNEL A\n\tConfigured Memory Speed: 3200 MT/s\n",
        encoding="utf-8",
    )
    done = run("--root", project, "new", "combo", "--here", "--from", idle, "mine")
    assert (done.status, done.out) == (0, "catalog/combos/mine.yaml\n")
    text = (project / "catalog/combos/mine.yaml").read_text(encoding="utf-8")
    for line in (
        "- {gpu: rtx-3090, count: 2}", "link: pcie-4-x8", "ram_gib: 64",
        "ram_bandwidth_gb_s: 25.6", "os: linux", "REPLACE",
    ):  # fmt: skip
        assert line in text
    checked = run("--root", project, "check", "--ignore", "stand-in")
    assert (checked.status, checked.out) == (0, "")
    assert "warning[stand-in]" in run("--root", project, "check", "--select", "stand-in").out
    assert run("--root", project, "new", "combo", "--here", "--from", idle, "mine").status == 2


def test_a_draft_of_a_gpu_has_what_nvidia_smi_says_and_stand_ins(project: Path) -> None:
    source = RECORDED / "rtx-4080-super" / "nvidia-smi-query.csv"
    done = run("--root", project, "new", "gpu", "--from", source, "rtx-4080-super")
    assert done.status == 0
    text = (project / "catalog/gpus/rtx-4080-super.yaml").read_text(encoding="utf-8")
    for line in ("name: 'RTX 4080 SUPER'", "vram_gib: 16\n", "compute_capability: '8.9'"):
        assert line in text
    checked = run("--root", project, "check", "--ignore", "stand-in")
    assert (checked.status, checked.out) == (0, "")
    assert "warning[stand-in]" in run("--root", project, "check", "--select", "stand-in").out


def test_a_draft_of_a_model_has_its_config_and_stand_ins(project: Path, tmp_path: Path) -> None:
    folder = tmp_path / "own-model"
    folder.mkdir()
    config = {
        "model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192,
        "num_hidden_layers": 16, "num_attention_heads": 32, "num_key_value_heads": 8,
        "vocab_size": 128256, "tie_word_embeddings": True, "max_position_embeddings": 8192,
        "transformers_version": "4.50.0",
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    done = run("--root", project, "new", "model", "--from", folder, "own-model")
    assert done.status == 0
    text = (project / "catalog/models/own-model.yaml").read_text(encoding="utf-8")
    assert "context_tokens: 8192" in text
    assert "transformers_version" not in text
    checked = run("--root", project, "check", "--ignore", "stand-in")
    assert (checked.status, checked.out) == (0, "")
    assert "warning[stand-in]" in run("--root", project, "check", "--select", "stand-in").out


SMALL = {
    "model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100,
    "tie_word_embeddings": True, "max_position_embeddings": 512, "torch_dtype": "bfloat16",
}  # fmt: skip
OF_SMALL = 80_448
HEAD = "lm_head.weight"
SIGHT = "model.vision_tower.patch.weight"


@pytest.mark.parametrize(
    ("config", "metadata", "names", "lines"),
    [
        ({}, {"total_size": 2 * OF_SMALL}, [], ["published_parameters: 80448"]),
        ({}, {"total_size": 2 * (OF_SMALL + 6_400)}, [HEAD], ["published_parameters: 80448"]),
        (
            {"vision_config": {"depth": 2}},
            {"total_size": 2 * (OF_SMALL + 1_000)},
            [SIGHT],
            ["published_parameters: 81448", "vision_parameters: 1000"],
        ),
        (
            {"num_nextn_predict_layers": 1, "quantization_config": {"bits": 4}},
            {"total_parameters": OF_SMALL + 500, "total_size": 1},
            ["model.layers.2.eh_proj.weight"],
            ["published_parameters: 80948", "mtp_parameters: 500"],
        ),
        (
            {},
            {"total_size": 2 * OF_SMALL + 16},
            ["model.layers.0.self_attn.rotary_emb.inv_freq"],
            ["published_parameters: 80448"],
        ),
        (
            {},
            {"total_size": 2 * OF_SMALL + 90_000},
            [SIGHT, "model.mtp.x"],
            ["# The files hold 125,448 parameters, the config adds up to 80,448."],
        ),
        (
            {"vision_config": {"depth": 2}, "num_nextn_predict_layers": 1},
            None,
            [],
            ["# Not counted, because the config does not describe it: vision_parameters and "
             "mtp_parameters."],
        ),
    ],
)  # fmt: skip
def test_a_draft_of_a_model_counts_what_the_list_of_its_files_adds(  # noqa: PLR0917 - a row
    project: Path,
    tmp_path: Path,
    config: dict[str, object],
    metadata: dict[str, int] | None,
    names: list[str],
    lines: list[str],
) -> None:
    (tmp_path / "config.json").write_text(json.dumps(SMALL | config), encoding="utf-8")
    if metadata is not None:
        listed = {"metadata": metadata, "weight_map": dict.fromkeys(names, "a")}
        (tmp_path / "model.safetensors.index.json").write_text(json.dumps(listed), "utf-8")
    done = run("--root", project, "new", "model", "--from", tmp_path / "config.json", "own-model")
    assert done.status == 0
    text = (project / "catalog/models/own-model.yaml").read_text(encoding="utf-8").splitlines()
    said = [line for line in text if "_parameters" in line or "The files hold" in line]
    assert said == lines
    assert "name: own-model" in text, "the name of a file says nothing of the model's"
    assert "checkpoints:  # REPLACE: those that exist" in text
    checked = run("--root", project, "check", "--ignore", "stand-in")
    assert (checked.status, checked.out) == (0, "")
    assert "warning[stand-in]" in run("--root", project, "check", "--select", "stand-in").out


def test_a_draft_without_positions_has_a_context_to_replace(project: Path, tmp_path: Path) -> None:
    config = {key: value for key, value in SMALL.items() if key != "max_position_embeddings"}
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert run("--root", project, "new", "model", "--from", tmp_path, "own-model").status == 0
    text = (project / "catalog/models/own-model.yaml").read_text("utf-8")
    assert "# REPLACE: the config states no length, context_tokens is a placeholder\n" in text
    assert run("--root", project, "check", "--ignore", "stand-in").status == 0


@pytest.mark.parametrize(
    "content", ["", "[]", '{"metadata": 3}', '{"metadata": {"total_size": "x"}}']
)
def test_a_broken_list_of_files_is_no_part_of_a_draft(
    project: Path, tmp_path: Path, content: str
) -> None:
    (tmp_path / "config.json").write_text(json.dumps(SMALL), encoding="utf-8")
    (tmp_path / "model.safetensors.index.json").write_text(content, encoding="utf-8")
    done = run("--root", project, "new", "model", "--from", tmp_path, "own-model")
    assert done.status == 0
    assert "published" not in (project / "catalog/models/own-model.yaml").read_text("utf-8")


@pytest.mark.parametrize(
    "words",
    [
        ["gpu", "--here", "x"],
        ["combo", "--here", "--from", "absent", "x"],
        ["gpu", "--from", "absent", "x"],
        ["model", "--from", "absent", "x"],
        ["combo", "--here", "../x"],
    ],
)
def test_a_draft_that_cannot_be_made_writes_nothing(project: Path, words: list[str]) -> None:
    before = sorted(project.rglob("*"))
    done = run("--root", project, "new", *words)
    assert done.status == 2
    assert "Traceback" not in done.err
    assert sorted(project.rglob("*")) == before
