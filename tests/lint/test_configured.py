"""Commands wherever configurations hold them: text blocks, charts, custom resources, images."""

from __future__ import annotations

import pytest

from tests.lint.support import codes, found, linted, only

WRONG = "vllm serve Qwen/Qwen3-8B --tensor-paralel-size 2"

GUIDE = """\
model: qwen3-8b
guide: |
  ## Start it

  Install vLLM first.

  ```bash
  {command}
  ```
"""
SWAP = """\
macros:
  fast-server: /opt/llama/llama-server --port 8080
models:
  small:
    cmd: |
      ${fast-server}
      # the whole model on the GPU
      -hf unsloth/Qwen3-8B-GGUF:Q4_K_M
      --gpu-layerz 99
  large:
    cmd: llama-server -hf unsloth/Qwen3-32B-GGUF:Q4_K_M -ngl 99 --ctx-sise 8192
"""
POD = """\
apiVersion: apps/v1
kind: Deployment
spec:
  template:
    spec:
      containers:
      - name: server
        image: {image}
        command: ["/bin/sh", "-c"]
        args:
        - |
          exec vllm serve Qwen/Qwen3-8B --host 0.0.0.0 \\
            {more}
        - "--"
"""
CHART = """\
servingEngineSpec:
  modelSpec:
  - name: big
    repository: vllm/vllm-openai
    modelURL: Qwen/Qwen3-32B
    vllmConfig:
      tensorParallelSize: 6
      maxModelLen: 8192
      extraArgs: ["--hots"]
"""
CUSTOM = """\
apiVersion: kubeai.org/v1
kind: Model
spec:
  engine: VLLM
  url: hf://Qwen/Qwen3-32B
  args: [--max-model-len=999999]
"""
SERVICE = """\
type: service
image: lmsysorg/sglang:latest
commands:
  - export NOTHING=1
  - |
    sglang serve \\
      --model-path Qwen/Qwen3-32B --context-lenght 8192 --host 0.0.0.0
"""


def test_a_fenced_command_in_a_block_of_text_is_read_where_it_stands() -> None:
    problem = only(GUIDE.format(command=WRONG), "yaml")
    assert (problem.code, problem.span.line, problem.span.column) == ("unknown-option", 8, 28)
    assert found(GUIDE.format(command=WRONG.replace("paralel", "parallel")), "yaml") == ()


def test_commands_of_llama_swap_are_one_line_with_its_macros() -> None:
    problems = found(SWAP, "yaml")
    assert [(one.code, one.span.line) for one in problems] == [
        ("unknown-option", 9), ("unknown-option", 11),
    ]  # fmt: skip
    assert linted(SWAP, "yaml").launches == 2


def test_a_script_in_a_pod_has_the_images_version_and_its_own_address() -> None:
    newest = POD.format(image="vllm/vllm-openai:latest", more="--swap-space 4")
    assert codes(newest, "yaml") == ["unknown-option"]
    for image in ("vllm/vllm-openai:v0.10.0", "example.org/inference/serving:v2.1"):
        other = linted(POD.format(image=image, more="--swap-space 4"), "yaml")
        assert (other.problems, other.other_versions) == ((), 1)


@pytest.mark.parametrize(
    ("image", "version"),
    [("vllm/vllm-openai:v0.33.1", True), ("vllm/vllm-openai", True), ("team/vllm:cu129", False)],
)
def test_docker_run_is_held_to_the_version_of_its_image(image: str, *, version: bool) -> None:
    start = "" if version else "vllm serve "
    reported = codes(f"docker run --gpus all {image} {start}Qwen/Qwen3-8B --swap-space 4")
    assert reported == (["unknown-option"] if version else [])


def test_values_of_a_chart_are_a_command() -> None:
    assert sorted(codes(CHART, "yaml")) == ["tensor-split", "unknown-option"]
    assert codes(CUSTOM, "yaml") == ["context-beyond-model"]


def test_commands_of_a_service_follow_each_other_in_its_image() -> None:
    assert codes(SERVICE, "yaml") == ["unknown-option"]


def test_templates_leave_the_rest_of_a_configuration_readable() -> None:
    text = POD.format(image="vllm/vllm-openai:latest", more="--tensor-paralel-size {{ .size }}")
    text = text.replace("      containers:", "      {{- if .Values.on }}\n      containers:")
    assert codes(text, "yaml") == ["unknown-option"]


def test_variables_of_a_container_stand_in_its_arguments() -> None:
    text = """\
containers:
- image: vllm/vllm-openai:latest
  args: [--model=$(NAME), --tensor-parallel-size=6]
  env:
  - {name: NAME, value: Qwen/Qwen3-32B}
"""
    assert codes(text, "yaml") == ["tensor-split"]
    assert codes(text.replace("name: NAME", "name: OTHER"), "yaml") == []


@pytest.mark.parametrize(
    ("command", "launches"),
    [
        (f'docker exec -it box bash -i -c "{WRONG}"', 1),
        (f'eval "exec {WRONG} \\"$@\\""', 1),
        ("text-generation-launcher --model-id Qwen/Qwen3-8B --num-shards 2", 1),
        ("lmdeploy serve api_server Qwen/Qwen3-8B --session-length 8192", 1),
        ("python3 -m dynamo.sglang --model-path Qwen/Qwen3-8B --context-lenght 8192", 1),
        ("docker run --gpus all ghcr.io/huggingface/text-generation-inference --model-ids x", 1),
        (
            "docker run --entrypoint python3 vllm/vllm-openai "
            "-m vllm.entrypoints.openai.api_server --modell x",
            1,
        ),
    ],
)
def test_a_wrong_option_is_found_however_the_program_is_started(
    command: str, launches: int
) -> None:
    seen = linted(command)
    assert [one.code for one in seen.problems] == ["unknown-option"]
    assert seen.launches == launches


