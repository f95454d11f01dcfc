"""Ollama: tags of its library, variables of its server, and what they take together."""

from __future__ import annotations

import pytest

from sitegen.lint.ollama_library import TABLE
from sitegen.lint.options import option_tables
from sitegen.problems import Severity
from tests.lint.support import codes, facts, found, linted, only
from tests.survey.whole_catalog import whole_catalog

CARD = "1x-rtx-3090"
OVERRIDE = '[Service]\nEnvironment="{}"\n'
COMPOSE = "services:\n  ollama:\n    image: ollama/ollama\n    environment:\n      {}\n"
POD = """\
apiVersion: v1
kind: Pod
spec:
  containers:
    - name: ollama
      image: ollama/ollama:rocm
      env:
        - name: {}
          value: "{}"
"""


def files(tag: str) -> tuple[str, str]:
    """The model that a tag names, and the type of its file."""
    resolved = facts().library.find(tag)
    assert resolved is not None, tag
    kept = resolved.checkpoint
    return resolved.model.id, kept.quantization.gguf_file_type if kept is not None else ""


@pytest.mark.parametrize(
    ("tag", "model", "kind"),
    [
        ("llama3.3:70b", "llama-3.3-70b-instruct", "Q4_K_M"),
        ("llama3.3", "llama-3.3-70b-instruct", "Q4_K_M"),
        ("llama3.3:70b-instruct-q8_0", "llama-3.3-70b-instruct", "Q8_0"),
        ("qwen3:32b", "qwen3-32b", "Q4_K_M"),
        ("qwen3:latest", "qwen3-8b", "Q4_K_M"),
        ("gpt-oss:120b", "gpt-oss-120b", "MXFP4_MOE_F16"),
        ("gpt-oss", "gpt-oss-20b", "MXFP4_MOE_F16"),
        ("registry.ollama.ai/library/Gemma3:27b", "gemma-3-27b-it", "Q4_K_M"),
        ("gemma3:27b-it-fp16", "gemma-3-27b-it", "F16"),
        ("llama3:8b", "llama-3-8b-instruct", "Q4_0"),
        ("llama3.2:1b", "llama-3.2-1b-instruct", "Q8_0"),
        ("gemma3:27b-it-qat", "gemma-3-27b-it", ""),
        ("qwen3:30b-a3b", "qwen3-30b-a3b", ""),
    ],
)
def test_a_tag_names_a_model_and_where_the_listing_tells_a_type(
    tag: str, model: str, kind: str
) -> None:
    assert files(tag) == (model, kind)


def test_a_short_tag_is_the_longer_one_whose_file_it_shares() -> None:
    """The listing has Q4_K_M of each longer tag of the size but one."""
    assert files("deepseek-r1:8b") == ("deepseek-r1-0528-qwen3-8b", "Q4_K_M")
    assert files("deepseek-r1:8b-llama-distill-q8_0") == ("deepseek-r1-distill-llama-8b", "Q8_0")
    assert files("qwen3:30b")[0] == "qwen3-30b-a3b-thinking-2507"
    assert files("qwen3:30b-a3b-q8_0")[0] == "qwen3-30b-a3b"
    assert files("qwen3:4b")[0] == "qwen3-4b-thinking-2507"
    assert files("qwen3:4b-q8_0")[0] == "qwen3-4b"


def test_every_tag_of_the_table_names_a_model_and_a_type_of_the_catalog() -> None:
    catalog = whole_catalog()
    types = {one.gguf_file_type for one in catalog.quantizations.values()} | {""}
    kinds = option_tables()[TABLE].kinds
    assert len(kinds) > 300
    for tag, entry in kinds.items():
        model, _, kind = entry.partition(" ")
        assert model in catalog.models, tag
        assert kind in types, tag


def test_a_model_that_is_not_recognised_is_said() -> None:
    assert linted("ollama run nothing:7b", combo=CARD).unknown_models == ("nothing:7b",)
    assert linted("ollama run somebody/qwen3:8b").unknown_models == ("somebody/qwen3:8b",)
    assert linted("ollama run qwen3:8b").unknown_models == ()
    assert linted("ollama run gpt-oss:120b-cloud").unknown_models == ()
    assert linted("ollama serve").unnamed_models == 1
    assert linted("ollama serve &\nollama run qwen3:8b").unnamed_models == 0
    made = "ollama create mine -f Modelfile\nollama run mine"
    assert linted(made).unknown_models == ()
    assert linted(made.replace("create mine", "create other")).unknown_models == ("mine",)
    assert linted("llama-server --version\ntrtllm-serve --help").unnamed_models == 0
    assert linted('vllm serve "$MODEL"').unnamed_models == 1
    assert linted("vllm serve Qwen/Qwen3-8B").unnamed_models == 0


