"""Reads which models runtimes have code for, in their own packages, for the runtime records.

Packages are fetched with pip and read without being imported; those that are not on the index are
read in folders given with ``--folder RUNTIME=PATH``, a checkout (or a part of one) at the commit
that is named here. Writes the block ``known_models`` of ``catalog/runtimes/RUNTIME.yaml``. Run it
again when a version changes:

    python -m benchmarks.runtime_architectures --folder tensorrt-llm=… --folder exo=… \
        --folder exo-mlx-lm=…

A class for which vLLM or SGLang has no code of its own may run in the code of Transformers. vLLM
takes what states support of other attention or chooses its attention in the common way, SGLang the
former alone. With images vLLM also asks the model's processor for the tokens of an image.

``with_images`` are the names whose images a package reads too: mlx-lm drops image towers when it
loads a model, and ik_llama.cpp has code for fewer projectors than the converter writes.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tempfile
import textwrap
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.recipe_flags import unpacked
from sitegen.models.families.names import CLASS_OF_TYPE, REFUSED_KEYS

RECORDS = Path(__file__).parents[1] / "catalog" / "runtimes"
TRANSFORMERS = "5.19.0"
"""What SGLang 0.5.23 asks for, and within what vLLM 0.33.0 asks for."""
BLOCK = re.compile(r"^known_models:\n(?: .*\n)*", re.MULTILINE)
NEXT = re.compile(r"^memory_model:", re.MULTILINE)


@dataclass(frozen=True)
class Found:
    """Names that a package looks models up by.

    Attributes:
        names: Classes, or model types where the package goes by them.
        with_images: Those of them whose images it reads too.
        fallback: Classes that it runs in the code of Transformers.
        dropped: Classes that it had code for, with the last version that had.
        refused: Keys of a config that its code refuses.
    """

    names: Iterable[str]
    with_images: Iterable[str] = ()
    fallback: Iterable[str] = ()
    dropped: Mapping[str, str] = field(default_factory=dict)
    refused: Iterable[str] = ()


def parsed(path: Path) -> ast.Module:
    """Parse a Python file."""
    return ast.parse(path.read_text("utf-8"))


def tables(path: Path, *names: str) -> dict[str, ast.expr]:
    """Return the values of assignments on the top level of a Python file."""
    found: dict[str, ast.expr] = {}
    for node in parsed(path).body:
        if isinstance(node, ast.Assign):
            found |= {ast.unparse(target): node.value for target in node.targets}
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            found[ast.unparse(node.target)] = node.value
    missing = set(names) - found.keys()
    if missing:
        raise SystemExit(f"{path}: no table {', '.join(sorted(missing))}")
    return {name: found[name] for name in names}


def written_out(table: ast.expr) -> ast.Dict:
    """Return a mapping that is written out, or end: the package has changed its shape."""
    if not isinstance(table, ast.Dict):
        raise SystemExit(f"line {table.lineno}: a mapping was expected")
    return table


def keys(table: ast.expr) -> list[str]:
    """List the text keys of a mapping that is written out."""
    found = (k.value for k in written_out(table).keys if isinstance(k, ast.Constant))
    return [name for name in found if isinstance(name, str)]


def vllm(root: Path, transformers: Path) -> Found:
    """Read the registry; Transformers runs what it names so, and what states that it can."""
    path = root / "vllm/model_executor/models/registry.py"
    own = ("_TEXT_GENERATION_MODELS", "_MULTIMODAL_MODELS")
    backed, gone = "_TRANSFORMERS_SUPPORTED_MODELS", "_PREVIOUSLY_SUPPORTED_MODELS"
    found = tables(path, *own, backed, gone)
    names = {name for table in own for name in keys(found[table])}
    dropped = ast.literal_eval(found[gone])
    able = {c for c in through_transformers(transformers, images=True) if c not in names}
    seeing = {c for c in able if c.endswith("ForConditionalGeneration")}
    return Found(
        names, {*keys(found["_MULTIMODAL_MODELS"]), *seeing}, {*keys(found[backed]), *able}, dropped
    )


def sglang(root: Path, transformers: Path) -> Found:
    """Read what each model file calls its entry: a class, or a list of them."""
    names: set[str] = set()
    for path in sorted((root / "sglang/srt/models").glob("*.py")):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "EntryClass":
                names |= {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
    able = through_transformers(transformers, images=False)
    listed = "multimodal_model_archs"
    path = root / "sglang/srt/configs/model_config.py"
    table = tables(path, listed)[listed]
    further = [ast.unparse(n.value) for n in ast.walk(table) if isinstance(n, ast.Starred)]
    written = (table, *tables(path, *further).values())
    values = (n.value for one in written for n in ast.walk(one) if isinstance(n, ast.Constant))
    seeing = {value for value in values if isinstance(value, str)}
    return Found(names, seeing, {name for name in able if name not in names})


def through_transformers(root: Path, *, images: bool) -> list[str]:
    """List our families' classes whose code in Transformers can be run by another engine.

    With ``images`` the way that vLLM decides it, else SGLang's.
    """
    found = []
    for name in sorted(set(CLASS_OF_TYPE.values())):
        path = _home(root / "transformers/models", name)
        if path is None:
            continue
        text = path.read_text("utf-8")
        able = "_supports_attention_backend = True" in text
        if images:
            own = re.search(r"^class \w*Attention\w*\(nn\.Module\):", text, re.MULTILINE)
            able = able or not own or "ALL_ATTENTION_FUNCTIONS.get_interface(" in text
            if name.endswith("ForConditionalGeneration"):
                asked = path.with_name(path.name.replace("modeling_", "processing_"))
                counted = "_get_num_multimodal_tokens"
                able = able and asked.is_file() and counted in asked.read_text("utf-8")
        if able:
            found.append(name)
    return found


def _home(models: Path, name: str) -> Path | None:
    """Find the file in which Transformers defines a class."""
    wanted = f"\nclass {name}("
    for path in sorted(models.glob("*/modeling_*.py")):
        if wanted in path.read_text("utf-8"):
            return path
    return None


def exllamav2(root: Path) -> Found:
    """Read the names that the loader compares a config's class with.

    It loads any other class as if it were Llama, with a warning: that is no code for it.
    """
    path = root / "exllamav2/architecture.py"
    names: set[str] = set()
    seeing: set[str] = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.If):
            compared = _compared(node.test)
            names |= compared
            if any("self.vt." in ast.unparse(statement) for statement in node.body):
                seeing |= compared
    return Found(names, seeing)


def _compared(test: ast.expr) -> set[str]:
    """List the names that a condition compares a config's class with."""
    found: set[str] = set()
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and ast.unparse(node.left) == "arch_string":
            values = (n for n in ast.walk(node.comparators[0]) if isinstance(n, ast.Constant))
            found |= {value.value for value in values if isinstance(value.value, str)}
    return found


