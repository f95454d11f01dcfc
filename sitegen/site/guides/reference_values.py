"""What each reference of the content stands for: one function per kind, one entry per field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from sitegen.site.cells import Absent, Cell, Link, Quantity, Unit
from sitegen.site.content.references import NotUnderstood, words_of
from sitegen.site.guides.assessment_fields import assessment_fields
from sitegen.site.guides.hardware_fields import (
    Fields,
    combo_fields,
    effective_fields,
    gpu_fields,
    interconnect_fields,
)
from sitegen.site.inputs import SiteInputs
from sitegen.site.resolve_ids import assessment_of, look_up
from sitegen.site.sources import constant_value
from sitegen.site.tables.models import tensor_parallel_words
from sitegen.site.urls import url_of


def _model(inputs: SiteInputs, id_: str) -> Fields:
    model = look_up(inputs.catalog.models, "model", id_)
    facts = inputs.facts[model.id]
    return {
        "link": lambda: Link(url_of("model", model.id), model.name),
        "name": lambda: model.name,
        "organization": lambda: model.organization,
        "license": lambda: model.license,
        "context": lambda: Quantity(model.context_tokens, Unit.TOKENS),
        "parameters": lambda: Quantity(facts.parameters, Unit.PARAMETERS),
        "active-parameters": lambda: Quantity(facts.active_parameters, Unit.PARAMETERS),
        "kv-per-token": lambda: Quantity(facts.kv_bytes_per_token, Unit.KIB),
        "tensor-parallel-sizes": lambda: tensor_parallel_words(facts),
        "checkpoints": lambda: Quantity(len(model.checkpoints), Unit.COUNT),
    }


def _weights(inputs: SiteInputs, model_id: str, checkpoint_id: str) -> Fields:
    look_up(inputs.catalog.models, "model", model_id)
    known = {entry.checkpoint.id: entry for entry in inputs.facts[model_id].checkpoints}
    entry = look_up(known, f"checkpoint of {model_id}", checkpoint_id)
    return {
        "size": lambda: Quantity(entry.total_bytes, Unit.GIB),
        "file": lambda: Quantity(entry.total_bytes, Unit.GB),
        "bits-per-weight": lambda: Quantity(entry.bits_per_weight, Unit.BITS),
        "quantization": lambda: entry.checkpoint.quantization.name,
    }


def _assess(inputs: SiteInputs, model_id: str, combo_id: str, checkpoint_id: str = "") -> Fields:
    found = assessment_of(inputs, model_id, combo_id, checkpoint_id)
    return {
        name: partial(make, found, inputs.catalog) for name, make in assessment_fields().items()
    }


def _runtime(inputs: SiteInputs, id_: str) -> Fields:
    runtime = look_up(inputs.catalog.runtimes, "runtime", id_)
    return {
        "link": lambda: Link(url_of("runtime", runtime.id), runtime.name),
        "name": lambda: runtime.name,
        "version": lambda: runtime.assessed_version or Absent("not assessed"),
        "summary": lambda: runtime.summary,
    }


def _constant(inputs: SiteInputs, runtime_id: str) -> Fields:
    runtime = look_up(inputs.catalog.runtimes, "runtime", runtime_id)
    for profile in runtime.profiles:
        if profile.version == runtime.assessed_version:
            return {
                name: partial(constant_value, constant)
                for name, constant in profile.constants.items()
            }
    raise NotUnderstood(f"{runtime_id} has no assessed profile")


def _assumption(inputs: SiteInputs) -> Fields:
    return {
        name: partial(constant_value, constant)
        for name, constant in inputs.catalog.assumptions.items()
    }


def _quantization(inputs: SiteInputs, id_: str) -> Fields:
    quantization = look_up(inputs.catalog.quantizations, "quantization", id_)
    return {
        "name": lambda: quantization.name,
        "bits": lambda: Quantity(quantization.nominal_bits, Unit.BITS),
        "format": lambda: quantization.format,
    }


def _count(inputs: SiteInputs) -> Fields:
    catalog = inputs.catalog
    sizes = {
        "gpus": len(catalog.gpus),
        "interconnects": len(catalog.interconnects),
        "combos": len(catalog.combos),
        "models": len(catalog.models),
        "checkpoints": sum(len(model.checkpoints) for model in catalog.models.values()),
        "quantizations": len(catalog.quantizations),
        "runtimes": len(catalog.runtimes),
        "assessments": sum(len(survey.rows) for survey in inputs.survey.combos.values()),
    }
    return {name: partial(Quantity, size, Unit.COUNT) for name, size in sizes.items()}


KINDS: Mapping[str, tuple[Callable[..., Fields], tuple[int, ...]]] = {
    "gpu": (gpu_fields, (1,)),
    "interconnect": (interconnect_fields, (1,)),
    "model": (_model, (1,)),
    "weights": (_weights, (2,)),
    "combo": (combo_fields, (1,)),
    "effective": (effective_fields, (3,)),
    "assess": (_assess, (2, 3)),
    "runtime": (_runtime, (1,)),
    "constant": (_constant, (1,)),
    "assumption": (_assumption, (0,)),
    "quantization": (_quantization, (1,)),
    "count": (_count, (0,)),
}
"""By first word: the function and how many ids may stand between it and the field."""


def resolve_reference(inner: str, inputs: SiteInputs) -> Cell:
    """Return what the inner text of a reference stands for.

    Raises:
        NotUnderstood: If it names nothing.
    """
    kind, *rest = words_of(inner)
    fields_of, arities = look_up(KINDS, "reference", kind)
    if len(rest) - 1 not in arities:
        raise NotUnderstood(f"'{kind}' is followed by {arities[0]} id(s) and a field")
    *ids, field = rest
    noun = "assumption" if kind == "assumption" else f"field of '{kind}'"
    return look_up(fields_of(inputs, *ids), noun, field)()
