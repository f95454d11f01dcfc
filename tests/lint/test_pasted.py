"""What people paste: commands behind others, prompts and lists, files without their names."""

from __future__ import annotations

import time

import pytest

from sitegen.lint.reading import kind_of
from tests.lint.support import codes, found, linted, only

WRONG = "vllm serve Qwen/Qwen3-8B --max-modle-len 4096"
COMMANDS = (
    f"cd /opt/vllm && source .venv/bin/activate && {WRONG}",
    f"source /opt/x/bin/activate; CUDA_VISIBLE_DEVICES=0 nohup {WRONG} > log 2>&1 &",
    f"me@desk:~$ cd /opt && {WRONG}",
    f"sudo -E {WRONG}",
    f"sudo -u serving env A=b {WRONG}",
    f"bash -c '{WRONG}'",
    f'bash -lc "source /venv/bin/activate && {WRONG}"',
    f'bash -lc "\n  set -e\n  {WRONG}"\n',
    f"uv run --with vllm {WRONG}",
    f'ssh -p 22 me@gpu1 "cd /opt && {WRONG}"',
    f"ssh gpu1 {WRONG}",
    f"tmux new -d -s x '{WRONG}'",
    f"time {WRONG}",
    f"timeout 60 {WRONG}",
    f"taskset -c 0-7 {WRONG}",
    f"> {WRONG}",
    f"> vllm serve Qwen/Qwen3-8B \\\n>   {WRONG[25:]}",
    f"❯ {WRONG}",
    f"- {WRONG}",
    f"% {WRONG}",
)
PROSE = (
    "First cd into the folder && then vllm serve Qwen/Qwen3-8B --prot 8000 with options.",
    "- vllm serve starts a server: the --prot option says where, and --port too.",
    "- vllm serve M --prot 8000 to listen on another port",
    "> vllm serve is what he uses with --prot, it said.",
    "ssh into the box and run vllm serve --prot 8000",
    'ssh to the machine, "then vllm serve with --prot" and it works.',
    'bash -c is what starts vllm serve, with "the --prot option".',
    "time ollama run takes to load --prots is long.",
    "sudo is needed for vllm serve --prot 8000",
    "* llama-server is the program that takes --prots.",
    "cd is how you get there; vllm serve then takes --prot",
)
CONFIGURATIONS = {
    "yaml of llama-swap": "models:\n  qwen:\n    cmd: |\n      llama-server --port ${PORT}\n"
    "      -m a.gguf --ctx-sizee 4096\n",
    "yaml of TabbyAPI": "network:\n  port: 5000\nmodel:\n  model_dir: m\n  max_seq_lenn: 4096\n",
    "yaml of dstack": "# mine\ntype: service\nimage: vllm/vllm-openai:latest\ncommands:\n"
    f"  - {WRONG}\nport: 8000\n",
    "yaml of compose": "services:\n  a:\n    image: vllm/vllm-openai:latest\n    command: |\n"
    "      --model Qwen/Qwen3-8B\n      --max-modle-len 4096\n",
    "modelfile": "# mine\nFROM qwen3:32b\nPARAMETER temprature 0.7\n",
    "ini of a quadlet": "[Container]\nImage=docker.io/vllm/vllm-openai:latest\n"
    "Exec=--model Qwen/Qwen3-8B --max-modle-len 4096\n",
}  # fmt: skip
SERVE = "vllm serve Qwen/Qwen3-8B -tp 2 --max-model-len 8192"
TWO = f"{SERVE} --port 8001 &\n{{}}vllm serve Qwen/Qwen3-4B -tp 2 --max-model-len 8192 &\n"
SCRIPTS = {
    between: TWO.format(between)
    for between in ("", "\n", "sleep 30\n", "echo first\n\nsleep 2m\n", "cd /opt\n")
}


@pytest.mark.parametrize("text", COMMANDS)
def test_a_command_is_found_whatever_leads_to_it(text: str) -> None:
    problem = only(text, "")
    assert problem.code == "unknown-option"
    line = text.split("\n")[problem.span.line - 1]
    assert line[problem.span.column - 1 :].startswith("--max-modle-len")


def test_colors_of_a_terminal_are_no_part_of_a_command() -> None:
    shown = f"\x1b[32mme@desk\x1b[0m:\x1b[34m~\x1b[0m$ \x1b[1mvllm serve\x1b[0m{WRONG[10:]}"
    assert codes(shown, "") == ["unknown-option"]
    assert codes("\x1b[0m", "") == []


@pytest.mark.parametrize("text", PROSE)
def test_a_sentence_that_names_a_command_is_none(text: str) -> None:
    assert codes(text, "") == []


@pytest.mark.parametrize(("name", "text"), CONFIGURATIONS.items())
def test_a_file_is_known_by_what_it_says(name: str, text: str) -> None:
    kind = kind_of("", text)
    assert kind == name.partition(" ")[0]
    assert codes(text, kind) == ["unknown-option"]


@pytest.mark.parametrize(
    "text",
    [
        "note: this is it\n  image: none\nThen vllm serve it.\n",
        "load_tensors: image: a\nload_tensors: b\n  args: c\n",
        "Command:\n  args: vllm serve x\n",
        "FROM vllm/vllm-openai:latest\nRUN pip install x\nCMD --model gpt2\n",
        "From me:\nparameter x\n",
    ],
)
def test_a_log_or_a_message_is_no_file(text: str) -> None:
    assert kind_of("", text) == "text"


def test_a_quadlet_with_an_entry_of_its_own_is_not_read_as_its_image_s_words() -> None:
    own = CONFIGURATIONS["ini of a quadlet"].replace("Exec=", "Entrypoint=/run.sh\nExec=")
    assert linted(own, "ini").launches == 0


@pytest.mark.parametrize("between", ["", "\n", "\n# the server\n", "\n\nsleep 1\n"])
def test_what_is_exported_counts_for_the_command_behind_it(between: str) -> None:
    text = f"export CUDA_VISIBLE_DEVICES=1,2\n{between}{SERVE}\n"
    assert codes(text, "", "2x-rtx-4090") == ["visible-gpus"]


def test_prose_parts_what_is_exported_from_another_command() -> None:
    text = f"export CUDA_VISIBLE_DEVICES=1,2\n\nOn the other machine, start this.\n\n{SERVE}\n"
    assert codes(text, "", "2x-rtx-4090") == []


@pytest.mark.parametrize("text", SCRIPTS.values())
def test_servers_of_one_script_run_at_once_though_lines_stand_between(text: str) -> None:
    assert "shared-gpu" in codes(text, "", "2x-rtx-4090")


@pytest.mark.parametrize("between", ["\nOr the smaller one.\n\n", "\n# or\n\n", "kill %1\n"])
def test_servers_that_a_text_parts_do_not_run_at_once(between: str) -> None:
    assert "shared-gpu" not in codes(TWO.format(between), "", "2x-rtx-4090")


def test_a_command_without_end_is_read_in_part_and_soon() -> None:
    begun = time.monotonic()
    assert found("vllm serve M " + "--a " * 100_000, "") == ()
    assert time.monotonic() - begun < 60