def exllamav3(root: Path) -> Found:
    """Follow the table of models to their configurations, which say a class each."""
    folder = root / "exllamav3/architecture"
    whole = tables(folder / "architectures.py", "ARCHITECTURES")["ARCHITECTURES"]
    loops = [one.iter for one in ast.walk(whole) if isinstance(one, ast.comprehension)]
    listed = {n.id for loop in loops for n in ast.walk(loop) if isinstance(n, ast.Name)}
    configs: dict[str, str] = {}
    strings: dict[str, str] = {}
    seeing: set[str] = set()
    for path in sorted(folder.glob("*.py")):
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef):
                said = _attributes(node)
                configs[node.name] = said.get("config_class", configs.get(node.name, ""))
                strings[node.name] = ast.literal_eval(said.get("arch_string", "''"))
                if re.search(r"\b\w+VisionModel\b", ast.unparse(node)):
                    seeing.add(strings[node.name])
    names = {strings[configs[model]] for model in listed if configs.get(model)}
    if len(names) != len(listed) or "" in names:
        raise SystemExit("exllamav3: a listed model has no class")
    text = (folder / "gemma4.py").read_text("utf-8")
    refused = {
        key
        for key in re.findall(r"if self\.(\w+):\s+raise NotImplementedError", text)
        if key in REFUSED_KEYS
    }
    return Found(names, names & seeing, refused=refused)


