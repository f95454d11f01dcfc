"""Numbers at their extremes: what ``check`` lets pass can be built, and no time is negative."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from sitegen.catalog.kinds import FOLDERS
from sitegen.catalog.text.source_text import SourceText
from sitegen.catalog.text.yaml_source import compose
from sitegen.cli.time_limit import ended_after
from sitegen.inputs import ProjectFiles, read_project
from sitegen.pipeline.building import build
from sitegen.pipeline.sources import parse
from sitegen.problems import Problem, ProblemsFound
from tests.cli.small_project import REPOSITORY, small_project

Path_ = tuple[str | int, ...]
Leaf = tuple[str, Path_]
ROUNDS, LEAVES = 4, 200
LIMIT_S = 60
LEFT = {
    "catalog/assumptions", "catalog/benchmarks", "catalog/boards", "catalog/claims",
    "catalog/combos", "catalog/gpus", "catalog/interconnects", "catalog/losses",
    "catalog/measurements", "catalog/models", "catalog/names", "catalog/quantizations",
    "catalog/runtimes",
}  # fmt: skip
RECORDS_OF_RUNS: dict[str, dict[str, Any]] = {
    "benchmarks": {
        "runs": [{
            "id": "a-run", "group": "a-run", "timed": "steady", "quote": "60 tokens/s",
            "subject": {"model": "qwen3-8b", "quantization": "q4-k-m", "runtime": "llama-cpp"},
            "system": {"nodes": [{"gpus": [{"gpu": "rtx-4090", "count": 1}], "ram_gib": 64}]},
            "weights_gib": 4.7, "power_limit_watts": 300,
            "parallel": {"tensor": 1},
            "workload": {"depth_tokens": 512, "prompt_tokens": 512, "generated_tokens": 128,
                         "sequences": 1, "micro_batch_tokens": 512},
            "figures": {"decode_tokens_per_s": 60, "prefill_tokens_per_s": 900},
            "load": {"concurrency": 1, "request_rate_per_s": 2, "completed": 9, "failed": 0,
                     "duration_s": 20},
            "latency": {"ttft_ms": {"mean": 50, "p50": 50, "p99": 70},
                        "itl_ms": {"mean": 17, "p50": 17, "p99": 19}},
        }],
    },
    "losses": {
        "title": "A page", "evaluator": "independent", "evaluated_by": "A reader",
        "license": "CC-BY-4.0", "date": "2026-11-23",
        "tables": [{
            "model": "qwen3-8b", "name": "Qwen3-8B", "metric": "gsm8k", "unit": "percent",
            "baseline": "bf16", "baseline_value": 80, "questions": 1319,
            "rows": [{"quantization": "q4-k-m", "value": 79.1, "error": 0.5, "bits": 4.8}],
        }],
    },
    "measurements": {
        "runs": [{
            "id": "a-start", "outcome": "ran", "quote": "weights 15.3 GiB",
            "subject": {"model": "qwen3-8b", "quantization": "bf16", "runtime": "vllm",
                        "version": "0.19"},
            "system": {"nodes": [{"gpus": [{"gpu": "rtx-4090"}]}], "visible_gib": 23.5},
            "workload": {"context_tokens": 8192, "sequences": 4},
            "settings": {"memory_fraction": 0.9, "max_num_seqs": 256,
                         "max_num_batched_tokens": 8192},
            "observed": {"weights_gib": 15.3, "non_torch_gib": 0.1, "activation_gib": 1.4,
                         "graphs_gib": 0.3, "kv_pool_gib": 4.2, "kv_pool_tokens": 30000},
            "usable_for": ["weights", "kv-pool", "kv-tokens", "activation", "graphs"],
        }],
        "files": [{"id": "a-file", "model": "qwen3-8b", "quantization": "q4-k-m", "gb": 5.03,
                   "half_digit": 0.005}],
    },
    "claims": {
        "title": "A page",
        "claims": [
            {"id": "a", "quote": "60 tokens/s", "throughput": {
                "model": "qwen3-8b", "quantizations": ["q4-k-m"], "tokens_per_s": 60,
                "on": {"nodes": [{"gpus": [{"gpu": "rtx-4090", "count": 2}],
                                  "link": "pcie-4-x16"}]}}},
            {"id": "b", "quote": "ready in 80 ms", "first_token": {
                "model": "qwen3-8b", "prompt_tokens": 512, "milliseconds": 80,
                "on": {"nodes": [{"gpus": [{"gpu": "rtx-4090"}]}]}}},
        ],
    },
}  # fmt: skip
SOURCES = [{"title": "A page", "url": "https://example.org/page", "read": "2026-11-23"}]


@cache
def project() -> ProjectFiles:
    """A small project with a record of every kind."""
    folder = Path(mkdtemp(prefix="sitegen-extremes-"))
    try:
        root = small_project(folder)
        for kind, record in RECORDS_OF_RUNS.items():
            (root / "catalog" / kind).mkdir(exist_ok=True)
            text = json.dumps({**record, "sources": SOURCES})
            modeline = FOLDERS[kind].modeline
            (root / "catalog" / kind / "own.yaml").write_text(f"{modeline}\n{text}\n")
        # a combo of machines, and a model with experts and latent attention
        for name in ("combos/four-nodes", "models/deepseek-v3", "models/gpt-oss-120b"):
            source = REPOSITORY / "tests/golden/two-boxes/catalog" / f"{name}.yaml"
            shutil.copy(source, root / "catalog" / f"{name}.yaml")
        return read_project(root)
    finally:
        shutil.rmtree(folder)


@cache
def values() -> Mapping[str, Any]:
    """Every file of the catalog as plain values."""
    found = {}
    for path, text in project().catalog.items():
        found[path], problems = compose(SourceText(path, text))
        assert not problems
    return found


def leaves(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*path, index))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path


def changed(edits: Mapping[Leaf, float]) -> ProjectFiles:
    """The project with other numbers at some places."""
    files = dict(project().catalog)
    for path in {path for path, _ in edits}:
        value = values()[path]
        for (owner, place), number in edits.items():
            value = _put(value, place, number) if owner == path else value
        head = files[path].partition("\n")[0]
        files[path] = f"{head}\n{json.dumps(value)}\n"
    return replace(project(), catalog=files)


def _put(value: Any, path: Path_, number: float) -> Any:
    if not path:
        return number
    if isinstance(value, dict):
        return {k: _put(v, path[1:], number) if k == path[0] else v for k, v in value.items()}
    return [_put(v, path[1:], number) if k == path[0] else v for k, v in enumerate(value)]


def refused(files: ProjectFiles) -> tuple[Problem, ...]:
    try:
        parse(files)
    except ProblemsFound as found:
        return found.problems
    return ()


EXTREMES = (
    0, -1, 1, 1e-300, 1e-9, 1e-6, 0.001, 0.5, 3, 2**16, 2**20, 2**24, 10**6, 10**9, 10**15, 2**62,
    1e300,
)  # fmt: skip
NEGATIVE = re.compile(r"(?<![\w.])[\u2212-]\d[\d.,]*\s?(ms|s|tokens/s)\b")
TIMED = re.compile(r"(^|_)(s|ms|us|seconds|per_s)$")


def negative_times(value: Any, timed: bool = False) -> Iterator[float]:
    """Yield what is negative below a key that names a time or a speed."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from negative_times(inner, timed or TIMED.search(key) is not None)
    elif isinstance(value, list):
        for inner in value:
            yield from negative_times(inner, timed)
    elif timed and isinstance(value, int | float) and value < 0:
        yield value


