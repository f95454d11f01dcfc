"""Write `catalog/benchmarks/` from a collection of published speed figures.

Run as ``python -m benchmarks.convert_speeds MEASUREMENTS``, the folder that holds
``speeds.jsonl``. Every figure becomes a run or a line of ``left_out`` with its reason. Files that
were read by hand carry no line that this script wrote them, and stay.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from benchmarks.speeds import cached_prompts, subjects, systems, workloads
from benchmarks.speeds.cached_prompts import Harness
from benchmarks.speeds.footnotes import with_footnote
from benchmarks.speeds.subjects import LeftOutError, Row
from benchmarks.strangers import rows as strangers
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import Checkpoint, LanguageModel
from sitegen.catalog.load import parse_catalog
from sitegen.importers.spellings.gpus import GpuNames
from sitegen.importers.spellings.models import ModelNames
from sitegen.inputs import read_project
from sitegen.physics.reduced_checkpoint import reduce_checkpoint
from sitegen.published.accuracy.speed_runs import checkpoint_of
from sitegen.units import GIB

READ = "2026-11-20"
"""Day on which the collection was read."""
HEAD = "# yaml-language-server: $schema=../../schema/v1/benchmark.schema.json\n"
BODY = "# Written by benchmarks/convert_speeds.py: change that, not this.\n"
QUOTE_CHARACTERS = 110
SERVING = frozenset({"vllm", "sglang", "tensorrt-llm"})
"""Runtimes that load a repository as it lies there."""
LAYERED = subjects.GGUF_RUNTIMES
"""Runtimes that split by layer unasked; a tensor parallel size beside them counts GPUs."""
SIZE_TOLERANCE = 0.3
"""How far a stated size may be from the recipe's before the model is doubted."""
STRETCHED = "The run is deeper than the model's context, so the positions were stretched."
EXCUSE = "  # sitegen: ignore[depth-beyond-model] the tool fills a cache to any depth"
IMPOSSIBLE = frozenset({"c1594", "c2086", "c2766"})
"""Runs above a physical bound, as their sources publish them; `sitegen check` names others."""
ABOVE_BOUND = "  # sitegen: ignore[above-bound] its source says so; the site lists it as impossible"
MIX_TOLERANCE = 0.4
"""The same for a mix: a maker's own keeps a third of a model at 16 bits."""
PLAIN = ("q2-k", "q3-k-s", "q3-k-m", "q4-k-s", "q4-k-m", "q5-k-m", "q6-k", "q8-0")
"""Recipes without grids of codes, as mixes made by hand use none."""


@dataclass(frozen=True, slots=True)
class Known:
    """Names of the catalog, as sources spell them."""

    models: ModelNames
    gpus: GpuNames
    cached: frozenset[Harness] = frozenset()
    """Whose prompts came from a cache."""


def main(folder: str) -> None:
    """Convert every row and write one file per source."""
    lines = Path(folder, "speeds.jsonl").read_text(encoding="utf-8").splitlines()
    read = map(with_footnote, map(json.loads, lines))
    rows = [{**row, "notes": row.get("notes") or ""} for row in read]
    catalog = parse_catalog(read_project(Path.cwd()).catalog)
    known = Known(ModelNames(catalog.models), GpuNames(catalog.gpus))
    known = replace(known, cached=_cached(rows, catalog, known))
    target = Path("catalog/benchmarks")
    target.mkdir(parents=True, exist_ok=True)
    for old in target.glob("*.yaml"):
        if BODY in old.read_text(encoding="utf-8"):
            old.unlink()
    reasons: Counter[str] = Counter()
    lacking: Counter[str] = Counter()
    by_source: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_source[source_id(row)].append(row)
    for source, some in sorted(by_source.items()):
        text = source_text(some, catalog, known, reasons, lacking)
        Path(target, f"{source}.yaml").write_text(text, encoding="utf-8")
    used = len(rows) - sum(reasons.values())
    print(f"{used} of {len(rows)} figures in {len(by_source)} files")
    for reason, count in reasons.most_common():
        print(f"{count:5} {reason}")
    print("models that the catalog lacks:")
    for name, count in lacking.most_common():
        print(f"{count:5} {name}")