def _attributes(node: ast.ClassDef) -> dict[str, str]:
    """Return what a class sets in its body, as it is written."""
    pairs: list[tuple[ast.expr, ast.expr]] = []
    for one in node.body:
        if isinstance(one, ast.Assign):
            pairs.append((one.targets[0], one.value))
        elif isinstance(one, ast.AnnAssign) and one.value is not None:
            pairs.append((one.target, one.value))
    return {ast.unparse(target): ast.unparse(value) for target, value in pairs}


def mlx_lm(root: Path) -> Found:
    """List the modules that define a model, and the types that another one's module runs.

    They drop a model's image tower when they load it.
    """
    folder = root / "mlx_lm/models"
    modules = {p.stem for p in folder.glob("*.py") if "\nclass ModelArgs" in p.read_text("utf-8")}
    renamed = tables(root / "mlx_lm/utils.py", "MODEL_REMAPPING")["MODEL_REMAPPING"]
    remapping = ast.literal_eval(renamed)
    return Found(modules | {kind for kind, module in remapping.items() if module in modules})


def exo(root: Path, mlx: Found) -> Found:
    """List what the fork of mlx-lm has that exo's lock file names, with images as cards state."""
    return Found(mlx.names, _seen_by_exo(root))


EXO_TYPES = {
    "Gemma 4": "gemma4", "Kimi K2.5": "kimi_k25", "Kimi K2.6": "kimi_k25",
    "Kimi K2.7 Code": "kimi_k25", "Qwen3-VL": "qwen3_vl", "Qwen3.5": "qwen3_5",
    "Qwen3.6": "qwen3_5",
}  # fmt: skip
"""Model types of the models that exo's cards name, by the beginning of the name."""


def _seen_by_exo(root: Path) -> set[str]:
    """List the types of models whose card states images; a mixture's type has an ending."""
    found: set[str] = set()
    for path in sorted(root.glob("resources/inference_model_cards/*.toml")):
        card = tomllib.loads(path.read_text("utf-8"))
        if "vision" in card["capabilities"]:
            name = card["base_model"]
            (kind,) = {v for k, v in EXO_TYPES.items() if name.startswith(k)}
            mixture = kind == "qwen3_5" and re.search(r"\bA\d+B\b", name)
            found.add(f"{kind}_moe" if mixture else kind)
    return found


def llama_cpp(root: Path) -> Found:
    """Read which classes the converter takes.

    The architecture that each is written as has to be in the library's own table.
    """
    whole = root / "vendor/llama.cpp"
    text = (whole / "src/llama-arch.cpp").read_text("utf-8")
    table = text.split("LLM_ARCH_NAMES = {", 1)[1].split("};", 1)[0]
    projectors = _projectors(whole / "tools/mtmd/clip-impl.h")
    return _converted(whole, set(re.findall(r'"([^"]+)"', table)), projectors)


def without(found: Found, newer: Collection[str]) -> Found:
    """Leave out classes that came after the version of a program that is built on another's."""
    names = {name for name in found.names if name not in newer}
    return Found(names, {name for name in found.with_images if name not in newer})


def _projectors(path: Path) -> set[str]:
    """List the projectors that a program has code for."""
    table = path.read_text("utf-8").split("PROJECTOR_TYPE_NAMES = {", 1)[1].split("};", 1)[0]
    return set(re.findall(r'"([^"]+)"', table))


def _converted(whole: Path, native: Collection[str], projectors: Collection[str]) -> Found:
    """List the classes that are converted to one of some architectures, or with some projectors."""
    listed = tables(whole / "conversion/__init__.py", "TEXT_MODEL_MAP")["TEXT_MODEL_MAP"]
    words = _gguf_names(whole / "gguf-py/gguf/constants.py")
    made = _written_as(whole / "conversion")
    names = {name for name in keys(listed) if words.get(made.get(name, "")) in native}
    return Found(names, _projected(whole, projectors))


