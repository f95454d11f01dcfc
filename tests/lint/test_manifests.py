"""What files beside a command say of versions, and what the rules make of it."""

from __future__ import annotations

from time import monotonic

import pytest

from sitegen.catalog.text.source_text import SourceText
from sitegen.lint.files import Linted, lint
from sitegen.lint.manifests import AT_A_COMMIT, pins_of, speaks_of_versions, together
from sitegen.lint.versions import OF_A_FORK, SEVERAL
from sitegen.problems import Severity
from tests.lint.support import facts

GONE = "vllm serve gpt2 --swap-space 4\n"


def beside(text: str, **versions: str) -> Linted:
    return lint(SourceText("serve.sh", text), facts(), "bash", versions)


@pytest.mark.parametrize(
    ("name", "text", "version"),
    [
        ("requirements.txt", "torch==2.7.0\nvllm==0.8.5.post1\n", "0.8.5"),
        ("requirements-gpu.txt", "vllm[audio] >= 0.7, < 0.9\n", "0.9"),
        ("setup.py", 'extras_require={"vllm": ["vllm>=0.7.3,<=0.8.5"]}', "0.8.5"),
        ("pyproject.toml", '[project]\ndependencies = ["vllm~=0.8.5"]\n', "0.8.5"),
        ("pyproject.toml", '[tool.poetry.dependencies]\nvllm = "^0.8.5"\n', "0.8.5"),
        ("pyproject.toml", 'vllm = { extras = ["audio"], version = "0.8.5" }\n', "0.8.5"),
        ("uv.lock", '[[package]]\nname = "vllm"\nversion = "0.8.5"\n', "0.8.5"),
        ("Pipfile.lock", '{"default": {"vllm": {"hashes": [], "version": "==0.8.5"}}}', "0.8.5"),
        ("environment.yml", "dependencies:\n  - pip:\n      - vllm==0.8.5\n", "0.8.5"),
        ("environment.yml", "dependencies:\n  - conda-forge::vllm=0.8.5\n", "0.8.5"),
        ("Dockerfile", "FROM vllm/vllm-openai:v0.8.5\n", "0.8.5"),
        ("compose.yml", "    image: vllm/vllm-openai:${VLLM_TAG:-v0.8.5}\n", "0.8.5"),
        ("Makefile", "VLLM_VERSION ?= 0.8.5\n", "0.8.5"),
        ("setup.sh", "git clone -b v0.8.5 https://github.com/vllm-project/vllm.git\n", "0.8.5"),
        ("setup.sh", "pip install git+https://github.com/vllm-project/vllm@v0.8.5\n", "0.8.5"),
        ("requirements.txt", "vllm @ git+https://github.com/vllm-project/vllm@1f2e3d4c\n",
         AT_A_COMMIT),
        ("requirements.txt", "git+https://github.com/someone/vllm.git\n", OF_A_FORK),
        ("README.md", "Tested with vLLM 0.8.5 and CUDA 12.4.\n", "0.8.5"),
        ("spec.md", "| engine | vLLM 0.8.x |\n", "0.8.x"),
    ],
)  # fmt: skip
def test_a_file_beside_a_command_says_its_version(name: str, text: str, version: str) -> None:
    assert speaks_of_versions(name)
    assert together([pins_of(name, text)]) == {"vllm": version}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("requirements.txt", "vllm\n"),
        ("requirements.txt", "vllm>=0.8.5\n"),
        ("requirements.txt", "vllm>=0.8.5,<1\nvllm!=0.9.0\n"),
        ("requirements.txt", "fastvllm==0.2.1\n"),
        ("pyproject.toml", 'vllm = "*"\n'),
        ("Dockerfile", "FROM vllm/vllm-openai:latest\n"),
        (
            "README.md",
            "Runs with vLLM >= 0.8.5, see https://github.com/vllm-project/vllm/tree/main\n",
        ),
        ("README.md", "A Tesla P40 has no fast FP16.\n"),
    ],
)
def test_what_allows_the_newest_version_pins_none(name: str, text: str) -> None:
    assert together([pins_of(name, text)]) == {}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Dockerfile", "ARG LLAMA_CPP_TAG=b4719\n"),
        ("compose.yaml", "    image: ghcr.io/ggml-org/llama.cpp:server-cuda-b4719\n"),
        ("install.sh", "git clone https://github.com/ggml-org/llama.cpp && cd llama.cpp\n"
         "git checkout b4719\n"),
    ],
)  # fmt: skip
def test_builds_of_llama_cpp_are_versions(name: str, text: str) -> None:
    assert together([pins_of(name, text)])["llama-cpp"] == "b4719"


def test_a_page_of_changes_tells_of_other_days() -> None:
    names = ("CHANGELOG.md", "release-notes.md", "serve.sh", "model.py", "docs.md")
    assert [speaks_of_versions(name) for name in names] == [False, False, False, False, True]