def _cached(rows: Sequence[Row], catalog: Catalog, known: Known) -> frozenset[Harness]:
    """Find whose prompts came from a cache; rows that cannot be used say nothing."""
    found = []
    for row in rows:
        try:
            runtime, model = subjects.runtime_id(row), subjects.model_id(row, known.models)
            recipe, _ = subjects.quantization_id(row, runtime)
            gpus = systems.system_of(row, known.gpus).gpus
        except LeftOutError:
            continue
        checkpoint = checkpoint_of(catalog.models[model], "", recipe, catalog.quantizations)
        rates = [gpu.fp16_flops_per_s for gpu in gpus]
        if checkpoint is None or None in rates:
            continue
        active = reduce_checkpoint(catalog.models[model], checkpoint).active_parameters
        soon = cached_prompts.too_soon(row, active, sum(rate or 0 for rate in rates))
        found.append((cached_prompts.harness(row, model, runtime), soon))
    return cached_prompts.cached(found)


def source_id(row: Row) -> str:
    """Name the file of a row: its repository, or the thread for figures read in threads."""
    url, collection = row["source_url"], row["collection"]
    thread = re.search(
        r"github\.com/([\w.-]+)/([\w.-]+)/(issues|pull|discussions|releases)/(?:tag/)?(\S+)", url
    )
    if collection.startswith("hand"):
        if thread:
            owner, name, kind, number = thread.groups()
            return _slug(f"{owner}-{name}-{kind}-{number}")
        return _slug(re.sub(r"https?://(www\.)?(github\.com|huggingface\.co)?/?", "", url))
    return _slug(re.sub(r"\(.*?\)|README|BENCHMARKS\.md|^logs: ", "", collection))


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.")[:60].strip("-.")


def source_text(
    rows: Sequence[Row],
    catalog: Catalog,
    known: Known,
    reasons: Counter[str],
    lacking: Counter[str],
) -> str:
    """Write one file: what can be compared, what cannot, and where it was read."""
    prefix = _common([row["source_url"] for row in rows])
    dates = Counter(_date(row) for row in rows if _date(row))
    day = dates.most_common(1)[0][0] if dates else ""
    runs, left = [], []
    for row in rows:
        try:
            runs.append(run_record(row, catalog, known, prefix, day))
        except LeftOutError as error:
            left.append({"id": row["id"].lower(), "reason": str(error)})
            reasons[re.sub(r"(such GPU|shape of|runtime|recipe for|type|build).*", r"\1 …",
                           str(error))] += 1  # fmt: skip
            if "shape of" in str(error):
                lacking[row["model"]] += 1
    out = HEAD + BODY
    if day:
        out += f"date: '{day}'\n"
    for key, items in (("runs", runs), ("left_out", left)):
        if items:
            out += f"{key}:\n" + "".join(f"  - {_line(item)}\n" for item in items)
    return out + "sources:\n" + f"  - {_flow(_source(rows, prefix))}\n"


def _common(urls: Sequence[str]) -> str:
    """Shorten the addresses of a source's files to the folder that they share."""
    first = urls[0]
    if len(set(urls)) == 1:
        return first
    shared = first
    for url in urls:
        while not url.startswith(shared):
            shared = shared.rsplit("/", 2 if shared.endswith("/") else 1)[0] + "/"
    return shared


def _source(rows: Sequence[Row], prefix: str) -> dict[str, str]:
    collection = rows[0]["collection"]
    unplaced = prefix.startswith("github-file-index")
    title = collection
    if collection.startswith("hand"):
        title = re.sub(r"https?://(www\.)?(github\.com/)?", "", prefix)
    if unplaced:
        title = "A published file whose repository is not known"
        title += f", {collection.removeprefix('hand: ')}"
    read = f"{title} (figures as published)"
    return {"title": read[:200], "url": "" if unplaced else _tree(prefix), "read": READ}


def _tree(prefix: str) -> str:
    """Make an address that opens: a folder of a repository is shown under ``tree``."""
    return prefix.rstrip("/").replace("/blob/", "/tree/") if prefix.endswith("/") else prefix


THREADS = {
    "ggml-org/llama.cpp/discussions/4167": "2023-11",
    "ggml-org/llama.cpp/pull/4766": "2024-01",
    "ggml-org/llama.cpp/pull/6017": "2024-03",
}
"""Month in which a thread was opened, for figures that have no date of their own."""