def _projected(whole: Path, projectors: Collection[str]) -> set[str]:
    """List the classes whose projector of images is one of some; a class takes its bases' too."""
    (kinds,) = (
        _attributes(node)
        for node in parsed(whole / "gguf-py/gguf/constants.py").body
        if isinstance(node, ast.ClassDef) and node.name == "VisionProjectorType"
    )
    classes = _classes(whole / "conversion")

    def of_images(name: str) -> set[str]:
        node = classes.get(name)
        if node is None:
            return set()
        named = re.findall(r"(\w+)(?:\(| = )gguf\.VisionProjectorType\.(\w+)", ast.unparse(node))
        words = {word for before, word in named if "audio" not in before}
        return words or set().union(*(of_images(ast.unparse(base)) for base in node.bases))

    found: set[str] = set()
    for name, node in classes.items():
        if _made_as(classes, name) == PROJECTOR:
            known = {ast.literal_eval(kinds[word]) for word in of_images(name)}
            found |= _registered(node) if known & {*projectors} else set()
    return found


def ik_llama_cpp(root: Path, converter: Path) -> Found:
    """Read which classes llama.cpp's converter writes in an architecture of the fork's table."""
    text = (root / "src/llama-arch.cpp").read_text("utf-8")
    table = text.split("LLM_ARCH_NAMES = {", 1)[1].split("};", 1)[0]
    projectors = _projectors(root / "examples/mtmd/clip-impl.h")
    native = set(re.findall(r'"([^"]+)"', table))
    return _converted(converter / "vendor/llama.cpp", native, projectors)


def _gguf_names(path: Path) -> dict[str, str]:
    """Return the word that a file states for each architecture of the converter."""
    table = written_out(tables(path, "MODEL_ARCH_NAMES")["MODEL_ARCH_NAMES"])
    pairs = zip(table.keys, table.values, strict=True)
    return {ast.unparse(k).rpartition(".")[2]: ast.literal_eval(v) for k, v in pairs if k}


PROJECTOR = "MMPROJ"
"""What the converter calls the file of a model's projector."""


def _written_as(folder: Path) -> dict[str, str]:
    """Return the architecture that the converter writes for each class that it registers.

    A class may be registered twice: its projector of images is a file of its own.
    """
    classes = _classes(folder)
    found: dict[str, str] = {}
    for name, node in classes.items():
        written = _made_as(classes, name)
        wrote = dict.fromkeys(_registered(node), written) if written else {}
        found = wrote | found if written == PROJECTOR else found | wrote
    return found


def _classes(folder: Path) -> dict[str, ast.ClassDef]:
    return {
        node.name: node
        for path in sorted(folder.glob("*.py"))
        for node in parsed(path).body
        if isinstance(node, ast.ClassDef)
    }


def _made_as(classes: Mapping[str, ast.ClassDef], name: str) -> str:
    """Return the architecture that a class of the converter writes, its own or a base's."""
    node = classes.get(name)
    if node is None:
        return ""
    said = _attributes(node).get("model_arch", "").rpartition(".")[2]
    bases = (_made_as(classes, ast.unparse(base)) for base in node.bases)
    return said or next(filter(None, bases), "")


def _registered(node: ast.ClassDef) -> set[str]:
    """List the names under which a class of the converter is registered."""
    return {
        ast.literal_eval(argument)
        for one in node.decorator_list
        if isinstance(one, ast.Call) and ast.unparse(one.func) == "ModelBase.register"
        for argument in one.args
    }


def tensorrt_llm(root: Path) -> Found:
    """Read the index of the PyTorch backend, which is kept beside its models.

    Its documentation says which of them read images: rows that end with the modalities.
    """
    path = root / "tensorrt_llm/_torch/models/_arch_index.py"
    text = (root / "docs/source/models/supported-models.md").read_text("utf-8")
    seeing = re.findall(r"^\| `(\w+)`.*\| L \+ I\b[^|]*\|$", text, re.MULTILINE)
    return Found(keys(tables(path, "MODEL_ARCH_TO_MODULE")["MODEL_ARCH_TO_MODULE"]), seeing)


