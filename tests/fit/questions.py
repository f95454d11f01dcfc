"""Questions to the engine in a test: models of the vector file on hardware of the real catalog."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.hardware import (
    Combo,
    ComboProse,
    DedicatedMemory,
    InstalledGpu,
    Node,
    OperatingSystem,
)
from sitegen.catalog.domain.models import Checkpoint, Json, LanguageModel
from sitegen.catalog.domain.provenance import Evidence
from sitegen.catalog.load import parse_catalog
from sitegen.fit.assess import assess
from sitegen.fit.assessment import REFERENCE_WORKLOAD, Assessment, FitRequest, PlanGoal
from sitegen.fit.fit_engine import FitEngine
from sitegen.physics.memory.profile_constants import profile_of
from sitegen.physics.plan import Settings, Workload
from sitegen.problems import SourceSpan
from sitegen.units import GIB

ROOT = Path(__file__).parents[2]
SPAN = SourceSpan("tests")
CONFIGS: dict[str, dict[str, Json]] = json.loads(
    (ROOT / "tests/vectors/gguf-configs.json").read_text()
)["configs"]


@cache
def catalog() -> Catalog:
    """The real catalog without its models, which these tests bring themselves."""
    folders = ("gpus", "interconnects", "quantizations", "runtimes", "assumptions")
    return parse_catalog(
        {
            path.relative_to(ROOT).as_posix(): path.read_text()
            for folder in folders
            for path in sorted((ROOT / "catalog" / folder).glob("*.yaml"))
        }
    )


@cache
def engine() -> FitEngine:
    """One engine for all tests: it remembers, and forgets nothing that matters."""
    return FitEngine(catalog())


def model(name: str, *, context_tokens: int = 131_072, **overrides: Json) -> LanguageModel:
    """A model of the vector file with every recipe as a checkpoint."""
    checkpoints = tuple(
        Checkpoint(recipe.id, recipe, "", None, {}, (), False, Evidence.ESTIMATED, ())
        for recipe in catalog().quantizations.values()
    )
    tag = "-".join(f"{key}-{value}" for key, value in sorted(overrides.items()))
    return LanguageModel(
        id=f"{name}-{tag}" if tag else name,
        name=name,
        organization="",
        repository="",
        license="",
        released="",
        config={**CONFIGS[name], **overrides},
        context_tokens=context_tokens,
        published_parameters=None,
        vision_parameters=0,
        mtp_parameters=0,
        checkpoints=checkpoints,
        notes="",
        sources=(),
        span=SPAN,
    )


def combo(
    *gpus: str,
    nodes: int = 1,
    link: str = "",
    network: str = "",
    unified_gib: int = 0,
    ram_gib: int = 0,
) -> Combo:
    """Equal nodes with these GPUs."""
    found = catalog()
    installed = []
    for name in gpus:
        gpu = found.gpus[name]
        if isinstance(gpu.memory, DedicatedMemory):
            memory = gpu.memory
            installed.append(InstalledGpu(gpu, memory.installed_bytes, memory.visible_bytes))
        else:
            installed.append(InstalledGpu(gpu, unified_gib * GIB, unified_gib * GIB))
    node = Node(
        name="node",
        gpus=tuple(installed),
        link=found.interconnects[link] if link else None,
        ram_bytes=ram_gib * GIB if ram_gib else None,
        ram_bandwidth_bytes_per_s=None,
        operating_system=OperatingSystem.LINUX,
        display_attached=False,
    )
    return Combo(
        id="+".join(gpus) + f"x{nodes}",
        name="",
        summary="",
        nodes=(node,) * nodes,
        network=found.interconnects[network] if network else None,
        orchestrator="",
        prose=ComboProse("", "", ()),
        notes="",
        sources=(),
        span=SPAN,
    )


def ask(
    what: LanguageModel,
    checkpoint: str,
    where: Combo,
    runtime: str,
    version: str = "",
    *,
    tp: int | None = None,
    pp: int | None = None,
    workload: Workload = REFERENCE_WORKLOAD,
    settings: Settings | None = None,
    goal: PlanGoal = PlanGoal.LARGEST_MODEL,
) -> Assessment:
    """Assess one fit tuple."""
    served = catalog().runtimes[runtime]
    profile = profile_of(served, version)
    assert profile is not None
    chosen = next(c for c in what.checkpoints if c.id == checkpoint)
    request = FitRequest(
        what, chosen, where, served, profile, workload, settings or Settings(), tp, pp, goal
    )
    return assess(engine(), request)


def with_visible(where: Combo, visible_bytes: int) -> Combo:
    """The same combo, every GPU with this much visible memory."""
    nodes = tuple(
        replace(node, gpus=tuple(replace(g, visible_bytes=visible_bytes) for g in node.gpus))
        for node in where.nodes
    )
    return replace(where, nodes=nodes, id=f"{where.id}-{visible_bytes}")
