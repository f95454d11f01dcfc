"""Answers as Parquet: one schema with a version, words by dictionary, the same rows the same bytes.

``pyarrow`` is imported when something is written or read: no other command needs it.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import Any

from sitegen.atlas.builds import Build
from sitegen.atlas.judging import Row
from sitegen.catalog.domain.hardware import UnifiedMemory
from sitegen.catalog.domain.models import LanguageModel
from sitegen.units import GIB

SCHEMA_VERSION = 1
"""It changes when a column goes, is renamed or means something else; not when one is added."""
VERSION_KEY = b"sitegen.atlas.schema"
MADE_OF_KEY = b"sitegen.atlas.made_of"

WORD, COUNT, SMALL, BYTES, REAL, FLAG = "word", "count", "small", "bytes", "real", "flag"
TUPLE_COLUMNS = (
    ("model", WORD),
    ("runtime", WORD),
    ("build", WORD),
    ("context_tokens", COUNT),
    ("sequences", SMALL),
)
ANSWER_COLUMNS = (
    ("tier", WORD),
    ("too_close", FLAG),
    ("checkpoint", WORD),
    ("weights_bytes", BYTES),
    ("reasons", WORD),
    ("flags", WORD),
    ("tensor_parallel_size", SMALL),
    ("pipeline_parallel_size", SMALL),
    ("replicas", SMALL),
    ("cpu_layers", SMALL),
    ("cpu_expert_layers", SMALL),
    ("utilization_low", REAL),
    ("utilization_mid", REAL),
    ("utilization_high", REAL),
    ("shortage_bytes", BYTES),
    ("max_context_tokens", COUNT),
    ("users", COUNT),
    ("one_tokens_per_s_low", REAL),
    ("one_tokens_per_s_mid", REAL),
    ("one_tokens_per_s_high", REAL),
    ("all_tokens_per_s_mid", REAL),
    ("first_token_s_mid", REAL),
)
BUILD_COLUMNS = (
    ("build", WORD),
    ("gpu", WORD),
    ("gpu_name", WORD),
    ("vendor", WORD),
    ("segment", WORD),
    ("gpus_per_node", SMALL),
    ("nodes", SMALL),
    ("gpus", SMALL),
    ("node_link", WORD),
    ("network", WORD),
    ("ram_gib", SMALL),
    ("vram_gib", REAL),
    ("watts", COUNT),
    ("usd", REAL),
    ("usd_basis", WORD),
    ("usd_seen", WORD),
    ("rent_usd_per_hour", REAL),
    ("rent_seen", WORD),
    ("fit_options", WORD),
)
MODEL_COLUMNS = (
    ("model", WORD),
    ("name", WORD),
    ("organization", WORD),
    ("released", WORD),
    ("context_tokens", COUNT),
    ("parameters", BYTES),
)


def verdict_bytes(rows: Iterable[Row], made_of: str) -> bytes:
    """Write the answers of a partition; the GPU stands in the name of its folder alone."""
    listed = list(rows)
    answers = [row.answer for row in listed]
    columns: dict[str, list[Any]] = {
        **{name: [getattr(row, name) for row in listed] for name, _ in TUPLE_COLUMNS},
        **{name: [getattr(one, name) for one in answers] for name, _ in ANSWER_COLUMNS},
    }
    return _written((*TUPLE_COLUMNS, *ANSWER_COLUMNS), columns, made_of)


def build_bytes(builds: Iterable[Build], made_of: str) -> bytes:
    """Write what builds are made of, and what their GPUs were last seen for."""
    found = [_build_row(build) for build in builds]
    return _written(BUILD_COLUMNS, _by_column(BUILD_COLUMNS, found), made_of)


def _build_row(build: Build) -> tuple[Any, ...]:
    installed = build.kind.installed
    gpu, count = installed.gpu, build.all_gpus
    usd, rent = build.usd, build.rent_usd
    draws = None if isinstance(gpu.memory, UnifiedMemory) or not gpu.tdp_watts else gpu.tdp_watts
    return (
        build.id,
        build.kind.id,
        gpu.name,
        gpu.vendor.value,
        gpu.segment,
        build.gpus,
        build.machines,
        count,
        build.node_link.id if build.node_link else "",
        build.network.id if build.network else "",
        build.ram_gib,
        count * installed.installed_bytes / GIB,
        count * draws if draws else None,
        float(usd.amount * count) if usd else None,
        usd.basis.value if usd else "",
        usd.date if usd else "",
        float(rent.amount * count) if rent else None,
        rent.date if rent else "",
        build.fit_options,
    )


def model_bytes(models: Iterable[LanguageModel], made_of: str) -> bytes:
    """Write the names of the models."""
    found = [
        (
            one.id,
            one.name,
            one.organization,
            one.released,
            one.context_tokens,
            one.published_parameters,
        )
        for one in models
    ]
    return _written(MODEL_COLUMNS, _by_column(MODEL_COLUMNS, found), made_of)


def _by_column(
    columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]]
) -> dict[str, list[Any]]:
    return {name: [row[at] for row in rows] for at, (name, _) in enumerate(columns)}


def _written(
    columns: Sequence[tuple[str, str]], values: dict[str, list[Any]], made_of: str
) -> bytes:
    import pyarrow
    import pyarrow.parquet

    types = {
        WORD: pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
        COUNT: pyarrow.int32(),
        SMALL: pyarrow.int16(),
        BYTES: pyarrow.int64(),
        REAL: pyarrow.float32(),
        FLAG: pyarrow.bool_(),
    }
    schema = pyarrow.schema(
        [pyarrow.field(name, types[kind]) for name, kind in columns],
        metadata={VERSION_KEY: str(SCHEMA_VERSION), MADE_OF_KEY: made_of},
    )
    table = pyarrow.table(
        [pyarrow.array(values[name], types[kind]) for name, kind in columns], schema=schema
    )
    into = io.BytesIO()
    words = [name for name, kind in columns if kind == WORD]
    pyarrow.parquet.write_table(table, into, compression="zstd", use_dictionary=[*words])
    return into.getvalue()
