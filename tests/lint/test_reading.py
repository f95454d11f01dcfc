"""Where commands stand in files, and what they mean there."""

from __future__ import annotations

import pytest

from sitegen.lint.languages import shell
from tests.lint.support import codes, found, linted, only

IMAGE = "vllm/vllm-openai"
BAD = "vllm serve gpt2 --prot 8000"


def at(text: str, kind: str) -> tuple[int, int, str]:
    """Place of the one finding, and what stands there in the file."""
    problem = only(text, kind)
    line = text.split("\n")[problem.span.line - 1]
    return problem.span.line, problem.span.column, line[problem.span.column - 1 :]


@pytest.mark.parametrize(
    ("kind", "text", "line"),
    [
        ("bash", f"set -e\n\n{BAD}\n", 3),
        ("markdown", f"# A\n\n```sh\n{BAD}\n```\n", 4),
        ("markdown", f"---\ntitle: x\n---\n\n```sh\n{BAD}\n```\n", 6),
        ("markdown", f"1. a\n\n   ```bash\n   {BAD}\n   ```\n", 4),
        ("markdown", f"> ```sh\n> {BAD}\n> ```\n", 2),
        ("markdown", f'=== "Tab"\n\n    ```bash\n    {BAD}\n    ```\n', 4),
        ("markdown", f"```console\n$ {BAD}\nlistening\n```\n", 2),
        ("markdown", f"```\n{BAD}\n```\n", 2),
        ("html", f"<h1>A</h1>\n<pre><code>{BAD}</code></pre>", 2),
        ("html", f"<pre>vllm serve &lt;m&gt; -tp 2\n{BAD}</pre>", 2),
        ("html", f"<p>Do this:</p><p>{BAD}</p>", 1),
        ("text", f"Then start it.\n{BAD}\nIt listens.\n", 2),
        ("ini", f"[Service]\nExecStart=/opt/bin/{BAD}\n", 2),
        ("yaml", f"a:\n- command: [bash, -c]\n  args:\n  - |\n    {BAD}\n    x\n", 5),
        ("bash", f"bash -c '{BAD}'\n", 1),
        ("bash", f"ssh host {BAD}\n", 1),
        ("bash", f"cat > run.sh <<'EOF'\n{BAD}\nEOF\n", 2),
        ("bash", f"docker run --gpus all vllm/vllm-openai:v0.33.0 {BAD[11:]}\n", 1),
        ("ini", f"[Service]\nExecStart=/x/vllm serve gpt2 --chat-template %%x {BAD[16:]}\n", 2),
        ("yaml", f"a:\n- command: [bash, -c, '{BAD}']\n", 2),
        ("yaml", f'a:\n- command:\n  - sh\n  - -c\n  - "true;\n    {BAD}"\n', 6),
        ("yaml", f"a:\n- image: vllm/vllm-openai\n  command: --model x {BAD[16:]}\n", 3),
        ("yaml", f"a:\n- image: {IMAGE}\n  command: >\n    --model x\n    {BAD[16:]}\n", 5),
        ("yaml", f"a:\n- image: {IMAGE}\n  command: |\n    --model x\n    {BAD[16:]}\n", 5),
        ("bash", f"$ vllm serve gpt2 \\\n>  {BAD[16:]}\n", 2),
        ("html", f"<![foo[>\n<pre>{BAD}</pre>", 2),
        ("bash", f"if true; then\n  nohup {BAD} > log 2>&1 &\nfi\n", 2),
    ],
)  # fmt: skip
def test_a_finding_points_at_the_word_in_the_file(kind: str, text: str, line: int) -> None:
    found_line, _, rest = at(text, kind)
    assert found_line == line
    assert rest.startswith("--prot")


def test_variables_are_carried_from_one_block_to_the_next() -> None:
    page = (
        "```sh\nMODEL=Qwen/Qwen3-32B\nexport TP=3\n```\n\n"
        '```sh\nvllm serve "$MODEL" --tensor-parallel-size ${TP}\n```\n'
    )
    assert only(page, "markdown").code == "tensor-split"