Reader = Callable[[Mapping[str, Path]], Found]


@dataclass(frozen=True)
class Package:
    """Where a runtime's table stands.

    Attributes:
        read: Takes the folders of all packages by name.
        version: Version in words, as sentences name it.
        title: The source, with the file.
        url: Its address.
        package: Name on the index; without one a folder is asked for.
        sdist: The package is read as source.
        needs: Other packages that the reader looks into.
    """

    read: Reader
    version: str
    title: str
    url: str
    package: str = ""
    sdist: bool = False
    needs: tuple[str, ...] = ()


VLLM = "https://github.com/vllm-project/vllm"
SGLANG = "https://github.com/sgl-project/sglang"
LLAMA = "https://github.com/ggml-org/llama.cpp"
NEWER_THAN_OLLAMA = frozenset({"Glm5NextForConditionalGeneration"})
"""Classes that our llama.cpp takes and that of Ollama 0.34.0, b10760, does not.

Source:
    llama.cpp issue 27922 (2026-08-29) and pull requests 27754 and 27773: no code for ``glm5next``
    then; spiritbuun/buun-llama-cpp pull request 132 brings it from a fork on 2026-09-20.
"""
BINDING = "llama.cpp at 0c1e57098 (in llama-cpp-python 0.3.36)"
MLX = "https://github.com/ml-explore/mlx-lm"
PACKAGES: Mapping[str, Package] = {
    "vllm": Package(
        lambda at: vllm(at["vllm"], at["transformers"]),
        "0.33.0", "vLLM 0.33.0, model_executor/models/registry.py", VLLM, "vllm",
        needs=("transformers",),
    ),
    "sglang": Package(
        lambda at: sglang(at["sglang"], at["transformers"]),
        "0.5.23", "SGLang 0.5.23, EntryClass of the files in srt/models", SGLANG, "sglang",
        needs=("transformers",),
    ),
    "exllamav2": Package(
        lambda at: exllamav2(at["exllamav2"]),
        "0.3.2", "ExLlamaV2 0.3.2, architecture.py",
        "https://github.com/turboderp-org/exllamav2", "exllamav2",
    ),
    "exllamav3": Package(
        lambda at: exllamav3(at["exllamav3"]),
        "1.6.5", "ExLlamaV3 1.6.5, architecture/architectures.py",
        "https://github.com/turboderp-org/exllamav3", "exllamav3",
    ),
    "mlx-lm": Package(
        lambda at: mlx_lm(at["mlx-lm"]),
        "0.32.2", "mlx-lm 0.32.2, models and MODEL_REMAPPING of utils.py", MLX, "mlx-lm",
    ),
    "exo": Package(
        lambda at: exo(at["exo"], mlx_lm(at["exo-mlx-lm"])),
        "at commit b5375f8", "exo at b5375f8, uv.lock and inference_model_cards: the models of "
        "mlx-lm 0.31.3 at 6a3df6cd of rltakashige/mlx-lm",
        "https://github.com/exo-explore/exo", needs=("exo-mlx-lm",),
    ),
    "llama-cpp": Package(
        lambda at: llama_cpp(at["llama-cpp"]),
        "at commit 0c1e57098", f"{BINDING}, conversion and src/llama-arch.cpp", LLAMA,
        "llama-cpp-python", sdist=True,
    ),
    "ollama": Package(
        lambda at: without(llama_cpp(at["llama-cpp"]), NEWER_THAN_OLLAMA),
        "0.34.0", f"{BINDING}, without GLM-5-Next: Ollama runs the llama.cpp server, b10760 of "
        "2026-09-02 (pull request 18199)", "https://github.com/ollama/ollama/pull/18199",
        needs=("llama-cpp",),
    ),
    "ik-llama-cpp": Package(
        lambda at: ik_llama_cpp(at["ik-llama-cpp"], at["llama-cpp"]),
        "at commit 8337e4c", "ik_llama.cpp at 8337e4c, src/llama-arch.cpp, with the converter of "
        f"{BINDING}",
        "https://github.com/ikawrakow/ik_llama.cpp", needs=("llama-cpp",),
    ),
    "tensorrt-llm": Package(
        lambda at: tensorrt_llm(at["tensorrt-llm"]),
        "at commit 065ff9e", "TensorRT-LLM at 065ff9e, tensorrt_llm/_torch/models/_arch_index.py, "
        "and at 00b6d5a, docs/source/models/supported-models.md",
        "https://github.com/NVIDIA/TensorRT-LLM",
    ),
}  # fmt: skip
BY_FOLDER = frozenset({"exo", "exo-mlx-lm", "ik-llama-cpp", "tensorrt-llm"})
"""Runtimes, and a package that one needs, whose source is not on the index."""
READ_ONLY: Mapping[str, tuple[str, str]] = {"transformers": ("transformers", TRANSFORMERS)}


