"""The loss of quality of every checkpoint against the model's release, and classes of loss."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from sitegen.catalog.checks.losses import RATING_POINT
from sitegen.catalog.domain.catalog import Catalog
from sitegen.catalog.domain.models import Checkpoint, LanguageModel, Quantization, TensorFormat
from sitegen.catalog.domain.provenance import Interval
from sitegen.quality.curve import SURE, LossModel, loss_model, weighed
from sitegen.quality.observations import WIDE_BITS, observations, resolution
from sitegen.quality.types import BITS, NATIVE, Scale, TypeLoss, bits_per_weight, type_losses
from sitegen.values import dataclass


def class_of(points: float, starts: tuple[float, ...]) -> int:
    """Return the class of an expected loss.

    >>> class_of(0.0, (0.1, 0.5)), class_of(0.1, (0.1, 0.5)), class_of(3, (0.1, 0.5))
    (0, 1, 2)
    """
    return sum(1 for start in starts if points >= start)


def class_starts(ordered: Iterable[TypeLoss], scale: Scale) -> tuple[float, ...]:
    """Cut types, the least loss first, where the evidence tells them apart.

    The first class ends before the first type that may lose (above its 90 % interval, on any model)
    more than the sharpest test can show. Every other class is led by its least loss and ends before
    the first type that is worse than its leader with 95 % probability and by at least the scale's
    step. Only a type whose own figures narrow its interval opens a class. The cuts lie on the
    expected loss, so a larger loss is never in a better class.

    Args:
        ordered: What types lose over models.
        scale: Has the resolution of the sharpest test.

    Returns:
        The expected loss that begins each class after the first.
    """
    starts: list[float] = []
    leader: TypeLoss | None = None
    for type_loss in ordered:
        if not type_loss.narrowed:
            continue
        if leader is None:
            opens = type_loss.anyone.high > scale.resolution
        else:
            opens = _surely_worse(type_loss, leader) and (
                type_loss.points.mid - leader.points.mid >= max(scale.resolution, scale.step)
            )
        if opens:
            starts.append(type_loss.points.mid)
            leader = type_loss
    return tuple(starts)


def _surely_worse(type_loss: TypeLoss, leader: TypeLoss) -> bool:
    """Return whether a type is worse than another with 95 % probability."""
    if type_loss.belief is None or leader.belief is None:
        return type_loss.belief is not None
    spread = math.hypot(type_loss.belief.deviation, leader.belief.deviation)
    return type_loss.belief.mean - leader.belief.mean > SURE * spread


CLASS_STEP = "quality-class-points"
"""Assumption that says how far classes of loss lie apart at least."""
MODEL_AND_TYPE = "model-and-type"
_NARROWED = 0.9
"""A measurement speaks for a checkpoint when it narrows the interval (log) to this or less."""
_HELD_BITS = 8
"""From here on a format holds what a release of that many bits or fewer has."""


@dataclass(frozen=True, slots=True)
class CheckpointLoss:
    """Rating points that a checkpoint is worse than the release, and how that is known.

    ``known_by`` is ``native`` (nothing is lost), ``model-and-type``, ``type`` or ``bits``.
    """

    points: Interval
    known_by: str


NOTHING = CheckpointLoss(Interval(0.0, 0.0, 0.0), NATIVE)
UNKNOWN = CheckpointLoss(Interval(0.0, 0.0, 0.0), BITS)
"""Losses without any measurement: one class for all."""


@dataclass(frozen=True, slots=True)
class LossTable:
    """Losses of all checkpoints of a catalog.

    Attributes:
        losses: Loss by model id and checkpoint id.
        by_type: Loss by quantization id, of a model on which it was not measured.
        types: What each quantization loses over models, the least first.
        starts: Expected loss, in points, from which on each class but the first begins.
        resolution: Points below which no test of the records shows a loss.
    """

    losses: Mapping[tuple[str, str], CheckpointLoss]
    by_type: Mapping[str, CheckpointLoss]
    types: tuple[TypeLoss, ...]
    starts: tuple[float, ...]
    resolution: float


def losses_of(catalog: Catalog) -> LossTable:
    """Return the loss of every checkpoint; a catalog without measured losses tells none apart."""
    unit = catalog.assumptions.get(RATING_POINT)
    measured = tuple(catalog.losses.values())
    seen = observations(measured, catalog.quantizations)
    fitted = loss_model(seen, bits_per_weight(measured, catalog.quantizations))
    if unit is None or fitted is None:
        by_type = dict.fromkeys(catalog.quantizations, UNKNOWN)
        return LossTable(_of_checkpoints(catalog, by_type, {}), by_type, (), (), 0.0)
    step = catalog.assumptions.get(CLASS_STEP)
    scale = Scale(
        1 / unit.value.mid,
        resolution(measured) / unit.value.mid,
        step.value.mid if step else 0.0,
    )
    types = type_losses(catalog.quantizations.values(), fitted, seen, scale)
    starts = class_starts(types, scale)
    by_type = {one.quantization: CheckpointLoss(one.anyone, one.known_by) for one in types}
    return LossTable(
        _of_checkpoints(catalog, by_type, _of_pairs(catalog, fitted, scale)),
        by_type,
        tuple(replace(one, class_=class_of(one.points.mid, starts)) for one in types),
        starts,
        scale.resolution,
    )


def _of_pairs(
    catalog: Catalog, fitted: LossModel, scale: Scale
) -> Mapping[tuple[str, str], CheckpointLoss]:
    """Return the loss of models and types whose own measurements say more than the type's.

    Most measured pairs are of models that the catalog does not have; those are not weighed.
    """
    found: dict[tuple[str, str], CheckpointLoss] = {}
    for pair in {
        (model.id, checkpoint.quantization.id)
        for model in catalog.models.values()
        for checkpoint in model.checkpoints
    } & fitted.pairs.keys():
        prior = fitted.of_model(fitted.of_type(pair[1]))
        belief = weighed(prior, [fitted.pairs[pair]], 0.0)
        if belief.deviation <= _NARROWED * prior.deviation:
            found[pair] = CheckpointLoss(scale.interval(belief), MODEL_AND_TYPE)
    return found


def _of_checkpoints(
    catalog: Catalog,
    by_type: Mapping[str, CheckpointLoss],
    own: Mapping[tuple[str, str], CheckpointLoss],
) -> Mapping[tuple[str, str], CheckpointLoss]:
    losses: dict[tuple[str, str], CheckpointLoss] = {}
    for model in catalog.models.values():
        for checkpoint in model.checkpoints:
            type_id = checkpoint.quantization.id
            loss = own.get((model.id, type_id)) or by_type[type_id]
            kept = nothing_is_lost(model, checkpoint)
            losses[model.id, checkpoint.id] = NOTHING if kept else loss
    return losses


def nothing_is_lost(model: LanguageModel, checkpoint: Checkpoint) -> bool:
    """Return whether a checkpoint is the release, or its format holds all that the release has."""
    release = (one.quantization for one in model.checkpoints if one.native)
    return checkpoint.native or any(holds(checkpoint.quantization, one) for one in release)


def holds(quantization: Quantization, release: Quantization) -> bool:
    """Return whether a format holds all that a release of another format has.

    Formats of 16 bits hold any release, formats of 8 bits a release of 8 bits or fewer. A GGUF file
    of MXFP4 has experts that were trained in MXFP4 as they are, and the rest in 8 bits or more.
    """
    bits, released = quantization.nominal_bits, release.nominal_bits
    if bits >= WIDE_BITS or (bits >= _HELD_BITS and round(released) <= _HELD_BITS):
        return True
    return quantization.gguf_file_type.startswith("MXFP4") and _trained_in_mxfp4(release)


def _trained_in_mxfp4(release: Quantization) -> bool:
    """Return whether a release has tensors of 4 bits in groups of 32 with a scale of 8 bits.

    Source: Open Compute Project, "OCP Microscaling Formats (MX) Specification" 1.0, table 1.
    """
    mxfp4 = TensorFormat(weight_bits=4, group_size=32, scale_bits=8)
    return mxfp4 in (release.linears, *(part.format for part in release.exceptions))
