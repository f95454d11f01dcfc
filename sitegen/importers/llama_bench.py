"""``llama-bench``: rows of ``-o json``, ``jsonl``, ``csv``, ``sql`` and ``md``.

A row is one test of one stream: it has no request, no concurrency and no latency, and its five
repetitions are no requests. Prompt reading and generation of the same settings become one run.

Source:
    ggml-org/llama.cpp 0104b151, ``tools/llama-bench/llama-bench.cpp``.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from sitegen.importers.figures import number, positive, stated_day, stated_number, whole, words
from sitegen.importers.format import Format, Value
from sitegen.importers.measured import NamedHardware, ToolRun, UnusableError
from sitegen.importers.wanted import LONGEST_TEXT, Kept
from sitegen.units import GIB

NUMBERS = frozenset(
    {
        "build_number", "model_size", "n_batch", "n_ubatch", "n_gpu_layers", "n_cpu_moe",
        "n_prompt", "n_gen", "n_depth", "avg_ns", "avg_ts", "flash_attn", "model_n_params",
    }
)  # fmt: skip
TEXTS = (
    "build_commit",
    "gpu_info",
    "backends",
    "model_type",
    "type_k",
    "type_v",
    "split_mode",
    "test_time",
    "no_kv_offload",
    "tensor_buft_overrides",
    "load_mode",
    "use_mmap",
)
REPEATED = (("samples_ts[]", "avg_ts", "tok/s"), ("samples_ns[]", "avg_ns", "ns"))
"""Repetitions, which only JSON has, with their mean."""
PATHS = (*sorted(NUMBERS), *TEXTS, *(f"~{column}" for column, _, _ in REPEATED))
NEAR_MEAN = 0.01
"""Share by which a mean may differ from that of its repetitions: both are printed rounded."""
SETTINGS = (
    "build_commit", "gpu_info", "model_type", "model_size", "n_batch", "n_ubatch", "type_k",
    "type_v", "n_gpu_layers", "n_cpu_moe", "split_mode", "flash_attn", "n_depth",
    "no_kv_offload", "tensor_buft_overrides",
)  # fmt: skip
"""What has to be the same for prompt reading and generation to be one run."""
UNASKED_MICRO_BATCH = 512
"""Tokens of a step by default (llama.cpp, ``tools/llama-bench/llama-bench.cpp``, n_ubatch)."""
KV_TYPES = {"f16": "f16", "bf16": "f16", "q8_0": "q8_0", "q4_0": "q4_0"}
IN_RAM = "the KV cache was in system RAM, which no plan of the catalog does"
MIXED = "a test of prompt and generation together: its rate is of neither (use -p and -n, not -pg)"


def recognises(kept: Kept) -> bool:
    """Tell by the shape of a test."""
    return "n_gen" in kept and ("avg_ts" in kept or "avg_ns" in kept)


def read(values: Iterable[Value]) -> Iterator[ToolRun]:
    """Read tests; a test of reading and the next of generation with the same settings are one."""
    waiting: ToolRun | None = None
    settings: tuple[Any, ...] = ()
    for line, found in values:
        test = run(line, found)
        same = tuple(found.get(key) for key in SETTINGS)
        if waiting is not None and same == settings and _complete_each_other(waiting, test):
            yield _together(waiting, test)
            waiting = None
            continue
        if waiting is not None:
            yield waiting
        waiting, settings = test, same
    if waiting is not None:
        yield waiting


def _complete_each_other(run: ToolRun, other: ToolRun) -> bool:
    reads = [test.prefill_tokens_per_s is not None for test in (run, other)]
    return sorted(reads) == [False, True] and not (run.refused or other.refused)


def _together(run: ToolRun, other: ToolRun) -> ToolRun:
    reading, writing = (run, other) if run.prefill_tokens_per_s is not None else (other, run)
    return replace(
        writing,
        line=run.line,
        prompt_tokens=reading.prompt_tokens,
        prefill_tokens_per_s=reading.prefill_tokens_per_s,
        samples_differ=writing.samples_differ or reading.samples_differ,
    )


def run(line: int, kept: Kept) -> ToolRun:
    """Read one test.

    Raises:
        UnusableError: If a figure is none.
    """
    prompt, generated = whole(kept, "n_prompt") or 0, whole(kept, "n_gen") or 0
    speed = _speed(kept, prompt + generated)
    kinds = [words(kept, key) or "f16" for key in ("type_k", "type_v")]
    refused = [MIXED] if prompt and generated else []
    if kinds[0] != kinds[1] or kinds[0] not in KV_TYPES:
        refused.append(f"a KV cache of type {kinds[0]}/{kinds[1]}, which no profile covers")
    if kept.get("no_kv_offload") in (True, "1", "true"):
        refused.append(IN_RAM)
    if speed is None:
        refused.append("the test has no rate")
    in_ram = whole(kept, "n_cpu_moe") or 0
    placed = words(kept, "tensor_buft_overrides")
    if placed not in ("", "none"):
        refused.append(f"tensors were placed by hand ({placed}); a record can say `--n-cpu-moe`")
    size = positive(kept, "model_size")
    return ToolRun(
        line=line,
        date=stated_day(words(kept, "test_time")),
        model=words(kept, "model_type"),
        quantization=words(kept, "model_type"),
        runtime="llama-cpp",
        hardware=_named(words(kept, "gpu_info")),
        runtime_version=str(whole(kept, "build_number") or ""),
        build=_build(kept),
        tool_version=str(whole(kept, "build_number") or ""),
        concurrency=1,
        depth_tokens=whole(kept, "n_depth") or 0,
        prompt_tokens=prompt or None,
        generated_tokens=generated or None,
        micro_batch_tokens=_micro_batch(kept),
        kv_dtype=KV_TYPES.get(kinds[0], "f16"),
        decode_tokens_per_s=speed if generated else None,
        prefill_tokens_per_s=speed if prompt and not generated else None,
        timed="steady",
        weights_gib=None if size is None else size / GIB,
        backends=tuple(re.findall(r"[A-Za-z0-9]+", words(kept, "backends"))),
        parameters=positive(kept, "model_n_params"),
        gpu_layers=_layers(kept),
        samples_differ=_differing(kept),
        cpu_expert_layers=in_ram,
        mapped=in_ram > 0 and _is_mapped(kept),
        refused=tuple(refused),
    )


def _is_mapped(kept: Kept) -> bool:
    """Return whether the file was mapped, which older builds say in a switch of its own."""
    return "mmap" in words(kept, "load_mode") or kept.get("use_mmap") in (True, "1", "true")


def _micro_batch(kept: Kept) -> int | None:
    """Read the tokens of a step; ``None`` for as many as llama.cpp takes unasked."""
    asked = whole(kept, "n_ubatch")
    return None if asked == UNASKED_MICRO_BATCH else asked


def _layers(kept: Kept) -> int | None:
    """Read the number of layers on GPUs; below zero it means all."""
    stated = number(kept, "n_gpu_layers")
    return None if stated is None else int(stated)


def _differing(kept: Kept) -> str:
    """Say how repetitions contradict the mean that is stated of them."""
    for column, key, unit in REPEATED:
        repeated, stated = kept.get(column), positive(kept, key)
        if not repeated or stated is None:
            continue
        mean = sum(repeated) / len(repeated)
        if abs(mean - stated) > NEAR_MEAN * stated:
            return (
                f"{key} is {stated:,.6g} {unit}, and the mean of its {len(repeated)} repetitions "
                f"{mean:,.6g}"
            )
    return ""


def _speed(kept: Kept, tokens: int) -> float | None:
    speed = positive(kept, "avg_ts")
    if speed is None:
        nanoseconds = positive(kept, "avg_ns")
        return tokens / nanoseconds * 1e9 if nanoseconds and tokens else None
    return speed


def _build(kept: Kept) -> str:
    name = f"llama.cpp b{whole(kept, 'build_number') or '?'}"
    commit, backends = words(kept, "build_commit"), words(kept, "backends")
    known = f" ({commit})" if re.fullmatch(r"[0-9a-f]{7,40}", commit) else ""
    plain = re.sub(r"[^A-Za-z0-9,+ ]", "", backends)[:60]
    return f"{name}{known}" + (f", {plain}" if plain else "")


def _named(stated: str) -> tuple[NamedHardware, ...]:
    """GPUs stand side by side with a comma.

    >>> _named("NVIDIA GeForce RTX 3090, NVIDIA GeForce RTX 3090")
    (NamedHardware(name='NVIDIA GeForce RTX 3090', count=2),)
    """
    names = [name.strip() for name in stated.split(",") if name.strip()]
    return tuple(NamedHardware(name, names.count(name)) for name in dict.fromkeys(names))


FORMAT = Format("llama-bench", "llama-bench", PATHS, recognises, read)


def _row(line: int, fields: dict[str, str]) -> Value:
    """Keep the wanted columns of a row, numbers as numbers."""
    kept: Kept = {}
    for name in PATHS:
        value = fields.get(name)
        if value is None or value == "":
            continue
        kept[name] = stated_number(value, name, line) if name in NUMBERS else value[:LONGEST_TEXT]
    return line, kept


def from_csv(lines: Iterable[tuple[int, str]]) -> Iterator[Value]:
    """Read rows of ``-o csv``."""
    header: list[str] = []
    for at, line in lines:
        if not line.strip():
            continue
        try:
            cells = next(csv.reader(io.StringIO(line)))
        except csv.Error as error:
            raise UnusableError(f"the row cannot be read: {error}", at) from None
        if not header:
            header = cells
        elif len(cells) != len(header):
            raise UnusableError(f"{len(cells)} cells under {len(header)} columns", at)
        else:
            yield _row(at, dict(zip(header, cells, strict=True)))


_INSERT = re.compile(r"\s*INSERT INTO llama_bench \(([\w, ]+)\)\s*VALUES \('(.*)'\);\s*")


def from_sql(lines: Iterable[tuple[int, str]]) -> Iterator[Value]:
    """Read the rows of ``-o sql``, each of them one statement."""
    for at, line in lines:
        row = _INSERT.fullmatch(line)
        if row is None:
            continue
        names, values = row[1].split(", "), row[2].split("', '")
        if len(names) != len(values):
            raise UnusableError(f"{len(values)} values for {len(names)} columns", at)
        yield _row(at, dict(zip(names, values, strict=True)))


_TEST = re.compile(r"(?:pp(\d+))?\+?(?:tg(\d+))?(?: @ d(\d+))?")
_SIZES = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_COUNTS = {"M": 1e6, "B": 1e9, "T": 1e12}
_BUILD = re.compile(r"build: ([0-9a-f]{6,40}) \((\d+)\)")


_NUMBERED = {"ngl": "n_gpu_layers", "n_cpu_moe": "n_cpu_moe", "n_ubatch": "n_ubatch"}
_WORDS = {
    "type_k": "type_k", "type_v": "type_v", "nkvo": "no_kv_offload", "ot": "tensor_buft_overrides",
}  # fmt: skip
"""Columns of the table, by the name that JSON has for them; most are printed only if they vary."""


def from_markdown(lines: Iterable[tuple[int, str]]) -> Iterator[Value]:
    """Read the table of ``-o md``, which names no GPU and no day."""
    header: list[str] = []
    rows: list[tuple[int, dict[str, str]]] = []
    build: dict[str, Any] = {}
    for at, line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        stated = _BUILD.search(line)
        if stated:
            build = {"build_commit": stated[1], "build_number": float(stated[2])}
        elif not line.lstrip().startswith("|") or set("".join(cells)) <= set("-: "):
            continue
        elif "t/s" in cells:
            header = cells
        elif header and len(cells) == len(header):
            rows.append((at, dict(zip(header, cells, strict=True))))
    for at, cells_by_name in rows:
        yield at, {**_of_table(at, cells_by_name), **build}


def _of_table(line: int, cells: dict[str, str]) -> Kept:
    test = _TEST.fullmatch(cells.get("test", ""))
    speed = re.match(r"[\d.]+", cells.get("t/s", ""))
    size = re.fullmatch(r"([\d.]+) (\w+)", cells.get("size", ""))
    if test is None or speed is None:
        raise UnusableError("the row has no test or no rate", line)
    fields: Kept = {
        "model_type": cells.get("model", ""),
        "backends": cells.get("backend", ""),
        "n_prompt": float(test[1] or 0),
        "n_gen": float(test[2] or 0),
        "n_depth": float(test[3] or 0),
        "avg_ts": stated_number(speed[0], "the rate", line),
    }
    count = re.fullmatch(r"([\d.]+) ([MBT])", cells.get("params", ""))
    if count:
        fields["model_n_params"] = (
            stated_number(count[1], "the number of parameters", line) * _COUNTS[count[2]]
        )
    for column, key in _NUMBERED.items():
        if column in cells:
            fields[key] = stated_number(cells[column], column, line)
    if size and size[2] in _SIZES:
        fields["model_size"] = stated_number(size[1], "the size", line) * _SIZES[size[2]]
    for column, key in _WORDS.items():
        if column in cells:
            fields[key] = cells[column]
    return fields
