"""Names of parallel plans on pages."""

from __future__ import annotations

from collections import Counter

from sitegen.catalog.domain.hardware import Combo
from sitegen.physics.plan import ParallelPlan, PlanKind, RefusedPlan
from sitegen.survey.results import EffectiveVram
from sitegen.units import GIB

ONE_GPU = "one GPU"


def split_words(tensor_parallel_size: int, pipeline_parallel_size: int) -> str:
    """Name a split.

    >>> split_words(2, 4), split_words(1, 1)
    ('TP 2 × PP 4', 'one GPU')
    """
    tp, pp = tensor_parallel_size, pipeline_parallel_size
    if tp == 1 and pp == 1:
        return ONE_GPU
    if pp == 1:
        return f"TP {tp}"
    return f"PP {pp}" if tp == 1 else f"TP {tp} × PP {pp}"


def replica_words(words: str, replicas: int) -> str:
    """Add how many replicas run side by side.

    >>> replica_words("TP 2", 4), replica_words("one GPU", 8)
    ('TP 2, 4 replicas', '8 replicas, one GPU each')
    """
    if replicas == 1:
        return words
    if words.startswith(ONE_GPU):
        return f"{replicas} replicas, {ONE_GPU} each{words.removeprefix(ONE_GPU)}"
    return f"{words}, {replicas} replicas"


def plan_words(plan: ParallelPlan) -> str:
    """Name a plan in a few words."""
    gpus = len(plan.ranks)
    if plan.kind is PlanKind.REMOTE_LAYER_SPLIT:
        nodes = len({node for node, _ in plan.ranks})
        words = f"layers split over {gpus} GPUs on {nodes} nodes"
    elif plan.kind is PlanKind.LAYER_SPLIT or (plan.kind is PlanKind.OFFLOAD and gpus > 1):
        words = f"layers split over {gpus} GPUs"
    else:
        words = split_words(plan.tensor_parallel_size, plan.pipeline_parallel_size)
    if plan.cpu_layers:
        words += f" + {plan.cpu_layers} layers in RAM"
    if plan.cpu_expert_layers:
        words += f" + {experts_in_ram(plan.cpu_expert_layers)}"
    return replica_words(words, plan.replicas)


def experts_in_ram(layers: int) -> str:
    """Say of how many layers the experts are in system RAM."""
    return f"experts of {layers} layers in RAM"


def as_plan(plan: ParallelPlan) -> str:
    """Say how a plan runs: on one GPU, as so many replicas of it, or as a split."""
    if len(plan.ranks) > 1 or plan.cpu_layers or plan.cpu_expert_layers:
        return f"as {plan_words(plan)}"
    return f"on {ONE_GPU}" if plan.replicas == 1 else f"as {plan.replicas} replicas of one GPU each"


def idle_words(combo: Combo, plan: ParallelPlan) -> str:
    """Say which machines of unequal ones a plan leaves idle, and why; empty where there are none.

    A replica and those beside it take machines alike, or one replica takes all
    (``physics/gpu_groups``).
    """
    shapes = [tuple((one.gpu.name, one.installed_bytes) for one in n.gpus) for n in combo.nodes]
    taken = {shapes[node] for node, _ in plan.ranks}
    left = Counter(shape for shape in shapes if shape not in taken)
    machines = " and ".join(
        f"{count} × {shape[0][0]} with {shape[0][1] // GIB} GB" for shape, count in left.items()
    )
    return f"Idle: {machines}, because this plan needs identical machines." if machines else ""


def effective_words(row: EffectiveVram) -> str:
    """Name the plan of a row of effective VRAM."""
    if row.plan_kind is PlanKind.REMOTE_LAYER_SPLIT and not row.runtime.capabilities.layer_split:
        words = split_words(1, row.gpus)
    elif row.plan_kind in {PlanKind.LAYER_SPLIT, PlanKind.REMOTE_LAYER_SPLIT}:
        words = f"layers split over {row.gpus} GPUs"
        words += " (RPC)" if row.plan_kind is PlanKind.REMOTE_LAYER_SPLIT else ""
    else:
        words = split_words(row.tensor_parallel_size, row.pipeline_parallel_size)
    return replica_words(words, row.replicas)


def refused_words(plan: RefusedPlan) -> str:
    """Name a refused plan."""
    words = split_words(plan.tensor_parallel_size, plan.pipeline_parallel_size)
    return replica_words(words, plan.replicas)
