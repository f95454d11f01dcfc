"""Reads which options programs really have, in their own sources, for linter and recipes.

Each program is read at the version that ``sitegen.recipes.versions`` names: packages are fetched
with pip, the others are read in folders given with ``--folder PROGRAM=PATH``, a checkout (or a
part of one) at the commit named. Writes ``sitegen/lint/options/PROGRAM.json``. Run it again when
a version changes:

    python -m benchmarks.recipe_flags --folder ollama=… --folder tabbyapi=… --folder exo=… \
        --folder tensorrt-llm=… --folder infernet=… --folder ik-llama-cpp=… \
        --folder lm-studio=… --folder kserve=…
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

import yaml

from benchmarks.option_values import (
    SCALARS,
    Definitions,
    Options,
    called,
    named,
    of_call,
    switched,
)
from sitegen.lint.options import FORMER
from sitegen.recipes.versions import READ

FACTS = Path(__file__).parents[1] / "sitegen" / "lint" / "options"
OPTION = re.compile(r"--?[a-zA-Z][a-zA-Z0-9_-]*(/--[a-zA-Z][a-zA-Z0-9_-]*)?")
PLATFORMS = ("any", "manylinux2014_x86_64", "manylinux_2_28_x86_64", "manylinux_2_34_x86_64")
FLAGS = {"flag_name", "obsolete_flag"}
"""Keywords by which functions of Dynamo are given an option's names."""
Reader = Callable[[Path], Options]


