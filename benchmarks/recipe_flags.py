"""Reads which options programs really have, in their own sources, for the tests of the recipes.

Each program is read at the version that ``sitegen.recipes.versions`` names: packages are fetched
with pip, the others are read in folders given with ``--folder PROGRAM=PATH``, a checkout (or a
part of one) at the commit named. Writes ``tests/recipes/options/PROGRAM.json``. Run it again when
a version changes:

    python -m benchmarks.recipe_flags --folder ollama=… --folder tabbyapi=… --folder exo=… \
        --folder tensorrt-llm=… --folder infernet=…
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sitegen.recipes.versions import READ

FACTS = Path(__file__).parents[1] / "tests" / "recipes" / "options"
OPTION = re.compile(r"--?[a-z][a-z0-9_-]*(/--[a-z][a-z0-9_-]*)?")
PLATFORMS = ("any", "manylinux2014_x86_64", "manylinux_2_28_x86_64", "manylinux_2_34_x86_64")
Reader = Callable[[Path], Iterator[str]]


def strings(call: ast.Call) -> Iterator[str]:
    """Yield the words of a call that look like options, those of keywords too."""
    for part in (*call.args, *(keyword.value for keyword in call.keywords)):
        for node in ast.walk(part):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                if OPTION.fullmatch(node.value):
                    yield from node.value.split("/")
            elif isinstance(node, ast.Call):
                break


def arguments(path: Path, *functions: str) -> Iterator[str]:
    """Yield the options that calls of these functions register in a Python file."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            name = node.func.id if isinstance(node.func, ast.Name) else name
            if name in functions:
                yield from strings(node)


def fields(path: Path, *classes: str) -> Iterator[str]:
    """Yield the annotated fields of classes in a Python file, of all of them without a name."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ClassDef) and (node.name in classes or not classes):
            for one in node.body:
                if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
                    yield one.target.id


def as_option(name: str) -> str:
    """Write a field as an option."""
    return "--" + name.replace("_", "-")


def vllm(root: Path) -> Iterator[str]:
    """Engine arguments are registered one by one, those of the server by their fields."""
    yield from arguments(root / "vllm/engine/arg_utils.py", "add_argument")
    server = root / "vllm/entrypoints/common/cli_args.py"
    yield from arguments(server, "add_argument")
    yield from map(as_option, fields(server))
    yield from arguments(root / "vllm/entrypoints/cli/serve.py", "add_argument")
    for path in ("serve.py", "datasets/datasets.py"):  # of `vllm bench serve`
        found = arguments(root / "vllm/benchmarks" / path, "add_argument")
        yield from (f"bench:{name}" for name in found)


def ray(root: Path) -> Iterator[str]:
    """Options of the two command lines, and fields of the configuration, which have no dashes."""
    yield from arguments(root / "ray/scripts/scripts.py", "option")
    yield from arguments(root / "ray/serve/scripts.py", "option")
    yield from fields(
        root / "ray/serve/schema.py",
        *("ServeDeploySchema", "ServeApplicationSchema", "HTTPOptionsSchema", "DeploymentSchema"),
    )
    yield from fields(root / "ray/serve/config.py", "AutoscalingConfig", "HTTPOptions")
    configs = root / "ray/llm/_internal/serve/core"
    yield from fields(configs / "configs/llm_config.py", "LLMConfig", "ModelLoadingConfig")
    yield from fields(configs / "ingress/builder.py", "LLMServingArgs")


def sglang(root: Path) -> Iterator[str]:
    """Every field is an option; aliases stand beside them."""
    for path in sorted((root / "sglang/srt/arg_groups/fields").glob("*.py")):
        yield from map(as_option, fields(path))
        yield from arguments(path, "Arg")


def llama_cpp(root: Path) -> Iterator[str]:
    """Names stand in braces before each option; the RPC server compares them one by one."""
    whole = root / "vendor/llama.cpp"
    text = (whole / "common/arg.cpp").read_text("utf-8")
    for names in re.findall(r"common_arg\(\s*\{([^}]*)\}", text):
        yield from re.findall(r'"(--?[a-zA-Z][\w-]*)"', names)
    server = (whole / "tools/rpc/rpc-server.cpp").read_text("utf-8")
    yield from (f"rpc:{name}" for name in re.findall(r'arg == "(--?[a-zA-Z][\w-]*)"', server))
    bench = (whole / "tools/llama-bench/llama-bench.cpp").read_text("utf-8")
    yield from (f"bench:{name}" for name in re.findall(r'arg == "(--?[a-zA-Z][\w-]*)"', bench))
    build = (whole / "ggml/CMakeLists.txt").read_text("utf-8")
    yield from re.findall(r"option\((GGML_\w+)", build)
    quantize = (whole / "tools/quantize/quantize.cpp").read_text("utf-8")
    yield from (f"type:{name}" for name in re.findall(r'\{ "(\w+)",\s*LLAMA_FTYPE', quantize))


def ollama(root: Path) -> Iterator[str]:
    """Variables of the server, and parameters of a Modelfile."""
    variables = (root / "envconfig/config.go").read_text("utf-8")
    yield from set(re.findall(r'"(OLLAMA_\w+)"', variables))
    kinds = (root / "api/types.go").read_text("utf-8")
    for kind in ("Options", "Runner"):
        body = kinds.split(f"type {kind} struct", 1)[1].split("\n}", 1)[0]
        yield from (f"parameter:{name}" for name in re.findall(r'json:"(\w+)', body))


def tabbyapi(root: Path) -> Iterator[str]:
    """Every field of the configuration is an option too."""
    yield from fields(root / "common/config_models.py")


def mlx_lm(root: Path) -> Iterator[str]:
    """Options of the server and of the converter."""
    yield from arguments(root / "mlx_lm/server.py", "add_argument")
    yield from arguments(root / "mlx_lm/convert.py", "add_argument")


def exo(root: Path) -> Iterator[str]:
    """Options, and the paths of its interface."""
    yield from arguments(root / "src/exo/main.py", "add_argument")
    for path in sorted(root.glob("src/exo/**/*.py")):
        yield from re.findall(r'\.(?:get|post|delete)\("(/[\w/]+)', path.read_text("utf-8"))


def tensorrt_llm(root: Path) -> Iterator[str]:
    """Options of ``trtllm-serve``."""
    yield from arguments(root / "tensorrt_llm/commands/serve.py", "option")


def dynamo(root: Path) -> Iterator[str]:
    """Options of the vLLM worker beside vLLM's own."""
    path = root / "dynamo/vllm/backend_args.py"
    yield from arguments(path, "add_argument", "add_negatable_bool_argument")