def test_the_reason_is_said_where_memory_is_not_checked() -> None:
    def why(text: str, combo: str = CARD) -> list[str]:
        return [one.why for one in linted(text, combo=combo).unweighed]

    assert why("ollama run qwen3:8b") == []
    assert why("ollama run qwen3:8b", "") == []  # the machine is asked for instead
    assert why("ollama run qwen3:30b-a3b") == [
        "the model is known, but the size of these files is not"
    ]
    assert why("text-generation-launcher --model-id Qwen/Qwen3-8B") == [
        "sitegen has no rule for the memory of this program"
    ]
    assert why("llama-server -m Qwen3-8B-Q4_K_M.gguf") == [
        "a part of the model may be in system RAM"
    ]
    assert why("llama-server -m Qwen3-8B-Q4_K_M.gguf -ngl 99") == []
    mixed = "rtx-3060-ti-plus-rtx-3080-ti"
    assert why("ollama run qwen3:8b", mixed) == []  # its layers go to both
    assert why("vllm serve Qwen/Qwen3-8B-AWQ --max-model-len 4096", mixed) == [
        "the machine has several kinds of GPU, the text does not say which are used, and the model "
        "fits only on some of them"
    ]
    assert why("vllm serve Qwen/Qwen3-8B --max-model-len $LENGTH") == [
        "it depends on a value that is not in the text, or that sitegen has no rule for"
    ]


def test_weights_beyond_the_gpus_lie_in_ram() -> None:
    problem = only("ollama run llama3.3:70b", combo=CARD)
    assert (problem.code, problem.severity) == ("partly-in-ram", Severity.WARNING)
    assert problem.message == (
        "Llama 3.3 70B Instruct, Q4_K_M (39.6 GiB), is more than RTX 3090 can hold: Ollama puts "
        "the rest in system RAM, so answers are slow"
    )
    assert codes("ollama run llama3.3:70b", combo="2x-rtx-4090") == ["partly-in-ram"]
    assert codes("OLLAMA_CONTEXT_LENGTH=8192 ollama serve &\nollama run llama3.3:70b",
                 combo="2x-rtx-4090") == []  # fmt: skip
    assert codes("ollama run qwen3:8b", combo=CARD) == []


def test_a_context_that_nobody_asked_for_is_that_of_the_memory() -> None:
    """32,768 tokens from 23 GiB on, by the documentation."""
    problem = only("ollama run qwen3:32b", combo=CARD)
    assert "with the 32,768 tokens that Ollama uses by default is more than RTX 3090" in (
        problem.message
    )
    assert problem.hint == "OLLAMA_CONTEXT_LENGTH=16384"
    assert codes("export OLLAMA_CONTEXT_LENGTH=16384\nollama serve &\nollama run qwen3:32b",
                 combo=CARD) == []  # fmt: skip


def test_requests_at_once_have_a_context_each() -> None:
    text = "OLLAMA_CONTEXT_LENGTH=16384 OLLAMA_NUM_PARALLEL={} ollama serve &\nollama run qwen3:32b"
    problem = only(text.format(4), combo=CARD)
    assert "with 16,384 tokens of context for each of 4 requests" in problem.message
    assert problem.hint == "OLLAMA_CONTEXT_LENGTH=4096"
    assert codes(text.format(1), combo=CARD) == []
    assert codes(text.format(4).replace("16384", "4096"), combo=CARD) == []


def test_a_family_that_is_given_one_request_at_a_time_is_judged_by_one() -> None:
    text = "OLLAMA_CONTEXT_LENGTH=32768 OLLAMA_NUM_PARALLEL=64 ollama serve &\nollama run {}"
    assert codes(text.format("qwen3.5:9b"), combo=CARD) == []
    assert codes(text.format("qwen3:8b"), combo=CARD) == ["partly-in-ram"]


