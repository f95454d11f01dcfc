"""Variables of llama.cpp, vLLM and SGLang that say what an option would, wherever they are set."""

from __future__ import annotations

import pytest

from tests.lint.support import codes, found, linted, only

CARDS = "2x-rtx-3090-nvlink"
MODEL = "unsloth/Llama-3.3-70B-Instruct-GGUF:Q8_0"
IMAGE = "ghcr.io/ggml-org/llama.cpp:server-cuda"
SET = {
    "shell": (
        "bash",
        f"export LLAMA_ARG_HF_REPO={MODEL} LLAMA_ARG_N_GPU_LAYERS=all\n"
        "LLAMA_ARG_CTX_SIZE=32768 llama-server\n",
    ),
    "unit": (
        "ini",
        f"[Service]\nEnvironment=LLAMA_ARG_HF_REPO={MODEL} LLAMA_ARG_CTX_SIZE=32768\n"
        'Environment="LLAMA_ARG_N_GPU_LAYERS=all"\nExecStart=/usr/bin/llama-server --port 8080\n',
    ),
    "compose": (
        "yaml",
        f"services:\n  llama:\n    image: {IMAGE}\n    environment:\n"
        f"      LLAMA_ARG_HF_REPO: {MODEL}\n      LLAMA_ARG_N_GPU_LAYERS: all\n"
        "      LLAMA_ARG_CTX_SIZE: 32768\n",
    ),
    "pod": (
        "yaml",
        f"apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - image: {IMAGE}\n"
        '      args: ["--port", "8080"]\n      env:\n'
        f"        - {{name: LLAMA_ARG_HF_REPO, value: '{MODEL}'}}\n"
        "        - {name: LLAMA_ARG_N_GPU_LAYERS, value: all}\n"
        '        - {name: LLAMA_ARG_CTX_SIZE, value: "32768"}\n',
    ),
    "image": (
        "dockerfile",
        f"FROM {IMAGE}\nENV LLAMA_ARG_HF_REPO={MODEL} \\\n    LLAMA_ARG_CTX_SIZE=32768\n"
        "ENV LLAMA_ARG_N_GPU_LAYERS all\n",
    ),
    "arguments of an image": (
        "dockerfile",
        f"FROM {IMAGE}\nENV LLAMA_ARG_HF_REPO={MODEL}\nENV LLAMA_ARG_N_GPU_LAYERS=all\n"
        'CMD ["--ctx-size", "32768"]\n',
    ),
    "container": (
        "bash",
        f"docker run --gpus all -e LLAMA_ARG_HF_REPO={MODEL} -e LLAMA_ARG_N_GPU_LAYERS=all "
        f"--env=LLAMA_ARG_CTX_SIZE=32768 {IMAGE}\n",
    ),
}
CONFIG = f"""\
apiVersion: v1
kind: ConfigMap
metadata: {{name: settings}}
data:
  LLAMA_ARG_HF_REPO: {MODEL}
  LLAMA_ARG_N_GPU_LAYERS: all
  MODEL: meta-llama/Llama-3.3-70B-Instruct
  MORE: --max-model-len 32768 --max-num-seqs 4
---
apiVersion: v1
kind: Pod
spec:
  containers:
"""
MAPPED = {
    "all of it": (
        f"    - image: {IMAGE}\n      args: [--ctx-size, '32768']\n"
        "      envFrom: [{configMapRef: {name: settings}}]\n"
    ),
    "one key": (
        f"    - image: {IMAGE}\n      args: [-ngl, all]\n      env:\n"
        "        - name: LLAMA_ARG_HF_REPO\n          valueFrom:\n"
        "            configMapKeyRef: {name: settings, key: LLAMA_ARG_HF_REPO}\n"
    ),
    "in arguments": (
        "    - image: vllm/vllm-openai:v0.33.0\n"
        "      args: ['--model=$(MODEL)', --tensor-parallel-size, '2']\n"
        "      envFrom: [{configMapRef: {name: settings}}]\n"
    ),
    "in a script": (
        "    - image: vllm/vllm-openai:v0.33.0\n"
        "      command: [sh, -c, 'vllm serve $(MODEL) --tensor-parallel-size 2 $MORE']\n"
        "      envFrom: [{configMapRef: {name: settings}}]\n"
    ),
}


@pytest.mark.parametrize(("kind", "text"), SET.values(), ids=SET)
def test_variables_are_read_as_their_options_are(kind: str, text: str) -> None:
    problem = only(text, kind, CARDS)
    assert problem.code == "does-not-fit"
    assert "Q8_0 (69.8 GiB)" in problem.message
    assert linted(text, kind, CARDS).unnamed_models == 0


