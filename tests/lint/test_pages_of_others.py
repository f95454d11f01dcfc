"""What other people's pages look like: notes, prompts, templates, kept commands, forks."""

from __future__ import annotations

import pytest

from tests.lint.support import codes, found, linted

MODULE = "vllm.entrypoints.openai.api_server --model"
WRONG = "vllm serve Qwen/Qwen3-8B --max-modle-len 4096"
READ = {
    "note": (f'??? info "Serving script"\n    ```bash\n    {WRONG}\n    ```\n', "markdown"),
    "tab": (f'=== "2 GPUs"\n\n    ```bash\n    {WRONG}\n    ```\n', "markdown"),
    "root": (f"```\nroot@2a79cc8835d9:/# {WRONG}\nINFO starting\n```\n", "markdown"),
    "a longer prompt": (
        f"```\n(base) me@desk:~/dev-ai/some/folder/that/lies/deeper/vllm$ {WRONG}\n```\n",
        "markdown",
    ),
    "bracket": (f"```\n[root@node ~]# {WRONG}\n```\n", "markdown"),
    "kept": (f'VLLM_CMD="{WRONG}"\necho start\nexec $VLLM_CMD\n', "bash"),
    "kept with variables": (f'CMD="CUDA_VISIBLE_DEVICES=$GPU {WRONG}"\neval "$CMD"\n', "bash"),
    "list": ("CMD=(vllm serve Qwen/Qwen3-8B\n  --max-modle-len 4096  # short\n)\n", "bash"),
    "entrypoint": (
        f"docker run --entrypoint bash -e A=b \"$IMG\" -lc 'set -e\nexec {WRONG}'\n",
        "bash",
    ),
    "python": (f"setsid env A=b $PY -m {WRONG.replace('vllm serve', MODULE)}\n", "bash"),
    "unit": (f"```\n[Unit]\nAfter=local\n[Service]\nExecStart={WRONG}\n```\n", "markdown"),
    "docstring": (f'"""How to start it.\n\n```bash\n{WRONG}\n```\n"""\n', "python"),
    "YAML in Python": (
        f'x = """\nspec:\n  pod:\n    args:\n      - >-\n        {WRONG}\n        --port 1\n"""\n',
        "python",
    ),
}
"""Places where a command stands, each with the mistake of ``WRONG``."""
RIGHT = {
    "a question": ('```\nollama run gemma3 "What is in this picture?"\n```\n', "markdown"),
    "a long name": (
        "vllm serve Qwen/Qwen3-8B --port REPLACE_ENV_OF_THE_LONG_NAME_OF_A_PORT",
        "bash",
    ),
    "words in braces": ("vllm serve {your model directory} --port 8000", "bash"),
    "more to come": ("vllm serve Qwen/Qwen3-8B --port 8000 \\\n  <...more flags...>\n", "bash"),
    "a variable of pods": (
        """vllm serve Qwen/Qwen3-8B --kv-transfer-config '{"bytes":$(BYTES)}'""",
        "bash",
    ),
    "a sum": ("llama-server -m a.gguf -c <4096 * np>", "bash"),
    "JSON with more in it": (
        """vllm serve Qwen/Qwen3-8B --kv-transfer-config '{"a":"b"${accelerator.json}}'""",
        "bash",
    ),
    "a sketch": ("vllm serve Qwen/Qwen3-8B --nnodes 2 ...", "bash"),
    "a template": (
        "spec:\n  template: |\n    vllm serve Qwen/Qwen3-8B \\\n      {{- if .Values.name }}\n"
        "      --served-model-name a \\\n      {{- end }}\n      --port 8000\n",
        "yaml",
    ),
    "quotes in quotes": (
        r"""docker run a/b:1 bash -lc 'vllm serve Qwen/Qwen3-8B --speculative-config """
        r"""'\''{"method":"eagle3"}'\'''""",
        "bash",
    ),
    "pods": (
        "replicas: 2\nnodeSelector: {a: b}\ncustomCommand: |\n"
        "  vllm serve Qwen/Qwen3-8B --host 0.0.0.0\n",
        "yaml",
    ),
    "what is added to a list": (
        "CMD+=(--port 1)\nvllm serve Qwen/Qwen3-8B\nCMD+=(--hots)\n",
        "bash",
    ),
}
"""Commands in which nothing is wrong."""


