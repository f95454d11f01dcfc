"""From runs to the text of a catalog record: the same runs give the same bytes, at any time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import count
from typing import Any

import yaml

from sitegen.catalog.kinds import Kind
from sitegen.catalog.text.scalars import ScalarError, plain_value
from sitegen.importers.figures import histogram
from sitegen.importers.measured import LatencyMs, ToolRun, UnusableError, all_same
from sitegen.values import dataclass

DIGITS = 6
LONGEST_ID = 70
KINDS = ("gpu", "backend", "layers", "model", "quantization", "runtime", "samples")
"""What of a file may contradict an editor: the words of ``--despite``."""


@dataclass(frozen=True, slots=True)
class Said:
    """What an editor said of the runs beside where they ran; empty and ``None`` where nothing.

    ``title``, ``source`` (an address) and ``read`` (a day) name the source; ``power_limit`` is in
    watts.
    """

    tensor_parallel: int | None = None
    pipeline_parallel: int | None = None
    data_parallel: int | None = None
    sequences: int | None = None
    dataset: str = ""
    seed: int | None = None
    prefix_cache: str = "not-said"
    kv_dtype: str = ""
    speculative: str = ""
    power_limit: int | None = None
    date: str = ""
    source: str = ""
    title: str = ""
    read: str = ""
    doubt: str = ""
    notes: str = ""


@dataclass(frozen=True, slots=True)
class RunChoice:
    """What the runs are of: everything that no file may be trusted to say.

    ``nodes`` and ``network`` are the combo's as authored; ``checkpoint`` or ``quantization`` is
    empty.
    """

    combo: str
    nodes: Sequence[Mapping[str, Any]]
    network: str
    gpus: int
    model: str
    checkpoint: str
    quantization: str
    runtime: str
    version: str
    said: Said = Said()


def record_id(choice: RunChoice, hashes: Sequence[str]) -> str:
    """Name a record by what ran where, and by the files: another run is another record."""
    what = f"{choice.model}-on-{choice.combo}"[:LONGEST_ID].rstrip("-.")
    return f"{what}-{_digest(hashes)}"


def _digest(hashes: Sequence[str]) -> str:
    whole = hashes[0] if len(hashes) == 1 else sha256("".join(hashes).encode("ascii")).hexdigest()
    return whole[:8]


def record_text(
    runs: Sequence[ToolRun],
    left_out: Sequence[tuple[int, str]],
    choice: RunChoice,
    *,
    tool: tuple[str, str],
    hashes: Sequence[str],
) -> str:
    """Write a record.

    Args:
        runs: Those that can be used, in the order of their file.
        left_out: Number of each run that cannot, counted from one, and the reason.
        choice: What the editor said.
        tool: Id and name of the format.
        hashes: SHA-256 of each file, in hexadecimal.

    Raises:
        UnusableError: If a run does not say how many streams it had and the editor neither, or if
            there is no date at all.
    """
    digest = _digest(hashes)
    date = choice.said.date or all_same(run.date for run in runs)
    read = choice.said.read or max([date, *(run.date for run in runs)])
    if not read:
        raise UnusableError(
            "the file states no date", hint="give the date of the run: --date YYYY-MM-DD"
        )
    taken = {at for at, _ in left_out}
    numbers = (at for at in count(1) if at not in taken)
    ordered = sorted(zip(numbers, runs, strict=False), key=lambda one: _order(one[1]))
    listed = [_run(f"{digest}-{at}", run, date, digest, choice) for at, run in ordered]
    out = [
        Kind.BENCHMARK.modeline,
        f"# Written by `sitegen import {tool[0]}`: import it again rather than edit figures.",
    ]
    if date:
        out.append(f"date: '{date}'")
    command = all_same(run.command for run in runs)
    imported = {
        "tool": tool[0],
        "version": all_same(run.tool_version for run in runs)[:80],
        "sha256": sorted(hashes),
        "command": command[:1_000],
    }
    out.append(f"imported: {flow({k: v for k, v in imported.items() if v})}")
    if listed:
        out += ["runs:", *(f"  - {flow(run)}" for run in listed)]
    if left_out:
        out.append("left_out:")
        out += [
            f"  - {flow({'id': f'{digest}-{at}', 'reason': reason})}" for at, reason in left_out
        ]
    own = f"Own run of {tool[1]}, file {min(hashes)[:12]}"
    title = choice.said.title or choice.said.source or own
    out += [
        "sources:",
        f"  - {flow({'title': title[:200], 'url': choice.said.source, 'read': read})}",
    ]
    return "\n".join(out) + "\n"


def _order(run: ToolRun) -> tuple[float, ...]:
    return (run.concurrency or 0, run.request_rate_per_s or 0.0, run.depth_tokens or 0, run.line)


def _run(id: str, run: ToolRun, date: str, digest: str, choice: RunChoice) -> dict[str, Any]:
    sequences = choice.said.sequences or run.sequences
    if sequences is None:
        hint = "give it with --sequences"
        raise UnusableError("the file does not state how many streams ran at once", run.line, hint)
    many = sequences > 1
    figures = {
        "decode_tokens_per_s": run.decode_tokens_per_s,
        "aggregate_tokens_per_s": run.aggregate_tokens_per_s if many else None,
        "prefill_tokens_per_s": run.prefill_tokens_per_s,
    }
    if figures["decode_tokens_per_s"] is None and not many:
        figures["decode_tokens_per_s"] = run.aggregate_tokens_per_s
    steady = run.timed == "steady" or (not many and run.decode_tokens_per_s is not None)
    record = {
        "id": id,
        "date": run.date if run.date != date else "",
        "group": f"import-{digest}",
        "subject": _kept(
            model=choice.model,
            checkpoint=choice.checkpoint,
            quantization=choice.quantization,
            runtime=choice.runtime,
            version=choice.version or run.runtime_version,
            build=run.build,
        ),
        "weights_gib": _rounded(run.weights_gib),
        "combo": choice.combo,
        "system": _kept(nodes=list(choice.nodes), network=choice.network),
        "power_limit_watts": choice.said.power_limit,
        "parallel": _kept(
            tensor=choice.said.tensor_parallel or (run.tensor if choice.gpus > 1 else None),
            pipeline=choice.said.pipeline_parallel or run.pipeline,
            data=choice.said.data_parallel or run.data,
            expert=run.expert,
            cpu_expert_layers=run.cpu_expert_layers,
        ),
        "workload": {
            **_kept(
                prompt_tokens=run.prompt_tokens,
                generated_tokens=run.generated_tokens,
                micro_batch_tokens=run.micro_batch_tokens,
            ),
            **({} if run.depth_tokens is None else {"depth_tokens": run.depth_tokens}),
            **({"sequences": sequences} if many else {}),
            **({"kv_dtype": kv} if (kv := choice.said.kv_dtype or run.kv_dtype) != "f16" else {}),
        },
        "figures": _kept(**{name: _rounded(value) for name, value in figures.items()}),
        "timed": "steady" if steady else "end-to-end",
        **({"mapped": True} if run.mapped else {}),
        "speculative": choice.said.speculative or run.speculative,
        "doubt": choice.said.doubt,
        "load": _load(run, choice),
        "latency": _latency(run),
        "quote": _quote(run),
        "notes": " ".join(part for part in (*_said(run, sequences), choice.said.notes) if part),
    }
    return {key: value for key, value in record.items() if value or value == 0}


def _said(run: ToolRun, sequences: int) -> tuple[str, ...]:
    """Say what a figure is the reciprocal of, and how streams were counted."""
    parts = list(run.notes)
    if run.decode_from and run.decode_tokens_per_s is not None:
        parts.append(f"Decode is the reciprocal of the {run.decode_from}.")
    if run.request_rate_per_s is not None and sequences > 1:
        parts.append("Streams are the mean in flight: arrivals times the mean time of a request.")
    return tuple(parts)


def _load(run: ToolRun, choice: RunChoice) -> dict[str, Any]:
    asked = _kept(
        concurrency=run.concurrency if run.timed != "steady" else None,
        request_rate_per_s=_rounded(run.request_rate_per_s),
        completed=run.completed,
        duration_s=_rounded(run.duration_s),
        dataset=choice.said.dataset or run.dataset,
    )
    if not asked:
        return {}
    if run.failed is not None:
        asked["failed"] = run.failed
    seed = run.seed if choice.said.seed is None else choice.said.seed
    if seed is not None:
        asked["seed"] = seed
    if choice.said.prefix_cache != "not-said":
        asked["prefix_cache"] = choice.said.prefix_cache
    return asked


def _latency(run: ToolRun) -> dict[str, Any]:
    found: dict[str, Any] = {f"{name}_ms": _one(one) for name, one in run.latencies.items()}
    if found and run.percentiles_from != "tool":
        found["percentiles_from"] = run.percentiles_from
    return found


def _one(latency: LatencyMs) -> dict[str, Any]:
    p50, p95, p99 = latency.percentiles
    named = {"mean": latency.mean_ms, "p50": p50, "p95": p95, "p99": p99}
    found: dict[str, Any] = {k: _rounded(v) for k, v in named.items() if v is not None}
    if latency.samples_ms:
        edges, counts = histogram(latency.samples_ms)
        found["histogram"] = {"edges_ms": list(edges), "counts": list(counts)}
    return found


def _quote(run: ToolRun) -> str:
    """Repeat the figures that the record stands on, as the file has them."""
    stated = (
        ("output throughput", run.aggregate_tokens_per_s, "tok/s"),
        ("prompt reading", run.prefill_tokens_per_s, "tok/s"),
        *(
            (f"{word} {name.upper()}", value, "ms")
            for name, one in run.latencies.items()
            for word, value in (("mean", one.mean_ms), ("p99", one.p99_ms))
        ),
    )
    parts = [f"{name} {value:.6g} {unit}" for name, value, unit in stated if value is not None]
    if not run.aggregate_tokens_per_s and run.decode_tokens_per_s:
        parts.insert(0, f"generation {run.decode_tokens_per_s:.6g} tok/s")
    return ", ".join(parts[:6])


def _kept(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value}


def _rounded(value: float | None) -> float | int | None:
    """Round to six digits; whole numbers stay whole.

    >>> _rounded(382.890123), _rounded(512.0)
    (382.89, 512)
    """
    if value is None:
        return None
    short = float(f"{value:.{DIGITS}g}")
    return int(short) if short == int(short) and abs(short) < 1e15 else short


class _Quoting(yaml.SafeDumper):
    """Quotes what the catalog's YAML would take for a number: the id ``2090634e-1`` is none."""


def _quoted(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    try:
        plain = isinstance(plain_value(text), str)
    except ScalarError:
        plain = False
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if plain else "'")


_Quoting.add_representer(str, _quoted)


def flow(value: Mapping[str, Any]) -> str:
    """One line of YAML."""
    text: str = yaml.dump(
        dict(value),
        Dumper=_Quoting,
        default_flow_style=True,
        sort_keys=False,
        allow_unicode=True,
        width=10**6,
    )
    return text.strip()
