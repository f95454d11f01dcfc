"""Projects with as many combos as one likes: the GPUs of the catalog, bought in other numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import DedicatedMemory, Gpu
from sitegen.inputs import ProjectFiles

FOLDER = "catalog/combos/"
MODELINE = "# yaml-language-server: $schema=../../schema/v1/combo.schema.json"
COUNTS = (1, 2, 4, 8, 3, 6)
"""GPUs in a machine."""
MACHINES = (1, 2, 4, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
"""Machines of a combo: sixteen make more than ten thousand different ones."""
SOURCE = {
    "title": "Made up to measure a build",
    "url": "https://example.org/",
    "read": "2026-11-20",
}


def with_combos(project: ProjectFiles, catalog: Catalog, count: int) -> ProjectFiles:
    """Replace a project's combos by ``count`` made-up ones, and leave out what names combos.

    Raises:
        ValueError: If the catalog has too few GPUs for so many different combos.
    """
    made = {
        f"{FOLDER}synthetic-{number:04}.yaml": text
        for number, text in enumerate(islice(_combos(catalog), count), start=1)
    }
    if len(made) < count:
        raise ValueError(f"{len(catalog.gpus)} GPUs make {len(made)} combos, not {count}")
    kept = {
        path: text
        for path, text in project.catalog.items()
        if not path.startswith(FOLDER) and "\nimported: " not in text
    }
    content = {path: text for path, text in project.content.items() if "/guides/" not in path}
    return replace(project, catalog={**kept, **made}, content=content)


def _combos(catalog: Catalog) -> Iterator[str]:
    """Yield records; those of one size come before the next larger ones."""
    cards = [
        gpu for gpu in catalog.gpus.values() if isinstance(gpu.memory, DedicatedMemory) and gpu.bus
    ]
    for machines in MACHINES:
        for count in COUNTS:
            for gpu in cards:
                record = json.dumps(_combo(gpu, count, machines), ensure_ascii=False)
                yield f"{MODELINE}\n{record}\n"


def _combo(gpu: Gpu, count: int, machines: int) -> dict[str, object]:
    node: dict[str, object] = {"count": machines, "gpus": [{"gpu": gpu.id, "count": count}]}
    if count > 1:
        node["link"] = gpu.bus
    combo: dict[str, object] = {
        "name": f"{machines} × {count}× {gpu.name}",
        "summary": "A combo that nobody built.",
        "nodes": [node],
        "sources": [SOURCE],
    }
    if machines > 1:
        combo["network"] = "ethernet-10g"
    return combo