def test_a_cache_in_few_bits_leaves_more_room() -> None:
    text = "OLLAMA_CONTEXT_LENGTH=24576 {} ollama serve &\nollama run qwen3:32b"
    assert codes(text.format(""), combo=CARD) == ["partly-in-ram"]
    kept = "OLLAMA_FLASH_ATTENTION=1 OLLAMA_KV_CACHE_TYPE=q8_0"
    assert codes(text.format(kept), combo=CARD) == []


def test_two_servers_of_a_file_say_nothing_of_a_client() -> None:
    text = "OLLAMA_CONTEXT_LENGTH={} ollama serve &\n"
    both = text.format(4096) + text.format(40960) + "ollama run qwen3:32b"
    assert codes(both, combo=CARD) == []
    assert [one.why[:10] for one in linted(both, combo=CARD).unweighed] == ["it depends"]


def test_a_modelfile_names_a_model_and_its_context() -> None:
    text = "FROM qwen3:32b\nPARAMETER num_ctx {}\n"
    problem = only(text.format(32768), "modelfile", CARD)
    assert (problem.code, problem.span.line) == ("partly-in-ram", 2)
    assert problem.hint == "PARAMETER num_ctx 16384"
    assert codes(text.format(8192), "modelfile", CARD) == []
    assert linted("FROM ./my.gguf\n", "modelfile").unknown_models == ("./my.gguf",)
    assert codes("FROM ./Qwen3-32B-Q8_0.gguf\n", "modelfile", CARD) == ["partly-in-ram"]