def test_32_bits_double_what_a_command_loads() -> None:
    """Qwen3 8B: 16.4 GB fit a card of 24 GB, 32.8 GB do not; of quantized files nobody knows."""
    command = "vllm serve Qwen/Qwen3-8B --max-model-len 8192 --host 127.0.0.1"
    assert codes(command, combo="1x-rtx-4090") == []
    for word in ("float32", "float"):
        found = only(f"{command} --dtype {word}", combo="1x-rtx-4090")
        assert found.code == "does-not-fit"
    quantized = command.replace("Qwen3-8B", "Qwen3-8B-FP8")
    assert codes(f"{quantized} --dtype float32", combo="1x-rtx-4090") == []
    other = "python -m sglang.launch_server --model-path Qwen/Qwen3-8B --dtype float32"
    assert codes(f"{other} --host 127.0.0.1", combo="1x-rtx-4090") == []


def test_a_cache_that_the_runtime_lacks_is_not_judged() -> None:
    text = "vllm serve Qwen/Qwen3-8B --max-model-len 8192 --host 127.0.0.1 --kv-cache-dtype q8_0"
    assert "does-not-fit" not in codes(text, combo="1x-rtx-3060-12gb")


def test_what_nobody_can_know_is_not_judged() -> None:
    text = 'vllm serve "$UNSET" -tp "$(nvidia-smi -L | wc -l)" --port <port> --max-model-len $N'
    assert codes(text, combo="1x-rtx-4090") == []


@pytest.mark.parametrize(
    "comment",
    ["# 2x RTX 4090", "# on two cards: 2 × NVIDIA RTX 4090", "# for 2x-rtx-4090", "# 2x 4090"],
)
def test_hardware_is_read_in_the_comment_above(comment: str) -> None:
    assert codes(f"{comment}\nvllm serve Qwen/Qwen3-8B -tp 4 --max-model-len 8192") == [
        "world-size"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "2x RTX 4090 or 4x RTX 3090",
        "RTX 4090",
        "the 8 GPUs or 4 GPUs",
        "2x A100",
        "version 4.2 GPUs",
    ],
)
def test_hardware_that_is_not_plain_is_none(text: str) -> None:
    assert codes(f"# {text}\nvllm serve Qwen/Qwen3-8B -tp 16 --max-model-len 8192") == []


def test_the_nearest_words_win() -> None:
    serve = "vllm serve Qwen/Qwen3-8B -tp 4 --max-model-len 8192"
    page = f"# All of it\n\n## On 4x RTX 4090\n\n```sh\n{serve}\n\n# 2x RTX 4090\n{serve}\n```\n"
    assert only(page, "markdown").span.line == 9


@pytest.mark.parametrize("kind", ["bash", "text"])
def test_the_comment_at_the_top_of_a_file_is_for_all_of_it(kind: str) -> None:
    script = "#!/bin/sh\n# Two servers\n# on 2× RTX 4090, TP 2\n\nset -e\necho start\n"
    serve = "vllm serve Qwen/Qwen3-8B -tp 4 --max-model-len 8192\n"
    assert only(script + serve, kind).code == "world-size"


def test_front_matter_names_a_combo_for_the_whole_page() -> None:
    serve = "vllm serve Qwen/Qwen3-8B -tp 4 --max-model-len 8K"
    page = f"---\ncombo: 2x-rtx-4090\n---\n\n```sh\n{serve}\n```\n"
    assert only(page, "markdown").code == "world-size"


def test_a_file_that_installs_another_version_is_not_held_to_the_options_of_this_one() -> None:
    assert codes(f"pip install vllm==0.6.3\n{BAD}") == []
    assert codes(f"pip install vllm==0.33.0\n{BAD}") == ["unknown-option"]


def test_programs_that_only_mention_ours_are_left_alone() -> None:
    for text in ("pkill -f 'vllm serve --hots'", "echo vllm serve --hots", "which llama-server"):
        assert linted(text).launches == 0
        assert codes(text) == []


def test_options_may_be_abbreviated_where_the_program_allows_it() -> None:
    assert codes("vllm serve gpt2 --tensor-parallel 2 --max_model_len 1024 -O3 -tp2") == []
    assert codes("llama-server -m x.gguf --ctx 4096") == ["unknown-option"]


def test_a_recipe_s_own_output_names_its_hardware() -> None:
    text = "# on 2× RTX 3090 NVLink, TP 2\nvllm serve Qwen/Qwen3-8B -tp 4 --max-model-len 8192\n"
    named = [problem.message for problem in found(text)]
    assert len(named) == 1