def test_programs_that_check_their_options_themselves_are_read_all_the_same() -> None:
    text = "ollama run qwen3:8b\npython3 -m dynamo.trtllm --model Qwen/Qwen3-8B --trtllm.x 1\n"
    seen = linted(text)
    assert (seen.problems, seen.launches) == ((), 2)


def test_what_ends_servers_ends_them_for_those_that_follow_alone() -> None:
    one = "vllm serve Qwen/Qwen3-8B --max-model-len 8192 --port 8000 &\n"
    both = ["port-clash", "shared-gpu"]
    assert sorted(codes(one * 2 + "wait\n", combo="1x-rtx-4090")) == both
    assert codes(one + "wait\n" + one, combo="1x-rtx-4090") == []


def test_branches_of_a_script_do_not_run_beside_each_other() -> None:
    server = "vllm serve Qwen/Qwen3-8B --max-model-len 8192 --port 8000 &"
    other = server.replace("3-8B", "3-4B")
    text = f"if [ $1 = big ]; then\n  {server}\nelse\n  {other}\nfi\n"
    assert codes(text, combo="1x-rtx-4090") == []
    assert "port-clash" in codes(f"{server}\n{other}\n", combo="1x-rtx-4090")


def test_a_script_that_a_program_writes_is_read() -> None:
    text = f'SCRIPT = """\\\nset -e\n{WRONG}\n"""\n'
    assert only(text, "python").span.line == 3


def test_an_open_address_is_told_once_and_not_of_a_pod() -> None:
    text = "vllm serve Qwen/Qwen3-8B --host 0.0.0.0\nvllm serve Qwen/Qwen3-4B --host 0.0.0.0\n"
    problem = only(text)
    assert problem.code == "exposed"
    assert "(and 1 more in this file)" in problem.message
    inside = POD.format(image="vllm/vllm-openai:latest", more="--port 8000")
    assert codes(inside, "yaml") == []


def test_a_removed_option_still_means_what_it_meant() -> None:
    text = "vllm serve Qwen/Qwen3-8B --rope-scaling '{\"factor\": 4.0}' --max-model-len 131072"
    problem = only(text)
    assert problem.code == "unknown-option"
    assert "--hf-overrides" in problem.hint
    assert "rope_parameters" in problem.hint
    swapped = only("llama-server -m a.gguf --no-mmap")
    assert "as in llama-cpp-python" in swapped.message
    assert "--load-mode" in swapped.hint
    assert only("vllm serve x/y --disable-log-requests").hint == "write --no-enable-log-requests"


def test_a_config_that_stretches_its_positions_has_them() -> None:
    text = "vllm serve deepseek-ai/deepseek-coder-33b-instruct --max-model-len {}"
    assert codes(text.format(17_000)) == []
    assert codes(text.format(70_000)) == ["context-beyond-model"]


def test_bf16_is_refused_by_name_on_gpus_without_it() -> None:
    text = "vllm serve Qwen/Qwen3-4B --dtype bfloat16 --max-model-len 2048"
    problem = only(text, combo="1x-rtx-2080-ti")
    assert problem.code == "unsupported"
    assert problem.hint == text.replace("bfloat16", "half")
    assert codes(text.replace("bfloat16", "auto"), combo="1x-rtx-2080-ti") == []
    assert codes(text, combo="1x-rtx-4090") == []


@pytest.mark.parametrize(
    ("name", "model", "checkpoint"),
    [
        ("nobody/Qwen3-32B-AWQ", "qwen3-32b", ""),  # its groups are nobody's to know
        ("nvidia/Llama-3.3-70B-Instruct-FP8", "llama-3.3-70b-instruct", "fp8"),
        ("meta-llama/Meta-Llama-3.1-70B-Instruct", "llama-3.1-70b-instruct", "bf16"),
        ("bartowski/Qwen_Qwen3-32B-GGUF:Q8_0", "qwen3-32b", "q8-0"),
        ("nobody/Qwen3-32B-GGUF", "qwen3-32b", "q4-k-m"),
        ("nobody/Qwen3-32B-GGUF:UD-Q4_K_XL", "qwen3-32b", ""),
        ("nobody/Qwen3-32B-poet", "", ""),
        ("/models/Qwen3-32B-poet", "", ""),
    ],
)
def test_the_model_behind_a_repository_that_nobody_listed(
    name: str, model: str, checkpoint: str
) -> None:
    from tests.lint.support import facts

    meant = facts().repositories.find(name)
    assert (meant.model.id if meant else "") == model
    kind = meant.checkpoint.quantization.id if meant and meant.checkpoint else ""
    assert kind == checkpoint


def test_the_end_says_what_was_not_recognised() -> None:
    text = (
        "# On 2x RTX 9999 Ultra\nvllm serve some/model\n\nkoboldcpp --model a.gguf\n\n"
        "docker run vllm/vllm-openai:v0.6.0 --model Qwen/Qwen3-8B\n"
    )
    seen = linted(text)
    assert seen.problems == ()
    assert (seen.launches, seen.without_hardware, seen.unknown_machines) == (2, 2, 2)
    assert seen.unknown_models == ("some/model",)
    assert seen.unread == ("a.txt:4",)
    assert seen.other_versions == 1
