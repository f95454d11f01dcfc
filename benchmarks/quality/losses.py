"""Published losses of quantization to the text of records: one file per source and page."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from benchmarks.quality.sizes import questions
from benchmarks.quality.text import READ, quoted, source_lines

Row: TypeAlias = dict[str, Any]
HEAD = "# yaml-language-server: $schema=../../schema/v1/loss.schema.json\n"
SAMPLED = 50 * 57
"""Questions of a run over MMLU that took 50 of each category, as its source says."""
LICENSES: Mapping[str, str] = {
    "Aider-AI/aider": "Apache-2.0",
    "NVIDIA/TensorRT-Model-Optimizer": "Apache-2.0",
    "QwenLM/Qwen2.5": "none visible",
    "ggml-org/llama.cpp": "MIT",
    "ikawrakow/ik_llama.cpp": "MIT",
    "intel/auto-round": "Apache-2.0",
    "matt-c1/llama-3-quant-comparison": "CC0-1.0",
    "ml-explore/mlx-lm": "MIT",
}
"""Licences of the repositories that the figures were read in."""


def loss_files(rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each file, in the order of names."""
    by_page: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_page[page_id(row)].append(row)
    for name, some in sorted(by_page.items()):
        yield name, page_text(some)


def page_id(row: Row) -> str:
    """Name the file of a row after the repository or host, and the page where it has several.

    >>> page_id({"source_url": "https://github.com/intel/auto-round",
    ...          "source_path": "docs/opt_rtn.md"})
    'intel-auto-round-opt-rtn'
    """
    parts = row["source_url"].removeprefix("https://").rstrip("/").split("/")
    if parts[0] in {"github.com", "huggingface.co", "gist.github.com"}:
        parts = parts[1:]
    if parts[0] == "datasets":
        parts = parts[1:]
    stem = re.sub(r"\.\w+$", "", row["source_path"].split("/")[-1]).partition(" - ")[0]
    plain = {"readme", "benchmark", "benchmarks", "quant", "accuracy", "model card"}
    if "github.com/" in row["source_url"] and stem.lower() not in plain and len(stem) < 30:
        parts.append(stem)
    elif "windows/" in row["source_path"]:
        parts.append("windows")
    elif "perplexity" in row["source_path"]:
        parts.append("perplexity")
    return re.sub(r"[^a-z0-9.]+", "-", "-".join(parts[:4]).lower()).strip("-.")[:80]


def page_text(rows: Sequence[Row]) -> str:
    """Write the file of one page."""
    first = rows[0]
    notes = _common(rows, "note")
    dates = sorted({date(row) for row in rows})
    lines = [
        f"title: {quoted(title(first))}",
        f"evaluator: {first['evaluator']}",
        f"evaluated_by: {quoted(first['evaluated_by'])}",
        f"license: {quoted(license_of(first))}",
        f"date: '{dates[-1]}'",
        *([f"note: {quoted(notes)}"] if notes else []),
        "tables:",
    ]
    tables: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in map(with_stand_in, rows):
        tables[_table_key(row)].append(row)
    for some in tables.values():
        lines += table_lines(some, note=notes, date_of_file=dates[-1])
    lines += source_lines(title(first), first["source_url"], read=READ)
    return HEAD + "\n".join(lines) + "\n"


def title(row: Row) -> str:
    """Name the source with its page and commit."""
    commit = f" @{row['source_commit'][:10]}" if row.get("source_commit") else ""
    where = "/".join(row["source_url"].removeprefix("https://").rstrip("/").split("/")[:4])
    return f"{where}, {row['source_path']}{commit}"


def license_of(row: Row) -> str:
    """Return the licence of the repository, as far as it is visible."""
    return next((text for name, text in LICENSES.items() if name in row["source_url"]),
                "none visible")  # fmt: skip


def date(row: Row) -> str:
    """Return the date of a figure: an ISO date, its month or its year.

    >>> date({"date": "2024-05 (numbers), file read at 2026-08-15"})
    '2024-05'
    """
    found = re.match(r"\d{4}(-\d{2}(-\d{2})?)?", row["date"])
    return found[0] if found else "2026"


def with_stand_in(row: Row) -> Row:
    """Give a row of a table without a 16-bit run the widest file as its baseline."""
    if row["metric"] == "mmlu" and row.get("baseline_value") is None:
        widest = {"baseline_quantization": "q5-k-m", "baseline_value": 80.82}
        return {**row, **widest, "questions": SAMPLED, "note": f"{row['note']}: Q5_K_M stands in"}
    return row


def _table_key(row: Row) -> tuple[Any, ...]:
    keys = ("model_id", "metric", "unit", "baseline_quantization", "baseline_value")
    name = row["model_name"] if row["metric"] != "oobabooga-48" else row.get("model_id")
    return (name, *(row.get(key) for key in keys), date(row))


def table_lines(rows: Sequence[Row], *, note: str, date_of_file: str) -> list[str]:
    """Write one table and its rows."""
    first = rows[0]
    own = "; ".join(dict.fromkeys(row["note"] for row in rows if row.get("note")))
    size = first.get("questions") or questions(first["metric"], first["unit"])
    name = first["model_name"]
    if first["metric"] == "oobabooga-48":
        name = first.get("model_id") or name
    stated = {
        "model": first.get("model_id"),
        "name": quoted(name),
        "metric": first["metric"],
        "unit": first["unit"],
        "baseline": quoted(first["baseline_quantization"]),
        "baseline_value": first.get("baseline_value"),
        "questions": size,
        "date": f"'{date(first)}'" if date(first) != date_of_file else None,
        "note": quoted(own) if own and own != note else None,
    }
    keys = [f"{key}: {value}" for key, value in stated.items() if value is not None]
    inner = [f"      - {{{row_text(row)}}}" for row in rows]
    return [f"  - {keys[0]}", *(f"    {key}" for key in keys[1:]), "    rows:", *inner]


def row_text(row: Row) -> str:
    """Write one row, without what the type's id says already."""
    written, type_id = row["quantization_as_written"], row.get("quantization")
    plain = re.sub(r"[^a-z0-9.]", "", written.lower())
    said = type_id is not None and plain == type_id.replace("-", "")
    tuned = bool(re.search(r"AutoRound|tuned|quantization-aw", written))
    stated = {
        "quantization": type_id,
        "written": None if said else quoted(written[:120]),
        "value": row["value"],
        "error": row.get("standard_error"),
        "bits": row.get("bits_per_weight"),
        "calibration": quoted(row["calibration"]) if row.get("calibration") else None,
        "tuned": "true" if tuned else None,
        "cache": quoted(row["kv_cache"]) if row.get("kv_cache") else None,
    }
    return ", ".join(f"{key}: {value}" for key, value in stated.items() if value is not None)


def _common(rows: Sequence[Row], key: str) -> str:
    """Return a text that all rows share, or nothing."""
    texts = list(dict.fromkeys(row[key] for row in rows if row.get(key)))
    return texts[0] if len(texts) == 1 else ""