@pytest.mark.parametrize(("text", "kind"), READ.values(), ids=READ)
def test_a_command_is_read_wherever_it_stands(text: str, kind: str) -> None:
    assert codes(text, kind) == ["unknown-option"]


@pytest.mark.parametrize(("text", "kind"), RIGHT.values(), ids=RIGHT)
def test_what_stands_for_something_else_is_no_mistake(text: str, kind: str) -> None:
    assert codes(text, kind) == []
    assert linted(text, kind).launches == 1


def test_a_rate_may_be_infinite_and_not_a_word() -> None:
    bench = "vllm bench serve --model Qwen/Qwen3-8B --request-rate "
    assert codes(f"{bench}inf") == []
    assert codes(f"{bench}fast") == ["option-value"]


def test_a_quadlet_is_a_container_with_the_version_of_its_image() -> None:
    def unit(image: str) -> str:
        return f"[Container]\nExec=llama-server -m a.gguf --host 0.0.0.0 --hots\nImage={image}\n"

    assert codes(unit("ghcr.io/ggml-org/llama.cpp:server"), "ini") == ["unknown-option"]
    assert codes(unit("quay.io/ramalama/ramalama:latest"), "ini") == []


@pytest.mark.parametrize(
    "said",
    [
        "pip install sglang-kt",
        "git clone https://github.com/someone/sglang.git",
        "# Use our fork of SGLang",
        "# the KTransformers SGLang fork",
        "# on NPUs, with sglang-ascend",
        "# the paged branch of SGLang",
        "# a custom-patched SGLang",
        "docker run -it lmsysorg/sglang:v0.4.6 bash",
    ],
)
def test_a_program_of_somebody_else_is_not_held_to_the_options_of_its_makers(said: str) -> None:
    command = "python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B --hots 1"
    assert codes(f"{said}\n{command}\n") == []
    upstream = "git clone https://github.com/sgl-project/sglang.git"
    assert codes(f"{upstream}\n{command}\n") == ["unknown-option"]


@pytest.mark.parametrize("said", ["# llama.cpp Vulkan b9049", "version: 3595 (fc03b9ad)"])
def test_a_build_of_llama_cpp_that_a_page_names_is_another_version(said: str) -> None:
    command = "llama-server -m a.gguf --hots"
    assert codes(f"{said}\n{command}\n") == []
    assert codes(f"# llama.cpp\n{command}\n") == ["unknown-option"]


def test_an_option_of_a_fork_tells_the_fork() -> None:
    command = "python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B --hots 1"
    assert codes(f"{command} --kt-numa-nodes 0 1") == []
    assert codes(command) == ["unknown-option"]


DOCKERFILE = """FROM {image}
COPY <<'EOF' /start.sh
#!/bin/bash
vllm serve gpt2 --hots 1
EOF
RUN --mount=type=cache,target=/x vllm serve gpt2 \\
    --hostt 1
CMD ["bash", "-c", "printenv && vllm serve gpt2 --host 0.0.0.0 --ohst 1"]
"""


@pytest.mark.parametrize("fence", ["dockerfile", "docker", ""])
def test_steps_of_a_dockerfile_are_read_on_a_page(fence: str) -> None:
    page = f"```{fence}\n{DOCKERFILE.format(image='nvidia/cuda:12')}```\n"
    named = [one.message.rpartition(" ")[2] for one in found(page, "markdown")]
    assert named == ["--hots", "--hostt", "--ohst"]  # and no word on 0.0.0.0


@pytest.mark.parametrize("name", ["Dockerfile", "deploy/Dockerfile.gpu", "vllm.Dockerfile"])
def test_a_dockerfile_is_known_by_its_name(name: str) -> None:
    text = DOCKERFILE.format(image="nvidia/cuda:12")
    assert {one.code for one in linted(text, "", path=name).problems} == {"unknown-option"}