def names_in(call: ast.Call) -> list[str]:
    """List the words of a call that look like options."""
    parts = [*call.args, *(one.value for one in call.keywords if one.arg in FLAGS)]
    texts = [a.value for a in parts if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    return [name for text in texts if OPTION.fullmatch(text) for name in text.split("/")]


def registered(path: Path, *functions: str, boolean: bool = True) -> Options:
    """Yield the options that calls of these functions register in a Python file."""
    names = Definitions.of([path]).names
    for call, _ in called(path, *functions):
        found = names_in(call)
        kind = of_call(call, names)
        if "negatable" in ast.unparse(call.func):
            found, kind = [*found, *(f"--no-{name[2:]}" for name in found)], "nothing"
        yield from named(found, kind)
        if boolean and "BooleanOptionalAction" in ast.unparse(call):
            yield from ((f"--no-{n[2:]}", "nothing") for n in found if n.startswith("--"))


def fields(path: Path, *classes: str) -> Options:
    """Yield the annotated fields of classes in a Python file, of all of them without a name."""
    found = Definitions.of([path]).fields
    for name in classes or found:
        yield from ((field, "word") for field in found.get(name, {}))


def keys_of(path: Path, mapping: str) -> list[str]:
    """List the keys of a mapping that a Python file assigns, in a class or outside."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Assign | ast.AnnAssign) or not isinstance(node.value, ast.Dict):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if mapping in map(ast.unparse, targets):
            return sorted(ast.literal_eval(one) for one in node.value.keys if one is not None)
    return []


def as_option(name: str) -> str:
    """Write a field as an option."""
    return "--" + name.replace("_", "-")


def vllm(root: Path) -> Options:
    """Engine arguments are registered one by one from fields of the configuration's classes.

    Those of the server are all fields of its own class; a field that the engine takes and no
    option names is a word: Python passes it as a keyword.
    """
    engine = root / "vllm/engine/arg_utils.py"
    server = root / "vllm/entrypoints/common/cli_args.py"
    quantization = root / "vllm/model_executor/layers/quantization/__init__.py"
    aliases = (
        "config/*.py",
        "renderers/**/*.py",
        "v1/attention/**/*.py",
        "tool_parsers/*.py",
    )
    paths = [path for glob in aliases for path in sorted(root.glob(f"vllm/{glob}"))]
    known = Definitions.of([quantization, engine, server, *paths])
    for call, function in called(engine, "add_argument"):
        yield from _vllm_option(call, function, known)
    yield from registered(server, "add_argument")
    for name in ("FrontendArgs",):
        for one, annotation in known.members(name).items():
            yield from switched(as_option(one), known.kind(annotation))
    yield from registered(root / "vllm/entrypoints/cli/serve.py", "add_argument")
    for option, folder, names in (
        ("--reasoning-parser", "reasoning", "_REASONING_PARSERS_TO_REGISTER"),
        ("--tool-call-parser", "tool_parsers", "_TOOL_PARSERS_TO_REGISTER"),
    ):
        registered_names = keys_of(root / f"vllm/{folder}/__init__.py", names)
        yield option, f"one of {'|'.join(registered_names)}"
    yield from ((one, "word") for one in known.members("EngineArgs"))
    for path in ("serve.py", "datasets/datasets.py"):  # of `vllm bench serve`
        found = registered(root / "vllm/benchmarks" / path, "add_argument")
        yield from ((f"bench:{name}", kind) for name, kind in found)


def _vllm_option(call: ast.Call, function: ast.FunctionDef | None, known: Definitions) -> Options:
    kind = of_call(call, known.names)
    for one in _subscripts(call):
        group, key = ast.unparse(one.value), ast.unparse(one.slice).strip("'\"")
        annotation = known.members(_class_of(group, function)).get(key)
        kind = kind if annotation is None else known.kind(annotation)
    if ast.unparse(call).find("--max-model-len") > 0 or ast.unparse(call).find("_tokens'") > 0:
        kind = "str" if kind == "int" else kind  # 8K, 1M and auto are understood
    found = names_in(call)
    yield from named(found, kind)
    negatable = kind == "nothing" and "store_true" not in ast.unparse(call)
    yield from ((f"--no-{n[2:]}", "nothing") for n in found if negatable and n.startswith("--"))


def _subscripts(call: ast.Call) -> list[ast.Subscript]:
    """List what a call unpacks as keywords: ``**kwargs["name"]``, alone or inside a mapping."""
    whole = [one.value for one in call.keywords if one.arg is None]
    inner = [v for one in whole if isinstance(one, ast.Dict) for v in one.values]
    return [one for one in (*whole, *inner) if isinstance(one, ast.Subscript)]


def _class_of(group: str, function: ast.FunctionDef | None) -> str:
    """Name the class that a variable of keyword arguments was made of."""
    for node in ast.walk(function) if function is not None else ():
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == group:
            made = ast.unparse(node.value)
            return made[made.index("(") + 1 : made.index(")")] if "get_kwargs(" in made else ""
    return ""


def ray(root: Path) -> Options:
    """Options of the two command lines, and fields of the configuration, which have no dashes."""
    yield from registered(root / "ray/scripts/scripts.py", "option")
    yield from registered(root / "ray/serve/scripts.py", "option")
    yield from fields(
        root / "ray/serve/schema.py",
        *("ServeDeploySchema", "ServeApplicationSchema", "HTTPOptionsSchema", "DeploymentSchema"),
    )
    yield from fields(root / "ray/serve/config.py", "AutoscalingConfig", "HTTPOptions")
    configs = root / "ray/llm/_internal/serve/core"
    yield from fields(configs / "configs/llm_config.py", "LLMConfig", "ModelLoadingConfig")
    yield from fields(configs / "ingress/builder.py", "LLMServingArgs")


def sglang(root: Path) -> Options:
    """Every annotated field is an option; aliases, choices and parsers stand beside its type."""
    groups = root / "sglang/srt/arg_groups"
    paths = sorted((groups / "fields").glob("*.py"))
    known = Definitions.of([*paths, groups / "choices.py", root / "sglang/srt/server_args.py"])
    for path in paths:
        for members in Definitions.of([path]).fields.values():
            for name, annotation in members.items():
                yield from _sglang_option(name, annotation, known)
    yield from registered(root / "sglang/srt/server_args.py", "add_argument")
    for option, file, mapping in (
        ("--reasoning-parser", "parser/reasoning_parser.py", "DetectorMap"),
        ("--tool-call-parser", "function_call/function_call_parser.py", "ToolCallParserEnum"),
    ):
        names = ["auto", *keys_of(root / "sglang/srt" / file, mapping)]
        yield option, f"one of {'|'.join(names)}"


def _sglang_option(name: str, annotation: ast.expr, known: Definitions) -> Options:
    whole = annotation.slice if isinstance(annotation, ast.Subscript) else None
    if not isinstance(whole, ast.Tuple):
        return
    inner, meta = whole.elts[0], whole.elts[1]
    names, kind = [as_option(name)], known.kind(inner)
    if isinstance(meta, ast.Call):
        if ast.unparse(meta.func) != "Arg":
            return
        given = {one.arg: one.value for one in meta.keywords}
        if "cli_name" in given:
            names = [ast.literal_eval(given["cli_name"])]
        if "aliases" in given:
            names += ast.literal_eval(given["aliases"])
        if "type_parser" in given:
            kind = "str"
        if {"choices", "nargs", "action"} & given.keys():
            call = ast.Call(meta.func, [], [k for k in meta.keywords if k.arg != "type"])
            found = of_call(call, known.names)
            if "action" in given and "store" not in found and found != "nothing":
                found = "unknown"
            kind = found if found != "str" else kind
    yield from named(names, kind)


LAMBDA = re.compile(r"\[[^\]]*\]\s*\(\s*common_params\s*&\s*\w*\s*,?([^)]*)\)")


def llama_cpp(root: Path) -> Options:
    """Names stand in braces before each option; what its function takes is what follows them.

    The RPC server compares its words one by one.
    """
    whole = root / "vendor/llama.cpp"
    text = (whole / "common/arg.cpp").read_text("utf-8")
    listed = text.split("kv_cache_types = {", 1)[1].split("}", 1)[0]
    caches = "|".join(re.findall(r"GGML_TYPE_(\w+)", listed)).lower()
    starts = [m.start() for m in re.finditer(r"common_arg\(\s*\{", text)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        part = text[start:end]
        lists = re.match(r"common_arg\(\s*\{([^}]*)\}(\s*,\s*\{([^}]*)\})?", part)
        takes = LAMBDA.search(re.sub(r"/\*.*?\*/", "", part))
        if lists is None or takes is None:
            continue
        hint = re.match(r'common_arg\(\s*\{[^}]*\}\s*,\s*"\{([\w,-]+)\}"', part)
        removed = re.search(r'arg_removed\("([^"]*)"\)', part)
        kind = f"one of {hint[1].replace(',', '|')}" if hint else _llama_kind(takes[1])
        if "kv_cache_type_from_str" in part:
            kind = f"one of {caches}"
        kind = f"gone {removed[1]}" if removed else kind
        yield from named(re.findall(r'"(--?[a-zA-Z][\w.-]*)"', lists[1]), kind)
        yield from named(re.findall(r'"(--?[a-zA-Z][\w.-]*)"', lists[3] or ""), kind)
    for source, prefix in (("rpc/rpc-server", "rpc"), ("llama-bench/llama-bench", "bench")):
        text = (whole / f"tools/{source}.cpp").read_text("utf-8")
        yield from ((f"{prefix}:{name}", kind) for name, kind in _compared(text))
    build = (whole / "ggml/CMakeLists.txt").read_text("utf-8")
    yield from ((name, "word") for name in re.findall(r"option\((GGML_\w+)", build))
    quantize = (whole / "tools/quantize/quantize.cpp").read_text("utf-8")
    kinds = re.findall(r'\{ "(\w+)",\s*LLAMA_FTYPE', quantize)
    yield from ((f"type:{name}", "word") for name in kinds)


def _compared(text: str) -> Options:
    """Yield the options that a program in C++ compares its words with, one by one."""
    pattern = re.compile(r"if \(([^{}]*arg == \"[^{]*)\) \{(.*?)\} else", re.DOTALL)
    for condition, body in pattern.findall(text):
        names = re.findall(r'"(--?[a-zA-Z][\w-]*)"', condition)
        kind = "int" if "stoi(argv" in body else "str" if "++i" in body else "nothing"
        yield from named(names, kind)


def _llama_kind(takes: str) -> str:
    """Say what an option of llama.cpp takes by the parameters of its function."""
    if takes.count(",") == 1:
        return "two str"
    if "bool" in takes or not takes.strip():
        return "nothing"
    return "int" if re.search(r"\bint\b", takes) else "str"


def ik_llama_cpp(root: Path) -> Options:
    """The fork compares words one by one, and names its types of cache in a function."""
    text = (root / "common/common.cpp").read_text("utf-8")
    parser = text.split("bool gpt_params_find_arg(", 1)[1].split("\n}\n", 1)[0]
    types = text.split("kv_cache_type_from_str(const std::string & s) {", 1)[1].split("\n}", 1)[0]
    caches = "|".join(re.findall(r's == "(\w+)"', types))
    starts = [m.start() for m in re.finditer(r"\n    if \([^\n]*arg == ", parser)]
    for start, end in zip(starts, [*starts[1:], len(parser)], strict=True):
        condition, _, body = parser[start:end].partition(") {")
        kind = _ik_kind(body, caches)
        yield from named(re.findall(r'"(--?[a-zA-Z][\w-]*)"', condition), kind)
    bench = (root / "examples/llama-bench/llama-bench.cpp").read_text("utf-8")
    yield from ((f"bench:{name}", kind) for name, kind in _compared(bench))
    build = (root / "ggml/CMakeLists.txt").read_text("utf-8")
    yield from ((name, "word") for name in re.findall(r"option\((GGML_\w+)", build))


def _ik_kind(body: str, caches: str) -> str:
    """Say what an option of the fork takes by what is done with its word."""
    if "cache_type" in body:
        return f"one of {caches}"
    if "CHECK_ARG" not in body and "++i" not in body:
        return "nothing"
    return "int" if "std::stoi(argv[i])" in body and "==" not in body else "str"


def ollama(root: Path) -> Options:
    """Variables of the server, and parameters of a Modelfile."""
    variables = (root / "envconfig/config.go").read_text("utf-8")
    yield from ((name, "word") for name in set(re.findall(r'"(OLLAMA_\w+)"', variables)))
    kinds = (root / "api/types.go").read_text("utf-8")
    for kind in ("Options", "Runner"):
        body = kinds.split(f"type {kind} struct", 1)[1].split("\n}", 1)[0]
        yield from ((f"parameter:{n}", "word") for n in re.findall(r'json:"(\w+)', body))


def lm_studio(root: Path) -> Options:
    """Options of the subcommands of ``lms``, written as its parser takes them."""
    for subcommand in ("get", "load", "server", "unload"):
        text = (root / f"src/subcommands/{subcommand}.ts").read_text("utf-8")
        for short, name, value in re.findall(r'"(?:(-\w), )?(--[\w-]+)( <[^>]+>)?"', text):
            yield from named([*([short] if short else []), name], "str" if value else "nothing")


def kserve(root: Path) -> Options:
    """Fields of the service and of what it holds."""
    path = root / "pkg/apis/serving/v1alpha2/llm_inference_service_types.go"
    found = re.findall(r'json:"(\w+)', path.read_text("utf-8"))
    yield from ((name, "word") for name in sorted(set(found)))


def tabbyapi(root: Path) -> Options:
    """Every field of the configuration is an option too."""
    yield from fields(root / "common/config_models.py")


def mlx_lm(root: Path) -> Options:
    """Options of the server, and with a prefix those of the converter: both have ``--model``."""
    yield from registered(root / "mlx_lm/server.py", "add_argument")
    found = registered(root / "mlx_lm/convert.py", "add_argument")
    yield from ((f"convert:{name}", kind) for name, kind in found)


def mlx(root: Path) -> Options:
    """Options of the launcher, and of what writes its hostfile."""
    yield from registered(root / "mlx/_distributed_utils/launch.py", "add_argument")
    yield from registered(root / "mlx/_distributed_utils/config.py", "add_argument")


def exo(root: Path) -> Options:
    """Options, and the paths of its interface."""
    yield from registered(root / "src/exo/main.py", "add_argument")
    for path in sorted(root.glob("src/exo/**/*.py")):
        found = re.findall(r'\.(?:get|post|delete)\("(/[\w/]+)', path.read_text("utf-8"))
        yield from ((name, "word") for name in found)


def tensorrt_llm(root: Path) -> Options:
    """Options of ``trtllm-serve``, from the list that its own tests hold the command to."""
    listed = "tests/unittest/api_stability/references/trtllm_serve_cli.yaml"
    record = yaml.safe_load((root / listed).read_text("utf-8"))
    for option in record["commands"]["serve"]["options"].values():
        choices = re.fullmatch(r"Choice\((.*)\)", option["type"])
        if option["is_flag"]:
            yield from ((name, "nothing") for name in option["flags"])
        elif choices:
            words = "|".join(ast.literal_eval(choices[1]))
            yield from named(option["flags"], f"one of {words}")
        else:
            yield from named(option["flags"], SCALARS[option["type"]])


def dynamo(root: Path) -> Options:
    """Options of the vLLM worker beside vLLM's own."""
    yield from _worker(root, "vllm")


def dynamo_sglang(root: Path) -> Options:
    """Options of the SGLang worker beside SGLang's own."""
    yield from _worker(root, "sglang")


def dynamo_trtllm(root: Path) -> Options:
    """Options of the TensorRT-LLM worker; those of the engine stand in its YAML."""
    yield from _worker(root, "trtllm")


def _worker(root: Path, name: str) -> Options:
    """Options of one worker, and those that all workers share."""
    shared = root / "dynamo/common/configuration/groups/runtime_args.py"
    for path in (shared, root / f"dynamo/{name}/backend_args.py"):
        yield from registered(path, "add_argument", "add_negatable_bool_argument")


def sglang_router(root: Path) -> Options:
    """Options of SGLang's router, with a prefix where they stand beside the server's."""
    text = (root / "sglang_router/router_args.py").read_text("utf-8")
    found = re.findall(r'"--(?:\{prefix\})?([a-z][\w-]*)"', text)
    yield from ((f"--{name}", "unknown") for name in sorted(set(found)))


def tgi(root: Path) -> Options:
    """Options of the launcher as its own reference prints them, with their choices."""
    text = (root / "docs/source/reference/launcher.md").read_text("utf-8")
    for section in re.split(r"^## [A-Z]", text, flags=re.MULTILINE)[1:]:
        found = re.search(
            r"^ *(?:(-\w), )?(--[a-z][\w-]*)(?: <(\w+)>)?$", section, flags=re.MULTILINE
        )
        if found is None:
            continue
        choices = re.findall(r"^ *- ([\w-]+)(?=:|$)", section, flags=re.MULTILINE)
        choices += re.findall(r"\[possible values: ([^\]]+)\]", section)
        listed = "|".join("|".join(choices).replace(", ", "|").split("|")) if choices else ""
        yield found[2], "nothing" if not found[3] else f"one of {listed}" if listed else "str"
        if found[1]:
            yield found[1], f"= {found[2]}"


def lmdeploy(root: Path) -> Options:
    """Options of ``lmdeploy serve api_server``, shared ones from the class that registers them."""
    yield from registered(root / "lmdeploy/cli/serve.py", "add_argument")
    yield from registered(root / "lmdeploy/cli/utils.py", "add_argument")


def infernet(root: Path) -> Options:
    """Keys of the Book's JSON; keys, variables, flags and commands of the daemon; its classes."""
    yield from ((name, "unknown" if name[:2] == "--" else "word") for name in _infernet(root))


def _infernet(root: Path) -> Iterator[str]:
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
    "sglang-router": Program(
        sglang_router, "https://github.com/sgl-project/sglang", "sglang-router"
    ),
    "llama-cpp": Program(
        llama_cpp, "https://github.com/ggml-org/llama.cpp", "llama-cpp-python", sdist=True
    ),
    "ik-llama-cpp": Program(ik_llama_cpp, "https://github.com/ikawrakow/ik_llama.cpp"),
    "lm-studio": Program(lm_studio, "https://github.com/lmstudio-ai/lms"),
    "kserve": Program(kserve, "https://github.com/kserve/kserve"),
    "ollama": Program(ollama, "https://github.com/ollama/ollama"),
    "tabbyapi": Program(tabbyapi, "https://github.com/theroyallab/tabbyAPI"),
    "tabbyapi-exl2": Program(tabbyapi, "https://github.com/theroyallab/tabbyAPI"),
    "mlx-lm": Program(mlx_lm, "https://github.com/ml-explore/mlx-lm", "mlx-lm"),
    "mlx": Program(mlx, "https://github.com/ml-explore/mlx", "mlx"),
    "exo": Program(exo, "https://github.com/exo-explore/exo"),
    "tensorrt-llm": Program(tensorrt_llm, "https://github.com/NVIDIA/TensorRT-LLM"),
    "dynamo": Program(dynamo, "https://github.com/ai-dynamo/dynamo", "ai-dynamo"),
    "dynamo-sglang": Program(dynamo_sglang, "https://github.com/ai-dynamo/dynamo", "ai-dynamo"),
    "dynamo-trtllm": Program(dynamo_trtllm, "https://github.com/ai-dynamo/dynamo", "ai-dynamo"),
    "tgi": Program(tgi, "https://github.com/huggingface/text-generation-inference"),
    "lmdeploy": Program(lmdeploy, "https://github.com/InternLM/lmdeploy", "lmdeploy"),
    "infernet": Program(infernet, "https://github.com/profullstack/infernet-protocol"),
}