def _date(row: Row) -> str:
    """Read the date of a figure, or of the thread that it was posted in."""
    opened = next((day for name, day in THREADS.items() if row["source_url"].endswith(name)), "")
    stated = row["date"] or opened
    found = re.fullmatch(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?", stated)
    return found.group(0) if found else ""


def run_record(row: Row, catalog: Catalog, known: Known, prefix: str, day: str) -> dict[str, Any]:
    """Map one row.

    Raises:
        LeftOutError: With the reason, if it cannot be used.
    """
    row = workloads.all_instances(row)
    runtime = subjects.runtime_id(row)
    model = subjects.model_id(row, known.models)
    recipe, said = subjects.quantization_id(row, runtime)
    system = systems.system_of(row, known.gpus)
    cached = cached_prompts.harness(row, model, runtime) in known.cached
    asked, found = workloads.workload(row), workloads.figures(row)
    found_model = catalog.models[model]
    listed_as = _released_as(row, found_model) if runtime in SERVING else None
    checkpoint = listed_as or checkpoint_of(found_model, "", recipe, catalog.quantizations)
    if listed_as is not None and listed_as.quantization.id != recipe:
        said = f"The source says {row.get('quant')}; its repository holds {listed_as.id}."
    if checkpoint is None:
        raise LeftOutError(f"The catalog has no quantization record for {recipe}.")
    checkpoint, sized = _sized(row, found_model, checkpoint, runtime, catalog)
    tolerance = MIX_TOLERANCE if sized else SIZE_TOLERANCE
    weights = _weights_bytes(row, found_model, checkpoint, tolerance)
    if weights > 0.97 * system.memory_bytes:
        raise LeftOutError(
            "The model is larger than the GPUs, so part of it ran elsewhere; the source does not "
            "say where."
        )
    stretched = asked.get("depth_tokens", 0) > found_model.context_tokens
    date = _date(row)
    listed = {c.id for c in found_model.checkpoints}
    subject = {
        "model": model,
        ("checkpoint" if checkpoint.id in listed else "quantization"): checkpoint.id,
        "runtime": runtime,
        **_version(row, runtime),
    }
    notes = (
        said, sized, STRETCHED if stretched else "", subjects.runtime_note(row, runtime),
        *system.notes, _shape_note(row, model), workloads.rough_note(row),
        workloads.standing_note(row), cached_prompts.NOTE if cached else "",
    )  # fmt: skip
    eager = re.search(r"enforce.eager|eager mode", row["notes"]) is not None
    record = {
        "id": row["id"].lower(),
        "date": date if date != day else "",
        "at": row["source_url"].removeprefix(prefix),
        "group": row["group"].lower(),
        "subject": subject,
        "weights_gib": row.get("weights_gib"),
        "system": system.record,
        "power_limit_watts": system.power_limit_watts,
        "parallel": _parallel(row, runtime, len(system.gpus)),
        "workload": asked,
        "figures": found,
        "timed": "steady" if cached else workloads.timed(row),
        "speculative": workloads.speculative(row),
        "eager": eager,
        "doubt": workloads.doubt(row),
        "stranger": row["id"].lower() in strangers.ids(),
        "quote": _quote(row),
        "notes": " ".join(note for note in notes if note),
    }
    return {key: value for key, value in record.items() if value}


def _released_as(row: Row, model: LanguageModel) -> Checkpoint | None:
    """Find the checkpoint whose repository the row names: what lies there decides.

    A format beside the name of a repository at 16 bits says what was made of it.
    """
    named = [c for c in model.checkpoints if c.repository and c.repository == row["model"]]
    quantized = named and named[0].quantization.id == "bf16" and row.get("quant")
    return named[0] if len(named) == 1 and named[0].native and not quantized else None


def _version(row: Row, runtime: str) -> dict[str, str]:
    found = {}
    dotted = subjects.version(row, runtime)
    if dotted:
        found["version"] = dotted
    stated = " ".join(str(row[k]) for k in ("runtime", "runtime_version") if row.get(k))
    if stated.lower() not in {runtime, runtime.replace("-", "."), runtime.replace("-", "")}:
        found["build"] = stated
    return found


def _parallel(row: Row, runtime: str, gpus: int) -> dict[str, Any]:
    tensor = row.get("tp")
    words = str(row.get("split_mode") or "")
    if words.startswith("graph"):
        raise LeftOutError("Split by graph, which no plan of the engine is.")
    if runtime in LAYERED:
        # "tensor parallel" counts GPUs, and "(tensor split)" may mean their shares of the layers.
        cut = words.startswith("tensor") and words != "tensor parallel"
        return {"tensor": gpus} if cut and "(tensor split)" not in str(row["quote"]) else {}
    if tensor is None and "tensor parallel" in words:
        tensor = gpus
    found: dict[str, Any] = {}
    if tensor and gpus % tensor == 0 and (tensor > 1 or gpus > 1):
        found["tensor"] = tensor
    if row.get("pp") and row["pp"] > 1:
        found["pipeline"] = row["pp"]
    if row.get("instances"):
        found["data"] = row["instances"]
    if "expert parallel" in words:
        found["expert"] = True
    return found


def _sized(
    row: Row, model: LanguageModel, checkpoint: Checkpoint, runtime: str, catalog: Catalog
) -> tuple[Checkpoint, str]:
    """Find the recipe of a GGUF file whose label its size contradicts, and what to note.

    A label names what was asked for; where tensors were given types of their own, the size tells
    more. The recipe nearest to the size stands for them, and the size stays the stated one.
    """
    if runtime not in LAYERED or not row.get("weights_gib"):
        return checkpoint, ""
    stated = row["weights_gib"] * GIB
    if abs(stated / reduce_checkpoint(model, checkpoint).weights.total_bytes - 1) <= SIZE_TOLERANCE:
        return checkpoint, ""
    plain = [checkpoint_of(model, "", name, catalog.quantizations) for name in PLAIN]
    others = [one for one in plain if one is not None]
    sizes = [reduce_checkpoint(model, one).weights.total_bytes for one in others]
    gap, nearest = min(
        ((abs(size / stated - 1), place) for place, size in enumerate(sizes)), default=(1.0, 0)
    )
    if gap > MIX_TOLERANCE:
        return checkpoint, ""
    found = others[nearest]
    nearest_to = f"its size is nearest to {found.id}, so it is a mix of types."
    return found, f"The file is labeled {row['quant']}, but {nearest_to}"


def _weights_bytes(row: Row, model: LanguageModel, checkpoint: Checkpoint, tolerance: float) -> int:
    """Size of the weights: the log's, which must be near what the recipe implies.

    Raises:
        LeftOutError: If the two contradict one another.
    """
    expected = reduce_checkpoint(model, checkpoint).weights.total_bytes
    if not row.get("weights_gib"):
        return expected
    stated = int(row["weights_gib"] * GIB)
    if abs(stated / expected - 1) > tolerance:
        raise LeftOutError(
            f"The stated size of {row['weights_gib']} GiB is not that of this model and recipe."
        )
    return stated


def _shape_note(row: Row, model: str) -> str:
    plain = subjects.model_name(row)
    ours = re.sub(r"-(instruct|it|chat|v\d.*|\d{4})\b", "", model)
    if ours.replace("-", "") in plain.replace("-", "").replace(":", ""):
        return ""
    return f"The run used {row['model']}, which has the shape of this model."


def _quote(row: Row) -> str:
    text = re.sub(r"\s+", " ", str(row["quote"])).strip(" |")
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    if len(text) <= QUOTE_CHARACTERS:
        return text
    numbers = [row.get(k) for k in ("decode_tps", "aggregate_tps", "prompt_tps")]
    spots = [text.find(str(n).rstrip("0").rstrip(".")) for n in numbers if n]
    last = max((s for s in spots if s >= 0), default=0)
    start = max(0, min(last - QUOTE_CHARACTERS + 30, len(text) - QUOTE_CHARACTERS))
    return ("… " if start else "") + text[start : start + QUOTE_CHARACTERS].strip()


def _line(item: Mapping[str, Any]) -> str:
    """One line of YAML, with the excuse that a depth beyond the model or a bound needs."""
    excuse = EXCUSE if STRETCHED in item.get("notes", "") else ""
    excuse += ABOVE_BOUND if item.get("id") in IMPOSSIBLE else ""
    return _flow(item) + excuse


def _flow(value: Mapping[str, Any]) -> str:
    """One line of YAML."""
    text = yaml.safe_dump(
        dict(value), default_flow_style=True, sort_keys=False, allow_unicode=True, width=10**6
    )
    return text.strip()


if __name__ == "__main__":
    main(sys.argv[1])
