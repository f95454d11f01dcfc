"""What differs by runtime is data: no module but those listed names a runtime of the catalog."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RUNTIMES = frozenset(path.stem for path in (ROOT / "catalog/runtimes").glob("*.yaml"))
FORMS = "recipes/forms/"
"""A form is the module of its runtime."""
ALLOWED: Mapping[str, str] = {
    "here/outputs.py": "programs that a machine is asked for by their commands",
    "cli/imports/comparison.py": "what a log of a start is told to be of",
    "importers/startup_log.py": "lines by which a log is told, and read",
    "importers/startup_record.py": "what a log of a start is told to be of",
    "recipes/chat.py": "where the chat templates of a runtime lie, and a switch of vLLM",
    "recipes/files.py": "the commit of the tools that make files",
    "recipes/drivers.py": "drivers that a package asks for, by its name",
    "recipes/mlx_options.py": "what the forms of MLX LM share; its package has the runtime's name",
    "recipes/sglang_image.py": "images of SGLang; their version has the runtime's name",
    "recipes/vllm_options.py": "what the forms of vLLM share",
    "recipes/versions.py": "the version of each program whose options the forms use",
    "recipes/measuring.py": "vLLM's client measures every server; its format has its name",
    "browser/start_log.py": "the logs of three programs, each in words of its own",
    "lint/known_programs.py": "the table of programs that the linter reads",
    "lint/manifests.py": "packages, sources and images by which files pin a program",
    "lint/versions.py": "repositories by whose names a fork of a program is told",
    "lint/programs.py": "`vllm bench serve` has three words, and vLLM's server is also a script",
    "lint/rules/options.py": "a Modelfile is Ollama's",
    "lint/files.py": "Ollama's commands and variables may stand apart in a file",
    "lint/reading.py": "variables and commands of Ollama's server",
    "lint/rules/engines.py": "what vLLM, SGLang and TabbyAPI refuse, each by its own options",
    "lint/rules/llama_cpp.py": "options of llama-cli that llama.cpp's own server refuses",
    "lint/rules/ollama.py": "variables that only Ollama reads; its cache types are llama.cpp's",
    "lint/rules/serving.py": "Ray Serve LLM serves with vLLM",
    "lint/languages/configurations.py": "Ray Serve LLM serves with vLLM",
    "lint/languages/python_programs.py": "reads programs that import vLLM",
    "importers/__init__.py": "names of formats, which are those of the tools that write them",
    "importers/figures.py": "names of formats",
    "importers/inferencex.py": "what files of this format call a runtime",
    "importers/llama_bench.py": "llama-bench measures llama.cpp alone",
    "importers/localscore.py": "what files of this format call a runtime",
    "importers/spellings/quantizations.py": "words in names of files that change no tensor",
    "importers/vllm.py": "what files of this format call a runtime, and its own name",
    "site/drawings/latencies.py": "names of formats",
    "site/tables/transfers.py": "whose cache a guide means that names no runtime",
}
"""Modules of ``sitegen`` that name a runtime, with the reason."""


def named(source: str) -> set[str]:
    """Runtimes that a module's strings name."""
    return {
        node.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    } & RUNTIMES


def modules() -> Mapping[str, set[str]]:
    package = ROOT / "sitegen"
    paths = {path.relative_to(package).as_posix(): path for path in package.rglob("*.py")}
    return {name: named(path.read_text()) for name, path in paths.items()}


@pytest.mark.parametrize(
    ("source", "expected"),
    [('X = {"sglang": 1}', {"sglang"}), ('"""vllm serve"""', set()), ("vllm = 1", set())],
)
def test_a_runtime_is_named_by_a_string_that_is_its_id(source: str, expected: set[str]) -> None:
    assert named(source) == expected


def test_only_forms_and_listed_modules_name_a_runtime() -> None:
    naming = {name for name, ids in modules().items() if ids and not name.startswith(FORMS)}
    assert naming - ALLOWED.keys() == set(), "put what differs into the runtime's record"


def test_every_module_of_the_list_names_one() -> None:
    found = modules()
    assert {name for name in ALLOWED if not found.get(name)} == set()
