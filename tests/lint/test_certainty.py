"""What the linter says aloud is certain; what a list may merely lack is said at the end."""

from __future__ import annotations

import pytest

from sitegen.lint.options import FORMER, option_tables
from sitegen.problems import Severity
from tests.lint.support import codes, found, linted, only

SLIPS = {
    "letters swapped": "vllm serve gpt2 --max-modle-len 4096",
    "a dash left out": "vllm serve gpt2 --max-modellen 4096",
    "a word left out": "vllm serve gpt2 --max-seqs 8",
    "a word too long": "vllm serve gpt2 --max-model-length 4096",
    "one dash too many": "llama-server -m a.gguf --np 1",
    "one dash too few": "llama-server -m a.gguf -port 1",
    "the beginning alone": "llama-server -m a.gguf -ctx 4096",
    "off where it is not on": "vllm serve gpt2 --disable-log-requests",
}


@pytest.mark.parametrize("text", SLIPS.values(), ids=SLIPS)
def test_an_option_that_is_another_one_with_a_slip_is_a_mistake(text: str) -> None:
    assert codes(text) == ["unknown-option"]


@pytest.mark.parametrize(
    "text",
    [
        "vllm serve gpt2 --swap-space 4",
        "vllm serve gpt2 --num-scheduler-steps 8",
        "vllm serve gpt2 --swap_space 4",
        "llama-server -m a.gguf --cfg-scale 2",
        "python -m sglang.launch_server --model-path gpt2 --enable-ep-moe",
    ],
)
def test_an_option_that_earlier_versions_had_is_told_as_one(text: str) -> None:
    told = only(text)
    assert told.message.endswith("; this command needs an earlier version")
    assert told.severity is Severity.WARNING


@pytest.mark.parametrize(
    "text",
    [
        "vllm serve gpt2 --turbo-cache 3",
        "vllm serve gpt2 --max-num-seqs-per-gpu 3",
        "llama-server -m a.gguf -turbo 3",
    ],
)
def test_an_option_that_no_list_has_is_said_at_the_end(text: str) -> None:
    seen = linted(text)
    assert seen.problems == ()
    assert [said.rpartition(" ")[2] for said in seen.unlisted] == [text.split()[-2]]


def test_a_list_decides_where_the_text_names_its_version() -> None:
    bad = "vllm serve gpt2 --turbo-cache 3"
    assert codes(f"pip install vllm==0.33.0\n{bad}") == ["unknown-option"]
    assert codes(f"pip install vllm==0.40.0\n{bad}") == []


def test_a_build_with_options_of_its_own_may_have_values_of_its_own() -> None:
    cache = "llama-server -m a.gguf --cache-type-k turbo3"
    assert codes(cache) == []
    assert codes(f"{cache} --no-mmap") == []
    assert codes("llama-server -m a.gguf --cache-type-k q8_O") == ["option-value"]
    assert codes("vllm serve gpt2 --dtype fp8") == ["option-value"]
    assert codes("llama-server -m a.gguf --port many --turbo-layers 4") == ["option-value"]


def test_keywords_of_an_engine_are_held_to_the_same() -> None:
    def program(keyword: str) -> str:
        return f"from vllm import LLM\nllm = LLM(model='gpt2', {keyword}=1)\n"

    assert codes(program("max_model_length"), "python") == ["unknown-option"]
    assert codes(program("swap_space"), "python") == ["unknown-option"]
    assert codes(program("turbo_cache"), "python") == []


@pytest.mark.parametrize("program", ["vllm", "sglang", "llama-cpp", "lmdeploy", "mlx-lm"])
def test_no_option_is_both_there_and_gone(program: str) -> None:
    table = option_tables()[program]
    former = [name for name, kind in table.kinds.items() if kind == FORMER]
    assert former
    assert not [name for name in former if table.canonical(name) or name in table.names()]


SERVER = "vllm serve gpt2 --port 8000 &\n"


@pytest.mark.parametrize(
    "between",
    ["fi\nif [ $2 ]; then\n", "else\n", "}\nother() {\n", "}\nfunction other {\n", ";;\nb)\n"],
)
def test_what_another_block_starts_may_never_run_beside_it(between: str) -> None:
    assert codes(f"{SERVER}{between}{SERVER}") == []


@pytest.mark.parametrize(
    "between",
    ["", "until curl x; do sleep 1; done\n", "if bad; then\n  exit 1\nfi\n", "f() {\n echo\n}\n"],
)
def test_a_whole_block_between_two_servers_parts_nothing(between: str) -> None:
    assert set(codes(f"{SERVER}{between}{SERVER}")) == {"port-clash", "shared-gpu"}