def test_a_submodule_is_at_a_commit() -> None:
    text = '[submodule "llama.cpp"]\n\turl = https://github.com/ggml-org/llama.cpp.git\n'
    assert together([pins_of(".gitmodules", text)])["llama-cpp"] == AT_A_COMMIT


def test_two_versions_are_none_and_mends_of_one_are_one() -> None:
    def pins(*versions: str) -> dict[str, str]:
        return together(pins_of("requirements.txt", f"vllm=={one}") for one in versions)

    assert pins("0.8.5", "0.9.1") == {"vllm": SEVERAL}
    assert pins("0.8.5", "0.8.4") == {"vllm": "0.8.4"}
    assert pins("0.8.5", "0.8.5") == {"vllm": "0.8.5"}


def test_a_version_beside_is_that_of_the_commands() -> None:
    assert beside(GONE, vllm="0.8.5").problems == ()
    assert beside(GONE, vllm="0.8.5").other_versions == 1
    assert beside(GONE, vllm=SEVERAL).problems == ()
    assert beside(GONE, sglang="0.4.6").problems != ()


def test_the_very_version_beside_makes_a_list_decide() -> None:
    (found,) = beside("vllm serve gpt2 --turbo-cache 3\n", vllm="0.33.0").problems
    assert (found.code, found.severity) == ("unknown-option", Severity.ERROR)


def test_what_a_file_says_itself_comes_first() -> None:
    (found,) = beside(f"pip install vllm==0.33.0\n{GONE}", vllm="0.8.5").problems
    assert found.message.endswith("; earlier versions had it")
    newest = "docker run vllm/vllm-openai:latest --model gpt2 --swap-space 4\n"
    (found,) = beside(newest, vllm="0.8.5").problems
    assert (found.code, found.severity) == ("unknown-option", Severity.ERROR)


def test_without_any_version_an_option_of_an_earlier_one_is_a_warning() -> None:
    (found,) = beside(GONE).problems
    assert (found.code, found.severity) == ("unknown-option", Severity.WARNING)
    assert found.message == (
        "vLLM 0.33.0 no longer has --swap-space; this command needs an earlier version"
    )
    (slip,) = beside("vllm serve gpt2 --max-modle-len 8\n").problems
    assert slip.severity is Severity.ERROR


def severities(text: str, **versions: str) -> list[tuple[str, Severity]]:
    return [(one.code, one.severity) for one in beside(text, **versions).problems]


def test_what_another_version_takes_is_a_warning_where_nothing_names_one() -> None:
    warned, wrong = Severity.WARNING, Severity.ERROR
    flash = "llama-server -m a.gguf -fa --jinja\n"
    assert severities(flash) == [("option-value", warned)]
    assert severities(flash, **{"llama-cpp": "b4719"}) == []
    choice = "vllm serve gpt2 --dtype fp8\n"
    assert severities(choice) == [("option-value", warned)]
    assert beside(choice).problems[0].message.startswith("vLLM 0.33.0: --dtype does not know")
    assert severities(choice, vllm="0.33.0") == [("option-value", wrong)]
    assert severities("vllm serve gpt2 --dtype bfloat61\n") == [("option-value", wrong)]
    model = "vllm serve meta-llama/Llama-3.2-11B-Vision-Instruct --max-model-len 8192\n"
    assert severities(model) == [("no-code-for-model", warned)]
    assert severities(model, vllm="0.33.0") == [("no-code-for-model", wrong)]


def test_parts_with_sizes_of_their_own_are_not_held_to_the_tensor_parallel_size() -> None:
    def split(size: int, more: str = "") -> list[str]:
        model = "sglang serve --model-path deepseek-ai/DeepSeek-R1-0528 --ep-size 32"
        return [one.code for one in beside(f"{model} --tp-size {size} {more}").problems]

    assert split(32) == ["tensor-split"]
    for more in ("--moe-a2a-backend deepep", "--moe-dense-tp-size 1"):
        assert split(32, more) == []
        assert split(7, more) == ["tensor-split"]
    shared = "--enable-dp-attention --dp-size 16"
    assert split(32, shared) == []
    assert split(7, shared) == ["tensor-split"]


@pytest.mark.parametrize(
    "piece",
    [
        " -b x", "git clone https://github.com/vllm-project/vllm ", "VLLM_version", '"vllm":{',
        "vllm>=1,", "pip install -x ", "a:b/", "vllm = {", "vllm[", "- vllm ", "build",
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", ["", "\n"])
def test_hostile_files_are_read_in_time(piece: str, end: str) -> None:
    begun = monotonic()
    for line in (f"{piece}{end}", f"{piece * 60}\n"):
        pins_of("requirements.txt", line * (200_000 // len(line)))
    assert monotonic() - begun < 5
