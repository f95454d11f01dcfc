"""What exactly would have to be measured, so that rows which share it are settled together."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from sitegen.catalog.domain.hardware import UnifiedMemory
from sitegen.engine.assessment import GpuLedger
from sitegen.engine.evaluate import Evaluation
from sitegen.engine.findings import ToMeasure, Uncertain
from sitegen.engine.prepared import Subject

OF_THE_MODEL = frozenset({Uncertain.COMPUTE, Uncertain.GRAPHS})


def measurement(
    quantity: Uncertain, found: Evaluation, busiest: GpuLedger, subject: Subject
) -> ToMeasure:
    """Name a measurement by what its quantity depends on, and by nothing else.

    What a system keeps of a GPU depends on neither runtime nor model. A GPU's context is the same
    for every model, and for every split unless communication buffers are part of it. Activations
    and graphs belong to a model under a split, whatever its checkpoint; the loaded file to a
    checkpoint under a split, whatever the GPU; speed and a whole start to the whole fit tuple.
    """
    gpu = ((busiest.gpu_id, 0),)
    if quantity is Uncertain.RESERVED:
        return ToMeasure(quantity, gpus=gpu, reserved_bytes=_kept(found))
    by_runtime = ToMeasure(quantity, subject.runtime.id, subject.profile.version)
    communicates = busiest.lines["communication"].high > 0
    if quantity is Uncertain.RUNTIME_OVERHEAD and not communicates:
        return replace(by_runtime, gpus=gpu)
    tp, pp = found.split
    split = replace(by_runtime, tensor_parallel_size=tp, pipeline_parallel_size=pp)
    model, checkpoint = subject.model.id, subject.checkpoint.id
    if quantity is Uncertain.WEIGHTS:
        return replace(split, model_id=model, checkpoint_id=checkpoint)
    spread = replace(split, gpus=gpus_of(found), link_id=_link(found))
    if quantity is Uncertain.RUNTIME_OVERHEAD:
        return spread
    if quantity in OF_THE_MODEL:
        return replace(spread, model_id=model)
    return replace(spread, model_id=model, checkpoint_id=checkpoint)


def _kept(found: Evaluation) -> int:
    """Return what a system keeps of a graphics card; chips with shared memory keep a share."""
    first = found.devices.devices[0]
    return 0 if isinstance(first.gpu.memory, UnifiedMemory) else int(first.reserved.mid)


def gpus_of(found: Evaluation) -> tuple[tuple[str, int], ...]:
    """Count a replica's GPUs by id."""
    return tuple(sorted(Counter(device.gpu.id for device in found.devices.devices).items()))


def _link(found: Evaluation) -> str:
    """Name the slowest link that the replica crosses."""
    devices = found.devices
    link = devices.network or devices.link
    return link.id if link else ""