def test_a_dockerfile_is_held_to_the_version_of_its_image() -> None:
    text = DOCKERFILE.format(image="vllm/vllm-openai:v0.9.0")
    assert linted(text, "", path="Dockerfile").problems == ()


@pytest.mark.parametrize("before", ["", "sudo "])
def test_a_container_s_name_calls_nothing(before: str) -> None:
    named = f"{before}docker run -d --name llama-server --restart always --gpus all "
    image = "ghcr.io/ggml-org/llama.cpp:server-cuda"
    assert codes(f"{named}someone/else:1") == []
    assert [one.message for one in found(f"{named}{image} -m a.gguf --hots 1")] == [
        "llama.cpp (as in llama-cpp-python 0.3.36) has no option --hots"
    ]
    assert codes(f"{before}docker logs --hots llama-server --tail 5") == []


def test_gpus_that_a_layer_lies_across_are_not_all_there_are() -> None:
    plan = "vllm serve gpt2 --tensor-parallel-size 2 --pipeline-parallel-size 2"
    said = "# Tensor parallelism: 2 (splits each layer across 2 GPUs)"
    assert codes(f"{said}\n{plan}\n") == []
    assert codes(f"# on a machine with 2 GPUs\n{plan}\n") == ["world-size"]


def test_a_case_behind_a_server_is_no_option_of_it() -> None:
    served = "  up)\n    vllm serve gpt2 --port 80\n    ;;\n"
    script = f"case $1 in\n{served}-h|help)\n    usage\n    ;;\nesac\n"
    assert codes(script) == []


def test_placeholders_may_be_in_any_script() -> None:
    assert codes("llama-server -m <モデル>/<名前>.gguf -c 4096 --jinja") == []


def test_a_box_of_a_distribution_starts_programs() -> None:
    assert codes("distrobox enter box -- vllm serve gpt2 --hots 1") == ["unknown-option"]


@pytest.mark.parametrize(("shell", "sign"), [("powershell", "`"), ("cmd", "^")])
def test_shells_of_windows_continue_a_line_with_a_sign_of_their_own(shell: str, sign: str) -> None:
    page = f"```{shell}\nvllm serve gpt2 {sign}\n  --port 8000 {sign}\n  --hots 1\n```\n"
    assert codes(page, "markdown") == ["unknown-option"]


def test_a_drawing_calls_nothing() -> None:
    drawn = "```\n      │\n      ▼\nllama-server   mlx_lm.server   other\n```\n"
    assert codes(drawn, "markdown") == []
    plain = drawn.replace("▼", "").replace("│", "")
    assert codes(plain, "markdown") == ["extra-argument"]
    assert linted(plain, "markdown", path="README.md").problems == ()


@pytest.mark.parametrize("fence", ["bash", "", "ini"])
def test_a_line_of_a_unit_is_read_wherever_it_is_shown(fence: str) -> None:
    page = f"```{fence}\nExecStart=/opt/bin/llama-server \\\n  -m a.gguf --hots 1\n```\n"
    assert codes(page, "markdown") == ["unknown-option"]


def test_a_kept_command_may_name_the_folder_of_its_program() -> None:
    kept = 'CMD="$HOME/env/bin/python -m vllm.entrypoints.openai.api_server --hots 1"\n'
    assert codes(f"{kept}eval $CMD\n") == ["unknown-option"]


def test_whole_numbers_are_read_as_the_program_reads_them() -> None:
    assert codes("llama-server -m a.gguf --top-k 100.0") == []
    assert codes("llama-server -m a.gguf --top-k many") == ["option-value"]
    assert codes("vllm serve gpt2 --max-num-seqs 100.0") == ["option-value"]


def test_a_version_in_a_variable_is_still_python() -> None:
    kept = 'X="python${VERSION} -m sglang.launch_server --model-path a --hots 1" || exit\n'
    assert codes(f'{kept}eval "$X"\n') == ["unknown-option"]
