"""GPUs that a container is given: by their names, or as many as are counted."""

from __future__ import annotations

import pytest

from tests.lint.support import codes, found, linted, only

PAIR = "2x-rtx-4090"
SERVICE = """\
  {name}:
    image: vllm/vllm-openai:v0.33.0
    command: [--model, Qwen/Qwen3-8B, --tensor-parallel-size, '{size}', --max-model-len, '8192']
    deploy:
      resources:
        reservations:
          devices:
          - {{{device}, capabilities: [gpu]}}
"""


def composed(device: str, size: int = 2, services: int = 1) -> str:
    """Write a compose file whose services are given a device each."""
    names = "abc"[:services]
    listed = [SERVICE.format(name=name, size=size, device=device) for name in names]
    return "services:\n" + "".join(listed)


@pytest.mark.parametrize(
    "device",
    ["driver: nvidia, count: 1", "driver: nvidia, count: '1'", "count: 1",
     "driver: nvidia, device_ids: ['0']"],
)  # fmt: skip
def test_a_service_with_one_gpu_has_no_room_for_a_plan_of_two(device: str) -> None:
    problem = only(composed(device), "yaml", PAIR)
    assert problem.code == "visible-gpus"
    assert problem.message == "the plan needs 2 GPUs (tensor 2), but the process sees 1: 0"
    assert codes(composed(device, size=1), "yaml", PAIR) == []


@pytest.mark.parametrize(
    "device",
    ["driver: nvidia, count: 2", "driver: nvidia, count: all", "driver: nvidia",
     "driver: nvidia, count: ${GPUS}", "driver: amd, count: 1", "count: 1000000000000"],
)  # fmt: skip
def test_enough_gpus_all_and_what_nobody_knows_are_left_alone(device: str) -> None:
    assert codes(composed(device), "yaml", PAIR) == []


def test_docker_gives_every_service_the_first_gpus() -> None:
    both = found(composed("driver: nvidia, count: 1", size=1, services=2), "yaml", PAIR)
    assert [one.code for one in both] == ["shared-gpu"]
    named = composed("driver: nvidia, device_ids: ['0']", size=1)
    named += SERVICE.format(name="b", size=1, device="driver: nvidia, device_ids: ['1']")
    assert codes(named, "yaml", PAIR) == []


RUN = "{} vllm/vllm-openai:v0.33.0 --model Qwen/Qwen3-8B -tp 2 --max-model-len 8192"


@pytest.mark.parametrize(
    ("started", "expected"),
    [("docker run --gpus 1", ["visible-gpus"]), ("docker run --gpus=1", ["visible-gpus"]),
     ("docker run --gpus 2", []), ("docker run --gpus all", []), ('docker run --gpus "$GPUS"', [])],
)  # fmt: skip
def test_a_container_that_is_run_is_held_to_its_number(started: str, expected: list[str]) -> None:
    assert codes(RUN.format(started), combo=PAIR) == expected


def test_gpus_of_slurm_may_be_those_of_several_nodes() -> None:
    text = "srun --gpus=16 vllm serve Qwen/Qwen3-8B -tp 2 --max-model-len 8192"
    assert codes(text, combo=PAIR) == []


REST = "Qwen/Qwen3-8B --max-model-len 8192"
STARTED = "docker run --gpus all{} vllm/vllm-openai:latest {}"
MODULE = "python3 -m vllm.entrypoints.openai.api_server"


@pytest.mark.parametrize("twice", ["vllm serve", "serve", MODULE])
def test_an_image_starts_its_server_once(twice: str) -> None:
    """Otherwise it stops, as in vLLM issue 37133: ``unrecognized arguments: serve …``."""
    rest = REST if twice != MODULE else f"--model {REST}"
    texts = {
        STARTED.format("", f"{twice} {rest}"): "bash",
        f"services:\n  a:\n    image: vllm/vllm-openai\n    command: {twice} {rest}\n": "yaml",
        f"a:\n- image: vllm/vllm-openai\n  args: {[*twice.split(), *rest.split()]}\n": "yaml",
    }
    for text, kind in texts.items():
        problem = only(text, kind)
        assert (problem.code, problem.hint) == (
            "extra-argument",
            f"delete {twice!r}: only the model and its options follow the image",
        )


def test_what_replaces_an_entrypoint_starts_the_server() -> None:
    assert codes(STARTED.format("", REST)) == []
    assert codes(STARTED.format(" --entrypoint vllm", f"serve {REST}")) == []
    assert (
        codes(STARTED.format("", f"serve {REST}").replace("vllm/vllm-openai", "a/vllm-openai"))
        == []
    )
    compose = (
        "services:\n  a:\n    image: vllm/vllm-openai\n    entrypoint: vllm\n    command: serve"
    )
    assert codes(f"{compose} {REST}\n", "yaml") == []
    pod = f"a:\n- image: vllm/vllm-openai\n  command: [vllm, serve]\n  args: {REST.split()}\n"
    assert codes(pod, "yaml") == []


@pytest.mark.parametrize(
    "text",
    ["docker run ghcr.io/ggml-org/llama.cpp:server-cuda-{build} -m a.gguf --ctx-sizee 4096",
     "# ghcr.io/ggml-org/llama.cpp:server-cuda-{build}\nllama-server -m a.gguf --ctx-sizee 4096"],
)  # fmt: skip
def test_the_build_whose_options_were_read_is_known_by_its_number(text: str) -> None:
    known = linted(text.format(build="b11312"))
    assert [one.code for one in known.problems] == ["unknown-option"]
    assert known.other_versions == 0
    other = linted(text.format(build="b9049"))
    assert (other.problems, other.other_versions) == ((), 1)