def test_a_key_may_come_as_a_variable() -> None:
    command = "vllm serve gpt2 --host 0.0.0.0"
    assert codes(command) == ["exposed"]
    assert codes(f"export VLLM_API_KEY=$SECRET\n{command}") == []


@pytest.mark.parametrize("value", ["your_port", "your-port", "xxxx", "%PORT%", "'$PORT'", "@PORT@"])
def test_a_name_in_place_of_a_number_is_put_in_by_the_reader(value: str) -> None:
    assert codes(f"vllm serve gpt2 --port {value}") == []
    assert codes("vllm serve gpt2 --port eight") == ["option-value"]


def test_a_build_with_options_of_its_own_may_have_those_of_an_earlier_version() -> None:
    gone = "vllm serve gpt2 --device npu"
    assert codes(gone) == ["unknown-option"]
    assert codes(f"{gone} --compiled-model-dir a") == []


EXPOSED = 'vllm serve "{model}" --host 0.0.0.0 --port 8000\n'


@pytest.mark.parametrize(
    "text",
    [
        f"# 容器内部路径\n{EXPOSED.format(model='gpt2')}",
        f"# entry point of the container\n{EXPOSED.format(model='gpt2')}",
        EXPOSED.format(model="${MODEL_PATH}"),
    ],
)
def test_who_reaches_a_container_is_decided_elsewhere(text: str) -> None:
    assert codes(text) == []


@pytest.mark.parametrize(
    "text", [EXPOSED.format(model="gpt2"), f"MODEL=$1\n{EXPOSED.format(model='$MODEL')}"]
)
def test_a_server_of_the_machine_is_open_to_its_network(text: str) -> None:
    assert codes(text) == ["exposed"]


SUPERVISED = """\
[program:model]
autostart=true
command=vllm serve gpt2 --limit-mm-per-prompt "{{\\"image\\": 4}}"
    --port %(ENV_PORT)s {option} 1
stdout_logfile=/a

[program:other]
command=sleep 1
"""


@pytest.mark.parametrize("path", ["a.conf", "supervisord.ini"])
def test_programs_of_supervisor_are_read(path: str) -> None:
    seen = linted(SUPERVISED.format(option="--hots"), "", path=path)
    assert (seen.launches, [one.code for one in seen.problems]) == (1, ["unknown-option"])
    (problem,) = seen.problems
    assert (problem.span.line, problem.span.column) == (4, 25)
    assert linted(SUPERVISED.format(option="--seed"), "", path=path).problems == ()


def test_supervisor_in_a_container_opens_nothing_to_the_machine_s_network() -> None:
    program = '[program:a]\ncommand=/bin/bash -c "vllm serve gpt2 --host 0.0.0.0"\n'
    assert codes(program, "ini") == ["exposed"]
    assert codes(f"[supervisord]\nnodaemon=true\n\n{program}", "ini") == []


@pytest.mark.parametrize("key", ["startCmd", "run_command", "entrypointScript"])
def test_keys_that_name_a_command_hold_one(key: str) -> None:
    text = f"a:\n  {key}: >-\n    rm -Rf x &&\n    uv sync &&\n    uv run vllm serve $M --hots 1\n"
    assert codes(text, "yaml") == ["unknown-option"]


@pytest.mark.parametrize("given", ['--entrypoint=""', "--entrypoint=", "--entrypoint bash"])
def test_a_container_may_start_something_else_than_its_image(given: str) -> None:
    run = f"docker run --rm {given} vllm/vllm-openai:latest"
    shell = "-c" if given.endswith("bash") else "bash -c"
    seen = linted(f'{run} {shell} "pip install x && vllm serve gpt2 --hots 1"')
    assert (seen.launches, seen.unlisted) == (1, ())
    assert [one.code for one in seen.problems] == ["unknown-option"]
    inner = "docker run --entrypoint=llama-server a/b:server -m a.gguf --port 80800"
    assert codes(inner) == ["option-value"]


def test_an_option_may_have_a_point_in_its_name() -> None:
    seen = linted("llama-server --fim-qwen-1.5b-default")
    assert (seen.problems, seen.unlisted) == ((), ())


def test_an_image_kept_in_a_variable_runs_what_its_container_is_told_to() -> None:
    before = 'docker run -d --name "$C" --entrypoint llama-server "$IMAGE"'
    seen = linted(f'{before} --model "/models/$m" --port 80800')
    assert (seen.launches, [one.code for one in seen.problems]) == (1, ["option-value"])
    assert codes(f'{before} --model "/models/$m" --hots 1') == []  # of which version nobody knows


