"""Projects with as many combos as one likes: the GPUs of the catalog, bought in other numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import DedicatedMemory, Gpu
from sitegen.catalog.load import parse_catalog
from sitegen.inputs import ProjectFiles

FOLDER = "catalog/combos/"
MODELINE = "# yaml-language-server: $schema=../../schema/v1/combo.schema.json"
WHOLE = ("gpus", "interconnects", "quantizations", "runtimes", "assumptions")
GUIDE = "content/guides/a-guide.md"
GUIDE_TEXT = """---
title: A guide
description: What a guide says.
kind: guide
---

Text of a guide.
"""
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


def cut_down(project: ProjectFiles, combos: int, models: int) -> ProjectFiles:
    """Make a project of as many combos and of the first so many models, without runs or scores.

    All GPUs, links, runtimes and constants stay, and one guide is made up: what an edit costs at
    a thousand combos can be measured in minutes.
    """
    kept = {
        path: text
        for path, text in project.catalog.items()
        if path.split("/")[1] in WHOLE or path.endswith("boards/scicode.yaml")
    }
    listed = (path for path in sorted(project.catalog) if path.startswith("catalog/models/"))
    own = [path for path in listed if "\nsuperseded_by: " not in project.catalog[path]]
    kept |= {path: project.catalog[path] for path in own[:models]}
    content = {"content/site.yaml": project.content["content/site.yaml"], GUIDE: GUIDE_TEXT}
    plain = replace(project, catalog=kept, content=content)
    return replace(with_combos(plain, parse_catalog(kept), combos), content=content)


def write(project: ProjectFiles, root: Path) -> None:
    """Write a project to a folder."""
    templates = {f"templates/{name}": text for name, text in project.templates.items()}
    for path, text in {**project.catalog, **project.content, **templates}.items():
        _put(root / path, text.encode())
    for name, content in project.assets.items():
        _put(root / "templates" / "assets" / name, content)
    for name, content in project.fonts.items():
        _put(root / "templates" / "fonts" / name, content)


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


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