def fetched(name: str, program: Program, into: Path) -> Path:
    """Fetch the package of a program at the version that is read."""
    return unpacked(program.package, READ[name].split()[-1], into, sdist=program.sdist)


def unpacked(package: str, version: str, into: Path, *, sdist: bool = False) -> Path:
    """Fetch a package without what it needs, and unpack its text."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-q"]
    kind = ["--no-binary", package]
    if not sdist:
        platforms = [word for one in PLATFORMS for word in ("--platform", one)]
        kind = ["--only-binary", ":all:", "--python-version", "3.12", *platforms]
    wanted = f"{package}=={version}"
    subprocess.run([*command, "--no-deps", "-d", str(into), *kind, wanted], check=True)
    archive = next(path for path in into.iterdir() if path.is_file())
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(into, [n for n in packed.namelist() if n.endswith(".py")])  # noqa: S202 - fetched by pip
        return into
    with tarfile.open(archive) as packed_tar:
        packed_tar.extractall(into, filter="data")
    return next(path for path in into.iterdir() if path.is_dir())


def distinct(found: Options) -> dict[str, str]:
    """Sort options by name; what says most of one that was met twice counts."""
    options: dict[str, str] = {}
    for name, kind in found:
        if options.get(name, "unknown") in {"unknown", "word", "str"}:
            options[name] = kind
    return dict(sorted(options.items()))


def with_former(options: Mapping[str, str], before: Mapping[str, str]) -> dict[str, str]:
    """Keep the options that the table had before and the program has no longer."""
    gone = (name for name, kind in before.items() if name[:1] == "-" and name not in options)
    return dict(sorted({**dict.fromkeys(gone, FORMER), **options}.items()))


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
            options = distinct(program.read(root))
        FACTS.mkdir(parents=True, exist_ok=True)
        written = FACTS / f"{name}.json"
        before = json.loads(written.read_text("utf-8")) if written.is_file() else {}
        record = {
            "program": name,
            "version": READ[name],
            "source": program.source,
            "read": datetime.now(UTC).date().isoformat(),
            "options": with_former(options, before.get("options", {})),
            **({"former": before["former"]} if "former" in before else {}),
        }
        text = json.dumps(record, indent=1) + "\n"
        written.write_text(text, encoding="utf-8")
        print(f"{name} {READ[name]}: {len(options)} options")


if __name__ == "__main__":
    main(sys.argv[1:])
