"""Requests to the engine with one choice changed: load, flags, split and goal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.load import parse_catalog
from sitegen.fit.assessment import FitRequest, PlanGoal
from sitegen.fit.fit_engine import FitEngine
from sitegen.physics.plan import Settings, Workload
from sitegen.units import GIB
from tests.fit.questions import ROOT

PAIRS = (
    ("2x-rtx-3090-nvlink", "qwen3-8b"),
    ("rtx-4090-plus-rtx-3090-ti", "gpt-oss-20b"),
    ("2x-dgx-spark", "qwen3-30b-a3b-instruct-2507"),
    ("mac-studio-m3-ultra-256gb", "gemma-3-27b-it"),
)
"""A combo with a model: equal and unequal GPUs, two machines, memory that CPU and GPU share."""
BITS = 4.15625
"""Nominal bits of the checkpoint that each runtime is asked for: the nearest that it loads."""
LOADS = {
    "as it is": Workload(8_192, 1, "f16"),
    "a short context": Workload(1, 1, "f16"),
    "an odd context": Workload(12_345, 1, "f16"),
    "a long context": Workload(131_072, 1, "f16"),
    "sequences": Workload(8_192, 7, "f16"),
    "many sequences": Workload(2_048, 200, "f16"),
    "an 8-bit cache": Workload(8_192, 1, "q8_0"),
    "an FP8 cache": Workload(8_192, 1, "fp8"),
}
FLAGS = {
    "half of the memory": Settings(memory_fraction=0.5),
    "one sequence at most": Settings(max_num_seqs=1),
    "512 sequences at most": Settings(max_num_seqs=512),
    "small steps": Settings(max_num_batched_tokens=512),
    "large steps": Settings(max_num_batched_tokens=16_384),
    "no graphs": Settings(enforce_eager=True),
    "small batches": Settings(micro_batch_tokens=64),
    "a raised limit": Settings(raised_limit=True),
    "experts whole": Settings(expert_parallel=True),
    "two copies of attention": Settings(data_parallel_size=2),
    "two ranks of context": Settings(decode_context_parallel_size=2),
    "own predictions": Settings(prediction_layers=True),
    "a draft model": Settings(draft_bytes=GIB),
    "text alone": Settings(text_only=True),
    "images": Settings(images=True),
    "plain attention": Settings(flash_attention=False),
    "fused attention": Settings(flash_attention=True),
    "small allocations": Settings(largest_allocation_bytes=GIB),
    "Vulkan": Settings(backend="vulkan-radv"),
}
SPLITS = {"one rank": (1, None), "two ranks": (2, 1), "two stages": (1, 2), "too many": (4, 2)}


def catalog() -> Catalog:
    """Parse the combos and models of the pairs, with all that they may name."""
    combos, models = (frozenset(names) for names in zip(*PAIRS, strict=True))
    folders = ("gpus", "interconnects", "quantizations", "runtimes", "assumptions")
    paths = [path for folder in folders for path in (ROOT / "catalog" / folder).glob("*.yaml")]
    paths += [ROOT / "catalog" / "combos" / f"{name}.yaml" for name in combos]
    paths += [ROOT / "catalog" / "models" / f"{name}.yaml" for name in models]
    return parse_catalog(
        {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in sorted(paths)}
    )


def bases(engine: FitEngine) -> Iterator[FitRequest]:
    """Yield a request for each pair under each runtime that loads a checkpoint of the model."""
    catalog = engine.catalog
    for combo, model in PAIRS:
        of = catalog.models[model]
        vendors = {gpu.gpu.vendor for gpu in catalog.combos[combo].gpus}
        for runtime, profile in engine.assessed_runtimes():
            loaded = [one for one in of.checkpoints if one.quantization.format in runtime.formats]
            if loaded and not vendors.isdisjoint(runtime.vendors):
                near = min(loaded, key=lambda c: (abs(c.quantization.nominal_bits - BITS), c.id))
                yield FitRequest(of, near, catalog.combos[combo], runtime, profile)


def requests_by_change() -> Iterator[tuple[FitEngine, str, list[FitRequest]]]:
    """Yield what changes, with the requests in which it does."""
    engine = FitEngine(catalog())
    every = list(bases(engine))
    for name, load in LOADS.items():
        offered = [
            one for one in every if load.kv_dtype in {"f16", *one.runtime.traits.cache_types}
        ]
        yield engine, name, [replace(one, workload=load) for one in offered]
    for name, flags in FLAGS.items():
        yield engine, name, [replace(one, settings=flags) for one in every]
    for name, (tensor, stages) in SPLITS.items():
        yield (
            engine,
            name,
            [
                replace(one, tensor_parallel_size=tensor, pipeline_parallel_size=stages)
                for one in every
            ],
        )
    for goal in PlanGoal:
        yield engine, f"for {goal}", [replace(one, goal=goal) for one in every]
