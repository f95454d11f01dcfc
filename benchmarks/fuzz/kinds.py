"""Kinds of case: what each changes, what it runs, and what may come of it."""

from __future__ import annotations

import json
import random
import re
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from benchmarks.faults.project import OURS
from benchmarks.fuzz.changes import bytes_changed, value_changed, words_changed
from sitegen.catalog.load import KnownRecords, parse_authored
from sitegen.cli.imports import comparison, steps
from sitegen.cli.questions import projects
from sitegen.cli.session import CliSession
from sitegen.inputs import MAX_TEXT_BYTES, ProjectFiles, read_project
from sitegen.pipeline.building import build
from sitegen.pipeline.drafts import Drafts
from sitegen.pipeline.memory import NO_PAST
from sitegen.pipeline.sources import Parser
from sitegen.problems import ProblemsFound
from tests.cli.small_project import REPOSITORY, Ran, run, small_project
from tests.test_docs import LLAMA_8B

MODELINE = re.compile(r"^#.*\n")
GUIDES = 12
"""Guides of the real content whose lines become small documents."""
COMMANDS = (
    "fit qwen3-8b 2x-rtx-4090 --runtime vllm --quantization bf16 --context 8192 --json",
    "fit llama-3.1-8b-instruct --gpu rtx-3090:2 --nodes 2 --link ethernet-10g --sequences 4",
    "fit qwen3-8b --gpu dgx-spark --unified-memory-gib 128 --kv-dtype q8_0 --json",
    "fit qwen3-8b 2x-rtx-4090 --gpu-memory-utilization 0.9 --max-num-seqs 64 --draft-gib 1.5",
    "fit --best coding --gpu rtx-4090:2 --context 32768 --users 4",
    "recipe qwen3-8b 2x-rtx-4090 --runtime vllm",
    "explain qwen3-8b 2x-rtx-3090-nvlink --quantization bf16 --runtime vllm",
    "bench-plan 2x-rtx-4090 --model qwen3-8b --most 2",
)
LINTED = (
    "vllm serve Qwen/Qwen3-8B --tensor-parallel-size 2 --max-model-len 8192 --port 8000",
    "llama-server -m qwen3-8b-q4_k_m.gguf -ngl 99 -c 32768 -np 4 --flash-attn on",
    "docker run --gpus all -p 8000:8000 vllm/vllm-openai --model Qwen/Qwen3-8B -tp 2",
    "ray start --head --port 6379 && vllm serve Qwen/Qwen3-8B -tp 2 -pp 2",
    "CUDA_VISIBLE_DEVICES=0,1 python -m sglang.launch_server --model-path Qwen/Qwen3-8B --tp 2",
)
IMPORTED = (
    "--combo", "2x-rtx-4090", "--model", "llama-3.1-8b-instruct", "--checkpoint", "bf16",
    "--runtime", "vllm@0.33.0", "--tensor-parallel", "2", "--date", "2026-11-20", "--dry-run",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """One run: what was put in, what came of it, and what is wrong with that."""

    given: bytes
    outcome: str
    wrong: str = ""


@dataclass(slots=True)
class Bench:
    """The small project, read once, and a folder for files that a case needs."""

    root: Path
    scratch: Path
    project: ProjectFiles = field(init=False)
    parser: Parser = field(default_factory=Parser)
    _known: KnownRecords = field(default_factory=KnownRecords)
    _texts: Mapping[str, str] = field(default_factory=dict)
    _parsed: Any = None

    def __post_init__(self) -> None:
        """Read the project, and let commands have what was read."""
        small_project(self.root)
        self.project = read_project(self.root)
        self.parser.parse(self.project)
        self.parse(self.project.catalog)

        def read(_: CliSession, _root: Path | None = None) -> ProjectFiles:
            return self.project

        setattr(CliSession, "read", read)  # noqa: B010 - a method, for as long as this runs
        for module in (projects, steps, comparison, sys.modules["sitegen.catalog.load"]):
            for name, stand_in in (
                ("parse_catalog", lambda files, **_: self.parse(files)[1]),
                ("parse_authored", lambda files, **_: self.parse(files)),
            ):
                if hasattr(module, name):
                    setattr(module, name, stand_in)

    def parse(self, files: Mapping[str, str]) -> Any:
        """Parse a catalog; files that are as they were are not read again."""
        if files != self._texts or self._parsed is None:
            parsed = parse_authored(files, known=self._known)
            if self._parsed is not None:
                return parsed
            self._texts, self._parsed = dict(files), parsed
        return self._parsed

    def file(self, name: str, content: bytes) -> Path:
        """Write a file that a command is to read."""
        path = self.scratch / name
        path.write_bytes(content)
        return path


def _judged(done: Ran, given: bytes, *allowed: int) -> Case:
    """Judge how a command ended."""
    said = done.out + done.err
    wrong = ""
    if OURS.search(said):
        wrong = f"our own error: {said.strip()[-300:]}"
    elif done.status not in allowed:
        wrong = f"status {done.status}: {said.strip()[-200:]}"
    elif not said.replace("\n", "").replace("\t", "").isprintable():
        wrong = "prints characters that a terminal runs"
    return Case(given, f"status {done.status}", wrong)


def _text(content: bytes) -> str | None:
    """Return the text that the reader of projects would return; it refuses all others itself."""
    try:
        return content.decode() if len(content) <= MAX_TEXT_BYTES else None
    except UnicodeDecodeError:
        return None


def _changed_record(text: str, dice: random.Random) -> bytes:
    if dice.random() < 0.4:
        return bytes_changed(text.encode(), dice)
    first = MODELINE.match(text)
    value = value_changed(yaml.safe_load(text), dice)
    written = yaml.safe_dump(value, allow_unicode=True, sort_keys=False)
    return ((first[0] if first else "") + written).encode("utf-8", "surrogatepass")


def catalog(bench: Bench, dice: random.Random) -> Case:
    """Change a record; it is refused with problems, or the records mean something."""
    path = dice.choice(sorted(bench.project.catalog))
    given = _changed_record(bench.project.catalog[path], dice)
    text = _text(given)
    if text is None:
        return Case(given, "not read")
    changed = replace(bench.project, catalog={**bench.project.catalog, path: text})
    try:
        bench.parser.parse(changed)
    except ProblemsFound as found:
        unplaced = [one for one in found.problems if one.span.line < 1 or not one.message]
        return Case(given, "refused", f"a problem without a place: {unplaced}" if unplaced else "")
    return Case(given, "accepted")


def whole_build(bench: Bench, dice: random.Random) -> Case:
    """Change numbers until a check accepts them, and build: what is accepted can be built."""
    for _ in range(60):
        path = dice.choice(sorted(bench.project.catalog))
        given = _changed_record(bench.project.catalog[path], dice)
        text = _text(given)
        if text is None or text == bench.project.catalog[path]:
            continue
        changed = replace(bench.project, catalog={**bench.project.catalog, path: text})
        try:
            bench.parser.parse(changed)
        except ProblemsFound:
            continue
        try:
            files = build(changed).files
        except ProblemsFound:
            return Case(given, "refused by its pages")
        bad = [name for name, made in files.items() if name.endswith(".json") and _no_json(made)]
        return Case(given, "built", f"no JSON: {bad[:2]}" if bad else "")
    return Case(b"", "nothing accepted")


def _no_json(content: bytes) -> bool:
    def refused(word: str) -> float:
        raise ValueError(word)

    try:
        json.loads(content, parse_constant=refused)
    except ValueError:
        return True
    return False


_DRAFTS: dict[int, Drafts] = {}


def content(bench: Bench, dice: random.Random) -> Case:
    """Change a document or the settings, and make its page."""
    guides = sorted((REPOSITORY / "content/guides").glob("*.md"))[:GUIDES]
    if dice.random() < 0.2:
        path, original = "content/site.yaml", bench.project.content["content/site.yaml"]
    else:
        path, original = "content/guides/fuzzed.md", dice.choice(guides).read_text("utf-8")
        front, _, body = original.partition("\n---\n")
        lines = body.split("\n")
        at = dice.randrange(max(1, len(lines) - 25))
        original = f"{front}\n---\n" + "\n".join(lines[at : at + 25])
    given = bytes_changed(original.encode(), dice)
    text = _text(given)
    if text is None:
        return Case(given, "not read")
    drafts = _DRAFTS.setdefault(0, Drafts(NO_PAST))
    changed = replace(bench.project, content={**bench.project.content, path: text})
    try:
        drafts.renew(changed)
        made = drafts.files("guides/fuzzed/index.html")
    except ProblemsFound:
        return Case(given, "refused")
    page = b"".join(made.values())
    ran = re.search(rb"<script>(?!\s*</script>)|\son[a-z]+=|href=\"javascript:", page, re.I)
    return Case(given, "made" if made else "no page", f"would run: {ran[0]!r}" if ran else "")


def config(bench: Bench, dice: random.Random) -> Case:
    """Change a model's config and ask whether it fits."""
    records = [one for path, one in bench.project.catalog.items() if "/models/" in path]
    bases = [LLAMA_8B, *(yaml.safe_load(one)["config"] for one in records)]
    base = dice.choice(bases)
    if dice.random() < 0.3:
        given = bytes_changed(json.dumps(base).encode(), dice)
    else:
        given = json.dumps(value_changed(base, dice)).encode("utf-8", "surrogatepass")
    path = bench.file("config.json", given)
    words = ["--quantization", "bf16", "--runtime", dice.choice(("vllm", "llama-cpp", "sglang"))]
    done = run(
        "--root", bench.root, "fit", "--config", path, *words, "--gpu", "rtx-4090:2", "--json"
    )
    return _with_json(_judged(done, given, 0, 1, 2), done)


def _with_json(case: Case, done: Ran) -> Case:
    broken = done.status == 0 and not case.wrong and _no_json(done.out.encode())
    return replace(case, wrong="prints no JSON") if broken else case


def imported(bench: Bench, dice: random.Random) -> Case:
    """Change a tool's results and import them, without writing."""
    files = [
        one for one in sorted((REPOSITORY / "tests/importers/files").rglob("*")) if one.is_file()
    ]
    source = dice.choice(files)
    original = source.read_bytes()
    if source.suffix == ".json" and dice.random() < 0.6:
        given = json.dumps(value_changed(json.loads(original), dice)).encode(
            "utf-8", "surrogatepass"
        )
    else:
        given = bytes_changed(original, dice)
    path = bench.file(f"results{source.suffix}", given)
    return _judged(run("--root", bench.root, "import", path, *IMPORTED), given, 0, 1, 2)


def command(bench: Bench, dice: random.Random) -> Case:
    """Change the words of a command."""
    name, *others = shlex.split(dice.choice(COMMANDS))
    words = [name, *words_changed(others, dice)] if dice.random() < 0.9 else [f"{name}x", *others]
    if "--out" in words or any(word.startswith("-") and word[-1:] == "h" for word in words[:0]):
        return Case(b"", "left out")
    given = shlex.join(words).encode("utf-8", "surrogateescape")
    done = run("--root", bench.root, *words)
    case = _judged(done, given, 0, 1, 2)
    return _with_json(case, done) if "--json" in words and "--help" not in words else case


def linted(bench: Bench, dice: random.Random) -> Case:
    """Change a command line and a file of commands, and ask the linter."""
    given = bytes_changed(dice.choice(LINTED).encode(), dice)
    if dice.random() < 0.5:
        path = bench.file(
            dice.choice(("a.sh", "a.md", "a.yaml", "a.json", "a.py", "a.html")), given
        )
        done = run("--root", bench.root, "lint-command", path, "--format", "json")
    else:
        text = given.decode("utf-8", "surrogateescape").replace("\0", "")
        words = ["lint-command", "--command", text, "--format", "json", "--combo", "2x-rtx-4090"]
        done = run("--root", bench.root, *words)
    case = _judged(done, given, 0, 1, 2)
    return replace(case, wrong="prints no JSON") if (
        done.status < 2 and not case.wrong and _no_json(done.out.encode("utf-8", "replace"))
    ) else case  # fmt: skip


KINDS: Mapping[str, tuple[int, Callable[[Bench, random.Random], Case]]] = {
    "catalog": (10, catalog),
    "content": (6, content),
    "config": (6, config),
    "import": (4, imported),
    "command": (6, command),
    "lint-command": (6, linted),
    "whole build": (0, whole_build),
}
"""How many of each in a round, and what runs them; a build takes as long as all others, and gets a
tenth of the time."""