def block(package: Package, found: Found) -> str:
    """Write the block of a record."""
    lines = ["known_models:", f"  version: {package.version!r}"]
    lines += _listed("names", _in_order(found.names))
    if found.with_images:
        lines += _listed("with_images", _in_order(found.with_images))
    if found.fallback:
        lines += _listed("through_transformers", _in_order(found.fallback))
    if found.refused:
        lines += _listed("refused_keys", sorted(found.refused))
    if found.dropped:
        lines.append("  dropped:")
        known = set(CLASS_OF_TYPE.values())
        dropped = sorted((n, v) for n, v in found.dropped.items() if n in known)
        lines += [f"    {name}: {version!r}" for name, version in dropped]
    lines += [
        "  source:",
        f"    title: {package.title!r}",
        f"    url: {package.url}",
        f"    read: {datetime.now(UTC).date().isoformat()!r}",
    ]
    return "\n".join(lines) + "\n"


def _in_order(names: Iterable[str]) -> list[str]:
    return sorted(set(names), key=lambda name: (name.casefold(), name))


def _listed(key: str, names: Iterable[str]) -> list[str]:
    text = ", ".join(names)
    folded = textwrap.wrap(text, 96, initial_indent="    ", subsequent_indent="    ")
    return [f"  {key}: [", *folded, "  ]"]


def written(record: str, text: str) -> str:
    """Put the block into a record, in the place of an older one or before ``memory_model``."""
    if BLOCK.search(record):
        return BLOCK.sub(lambda _: text, record, count=1)
    return NEXT.sub(lambda found: text + found[0], record, count=1)


def main(words: list[str]) -> None:
    """Read the runtimes named, or all; write the block of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runtime", nargs="*", choices=[*PACKAGES, []], default=[])
    parser.add_argument("--folder", action="append", default=[], metavar="RUNTIME=PATH")
    given = parser.parse_args(words)
    folders = {k: Path(v) for k, _, v in (one.partition("=") for one in given.folder)}
    with tempfile.TemporaryDirectory() as temporary:
        for name in given.runtime or PACKAGES:
            package = PACKAGES[name]
            wanted = [*package.needs, *([name] if package.package else [])]
            missing = {name, *package.needs} & BY_FOLDER - folders.keys()
            if missing:
                print(f"{name}: left as it is, no --folder for {', '.join(sorted(missing))}")
                continue
            for one in wanted:
                if one not in folders:
                    folders[one] = _fetched(one, Path(temporary) / one)
            found = package.read(folders)
            path = RECORDS / f"{name}.yaml"
            record = path.read_text("utf-8")
            path.write_text(written(record, block(package, found)), encoding="utf-8")
            print(f"{name} {package.version}: {len(set(found.names))} names")


def _fetched(name: str, into: Path) -> Path:
    into.mkdir()
    if name in READ_ONLY:
        package, version = READ_ONLY[name]
        return unpacked(package, version, into)
    one = PACKAGES[name]
    version = "0.3.36" if name == "llama-cpp" else one.version
    return unpacked(one.package, version, into, sdist=one.sdist)


if __name__ == "__main__":
    main(sys.argv[1:])