def test_a_shell_reads_quotes_and_continuations_as_bash_does() -> None:
    script = shell.read("A=1 x 'b c' \"d $A\" e\\\nf \\\n g # h\ny", {})
    first, second = script.commands
    assert [word.text for word in first.words] == ["x", "b c", "d $A", "ef", "g"]
    assert [word.known for word in first.words] == [True, True, False, True, True]
    assert [name for name, _ in first.variables] == ["A"]
    assert [word.text for word in second.words] == ["y"]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("bash", "$ vllm serve gpt2 \\\n>   --port 8000\nINFO: started\n"),
        ("markdown", "```\nvllm serve takes a model and options\n```\n"),
        ("bash", "vllm serve gpt2 --port 8000 &\nkill %1\nvllm serve gpt2 --port 8000 &\n"),
        ("bash", "vllm serve gpt2 & wait $!\nvllm serve gpt2\n"),
        (
            "yaml",
            "a:\n- image: vllm/vllm-openai\n  command: --model x --hf-overrides '{\"a\": 1}'\n",
        ),
        ("yaml", "a:\n- command: [sh, -c]\n  args: ['vllm serve gpt2 --port 80 2>&1 | tee x']\n"),
    ],
)
def test_what_works_is_not_reported(kind: str, text: str) -> None:
    assert codes(text, kind) == []


def test_servers_that_run_side_by_side_are_still_told_apart() -> None:
    server = "vllm serve gpt2 --port 8000 &\n"
    assert "port-clash" in codes(server * 2)
    assert "port-clash" in codes(f"{server}wait\n{server * 2}")


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("./ik_llama.cpp/build/bin/llama-server -m x.gguf -c 4096 --hots 1", "ik_llama.cpp"),
        ("llama-server -m x.gguf -mla 3 -amb 512 --hots 1", "ik_llama.cpp"),
        ("docker run --gpus all ghcr.io/ikawrakow/ik-llama-cpp:cu12-server -m x --hots 1",
         "ik_llama.cpp"),
        ("llama.cpp/build/bin/llama-server -m x.gguf -c 4096 --hots 1", "llama.cpp"),
    ],
)  # fmt: skip
def test_a_fork_is_told_from_its_origin_by_folder_options_or_image(
    command: str, program: str
) -> None:
    problem = only(command, "bash")
    assert problem.code == "unknown-option"
    assert problem.message.startswith(f"{program} ")


def test_a_fork_takes_its_own_options_and_lacks_those_of_its_origin() -> None:
    own = "-mla 3 -amb 512 -rtr -ot exps=CPU -ctk q8_0 -fa on -sm graph"
    assert codes(f"./ik_llama.cpp/build/bin/llama-server -m x.gguf {own}", "bash") == []
    assert codes("llama-server -m x.gguf -hf a/b-GGUF:Q4_K_M -mla 3", "bash") == ["unknown-option"]


@pytest.mark.parametrize(
    "text",
    [
        "tmux new -d -s llm 'python -m sglang.launch_server --port 99999 \\\n --model-path a'",
        'tmux new-session -d -s "$S" "source venv/bin/activate && vllm serve gpt2 --port 99999"',
        "tmux send-keys -t llm 'vllm serve gpt2 --port 99999' C-m",
        "ssh gpu 'nohup vllm serve gpt2 --port 99999 > log &'",
        "uv run -m sglang.launch_server --model-path gpt2 --port 99999",
        "uv run --with sglang -m sglang.launch_server --model-path gpt2 --port 99999",
        'CMD="conda run -n env python -u -m vllm.entrypoints.openai.api_server --port 99999"\n'
        "exec $CMD",
    ],
)
def test_a_command_that_another_program_types_is_read(text: str) -> None:
    assert codes(text) == ["option-value"]


def test_what_is_typed_into_a_session_and_starts_nothing_is_left_alone() -> None:
    for text in ("tmux attach -t 'vllm serve'", "tmux kill-session -t llm", "ssh gpu nvidia-smi"):
        assert linted(text).launches == 0


def test_a_list_goes_on_where_a_command_would_end() -> None:
    def listed(line: str) -> str:
        return f'ARGS=(\n  vllm serve gpt2 {line}\n  --port 8000\n)\n"${{ARGS[@]}}"\n'

    assert found(listed("--max-num-seqs 8")) == ()
    assert found(listed("--max-num-seqs 8 \\")) == ()
    assert found(listed("--max-num-seqs 8 \\\n  # for speed")) == ()
    for broken in ("--max-num-seqs 8 \\ # for speed", "--max-num-seqs 8 \\ "):
        (told,) = found(listed(broken))
        assert told.code == "broken-continuation"
        assert "a separate argument" in told.message