WRITTEN = {
    "before the command": ("{}={} ollama serve", "bash"),
    "exported": ("export {}={}\nollama serve", "bash"),
    "by env": ("env {}={} ollama serve", "bash"),
    "for a session of macOS": ("launchctl setenv {} {}", "bash"),
    "of a container": ("docker run -d --gpus=all -e {}={} ollama/ollama", "bash"),
    "of a container, joined": ("docker run -d --env={}={} ollama/ollama:latest", "bash"),
    "of a unit": (
        '[Service]\nExecStart=/usr/bin/ollama serve\nEnvironment="{}={}"\n', "ini"),
    "of what is added to a unit": ("[Service]\nEnvironment={}={}\n", "ini"),
    "of compose, listed": (COMPOSE.format("- {}={}"), "yaml"),
    "of compose, mapped": (COMPOSE.format("{}: '{}'"), "yaml"),
    "of a pod": (POD, "yaml"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize(
    ("variable", "wrong", "right", "code", "hint"),
    [
        ("OLLAMA_CONTEXT_LENGTH", "32k", "32768", "option-value",
         "write OLLAMA_CONTEXT_LENGTH=32768"),
        ("OLLAMA_NUM_PARALLEL", "auto", "4", "option-value", "write only digits"),
        ("OLLAMA_FLASH_ATTENTION", "off", "0", "option-value", "write OLLAMA_FLASH_ATTENTION=0"),
        ("OLLAMA_KV_CACHE_TYPE", "q8", "q8_0", "option-value", "did you mean 'q8_0'?"),
        ("OLLAMA_KEEP_ALIVE", "24hours", "24h", "option-value",
         "write it like 30m or 24h, or as a number of seconds; -1 means forever"),
        ("OLLAMA_GPU_OVERHEAD", "2GB", "2147483648", "option-value", "write a number of bytes"),
        ("OLLAMA_HOST", "127.0.0.1:114340", "127.0.0.1:11434", "option-value", ""),
    ],
)  # fmt: skip
def test_values_are_read_wherever_they_stand(  # noqa: PLR0917 - a table of cases
    name: str, variable: str, wrong: str, right: str, code: str, hint: str
) -> None:
    text, kind = WRITTEN[name]
    problem = only(text.format(variable, wrong), kind)
    assert (problem.code, problem.severity, problem.hint) == (code, Severity.WARNING, hint)
    assert variable in problem.message or wrong in problem.message
    assert wrong in problem.source_line
    assert codes(text.format(variable, right), kind) == []


@pytest.mark.parametrize("value", ["-1", "0", "5m", "1h30m", "3600", "1.5h", "${KEEP:-5m}"])
def test_lengths_of_time_are_those_of_go(value: str) -> None:
    assert codes(f"OLLAMA_KEEP_ALIVE='{value}' ollama serve") == []


@pytest.mark.parametrize("value", ["on", "yes", "enabled", "1", "true", "0", "F"])
def test_what_turns_a_switch_as_it_says_is_left_alone(value: str) -> None:
    assert codes(f"OLLAMA_FLASH_ATTENTION={value} ollama serve") == []


@pytest.mark.parametrize("name", WRITTEN)
def test_a_cache_in_few_bits_needs_flash_attention(name: str) -> None:
    text, kind = WRITTEN[name]
    off, type_ = "OLLAMA_FLASH_ATTENTION=false", "OLLAMA_KV_CACHE_TYPE=q4_0"
    both = {"bash": f"export {off}\nexport {type_}\nollama serve",
            "ini": OVERRIDE.format(off) + f"Environment={type_}\n",
            "yaml": COMPOSE.format(f"- {off}\n      - {type_}")}[kind]  # fmt: skip
    problem = only(both, kind)
    assert (problem.code, problem.severity) == ("option-conflict", Severity.WARNING)
    assert problem.hint == "write OLLAMA_FLASH_ATTENTION=1"
    assert "OLLAMA_FLASH_ATTENTION" in problem.source_line
    assert codes(both.replace("q4_0", "f16"), kind) == []
    assert codes(both.replace("false", "1"), kind) == []
    assert text


def test_variables_that_are_none_are_said_where_they_are_ollama_s() -> None:
    for wrong, hint in (
        ("OLLAMA_NUM_CTX", "write OLLAMA_CONTEXT_LENGTH"),
        ("OLLAMA_CONTEXT_LENTGH", "did you mean 'OLLAMA_CONTEXT_LENGTH'?"),
        ("OLLAMA_NUM_GPUS", ""),
    ):
        problem = only(f"{wrong}=4 ollama serve")
        assert (problem.code, problem.severity) == ("unknown-option", Severity.WARNING)
        assert problem.hint == hint
    other = "services:\n  app:\n    image: open-webui\n    environment:\n      OLLAMA_BASE_URL: x\n"
    assert codes(other, "yaml") == []
    assert codes("export OLLAMA_API_BASE=http://127.0.0.1:11434\n./app") == []
    assert codes("export OLLAMA_NUM_CTX=8192\n./app") == ["unknown-option"]


def test_a_client_is_told_that_the_server_reads_a_variable() -> None:
    problem = only("OLLAMA_CONTEXT_LENGTH=8192 ollama run qwen3:8b")
    assert (problem.code, problem.hint) == (
        "option-conflict", "set it where you start ollama serve"
    )  # fmt: skip
    assert codes("OLLAMA_HOST=10.0.0.2:11434 ollama run qwen3:8b") == []


def test_an_open_address_is_warned_of_in_a_unit() -> None:
    problem = found(OVERRIDE.format("OLLAMA_HOST=0.0.0.0"), "ini")[0]
    assert (problem.code, problem.span.line) == ("exposed", 2)


@pytest.mark.parametrize(
    "fed", ["sudo tee {} <<EOF", "sudo tee {} > /dev/null <<EOF", "cat > {} <<EOF",
            "cat <<EOF > {}"],
)  # fmt: skip
def test_files_that_a_script_writes_are_read(fed: str) -> None:
    path = "/etc/systemd/system/ollama.service.d/override.conf"
    unit = '[Service]\nEnvironment="OLLAMA_FLASH_ATTENTION=off"\nEOF\n'
    problem = only(f"{fed.format(path)}\n{unit}")
    assert (problem.code, problem.span.line) == ("option-value", 3)
    made = f"{fed.format('Modelfile')}\nFROM qwen3:32b\nPARAMETER num_ctx 32768\nEOF\n"
    problem = only(f"{made}ollama create mine -f Modelfile\nollama run mine", combo=CARD)
    assert (problem.code, problem.span.line) == ("partly-in-ram", 3)


def test_a_variable_of_an_earlier_version_is_none_of_the_newest() -> None:
    text = POD.format("OLLAMA_INTEL_GPU", "1")
    assert codes(text, "yaml") == ["unknown-option"]
    assert codes(text.replace(":rocm", ":0.5.7"), "yaml") == []
    assert codes(text.replace(":rocm", ":0.33.1"), "yaml") == ["unknown-option"]