def infernet(root: Path) -> Iterator[str]:
    """Keys of the Book's JSON; keys, variables, flags and commands of the daemon; its classes."""
    for path in sorted((root / "docs/book").glob("**/*.md")):
        for text in re.findall(r"```json\n(.*?)```", path.read_text("utf-8"), re.DOTALL):
            yield from (f"book:{name}" for name in re.findall(r'"(\w+)":', text))
    executor = (root / "apps/cli/lib/chat-executor.js").read_text("utf-8")
    yield from (f"engine:{name}" for name in re.findall(r"\beng\.(\w+)", executor))
    for path in sorted((root / "packages/engine/src").glob("**/*.js")):
        yield from re.findall(r"process\.env\.(\w+)", path.read_text("utf-8"))
    for name in ("chat", "init"):
        text = (root / f"apps/cli/commands/{name}.js").read_text("utf-8")
        yield from (f"--{flag}" for flag in re.findall(r"args\.(?:get|has)\([\"']([\w-]+)", text))
    listed = (root / "apps/cli/index.js").read_text("utf-8").split("const COMMANDS = {", 1)[1]
    yield from (f"command:{name}" for name in re.findall(r"\w+", listed.split("}", 1)[0]))
    register = (root / "apps/cli/commands/register.js").read_text("utf-8")
    yield from (f"tier:{name}" for name in re.findall(r"return '(\S*gb)'", register))


@dataclass(frozen=True)
class Program:
    """Where a program's options stand: a package to fetch, or a folder that has to be given."""

    read: Reader
    source: str
    package: str = ""
    sdist: bool = False


PROGRAMS: Mapping[str, Program] = {
    "vllm": Program(vllm, "https://github.com/vllm-project/vllm", "vllm"),
    "ray": Program(ray, "https://github.com/ray-project/ray", "ray"),
    "sglang": Program(sglang, "https://github.com/sgl-project/sglang", "sglang"),
    "llama-cpp": Program(
        llama_cpp, "https://github.com/ggml-org/llama.cpp", "llama-cpp-python", sdist=True
    ),
    "ollama": Program(ollama, "https://github.com/ollama/ollama"),
    "tabbyapi": Program(tabbyapi, "https://github.com/theroyallab/tabbyAPI"),
    "mlx-lm": Program(mlx_lm, "https://github.com/ml-explore/mlx-lm", "mlx-lm"),
    "exo": Program(exo, "https://github.com/exo-explore/exo"),
    "tensorrt-llm": Program(tensorrt_llm, "https://github.com/NVIDIA/TensorRT-LLM"),
    "dynamo": Program(dynamo, "https://github.com/ai-dynamo/dynamo", "ai-dynamo"),
    "infernet": Program(infernet, "https://github.com/profullstack/infernet-protocol"),
}


def fetched(name: str, program: Program, into: Path) -> Path:
    """Fetch a package without what it needs, and unpack its text."""
    version = READ[name].split()[-1]
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-q"]
    kind = ["--no-binary", program.package]
    if not program.sdist:
        platforms = [word for one in PLATFORMS for word in ("--platform", one)]
        kind = ["--only-binary", ":all:", "--python-version", "3.12", *platforms]
    wanted = f"{program.package}=={version}"
    subprocess.run([*command, "--no-deps", "-d", str(into), *kind, wanted], check=True)
    archive = next(path for path in into.iterdir() if path.is_file())
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(into, [n for n in packed.namelist() if n.endswith(".py")])  # noqa: S202 - fetched by pip
        return into
    with tarfile.open(archive) as packed_tar:
        packed_tar.extractall(into, filter="data")
    return next(path for path in into.iterdir() if path.is_dir())


def main(words: list[str]) -> None:
    """Read the programs named, or all; write one file for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", nargs="*", choices=[*PROGRAMS, []], default=[])
    parser.add_argument("--folder", action="append", default=[], metavar="PROGRAM=PATH")
    given = parser.parse_args(words)
    folders = dict(one.split("=", 1) for one in given.folder)
    for name in given.program or PROGRAMS:
        program = PROGRAMS[name]
        if not program.package and name not in folders:
            print(f"{name}: left as it is, its folder was not given")
            continue
        with tempfile.TemporaryDirectory() as temporary:
            root = Path(folders.get(name, "")) if name in folders else None
            root = root or fetched(name, program, Path(temporary))
            options = sorted(set(program.read(root)))
        record = {
            "program": name,
            "version": READ[name],
            "source": program.source,
            "read": datetime.now(UTC).date().isoformat(),
            "options": options,
        }
        FACTS.mkdir(parents=True, exist_ok=True)
        text = json.dumps(record, indent=1) + "\n"
        (FACTS / f"{name}.json").write_text(text, encoding="utf-8")
        print(f"{name} {READ[name]}: {len(options)} options")


if __name__ == "__main__":
    main(sys.argv[1:])