PRINTED = "cat <<{mark}\nvllm serve gpt2 {end}\n  --port 8000 {end}\n  {option} 1\nEOF\n"


@pytest.mark.parametrize(
    ("mark", "end", "faults"),
    [
        ("EOF", r"\\", []),
        ("EOF", "\\", []),
        ("'EOF'", "\\", []),
        ("'EOF'", r"\\", ["broken-continuation"]),
    ],
)
def test_a_here_document_takes_a_backslash_away_unless_its_mark_is_quoted(
    mark: str, end: str, faults: list[str]
) -> None:
    assert codes(PRINTED.format(mark=mark, end=end, option="--seed")) == faults
    wrong = found(PRINTED.format(mark=mark, end=end, option="--hots"))[-1]
    assert (wrong.code, wrong.span.line, wrong.span.column) == ("unknown-option", 4, 3)


def test_a_unit_that_a_script_writes_is_read_as_one() -> None:
    unit = "[Service]\nExecStart=/a/llama-server \\\\\n  -m $M \\\\\n  --hots 1\n"
    (problem,) = found(f"sudo tee /etc/systemd/system/$S.service <<EOF\n{unit}EOF\n")
    assert (problem.code, problem.span.line) == ("unknown-option", 5)


def test_a_command_of_a_container_goes_on_over_lines_and_a_script_does_not() -> None:
    lines = "  vllm serve gpt2\n    --port 8000\n    --seed 1\n"
    assert codes(f"command: >\n{lines}", "yaml") == []
    assert codes(f"run: |\n{lines}", "yaml") == ["broken-continuation"]


def test_a_broken_command_is_reported_once() -> None:
    problem = only("vllm serve gpt2 \\ \n --port 80 \\ \n --seed 1\n")
    assert problem.code == "broken-continuation"
    assert "(and 1 more of this command)" in problem.message


def test_services_of_profiles_may_never_run_at_once() -> None:
    service = "    image: a/b\n    ports: ['8080:80']\n"
    two = f"services:\n  a:\n{service}  b:\n{service}"
    assert codes(two, "yaml") == ["port-clash"]
    profile = "    profiles: [debug]\n"
    assert codes(f"{two}{profile}", "yaml") == []


@pytest.mark.parametrize(
    "text",
    [
        'KEYED="--api-key $(cat key)"\nvllm serve gpt2 --host 0.0.0.0 $KEYED\n',
        "vllm serve gpt2 --host 0.0.0.0 $MORE\n",
        'vllm serve gpt2 --host 0.0.0.0 "$@"\n',
    ],
)
def test_words_that_nobody_sees_may_ask_for_a_key(text: str) -> None:
    assert codes(text) == []


@pytest.mark.parametrize(
    "command",
    [
        "sudo journalctl -u llama-server -f",
        "sudo systemctl restart llama-server --now",
        "sudo -u root tail -n 5 /var/log/llama-server -f",
    ],
)
def test_what_is_told_of_a_service_calls_no_server(command: str) -> None:
    seen = linted(command)
    assert (seen.launches, seen.problems) == (0, ())


@pytest.mark.parametrize(
    "before",
    ["sudo", "sudo -E", "sudo -u ai", "sudo -u ai HF_HOME=/a", "sudo nohup", "nsys profile -o a"],
)
def test_what_is_started_by_another_is_a_server(before: str) -> None:
    assert codes(f"{before} /opt/llama-server -m a.gguf --hots 1") == ["unknown-option"]


OWN_IMAGE = "exec docker run --gpus all nvcr.io/nvidia/vllm"


