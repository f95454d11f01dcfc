"""The catalog and a folder of configs as one index of models, GPUs and checkpoints."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from benchmarks.accuracy import names
from benchmarks.accuracy.results import Unmapped
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import (
    Combo,
    ComboProse,
    Gpu,
    InstalledGpu,
    Node,
    OperatingSystem,
    UnifiedMemory,
    Vendor,
)
from sitegen.catalog.domain.models import Checkpoint, LanguageModel
from sitegen.catalog.load import parse_catalog
from sitegen.cli.choose import checkpoints_of
from sitegen.cli.own_model import model_of
from sitegen.engine.families import architecture
from sitegen.inputs import read_project
from sitegen.problems import SourceSpan
from sitegen.units import GIB

GUESSED = frozenset({"library_default", "partial", "none"})
"""Kinds of config in a folder of facts that are not the model's own."""

ONLY_IN_LOGS = {
    "llama-30b": (6_656, 17_920, 60, 52),
    "llama-2-65b": (8_192, 22_016, 80, 64),
}
"""Hidden size, feed-forward width, layers and heads of models of 2023 that only logs name.

Source: Touvron et al. 2023, "LLaMA", https://arxiv.org/abs/2302.13971, table 2, read 2026-11-20;
feed-forward width 8/3 of the hidden size, rounded up to a multiple of 256 (section 2.2).
"""

STAND_IN = "h100-sxm"
"""GPU of quantities that no GPU changes: weights and KV bytes per token."""


@dataclass(frozen=True, slots=True)
class World:
    """Everything that a record may name."""

    catalog: Catalog
    models: Mapping[str, LanguageModel]
    uncovered: Mapping[str, str]
    """Why a config is in no family, by model name."""

    def model(self, name: str | None) -> LanguageModel:
        """Find a model by the name a log gives it.

        Raises:
            Unmapped: If it is unknown, or its family is not covered.
        """
        if not name:
            raise Unmapped("model not named")
        for candidate in names.candidates(name):
            if candidate in self.models:
                return self.models[candidate]
        for candidate in names.candidates(name):
            if candidate in self.uncovered:
                raise Unmapped(self.uncovered[candidate])
        raise Unmapped("no config of this model")

    def checkpoint(self, model: LanguageModel, quantization: str | None) -> Checkpoint:
        """Choose the model's checkpoint in a quantization; its native one where none is named.

        Raises:
            Unmapped: If there is nothing to choose from.
        """
        same = [c for c in model.checkpoints if c.quantization.id == quantization]
        if quantization == "fp8":
            same += [c for c in model.checkpoints if c.quantization.format == "fp8"]
        if quantization is None:
            same = [c for c in model.checkpoints if c.native]
        if same:
            return same[0]
        try:
            return checkpoints_of(model, quantization or "bf16", self.catalog)[0]
        except click.UsageError as error:
            raise Unmapped("no recipe for this quantization") from error

    def gpu(self, stated: str | None, visible_gib: float | None) -> InstalledGpu:
        """Find a GPU by name; what the log says of its memory replaces the catalog's.

        Raises:
            Unmapped: If neither a name nor a size leads to one.
        """
        found = names.gpu_id(stated) if stated else None
        if found is None and visible_gib is None:
            raise Unmapped("GPU not named" if stated is None else "no such GPU in the catalog")
        gpu = self.catalog.gpus[found or STAND_IN]
        if isinstance(gpu.memory, UnifiedMemory):
            return _shared(gpu, gpu.memory, stated or "")
        if visible_gib is None:
            return InstalledGpu(gpu, gpu.memory.installed_bytes, gpu.memory.visible_bytes)
        visible = int(visible_gib * GIB)
        known = gpu.memory.visible_bytes
        if found is not None and abs(visible - known) > 0.05 * known:
            raise Unmapped("the log's memory is not that of the GPU it names")
        return InstalledGpu(gpu, gpu.memory.installed_bytes, visible)


def _shared(gpu: Gpu, memory: UnifiedMemory, stated: str) -> InstalledGpu:
    size = re.search(r"(\d+) ?GB", stated)
    largest = int(size.group(1)) * GIB if size else max(memory.options_bytes)
    if largest not in memory.options_bytes:
        raise Unmapped("the log's memory is not that of the GPU it names")
    return InstalledGpu(gpu, largest, largest)


def read_world(project: Path, configs: Path | None) -> World:
    """Read the catalog of a project and a folder of configs, one JSON file each."""
    catalog = parse_catalog(read_project(project).catalog)
    models: dict[str, LanguageModel] = {}
    uncovered: dict[str, str] = {}
    for path in sorted(configs.glob("*.json")) if configs else ():
        fact = json.loads(path.read_text(encoding="utf-8"))
        key = names.plain(str(fact.get("hf_id", path.stem)))
        whole = str(fact.get("hf_id", path.stem)).rsplit("/", 1)[-1].lower()
        found = _model(whole, fact)
        for name in (key, whole):
            if isinstance(found, LanguageModel):
                models.setdefault(name, found)
            else:
                uncovered.setdefault(name, found)
    for name, widths in ONLY_IN_LOGS.items():
        models.setdefault(name, _of_2023(name, *widths))
    for model in catalog.models.values():
        last = model.repository.rsplit("/", 1)[-1].lower()
        models |= {model.id: model, last: model, names.plain(last): model}
    return World(catalog, models, uncovered)


def _of_2023(name: str, hidden: int, width: int, layers: int, heads: int) -> LanguageModel:
    config: dict[str, Any] = {
        "model_type": "llama", "hidden_size": hidden, "intermediate_size": width,
        "num_hidden_layers": layers, "num_attention_heads": heads, "vocab_size": 32_000,
        "max_position_embeddings": 2_048, "tie_word_embeddings": False,
    }  # fmt: skip
    return model_of(name, config, 2_048)


def _model(name: str, fact: Mapping[str, Any]) -> LanguageModel | str:
    config = fact.get("config", fact)
    if not config or fact.get("config_kind") in GUESSED:
        return "config not published"
    if "vision_config" in config or "audio_config" in config:
        return "size of the vision tower unknown"
    try:
        facts = architecture(config)
    except (ValueError, TypeError, KeyError, ZeroDivisionError):
        return "family not covered"
    return model_of(name, config, facts.max_position)


def combo_of(gpus: tuple[InstalledGpu, ...], nodes: int, catalog: Catalog) -> Combo:
    """Put GPUs into equal machines, with the fastest link the first GPU offers."""
    first = gpus[0].gpu
    links = [catalog.interconnects[link] for link in first.links if link in catalog.interconnects]
    inside = links[0] if links else catalog.interconnects.get(first.bus)
    each = len(gpus) // nodes
    system = OperatingSystem.MACOS if first.vendor is Vendor.APPLE else OperatingSystem.LINUX
    machines = tuple(
        Node(
            name=f"node {at + 1}",
            gpus=gpus[at * each : (at + 1) * each],
            link=inside if each > 1 else None,
            ram_bytes=None,
            ram_bandwidth_bytes_per_s=None,
            operating_system=system,
            display_attached=False,
        )
        for at in range(nodes)
    )
    return Combo(
        id="measured", name="measured", summary="", nodes=machines,
        network=catalog.interconnects["infiniband-ndr"] if nodes > 1 else None,
        orchestrator="", prose=ComboProse("", "", ()), notes="", sources=(),
        span=SourceSpan("<measurement>"),
    )  # fmt: skip
