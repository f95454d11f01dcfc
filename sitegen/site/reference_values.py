"""What each reference of the content stands for: one function per kind, one entry per field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from sitegen.catalog.domain.hardware import Interconnect
from sitegen.engine.assessment import FitTier
from sitegen.site.assessment_fields import assessment_fields
from sitegen.site.cells import Absent, Cell, Link, Quantity, Unit, joined, recorded
from sitegen.site.hardware import VENDOR_NAMES, link_words
from sitegen.site.inputs import SiteInputs
from sitegen.site.listings.hardware import (
    bandwidth_cell,
    effective_vram,
    installed_memory,
    latency_cell,
    visible_memory,
)
from sitegen.site.listings.models import tensor_parallel_words
from sitegen.site.lookups import assessment_of, combo_survey, look_up
from sitegen.site.references import NotUnderstood, words_of
from sitegen.site.sources import constant_value
from sitegen.site.urls import url_of
from sitegen.site.verdicts import row_link

Fields = Mapping[str, Callable[[], Cell]]


def _gpu(inputs: SiteInputs, id_: str) -> Fields:
    gpu = look_up(inputs.catalog.gpus, "gpu", id_)
    capability = gpu.compute_capability
    return {
        "link": lambda: Link(url_of("gpu", gpu.id), gpu.name),
        "name": lambda: gpu.name,
        "vendor": lambda: VENDOR_NAMES[gpu.vendor],
        "architecture": lambda: gpu.architecture,
        "installed": lambda: installed_memory(gpu),
        "visible": lambda: visible_memory(gpu),
        "bandwidth": lambda: Quantity(gpu.memory_bandwidth_bytes_per_s, Unit.GB_PER_S),
        "fp16": lambda: recorded(gpu.fp16_flops_per_s, Unit.TFLOPS),
        "fp8": lambda: recorded(gpu.fp8_flops_per_s, Unit.TFLOPS),
        "compute-capability": lambda: (
            f"{capability[0]}.{capability[1]}" if capability else Absent("none")
        ),
        "tdp": lambda: recorded(gpu.tdp_watts, Unit.WATTS),
        "price": lambda: recorded(gpu.launch_price_usd, Unit.USD),
        "launched": lambda: gpu.launched or Absent(),
    }


def _interconnect(inputs: SiteInputs, id_: str) -> Fields:
    link: Interconnect = look_up(inputs.catalog.interconnects, "interconnect", id_)
    return {
        "name": lambda: link.name,
        "kind": lambda: link.kind,
        "nominal": lambda: recorded(link.nominal_bytes_per_s, Unit.GB_PER_S),
        "bandwidth": lambda: bandwidth_cell(link),
        "latency": lambda: latency_cell(link),
        "evidence": lambda: str(link.evidence),
    }


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


def _combo(inputs: SiteInputs, id_: str) -> Fields:
    survey = combo_survey(inputs, id_)
    combo = survey.combo
    single, serving = survey.largest_single_model, survey.aggregate_serving
    links = {node.link.id: node.link for node in combo.nodes if node.link}

    def tier(of: FitTier) -> Cell:
        return Quantity(len(survey.tier(of)), Unit.COUNT)

    return {
        "link": lambda: Link(url_of("combo", combo.id), combo.name),
        "name": lambda: combo.name,
        "gpus": lambda: Quantity(len(combo.gpus), Unit.COUNT),
        "nodes": lambda: Quantity(len(combo.nodes), Unit.COUNT),
        "network": lambda: link_words(combo.network),
        "node-link": lambda: joined(tuple(link_words(link) for link in links.values())),
        "installed": lambda: Quantity(combo.installed_vram_bytes, Unit.GIB),
        "usable": lambda: Quantity(sum(g.visible_bytes for g in combo.gpus), Unit.GIB),
        "effective": lambda: effective_vram(survey),
        "comfortable": lambda: tier(FitTier.COMFORTABLE),
        "borderline": lambda: tier(FitTier.BORDERLINE),
        "not-practical": lambda: tier(FitTier.NOT_PRACTICAL),
        "largest-model": lambda: (
            Link(row_link(single), single.model.name) if single else Absent("none")
        ),
        "serving-model": lambda: (
            Link(row_link(serving), serving.model.name) if serving else Absent("none")
        ),
    }


def _effective(inputs: SiteInputs, combo_id: str, tensor: str, pipeline: str) -> Fields:
    if not (tensor.isdecimal() and pipeline.isdecimal()):
        raise NotUnderstood("write {{ effective <combo> <tp> <pp> <field> }} with two numbers")
    rows = [
        row
        for row in combo_survey(inputs, combo_id).effective_vram
        if (row.tensor_parallel_size, row.pipeline_parallel_size) == (int(tensor), int(pipeline))
    ]
    if not rows:
        raise NotUnderstood(f"{combo_id} has no effective VRAM for TP {tensor} × PP {pipeline}")
    row = max(rows, key=lambda row: row.bytes)
    return {
        "size": lambda: Quantity(row.bytes, Unit.GIB),
        "replicas": lambda: Quantity(row.replicas, Unit.COUNT),
        "runtime": lambda: Link(url_of("runtime", row.runtime.id), row.runtime.name),
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
    "gpu": (_gpu, (1,)),
    "interconnect": (_interconnect, (1,)),
    "model": (_model, (1,)),
    "weights": (_weights, (2,)),
    "combo": (_combo, (1,)),
    "effective": (_effective, (3,)),
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