@pytest.mark.parametrize("container", MAPPED.values(), ids=MAPPED)
def test_a_config_map_gives_its_containers_what_it_holds(container: str) -> None:
    assert codes(CONFIG + container, "yaml", CARDS) == ["does-not-fit"]


def test_a_config_map_of_another_name_gives_nothing() -> None:
    other = CONFIG.replace("name: settings", "name: others") + MAPPED["all of it"]
    assert codes(other, "yaml", CARDS) == []
    assert linted(other, "yaml", CARDS).unnamed_models == 1


def test_an_option_comes_before_its_variable() -> None:
    given = f"LLAMA_ARG_CTX_SIZE=999999 llama-server -hf {MODEL.replace('Q8_0', 'Q2_K')}"
    assert codes(f"{given}\n", combo=CARDS) == ["context-beyond-model"]
    assert codes(f"{given} -c 8192\n", combo=CARDS) == []


def test_a_container_has_only_the_variables_that_it_is_given() -> None:
    text = f"export LLAMA_ARG_HF_REPO={MODEL}\ndocker run --gpus all {IMAGE} -ngl all\n"
    assert codes(text, combo=CARDS) == []
    assert linted(text, combo=CARDS).unnamed_models == 1


def test_the_hint_keeps_the_variables_of_a_unit_where_they_stand() -> None:
    hint = only(SET["unit"][1], "ini", CARDS).hint
    assert "/usr/bin/llama-server --port 8080 --ctx-size" in hint
    assert "/ /" not in hint


def test_a_switch_is_read_by_its_value() -> None:
    shown = "LLAMA_ARG_CPU_MOE={} llama-server -hf unsloth/gpt-oss-120b-GGUF:Q4_K_M -ngl all\n"
    assert codes(shown.format("0"), combo=CARDS) == ["does-not-fit"]
    assert codes(shown.format("1"), combo=CARDS) == ["small-steps"]


@pytest.mark.parametrize(
    ("setting", "code", "said"),
    [
        ("LLAMA_ARG_CTX_SIZE=32k", "option-value", "takes a whole number"),
        ("LLAMA_ARG_CACHE_TYPE_K=q9_0", "option-value", "does not know 'q9_0'"),
        ("LLAMA_ARG_GPU_LAYERS=all", "unknown-option", "nothing reads LLAMA_ARG_GPU_LAYERS"),
        ("LLAMA_ARG_API_KEY=x", "unknown-option", "nothing reads LLAMA_ARG_API_KEY"),
    ],
)
def test_what_no_variable_means_is_said(setting: str, code: str, said: str) -> None:
    problem = only(f"{setting} llama-server -m /m/a.gguf\n")
    assert (problem.code, said in problem.message) == (code, True)


def test_values_that_variables_take_are_no_mistakes() -> None:
    text = "export LLAMA_ARG_CTX_SIZE=$N LLAMA_ARG_FLASH_ATTN=on LLAMA_ARG_CACHE_TYPE_V=q8_0\n"
    assert found(text + "llama-server -m /m/a.gguf\n") == ()


def test_a_key_in_a_variable_guards_the_address_in_another() -> None:
    text = "export LLAMA_ARG_HOST=0.0.0.0\n{}llama-server -m /m/a.gguf\n"
    assert codes(text.format("")) == ["exposed"]
    assert codes(text.format("export LLAMA_API_KEY=$KEY\n")) == []


LONG = {
    "vllm": "VLLM_ALLOW_LONG_MAX_MODEL_LEN={} vllm serve Qwen/Qwen3-8B --max-model-len 262144",
    "sglang": "SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN={} python3 -m sglang.launch_server "
    "--model-path Qwen/Qwen3-8B --context-length 262144",
    "exported": "export VLLM_ALLOW_LONG_MAX_MODEL_LEN={}\n"
    "vllm serve Qwen/Qwen3-8B --max-model-len 262144",
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_longer_context_is_allowed_where_the_variable_is_on(text: str) -> None:
    assert codes(text.format("1") + "\n") == []
    assert codes(text.format("0") + "\n") == ["context-beyond-model"]


def test_gpus_that_are_exported_away_are_not_counted() -> None:
    command = f"llama-server -hf {MODEL.replace('Q8_0', 'Q4_K_M')} -ngl all -c 8192\n"
    assert codes(command, combo=CARDS) == []
    text = f"export CUDA_VISIBLE_DEVICES=0\n{command}"
    assert codes(text, "bash", CARDS) == codes(text, "text", CARDS) == ["does-not-fit"]