def published(files: ProjectFiles) -> Mapping[str, bytes]:
    """Build, and look through what is published."""
    with ended_after(LIMIT_S):
        made = build(files).files
    for path, content in made.items():
        if path.endswith(".json"):
            assert not list(negative_times(json.loads(content))), path
        if path.endswith(".html"):
            assert not NEGATIVE.search(content.decode()), path
    return made


def test_the_small_project_has_records_of_every_kind_and_is_built() -> None:
    assert {path.rpartition("/")[0] for path in project().catalog} == LEFT
    assert published(project())


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_what_check_accepts_can_be_built_and_has_no_negative_time(seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311 - samples, not secrets
    folders: dict[str, list[Leaf]] = {}
    for path, value in values().items():
        found = [(path, place) for place in leaves(value)]
        if found:  # names of models hold no number
            folders.setdefault(path.rpartition("/")[0], []).extend(found)
    edits: dict[Leaf, float] = {}
    for _ in range(LEAVES):
        path, place = dice.choice(folders[dice.choice(sorted(folders))])
        if path not in {owner for owner, _ in edits}:
            edits[path, place] = dice.choice(EXTREMES)
    while problems := refused(changed(edits)):
        wrong = {problem.span.path for problem in problems} & {path for path, _ in edits}
        wrong = wrong or {next(iter(edits))[0]}  # what is wrong shows in a file that was not edited
        edits = {leaf: number for leaf, number in edits.items() if leaf[0] not in wrong}
    assert len(edits) > 2
    assert published(changed(edits))