@pytest.mark.parametrize(
    "text",
    [
        "trtllm-serve serve --tokenizer a ./engines --max_batch_size 4",
        "trtllm-serve disaggregated -c a.yaml",
        f"{OWN_IMAGE} vllm serve gpt2 --swap-space 4",
        "docker run $IMAGE vllm serve gpt2 --swap-space 4",
        "srun singularity exec a/vllm-openai_v0.7.3.sif vllm serve gpt2 --swap-space 4",
        "# SGLang 0.5.16\nsglang serve --model-path gpt2 --cuda-graph-max-bs 8",
        "# needs vLLM 0.8.5\nvllm serve gpt2 --swap-space 4",
        "pip install 'vllm<0.9'\nvllm serve gpt2 --swap-space 4",
        "pip install 'vllm[audio]>=0.6,<0.9'\nvllm serve gpt2 --swap-space 4",
        "pip install 'vllm~=0.8.5'\nvllm serve gpt2 --swap-space 4",
        "export PYTORCH_ROCM_ARCH=gfx906\nvllm serve gpt2 --swap-space 4",
        "# on a Tesla P40\nvllm serve gpt2 --swap-space 4",
        "cd vllm && git checkout 1a2b3c4d\nvllm serve gpt2 --swap-space 4",
        "# cache of GGUF models\nvllm serve Qwen/Qwen3-32B",
        "MODEL=/workspace/models/a\nvllm serve $MODEL --host 0.0.0.0",
        "~/llama-cpp-turboquant/build/bin/llama-server -m a.gguf --no-mmap",
        'python3 - <<PY\ncmd = f"""llama-server \\\\\n  -hf {name} \\\\\n  --port 1"""\nPY',
        "local cmd=(\n  vllm serve gpt2\n  --port 1\n)",
        "nohup vllm serve gpt2 \\\n  --port 1 \\  # was 2\n  ...",
        "llama-server not found: install it first",
    ],
)
def test_what_a_file_says_of_its_program_is_heeded(text: str) -> None:
    assert codes(f"{text}\n") == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("docker run $IMAGE vllm serve gpt2 --max-modle-len 4", "unknown-option"),
        ("docker run vllm/vllm-openai:latest --model gpt2 --swap-space 4", "unknown-option"),
        ("# needs vLLM >= 0.8.5\nvllm serve gpt2 --swap-space 4", "unknown-option"),
        ("python3 -m vllm serve gpt2 --swap-space 4", "unknown-option"),
        ("trtllm-serve ./engines other", "extra-argument"),
        ("vllm serve gpt2 \\\n  --port 1\n  --dtype half", "broken-continuation"),
    ],
)
def test_what_is_sure_in_any_version_stays_an_error(text: str, code: str) -> None:
    assert codes(f"{text}\n") == [code]


def test_a_page_that_shows_options_line_by_line_is_no_broken_command() -> None:
    shown = "```bash\nllama-server --port ${PORT}\n  -m a.gguf\n  --jinja\n```\n"
    assert codes(shown, "markdown") == []
    assert codes(shown.replace("}\n", "} \\\n"), "markdown") == ["broken-continuation"]


OPEN = "vllm serve gpt2 --host 0.0.0.0\n"


@pytest.mark.parametrize(
    "words",
    [
        "behind nginx", "a security group lets nobody in", "in WSL2", "on a RunPod machine",
        "through the VPN", "ufw allow from 10.0.0.0/8", "ssh -N -L 8000:localhost:8000 gpu",
    ],
)  # fmt: skip
def test_a_server_that_something_may_stand_before_is_said_at_the_end(words: str) -> None:
    page = f"# Setup\n\n{words}\n\n## Start\n\n```bash\n{OPEN}```\n"
    for text, kind, path in (
        (f"# {words}\n{OPEN}", "bash", "a.sh"),
        (page, "markdown", "a.md"),
    ):
        seen = linted(text, kind, path=path)
        assert (seen.problems, len(seen.maybe_guarded)) == ((), 1)


def test_a_page_speaks_of_a_container_where_it_starts_one() -> None:
    page = f"With docker:\n\n```bash\ndocker run a\n```\n\nWithout:\n\n```bash\n{OPEN}```\n"
    seen = linted(page, "markdown", path="a.md")
    assert ([one.code for one in seen.problems], seen.maybe_guarded) == (["exposed"], ())
    near = linted(page.replace("Without", "In the container"), "markdown", path="a.md")
    assert (near.problems, len(near.maybe_guarded)) == ((), 1)


@pytest.mark.parametrize("path", [".github/workflows/a.sh", "docker/run.sh", "k8s/start.sh"])
def test_a_script_of_a_container_or_a_test_opens_nothing(path: str) -> None:
    assert linted(OPEN, path=path).problems == ()
    assert [one.code for one in linted(OPEN, path="run.sh").problems] == ["exposed"]


@pytest.mark.parametrize(
    "before",
    [
        "set -a; source .env; set +a",
        "[[ -f $DIR/.env ]] && { set -a; source $DIR/.env; set +a; }",
        "export $(grep -v '^#' .env | xargs)",
        ". ./.env",
    ],
)
def test_a_file_of_variables_may_hold_the_key(before: str) -> None:
    assert codes(f"{before}\n{OPEN}") == []
    assert codes(f"source venv/bin/activate\n{OPEN}") == ["exposed"]


@pytest.mark.parametrize("given", ["sg render", "exec sg render", "su - ai", "su -l ai"])
def test_a_script_that_runs_as_somebody_else_is_read(given: str) -> None:
    seen = linted(f'{given} -c "vllm serve gpt2 \\\n  --hots 1"\n')
    assert (seen.launches, [one.code for one in seen.problems]) == (1, ["unknown-option"])
